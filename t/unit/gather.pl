# Do leaders wait for the sessions that are about to commit and for no other,
# and do they gather only where it pays?
#
# src/control/gather.c needs no server.  The test compiles it into a program
# (t/unit/gather.c), and compares it with cases whose answer is known.

use strict;
use warnings;

use lib 't';
use CommitStats;
use IPC::Run;
use List::Util qw(max sum);
use PostgreSQL::Test::Utils;
use Test::More;

use constant TRIES => 1;    # GatherMode
# GatherReason
use constant {
	ENOUGH => 1,
	CHANGED => 2,
	AGAIN => 3,
	SAVED => 4,
	SAVED_NOTHING => 5,
	ALONE => 6
};

my $dir = PostgreSQL::Test::Utils::tempdir();
compile_c("$dir/gather", 't/unit/gather.c', 'src/control/gather.c', '-lm');

# The lines that the program prints, each split into words.
sub gather
{
	my $in = join "\n", @_, '';
	my $out;

	IPC::Run::run(["$dir/gather"], '<', \$in, '>', \$out)
	  or die "gather failed\n";
	return map { [ split / / ] } split /\n/, $out;
}

# Think time and deviation after each of these think times.
sub habits
{
	return gather(map { "think $_" } @_);
}

sub about
{
	my ($got, $expected, $slack, $name) = @_;

	ok(abs($got - $expected) <= $slack, $name)
	  or diag "got $got, expected $expected";
	return;
}

# Integers of microseconds: an average stops within 7 of the truth, and the
# average distance from it within 7 of that.
my $rounding = 7;

#
# Habits
#
for my $think (1, 50, 5000, 1_000_000)
{
	my @h = habits(($think) x 200);

	is($h[0][0], $think, "always $think us: known from the first time on");
	is($h[-1][0], $think, "... and for good");
	cmp_ok($h[-1][1], '<=', $rounding, '... without a deviation');
}

my @h = habits((100) x 100, (1000) x 100);

about($h[107][0], 1000 - 900 * (7 / 8)**8,
	40, 'a step from 100 to 1000 us: two thirds after 8 commits');
about($h[-1][0], 1000, $rounding, '... and all of it in the end');
cmp_ok(max(map { $_->[1] } @h[ 100 .. 120 ]),
	'>', 200, '... while the deviation is large');
cmp_ok($h[-1][1], '<=', 2 * $rounding, '... which then ends');
@h = habits((1000) x 100, (100) x 100);
about($h[-1][0], 100, $rounding, 'a step down');

# The mean deviation of times that are evenly spread from 500 to 1500 is 250.
@h = habits(map { 500 + ($_ * 379) % 1001 } 1 .. 4000);
about(sum(map { $_->[0] } @h[ 1000 .. 3999 ]) / 3000,
	1000, 50, 'evenly spread times: the mean');
about(sum(map { $_->[1] } @h[ 1000 .. 3999 ]) / 3000,
	250, 50, '... and the mean distance from it');

@h = habits((100) x 100, 1e9, (100) x 100);
about($h[100][0], 100 + (4 * 160 - 100) / 8,
	10, 'a pause of a quarter of an hour counts as four think times');
about($h[-1][0], 100, $rounding, '... and is forgotten');
@h = habits(map { $_ % 50 ? 100 : 300 } 1 .. 500);
cmp_ok(max(map { $_->[0] } @h[ 100 .. 499 ]),
	'<', 150, 'one outlier of three times in 50: hardly noticed');

@h = habits(0.2);
is("@{ $h[0] }", '1 0', 'less than 1 us counts as 1 us');
@h = habits(1e6, (1) x 200);
about($h[-1][0], 1, $rounding, 'from the largest to the smallest');
is(scalar(grep { $_->[0] < 1 || $_->[0] > 1e6 || $_->[1] > 1e6 } @h),
	0, '... within the limits');
@h = habits(1, (1e6) x 200);
about($h[-1][0], 1e6, $rounding, 'and back');
is(scalar(grep { $_->[0] < 1 || $_->[0] > 1e6 || $_->[1] > 1e6 } @h),
	0, '... within the limits');

#
# Who is coming?
#
# A session thinks for 100 us, give or take 10, and committed at 5000; the
# flush opened at 5050, when the device was idle, and takes 1000.
sub expects
{
	my %c = (
		think => 100,
		deviation => 10,
		committed => 5000,
		began => 0,
		opened => 5050,
		ready => 5050,
		horizon => 1000,
		flush => 1000,
		@_);
	my ($row) =
	  gather(join ' ',
		'expects',
		@c{qw(think deviation committed began opened ready horizon flush)});

	return $row->[0] ? $row->[1] : 'no';
}

