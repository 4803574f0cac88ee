# Does each stall have the cause that made it?
#
# The stalls are made up, so that the cause is known.  src/stats/stall_log.c
# needs no server: the test compiles it into a program (t/unit/stall_log.c)
# that reads stalls, and what the background worker saw.

use CommitStats;

my $program = compile_program(
	't/unit/stall_log.c', 'src/stats/stall_log.c',
	'src/base/wal_device.c', 'src/base/histogram.c');

my $MB = 1024 * 1024;

# Looks from one time to another, of ms, 20 a second
sub looks ($from, $to, %seen)
{
	return map {
		sprintf 'look %d %d %d %d %d %d %d %d %d %d %d %d %d %d', $from + 50 * $_,
		  map { $seen{$_} || 0 }
		  qw(checkpoint archiving segment throttled writer others paused share processor second write sync ahead)
	} 0 .. ($to - $from) / 50 - 1;
}

my $group = 0;

# A stall of $length ms that ends at $end, in the third flush after the one
# before
sub stall ($end, $length, %stall)
{
	my $previous = $stall{previous} || 20 * $MB;

	$group += $stall{flushes} || 3;
	return sprintf 'stall %d %d %d %d %d %d %d %d', $end, $length, $stall{segment} || 0,
	  $stall{untimed} ? 0 : 1, $previous, $previous + ($stall{bytes} || 8192),
	  $group, $stall{unled} || 0;
}

# How many stalls have which cause, the most frequent first, and the lowest
# certainty of that
sub causes (@lines)
{
	my (%n, %least);

	for (split /\n/, $program->(@lines))
	{
		next unless /^(\D+) ([\d.]+) \d+ \S+$/;
		$n{$1}++;
		$least{$1} = $2 if !defined $least{$1} || $2 < $least{$1};
	}
	return join ', ', map { "$n{$_} $_ $least{$_}" } sort { $n{$b} <=> $n{$a} } keys %n;
}

# The same without certainties
sub kinds (@lines)
{
	return causes(@lines) =~ s/ [\d.]+(?=,|$)//gr;
}

my @rare = map { stall(4000 * $_, 200) } 1 .. 20;
my @short = map { stall(100 * $_, 80) } 1 .. 500;

is(causes(stall(1000, 100)), '1 unknown 0.00', 'nothing is known');

# A follower's wait tells of a flush before its leader does, which waits for a
# standby.
my $unled = stall(1000, 100, unled => 1);
is(causes($unled), '1 unknown 0.00', 'a stall that no commit led');
is(causes($unled, stall(1000, 100)), '1 unknown 0.00', '... or a leader noted it, too');
is(causes($unled, stall(1200, 100)), '2 unknown 0.00', '... or another flush');

# Looks in which nobody waits
is( $program->(looks(0, 1000), stall(1000, 200)),
	'unknown 0.00 0 1',
	'... for which the commit that led it waited');
is($program->(looks(0, 1000), stall(1000, 200, unled => 1)), 'unknown 0.00 0 0', '... or none');
is($program->(looks(0, 1050, processor => 7), stall(1000, 200)),
	'unknown 0.00 0 7', '... or seven');

# A new segment
is(causes(stall(1000, 650, segment => 600)), '1 new segment 1.00', 'a segment is made');
is( causes(stall(1000, 650, segment => 300)),
	'1 unknown 0.00',
	'... which took less than half of the stall');
is( causes(looks(350, 1000, segment => 1), stall(1000, 650, untimed => 1)),
	'1 new segment 1.00',
	'... which the worker saw');
is( causes(looks(350, 1000, segment => 1), stall(1000, 650, segment => 30)),
	'1 unknown 0.00',
	'... unless it is known to have taken less time');

