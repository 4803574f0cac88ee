# Do leaders that follow commit_stats.adaptive_delay earn what arithmetic says,
# and never less than leaders that do not sleep?
#
# The test compiles the code of the module into a program that simulates a
# server and a disk (t/unit/adaptive_delay.c).  Processors have no limit there,
# so the best that a number of sessions can do is known.

use strict;
use warnings;

use lib 't';
use CommitStats;
use IPC::Run;
use List::Util qw(min max);
use PostgreSQL::Test::Utils;
use Test::More;

use constant { OFF => 0, PACE => 1, GATHER => 2 };
use constant { WATCHES => 0, PACES => 1 };           # PacerMode
use constant { TOO_FEW => 0, GATHERS => 2 };         # GatherMode

my $dir = PostgreSQL::Test::Utils::tempdir();
my @sources = (
	't/unit/adaptive_delay.c',
	map { "src/control/$_.c" }
	  qw(adaptive_delay gather next_flush pacer session_habits));
compile_c("$dir/simulate", @sources, '-lm');

# A server in which no signal ends a sleep
compile_c("$dir/simulate_sleepers", '-DCOMMIT_DELAY_CAN_BE_WOKEN=false',
	@sources, '-lm');
my $program = 'simulate';

# Phases are hashes; what they lack is a plain disk of 2 ms, on which sessions
# come back after 0.3 ms.  Returns a hash for each.
sub simulate
{
	my @phases = @_;
	my $in = join '', map {
		my %p = (
			seconds => 20,
			mode => GATHER,
			sessions => 10,
			think => 300,
			flush => 2000,
			quota => 0,
			window => 0,
			others => 0,
			others_think => 0,
			%$_);
		join(
			' ',
			@p{
				qw(seconds mode sessions think flush quota window others others_think)
			}) . "\n";
	} @phases;
	my ($out, @results);

	IPC::Run::run(["$dir/$program"], '<', \$in, '>', \$out)
	  or die "$program failed\n";
	for (split /\n/, $out)
	{
		my %r;
		@r{qw(commits flushes mean p99 longest early pacer gather gain)} =
		  split / /;
		push @results, \%r;
	}
	return wantarray ? @results : $results[0];
}

# With the setting, and without
sub compare
{
	my (%phase) = @_;

	return (
		simulate({ mode => GATHER, %phase }),
		simulate({ mode => PACE, %phase }),
		simulate({ mode => OFF, %phase }));
}

#
# Long flushes: without gathering sessions form two groups, each of which waits
# for the flush of the other
#
for my $device (['a slow disk'], [ 'a volume that queues', window => -1 ])
{
	my ($name, @device) = @$device;

	for my $n (2, 5, 10, 50)
	{
		my ($gather, $pace, $off) = compare(sessions => $n, @device);
		my $case = "$name, $n sessions";

		# 0.1 ms: the timer's slack, or the signal
		my $best = $n / (2e-3 + 0.3e-3 + 0.1e-3);

		note "$case: $gather->{commits} commits/s of at most $best, "
		  . "$off->{commits} without, $gather->{early} ended early";
		cmp_ok($off->{commits}, '<', $n / 4e-3,
			"$case: two groups, without it");
		is($pace->{commits}, $off->{commits}, "$case: nothing is paced");
		is($gather->{gather}, GATHERS, "$case: gathers");
		cmp_ok($gather->{commits}, '>', 0.9 * $best, "$case: one group");
		cmp_ok(
			$gather->{mean}, '<',
			$off->{mean} * 0.7,
			"$case: shorter commits");
		cmp_ok($gather->{longest}, '<=', 3000,
			"$case: no sleep is longer than 1.5 flushes");
	}
}

# Without signals, sleeps end when all sessions have almost certainly come.
for my $n (10, 50)
{
	my %woken = %{ simulate({ sessions => $n }) };

	$program = 'simulate_sleepers';
	my ($gather, undef, $off) = compare(sessions => $n);
	$program = 'simulate';
	note "$n sessions: $gather->{commits} commits/s without signals, "
	  . "$woken{commits} with, $off->{commits} without gathering";
	cmp_ok($woken{early}, '>', 100, "$n sessions: signals end sleeps");
	is($gather->{early}, 0, '... or do not, if the server ignores them');
	is($gather->{gather}, GATHERS, '... which gathers nevertheless');
	cmp_ok(
		$gather->{commits}, '>',
		0.9 * $woken{commits},
		'... and commits nearly as often');
}

#
# Nothing to gain
#
for my $n (1, 2, 10, 50)
{
	my ($gather, undef, $off) = compare(sessions => $n, flush => 250);

	is($gather->{gather}, TOO_FEW, "a fast disk, $n sessions: not tried");
	is($gather->{commits}, $off->{commits}, '... and as fast as without');
}

