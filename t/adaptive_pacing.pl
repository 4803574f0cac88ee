# Does commit_stats.adaptive_delay = pace find a quota of flushes, pace flushes
# so that none stalls, say what it does, and count the sleeps?
#
# The witness is the shim (t/ground_truth/shim.c).  It makes a device with a
# quota of the disk, and sees each stall of the device, and each sleep of a
# leader and how long that was.

use strict;
use warnings;

use lib 't', 't/ground_truth', 't/adaptive';
use Adaptive;
use CommitStats;
use GroundTruth qw(start_truth start_with_shim seen_by_shim);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_truth(
	'paced', q{
commit_stats.adaptive_delay = 'pace'
commit_stats.log_delay_changes = on
});
my $log_start;
my $kept = 64;    # changes
my @load = ('-c 5 -T 600', insert => 'INSERT INTO tick VALUES (1);');

sub state_is
{
	return delay_state($node, @_);
}

sub wait_for_state
{
	my ($condition, $name) = @_;

	return ok(wait_for_delay_state($node, $condition), $name);
}

# Five clients commit so often each: what the shim saw and what we counted.
sub run_load
{
	my ($commits) = @_;

	$node->safe_psql('postgres', 'SELECT shim_reset(), commit_stats_reset()');
	run_pgbench($node, "-c 5 -t $commits", $load[1] => $load[2]);
	return (seen_by_shim($node), flush_stats($node));
}

# A server that has learned nothing, and where its log begins
sub begin_anew
{
	$node->stop;
	$log_start = -s $node->logfile;
	start_with_shim($node);
	return;
}

#
# No quota, and then one
#
# What a server learns on a machine that is busy with something else is not
# always right, so one of five servers has to be.
sub no_quota
{
	set_quota($node, 0);
	my ($seen, $counted) = run_load(400);

	return (
		[ $seen->{sleeps} == 0, 'no quota: no leader sleeps' ],
		[ $counted->{delay_hits} == 0, 'no quota: none is counted' ],
		[
			state_is(
				'adaptive_delay, in_force, pacing, pacing_reason, flush_rate, times_paced, changes'
			) eq 'pace|t|watching|start||0|1',
			'no quota: the setting is in force, and watches'
		],
		[
			state_is('flush_time > 0') eq 't',
			'no quota: it knows how long a flush takes'
		],
		[
			state_is('gathering, times_tried') eq '|0',
			'no quota: it does not gather'
		]);
}

my $before;

sub quota_found
{
	set_quota($node, $quota);
	$node->safe_psql('postgres', 'SELECT shim_reset()');
	my $load = start_pgbench($node, @load);
	my $begun = wait_for_delay_state($node, "pacing = 'pacing'");
	$before = seen_by_shim($node);
	my $state = state_is(
		qq{
pacing_reason, times_paced,
flush_rate BETWEEN 0.7 * $rate AND 1.3 * $rate,
quota_window BETWEEN 0.8 * $window AND 1.2 * $window,
flush_interval BETWEEN 1000 / flush_rate AND 1100 / flush_rate,
rate_evidence IN ('stalls', 'no stall'),
pacing_since < rate_since + '1 ms' AND rate_since < clock_timestamp() + '1 ms'}
	);
	end_pgbench($node, $load);
	return (
		[ $begun, 'a quota: pacing begins' ],
		[ $state =~ /^quota found\|1\|/, 'a quota: and says why' ],
		[ $state =~ /(?:\|t){5}$/, 'a quota: it is found as it is' ]);
}

my ($seen, $counted);

sub paces
{
	($seen, $counted) = run_load(600);
	my ($stalled, $stalled_before) =
	  map { $_->{stalled} / ($_->{syncs} || 1) } $seen, $before;

	note sprintf('stalled for %.2f ms a flush, before pacing for %.2f ms',
		$stalled, $stalled_before);
	return (
		[ $stalled < $stalled_before / 4, 'paced: flushes hardly stall' ],
		[ $seen->{sleeps} > $seen->{syncs} / 2, 'paced: leaders sleep' ],
		[
			$counted->{commits_per_flush} > 2,
			'paced: flushes carry the commits that come meanwhile'
		],
		[
			$counted->{delay_hits} == $seen->{sleeps},
			'paced: each sleep is counted'
		],
		[
			$counted->{delay_hits_paced} == $seen->{sleeps},
			'paced: as one of the pacing'
		],
		[
			$counted->{delay_time} > 0.5 * $seen->{slept},
			'paced: delay_time has what leaders slept'
		],
		[
			$counted->{delay_time} < 1.3 * $seen->{slept},
			'paced: and not much more'
		]);
}

