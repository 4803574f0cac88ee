--
-- The settings: contexts, limits and privileges
--
\set VERBOSITY terse

-- The same for all sessions, or half of a flush group would count
SET commit_stats.enabled = off;
-- Shared memory is allocated once
SET commit_stats.flush_log_size = 4096;
ALTER SYSTEM SET commit_stats.flush_log_size = 127;
ALTER SYSTEM SET commit_stats.flush_log_size = 131073;
ALTER SYSTEM SET commit_stats.flush_log_size = 'many';
ALTER SYSTEM SET commit_stats.enabled = 'maybe';
-- The postmaster saves
SET commit_stats.save = off;
SET commit_stats.log_flushes = 'maybe';
ALTER SYSTEM SET commit_stats.max_clients = 9;
ALTER SYSTEM SET commit_stats.max_clients = 10001;
SET commit_stats.slow_commit_time = 'long';
SET commit_stats.stall_time = 'short';
SET commit_stats.log_slow_commits = on;

-- One process reads these for all
SET commit_stats.adaptive_delay = on;
ALTER SYSTEM SET commit_stats.adaptive_delay = 'pace';
ALTER SYSTEM SET commit_stats.adaptive_delay = 'gather';
SET commit_stats.adaptive_delay_max = 1000;
ALTER SYSTEM SET commit_stats.adaptive_delay_max = -1;
ALTER SYSTEM SET commit_stats.adaptive_delay_max = 100001;
ALTER SYSTEM SET commit_stats.adaptive_delay_max = 'long';
SET commit_stats.log_delay_changes = on;
ALTER SYSTEM SET commit_stats.log_delay_changes = 'maybe';

-- What they do is known as far as they do it, on a server in use as well
SELECT adaptive_delay = current_setting('commit_stats.adaptive_delay')::boolean AS setting,
       in_force <= adaptive_delay AS in_force,
       num_nulls(reason, changed_at) = CASE changes WHEN 0 THEN 2 ELSE 0 END AS changed,
       num_nulls(trial, tried_spacing) = CASE trials WHEN 0 THEN 2 ELSE 0 END AS tried,
       num_nulls(quota_flush_rate, quota_window, quota_spacing) IN (0, 3) AS quota,
       trials_won <= trials AND quotas_refuted <= quotas_found AS numbers
FROM commit_delay_state;
SELECT (SELECT count(*) FROM commit_delay_changes) = least(changes, 64) AS kept
FROM commit_delay_state;

-- The prefix is reserved: a mistyped name is an error, not a new setting
SET commit_stats.nonsense = 1;
SHOW commit_stats.nonsense;

-- log_flushes is for superusers, for a session or a transaction
SET commit_stats.log_flushes = on;
SHOW commit_stats.log_flushes;
RESET commit_stats.log_flushes;
BEGIN;
SET LOCAL commit_stats.log_flushes = on;
SHOW commit_stats.log_flushes;
COMMIT;
SHOW commit_stats.log_flushes;

-- It does not change the counts; t/flush_logger.pl tests what it writes
SET commit_stats.log_flushes = on;
CALL mark();
INSERT INTO durable VALUES (1);
SELECT * FROM since_mark(sync => 1);
SELECT led(1);
RESET commit_stats.log_flushes;

\set VERBOSITY default
