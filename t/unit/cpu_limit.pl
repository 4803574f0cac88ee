# Does the module see that a limit of the CPU stops the server, and how long?
#
# src/probe/cpu_limit.c needs no server.  The test compiles it into a program
# (t/unit/cpu_limit.c) that reads files as Linux writes them.

use lib 't';
use CommitStats;
use File::Path qw(make_path);
use IPC::Run;

my $dir = PostgreSQL::Test::Utils::tempdir();
compile_c("$dir/ask", 't/unit/cpu_limit.c', 'src/probe/cpu_limit.c');

# Folders with a cpu.stat: path => [periods, those that were cut short, line of
# the time]
sub output_of ($groups, %stat)
{
	my $mount = PostgreSQL::Test::Utils::tempdir();
	my $out = '';

	append_to_file("$mount/groups", $groups);
	for my $path (keys %stat)
	{
		make_path("$mount/$path");
		append_to_file(
			"$mount/$path/cpu.stat",
			sprintf "nr_periods %d\nnr_throttled %d\n%s\n",
			@{ $stat{$path} }[ 0, 1 ],
			$stat{$path}->[2] // 'throttled_time 1');
	}
	IPC::Run::run([ "$dir/ask", "$mount/groups", $mount ], '>', \$out)
	  or die "ask failed\n";
	chomp $out;
	return $out;
}

# 1 if a limit stops the server often
sub stops (@arguments)
{
	return output_of(@arguments) =~ s/ .*//r;
}

# ns for which it ever did
sub stopped_for (@arguments)
{
	return output_of(@arguments) =~ s/.* //r;
}

my $one = "12:memory:/x\n4:cpu,cpuacct:/a/b\n0::/\n";
my $two = "0::/a/b\n";

is(stops($two), 0, 'without a limit');
is(stops($two, 'a/b' => [ 200, 100 ]), 1, 'half of the periods, version 2');
is(stops($one, 'cpu/a/b' => [ 200, 100 ]), 1, '... and version 1');
is(stops($one, 'cpu/x' => [ 200, 100 ]), 0, '... of another group');
is(stops($two, 'a/b' => [ 200, 10 ]), 0, 'a twentieth of them is not much');
is(stops($two, 'a/b' => [ 200, 11 ]), 1, '... and more is');
is(stops($two, 'a' => [ 200, 100 ]), 1, 'a group that this one is in');
is(stops($two, '' => [ 200, 100 ]), 1, '... or that of a container, with the path of its host');
is(stops("5:cpuset:/a\n", 'cpu/a' => [ 200, 100 ]), 0, 'cpuset is another controller');
is(stops("no line\n4:cpu:\n"), 0, 'lines that say nothing');

is(stopped_for($two), 'none', 'how long, without a group');
is(stopped_for($two, 'a/b' => [ 0, 0 ]), 'none', '... and with one that has no limit');
is(stopped_for($one, 'cpu/a/b' => [ 9, 1, 'throttled_time 123456789012' ]),
	'123456789012', '... in version 1, ns');
is(stopped_for($two, 'a/b' => [ 9, 1, "usage_usec 5\nthrottled_usec 123456789" ]),
	'123456789000', '... in version 2, us');
is( stopped_for(
		$two,
		'a' => [ 9, 1, 'throttled_usec 2' ],
		'a/b' => [ 0, 0, 'throttled_usec 3' ]),
	'5000',
	'... of all groups that it is in');
is(stopped_for("0::/\n", '' => [ 9, 1, 'throttled_usec 3' ]), '3000', '... of the root, once');

{
	my $out = '';

	IPC::Run::run([ "$dir/ask", "$dir/none", $dir ], '>', \$out);
	is($out, "0 none\n", 'a system without such files');
}

done_testing();
