# What has the volume of a folder read and written?
#
# src/probe/kernel.c needs no server.  The test compiles it into a program
# (t/unit/kernel.c) that reads files as Linux writes them.

use CommitStats;
use File::Path qw(make_path);

my $program = compile_program('t/unit/kernel.c', 'src/probe/kernel.c');
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
is(moved('1:999999', $counts), '0 0', 'a volume that is no block device');
is(moved($number, ''), '0 0', 'no counts');
is(moved($number, $counts, "$folder/none"), '0 0', 'no folder');

done_testing();