# Sessions of which most do not come back in time
my ($gather, undef, $off) =
  compare(sessions => 2, others => 20, others_think => 10000);
is($gather->{gather}, TOO_FEW, 'two of many come soon: not tried');
is($gather->{commits}, $off->{commits}, '... and as fast as without');
($gather, undef, $off) =
  compare(sessions => 10, others => 2, others_think => 50000);
is($gather->{gather}, GATHERS, 'all but two come soon: gathers');
cmp_ok($gather->{commits}, '>', 1.3 * $off->{commits}, '... which pays');

#
# A quota
#
for my $n (1, 2, 10, 50)
{
	for my $quota (15, 50)
	{
		my ($gather, $pace, $off) = compare(
			sessions => $n,
			flush => 250,
			quota => $quota,
			window => 1e5);
		my $rate = $quota / 0.1;
		my $case = "$rate flushes/s, $n sessions";

		note "$case: $pace->{commits} commits/s, p99 $pace->{p99} us; "
		  . "$gather->{commits}, $gather->{p99} gathered; "
		  . "$off->{commits}, $off->{p99} without";
		is($pace->{pacer}, PACES, "$case: paces");
		cmp_ok(
			$_->{commits}, '>',
			0.97 * $n * $rate,
			"$case: each flush carries all") for $pace, $gather;
		cmp_ok($_->{p99}, '<', 1.1e6 / $rate, "$case: no commit stalls")
		  for $pace, $gather;
		cmp_ok($off->{p99}, '>', 60e3, "$case: they do without");
	}
}

#
# Changes
#
my @r = simulate(
	{ flush => 250 },
	{ sessions => 20 },
	{ sessions => 20, flush => 250, quota => 50, window => 1e5 },
	{ sessions => 40, flush => 250 },
	{ sessions => 40, window => -1 });
is(join(' ', map { $_->{pacer} == PACES ? 1 : 0 } @r),
	'0 0 1 0 0', 'a device that changes: paces with a quota only');
cmp_ok($r[1]{commits}, '>', 0.9 * 20 / 2.4e-3,
	'... gathers where it is slow');
cmp_ok($r[2]{commits}, '>', 0.97 * 20 * 500, '... each flush carries all');
cmp_ok(
	$r[3]{commits},
	'>',
	0.97 * simulate({ mode => OFF, sessions => 40, flush => 250 })->{commits},
	'... costs nothing where it is fast');
cmp_ok($r[4]{commits}, '>', 0.9 * 40 / 2.4e-3, '... gathers again');

# A load and a device that change every five seconds; what counts is the second
# half of each.  Sessions, and flushes in a window.
my @parts = (
	[ 2, 50 ],
	[ 50, 15 ],
	[ 10, 0 ],
	[ 5, 50 ],
	[ 20, 15 ],
	[ 10, 150 ],
	[ 5, 5 ],
	[ 50, 50 ],
	[ 2, 0 ],
	[ 5, 15 ],
	[ 20, 50 ]);
my @changing = map {
	my ($n, $quota) = @$_;
	{
		seconds => 5,
		sessions => $n,
		think => 800,
		flush => 250,
		quota => $quota,
		window => $quota > 0 ? 1e5 : 0
	};
} @parts;
my @without = simulate(
	map {
		{ %$_, mode => OFF }
	} @changing);
my $earned = 0;

@r = simulate(@changing);
for my $i (0 .. $#parts)
{
	my ($n, $quota) = @{ $parts[$i] };
	# each session commits once in each flush, which it then need not wait for
	my $best =
	  $quota > 0
	  ? min(10 * $quota * $n, $n / 1.05e-3)
	  : $without[$i]{commits};

	note "$n sessions, quota $quota: $r[$i]{commits} commits/s of $best, "
	  . "$without[$i]{commits} without";
	isnt($r[$i]{gather}, GATHERS, "$n sessions, no quota: not gathered")
	  if $quota == 0;
	$earned += $r[$i]{commits} / $best / @parts;
}
cmp_ok($earned, '>', 0.95,
	'changes every 5 s: 95% of what is possible, from 2.5 s after each on');

# Sessions of a pool, which commit slowly, leave for more than a second and
# come back.  Their former commits are none of the slot in which they do.
my %device = (flush => 250, quota => 50, window => 1e5);
my %pool = (others => 2, others_think => 150000);
my @gains = map { abs $_->{gain} } simulate(
	{ %device, %pool },
	map { ({ %device, seconds => 1.5 }, { %device, %pool, seconds => 0.8 }) }
	  1 .. 30);

cmp_ok(max(@gains), '<', 25,
	'sessions that come and go: a trial measures its own time');

done_testing();