is( causes(
		(   map { (
				looks(2000 * $_, 2000 * $_ + 1500),
				looks(2000 * $_ + 1500, 2000 * $_ + 2000, archiving => 1)) } 0 .. 44),
		(map { stall(2000 * $_ + 1800, 300, segment => 250) } 1 .. 20),
		stall(50_200, 40),
		stall(61_700, 40)),
	'20 new segment 1.00, 2 unknown 0.00',
	'... as the full one is archived, which tells nothing of other stalls');

# A CPU limit
is( causes(looks(900, 1050, throttled => 30_000), stall(1000, 90)),
	'1 CPU limit 1.00',
	'a CPU limit');
is( causes(looks(900, 1050, throttled => 10_000), stall(1000, 90)),
	'1 unknown 0.00',
	'... for a part of the time');
is(causes(looks(900, 1050, paused => 30_000), stall(1000, 90)), '1 pause 1.00', 'a pause');

# Checkpoints: of 90 s, 10 s
my @quiet = (looks(0, 40_000), looks(50_000, 90_000));
my @stalls = map { stall(40_000 + 500 * $_, 200) } 1 .. 19;
is( causes(@quiet, looks(40_000, 50_000, checkpoint => 2), @stalls),
	'19 checkpoint 0.99',
	'stalls during a checkpoint, and no others');
my @until_end = (@quiet, looks(40_000, 50_000, checkpoint => 2), @stalls, stall(49_990, 200));
is( causes(@until_end, map { stall(50_000 + $_, 82) } 90, 185, 300, 390, 511),
	'25 checkpoint 0.60',
	'... and no pause after its end');
is( causes(@until_end, map { stall(50_300 + $_, 82) } 90, 185, 300, 390, 511),
	'20 checkpoint 0.98, 5 unknown 0.00',
	'... and a pause after its end');
is( causes(@until_end, stall(52_990, 3000), map { stall(54_000 + $_, 40) } 90, 685, 1400, 2011),
	'25 checkpoint 0.60',
	'... which is shorter than the longest of them');
is( causes(@quiet, looks(40_000, 50_000, checkpoint => 2, processor => 1), @stalls[ 0, 3, 4, 9 ]),
	'4 unknown 0.00',
	'a checkpoint, and flushes that wait for a processor');
is( causes(looks(0, 90_000, checkpoint => 1, others => 1, processor => 1), @rare),
	'20 unknown 0.00',
	'... which goes on all the time');
is( causes(@quiet, looks(40_000, 50_000, archiving => 1), @stalls),
	'19 archiver 0.99',
	'stalls during archive_command');
is( causes(
		@quiet,
		looks(40_000, 50_000, checkpoint => 1),
		map { stall(500 * $_ + 290 * abs(sin(7 * $_ * $_)), 200) } 1 .. 179),
	'179 unknown 0.00',
	'stalls all the time, a part of them during a checkpoint');
is( causes(
		@quiet, looks(40_000, 50_000, checkpoint => 1),
		@stalls, map { stall(4000 * $_, 200) } 1 .. 9),
	'19 checkpoint 0.93, 9 unknown 0.00',
	'... most of them during a checkpoint');
is( causes(looks(0, 90_000, checkpoint => 1, others => 1), @rare),
	'20 checkpoint 0.60',
	'stalls during a checkpoint that goes on all the time');
is( causes(looks(0, 90_000, checkpoint => 1), @rare),
	'20 unknown 0.00',
	'... and is not known to write much to the volume of the WAL');
is( causes(
		'reset 40000',
		looks(0, 40_000),
		looks(40_000, 90_000, checkpoint => 1, others => 1),
		map { stall(4000 * $_, 200) } 11 .. 20),
	'10 checkpoint 0.60',
	'... since the reset, before which no stall is known');
is( causes(
		looks(0, 45_000, checkpoint => 1, archiving => 1),
		looks(45_000, 90_000, checkpoint => 1, archiving => 1, others => 1),
		@rare),
	'11 unknown 0.00, 9 checkpoint 0.60',
	'... and hardly writes to the volume of the WAL for half of it');
