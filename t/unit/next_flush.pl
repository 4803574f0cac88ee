# How long does a leader sleep that keeps flushes at even distances?
#
# The test compiles src/control/next_flush.c into a program
# (t/unit/next_flush.c) to which it tells when commits begin and when flushes
# end.

use strict;
use warnings;

use lib 't';
use CommitStats;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

use constant { INTERVAL => 20_000, FLUSH => 500 };    # us

# A sleep takes longer than it was asked for (GATHER_SLACK).
use constant { SLACK => 60 };

my $dir = PostgreSQL::Test::Utils::tempdir();
my @sources =
  map { "src/control/$_.c" } qw(next_flush pacer gather session_habits);
compile_c("$dir/begin", 't/unit/next_flush.c', @sources, '-lm');

# The sleeps of all commits that begin in "lines", us, with these arguments of
# the program.  Before them, a flush has stalled until 0, which leaves the
# device no credit.
sub sleeps_with
{
	my ($args, @lines) = @_;
	my $in = join '',
	  map { "$_\n" }
	  ('-50000 begin 0', '-20000 flushed 0 30000', '-20000 end 0', @lines);
	my $out;

	# all times are positive there
	$in =~ s/^(\S+)/$1 + 1_020_000/gem;
	IPC::Run::run([ "$dir/begin", @$args ], '<', \$in, '>', \$out)
	  or die "begin failed\n";
	my (undef, @sleeps) = split /\n/, $out;
	return @sleeps;
}

sub sleeps
{
	return sleeps_with([ INTERVAL, FLUSH ], @_);
}

my @s = sleeps('-15000 begin 0');
is($s[0], 15_000 - SLACK, 'the next flush begins an interval after a stall');

@s =
  sleeps('-15000 begin 0', '500 flushed 0 500', '500 end 0', '4000 begin 0');
is($s[1], 16_000 - SLACK, '... and that after the next after another');

@s = sleeps(
	'-15000 begin 0',
	'200 begin 1',
	'900 flushed 0 900',
	'900 end 0',
	'1000 begin 2');
is( $s[1],
	INTERVAL - FLUSH - SLACK,
	'a commit begins during a flush: it sleeps from when that usually ends');
is($s[2], $s[1] - 100,
	'... so the next flush is later if that one ends late');

# A flush stalls from 0 to 80 ms.
for my $begins (200, 4_000, 10_000, 30_000, 70_000)
{
	@s = sleeps(
		'-15000 begin 0',
		"$begins begin 1",
		'80000 flushed 0 80000',
		'80000 end 0',
		'80100 begin 2',
		'100000 flushed 1 500',
		'100500 begin 1');
	cmp_ok($s[1], '>', INTERVAL - 5_000,
		"a commit begins $begins us after a flush that stalls: it sleeps from the end of the stall"
	);
	cmp_ok(
		$s[1], '<=',
		INTERVAL - FLUSH - SLACK,
		'... for an interval at most');
	cmp_ok(
		$s[3], '>',
		INTERVAL - 5_000,
		'... and the flush after that is no sooner');
	cmp_ok($s[3], '<', INTERVAL, '... and no later');
}

# Session 1 begins its commit just before its flush, misses that, and leads
# another one.
@s = sleeps(
	'-15000 begin 0',
	'-300 begin 1',
	'500 flushed 0 500',
	'500 end 0',
	'1500 flushed 1 500',
	'1500 end 1',
	'2000 begin 0',
	'40500 flushed 0 500',
	'40500 end 0',
	'41000 begin 0');
is($s[1], 300 - SLACK, 'a commit begins just before the flush');
is( $s[2],
	2 * INTERVAL - 2_000 - SLACK,
	'... and leads another: the flush after that is two intervals later');
is($s[3], INTERVAL - 1_000 - SLACK, '... and then one');

# The same, while the next flush has been opened
@s = sleeps(
	'-15000 begin 0',
	'-300 begin 1',
	'500 flushed 0 500',
	'500 end 0',
	'1000 begin 0',
	'1500 flushed 1 500',
	'1500 end 1',
	'20500 flushed 0 500',
	'20500 end 0',
	'21000 begin 0');
is( $s[2],
	INTERVAL - 1_000 - SLACK,
	'it leads another after the next one is opened');
is( $s[3],
	2 * INTERVAL - 1_000 - SLACK,
	'... which is two intervals before its successor');

# More of them do not add up.
@s = sleeps(
	'-15000 begin 0',
	(map { "-300 begin $_" } 1 .. 5),
	'500 flushed 0 500',
	'500 end 0',
	(   map {
			(   (500 + 1000 * $_) . " flushed $_ 500",
				(500 + 1000 * $_) . " end $_")
		} 1 .. 5),
	'10000 begin 0');
is( $s[6],
	2 * INTERVAL - SLACK,
	'five commits lead others: an interval more, at most');

# Session 2 flushes from 20 ms on.  Session 0 opens the next flush, for which
# the device will be ready at 22.0 ms, and expects session 1 at 21.61 ms, which
# is before that.  The flush of session 2 ends late, session 1 comes late, and
# ends the sleep of session 0.
@s = sleeps_with(
	[ INTERVAL, 2_000, 2_000 ],
	'-16000 begin 1',
	'-14000 end 1',
	'-13000 begin 1',
	'2000 flushed 1 2000',
	'19000 begin 2',
	'19050 end 1',
	'20100 begin 0',
	'23500 flushed 2 3500',
	'40500 begin 1');
is($s[4], 0,
	'all come before the device is ready: who wakes the leader waits for none'
);

# Three sessions commit 1 ms after their last commit.  Session 2 ends as the
# leader waits for it.
my @habits = map {
	("$_ begin 1", "$_ begin 2", "$_ flushed 1 100", "$_ end 1", "$_ end 2")
} 100_000, 101_000, 102_000;
for my $leaves (0, 1)
{
	@s = sleeps_with(
		[ 0, 2_000, 2_000 ],
		@habits,
		'102100 begin 0',
		'102100 waited_for 0',
		$leaves ? '102150 leave 2' : (),
		'102200 waited_for 0');
	is( "@s[-2, -1]",
		$leaves ? '2 1' : '2 2',
		$leaves
		? 'a session that has ended is not waited for'
		: 'two sessions are waited for');
}
@s = sleeps_with(
	[ 0, 2_000, 2_000 ],
	@habits,
	'102050 leave 1',
	'102050 leave 2',
	'102100 begin 0');
is($s[-1], 0, '... nor by a leader that begins later');

# 10 MB of WAL in 20 ms fill half of the buffers, 2 MB, in a fifth of that.
my @flushed = ('-15000 begin 0', '500 flushed 0 500', '500 end 0');
@s = sleeps(@flushed, '4900 wal 0 1000000', '5000 begin 0');
is($s[1], 15_000 - SLACK, 'a sleep has its length with little WAL');
@s = sleeps(@flushed, '4900 wal 0 10000000', '5000 begin 0');
is($s[1], 4_194,
	'... and is no longer than much WAL takes to fill half of the buffers');

done_testing();
