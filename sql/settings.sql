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
