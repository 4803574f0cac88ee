# Does the spacing of flushes keep to the quota of a device, leave every other
# device alone, and find what makes the response of transactions shortest?
#
# src/control/spacing.c needs no server.  The test compiles it into a program
# (t/unit/spacing.c) in which sessions commit on a device that it describes.
# Its random numbers are the same in each run.

use CommitStats;
use List::Util qw(max sum);

my $program = compile_program('t/unit/spacing.c', 'src/control/spacing.c');

# Phases are hashes; what they lack is ten seconds of two sessions that work
# for 0.15 ms, on a device of 0.25 ms without a quota.  Returns a hash for each
# second.
sub run_phases
{
	my @lines = map {
		my %p = (
			seconds => 10,
			quota => 0,
			writes => 1,
			window => 100e3,
			flush => 250,
			think => 150,
			sessions => 2,
			spikes => 0,
			spike => 20e3,
			rate => 0,
			settle => 0,
			blind => 0,
			most => 1e6,
			row => 0,
			%$_);
		"@p{qw(seconds quota writes window flush think sessions spikes spike rate settle blind most row)}";
	} @_;

	return map {
		my %s;
		@s{qw(commits stalled response current rate found refuted adoptions)} = split / /;
		\%s
	} split /\n/, $program->(@lines);
}

sub mean ($what, @seconds)
{
	return sum(map { $_->{$what} } @seconds) / @seconds;
}

my @s;

# A quota
for my $quota (5, 15, 50, 150)
{
	# as many commits as with a flush at a time; with four sessions, more
	# than that
	@s = run_phases({ quota => $quota, sessions => 1, seconds => 30 });
	is($s[1]{found}, 1, "$quota in 100 ms: found in 2 s");
	about(mean('commits', @s[ 3 .. 29 ]), $quota * 10, 4, '... as many flushes as it allows');
	cmp_ok(mean('stalled', @s[ 3 .. 29 ]), '<', 50, '... stalls take less than 5% of the time');
	is($s[29]{refuted}, 0, '... and it is not refuted');
}

# as on btrfs: a window has 2 or 3 flushes, or 5 or 6, as their writes vary
for my $quota (30, 60)
{
	@s = run_phases({ quota => $quota, writes => 11, sessions => 10, seconds => 30 });
	is($s[1]{found}, 1, "$quota writes in 100 ms, 9 to 13 a flush: found in 2 s");
	cmp_ok(
		mean('commits', @s[ 3 .. 29 ]),
		'>',
		9 * 10 * $quota / 11 * 0.8,
		'... and ten sessions share most flushes');
}
@s = run_phases({ quota => 50, sessions => 4, seconds => 20 });
cmp_ok(mean('commits', @s[ 3 .. 19 ]), '>', 4 * 470, 'all four sessions share each flush');
@s = run_phases({ quota => 500, window => 1e6, seconds => 60 });
is($s[19]{found}, 1, '500 in 1 s: found');
cmp_ok(mean('stalled', @s[ 30 .. 59 ]), '<', 60, '... and few stalls');
@s = run_phases({ quota => 50, spikes => 400, seconds => 60 });
about(mean('commits', @s[ 10 .. 59 ]), 960, 5, 'a quota and spikes: as many as it allows');
@s = run_phases({ quota => 50, blind => 20e3, sessions => 20, seconds => 300 });
is($s[299]{refuted}, 0, 'a quota, and flushes whose ends are seen together: not refuted');
cmp_ok(mean('stalled', @s[ 10 .. 299 ]), '<', 20, '... and few stalls');
@s = run_phases({ quota => 50, sessions => 20, most => 500, seconds => 60 });
is($s[59]{refuted}, 0, 'a quota, and leaders who may not sleep for long enough: not refuted');
@s = run_phases({ seconds => 14, spikes => -5e6, spike => 10e6 }, { quota => 50 });
is($s[16]{found}, 1, 'a hang of 10 s, and then a quota: found in 2 s');

# Volumes that change
@s = run_phases({ quota => 50 }, { quota => 25 }, { quota => 100, seconds => 30 });
about(mean('commits', @s[ 13 .. 19 ]), 490, 4, 'lowered: followed in 3 s');
cmp_ok(mean('stalled', @s[ 13 .. 19 ]), '<', 50, '... without stalls');
about(mean('commits', @s[ 40 .. 49 ]), 1950, 4, 'raised to four times as much: followed');
is($s[49]{refuted}, 0, '... and nothing was refuted');
@s = run_phases({ quota => 50 }, { sessions => 0, seconds => 60 }, { quota => 100, seconds => 30 });
about(mean('commits', @s[ 90 .. 99 ]), 1950, 4, 'raised while nobody committed: followed');
@s = run_phases({ quota => 50 }, { quota => 200, seconds => 20 });
about(mean('commits', @s[ 16 .. 29 ]), 3950, 4, 'raised to four times as much: in 6 s');
@s = run_phases({ quota => 10 }, { quota => 25, seconds => 25 });
about(mean('commits', @s[ 25 .. 34 ]), 490, 4, 'raised, and sessions hardly need what is tried');
@s = run_phases({ quota => 50, sessions => 4 },
	{ quota => 50, sessions => 20, rate => 6000, seconds => 40 });
