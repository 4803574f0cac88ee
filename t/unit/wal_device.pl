# Is a quota of flushes found where there is one, and nowhere else, and which
# flush is a stall?
#
# Stalls at the end of each window are also what a limit of bytes makes, and
# checkpoints and bulk loads explain stalls, too.  src/base/wal_device.c
# needs no server but its memory.  The test compiles it into a program
# (t/unit/wal_device.c) that reads stalls.

use CommitStats;

my $program =
  compile_program('t/unit/wal_device.c', 'src/base/wal_device.c', 'src/base/histogram.c');

# Of 40 windows of 100 ms, each of which ends with a stall of 80 ms:
# flushes => the number in each, in turn; bytes => of WAL, likewise; explained
# => of so many in ten something else is the cause.
sub quota (%device)
{
	my ($flush, $wal) = (0, 1e9);
	my @lines;

	for my $window (0 .. 39)
	{
		my $flushes = $device{flushes};
		my $bytes = $device{bytes};

		$flush += $flushes->[ $window % @$flushes ];
		$wal   += $bytes->[ $window % @$bytes ];
		push @lines, sprintf '%d %d %d %d %d', $flush, 100_000 * ($window + 1),
		  $window % 10 < ($device{explained} || 0) && $device{length} || 80_000,
		  $device{no_wal} ? 0 : $wal, $window % 10 < ($device{explained} || 0);
	}
	return $program->(@lines);
}

my @varied = (150_000, 900_000, 400_000, 700_000, 250_000);
my @steady = (1_048_000, 1_050_000, 1_047_000, 1_049_000);

is(quota(flushes => [ 50, 51, 49 ], bytes => \@varied), '50 100', 'the same flushes, of any size');
is( quota(flushes => [ 6, 7, 6, 5, 6 ], bytes => \@steady),
	'1049000 bytes 100',
	'the same bytes, in few or many flushes');
is( quota(
		flushes => [ 4, 5, 3, 4, 6, 4 ],
		bytes => [ 985_000, 1_063_000, 918_000, 1_054_000, 945_000 ]),
	'985000 bytes 100',
	'... or about the same');
is( quota(flushes => [ 4, 5, 4 ], bytes => [ 800_000, 1_063_000, 918_000 ]),
	'4 918000 bytes 100',
	'... or as nearly the same as their flushes');
is( quota(flushes => [6], bytes => [1_048_000]),
	'6 1048000 bytes 100',
	'large flushes, and nothing tells the two apart');
is(quota(flushes => [50], bytes => [20_000]), '50 100', '... but small ones write a block each');
is(quota(flushes => [50], bytes => [1], no_wal => 1),
	'50 100', '... and nothing is known of the WAL');
is(quota(flushes => [ 20, 80, 45, 70 ], bytes => \@varied), 'none', 'neither is the same');
is(quota(flushes => [50], bytes => [20_000], explained => 6),
	'none', 'most stalls have another cause');
is(quota(flushes => [50], bytes => [20_000], explained => 3), '50 100', '... and few have');
is(quota(flushes => [50], bytes => [20_000], explained => 2, length => 1_700_000),
	'50 100', '... for longer than all others');

# 5 bytes in a us, and 300 us for a flush without any
my @flushes = map { $_ * 1000 } 1 .. 100;
is($program->(['fit'], map { "$_ " . (300 + $_ / 5) } @flushes), '1638.4', 'what a page takes');
is($program->(['fit'], map { "$_ 300" } @flushes), '0.0', '... if flushes take longer for it');

# The limit of the log, the report and the prediction
is($program->([100]), 5100, 'a stall takes 5 ms more than a short median');
is($program->([2000]), 16000, '... or 8 times as long as a long one');

done_testing();
