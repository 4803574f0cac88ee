# Does the pacer find the rate of a device with a quota, follow it, and leave
# every other device alone?
#
# src/control/pacer.c needs no server.  The test compiles it into a program
# (t/unit/pacer.c) in which one session commits on a device that it describes.

use strict;
use warnings;

use lib 't';
use CommitStats;
use IPC::Run;
use List::Util qw(max sum);
use PostgreSQL::Test::Utils;
use Test::More;

use constant { WATCHES => 0, PACES => 1, RESTS => 2 };    # PacerMode
use constant { ALONE => 5 };                              # PacerReason

my $dir = PostgreSQL::Test::Utils::tempdir();
compile_c("$dir/pace", 't/unit/pacer.c', 'src/control/pacer.c', '-lm');

# Phases are hashes; what they lack is a device of 0.25 ms without a quota, and
# a session that works for 0.15 ms.  Returns a hash for each second.
sub pace
{
	my @phases = @_;
	my $in = join '', map {
		my %p = (
			seconds => 10,
			quota => 0,
			window => 100e3,
			flush => 250,
			think => 150,
			every => 0,
			hiccup => 0,
			sessions => 2,
			spaced => 0,
			kept => 0,
			%$_);
		$p{window} = 0 if !$p{quota};
		"@p{qw(seconds quota window flush think every hiccup sessions spaced kept)}\n";
	} @phases;
	my ($out, @seconds);

	IPC::Run::run(["$dir/pace"], '<', \$in, '>', \$out)
	  or die "pace failed\n";
	for (split /\n/, $out)
	{
		my %s;
		@s{qw(flushes stalled mode reason pace longest)} = split / /;
		push @seconds, \%s;
	}
	return @seconds;
}

sub mean
{
	my ($what, @seconds) = @_;

	return sum(map { $_->{$what} } @seconds) / @seconds;
}

sub about
{
	my ($got, $expected, $percent, $name) = @_;

	ok(abs($got - $expected) <= $expected * $percent / 100, $name)
	  or diag "got $got, expected $expected";
	return;
}

# How many of these seconds were spent in a mode?
sub in_mode
{
	my ($mode, @seconds) = @_;

	return scalar grep { $_->{mode} == $mode } @seconds;
}

my @s;

#
# A quota
#
for my $quota (5, 15, 49, 150)
{
	@s = pace({ quota => $quota, seconds => 30 });
	is(in_mode(PACES, @s[ 1 .. 29 ]), 29, "$quota in 100 ms: found in 2 s");
	about(
		mean('flushes', @s[ 2 .. 29 ]),
		10 * $quota,
		3, "$quota in 100 ms: as many flushes as without pacing");
	cmp_ok(mean('stalled', @s[ 2 .. 29 ]),
		'<', 50, "$quota in 100 ms: stalls take less than 5% of the time");
}
@s = pace({ quota => 490, window => 1e6, seconds => 40 });
is(in_mode(PACES, @s[ 10 .. 39 ]), 30, '490 in 1 s: found in 10 s');
about(mean('flushes', @s[ 11 .. 39 ]),
	490, 5, '490 in 1 s: as many flushes as without pacing');

#
# No quota
#
@s = pace({ seconds => 60 });
is(in_mode(WATCHES, @s), 60, 'a plain disk: never paced');
@s = pace({ every => -100, hiccup => 20e3, seconds => 60 });
is(in_mode(WATCHES, @s), 60, 'one flush in 100 takes 20 ms: never paced');
@s = pace({ every => 3e6, hiccup => 60e3, seconds => 60 });
is(in_mode(WATCHES, @s), 60, 'a hiccup each 3 s: never paced');
@s = pace({ every => 200e3, hiccup => 20e3, seconds => 60 });
is(in_mode(WATCHES, @s),
	60, 'a short hiccup each 200 ms: too little of the time');

# A device that lets each flush wait, as some clouds' volumes do
@s = pace({ quota => 1, window => 20e3, seconds => 60 });
is(in_mode(WATCHES, @s), 60, 'flushes wait one after the other: never paced');

# It looks like a quota at first
@s = pace({ every => 200e3, hiccup => 90e3, seconds => 120 });
cmp_ok(in_mode(PACES, @s),
	'<', 24, 'a long hiccup each 200 ms: refuted, and hardly ever paced');
