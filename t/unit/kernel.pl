# For how long has a limit of the CPU stopped the server, and what has the
# volume of a folder read, written and discarded?  Of which disk is a
# partition, and for how long did a process wait for a processor?
#
# src/probe/kernel.c needs no server.  The test compiles it into a program
# (t/unit/kernel.c) that reads files as Linux writes them.

use CommitStats;
use File::Path qw(make_path);

my $program = compile_program('t/unit/kernel.c', 'src/probe/kernel.c');

# ns for which it did, with folders of a cpu.stat: path => [periods, lines of
# the time, other files]
sub stopped_for ($groups, %stat)
{
	my $mount = PostgreSQL::Test::Utils::tempdir();

	append_to_file("$mount/groups", $groups);
	for my $path (keys %stat)
	{
		my ($periods, $time, %other) = @{ $stat{$path} };

		make_path("$mount/$path");
		append_to_file("$mount/$path/cpu.stat", "nr_periods $periods\nnr_throttled 1\n$time\n");
		append_to_file("$mount/$path/$_", $other{$_}) for keys %other;
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

for my $limit (
	[ '50000 100000', 8000, 'half a processor' ],
	[ '400000 100000', 2000, 'four' ],
	[ 'max 100000', 8000, 'no limit' ])
{
	my ($max, $ns, $name) = @$limit;

	is(stopped_for($two, 'a/b' => [ 9, 'throttled_usec 8', 'cpu.max' => "$max\n" ]),
		$ns, "counted on each processor: $name");
}
is( stopped_for(
		$one,
		'cpu/a/b' => [
			9, 'throttled_time 8000',
			'cpu.cfs_quota_us' => "200000\n",
			'cpu.cfs_period_us' => "100000\n"
		]),
	'4000',
	'... version 1, two');

my $empty = PostgreSQL::Test::Utils::tempdir();
is($program->([ 'limit', "$empty/none", $empty ]), 'none', 'a system without such files');

# The volume
my $folder = PostgreSQL::Test::Utils::tempdir();
my $device = (stat $folder)[0];
my $number = sprintf '%d:%d', ($device >> 8) & 0xfff, ($device & 0xff) | (($device >> 12) & ~0xff);

# By the volume of $of, if device $name has these counts
sub moved ($name, $counts, $of = $folder)
{
	my $devices = PostgreSQL::Test::Utils::tempdir();

	make_path("$devices/$name");
	append_to_file("$devices/$name/stat", $counts);
	return $program->([ 'volume', $of, $devices ]);
}

my $counts =
  "  219314    26540  8438210   159380 21528354  1453084 1020578768  4733803        0  1 2\n";

is( moved($number, $counts),
	(219314 + 21528354) . ' ' . 512 * (8438210 + 1020578768),
	'the requests and the sectors');
is( moved($number, $counts =~ s/1020578768/10205787680/r),
	(219314 + 21528354) . ' ' . 512 * (8438210 + 10205787680),
	'... more than 2^32');
is( moved($number, $counts =~ s/\n/ 40 0 5000 7 3 9\n/r),
	(219314 + 21528354 + 40) . ' ' . 512 * (8438210 + 1020578768 + 5000),
	'... those of discards, too');
is(moved('1:999999', $counts), '0 0', 'a volume that is no block device');
is(moved($number, ''), '0 0', 'no counts');
is(moved($number, $counts, "$folder/none"), '0 0', 'no folder');

# A partition, in the folder of its disk
my $devices = PostgreSQL::Test::Utils::tempdir();
make_path("$devices/disk/part");
symlink("disk/part", "$devices/$number") or die $!;
append_to_file("$devices/disk/stat", $counts);
append_to_file("$devices/disk/part/stat", $counts =~ s/\d+/1/gr);
my $inode = sub ($path) { (stat "$devices/disk/$path")[1] };

is($program->([ 'disk', $folder, $devices ]), $inode->('part/stat'), 'a volume is its own disk');
append_to_file("$devices/disk/part/partition", "1\n");
is($program->([ 'disk', $folder, $devices ]), $inode->('stat'), '... but not a partition');
is( $program->([ 'volume', $folder, $devices ]),
	(219314 + 21528354) . ' ' . 512 * (8438210 + 1020578768),
	'... of whose disk all requests count');

# The time that a process waits for a processor
is($program->([ 'delay', $folder, '' ]), '0', 'a system without schedstat');
append_to_file("$folder/schedstat", "5000000 123456789012 77\n");
is($program->([ 'delay', $folder, '' ]), '123456789012', 'a process that waited');

done_testing();
