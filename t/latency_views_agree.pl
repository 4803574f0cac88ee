# Do the views of latencies agree with each other, and with pgbench about how
# many commits there were?
#
# Also, nothing may be lost when a cell of a backend's histogram overflows.
# How near the latencies are to those that pgbench logs is in
# t/statistics/latencies.pl.

use CommitStats;

my $node = start_node(
	'latency', conf => q{
commit_siblings = 0
track_wal_io_timing = on
});

for my $delay (10_000, 100_000)
{
	$node->alter_system(commit_delay => $delay);
	$node->sql('SELECT commit_stats_reset()');
	run_pgbench($node, '-c 4 -j 2 -t 20', insert => 'INSERT INTO logged VALUES (1);');
	is( $node->sql(
			qq{SELECT sum(commits), bool_and(commit_time >= commits * $delay / 1000) FILTER (WHERE role = 'leader')
FROM commit_latency_stats WHERE wait_level = 'local'}),
		'80|t',
		"delay $delay: every transaction is there, and the sleep is part of it");
}

$node->alter_system(commit_delay => 0);
run_pgbench(
	$node, '-c 8 -j 2 -t 200',
	durable => 'INSERT INTO logged VALUES (1);',
	relaxed => 'SET synchronous_commit = off; INSERT INTO logged VALUES (1);');
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

# What a reset leaves behind
$node->sql('SELECT commit_stats_reset()');
is( $node->sql(q{SELECT (SELECT count(*) FROM commit_latency_stats),
	   (SELECT count(*) FROM commit_latency_histogram),
	   (SELECT count(*) FROM commit_flush_latency_histogram)}),
	'0|0|0',
	'nothing after a reset');
$node->sql('INSERT INTO logged VALUES (1)');
views_agree($node, 'after a reset');

end_test($node);