# 110 of each 200 ms are left
cmp_ok(
	mean('flushes', @s),
	'>',
	0.95 * 0.55 * 2500,
	'... at the cost of few flushes');

#
# What must not make the pacer slow itself down
#
@s = pace({ quota => 49, seconds => 60, every => 3e6, hiccup => 60e3 });
is(in_mode(PACES, @s[ 1 .. 59 ]), 59, 'hiccups while pacing: it goes on');
cmp_ok(mean('flushes', @s[ 40 .. 59 ]),
	'>', 0.95 * 490, '... at the same pace');

# With busy processors, leaders come late from their flushes, at random.
for my $case ([ 15, 15 ], [ 50, 50 ])
{
	my ($quota, $every) = @$case;
	my $name = "one flush in $every is late, $quota in 100 ms";

	@s = pace(
		{ quota => $quota, every => -$every, hiccup => 7e3, seconds => 30 });
	is(in_mode(PACES, @s[ 1 .. 29 ]), 29, "$name: paced");
	cmp_ok(
		mean('flushes', @s[ 10 .. 29 ]),
		'>',
		0.9 * 10 * $quota,
		'... at the same pace');
}
@s = pace({ quota => 49 }, { quota => 49, flush => 3000 }, { quota => 49 });
cmp_ok(mean('flushes', @s[ 12 .. 19 ]),
	'>', 300, 'slow flushes, as of a checkpoint: as many as go');
about(mean('flushes', @s[ 23 .. 29 ]), 490, 3, '... and back to the pace');
@s = pace({ quota => 49 }, { quota => 49, think => 4000 }, { quota => 49 });
about(mean('pace', @s[ 11 .. 19 ]),
	475, 10, 'few commits: the pace does not wander');
cmp_ok(mean('stalled', @s[ 20 .. 29 ]),
	'<', 50, '... so nothing stalls later');

# Stalls in one of two windows: the others are not the device's fault
@s = pace(
	map {
		(   { quota => 49, seconds => 0.3 },
			{ quota => 49, seconds => 0.3, think => 300e3 })
	} 1 .. 50);
about(mean('pace', @s[ 16 .. 29 ]),
	475, 15, 'idle half of the time: the pace is that of the device');

#
# A device that changes
#
@s = pace({ quota => 49 }, { quota => 24 }, { quota => 98 });
about(mean('flushes', @s[ 12 .. 19 ]), 240, 3, 'slower: followed in 2 s');
cmp_ok(mean('stalled', @s[ 12 .. 19 ]), '<', 50, '... without stalls');
about(mean('flushes', @s[ 25 .. 29 ]), 980, 5, 'faster: followed in 5 s');
@s = pace({ quota => 49 }, { quota => 53 });
about(mean('flushes', @s[ 15 .. 19 ]), 530, 3, 'a little faster: followed');
@s = pace({ quota => 50 }, { quota => 48 });
cmp_ok(mean('stalled', @s[ 13 .. 19 ]),
	'<', 5, 'a little slower: no flush stalls after 3 s');
about(mean('flushes', @s[ 13 .. 19 ]), 480, 3, '... and none is lost');
@s = pace({ quota => 15 }, { every => -100, hiccup => 6e3 });
cmp_ok(mean('flushes', @s[ 13 .. 19 ]),
	'>', 1800, 'no quota, but flushes that are late: followed in 3 s');
@s = pace({ quota => 49 }, {}, { quota => 49 });
about(mean('flushes', @s[ 13 .. 19 ]), 2500, 5, 'no quota: followed in 3 s');
about(mean('flushes', @s[ 21 .. 29 ]),
	490, 3, 'a quota again: followed in 1 s');
cmp_ok(mean('stalled', @s[ 21 .. 29 ]), '<', 50, '... without stalls');

# The look without pacing sees four windows with their stalls.
@s = pace({ quota => 49 }, { quota => 150, seconds => 60 });
about(mean('flushes', @s[ 14 .. 69 ]), 1500, 3, 'thrice as fast: in 4 s');
cmp_ok(mean('stalled', @s[ 14 .. 69 ]), '<', 50, '... without stalls');

# Stalls that pacing does not remove, at the distances of a quota before
@s = pace({ quota => 49 },
	{}, { every => 100e3, hiccup => 60e3, seconds => 120 });
