--
-- Privileges to read, reset and log.  The views show what other users do, so reading
-- them needs the privilege that pg_stat_activity needs for other users.
--
\set VERBOSITY terse
CREATE ROLE regress_commit_plain;
CREATE ROLE regress_commit_reader IN ROLE pg_read_all_stats;
CREATE ROLE regress_commit_monitor IN ROLE pg_monitor;
CREATE ROLE regress_commit_super SUPERUSER;
CREATE ROLE regress_commit_owns_nothing;
CREATE SCHEMA regress_commit_schema AUTHORIZATION regress_commit_plain;

-- What each role may read: all of a view; of a function, whether it may be called,
-- without a call
CREATE FUNCTION pg_temp.may(role name, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', role);
	EXECUTE query;
	RESET ROLE;
	RETURN 'may';
EXCEPTION WHEN insufficient_privilege THEN
	RETURN '';
END $$;
CREATE TEMP VIEW tried AS
SELECT c.relname::text AS object, 'SELECT * FROM ' || c.oid::regclass AS query
FROM pg_class c, pg_depend d, pg_extension e
WHERE e.extname = 'commit_stats' AND d.refobjid = e.oid AND d.deptype = 'e' AND
      d.classid = 'pg_class'::regclass AND d.objid = c.oid
UNION ALL
SELECT p.proname || '()', format('SELECT * FROM %s(%s) LIMIT 0', p.oid::regproc,
       (SELECT string_agg('NULL::' || a::regtype, ', ') FROM unnest(p.proargtypes) a))
FROM pg_proc p, pg_depend d, pg_extension e
WHERE e.extname = 'commit_stats' AND d.refobjid = e.oid AND d.deptype = 'e' AND
      d.classid = 'pg_proc'::regclass AND d.objid = p.oid;
SELECT object,
       pg_temp.may('regress_commit_super', query) AS superuser,
       pg_temp.may('regress_commit_monitor', query) AS pg_monitor,
       pg_temp.may('regress_commit_reader', query) AS pg_read_all_stats,
       pg_temp.may('regress_commit_plain', query) AS plain,
       pg_temp.may('regress_commit_owns_nothing', query) AS owns_nothing
FROM tried ORDER BY object COLLATE "C";

-- No role
SET ROLE regress_commit_plain;
SELECT commits FROM commit_flush_stats; -- fails
SELECT commits FROM commit_flush_stats(); -- fails
SET commit_stats.log_flushes = on; -- fails
SET commit_stats.slow_commit_time = 0; -- fails
SHOW commit_stats.log_flushes;
RESET ROLE;

-- A user's own view does not help: its owner needs the privilege
SET ROLE regress_commit_plain;
CREATE VIEW regress_commit_schema.mine AS SELECT * FROM public.commit_flush_stats;
SELECT commits FROM regress_commit_schema.mine; -- fails
RESET ROLE;

-- pg_read_all_stats may read, but not reset
SET ROLE regress_commit_reader;
SELECT count(*) > 0 AS read FROM commit_client_stats();
SELECT count(*) > 0 AS read FROM commit_activity();
SELECT count(*) AS read FROM commit_stats_sample('10 ms');
SELECT count(*) AS read FROM commit_stats_rates();
SELECT is_best FROM commit_delay_sweep('{0}'); -- fails
SELECT commit_stats_report() IS NOT NULL AS read;
SELECT is_best FROM commit_delay_whatif('{0}'); -- fails
SELECT remedy FROM commit_remedies(); -- fails
SELECT commit_stats_reset(); -- fails
SET commit_stats.log_flushes = on; -- fails
SET commit_stats.slow_commit_time = 0; -- fails
RESET ROLE;

-- All of it can be granted
GRANT EXECUTE ON FUNCTION commit_stats_reset(),
	commit_delay_sweep(integer[], integer[], interval, interval, interval, boolean),
	commit_delay_whatif(integer[], integer[], interval), commit_remedies(interval)
	TO regress_commit_monitor;
GRANT SET ON PARAMETER commit_stats.log_flushes TO regress_commit_monitor;
SET ROLE regress_commit_monitor;
SELECT commit_stats_reset() IS NOT NULL AS reset;
SELECT is_best FROM commit_delay_sweep('{0}', slot => '1 ms'); -- fails, but is called
SELECT is_best FROM commit_delay_whatif('{0}', sample => '1 ms'); -- fails, but is called
SELECT remedy FROM commit_remedies('1 ms'); -- fails, but is called
SET commit_stats.log_flushes = on;
SHOW commit_stats.log_flushes;
RESET commit_stats.log_flushes;
RESET ROLE;
SET ROLE regress_commit_reader;
SELECT is_best FROM commit_delay_sweep('{0}'); -- still fails
SELECT is_best FROM commit_delay_whatif('{0}'); -- still fails
SELECT commit_stats_reset(); -- still fails
RESET ROLE;

-- Commits of users without the privilege count as well
GRANT INSERT ON durable TO regress_commit_plain;
SET ROLE regress_commit_plain;
INSERT INTO durable VALUES (1);
RESET ROLE;
CALL mark();
SET SESSION AUTHORIZATION regress_commit_plain;
INSERT INTO durable VALUES (1);
RESET SESSION AUTHORIZATION;
SELECT * FROM since_mark(sync => 1);

REVOKE SET ON PARAMETER commit_stats.log_flushes FROM regress_commit_monitor;
DROP OWNED BY regress_commit_plain, regress_commit_reader, regress_commit_monitor;
DROP ROLE regress_commit_plain, regress_commit_reader, regress_commit_monitor,
	regress_commit_super, regress_commit_owns_nothing;
\set VERBOSITY default
