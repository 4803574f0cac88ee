# Does the report decide rightly on figures that no server shows at will?
#
# Examples are a device with a write quota, a load above lambda*, and one that
# leaves the disk idle.  src/report/advice.c needs no server.  The test
# compiles it into a program (t/unit/advice.c) that reads plain numbers.

use strict;
use warnings;

use lib 't';
use CommitStats;
use IPC::Run;

# The names in src/report/report.h, in order.
sub names_of_enum
{
	my ($enum) = @_;
	my ($body) = slurp_file('src/report/report.h') =~ /typedef enum $enum\n\{\n(.*?)\n\}/s;

	return $body =~ /^\t([A-Z_]+)/mg;
}

my @advice = names_of_enum('Advice');
my @obstacles = names_of_enum('DelayObstacle');

my $dir = PostgreSQL::Test::Utils::tempdir();
compile_c("$dir/decide", 't/unit/advice.c', 'src/report/advice.c', '-lm');

# A server with ten clients on a device that takes 500 us: the load is half of
# what the threshold is, 4000/s.
my %usual = (
	counting => 1,
	fsync => 1,
	siblings => 5,
	connections => 100,
	seconds => 10,
	commits => 20000,
	carried => 20000,
	flushes => 10000,
	recent_flushes => 2000,
	recent_commits => 4000,
	recent_seconds => 2,
	commit_time => 1000,
	commit_io => 250,
	commit_p99 => 3000,
	timed_flushes => 10000,
	flush_time => 500,
	flush_p50 => 450,
	flush_p99 => 900,
	siblings_max => 9,
	siblings_half => 7,
	concurrency => 0.99,
	reach => 0.9);

sub decide
{
	my (%figures) = (%usual, @_);
	my $in = join(' ', map { "$_=$figures{$_}" } sort keys %figures) . "\n";
	my ($out, $err);

	IPC::Run::run(["$dir/decide"], '<', \$in, '>', \$out, '2>', \$err)
	  or die "decide failed: $err\n";
	unlike($out, qr/nan|inf/, 'only numbers');
	my %decided = map { split /=/, $_, 2 } split ' ', $out;
	$decided{advice} = $advice[ $decided{advice} ];
	$decided{obstacles} = join ' ', map { $obstacles[$_] }
	  grep { $decided{obstacles} & 1 << $_ } 0 .. $#obstacles;
	return \%decided;
}

sub advises
{
	my ($expected, $name, %figures) = @_;

	is(decide(%figures)->{advice}, "ADVICE_$expected", $name);
	return;
}

# Ten commits in one
sub batching_saves
{
	my ($expected, $name, %figures) = @_;

	is(decide(%figures)->{batching}, $expected, $name);
	return;
}

my %small = (top_commits => 10000, top_flushes => 5000, top_commit_size => 300);

batching_saves('0.000..0.000', 'batching: no client, nothing to save');
batching_saves('0.450..0.450', 'batching: half of the flushes, all alone',
	%small, carried => 10000);
batching_saves('0.201..0.450', 'batching: less if flushes are shared', %small, carried => 20000);
batching_saves(
	'0.803..0.900', 'batching: more without other clients',
	%small,
	top_commits => 20000,
	top_flushes => 10000,
	carried => 20000);
batching_saves(
	'0.090..0.090', 'batching: not more than it leads',
	%small,
	top_flushes => 1000,
	carried => 20000);
batching_saves(
	'0.000..0.000', 'batching: commits are large already',
	%small,
	carried => 10000,
	top_commit_size => 20000);

# The order of what matters
my $usual = decide();
is($usual->{advice}, 'ADVICE_SWEEP', 'below lambda*, a delay may pay');
is($usual->{load}, 2000, 'the load is that of the newest flushes');
is($usual->{threshold}, 4000, 'lambda* is 2 / F0');
is($usual->{square_root}, 707, 'and the square-root rule as it says');
is($usual->{busy}, '0.500', 'the disk is busy half of the time');
my %slower = (recent_timed => 2000, recent_flush_time => 800);
is(decide(%slower)->{busy}, '0.800', '... by rate and length of the same flushes');
is(decide(%slower)->{threshold}, 2500, '... as is lambda*');
is(decide(seconds => 40)->{busy}, '0.125', '... of all, if the newest were not timed');
advises('LEAVE_ZERO', 'above lambda*, no timer', recent_commits => 9000);
advises(
	'SWEEP_ABOVE', '... but one is set',
	recent_commits => 9000,
	delay => 1000);

