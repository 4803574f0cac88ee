--
-- commit_stats_rates: what counts as a look, and since when it shows.
-- t/rates_and_samples.pl compares the figures with others.
--
-- The first look shows the time since the last reset
SELECT since, wal_bytes_per_second > 0 AS wal FROM commit_stats_rates();
SELECT since, elapsed < 60 AS just_now, commits_per_second >= 0 AS commits,
       commits_async_per_second >= 0 AS async, flushes_per_second >= 0 AS flushes,
       wal_bytes_per_second >= 0 AS wal
FROM commit_stats_rates();

-- So does the first look after a reset
SELECT commit_stats_reset() IS NOT NULL AS reset;
SELECT since, elapsed < 60 AS just_now FROM commit_stats_rates();
SELECT since FROM commit_stats_rates();

-- Each call in a query is a look
SELECT commit_stats_reset() IS NOT NULL AS reset;
SELECT since FROM commit_stats_rates() UNION ALL SELECT since FROM commit_stats_rates();

-- A look is no part of a transaction: rolling back does not undo it
SELECT commit_stats_reset() IS NOT NULL AS reset;
BEGIN;
SELECT since FROM commit_stats_rates();
SAVEPOINT s;
SELECT commit_stats_reset() IS NOT NULL AS reset;
SELECT since FROM commit_stats_rates();
ROLLBACK TO s;
SELECT since FROM commit_stats_rates();
ROLLBACK;
SELECT since FROM commit_stats_rates();

-- A cursor looks once, at its first FETCH
BEGIN;
SELECT commit_stats_reset() IS NOT NULL AS reset;
DECLARE c SCROLL CURSOR FOR SELECT since FROM commit_stats_rates();
FETCH c;
FETCH FIRST c;
SELECT since FROM commit_stats_rates();
COMMIT;

-- The session looks, not a process that works for it
SELECT set_config(name, 'on', false) AS forced FROM pg_settings
WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SELECT commit_stats_reset() IS NOT NULL AS reset;
SELECT since FROM commit_stats_rates();
SELECT since FROM commit_stats_rates();
\c
SELECT since FROM commit_stats_rates();
