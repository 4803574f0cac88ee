# Does commit_stats.adaptive_delay = gather let leaders wait for the sessions
# that are about to commit, and end the wait when they have come?
#
# The witness is the shim (t/ground_truth/shim.c).  It makes a device whose
# flushes all take 10 ms, as a volume that queues requests does, and sees how
# long the leaders' sleeps were to be and how long they were.

use strict;
use warnings;

use lib 't', 't/ground_truth', 't/adaptive';
use Adaptive;
use CommitStats;
use GroundTruth qw(start_truth set_device);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $clients = 5;
my $node = start_truth('gathered', "commit_stats.adaptive_delay = 'off'");
my @scripts = (insert => 'INSERT INTO tick VALUES (1);');

sub query
{
	my ($sql) = @_;

	return $node->safe_psql('postgres', $sql);
}

sub setting
{
	my ($mode) = @_;

	alter_system($node, 'commit_stats.adaptive_delay' => $mode);
	wait_for_delay_state($node, $mode eq 'off' ? 'NOT in_force' : 'in_force');
	return;
}

# Commits per flush of the present load, from now on
sub commits_per_flush
{
	my $flushes = shift || 100;

	query('SELECT commit_stats_reset(), shim_reset()');
	$node->poll_query_until('postgres',
		"SELECT flushes >= $flushes FROM commit_flush_stats")
	  or die "there are no flushes\n";
	return query('SELECT commits_per_flush FROM commit_flush_stats');
}

set_device($node, quota => 0, window => 0, flush_time => 10);
my $load = start_pgbench($node, "-c $clients -T 600", @scripts);
my $alone = commits_per_flush();

setting('gather');
ok( wait_for_delay_state($node, "gathering = 'on'"),
	'sessions come back soon: gathering is on');
is( delay_state(
		$node, 'gathering_reason, gathering_gain >= 0.03, times_tried > 0'),
	'the trial saved time|t|t',
	'... and says why');
my $together = commits_per_flush(300);

note "$alone commits in a flush without gathering, $together with it";
cmp_ok($together, '>', $alone, 'leaders carry more commits than without');

# What is counted is what the shim saw.
my $kinds = query(
	q{
SELECT string_agg(DISTINCT delay_kind, ' '), bool_and(delay_end IN ('due', 'all came', 'woken'))
FROM commit_flush_log WHERE delayed});
is($kinds, 'gathered|t', 'the flush log tells why leaders slept');
is( query(
		q{
SELECT delay_hits > 0, delay_hits = delay_hits_gathered, delay_hits_paced, delay_uncertain
FROM commit_flush_stats}),
	't|t|0|0',
	'all sleeps are gathered ones, and certain');
is( query(
		q{
SELECT count(*) FROM commit_delay_changes
WHERE subject = 'gathering' AND mode = 'on' AND reason = 'the trial saved time' AND gain >= 0.03}
	) > 0,
	1,
	'the change is listed');

# The early wake: a sleep that was shorter than it was to be
my $woken = q{
SELECT count(*) FROM shim_events()
WHERE kind = 'sleep' AND backend AND length > 0 AND length / 1000 < asked - 100};

query('SELECT commit_stats_reset(), shim_reset()');
ok( $node->poll_query_until(
		'postgres', qq{
SELECT delay_hits_woken > 0 AND ($woken) > 0 FROM commit_flush_stats}),
	'the last session ends the sleep of the leader');

# Process IDs are those of the load.
ok( $node->poll_query_until(
		'postgres', q{
SELECT cardinality(waited_for) > 0 AND
       NOT EXISTS (SELECT FROM unnest(waited_for) pid
                   WHERE pid NOT IN (SELECT pid FROM pg_stat_activity))
FROM commit_delay_state}),
	'the state names the sessions that are waited for');

# A transaction that holds an ID and does nothing is not waited for.
my $idle = start_psql($node,
	'BEGIN; INSERT INTO tick VALUES (2); SELECT pg_sleep(1000)');
$node->poll_query_until('postgres',
	"SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND backend_xid IS NOT NULL"
);
my $beside = commits_per_flush(300);
cmp_ok($beside, '>', $alone,
	'an idle transaction: commits are gathered as before');
is( query(
		q{
SELECT count(*) FROM commit_flush_stats WHERE delay_hits_at_ceiling > 0}),
	0,
	'... and no leader waits for it until the ceiling');
query(
	q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'}
);
end_background($idle);

# A short ceiling
alter_system($node, 'commit_stats.adaptive_delay_max' => 100);
commits_per_flush();    # until all sessions have read the configuration
commits_per_flush();
is( query(
		q{
SELECT count(*) FROM shim_events() WHERE kind = 'sleep' AND backend AND asked > 100}
	),
	0,
	'no sleep is to be longer than the ceiling');
cmp_ok(query('SELECT delay_hits_at_ceiling FROM commit_flush_stats'),
	'>', 0, '... which is counted');
alter_system($node, 'commit_stats.adaptive_delay_max' => 50000);

# Sessions that come and go
end_background($load, 'TERM');
run_pgbench($node, "-c $clients -C -t 20", @scripts);
is(query('SELECT commits >= 100 FROM commit_flush_stats'),
	't', 'a session for each transaction: all of them commit');

# A single session is not gathered.
$load = start_pgbench($node, '-c 1 -T 600', @scripts);
ok(wait_for_delay_state($node, "gathering = 'too few sessions'"),
	'one session: there is nothing to gather');
commits_per_flush();
is( query(
		q{SELECT count(*) FROM shim_events() WHERE kind = 'sleep' AND backend}
	),
	0,
	'... and it does not sleep');

setting('off');
end_background($load, 'TERM');

done_testing();
