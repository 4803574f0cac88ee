# Does the module see that a limit of the CPU stops the server?
#
# src/probe/cpu_limit.c needs no server.  The test compiles it into a program
# (t/unit/cpu_limit.c) that reads files as Linux writes them.

use lib 't';
use CommitStats;
use File::Path qw(make_path);
use IPC::Run;

my $dir = PostgreSQL::Test::Utils::tempdir();
compile_c("$dir/ask", 't/unit/cpu_limit.c', 'src/probe/cpu_limit.c');

# Folders with a cpu.stat: path => [periods, periods that were cut short]
sub stops ($groups, %stat)
{
	my $mount = PostgreSQL::Test::Utils::tempdir();
	my $out = '';

	append_to_file("$mount/groups", $groups);
	for my $path (keys %stat)
	{
		make_path("$mount/$path");
		append_to_file(
			"$mount/$path/cpu.stat",
			sprintf "nr_periods %d\nnr_throttled %d\nthrottled_time 1\n",
			@{ $stat{$path} });
	}
	IPC::Run::run([ "$dir/ask", "$mount/groups", $mount ], '>', \$out)
	  or die "ask failed\n";
	chomp $out;
	return $out;
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

{
	my $out = '';

	IPC::Run::run([ "$dir/ask", "$dir/none", $dir ], '>', \$out);
	is($out, "0\n", 'a system without such files');
}

done_testing();
