# For how long has a limit of the CPU stopped the server?
#
# src/probe/kernel.c needs no server.  The test compiles it into a program
# (t/unit/kernel.c) that reads files as Linux writes them.

use CommitStats;
use File::Path qw(make_path);

my $program = compile_program('t/unit/kernel.c', 'src/probe/kernel.c');

# ns for which it did, with folders of a cpu.stat: path => [periods, lines of
# the time]
sub stopped_for ($groups, %stat)
{
	my $mount = PostgreSQL::Test::Utils::tempdir();

	append_to_file("$mount/groups", $groups);
	for my $path (keys %stat)
	{
		make_path("$mount/$path");
		append_to_file(
			"$mount/$path/cpu.stat",
			sprintf "nr_periods %d\nnr_throttled 1\n%s\n",
			@{ $stat{$path} });
	}
	return $program->([ 'limit', "$mount/groups", $mount ]);
}

my $one = "12:memory:/x\n4:cpu,cpuacct:/a/b\n0::/\n";
my $two = "0::/a/b\n";
my $ns = 'throttled_time 123456789012';
my $us = "usage_usec 5\nthrottled_usec 123456789";

is(stopped_for($two), 'none', 'without a group');
is(stopped_for($two, 'a/b' => [ 0, $us ]), 'none', 'a group without a limit');
is(stopped_for($one, 'cpu/a/b' => [ 9, $ns ]), '123456789012', 'version 1, ns');
is(stopped_for($two, 'a/b' => [ 9, $us ]), '123456789000', 'version 2, us');
is(stopped_for($one, 'cpu/x' => [ 9, $ns ]), 'none', 'another group');
is(stopped_for($two, 'a' => [ 9, $us ]), '123456789000', 'a group that this one is in');
is(stopped_for($two, '' => [ 9, $us ]),
	'123456789000', '... or that of a container, with the path of its host');
is(stopped_for("5:cpuset:/a\n", 'cpu/a' => [ 9, $ns ]), 'none', 'cpuset is another controller');
is(stopped_for("no line\n4:cpu:\n"), 'none', 'lines that say nothing');
is(stopped_for($two, 'a' => [ 9, 'throttled_usec 2' ], 'a/b' => [ 0, 'throttled_usec 3' ]),
	'5000', 'all groups that it is in');
is(stopped_for("0::/\n", '' => [ 9, 'throttled_usec 3' ]), '3000', 'the root, once');

my $empty = PostgreSQL::Test::Utils::tempdir();
is($program->([ 'limit', "$empty/none", $empty ]), 'none', 'a system without such files');

done_testing();