is( causes(
		looks(0, 40_000, checkpoint => 1),
		looks(50_000, 90_000, checkpoint => 1),
		looks(40_000, 50_000, checkpoint => 2),
		@stalls),
	'19 checkpoint 0.99',
	'... but only while it syncs');
my @ahead = map { (
	looks(4000 * $_ - 200, 4000 * $_, checkpoint => 1, ahead => 1),
	looks(4000 * $_, 4000 * $_ + 3800, checkpoint => 1)) } 1 .. 21;
is(causes(@ahead, @rare), '20 checkpoint 0.60', '... in which it makes segments in advance');
is( causes(@ahead, map { stall(4000 * $_ + 100, 200) } 1 .. 20),
	'20 unknown 0.00',
	'... for a quarter of each stall');
is( causes(map({ s/^(look \d+ \d+ \d+ \d+ \d+ \d+) \d+/$1 1/r } @ahead), @rare),
	'20 checkpoint 0.60',
	'... whose zeros look like I/O of others');
is(kinds(@ahead, @short), '500 quota', '... or does so beside a quota');
is(kinds(@quiet, looks(40_000, 50_000, checkpoint => 1), @short),
	'500 quota', 'a quota, while a checkpoint comes and goes');
is(kinds(looks(0, 90_000, checkpoint => 1), @short), '500 quota', '... or goes on all the time');
is( causes(looks(0, 50_000, processor => 1), @short),
	'500 unknown 0.00',
	'... of a CPU limit that is not known: flushes wait for a processor');
is( kinds(looks(0, 10_000, processor => 1), @short),
	'400 quota, 100 unknown',
	'... or a quota, beside which some do');

is(kinds('limit 80', @short), '500 unknown', '... but no more, when each flush takes as long');

# A quota all the time, beside which longer stalls come
my @quota = map { stall(100 * $_, 80) } 200 .. 399, 500 .. 699;
my @longer = map { stall(40_000 + 1300 * $_ + 290 * abs(sin(7 * $_ * $_)), 900) } 1 .. 7;
is( kinds(@quiet, looks(40_000, 50_000, checkpoint => 2), @quota, @longer),
	'400 quota, 7 checkpoint',
	'... beside a checkpoint, and longer stalls only then');
is( kinds(
		looks(0, 10_000),
		looks(20_000, 90_000),
		looks(10_000, 20_000, checkpoint => 2),
		@quota, @longer),
	'400 quota, 7 unknown',
	'... or only later');

# Commands ask for checkpoints, and the limit ends their hangs with its windows
my @commands = map { (
	looks(30_000 * $_, 30_000 * $_ + 24_000),
	looks(30_000 * $_ + 24_000, 30_000 * $_ + 30_000, checkpoint => 2)) } 0 .. 2;
my @hangs = map { stall(30_000 * $_, 6000) } 1 .. 2;
is( kinds(@commands, @short[ 0 .. 239 ], $hangs[0], @short[ 300 .. 499 ], $hangs[1]),
	'440 quota, 2 checkpoint',
	'... a checkpoint that hangs for many windows of the quota');

# ... beside the archiver, which works for half of each 4 s, and makes stalls
# of its own
my @half = map { stall(200 * $_, 30) } 1 .. 440;
my @archived =
  map { stall(1000 * $_ + 900 * abs(sin(7 * $_ * $_)), 900) } grep { $_ % 4 < 2 } 1 .. 88;
my @now_and_then = map { looks(2000 * $_, 2000 * $_ + 2000, archiving => $_ % 2 == 0) } 0 .. 44;
like(
	kinds(@now_and_then, @half, @archived),
	qr/^4\d\d quota, [34]\d archiver\b/,
	'... beside an archiver that makes stalls of its own');