cmp_ok(in_mode(PACES, @s[ 30 .. 139 ]),
	'<', 36, 'hiccups at the distances of a quota before: refuted');
@s = pace({ quota => 300 }, { quota => 49, seconds => 20 });
is(in_mode(WATCHES, @s[ 0 .. 8 ]), 9, 'burst credit: not paced');
about(mean('flushes', @s[ 12 .. 29 ]), 490, 3, '... spent: paced in 2 s');

#
# A session that is alone, where flushes at even distances take more of a quota
# of writes
#
for my $sessions (1, 2)
{
	my $name = $sessions == 1 ? 'alone' : 'two sessions';

	@s = pace(
		{
			quota => 49,
			sessions => $sessions,
			spaced => 0.15,
			seconds => 60
		});
	is(in_mode(PACES, @s[ 3 .. 59 ]),
		57, "$name, a flush costs 15% more: paced");
	cmp_ok(mean('stalled', @s[ 3 .. 59 ]), '<', 50, '... without stalls');
	@s = pace(
		{
			quota => 49,
			sessions => $sessions,
			spaced => 0.7,
			seconds => 60
		});
	note "$name: " . in_mode(PACES, @s) . ' of 60 s paced';
	cmp_ok(in_mode(PACES, @s), '<', 15, "$name, 70% more: hardly ever paced")
	  if $sessions == 1;
	cmp_ok(in_mode(PACES, @s), '>', 45, "$name, 70% more: paced")
	  if $sessions == 2;
}
@s = pace({ quota => 49, sessions => 1, spaced => 0.7, seconds => 20 },
	{ quota => 49, sessions => 2 });
is($s[19]{reason}, ALONE, 'alone: because that costs too much');
about(mean('flushes', @s[ 8 .. 19 ]),
	490, 5, 'alone: as many flushes as without pacing');
is(in_mode(PACES, @s[ 22 .. 29 ]), 8, 'a second session comes: paced');
@s = pace({ quota => 49, sessions => 1 },
	{ quota => 24, sessions => 1, seconds => 20 });
is(in_mode(PACES, @s[ 13 .. 29 ]), 17, 'alone, a slower device: paced');

# A device that keeps what it did not need of its quota, here while it hung
for my $kept (50, 100)
{
	@s = pace(
		{
			quota => 50,
			kept => $kept,
			think => 500,
			every => 2e6,
			hiccup => 110e3,
			seconds => 60
		});
	cmp_ok(scalar(grep { $_->{longest} > 30 } @s), '<', 40,
		"$kept flushes are kept, a hiccup each 2 s: stalls in a few other seconds"
	);
	cmp_ok(mean('flushes', @s[ 5 .. 59 ]), '>', 476, '... and few are lost');
}

# ... and here because it is paced a little below its rate
for my $quota (15, 50)
{
	@s = pace({ quota => $quota, kept => $quota, seconds => 60 });
	cmp_ok(scalar(grep { $_->{longest} > 10 } @s[ 5 .. 59 ]),
		'<', 16,
		"$quota flushes are kept: stalls in a quarter of the seconds");
	about(mean('flushes', @s[ 5 .. 59 ]), $quota * 10, 2, '... all are used');
}

# Some of it is kept: the stall after growth is shorter than the rate is wrong,
# and the next one is longer.
@s = pace({ quota => 50, kept => 15, seconds => 60 });
about(mean('flushes', @s[ 5 .. 59 ]),
	500, 2, '15 of 50 flushes are kept: all are used');
@s = pace(
	{ quota => 50, kept => 15, every => -300, hiccup => 40e3, seconds => 60 }
);
cmp_ok(mean('flushes', @s[ 5 .. 59 ]),
	'>', 400, '... and with hiccups, four fifths');

# What else is written takes a part of the quota for a moment
for my $quota (20, 25, 30)
{
	for my $begins (1.1, 1.3, 1.5, 1.7)
	{
		@s = pace(
			{ quota => 50, seconds => $begins },
			{ quota => $quota, seconds => 0.4 },
			{ quota => 50, seconds => 10 });
		is(in_mode(RESTS, @s),
			0, "$quota of 50 left for 0.4 s after $begins s: not refuted");
		cmp_ok(mean('stalled', @s[ 5 .. 10 ]), '<', 20, '... and paced');
	}
}

done_testing();