# Stalls: only a quota that shows in their times is a reason for a delay.
my %stalls = (flush_time => 2100, flush_p50 => 290, flush_p99 => 40000);
my %quota = (%stalls, quota_flushes => 50);
advises('SWEEP_QUOTA', 'a device with a quota, above lambda*', %quota);
advises('ADAPT', '... with one session', %quota, concurrency => 0);
advises('STALLS', 'stalls without a quota', %stalls);
advises('ALONE', '... with one session', %stalls, concurrency => 0);
advises(
	'STALLS', '... although leaders hardly ever sleep',
	%stalls,
	delay => 100,
	siblings => 9,
	reach => 0.05);
advises(
	'STALLS', 'a twentieth of the time in stalls',
	stall_time => 510_000,
	stall_seconds => 10);
advises(
	'SWEEP', '... and less than that',
	stall_time => 490_000,
	stall_seconds => 10);
advises('SWEEP', 'a quota that has hardly made a flush wait', quota_flushes => 50);
my %queue = (flush_time => 2000, flush_p50 => 2000, flush_p99 => 2600);
advises('SWEEP_TURNS', 'a device that queues, above lambda*', %queue, recent_commits => 9000);
advises('SWEEP_TURNS', '... and below it', %queue, recent_commits => 400);
advises(
	'STALLS', '... beside stalls', %queue,
	stall_time => 600_000,
	stall_seconds => 10);
advises(
	'SWEEP', '... but single ones far longer', %queue,
	flush_p99 => 21000,
	recent_commits => 400);
advises(
	'SWEEP', '... but a delay is set', %queue,
	recent_commits => 400,
	delay => 1000);
advises('ALONE', '... but there is one client', %queue, concurrency => 0);
advises('ADAPTING', 'an adaptive delay', adaptive => 1, concurrency => 0);
is(decide(adaptive => 1, siblings => 1000)->{obstacles},
	'', '... does not depend on commit_delay or commit_siblings');
advises(
	'SWEEP', 'a long p99 alone is no quota',
	flush_time => 500,
	flush_p99 => 40000);
advises('NOT_THE_DISK', 'an idle disk', flush_time => 50);
advises(
	'TRY_ZERO', '... and a delay of seven flushes',
	flush_time => 139,
	recent_flushes => 1295,
	recent_timed => 1295,
	recent_flush_time => 139,
	delay => 1000,
	commit_sleep => 400);
advises(
	'NOT_THE_DISK', '... with single flushes that take long',
	flush_time => 50,
	flush_p50 => 10,
	flush_p99 => 2000);
advises(
	'NOT_THE_DISK', '... for which no leader sleeps',
	flush_time => 50,
	delay => 1000);

# Commits that never come during the flush of another one: behind a row lock
my %row_lock = (
	commits => 970,
	carried => 970,
	flushes => 970,
	recent_flushes => 900,
	recent_commits => 900,
	recent_seconds => 5.6,
	flush_time => 4100,
	flush_p50 => 4000,
	flush_p99 => 4900,
	commit_time => 6200,
	commit_io => 4100);
advises(
	'SLEEPS_ALONE', 'leaders sleep and carry nobody',
	%row_lock,
	delay => 2000,
	commit_sleep => 2000,
	delay_hits => 912);
advises('ONE_BY_ONE', '... one commit after the other', %row_lock, commit_time => 4200);
advises('SWEEP_TURNS', '... but they wait for the flush of another',
	%row_lock, commit_time => 8300);
advises('SWEEP_TURNS', '... but flushes are shared with prepares', %row_lock, prepares => 900);
advises(
	'SWEEP', '... but they slept at hardly any flush',
	%row_lock,
	delay => 2000,
	delay_hits => 50,
	commit_time => 8300);
advises('TIME_FLUSHES', 'not timed', flush_time => 0, timed_flushes => 0);
advises('STANDBY_FIRST', 'a slow standby', standby_min => 600);
advises(
	'LOWER_SIBLINGS', 'a delay that hardly hits',
	delay => 100,
	siblings => 9,
	reach => 0.05);
advises('SWEEP', '... if it were set', siblings => 9, reach => 0.05);
advises(
	'LOWER_SIBLINGS', '... where a quarter of flushes find another',
	delay => 100,
	siblings => 9,
	reach => 0.05,
	siblings_half => 0,
	concurrency => 0.25);
advises(
	'SWEEP', '... where hardly one would hit either',
	delay => 100,
	siblings => 9,
	reach => 0.05,
	siblings_half => 0,
	concurrency => 0.09);
advises(
	'ALONE', 'one client',
	concurrency => 0,
	siblings_max => 0,
	siblings_half => 0,
	reach => 0);
