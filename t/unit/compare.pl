# Do the parts of a change of commit time add up to the whole, and what is said
# of them?
#
# src/report/compare.c needs no server.  The test compiles it into a program
# (t/unit/compare.c) that reads the sums of two periods.  The witness of the
# sums is the mean, which the test computes from the phases that it gives in.

use CommitStats;
use List::Util qw(sum);

my $program =
  compile_program('t/unit/compare.c', map { "src/report/$_.c" } qw(compare report_format));

my @phases = qw(before record notify sleep flush others segment standby log after not_run unknown);
my @causes = qw(segment CPU pause checkpoint archiver bulk bytes writes quota unknown);
my @counts =
  qw(seconds commits flushes unled flush_time timed delay siblings adaptive wal checkpoints
  async prepares transactions rows locks);

# A minute of 1,000 commits/s that share 30,000 flushes of 400 us; times in ns
my %usual = (
	seconds => 60,
	commits => 60000,
	flushes => 30000,
	timed => 30000,
	flush_time => 30000 * 400e3,
	siblings => 5,
	flush => 60000 * 200e3,
	others => 60000 * 300e3,
	log => 60000 * 10e3);

sub line_of (%period)
{
	return join ' ', map { $_ // 0 } @period{ @counts, @phases },
	  map { ($period{"n:$_"}, $period{"stall:$_"}) } @causes;
}

sub mean_of (%period)
{
	return sum(map { $_ // 0 } @period{@phases}) / 1e3 / $period{commits};
}

# The parts, in order, without the whole, which comes first
sub compare_periods ($before, $after)
{
	my @parts = map {
		my %part;
		@part{qw(name before after change share sentence)} = split /\t/;
		\%part
	} split /\n/, $program->(line_of(%$before), line_of(%$after));

	return @parts;
}

sub is_near ($x, $y, $scale)
{
	return abs($x - $y) <= 1e-9 * ($scale + 1);
}

sub is_exact ($name, $before, $after)
{
	my ($whole, @parts) = compare_periods($before, $after);
	my ($mean_before, $mean_after) = (mean_of(%$before), mean_of(%$after));
	my @timed = grep { $_->{change} ne 'nan' } @parts;
	my @wrong = grep {
		$_->{name} ne 'flushes waited'
		  && !is_near($_->{after} - $_->{before}, $_->{change}, $mean_before + $mean_after)
		  || $_->{share} ne 'nan'
		  && !is_near($_->{share} * $whole->{change}, $_->{change}, $mean_before + $mean_after)
	} @timed;
	my @order = map { abs $_->{change} } @timed;
	my $right =
		 is_near($whole->{before}, $mean_before, $mean_before)
	  && is_near($whole->{after}, $mean_after, $mean_after)
	  && is_near(
		sum(0, map { $_->{change} } @timed),
		$mean_after - $mean_before,
		$mean_before + $mean_after)
	  && !@wrong
	  && "@order" eq join ' ', sort { $b <=> $a } @order;

	ok($right, $name) or diag(explain([ $before, $after, $whole, @parts ]));
	return;
}

# Periods of any numbers.  A failure prints them.
srand(41);

sub any_period ()
{
	my $flushes = 1 + int rand 10**(1 + rand 5);
	my %period = (
		seconds => 1 + rand 86400,
		flushes => $flushes,
		commits => 1 + int rand 3 * $flushes,
		unled => int rand 2,
		timed => rand() < 0.1 ? 0 : $flushes,
		flush_time => $flushes * rand 10**(5 + rand 4),
		delay => int rand 3,
		siblings => 5,
		adaptive => int rand 2);

	for my $phase (@phases)
	{
		$period{$phase} = $period{commits} * rand 10**(3 + rand 6) if rand() < 0.7;
	}
	for my $cause (grep { rand() < 0.4 } @causes)
	{
		$period{"n:$cause"} = 1 + int rand 100;
		$period{"stall:$cause"} = rand() * $period{flush_time} / 8;
	}
	return \%period;
}

is_exact("parts add up: $_", any_period(), any_period()) for 1 .. 60;
is_exact('... of periods that are equal', \%usual, \%usual);

# What is said of one change at a time
my %slow =
  (%usual, flush_time => 30000 * 2100e3, flush => 60000 * 1050e3, others => 60000 * 1575e3);
my ($whole, @parts) = compare_periods(\%usual, \%slow);

is( $whole->{sentence},
	'Commits got slower: 510 us to 2.64 ms; the load did not change: 1000 to 1000 commits/s that wait, in 1 min 0 s and 1 min 0 s.',
	'the whole');
is(sprintf('%s %.3f', @{ $parts[0] }{qw(name share)}), 'flushes 1.000',
	'slower flushes explain it');
is( $parts[0]{sentence},
	'Flushes got slower: 400 us to 2.10 ms each, without stalls.',
	'... and say so');

($whole, @parts) = compare_periods(
	{ %usual, wal => 30000 * 8192, checkpoints => 1 },
	{ %slow, wal => 30000 * 65536, checkpoints => 7 });
is( $parts[0]{sentence},
	'Flushes got slower: 400 us to 2.10 ms each, without stalls; 8.19 kB to 65.5 kB of WAL in each; checkpoints: 1, then 7.',
	'... of more WAL, as after checkpoints');

my %stalled = (
	%usual,
	flush_time => 30000 * 500e3,
	flush => 60000 * 250e3,
	others => 60000 * 375e3,
	'n:quota' => 31,
	'stall:quota' => 3e9);
($whole, @parts) = compare_periods(\%usual, \%stalled);
is(sprintf('%s %.3f', @{ $parts[0] }{qw(name share)}), 'stalls: quota 1.000', 'stalls explain it');
is( $parts[0]{sentence},
	'Stalls, cause quota: none in 1 min 0 s, then 31 of 96.8 ms in 1 min 0 s.',
	'... with number, length and cause');
is( (grep { $_->{name} eq 'flushes' } @parts)[0]{sentence},
	'Flushes take as long: 400 us to 400 us each, without stalls.',
	'... and no other flush did');

# A trigger takes 1 ms, or waits that long for a lock
($whole, @parts) = compare_periods(\%usual, { %usual, before => 60000 * 1e6 });
like(
	$parts[0]{sentence},
	qr/^Before the commit record \(deferred triggers, constraints, locks\): 0 us to 1\.00 ms/,
	'work before the record');

# A third of the flushes stall, or nearly all
for my $case (
	[ 10000, 'Flushes take as long: 400 us to 400 us each, without stalls.' ],
	[
		29000,
		'Most flushes of a period stalled: with stalls, a mean flush takes 400 us, then 9.68 ms.'
	])
{
	my ($n, $sentence) = @$case;
	my $time = 10e6 * $n;

	($whole, @parts) = compare_periods(
		\%usual,
		{
			%usual,
			flush_time => $time + (30000 - $n) * 400e3,
			'n:unknown' => $n,
			'stall:unknown' => $time
		});
	is((grep { $_->{name} eq 'flushes' } @parts)[0]{sentence},
		$sentence, "flushes beside $n of 30000 that stall");
}

# Few flushes are timed, and none of those that stalled
my %few_timed = (%stalled, timed => 300, flush_time => 300 * 400e3);
is_exact('stalls that were not timed', \%usual, \%few_timed);
is_exact('... nearly all of them', \%usual, { %few_timed, 'stall:quota' => 15e9 });
($whole, @parts) = compare_periods(\%usual, \%few_timed);
is( (grep { $_->{name} eq 'flushes' } @parts)[0]{sentence},
	'Flushes got faster: 400 us to 300 us each, without stalls.',
	'... are a part of the mean of those that were');
($whole, @parts) = compare_periods(\%usual, { %few_timed, 'stall:quota' => 15e9 });
is((grep { $_->{name} eq 'flushes' } @parts)[0]{after},
	0, '... and leave nothing of it, if they took more');

# Commits without a processor have a phase, and so have those that wait for
# such a leader
my %stopped = (
	%usual,
	flush_time => 30000 * 2000e3,
	not_run => 60000 * 3e6,
	'n:CPU' => 600,
	'stall:CPU' => 48e9);
is_exact('a CPU limit', \%usual, \%stopped);
is_exact('... that no timed flush had', \%usual, { %stopped, flush_time => 30000 * 400e3 });
($whole, @parts) = compare_periods(\%usual, \%stopped);
is_deeply(
	{ map { $_->{name} => $_->{change} } @parts },
	{ 'not run' => 3000, flushes => 0, 'flushes waited' => 0, 'commit log' => 0 },
	'... is a phase, and no stall as well');

my %loaded = (
	%usual,
	commits => 120000,
	flush => 120000 * 200e3,
	others => 120000 * 500e3,
	log => 120000 * 10e3);
($whole, @parts) = compare_periods(\%usual, \%loaded);
like(
	$whole->{sentence},
	qr/^Commits got slower: 510 us to 710 us; the load rose: 1000 to 2000 /,
	'a load that doubles');
is( $parts[0]{sentence},
	'A commit waits for 1.25 flushes, then for 1.75: the load rose: 1000 to 2000 commits/s that wait; 2.00 to 4.00 commits in a flush.',
	'... and commits that wait for more flushes');

# Most commits become asynchronous; or half of them are prepared before, in the
# same flushes
my %few_wait = (
	%usual,
	commits => 600,
	async => 59400,
	flush => 600 * 200e3,
	others => 600 * 300e3,
	log => 600 * 10e3);
($whole) = compare_periods(\%usual, \%few_wait);
is( $whole->{sentence},
	'Commits take as long: 510 us to 510 us; the load fell: 1000 to 10.0 commits/s that wait; asynchronous commits: 0 to 990/s, in 1 min 0 s and 1 min 0 s.',
	'commits that do not wait any more');
($whole, @parts) = compare_periods(\%usual, { %usual, prepares => 30000 });
like(
	$whole->{sentence},
	qr{ 1000 to 1000 commits/s that wait; prepares, which wait, too: 0 to 500/s, in },
	'transactions that wait twice');
like(
	(grep { $_->{name} eq 'flushes waited' } @parts)[0]{sentence},
	qr/; 2\.00 to 3\.00 commits and prepares in a flush\.$/,
	'... share flushes');
($whole) = compare_periods({ %usual, async => 6000 }, { %usual, async => 7000 });
unlike($whole->{sentence}, qr/asynchronous/, 'a few more that do not wait');

# All update one row: fewer commits, each alone
my %hot_row = (
	%usual,
	commits => 12000,
	flushes => 12000,
	timed => 12000,
	flush_time => 12000 * 400e3,
	flush => 12000 * 400e3,
	others => 0,
	log => 12000 * 10e3,
	transactions => 12000 * 40e6,
	rows => 60 * 6.63e9);
($whole, @parts) = compare_periods({ %usual, transactions => 60000 * 9.7e6 }, \%hot_row);
is( $whole->{sentence},
	'Commits got faster: 510 us to 410 us; transactions that write got slower: 9.70 ms to 40.0 ms; the load fell: 1000 to 200 commits/s that wait, in 1 min 0 s and 1 min 0 s.',
	'transactions that wait for each other');
is( join(' ', @{ $parts[0] }{qw(name change sentence)}),
	'row waits nan Sessions that wait for rows or locks that committing ones hold: on average 0, then 6.63.',
	'... come before the times of commits');
($whole, @parts) = compare_periods({ %usual, transactions => 60000 * 1e6, locks => 60 * 20e9 },
	{ %usual, transactions => 60000 * 1.02e6, rows => 60 * 0.9e9, locks => 60 * 25e9 });
unlike(join(' ', map { $_->{sentence} } $whole, @parts),
	qr/Sessions|transactions/, '... unless few more do');

($whole, @parts) = compare_periods(\%usual, { %usual, standby => 60000 * 3e6 });
is( sprintf('%s: %s', @{ $parts[0] }{qw(name sentence)}),
	'standby: Waits for standbys: 0 us to 3.00 ms.',
	'a standby');
is_deeply([ map { $_->{share} } @parts ], [ 1, 0, 0, 0 ], '... alone');

# A period without timed flushes does not know how long one takes
is_exact('flushes that were not timed', \%usual, { %slow, timed => 0, flush_time => 0 });
($whole, @parts) = compare_periods(\%usual, { %slow, timed => 0, flush_time => 0 });
like(
	$parts[0]{sentence},
	qr/^Waits for flushes, which were not timed .*: 500 us to 2\.62 ms; the load/,
	'... are one part');

# A period of too few samples knows no phase after the commit record
my %few = (%usual, flush => 0, others => 0, log => 0, unknown => 60000 * 510e3);
is_exact('few samples', \%few, \%slow);
($whole, @parts) = compare_periods(\%few, \%slow);
is( join(', ', map { $_->{name} } @parts),
	'flushes, flushes waited',
	'... do not compare what is known with what is not');
like(
	$parts[1]{sentence},
	qr/^A commit waits for 1\.27 flushes, then for 1\.25 \(with sleeps and other phases, of which/,
	'... and say so');

# Settings have no time, and come last
($whole, @parts) = compare_periods(\%usual, { %usual, delay => 1000, adaptive => 1 });
is_deeply(
	[ map { "$_->{change} $_->{sentence}" } @parts[ -2, -1 ] ],
	[
		'nan commit_delay was changed from 0 us to 1000 us.',
		'nan commit_stats.adaptive_delay was changed from off to on.'
	],
	'settings');
is($whole->{share}, 'nan', 'a mean that did not change has no shares');
($whole, @parts) = compare_periods(\%usual, { %usual, standby => 60000 * 20e3 });
is_deeply([ map { $_->{share} } $whole, @parts ], [ ('nan') x 5 ], '... nor one that hardly did');

done_testing();
