--
-- More flushes than the log has rows: the log keeps its size, and the histograms still
-- have the flushes that have left it
--
CALL start_over();
SELECT current_setting('commit_stats.flush_log_size')::int AS size \gset
-- The ring has twice the next power of 2 of groups, all of which the load fills; with a
-- large ring that would take too long
SELECT set_config('regress.n',
                  (2 * least(2 ^ ceil(log(2, :size)), 4096) + 200)::int::text, false) AS n \gset
CALL mark();
DO $$
BEGIN
  FOR i IN 1..current_setting('regress.n')::int LOOP
    INSERT INTO durable VALUES (i);
    COMMIT;
  END LOOP;
END $$;
SELECT commits = :n AS commits FROM since_mark(sync => :n);

-- A few groups in the ring may have carried no commit, and are not shown
SELECT count(*) BETWEEN 0.9 * least(:size, :n) AND :size AS size FROM commit_flush_log;
SELECT sum(flushes) > least(:size, :n) AS more_than_the_log FROM commit_flush_histogram;
SELECT * FROM add_up();

-- A reset forgets both
SELECT pg_current_wal_insert_lsn() AS lsn \gset
CALL start_over();
SELECT count(*) AS older FROM commit_flush_log
WHERE leader_pid = pg_backend_pid() AND flush_lsn <= :'lsn';
SELECT coalesce(sum(flushes), 0) < :size AS forgotten FROM commit_flush_histogram;
SELECT * FROM add_up();
