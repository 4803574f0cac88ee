# Is a reset safe while many sessions commit and read?
#
# A reset stores what was counted so far, and views subtract it, while the
# counters go on growing.  In the wrong order a count would become negative, or
# a view would show flushes that another view has forgotten.  pgbench runs
# writers, readers and a session that resets, all at once; what a reader finds
# wrong is an error that ends the run.

use CommitStats;

# The smallest ring and the fastest flushes, for the most folds.
my $node = start_node(
	'reset',
	conf => q{
commit_stats.flush_log_size = 128
fsync = off
});

create_read_all($node);

# After a reset, and without another one, a first reading is never more than a
# later one.  If it were, the reset would have missed a part.
$node->sql(q{CREATE TABLE resets (stats_reset timestamptz);
CREATE FUNCTION reset_and_compare() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	reset timestamptz;
	in_histogram record;
	stats record;
BEGIN
	FOR i IN 1 .. 5 LOOP
		reset := commit_stats_reset();
		SELECT sum(flushes) AS flushes, sum(commits) AS commits
		INTO in_histogram FROM commit_flush_histogram;
		SELECT * INTO stats FROM commit_flush_stats;
		IF stats.stats_reset <> reset THEN
			RAISE EXCEPTION 'reset at %, shown as %', reset, stats.stats_reset;
		END IF;
		IF in_histogram.flushes > stats.flushes OR
			in_histogram.commits > stats.commits
		THEN
			RAISE EXCEPTION 'histogram: %, stats: %', in_histogram, stats;
		END IF;
	END LOOP;
	INSERT INTO resets VALUES (reset);
END $$;
});

eval {
	run_pgbench(
		$node, '-c 8 -j 2 -t 300', storm => q{
\if :client_id < 5
	INSERT INTO logged VALUES (:client_id);
	INSERT INTO logged VALUES (:client_id);
	INSERT INTO logged VALUES (:client_id);
	INSERT INTO logged VALUES (:client_id);
\elif :client_id < 7
	SELECT read_all();
\else
	SELECT reset_and_compare();
\endif
});
};
is($@, '', 'no client found anything wrong');

is($node->sql('SELECT count(*) FROM logged'), 6000, 'all commits were done');
is($node->sql('SELECT count(DISTINCT stats_reset) FROM resets'), 300, 'each reset had its time');
is( $node->sql(q{SELECT (SELECT max(stats_reset) FROM resets) = stats_reset
FROM commit_stats_info}),
	't',
	'the last of them is shown');

# After a reset at rest nothing is left of the load.
$node->sql('SELECT commit_stats_reset()');
is( $node->sql(q{SELECT commits, flushes, followers, commits_without_leader, wal_bytes,
	   unresolved_flushes, unresolved_commits,
	   (SELECT count(*) FROM commit_flush_histogram),
	   (SELECT count(*) FROM commit_sibling_histogram),
	   (SELECT count(*) FROM commit_flush_log)
FROM commit_flush_stats}),
	'0|0|0|0|0|0|0|0|0|0',
	'a reset at rest leaves nothing');

my ($counted, $records) = $node->observe(sub {
	run_pgbench($node, '-c 5 -j 2 -t 100', after => 'INSERT INTO logged VALUES (1)');
});
counts_load($counted, $records, 500, 'afterwards');
views_agree($node, 'afterwards');

end_test($node);