right_in_one_round(
	'a server',
	sub {
		begin_anew();
		my @findings = (no_quota(), quota_found());

		return @findings if grep { !$_->[0] } @findings;
		return (@findings, paces());
	});
is($counted->{delay_hits_gathered}, 0, 'paced: none is a gathered one');
is($counted->{delay_uncertain}, 0, 'paced: no verdict is uncertain');
is($counted->{delay_hits_at_ceiling}, 0, 'paced: no sleep was cut short');
is( $node->safe_psql(
		'postgres', q{
SELECT DISTINCT delay_kind, delay_end, delayed, delay_probability, delay_time > 0
FROM commit_flush_log WHERE delay_kind IS NOT NULL}),
	'paced|due|t|1|t',
	'paced: the flush log says why leaders slept, and until when');
is( $node->safe_psql(
		'postgres', q{
SELECT count(*) FROM commit_flush_log
WHERE (delay_kind IS NULL) <> (delay_end IS NULL) OR
	  (delay_kind IS NULL) = coalesce(delayed, false)}),
	0,
	'paced: and has no reason where none slept');

#
# The ceiling
#
alter_system($node, 'commit_stats.adaptive_delay_max' => 1000);
my $refuted = state_is('times_refuted');
my $load = start_pgbench($node, @load);
wait_for_state(
	"times_refuted > $refuted AND pacing = 'resting'",
	'ceiling: pacing that does not help ends');
is( state_is('pacing_reason'),
	'pacing did not remove the stalls',
	'ceiling: and says why');
$seen = seen_by_shim($node);
cmp_ok($seen->{longest}, '>', 1000, 'ceiling: the first sleeps were longer');
$node->safe_psql('postgres', 'SELECT shim_reset()');
wait_for_state(
	'times_paced > ' . state_is('times_paced'),
	'ceiling: it tries again after a rest');
$node->poll_query_until('postgres',
	"SELECT count(*) > 10 AND max(asked) >= 1000 FROM shim_events() WHERE kind = 'sleep'"
) or die "no leader sleeps until the ceiling\n";
$seen = seen_by_shim($node);
is($seen->{longest}, 1000, 'ceiling: no sleep is longer');
cmp_ok(flush_stats($node)->{delay_hits_at_ceiling},
	'>', 0, 'ceiling: it is counted');
ok( $node->poll_query_until(
		'postgres', q{
SELECT count(*) > 0 FROM commit_flush_log
WHERE delay_kind = 'paced' AND delay_end = 'ceiling'}),
	'ceiling: the flush log says so');
end_pgbench($node, $load);
alter_system($node, 'commit_stats.adaptive_delay_max' => 0);
($seen, $counted) = run_load(20);
is($seen->{sleeps}, 0, 'ceiling of 0: no leader sleeps');
is($counted->{delay_hits}, 0, 'ceiling of 0: none is counted');
alter_system($node, 'commit_stats.adaptive_delay_max' => 50000);

#
# Another quota, and none
#
$load = start_pgbench($node, @load);
wait_for_state("pacing = 'pacing'", 'it paces again');
set_quota($node, 3 * $quota);
wait_for_state("flush_rate > 2 * $rate", 'a higher quota: the rate follows');
set_quota($node, $quota);
wait_for_state("flush_rate < 1.3 * $rate", 'a lower quota: the rate follows');
end_pgbench($node, $load);
# a flush that takes long without a quota may end the pacing as well
ok( poll_until(
		sub {
			set_quota($node, $quota);
			make_pace($node);
			set_quota($node, 0);
			$load = start_pgbench($node, @load);
			wait_for_delay_state($node, "pacing = 'watching'")
			  or die "pacing does not end\n";
			end_pgbench($node, $load);
			return state_is('pacing, pacing_reason') eq
			  'watching|no quota any more';
		},
		1),
	'no quota any more: pacing ends');