advises('COME_BACK', 'few commits', commits => 499);
advises(
	'COME_BACK', 'no commits',
	commits => 0,
	flushes => 0,
	recent_flushes => 0,
	seconds => 0,
	recent_seconds => 0,
	recent_commits => 0);
advises(
	'ASYNCHRONOUS', 'all but a few asynchronous',
	commits => 5,
	commits_async => 1000);
advises(
	'COME_BACK', 'a few asynchronous ones',
	commits => 0,
	commits_async => 10);
advises('FSYNC_OFF', 'fsync = off', fsync => 0, commits => 5);
advises('ASK_PRIMARY', 'a standby', is_standby => 1, fsync => 0);
advises('ENABLE', 'switched off', counting => 0, is_standby => 1);

# Why no flush sleeps
is($usual->{obstacles}, 'DELAY_IS_ZERO', 'commit_delay = 0');
is(decide(delay => 10)->{obstacles}, '', 'nothing is in the way');
is(decide(delay => 10, siblings => 100)->{obstacles}, 'SIBLINGS_UNREACHABLE', 'out of reach');
is(decide(delay => 10, siblings => 99)->{obstacles}, 'SIBLINGS_NEVER_SEEN', 'never seen');
is(decide(delay => 10, siblings => 9)->{obstacles}, '', 'seen');
is(decide(delay => 10, siblings_max => 0)->{obstacles}, 'NEVER_TOGETHER', 'one client');
is(decide(delay => 10, commits => 1, commits_async => 1000)->{obstacles},
	'NOBODY_WAITS', 'asynchronous');
is(decide(delay => 10, fsync => 0)->{obstacles}, 'FSYNC_IS_OFF', 'fsync = off');

# Sweeps: 0, the present delay, F0 from a quarter to four times, and the
# square-root rule
is($usual->{delays}, '0,120,250,500,710,1000,2000', 'delays around F0, and by the rule');
is(decide(delay => 300)->{delays}, '0,120,300,500,710,1000,2000', '... and the present one');
is(decide(delay => 70)->{delays}, '0,70,120,250,500,710,1000,2000', '... wherever it is');
is( decide(recent_commits => 20, commit_p99 => 6000)->{delays},
	'0,120,250,500,1000,2000,10000',
	'... as far as the square-root rule goes');
is(decide(flush_time => 0)->{delays}, '0,100,200,400,800,1600', 'delays without F0');
for my $flush_time (1, 10, 333, 4567, 99999, 1e6, 1e9)
{
	my @delays = split /,/,
	  decide(
		flush_time => $flush_time,
		delay => 100000,
		commit_p99 => $flush_time + 100000)->{delays};

	is($delays[0], 0, "F0 of $flush_time: 0 is there");
	ok((grep { $_ == 100000 } @delays), "F0 of $flush_time: the present one is there");
	ok(!(grep { $delays[$_] <= $delays[ $_ - 1 ] } 1 .. $#delays), "F0 of $flush_time: in order");
	cmp_ok($delays[-1], '<=', 100000, "F0 of $flush_time: not too long");
}

# ... bounded by twice the p99 of commits, which no delay may exceed alone
my $slow = decide(
	flush_time => 25000,
	flush_p50 => 25000,
	flush_p99 => 30000,
	commit_p99 => 51000);
is($slow->{max_p99}, 100000, 'the bound is twice the present p99');
is($slow->{delays}, '0,6200,12000,25000,50000', '... and delay and flush stay below it');
is(decide(commit_p99 => 0)->{max_p99}, 1000, 'the bound is at least 1 ms');
is(decide(commit_p99 => 1234)->{max_p99}, 2500, '... and has two digits');
is(decide(delay => 7000)->{delays},
	'0,120,250,500,710,1000,2000', '... which the present delay does not exceed');
# 1,000 flushes/s of 16 kB fill half of 64 kB in 2 ms
is(decide(wal_buffers => 65536, flush_wal => 16384)->{delays},
	'0,120,250,500,710,1000,2000', '... and which do not fill half of the WAL buffers');
is(decide(wal_buffers => 65536, flush_wal => 65536)->{delays},
	'0,120,250,500', '... at the present rate');
is($usual->{siblings}, '5', 'siblings that are reached are left');
is(decide(siblings => 9, reach => 0.05)->{siblings}, '9,7', 'others are held against better ones');
is(decide(siblings => 9, reach => 0.05, siblings_half => 0)->{siblings},
	'9,1', '... of at least 1');
is($usual->{better_reach}, '0.50', '... which half of the flushes reach');
is(decide(siblings_half => 0, concurrency => 0.15)->{better_reach},
	'0.15', '... or the share that finds another');

done_testing();