# A quota stops the sync.  Looks at short stalls are added up.
is(kinds(looks(0, 50_000, sync => 4), @short), '500 quota', '... in the sync of WAL');
is(kinds(looks(0, 50_000, write => 4), @short), '500 unknown', '... or in the write of it');
is( kinds(
		(map { looks(1000 * $_, 1000 * $_ + 1000, $_ % 3 ? 'sync' : 'write' => 4) } 0 .. 49),
		@short),
	'500 unknown',
	'... for a third of the time');
is( kinds(
		(map { looks(1000 * $_, 1000 * $_ + 1000, $_ % 5 ? 'sync' : 'write' => 4) } 0 .. 49),
		@short),
	'500 quota',
	'... or rarely');
my @long = map { stall(500 * $_, 400) } 1 .. 100;
is(kinds(looks(0, 51_000, sync => 4), @long), '100 quota', 'long stalls in the sync of WAL');
is(kinds(looks(0, 51_000, write => 4), @long), '100 unknown', '... in the write of it');
is( kinds(
		looks(0, 40_000, sync => 4),
		looks(40_000, 51_000, write => 4),
		stall(47_730, 1900),
		@long[ 0 .. 79 ]),
	'80 quota, 1 unknown',
	'... one of them, beside a quota');

# Other I/O of the volume
is( causes(@quiet, looks(40_000, 50_000, others => 1), @stalls),
	'19 other I/O 0.99',
	'stalls while others read or write, and no others');
is( causes(@quiet, looks(40_000, 50_000, others => 1, checkpoint => 1), @stalls),
	'19 checkpoint 0.99',
	'... which are those of a checkpoint');
is(kinds(@quiet, looks(40_000, 50_000, others => 1), @short),
	'500 quota', 'a quota, while others read or write now and then');
is( causes(looks(0, 90_000, others => 1), @rare),
	'20 other I/O 0.60',
	'others that read or write all the time');

is( causes(looks(0, 90_000, share => 45), @rare),
	'20 other I/O 0.45',
	'... with a share of the requests');
is(causes(looks(0, 90_000, share => 29), @rare), '20 unknown 0.00', '... a small one');
is(kinds(looks(0, 90_000, share => 45), @short), '500 quota', '... beside a quota');
is( causes(looks(0, 90_000, archiving => 1, share => 45), @rare),
	'20 archiver 0.60',
	'... while WAL is archived all the time');

my @burst = (looks(0, 40_500), looks(40_500, 42_000, others => 1), looks(42_000, 90_000));
my @in_burst = map { stall(40_000 + 200 * $_, 150) } 4 .. 10;
is( causes(@burst, stall(39_600, 150), stall(40_200, 150), @in_burst),
	'8 other I/O 0.60, 1 unknown 0.00',
	'... which shows only after some time');
my @shown = (looks(0, 41_000), looks(41_000, 46_000, others => 1), looks(46_000, 90_000));
is( causes(@shown, stall(39_500, 150), stall(40_900, 600), stall(45_950, 5000)),
	'2 other I/O 0.60, 1 unknown 0.00',
	'... in a long stall');
like(
	kinds(
		looks(0, 43_500),
		looks(43_500, 46_000, others => 1),
		looks(46_000, 90_000),
		stall(40_900, 600),
		stall(45_950, 5000)),
	qr/1 unknown/,
	'... or in its second half: not before it');

# Both: the archiver works on after the checkpoint, and flushes stall on
is( causes(
		@quiet,
		looks(40_000, 45_000, checkpoint => 1, archiving => 1),
		looks(45_000, 50_000, archiving => 1), @stalls),
	'19 archiver 0.99',
	'the archiver beside a checkpoint that is shorter');

# WAL of others
my %bulk = (bytes => 4 * $MB);
is(causes('writer 1100 600 48000000 7', stall(1000, 200, %bulk)) =~ s/[\d.]+$//r,
	'1 bulk WAL ', 'a bulk load that has ended');
is( causes(looks(0, 2000, writer => 9), stall(1000, 200, %bulk)),
	'1 bulk WAL 1.00',
	'a bulk load that has not ended');