# 60 us are the slack of a sleep.
is(expects(), 5000 + 100 + 3 * 10 + 60, 'it comes after its think time');
is(expects(opened => 5100, ready => 6000),
	5190, '... also if the device is busy until then');
is(expects(think => 1000), 6090, 'think time as long as the horizon');
is(expects(think => 1001), 'no', '... longer');
is(expects(horizon => 99), 'no', 'a short horizon');
is(expects(opened => 5180), 5190, 'late by two deviations');
is(expects(opened => 5181), 'no', '... by more');
is(expects(opened => 5221, deviation => 30),
	'no', '... by more, as it is less regular');
is(expects(opened => 5220, deviation => 30), 5250, '... and not by more');
is(expects(opened => 1e9, ready => 1e9), 'no', 'idle for long');
is(expects(think => 0), 'no', 'its think time is not known');
is(expects(think => 0, began => 5020),
	'no', '... nor while it is in its commit');

# It is in the flush before, which ends at 5900.
is( expects(began => 5020, ready => 5900),
	5900 + 100 + 3 * 10 + 60,
	'in its commit: back after that flush');
is(expects(began => 5020, ready => 5900, committed => 1000),
	6090, '... whenever it committed before');
is(expects(began => 5020, ready => 5900, think => 1001),
	'no', '... unless it thinks for too long');
is(expects(began => 1900, ready => 5900),
	6090, 'in its commit for twice a horizon and a flush');
is(expects(began => 1899, ready => 5900),
	'no', '... for longer: it waits for something else');

#
# The trial
#
# Slots are hashes; what they lack is a slot of five sessions for which
# gathering saves 10%.  Returns a hash for each.
sub trial
{
	my @slots = @_;
	my @rows = gather(
		map {
			my %s = (
				off => 1000,
				on => 900,
				sessions => 5,
				horizon => 1000,
				others => 0,
				stalled => 0,
				%$_);
			"slot @s{qw(off on sessions horizon others stalled)}"
		} @slots);

	return map {
		my %s;
		@s{qw(mode on slots gain reason)} = @$_;
		\%s
	} @rows;
}

# "mode" after each slot
sub modes
{
	return join ' ', map { $_->{mode} } @_;
}

# Slots with these changes, after a first one that begins a trial.
sub slots
{
	my ($n, %change) = @_;

	return map {
		{ %change }
	} 1 .. $n;
}

my @s = trial(slots(10));

is(modes(@s), '1 1 1 1 2 2 2 2 2 2', '10% better: adopted after four slots');
is(join(' ', map { $_->{on} } @s[ 0 .. 4 ]),
	'0 1 0 1 1', '... which are off, on, off, on');
is($s[4]{gain}, '0.100', '... with the gain that was measured');
is($s[0]{reason}, ENOUGH, '... as sessions come back soon');
is($s[4]{reason}, SAVED, '... and as it saved time');

for my $case (
	[ '1% better', { on => 990 } ],
	[ '2% better', { on => 980 } ],
	[ 'as good', { on => 1000 } ],
	[ 'worse', { on => 1100 } ])
{
	my ($name, $change) = @$case;

	@s = trial(slots(6, %$change));
	is(modes(@s), '1 1 1 1 3 3', "$name: not adopted");
	is($s[-1]{on}, 0, "$name: leaders do not gather");
	is($s[-1]{reason}, SAVED_NOTHING, "$name: as it saved too little");
}
@s = trial(slots(5, on => 960));
is(modes(@s), '1 1 1 1 2', '4% better: adopted');
@s = trial({}, {}, { on => 500 }, {}, { on => 1010 });
is(modes(@s), '1 1 1 1 3', 'worse in the second half: not adopted');
@s = trial({}, {}, { on => 1010 }, {}, { on => 500 });
is(modes(@s), '1 1 1 1 3', 'worse in the first half: not adopted');
cmp_ok($s[-1]{gain}, '>', 0.2, '... although it is better in the sum');
# A load that grows from slot to slot looks like a gain or a loss of 4%.
@s = trial(map { { off => 1000 * 1.04**$_, on => 1000 * 1.04**$_ } } 0 .. 5);
is(modes(@s), '1 1 1 1 3 3', 'sessions that become slower: not adopted');
@s = trial(slots(5, off => 1000, on => 'nan'));
is(modes(@s), '1 1 1 1 1', 'nothing measured: no verdict');

