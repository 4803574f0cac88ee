--
-- commit_stats_info: the state of the module
--
SELECT enabled = current_setting('commit_stats.enabled')::bool AS enabled,
       leader_evidence IN ('wal_sync', 'wal_write') AS leader_evidence,
       connected_backends BETWEEN 1 AND
         (SELECT count(*) FROM pg_stat_activity) AS connected_backends,
       siblings_exact = (connected_backends <= 65) AS siblings_exact,
       sibling_count_share <= 100 AS sibling_count_share,
       clients_tracked = (SELECT count(roleid) FROM commit_client_stats)
         AS clients_tracked,
       clients_max, stall_limit > 0 AS stall_limit, sweep_pid, capturing,
       stats_reset < now() AS stats_reset
FROM commit_stats_info;

-- A flush shows as a sync where the server syncs after it has written
SELECT leader_evidence = 'wal_sync' AS syncs
FROM commit_stats_info
WHERE current_setting('fsync')::bool AND
      current_setting('wal_sync_method') NOT LIKE 'open%'
UNION ALL
SELECT leader_evidence = 'wal_write'
FROM commit_stats_info
WHERE NOT current_setting('fsync')::bool OR
      current_setting('wal_sync_method') LIKE 'open%';

-- track_wal_io_timing of this session decides how certain the verdicts on delays are
SET track_wal_io_timing = on;
SELECT delay_evidence FROM commit_stats_info;
SET track_wal_io_timing = off;
SELECT delay_evidence FROM commit_stats_info;
RESET track_wal_io_timing;

-- A backend is connected until it exits
SELECT connected_backends AS before FROM commit_stats_info \gset
\c
\c
\c
\c
\c
\c
\c
\c
SELECT connected_backends - :before < 8 AS forgotten
FROM commit_stats_info;