is( causes(looks(0, 2000, writer => 9), stall(1000, 200, bytes => 150_000)),
	'1 bulk WAL 1.00',
	'... of which the flush wrote a part');
is( causes(looks(0, 2000, writer => 9), stall(1000, 200, bytes => 120_000)),
	'1 unknown 0.00',
	'... or little');

is( $program->('writer 3000 3000 12000000 7', stall(1000, 200, bytes => 1_000_000)),
	'bulk WAL 0.60 7 1',
	'... or the only one that was running');
is( $program->(
		'writer 3000 3000 12000000 7',
		'writer 3000 3000 12000000 8',
		stall(1000, 200, bytes => 1_000_000)),
	'unknown 0.00 0 1',
	'... beside another one');
is( $program->('writer 30000 30000 12000000 7', stall(1000, 200, bytes => 1_000_000)),
	'unknown 0.00 0 1',
	'... or a slow one');

# A volume that flushes 50 MB/s stands still.
is( causes('writer 3600000 3600000 180000000000 7', stall(2000, 1500, %bulk)),
	'1 unknown 0.00',
	'... that took no time, as its other WAL shows');
is(causes('writer 520 120 20000000 7', stall(2000, 1500, %bulk)) =~ s/[\d.]+$//r,
	'1 bulk WAL ', '... unless its other WAL may not have been flushed');
my @running = (looks(0, 90_000, writer => 9), stall(89_000, 1500, %bulk));
is(causes('rate 50000000', @running), '1 unknown 0.00', '... or the WAL of all');
is(causes('rate 5000000', @running), '1 bulk WAL 1.00', '... at less than the rate of the flush');

is( $program->(looks(0, 2000, writer => 9, second => 8), stall(1000, 200, %bulk)),
	'bulk WAL 1.00 0 1',
	'... beside another session that may have written it');
is( $program->(
		looks(0, 850, writer => 9, second => 8),
		looks(850, 2000, writer => 9),
		stall(1000, 200, %bulk)),
	'bulk WAL 1.00 9 1',
	'... or hardly can have');

my @bulk_stalls = map { stall(40_000 + 500 * $_, 200, %bulk) } 1 .. 19;
is( causes(
		looks(0, 40_000),
		looks(40_000, 50_000, archiving => 1, writer => 9),
		looks(50_000, 55_000, archiving => 1),
		looks(55_000, 90_000), @bulk_stalls),
	'19 bulk WAL 1.00',
	'... which also keeps the archiver busy');
is( causes(
		looks(0, 40_000, writer => 9),
		looks(40_000, 50_000, checkpoint => 2, writer => 9),
		looks(50_000, 90_000, writer => 9),
		@bulk_stalls),
	'19 checkpoint 0.99',
	'... whose flushes stall only beside a checkpoint');
my @part_stalls = map { stall(40_000 + 500 * $_, 200, bytes => 600_000) } 1 .. 19;
is( causes(
		'rate 3000000',
		looks(0, 40_000, writer => 9),
		looks(40_000, 50_000, others => 1, writer => 9),
		looks(50_000, 90_000, writer => 9), @part_stalls),
	'19 other I/O 0.99',
	'... or beside others, and have less WAL');
is( causes(
		'rate 3000000',
		looks(0, 40_000),
		looks(40_000, 50_000, others => 1, writer => 9),
		looks(50_000, 90_000), @part_stalls),
	'19 bulk WAL 1.00',
	'... which may be the reads and writes of the load');

# A bandwidth: times with bursts
my @flushes = map {
	my $bytes = 20_000 + 5000 * ($_ % 97);
	sprintf 'flush %d %d', $bytes, $_ % 3 ? 1.5 * $bytes / 10 : 1000
} 1 .. 400;
like(
	$program->(@flushes),
	qr/^fit 400: 0 us, 9\.9 MB\/s, 1\.00$/,
	'a bandwidth of 10 MB/s that lets bursts pass');
