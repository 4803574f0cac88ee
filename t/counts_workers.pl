# Does each commit of the server's own workers count exactly once?
#
# No client sends COMMIT to a worker.  A worker of logical replication or
# autovacuum calls the server's functions itself.  A worker of a parallel query
# ends its part of a transaction without committing it.

use CommitStats;

my $publisher = start_node(
	'publisher',
	init => { allows_streaming => 'logical' },
	conf => 'max_prepared_transactions = 2');
my $node = start_node('worker', conf => 'max_prepared_transactions = 2');
my ($counted, $records);

# Every commit record of the node is one that was counted.
sub is_exact ($name)
{
	is( $counted->{commits} + $counted->{commits_async} + $counted->{commits_unlogged},
		$records->{COMMIT} + $records->{COMMIT_PREPARED},
		"$name: every commit record is counted");
	is($counted->{prepares}, $records->{PREPARE}, "$name: every prepare record is counted");
}

# A parallel query, in a transaction that has an id already
$node->sql('INSERT INTO logged SELECT generate_series(101, 20000)');
($counted, $records) = $node->observe(sub {
	like(
		$node->sql(q{SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
BEGIN;
INSERT INTO logged VALUES (1);
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT count(*) FROM logged;
COMMIT}),
		qr/Workers Launched: [12]/,
		'parallel query: there were workers');
});
is($records->{COMMIT}, 1, 'parallel query: there was one commit');
is($counted->{commits}, 1, 'parallel query: it is counted once');
is_exact('parallel query');

# Logical replication
$publisher->sql('CREATE PUBLICATION everything FOR ALL TABLES');

my $connstr = $publisher->connstr . ' dbname=postgres';

$node->sql(qq{CREATE SUBSCRIPTION sub CONNECTION '$connstr' PUBLICATION everything
WITH (two_phase = on)});
$node->wait_for_subscription_sync($publisher, 'sub');
$node->wait_until(q{SELECT subtwophasestate = 'e' FROM pg_subscription});

# The worker commits asynchronously by default.
($counted, $records) = $node->observe(sub {
	run_pgbench($publisher, '-c 2 -t 25', load => 'INSERT INTO logged VALUES (2)');
	$publisher->wait_for_catchup('sub');
});
cmp_ok($records->{COMMIT}, '>=', 50, 'subscriber: there were commits');
cmp_ok($counted->{commits_async}, '>=', 50, 'subscriber: they are asynchronous');
is_exact('subscriber');

$node->sql('ALTER SUBSCRIPTION sub SET (synchronous_commit = on)');
($counted, $records) = $node->observe(sub {
	# The worker starts again, with the new setting, before it goes on.
	run_pgbench($publisher, '-c 2 -t 25', load => 'INSERT INTO logged VALUES (3)');
	$publisher->wait_for_catchup('sub');
});
cmp_ok($counted->{commits}, '>=', 50, 'synchronous subscriber: commits');
cmp_ok($counted->{flushes}, '>', 0, 'synchronous subscriber: flushes');
is_exact('synchronous subscriber');

# A prepared transaction is committed by the worker without a statement.
($counted, $records) = $node->observe(sub {
	$publisher->sql(q{
BEGIN;
INSERT INTO logged VALUES (4);
PREPARE TRANSACTION 'one';
COMMIT PREPARED 'one'});
	$publisher->wait_for_catchup('sub');
});
is($records->{PREPARE}, 1, 'two-phase subscriber: it prepared');
is($records->{COMMIT_PREPARED}, 1, 'two-phase subscriber: it committed');
is($counted->{prepares}, 1, 'two-phase subscriber: the prepare is counted');
# The worker calls FinishPreparedTransaction() itself; no hook sees it.
is($counted->{commits} + $counted->{commits_async},
	$records->{COMMIT},
	'two-phase subscriber: every commit but that of COMMIT PREPARED is counted');
is($node->sql('SELECT count(*) FROM logged WHERE n = 4'),
	'1', 'two-phase subscriber: the row has arrived');

# A worker that has just begun counts as a sibling in its first transaction.
$node->sql(q{CREATE TABLE go (n int);
CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
'BEGIN WHILE NOT EXISTS (SELECT FROM public.go) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NULL; END';
CREATE TRIGGER wait AFTER INSERT ON logged FOR EACH ROW EXECUTE FUNCTION wait();
ALTER TABLE logged ENABLE ALWAYS TRIGGER wait;
ALTER SUBSCRIPTION sub DISABLE});
$node->wait_until(
	q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type ~ 'logical replication (apply )?worker'}
);
$publisher->sql('INSERT INTO logged VALUES (5)');
$node->sql('ALTER SUBSCRIPTION sub ENABLE');
$node->wait_until(
	q{SELECT count(*) = 1 FROM pg_stat_activity
WHERE backend_type ~ 'logical replication' AND backend_xid IS NOT NULL AND wait_event = 'PgSleep'});
is( $node->sql(q{SELECT commit_stats_reset() IS NOT NULL;
INSERT INTO go VALUES (1);
SELECT siblings_max FROM commit_flush_stats}),
	"t\n1",
	'a worker is a sibling before its first commit');
$publisher->wait_for_catchup('sub');
$node->sql('DROP SUBSCRIPTION sub');

# Autovacuum
$node->sql(q{CREATE TABLE filled (n int)
WITH (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0,
	  autovacuum_analyze_threshold = 1, autovacuum_analyze_scale_factor = 0)});
($counted, $records) = $node->observe(sub {
	$node->sql(q{INSERT INTO filled SELECT generate_series(1, 1000);
DELETE FROM filled;
ALTER SYSTEM SET autovacuum = on;
ALTER SYSTEM SET autovacuum_naptime = 1;
SELECT pg_reload_conf()});
	$node->wait_until(q{SELECT autovacuum_count > 0 AND autoanalyze_count > 0
FROM pg_stat_user_tables WHERE relname = 'filled'});
	$node->sql(q{ALTER SYSTEM SET autovacuum = off;
SELECT pg_reload_conf()});
	$node->wait_until(q{SELECT count(*) = 0 FROM pg_stat_activity
WHERE backend_type IN ('autovacuum launcher', 'autovacuum worker')});
});
cmp_ok($records->{COMMIT}, '>', 2, 'autovacuum: it committed');
is_exact('autovacuum');
is($node->sql("SELECT count(*) FROM commit_client_stats WHERE status = 'overflow'"),
	0, 'autovacuum: the launcher, which has no role, is a client like others');

end_test($node, $publisher);
