# Does each commit count once, and as the kind of commit that it was?
#
# The witness is pg_waldump: it lists the commit records in the WAL, and knows
# nothing of commit_stats.

use CommitStats;

my $node = start_node('counts', conf => 'max_prepared_transactions = 10');
my ($counted, $records);

$node->sql(q{CREATE UNLOGGED TABLE unlogged (n int);
CREATE PROCEDURE commit_often(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		INSERT INTO logged VALUES (i);
		COMMIT;
	END LOOP;
END $$;
});

my $insert = 'INSERT INTO logged VALUES (1)';

# One client, which shares no flush.
($counted, $records) = $node->observe(sub { run_pgbench($node, '-c 1 -t 200', one => $insert) });
counts_load($counted, $records, 200, 'one client');
is($counted->{followers}, 0, 'one client: every commit flushed itself');

# Several clients, which share flushes however fast the disk is.
{
	local $ENV{PGOPTIONS} = '-c commit_delay=500 -c commit_siblings=1';
	($counted, $records) =
	  $node->observe(sub { run_pgbench($node, '-c 8 -j 2 -t 150', many => $insert) });
}
counts_load($counted, $records, 1200, 'many clients');
cmp_ok($counted->{flushes}, '>', 0, 'many clients: there were flushes');
cmp_ok($counted->{flushes}, '<', 1200, 'many clients: flushes were shared');
cmp_ok($counted->{commit_time}, '>', 0, 'many clients: commits took time');

views_agree($node, 'many clients');
is( $node->sql(q{SELECT (SELECT sum(flushes) FROM commit_sibling_histogram) =
	(SELECT sum(flushes) FROM commit_flush_histogram)}),
	't',
	'many clients: the histogram of siblings has all flushes');

# Transactions of every kind at the same time; each client runs one kind.
my $mix = q{
\if :client_id < 3
	INSERT INTO logged VALUES (1);
\elif :client_id = 3
	BEGIN;
	SET LOCAL synchronous_commit = off;
	INSERT INTO logged VALUES (1);
	COMMIT;
\elif :client_id = 4
	INSERT INTO unlogged VALUES (1);
\elif :client_id = 5
	SELECT count(*) FROM pg_am;
\elif :client_id = 6
	BEGIN;
	INSERT INTO logged VALUES (1);
	ROLLBACK;
\elif :client_id = 7
	BEGIN;
	INSERT INTO logged VALUES (1);
	PREPARE TRANSACTION 'committed';
	COMMIT PREPARED 'committed';
\elif :client_id = 8
	BEGIN;
	INSERT INTO logged VALUES (1);
	PREPARE TRANSACTION 'rolled back';
	ROLLBACK PREPARED 'rolled back';
\else
	CALL commit_often(3);
\endif
};
($counted, $records) = $node->observe(sub { run_pgbench($node, '-c 10 -j 2 -t 100', mix => $mix) });
is($records->{COMMIT}, 300 + 100 + 100 + 300, 'mixed load: COMMIT records are what they should be');
is($records->{COMMIT_PREPARED}, 100, 'mixed load: COMMIT_PREPARED records are what they should be');
is( $counted->{commits} + $counted->{commits_async} + $counted->{commits_unlogged},
	$records->{COMMIT} + $records->{COMMIT_PREPARED},
	'mixed load: every commit record is counted');
is($counted->{commits}, 700, 'mixed load: those that waited');
is($counted->{commits_async}, 100, 'mixed load: asynchronous ones');
is($counted->{commits_unlogged}, 100, 'mixed load: unlogged ones');
cmp_ok($counted->{commits_read_only}, '>=', 100, 'mixed load: read-only ones');
is($counted->{prepares}, $records->{PREPARE}, 'mixed load: prepares');
is($counted->{prepares}, 200, 'mixed load: prepares are what they should be');
cmp_ok($counted->{flushes}, '>', 0, 'mixed load: there were flushes');
cmp_ok(
	$counted->{flushes}, '<=',
	$counted->{commits} + $counted->{prepares},
	'mixed load: only commits and prepares led');
views_agree($node, 'mixed load');

# Commits of one session, until more than 65,535 are in one cell.
$node->sql('SELECT commit_stats_reset()');
is( $node->sql(q{SET synchronous_commit = off;
DO $$
DECLARE
	n int := 0;
BEGIN
	WHILE (SELECT coalesce(max(commits), 0) FROM commit_latency_histogram
		   WHERE role = 'asynchronous') <= 65535 LOOP
		FOR i IN 1 .. 50000 LOOP
			INSERT INTO logged VALUES (i);
			COMMIT;
		END LOOP;
		n := n + 50000;
	END LOOP;
	PERFORM set_config('test.commits', n::text, false);
END $$;
SELECT sum(commits) - current_setting('test.commits')::int FROM commit_latency_histogram
WHERE role = 'asynchronous'}),
	0,
	'a cell overflows, and nothing is lost');

end_test($node);