is(causes(@flushes, map { stall(150 * $_, 40, bytes => 400_000) } 1 .. 9),
	'9 bytes 1.00', '... explains stalls with many bytes');
my @with_bytes = map { stall(40_000 + 500 * $_, 40, bytes => 400_000) } 1 .. 9;
is( causes(@flushes, @quiet, looks(40_000, 50_000, archiving => 1), @with_bytes, @rare[ 0, 1 ]),
	'9 bytes 1.00, 2 unknown 0.00',
	'... also beside archive_command, whose ratio is less sure');
is( causes(@flushes, looks(0, 4000, writer => 9), stall(3000, 1500, %bulk)),
	'1 bulk WAL 1.00',
	'... and those of a bulk load, of which it took more than a quarter');
is( causes(@flushes, looks(0, 4000, writer => 9), stall(3000, 2500, %bulk)),
	'1 unknown 0.00',
	'... or less');
my @flushes_in = (4, 5, 3, 4, 6, 4);
is( causes(
		map {
			stall(
				100 * $_, 80,
				flushes => $flushes_in[ $_ % 6 ],
				previous => 1_000_000 * $_,
				bytes => 300_000 + 20_000 * ($_ % 3))
		} 1 .. 100) =~ s/ [\d.]+$//r,
	'100 bytes',
	'... or windows with the same bytes');
is(causes(@flushes, stall(1000, 40, bytes => 8192)), '1 unknown 0.00', '... and none with few');
is( causes(
		(map { sprintf 'flush %d %d', 1000 * $_, 20_000 + 500 * $_ } 1 .. 100),
		stall(1000, 35, bytes => 112)),
	'1 unknown 0.00',
	'... which take less than each flush does without them');

# Five stalls have few bytes; between them the WAL grows by $rate kB a ms.
sub few_bytes_at ($rate)
{
	return map { stall($_, 40, previous => 1_000_000 + 1000 * $rate * $_) } 1000, 1150, 1360, 1530,
	  1790;
}
is( causes(@flushes, few_bytes_at(9)),
	'4 bytes 1.00, 1 unknown 0.00',
	'... unless those before them were as many as the volume takes');
is(causes(@flushes, few_bytes_at(7)), '5 unknown 0.00', '... or fewer');
like(
	$program->(map { sprintf 'flush %d %d', 1000 * $_, 20_000 + 40 * $_ } 1 .. 100),
	qr/^fit 100: 20000 us, 25\.\d MB\/s, 0\.09$/,
	'bytes that are a small part of the time');
is( $program->(map { sprintf 'flush %d %d', 1000 * $_, 100 * $_ } 1 .. 29),
	'fit 0: 0 us, 0.0 MB/s, 0.00',
	'few flushes');
is( $program->(
		map { sprintf 'flush %d %d', 1000 + 797 * $_ % 64_000, 1000 + 7919 * $_ % 3000 } 1 .. 400),
	'fit 0: 0 us, 0.0 MB/s, 0.00',
	'bytes and times that have nothing to do with each other');
is( $program->(map { 'flush 8192 1000' } 1 .. 100),
	'fit 0: 0 us, 0.0 MB/s, 0.00',
	'flushes that are all the same');

# What a follower waited for, beside others until then
my @follower =
  (looks(0, 1100, share => 80), looks(1100, 1300), 'limit 50', 'follower 1300 500 200');
is($program->(@follower), 'other I/O', 'a stall that the log lacks: what was seen meanwhile');
is( $program->(@follower, stall(1300, 200)) =~ s/ .*\n/; /r,
	'unknown; unknown',
	'... or has without a cause: none');

# A leader whose flush nobody saw end, beside commits that wait for a standby
is($program->('commit 5000 100 300 20'), 'standby 4688', 'samples tell what it waited for');
is($program->('commit 5000 2 6 0'), 'standby 0', '... if they are enough');

done_testing();
