--
-- commit_slow_log and commit_stall_log: commits and flushes that took long
--
SET commit_stats.slow_commit_time = 0;
SET application_name = 'slow log';
SELECT commit_stats_reset() IS NOT NULL AS reset;
-- Another process can flush for one of these, but hardly for all
DO $$ BEGIN FOR i IN 1 .. 10 LOOP INSERT INTO durable VALUES (1); COMMIT; END LOOP; END $$;
SET commit_stats.slow_commit_time = 2147483647;

-- Each commit is one row, with all of its time
SELECT count(*) FROM commit_slow_log WHERE pid = pg_backend_pid();
SELECT pid = pg_backend_pid() AS pid, datname = current_database() AS datname,
       rolname = current_user AS rolname, application_name, synchronous_commit,
       role, duration > 0 AS duration, notify_time, delay_time,
       flush_time > 0 AS flush_time, standby_time_min, standby_time_max,
       abs(duration - flush_time - other_time) < 0.001 AS whole,
       commits_in_flush, leader_pid = pid AS leader,
       leader_application_name = application_name AS named, wal_bytes > 0 AS wal_bytes,
       flush_wal_bytes >= wal_bytes AS flush_wal_bytes
FROM commit_slow_log
WHERE pid = pg_backend_pid() AND role = 'leader' AND commits_in_flush = 1
ORDER BY ended_at LIMIT 1;

-- The flush is measured, or follows from when the flush pointer was seen
SELECT commit_stats_reset() IS NOT NULL AS reset;
SET commit_stats.slow_commit_time = 0;
SET track_wal_io_timing = on;
DO $$ BEGIN FOR i IN 1 .. 10 LOOP INSERT INTO durable VALUES (1); COMMIT; END LOOP; END $$;
SET track_wal_io_timing = off;
DO $$ BEGIN FOR i IN 1 .. 10 LOOP INSERT INTO durable VALUES (1); COMMIT; END LOOP; END $$;
-- An asynchronous commit waits for no flush
SET synchronous_commit = off;
INSERT INTO durable VALUES (1);
RESET synchronous_commit;
-- A commit with NOTIFY that nobody else makes wait
NOTIFY slow;
-- What writes nothing is not timed
SELECT 1 AS one;
SET commit_stats.slow_commit_time = 2147483647;
SELECT DISTINCT role, synchronous_commit, flush_timed, notify_time, other_time IS NOT NULL AS other,
       commits_in_flush, leader_pid IS NOT NULL AS leader
FROM commit_slow_log
WHERE pid = pg_backend_pid() AND (role <> 'leader' OR commits_in_flush = 1) AND role <> 'follower'
ORDER BY role DESC, synchronous_commit, flush_timed DESC;

-- ... also if its commit took less than a microsecond
SELECT commit_stats_reset() IS NOT NULL AS reset;
SET commit_stats.slow_commit_time = 0;
DO $$ BEGIN FOR i IN 1 .. 5000 LOOP NOTIFY slow; COMMIT; END LOOP; END $$;
SET commit_stats.slow_commit_time = 2147483647;
SELECT slow_commits FROM commit_flush_stats;

-- Without a limit, nothing is noted
SELECT commit_stats_reset() IS NOT NULL AS reset;
INSERT INTO durable VALUES (1);
SELECT count(*) FROM commit_slow_log WHERE pid = pg_backend_pid();

-- A limit that nothing reaches
SET commit_stats.slow_commit_time = '1h';
INSERT INTO durable VALUES (1);
SELECT count(*) FROM commit_slow_log WHERE pid = pg_backend_pid();

-- Stalls: the setting, or what is usual here
SET commit_stats.stall_time = '1h';
SELECT stall_limit FROM commit_stats_info;
SET commit_stats.stall_time = 0;
SELECT stall_limit FROM commit_stats_info;
SET commit_stats.stall_time = -1;
SELECT stall_limit > 5 AS stall_limit FROM commit_stats_info;
RESET commit_stats.stall_time;

-- Slow commits: likewise
SELECT slow_commit_limit FROM commit_stats_info;
SET commit_stats.slow_commit_time = 2147483647;
SELECT slow_commit_limit FROM commit_stats_info;
SET commit_stats.slow_commit_time = -1;
SELECT slow_commit_limit > 5 AS slow_commit_limit FROM commit_stats_info;
RESET commit_stats.slow_commit_time;
RESET track_wal_io_timing;
RESET application_name;
