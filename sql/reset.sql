--
-- commit_stats_reset() starts from zero
--
DO $$
BEGIN
  FOR i IN 1..20 LOOP
    INSERT INTO durable VALUES (i);
    COMMIT;
    COMMIT;
  END LOOP;
END $$;
SELECT stats_reset AS before FROM commit_flush_stats \gset
SELECT commits >= 20 AS commits, commits_read_only >= 20 AS read_only,
       commit_time > 0 AS commit_time, wal_bytes > 0 AS wal_bytes
FROM commit_flush_stats;

-- It returns the time of the reset, which all views show
CALL mark();
SELECT commit_stats_reset() AS reset \gset
SELECT :'reset'::timestamptz > :'before' AS later,
       :'reset'::timestamptz BETWEEN now() - interval '1 minute' AND now() AS just_now;
SELECT stats_reset = :'reset' AS same FROM commit_flush_stats;
SELECT stats_reset = :'reset' AS same FROM commit_stats_info;

-- Only what other sessions did since is left
SELECT commits <= others AS commits, commits_async <= others AS async,
       commits_unlogged <= others AS unlogged, prepares <= others AS prepares,
       commits_read_only < 20 OR others > 0 AS read_only,
       flushes <= others AS flushes, followers <= others AS followers,
       delay_hits + delay_misses <= others AS delays,
       commit_time = 0 OR others > 0 AS commit_time,
       wal_bytes = 0 OR others > 0 AS wal_bytes,
       commits_per_flush IS NULL OR others > 0 AS average,
       siblings_avg IS NULL OR others > 0 AS siblings_avg,
       siblings_max IS NULL OR others > 0 AS siblings_max
FROM commit_flush_stats, LATERAL (SELECT finished_ids() - at_mark('ids') AS others) o;
SELECT coalesce(sum(flushes), 0) <= finished_ids() - at_mark('ids') AS empty
FROM commit_flush_histogram;
SELECT coalesce(sum(flushes), 0) <= finished_ids() - at_mark('ids') AS empty
FROM commit_sibling_histogram;
SELECT count(*) AS older FROM commit_flush_log
WHERE leader_pid = pg_backend_pid();

-- Counting goes on
CALL mark();
INSERT INTO durable VALUES (1);
SELECT * FROM since_mark(sync => 1);
SELECT led(1);

-- A reset is not transactional: ROLLBACK does not undo it
BEGIN;
SELECT commit_stats_reset() AS again \gset
ROLLBACK;
SELECT stats_reset = :'again' AS same, stats_reset > :'reset' AS later
FROM commit_flush_stats;

-- A transaction in progress counts when it commits
CALL mark();
BEGIN;
INSERT INTO durable VALUES (1);
SELECT commit_stats_reset() IS NOT NULL AS reset;
COMMIT;
SELECT commits >= 1 AS counted, commits <= finished_ids() - at_mark('ids') AS once
FROM commit_flush_stats;