cmp_ok(mean('stalled', @s[ 20 .. 49 ]), '<', 5, '6000 transactions/s: few stalls');
@s = run_phases({ quota => 50 }, {}, { quota => 50 });
cmp_ok(mean('commits', @s[ 14 .. 19 ]), '>', 2200, 'no quota any more');
cmp_ok($s[19]{rate}, '==', 0, '... it is not believed');
is($s[22]{found}, 2, '... and is found again in 3 s');

# fewer transactions than the quota allows flushes, after a peak
@s = run_phases({ quota => 50, sessions => 10, seconds => 20 },
	{ quota => 50, sessions => 10, rate => 200, think => 500, seconds => 30 });
cmp_ok(mean('response', @s[ 24 .. 49 ]), '<', 850, 'far below a quota: no floor');
@s = run_phases({ quota => 50, sessions => 10, seconds => 20 },
	{ quota => 50, sessions => 10, rate => 400, think => 500, seconds => 300 });
cmp_ok($s[319]{rate}, '>', 490, '... whose rate is not forgotten');

# No quota: an hour each, in which none is believed
for my $spikes ([ 500, 20e3 ], [ 100, 5e3 ], [ 100, 20e3 ], [ 30, 10e3 ], [ 10, -20e3 ])
{
	my ($every, $spike) = @$spikes;

	@s = run_phases({ spikes => $every, spike => $spike, seconds => 3600 });
	is($s[3599]{found}, 0, "spikes of $spike us, 1 in $every: no quota");
}
@s = run_phases({ spikes => -200e3, spike => 20e3, seconds => 300 });
cmp_ok(scalar(grep { $_->{rate} > 0 } @s), '<', 60, 'hiccups each 200 ms: refuted each time');
@s = run_phases({ blind => 60e3, sessions => 20, seconds => 300 });
is($s[299]{found}, 0, 'flushes whose ends are seen together: no quota');

# The response
@s = run_phases({ seconds => 60 });
cmp_ok(mean('commits', @s), '>', 0.98 * 4000, 'two quick sessions: no worse than without a delay');
@s = run_phases({ flush => 4000, think => 400, seconds => 60 });
cmp_ok(mean('commits', @s[ 3 .. 59 ]), '>', 1.5 * 250, 'long flushes: both sessions share one');
cmp_ok($s[59]{current}, '>', 400, '... as the spacing is their work');
cmp_ok(max(map { $_->{adoptions} } @s[ 0 .. 3 ]), '>=', 1, '... from 4 s on');
@s = run_phases({ flush => 100e3, think => 10e3, sessions => 10, seconds => 60 });
cmp_ok(mean('commits', @s[ 20 .. 59 ]), '>', 1.5 * 50, 'flushes of 100 ms: all sessions share one');
@s = run_phases({ flush => 4000, think => 400, seconds => 30 }, { flush => 250, seconds => 30 });
cmp_ok(
	mean('commits', @s[ 35 .. 59 ]),
	'>',
	0.98 * 4000,
	'the device is quick again: as quick in 5 s');
@s = run_phases({ flush => 4000, think => 400, sessions => 20, seconds => 600 },
	{ flush => 4000, sessions => 1, seconds => 60 });
cmp_ok(mean('commits', @s[ 605 .. 659 ]),
	'>', 235, 'one session of twenty is left: it does not sleep');
@s = run_phases({ flush => 4000, think => 400, seconds => 30 },
	{ flush => 4000, think => 400, settle => 1 });
is($s[30]{current}, $s[29]{current}, 'a sweep between changes no belief');

# Arrivals at a rate: what is tried makes no backlog that lasts
for my $case ([ 4000, 50, 1200 ], [ 1000, 50, 4500 ])
{
	my ($flush, $sessions, $rate) = @$case;
	my %load = (flush => $flush, sessions => $sessions, rate => $rate);

	@s = run_phases({ %load, seconds => 120 });
	about(mean('commits', @s[ 5 .. 119 ]), $rate, 5, "$rate transactions/s: all are served");
	cmp_ok(mean('response', @s[ 5 .. 119 ]), '<', 1.9 * $flush, '... and trials cost little');
}

# No flush can carry two commits that wait for the same row
my %row = (flush => 4000, sessions => 100, rate => 220, row => 1, seconds => 300);
my ($off, $on) =
  map { my @r = run_phases({ %row, most => $_ }); mean('response', @r[ 5 .. 299 ]) } 0, 1e6;

cmp_ok($on, '<', 1.5 * $off, 'all update one row: trials cost little');

done_testing();
