--
-- commit_stats.enabled = off makes the module do nothing.  Only the configuration file
-- can change the setting; a new connection has it for certain.
--
ALTER SYSTEM SET commit_stats.enabled = off;
SELECT pg_reload_conf();
\c
SHOW commit_stats.enabled;
SELECT enabled FROM commit_stats_info;

-- No commit counts
CALL mark();
INSERT INTO durable VALUES (1);
INSERT INTO durable VALUES (2);
SET synchronous_commit = off;
INSERT INTO durable VALUES (3);
RESET synchronous_commit;
SELECT pg_current_xact_id() IS NOT NULL AS has_id;
SELECT * FROM since_mark(own_ids => 4);
SELECT count(*) FROM own_flushes();

-- The views still show earlier counts, and a reset works
SELECT commits > 0 AS commits FROM commit_flush_stats;
SELECT stats_reset AS before FROM commit_flush_stats \gset
SELECT commit_stats_reset() > :'before' AS reset;

-- On again
ALTER SYSTEM RESET commit_stats.enabled;
SELECT pg_reload_conf();
\c
SHOW commit_stats.enabled;
SELECT enabled FROM commit_stats_info;
CALL mark();
INSERT INTO durable VALUES (1);
SELECT * FROM since_mark(sync => 1);
SELECT led(1);
CALL start_over();
INSERT INTO durable VALUES (1);
SELECT * FROM add_up();