# How many slots are there between trials?
sub rests
{
	my @rows = @_;
	my @begun = grep {
		$rows[$_]{mode} == TRIES
		  && ($_ == 0 || $rows[ $_ - 1 ]{mode} != TRIES)
	} 0 .. $#rows;

	return join ' ', map { $begun[$_] - $begun[ $_ - 1 ] - 4 } 1 .. $#begun;
}

is( rests(trial(slots(250, on => 1000))),
	'8 16 32 64 64',
	'not adopted: each rest is twice as long, up to 64 slots');
@s = trial(slots(200));
is(rests(@s), '64 64', 'adopted: tried again after 64 slots');
is($s[68]{reason}, AGAIN, '... as the last trial is long ago');
@s = trial(slots(30, on => 1000), slots(10), slots(100, on => 1000));
is(rests(@s), '8 16 64 8 16', 'a rest after success is short again');

# What does not count
@s = trial(
	{}, {}, { on => 5000, stalled => 1 },
	{}, { off => 100, stalled => 1 },
	{}, {});
is(modes(@s), '1 1 1 1 1 1 2', 'a slot in which the device stalled');
is($s[-1]{gain}, '0.100', '... does not count');
is( join(' ', map { $_->{on} } @s),
	'0 1 1 0 0 1 1',
	'... and is done once more');
@s = trial({}, {}, { on => 'nan' }, {}, { off => 'nan' }, {}, {});
is(modes(@s), '1 1 1 1 1 1 2', 'nor does a slot with too few commits');

# Another load, another device
@s = trial(slots(6), slots(4, sessions => 10));
is(modes(@s), '1 1 1 1 2 2 2 1 1 1', 'twice the sessions: tried again');
is($s[-1]{reason}, CHANGED, '... as the load changed');
@s = trial(slots(6), { sessions => 10 }, slots(4));
is(modes(@s), '1 1 1 1 2 2 2 2 2 2 2', '... not for a single slot');
@s = trial(slots(6), slots(6, sessions => 6));
is(modes(@s), '1 1 1 1 2 2 2 2 2 2 2 2', '... not for one session more');
@s = trial(slots(6), slots(2, sessions => 3));
is(modes(@s), '1 1 1 1 2 2 2 1', 'two sessions of five leave: tried again');
@s = trial(slots(6, on => 1000), slots(2, horizon => 1500));
is(modes(@s), '1 1 1 1 3 3 3 1', 'a longer horizon: tried again');
@s = trial(slots(6, on => 1000), slots(4, horizon => 1300));
is(modes(@s), '1 1 1 1 3 3 3 3 3 3', '... not for a little');
@s = trial(slots(3), slots(6, sessions => 10));
is( modes(@s),
	'1 1 1 1 1 1 1 1 2',
	'a change during the trial: from the start');
@s = trial(slots(18, on => 1000), slots(20, on => 1000, sessions => 10));
is(rests(@s), '8 3 8', 'a change makes the rest short again');

@s = trial(slots(6), slots(3, on => 1100));
is(modes(@s), '1 1 1 1 2 2 2 1 1', 'slower than without: tried again');
@s = trial(slots(6), { on => 1100 }, slots(2));
is(modes(@s), '1 1 1 1 2 2 2 2 2', '... not for a single slot');

# Too few come
@s = trial(slots(3, sessions => 1));
is(modes(@s), '0 0 0', 'one session: too few');
@s = trial(slots(5, sessions => 2));
is(modes(@s), '1 1 1 1 2', 'two sessions are enough');
@s = trial(slots(3, sessions => 5, others => 1));
is(modes(@s), '0 0 0', 'one of six does not come in time: too few do');
@s = trial(slots(3, sessions => 6, others => 1));
is(modes(@s), '1 1 1', 'one of seven does not: the rest are enough');

for my $few ({ sessions => 1 }, { others => 2 })
{
	my $name = join ' ', %$few;

	@s = trial(slots(6), slots(3, %$few), {}, slots(3, %$few), {});
	is( modes(@s),
		'1 1 1 1 2 2 2 2 2 2 2 2 2 2',
		"$name: not in four slots in succession");
	@s = trial(slots(6), slots(5, %$few), slots(1));
	is( modes(@s),
		'1 1 1 1 2 2 2 2 2 0 0 1',
		"$name: in four slots in succession");
	is($s[10]{on}, 0, "$name: leaders do not gather any more");
	is($s[10]{reason}, ALONE, "$name: as too few come");
}
@s = trial({}, {}, slots(3, sessions => 1, off => 1, on => 1), slots(3));
is(modes(@s), '1 1 1 1 1 1 1 2', 'such a slot does not count in a trial');
is($s[-1]{gain}, '0.100', '... in its gain either');

done_testing();