right_in_one_round(
	'no quota any more',
	sub {
		my ($seen) = run_load(400);

		return [ $seen->{sleeps} == 0, 'no leader sleeps' ];
	});

#
# What is said about it
#
my @changes = split /\n/, $node->safe_psql(
	'postgres', q{
SELECT change, subject, mode, reason, gain IS NULL FROM commit_delay_changes ORDER BY change}
);

# On a busy machine there are more changes than the view keeps.
my $newest = state_is('changes');
my $oldest = $newest > $kept ? $newest - $kept + 1 : 1;

is( join(' ', map { (split /\|/)[0] } @changes),
	join(' ', $oldest .. $newest),
	'each of the newest changes has a row, with its number');
is(join(' ', grep { !/^\d+\|pacing\|.*\|t$/ } @changes),
	'', 'all are of the pacing, without a gain');
is( $node->safe_psql(
		'postgres', q{
SELECT string_agg(change::text, ' ') = string_agg(change::text, ' ' ORDER BY change DESC),
	   bool_and(changed_at <= now()),
	   bool_and((flush_rate IS NULL) = (change < 2))
FROM commit_delay_changes}),
	't|t|t',
	'the newest comes first, and all have a rate but the first');
is( state_is(
		qq{
changes = (SELECT max(change) FROM commit_delay_changes),
times_paced - (SELECT count(*) FROM commit_delay_changes WHERE mode = 'pacing') BETWEEN 0 AND $oldest - 1,
times_refuted - (SELECT count(*) FROM commit_delay_changes WHERE mode = 'resting') BETWEEN 0 AND $oldest - 1,
abs(extract(epoch FROM pacing_since - (SELECT max(changed_at) FROM commit_delay_changes))) < 1}
	),
	't|t|t|t',
	'commit_delay_state agrees with the rows');

# The server log has a line for each of them.
my @words =
  map { my @row = split /\|/; "$row[1]: $row[2] ($row[3])" } @changes;

sub logged
{
	return
	  map { s{ at \d+ flushes/s}{}r }
	  slurp_file($node->logfile, $log_start) =~
	  /LOG:  commit_stats (pacing: .*)$/mg;
}

ok(poll_until(sub { return logged() >= $newest }, 20),
	'the last change is logged');
my @logged = logged();
is($logged[0], 'pacing: watching (start)', 'the first change is the start');
is( $logged[1],
	'pacing: pacing (quota found)',
	'the second is that pacing began');
is( join("\n", @logged[ $oldest - 1 .. $#logged ]),
	join("\n", @words),
	'the log has all changes, in the same order');

# Without the setting, it has none.
alter_system($node, 'commit_stats.log_delay_changes' => 'off');
my $log_end = -s $node->logfile;
alter_system($node, 'commit_stats.adaptive_delay' => 'gather');
wait_for_state(
	"adaptive_delay = 'gather' AND pacing_reason = 'start'",
	'another value of the setting: it starts over');
run_load(20);
unlike(
	slurp_file($node->logfile, $log_end),
	qr/commit_stats pacing/,
	'log_delay_changes = off: nothing is logged');

#
# fsync = off
#
# No leader sleeps then, and a flush still takes the time of a write.  The
# sleep of an earlier flush of the same session must not be taken off.
alter_system($node, 'track_wal_io_timing' => 'off');
alter_system($node, 'commit_stats.adaptive_delay' => 'pace');
set_quota($node, $quota);
$load = start_pgbench($node, @load);
wait_for_state("pacing = 'pacing'", 'it paces once more');
run_load(20);
alter_system($node, 'fsync' => 'off');
$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
$node->poll_query_until('postgres',
	'SELECT flushes > 2000 FROM commit_flush_stats')
  or die "there are no flushes\n";
cmp_ok(state_is('flush_time'),
	'>', 0.001, 'fsync = off: a flush takes the time of a write');
end_pgbench($node, $load);

$node->stop;
done_testing();
