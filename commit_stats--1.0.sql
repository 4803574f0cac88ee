/* commit_stats--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION commit_stats" to load this file. \quit

-- The owner of the extension's schema may have put operators and functions there.
-- The parser prefers those of pg_catalog only if their argument types match exactly.
-- The views therefore pass exact types, or qualify the name with its schema.

--
-- commit_flush_stats: one row for the whole server
--
CREATE FUNCTION commit_flush_stats(
	OUT commits bigint,
	OUT commits_async bigint,
	OUT commits_unlogged bigint,
	OUT commits_read_only bigint,
	OUT prepares bigint,
	OUT flushes bigint,
	OUT flushes_uncertain bigint,
	OUT followers bigint,
	OUT commits_without_leader bigint,
	OUT delay_hits bigint,
	OUT delay_misses bigint,
	OUT delay_uncertain bigint,
	OUT delay_time double precision,
	OUT delay_hits_adaptive bigint,
	OUT siblings_avg double precision,
	OUT siblings_max bigint,
	OUT commit_time double precision,
	OUT prepare_time double precision,
	OUT flush_time double precision,
	OUT timed_flushes bigint,
	OUT slow_commits bigint,
	OUT stalls bigint,
	OUT stall_time double precision,
	OUT inferred_flushes bigint,
	OUT unresolved_flushes bigint,
	OUT unresolved_commits bigint,
	OUT wal_bytes numeric,
	OUT stats_reset timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_flush_stats_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 1;

CREATE VIEW commit_flush_stats AS
SELECT commits, commits_async, commits_unlogged, commits_read_only, prepares,
       flushes, flushes_uncertain,
       round((commits - commits_without_leader)::numeric
             / nullif(flushes, 0)::numeric, 2)
           AS commits_per_flush,
       followers, commits_without_leader,
       delay_hits, delay_misses, delay_uncertain, delay_time,
       delay_hits_adaptive,
       siblings_avg, siblings_max, commit_time, prepare_time, flush_time,
       timed_flushes,
       slow_commits, stalls, stall_time,
       inferred_flushes, unresolved_flushes, unresolved_commits, wal_bytes, stats_reset
FROM commit_flush_stats();

--
-- commit_client_stats: one row for each database, database role and application_name
-- commit_database_stats: one row for each database
--
CREATE FUNCTION commit_client_stats(
	OUT datid oid,
	OUT roleid oid,
	OUT application_name text,
	OUT sessions bigint,
	OUT commits bigint,
	OUT commits_async bigint,
	OUT commits_unlogged bigint,
	OUT commits_read_only bigint,
	OUT prepares bigint,
	OUT flushes bigint,
	OUT commits_carried bigint,
	OUT delay_hits bigint,
	OUT delay_misses bigint,
	OUT delay_uncertain bigint,
	OUT delay_time double precision,
	OUT commit_time double precision,
	OUT prepare_time double precision,
	OUT flush_time double precision,
	OUT timed_flushes bigint,
	OUT wal_bytes numeric,
	OUT commits_notify bigint,
	OUT slow_commits bigint,
	OUT statements bigint,
	OUT transaction_time double precision,
	OUT session_time double precision)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_client_stats_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 20;

-- commits_per_flush is missing: commits of several clients share a flush.
CREATE VIEW commit_client_stats AS
SELECT s.datid, d.datname, s.roleid, r.rolname, s.application_name,
       CASE WHEN s.roleid IS NULL THEN 'overflow'
            WHEN r.oid IS NULL OR d.oid IS NULL AND s.datid IS NOT NULL
            THEN 'dropped'
            ELSE 'present' END AS status,
       s.sessions, s.commits, s.commits_async, s.commits_unlogged,
       s.commits_read_only, s.prepares,
       round((100 * (s.commits + s.commits_async))::numeric
             / nullif(sum(s.commits + s.commits_async) OVER (), 0::numeric), 2)
           AS share,
       s.flushes, s.commits_carried,
       s.delay_hits, s.delay_misses, s.delay_uncertain, s.delay_time,
       s.commit_time, s.prepare_time, s.flush_time, s.timed_flushes,
       s.wal_bytes,
       round(s.wal_bytes
             / nullif(s.commits + s.commits_async, 0)::numeric, 1)
           AS wal_bytes_per_commit,
       s.commits_notify, s.slow_commits, s.statements,
       s.transaction_time, s.session_time,
       round((100::double precision
              * least(s.commit_time + s.prepare_time, s.transaction_time)
              / nullif(s.transaction_time, 0::double precision))::numeric, 2)
           AS transaction_share,
       round((100::double precision
              * least(s.commit_time + s.prepare_time, s.session_time)
              / nullif(s.session_time, 0::double precision))::numeric, 2)
           AS session_share
FROM commit_client_stats() s
     LEFT JOIN pg_database d ON d.oid = s.datid
     LEFT JOIN pg_roles r ON r.oid = s.roleid
ORDER BY s.commits + s.commits_async DESC, s.datid, s.roleid, s.application_name;

CREATE VIEW commit_database_stats AS
SELECT s.datid, d.datname,
       CASE WHEN s.datid IS NULL AND bool_and(s.roleid IS NULL) THEN 'overflow'
            WHEN s.datid IS NULL THEN 'no database'
            WHEN d.datname IS NULL THEN 'dropped'
            ELSE 'present' END AS status,
       sum(s.sessions)::bigint AS sessions,
       sum(s.commits)::bigint AS commits,
       sum(s.commits_async)::bigint AS commits_async,
       sum(s.commits_unlogged)::bigint AS commits_unlogged,
       sum(s.commits_read_only)::bigint AS commits_read_only,
       sum(s.prepares)::bigint AS prepares,
       round(100::numeric * sum(s.commits + s.commits_async)
             / nullif(sum(sum(s.commits + s.commits_async)) OVER (), 0::numeric), 2)
           AS share,
       sum(s.flushes)::bigint AS flushes,
       sum(s.commits_carried)::bigint AS commits_carried,
       sum(s.delay_hits)::bigint AS delay_hits,
       sum(s.delay_misses)::bigint AS delay_misses,
       sum(s.delay_uncertain)::bigint AS delay_uncertain,
       sum(s.delay_time) AS delay_time,
       sum(s.commit_time) AS commit_time,
       sum(s.prepare_time) AS prepare_time,
       sum(s.flush_time) AS flush_time,
       sum(s.timed_flushes)::bigint AS timed_flushes,
       sum(s.wal_bytes) AS wal_bytes,
       round(sum(s.wal_bytes)
             / nullif(sum(s.commits + s.commits_async), 0::numeric), 1)
           AS wal_bytes_per_commit,
       sum(s.commits_notify)::bigint AS commits_notify,
       sum(s.slow_commits)::bigint AS slow_commits,
       sum(s.statements)::bigint AS statements,
       sum(s.transaction_time) AS transaction_time,
       sum(s.session_time) AS session_time,
       round((100::double precision
              * least(sum(s.commit_time + s.prepare_time), sum(s.transaction_time))
              / nullif(sum(s.transaction_time), 0::double precision))::numeric, 2)
           AS transaction_share,
       round((100::double precision
              * least(sum(s.commit_time + s.prepare_time), sum(s.session_time))
              / nullif(sum(s.session_time), 0::double precision))::numeric, 2)
           AS session_share
FROM commit_client_stats() s
     LEFT JOIN pg_database d ON d.oid = s.datid
GROUP BY s.datid, s.datid IS NULL AND s.roleid IS NULL, d.datname
ORDER BY sum(s.commits + s.commits_async) DESC, s.datid;

--
-- commit_statement_stats: one row for each database, database role and statement
--
CREATE FUNCTION commit_statement_stats(
	OUT datid oid,
	OUT roleid oid,
	OUT queryid bigint,
	OUT reason text,
	OUT commits bigint,
	OUT commits_async bigint,
	OUT prepares bigint,
	OUT flushes bigint,
	OUT commits_carried bigint,
	OUT delay_hits bigint,
	OUT commit_time double precision,
	OUT prepare_time double precision,
	OUT flush_time double precision,
	OUT timed_flushes bigint,
	OUT wal_bytes numeric,
	OUT commits_notify bigint,
	OUT slow_commits bigint,
	OUT statements bigint,
	OUT transaction_time double precision)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_statement_stats_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 100;

CREATE FUNCTION commit_statement_texts(
	OUT datid oid,
	OUT roleid oid,
	OUT queryid bigint,
	OUT query text)
RETURNS SETOF record
LANGUAGE plpgsql STRICT VOLATILE PARALLEL UNSAFE ROWS 500
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	schema regnamespace := (
		SELECT p.pronamespace
		FROM pg_extension e JOIN pg_proc p ON p.pronamespace = e.extnamespace
		WHERE e.extname = 'pg_stat_statements' AND p.proname = e.extname
		  AND oidvectortypes(p.proargtypes) = 'boolean'
		  AND has_schema_privilege(e.extnamespace, 'USAGE')
		  AND has_function_privilege(p.oid, 'EXECUTE'));
BEGIN
	-- A library that is not preloaded raises an error.
	IF schema IS NOT NULL AND EXISTS (
		SELECT FROM pg_settings WHERE name = 'pg_stat_statements.max')
	THEN
		RETURN QUERY EXECUTE format(
			'SELECT DISTINCT ON (dbid, userid, queryid) dbid, userid, queryid, query
			 FROM %s.pg_stat_statements(true) WHERE queryid IS NOT NULL', schema);
	END IF;
EXCEPTION WHEN untranslatable_character OR character_not_in_repertoire OR undefined_function THEN
	-- A text of another database does not fit this one's encoding, or no conversion leads to it.
END $$;

CREATE VIEW commit_statement_stats AS
SELECT s.datid, d.datname, s.roleid, r.rolname, s.queryid, t.query, s.reason,
       s.commits, s.commits_async, s.prepares,
       round((100 * (s.commits + s.commits_async))::numeric
             / nullif(sum(s.commits + s.commits_async) OVER (), 0::numeric), 2)
           AS share,
       s.flushes,
       round((100 * s.flushes)::numeric
             / nullif(sum(s.flushes) OVER (), 0::numeric), 2) AS flushes_share,
       s.commits_carried, s.delay_hits, s.commit_time,
       round((100::double precision * s.commit_time
              / nullif(sum(s.commit_time) OVER (), 0::double precision))::numeric, 2)
           AS commit_time_share,
       s.commit_time / nullif(s.commits, 0)::double precision AS commit_mean,
       s.prepare_time, s.flush_time, s.timed_flushes, s.wal_bytes,
       round(100::numeric * s.wal_bytes
             / nullif(sum(s.wal_bytes) OVER (), 0::numeric), 2) AS wal_share,
       round(s.wal_bytes
             / nullif(s.commits + s.commits_async + s.prepares, 0)::numeric, 1)
           AS wal_bytes_per_commit,
       s.commits_notify, s.slow_commits, s.statements, s.transaction_time,
       s.transaction_time
       / nullif(s.commits + s.commits_async + s.prepares, 0)::double precision
           AS transaction_mean,
       round((100::double precision
              * least(s.commit_time + s.prepare_time, s.transaction_time)
              / nullif(s.transaction_time, 0::double precision))::numeric, 2)
           AS transaction_share
FROM commit_statement_stats() s
     LEFT JOIN commit_statement_texts() t
         ON t.datid = s.datid AND t.roleid = s.roleid AND t.queryid = s.queryid
     LEFT JOIN pg_database d ON d.oid = s.datid
     LEFT JOIN pg_roles r ON r.oid = s.roleid
ORDER BY s.commits + s.commits_async DESC, s.datid, s.roleid, s.queryid;

CREATE FUNCTION commit_statement_stats_reset()
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'commit_statement_stats_reset_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

--
-- commit_activity: one row for each session
--
CREATE FUNCTION commit_activity(
	OUT pid integer,
	OUT datid oid,
	OUT roleid oid,
	OUT application_name text,
	OUT commits bigint,
	OUT commits_async bigint,
	OUT commits_unlogged bigint,
	OUT commits_read_only bigint,
	OUT prepares bigint,
	OUT flushes bigint,
	OUT commits_carried bigint,
	OUT commit_time double precision,
	OUT wal_bytes numeric,
	OUT committing_since timestamptz,
	OUT waiting_for text,
	OUT phase text,
	OUT blocked_by integer,
	OUT detail text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_activity_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 50;

CREATE VIEW commit_activity AS
SELECT s.pid, s.datid, d.datname, s.roleid, r.rolname, s.application_name,
       s.commits, s.commits_async, s.commits_unlogged, s.commits_read_only,
       s.prepares, s.flushes, s.commits_carried, s.commit_time, s.wal_bytes,
       s.committing_since, s.waiting_for, s.phase, s.blocked_by, s.detail
FROM commit_activity() s
     LEFT JOIN pg_database d ON d.oid = s.datid
     LEFT JOIN pg_roles r ON r.oid = s.roleid
ORDER BY s.committing_since, s.pid;

--
-- commit_slow_log: one row for each of the latest slow commits
-- commit_stall_log: one row for each of the latest stalls of a flush
--
CREATE FUNCTION commit_slow_log(
	OUT ended_at timestamptz,
	OUT pid integer,
	OUT datid oid,
	OUT roleid oid,
	OUT application_name text,
	OUT client_addr inet,
	OUT queryid bigint,
	OUT synchronous_commit text,
	OUT role text,
	OUT duration double precision,
	OUT transaction_time double precision,
	OUT before_time double precision,
	OUT record_time double precision,
	OUT notify_time double precision,
	OUT delay_time double precision,
	OUT flush_time double precision,
	OUT flush_timed boolean,
	OUT others_flush_time double precision,
	OUT segment_time double precision,
	OUT standby_time_min double precision,
	OUT standby_time_max double precision,
	OUT commit_log_time double precision,
	OUT after_time double precision,
	OUT not_run_time double precision,
	OUT unknown_time double precision,
	OUT other_time double precision,
	OUT cause text,
	OUT waited_for text,
	OUT blocked_by integer,
	OUT notify_pid integer,
	OUT notify_datid oid,
	OUT notify_roleid oid,
	OUT notify_application_name text,
	OUT standby text,
	OUT standby_stage text,
	OUT commits_in_flush bigint,
	OUT leader_pid integer,
	OUT leader_datid oid,
	OUT leader_roleid oid,
	OUT leader_application_name text,
	OUT flush_wal_bytes numeric,
	OUT wal_bytes numeric,
	OUT checkpoint boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_slow_log_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 200;

CREATE VIEW commit_slow_log AS
SELECT s.ended_at, s.pid, s.datid, d.datname, s.roleid, r.rolname,
       s.application_name, s.client_addr, s.queryid, s.synchronous_commit,
       s.role, s.duration, s.transaction_time, s.before_time, s.record_time,
       s.notify_time, s.delay_time, s.flush_time, s.flush_timed,
       s.others_flush_time, s.segment_time, s.standby_time_min, s.standby_time_max,
       s.commit_log_time, s.after_time, s.not_run_time,
       s.unknown_time, s.other_time, s.cause, s.waited_for, s.blocked_by,
       s.notify_pid, s.notify_datid, n.datname AS notify_datname,
       s.notify_roleid, o.rolname AS notify_rolname, s.notify_application_name,
       s.standby, s.standby_stage, s.commits_in_flush,
       s.leader_pid, s.leader_datid, l.datname AS leader_datname,
       s.leader_roleid, u.rolname AS leader_rolname,
       s.leader_application_name, s.flush_wal_bytes, s.wal_bytes, s.checkpoint
FROM commit_slow_log() s
     LEFT JOIN pg_database d ON d.oid = s.datid
     LEFT JOIN pg_roles r ON r.oid = s.roleid
     LEFT JOIN pg_database l ON l.oid = s.leader_datid
     LEFT JOIN pg_roles u ON u.oid = s.leader_roleid
     LEFT JOIN pg_database n ON n.oid = s.notify_datid
     LEFT JOIN pg_roles o ON o.oid = s.notify_roleid
ORDER BY s.ended_at DESC;

CREATE FUNCTION commit_stall_log(
	OUT ended_at timestamptz,
	OUT duration double precision,
	OUT flush_timed boolean,
	OUT stall_limit double precision,
	OUT commits bigint,
	OUT sessions bigint,
	OUT wal_bytes numeric,
	OUT leader_pid integer,
	OUT datid oid,
	OUT roleid oid,
	OUT application_name text,
	OUT client_addr inet,
	OUT queryid bigint,
	OUT transaction_time double precision,
	OUT leader_wal_bytes numeric,
	OUT writer_pid integer,
	OUT writer_datid oid,
	OUT writer_roleid oid,
	OUT writer_application_name text,
	OUT writer_queryid bigint,
	OUT writer_share double precision,
	OUT checkpoint boolean,
	OUT quota_flushes bigint,
	OUT quota_window double precision,
	OUT segment_time double precision,
	OUT cause text,
	OUT certainty double precision,
	OUT checkpoint_phase text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_stall_log_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 100;

CREATE VIEW commit_stall_log AS
SELECT s.ended_at, s.duration, s.flush_timed, s.stall_limit, s.commits,
       s.sessions, s.wal_bytes, s.leader_pid, s.datid, d.datname, s.roleid,
       r.rolname, s.application_name, s.client_addr, s.queryid,
       s.transaction_time, s.leader_wal_bytes,
       s.writer_pid, s.writer_datid, w.datname AS writer_datname,
       s.writer_roleid, u.rolname AS writer_rolname,
       s.writer_application_name, s.writer_queryid, s.writer_share,
       s.checkpoint, s.quota_flushes, s.quota_window, s.segment_time, s.cause,
       s.certainty, s.checkpoint_phase
FROM commit_stall_log() s
     LEFT JOIN pg_database d ON d.oid = s.datid
     LEFT JOIN pg_roles r ON r.oid = s.roleid
     LEFT JOIN pg_database w ON w.oid = s.writer_datid
     LEFT JOIN pg_roles u ON u.oid = s.writer_roleid
ORDER BY s.ended_at DESC;

--
-- commit_flush_histogram: one row for each number of commits in a flush
--
CREATE FUNCTION commit_flush_histogram(
	OUT commits_in_flush bigint,
	OUT flushes bigint,
	OUT delayed_flushes bigint,
	OUT commits bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_flush_histogram_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 20;

CREATE VIEW commit_flush_histogram AS
SELECT commits_in_flush, flushes, delayed_flushes, commits,
       round((100 * flushes)::numeric / sum(flushes) OVER (), 2) AS share,
       repeat('#'::text, ceil((30 * flushes)::numeric
                              / (max(flushes) OVER ())::numeric)::int) AS bar
FROM commit_flush_histogram()
ORDER BY commits_in_flush;

--
-- commit_sibling_histogram: one row for each number of siblings of a leader
--
CREATE FUNCTION commit_sibling_histogram(
	OUT siblings bigint,
	OUT flushes bigint,
	OUT delay_hits bigint,
	OUT commits bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_sibling_histogram_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 20;

CREATE VIEW commit_sibling_histogram AS
SELECT siblings, flushes, delay_hits,
       round(commits::numeric / flushes::numeric, 2) AS commits_per_flush,
       round(100::numeric * sum(flushes) OVER (ORDER BY siblings DESC)
             / sum(flushes) OVER (), 2) AS share_at_least,
       repeat('#'::text, ceil((30 * flushes)::numeric
                              / (max(flushes) OVER ())::numeric)::int) AS bar
FROM commit_sibling_histogram()
ORDER BY siblings;

--
-- commit_flush_log: one row for each of the newest flushes
--
CREATE FUNCTION commit_flush_log(
	OUT flushed_at timestamptz,
	OUT flush_lsn pg_lsn,
	OUT flushes bigint,
	OUT commits bigint,
	OUT active_transactions bigint,
	OUT siblings bigint,
	OUT delayed boolean,
	OUT delay_probability double precision,
	OUT delay_time double precision,
	OUT delay_kind text,
	OUT flush_time double precision,
	OUT wal_bytes numeric,
	OUT leader_pid integer,
	OUT leader_datid oid,
	OUT leader_roleid oid,
	OUT leader_application_name text,
	OUT message text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_flush_log_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 2048;

CREATE VIEW commit_flush_log AS
SELECT s.flushed_at, s.flush_lsn, s.flushes, s.commits, s.active_transactions,
       s.siblings, s.delayed, s.delay_probability, s.delay_time, s.delay_kind,
       s.flush_time, s.wal_bytes,
       s.leader_pid, s.leader_datid, d.datname AS leader_datname,
       s.leader_roleid, r.rolname AS leader_rolname,
       s.leader_application_name, s.message
FROM commit_flush_log() WITH ORDINALITY s
     LEFT JOIN pg_database d ON d.oid = s.leader_datid
     LEFT JOIN pg_roles r ON r.oid = s.leader_roleid
ORDER BY s.ordinality;

--
-- commit_latency_stats: one row for each level of synchronous_commit and role
-- commit_flush_latency_stats: one row for timed flushes
--
CREATE FUNCTION commit_latency_stats(
	OUT wait_level text,
	OUT role text,
	OUT commits bigint,
	OUT mean double precision,
	OUT p50 double precision,
	OUT p95 double precision,
	OUT p99 double precision,
	OUT p999 double precision,
	OUT max double precision,
	OUT commit_time double precision,
	OUT record_time double precision,
	OUT notify_time double precision,
	OUT delay_time double precision,
	OUT flush_time double precision,
	OUT standby_time_min double precision,
	OUT standby_time_max double precision,
	OUT other_time double precision,
	OUT before_time double precision,
	OUT after_time double precision,
	OUT requested text[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_latency_stats_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 4;

CREATE VIEW commit_latency_stats AS
SELECT pg_catalog.array_to_string(requested, ', ') AS synchronous_commit,
       wait_level, role, commits, mean, p50, p95, p99, p999, max,
       commit_time, record_time, notify_time, delay_time, flush_time,
       standby_time_min, standby_time_max, other_time, before_time, after_time,
       requested
FROM commit_latency_stats()
WHERE role <> 'flush'
ORDER BY pg_catalog.array_position('{off,local,remote_write,on,remote_apply}'::text[],
                                   wait_level),
         role DESC;

CREATE VIEW commit_flush_latency_stats AS
SELECT commits AS flushes, mean, p50, p95, p99, p999, max,
       commit_time AS flush_time
FROM commit_latency_stats()
WHERE role = 'flush';

--
-- commit_latency_histogram, commit_flush_latency_histogram: one row for each cell
-- of the histograms from which commit_latency_stats() computes percentiles
--
CREATE FUNCTION commit_latency_histogram(
	OUT wait_level text,
	OUT role text,
	OUT lower_bound double precision,
	OUT upper_bound double precision,
	OUT commits bigint,
	OUT cumulative bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_latency_histogram_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 846;

CREATE VIEW commit_latency_histogram AS
SELECT wait_level, role, lower_bound, upper_bound, commits, cumulative,
       repeat('#'::text, ceil((30 * commits)::numeric
                              / (max(commits) OVER (PARTITION BY wait_level, role))::numeric)::int) AS bar
FROM commit_latency_histogram()
WHERE role <> 'flush'
ORDER BY pg_catalog.array_position('{off,local,remote_write,on,remote_apply}'::text[],
                                   wait_level),
         role DESC, lower_bound;

CREATE VIEW commit_flush_latency_histogram AS
SELECT lower_bound, upper_bound, commits AS flushes, cumulative,
       repeat('#'::text, ceil((30 * commits)::numeric
                              / (max(commits) OVER ())::numeric)::int) AS bar
FROM commit_latency_histogram()
WHERE role = 'flush'
ORDER BY lower_bound;

--
-- commit_latency_buckets: one row for each histogram, with fewer and larger cells,
-- cumulative and in seconds, as Prometheus expects
--
CREATE FUNCTION commit_latency_buckets(
	OUT wait_level text,
	OUT role text,
	OUT le double precision[],
	OUT bucket bigint[],
	OUT sum double precision,
	OUT count bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_latency_buckets_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 10;

CREATE VIEW commit_latency_buckets AS
SELECT wait_level, role, le, bucket, sum, count
FROM commit_latency_buckets();

--
-- commit_wal_stats: one row for each checkpoint cycle
--
CREATE FUNCTION commit_wal_stats(
	OUT redo_lsn pg_lsn,
	OUT started_at timestamptz,
	OUT finished boolean,
	OUT commits bigint,
	OUT wal_records bigint,
	OUT wal_fpi bigint,
	OUT wal_bytes numeric,
	OUT wal_fpi_bytes numeric,
	OUT wal_bytes_aborted numeric,
	OUT wal_distance numeric)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_wal_stats_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 32;

CREATE VIEW commit_wal_stats AS
SELECT redo_lsn, started_at, finished, commits, wal_records, wal_fpi, wal_bytes,
       round(wal_bytes / nullif(commits, 0)::numeric, 2) AS wal_bytes_per_commit,
       wal_fpi_bytes,
       round(100::numeric * coalesce(wal_fpi_bytes / nullif(wal_bytes, 0::numeric),
                                     wal_fpi::numeric / nullif(wal_records, 0)::numeric), 2)
           AS fpi_share,
       CASE WHEN wal_fpi_bytes IS NULL THEN 'records' ELSE 'bytes' END
           AS fpi_share_of,
       round(100::numeric
             * least(coalesce(wal_fpi_bytes,
                              wal_fpi::numeric
                              * current_setting('block_size'::text)::numeric),
                     wal_bytes)
             / nullif(wal_bytes, 0::numeric), 2) AS fpi_share_max,
       wal_bytes_aborted, wal_distance
FROM commit_wal_stats()
ORDER BY redo_lsn DESC;

--
-- commit_standby_stats: one row for each standby that commits waited for, and stage
--
CREATE FUNCTION commit_standby_stats(
	OUT standby text,
	OUT stage text,
	OUT wait_time double precision,
	OUT slow_commits bigint,
	OUT waiting_now bigint,
	OUT counted_since timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_standby_stats_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 4;

CREATE VIEW commit_standby_stats AS
SELECT s.standby, s.stage, s.wait_time,
       round((100::double precision * s.wait_time
              / nullif(sum(s.wait_time) OVER (), 0::double precision))::numeric, 2)
           AS share,
       s.slow_commits, s.waiting_now, w.pid::int AS pid, w.state, s.counted_since
FROM commit_standby_stats() s
     LEFT JOIN LATERAL (SELECT min(r.pid) AS pid, min(r.state) AS state
                        FROM pg_stat_replication r
                        WHERE lower(r.application_name) = lower(s.standby)
                        HAVING count(*) = 1) w ON true
ORDER BY s.wait_time DESC;

--
-- commit_delay_state: one row about commit_stats.adaptive_delay
-- commit_delay_changes: one row for each of its latest decisions
--
CREATE FUNCTION commit_delay_state(
	OUT adaptive_delay boolean,
	OUT in_force boolean,
	OUT spacing double precision,
	OUT reason text,
	OUT changed_at timestamptz,
	OUT trial text,
	OUT tried_spacing double precision,
	OUT tried_response double precision,
	OUT kept_response double precision,
	OUT quota_flush_rate double precision,
	OUT quota_window double precision,
	OUT quota_spacing double precision,
	OUT flush_time double precision,
	OUT trials bigint,
	OUT trials_won bigint,
	OUT quotas_found bigint,
	OUT quotas_refuted bigint,
	OUT changes bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_delay_state_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 1;

CREATE VIEW commit_delay_state AS
SELECT adaptive_delay, in_force, spacing, reason, changed_at,
       trial, tried_spacing, tried_response, kept_response,
       quota_flush_rate, quota_window, quota_spacing, flush_time,
       trials, trials_won, quotas_found, quotas_refuted, changes
FROM commit_delay_state();

CREATE FUNCTION commit_delay_changes(
	OUT change bigint,
	OUT changed_at timestamptz,
	OUT reason text,
	OUT spacing double precision,
	OUT response double precision,
	OUT response_before double precision,
	OUT quota_flush_rate double precision)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_delay_changes_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 20;

CREATE VIEW commit_delay_changes AS
SELECT change, changed_at, reason, spacing, response, response_before,
       quota_flush_rate
FROM commit_delay_changes()
ORDER BY change DESC;

--
-- commit_stats_info: one row about commit_stats itself
--
CREATE FUNCTION commit_stats_info(
	OUT enabled boolean,
	OUT leader_evidence text,
	OUT delay_evidence text,
	OUT siblings_exact boolean,
	OUT sibling_count_share double precision,
	OUT connected_backends bigint,
	OUT clients_tracked bigint,
	OUT clients_max bigint,
	OUT clients_evicted bigint,
	OUT statements_tracked bigint,
	OUT statements_max bigint,
	OUT statements_evicted bigint,
	OUT statements_reset timestamptz,
	OUT stall_limit double precision,
	OUT slow_commit_limit double precision,
	OUT flush_base double precision,
	OUT wal_mb_per_second double precision,
	OUT bytes_share double precision,
	OUT sweep_pid integer,
	OUT sweep_datid oid,
	OUT sweep_roleid oid,
	OUT sweep_application_name text,
	OUT capturing boolean,
	OUT shared_memory bigint,
	OUT memory_per_connection bigint,
	OUT history_memory bigint,
	OUT stats_reset timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_stats_info_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 1;

CREATE VIEW commit_stats_info AS
SELECT s.enabled, s.leader_evidence, s.delay_evidence, s.siblings_exact,
       s.sibling_count_share, s.connected_backends, s.clients_tracked,
       s.clients_max, s.clients_evicted,
       s.statements_tracked, s.statements_max, s.statements_evicted,
       s.statements_reset, s.stall_limit,
       s.slow_commit_limit, s.flush_base, s.wal_mb_per_second, s.bytes_share,
       s.sweep_pid, s.sweep_datid, d.datname AS sweep_datname,
       s.sweep_roleid, r.rolname AS sweep_rolname,
       s.sweep_application_name, s.capturing, s.shared_memory,
       s.memory_per_connection, s.history_memory, s.stats_reset
FROM commit_stats_info() s
     LEFT JOIN pg_database d ON d.oid = s.sweep_datid
     LEFT JOIN pg_roles r ON r.oid = s.sweep_roleid;

--
-- commit_stats_sample: rates over a given time
--
CREATE FUNCTION commit_stats_sample(
	duration interval DEFAULT '5 s',
	OUT elapsed double precision,
	OUT commits bigint,
	OUT commits_per_second double precision,
	OUT commits_async_per_second double precision,
	OUT flushes_per_second double precision,
	OUT commits_per_flush double precision,
	OUT delay_hit_share double precision,
	OUT wal_busy_share double precision,
	OUT mean double precision,
	OUT p50 double precision,
	OUT p95 double precision,
	OUT p99 double precision)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_stats_sample_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 1;

--
-- commit_stats_rates: rates since the previous call in the session, for \watch
--
-- Each backend keeps the counters of its previous call in local memory, hence
-- PARALLEL RESTRICTED.
CREATE FUNCTION commit_stats_rates(
	OUT since text,
	OUT elapsed double precision,
	OUT commits_per_second double precision,
	OUT commits_async_per_second double precision,
	OUT flushes_per_second double precision,
	OUT commits_per_flush double precision,
	OUT delay_hit_share double precision,
	OUT mean double precision,
	OUT p99 double precision,
	OUT flush_mean double precision,
	OUT wal_bytes_per_second double precision,
	OUT commits_trend text,
	OUT p99_trend text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_stats_rates_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 1;

--
-- commit_delay_sweep: measure each commit_delay in turn on the current load
--
CREATE FUNCTION commit_delay_sweep(
	delays integer[],
	siblings integer[] DEFAULT NULL,
	duration interval DEFAULT '30 s',
	slot interval DEFAULT '250 ms',
	max_p99 interval DEFAULT NULL,
	adaptive boolean DEFAULT false,
	OUT commit_delay integer,
	OUT commit_siblings integer,
	OUT rounds bigint,
	OUT commits bigint,
	OUT commits_per_second double precision,
	OUT commits_per_second_low double precision,
	OUT commits_per_second_high double precision,
	OUT flushes_per_second double precision,
	OUT commits_per_flush double precision,
	OUT delay_hit_share double precision,
	OUT mean double precision,
	OUT p50 double precision,
	OUT p95 double precision,
	OUT p99 double precision,
	OUT is_best boolean,
	OUT reason text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_delay_sweep_1_0'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 12;

--
-- commit_stats_report: one screen of text
--
CREATE FUNCTION commit_stats_report()
RETURNS text
AS 'MODULE_PATHNAME', 'commit_stats_report_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION commit_stats_report(
	"from" timestamptz,
	"to" timestamptz,
	width integer DEFAULT 78)
RETURNS text
AS 'MODULE_PATHNAME', 'commit_stats_report_period_1_0'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

--
-- commit_stats_compare: what changed from one period of the history to another
--
CREATE FUNCTION commit_stats_compare(
	before tstzrange,
	after tstzrange,
	OUT part text,
	OUT mean_before double precision,
	OUT mean_after double precision,
	OUT mean_change double precision,
	OUT change_share double precision,
	OUT sentence text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_stats_compare_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 8;

--
-- commit_delay_whatif: predict each commit_delay from a sample of the current load
--
CREATE FUNCTION commit_delay_whatif(
	delays integer[],
	siblings integer[] DEFAULT NULL,
	sample interval DEFAULT '10 s',
	OUT commit_delay integer,
	OUT commit_siblings integer,
	OUT commits_per_second double precision,
	OUT commits_per_second_low double precision,
	OUT commits_per_second_high double precision,
	OUT flushes_per_second double precision,
	OUT flushes_per_second_low double precision,
	OUT flushes_per_second_high double precision,
	OUT commits_per_flush double precision,
	OUT commits_per_flush_low double precision,
	OUT commits_per_flush_high double precision,
	OUT delay_hit_share double precision,
	OUT delay_hit_share_low double precision,
	OUT delay_hit_share_high double precision,
	OUT mean double precision,
	OUT mean_low double precision,
	OUT mean_high double precision,
	OUT p99 double precision,
	OUT p99_low double precision,
	OUT p99_high double precision,
	OUT is_best boolean,
	OUT reason text,
	OUT measured_commits_per_second double precision,
	OUT measured_flushes_per_second double precision,
	OUT measured_commits_per_flush double precision,
	OUT measured_delay_hit_share double precision,
	OUT measured_mean double precision,
	OUT measured_p99 double precision)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_delay_whatif_1_0'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 12;

--
-- commit_remedies: what would help, predicted from a sample of the current load
--
CREATE FUNCTION commit_remedies(
	sample interval DEFAULT '10 s',
	OUT remedy text,
	OUT safe text,
	OUT statement text,
	OUT undo text,
	OUT queryid bigint,
	OUT commits_per_second double precision,
	OUT commits_per_second_low double precision,
	OUT commits_per_second_high double precision,
	OUT mean double precision,
	OUT mean_low double precision,
	OUT mean_high double precision,
	OUT p99 double precision,
	OUT p99_low double precision,
	OUT p99_high double precision,
	OUT flushes_per_second double precision,
	OUT flushes_per_second_low double precision,
	OUT flushes_per_second_high double precision,
	OUT others_commits_per_second double precision,
	OUT others_commits_per_second_low double precision,
	OUT others_commits_per_second_high double precision,
	OUT others_mean double precision,
	OUT others_mean_low double precision,
	OUT others_mean_high double precision,
	OUT others_p99 double precision,
	OUT others_p99_low double precision,
	OUT others_p99_high double precision,
	OUT others_now_mean double precision,
	OUT others_now_p99 double precision,
	OUT others_saved double precision,
	OUT reason text,
	OUT measured_commits_per_second double precision,
	OUT measured_flushes_per_second double precision,
	OUT measured_mean double precision,
	OUT measured_p99 double precision)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_remedies_1_0'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 12;

--
-- commit_history: one row for each minute, and one for each hour
--
CREATE FUNCTION commit_history(
	OUT resolution text,
	OUT period_start timestamptz,
	OUT period_end timestamptz,
	OUT seconds double precision,
	OUT after_gap boolean,
	OUT commits bigint,
	OUT commits_async bigint,
	OUT commits_read_only bigint,
	OUT commits_unlogged bigint,
	OUT commits_notify bigint,
	OUT commits_carried bigint,
	OUT commits_without_leader bigint,
	OUT flushes bigint,
	OUT delay_hits bigint,
	OUT delay_time double precision,
	OUT commit_time double precision,
	OUT commit_p50 double precision,
	OUT commit_p95 double precision,
	OUT commit_p99 double precision,
	OUT commit_max double precision,
	OUT flush_time double precision,
	OUT timed_flushes bigint,
	OUT flush_p50 double precision,
	OUT flush_p99 double precision,
	OUT flush_max double precision,
	OUT stalls bigint,
	OUT stall_time double precision,
	OUT segment_stall_time double precision,
	OUT cpu_limit_stall_time double precision,
	OUT pause_stall_time double precision,
	OUT checkpoint_stall_time double precision,
	OUT archiver_stall_time double precision,
	OUT bulk_wal_stall_time double precision,
	OUT bytes_stall_time double precision,
	OUT other_io_stall_time double precision,
	OUT quota_stall_time double precision,
	OUT unknown_stall_time double precision,
	OUT slow_commits bigint,
	OUT transaction_time double precision,
	OUT wal_bytes numeric,
	OUT wal_fpi bigint,
	OUT checkpoints bigint,
	OUT archive_failures bigint,
	OUT before_time double precision,
	OUT record_time double precision,
	OUT notify_time double precision,
	OUT phase_delay_time double precision,
	OUT phase_flush_time double precision,
	OUT others_flush_time double precision,
	OUT segment_time double precision,
	OUT standby_time double precision,
	OUT commit_log_time double precision,
	OUT after_time double precision,
	OUT not_run_time double precision,
	OUT unknown_time double precision,
	OUT row_wait_time double precision,
	OUT lock_wait_time double precision,
	OUT checkpoint_share double precision,
	OUT commit_delay integer,
	OUT commit_siblings integer,
	OUT adaptive_delay boolean,
	OUT spacing double precision,
	OUT top_datid oid,
	OUT top_roleid oid,
	OUT top_application_name text,
	OUT top_client_flushes bigint,
	OUT top_queryid bigint,
	OUT top_reason text,
	OUT top_statement_flushes bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_history_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 1500;

CREATE VIEW commit_history AS
SELECT h.resolution, h.period_start, h.period_end, h.seconds, h.after_gap,
       h.commits, h.commits_async, h.commits_read_only, h.commits_unlogged,
       h.commits_notify, h.commits_carried, h.commits_without_leader, h.flushes,
       round((h.commits - h.commits_without_leader)::numeric
             / nullif(h.flushes, 0)::numeric, 2)
           AS commits_per_flush,
       h.delay_hits, h.delay_time, h.commit_time,
       h.commit_time / nullif(h.commits, 0)::double precision AS commit_mean,
       h.commit_p50, h.commit_p95, h.commit_p99, h.commit_max, h.flush_time,
       h.timed_flushes,
       h.flush_time / nullif(h.timed_flushes, 0)::double precision
           AS flush_mean,
       h.flush_p50, h.flush_p99, h.flush_max, h.stalls, h.stall_time,
       h.segment_stall_time, h.cpu_limit_stall_time, h.pause_stall_time, h.checkpoint_stall_time,
       h.archiver_stall_time, h.bulk_wal_stall_time, h.bytes_stall_time,
       h.other_io_stall_time, h.quota_stall_time, h.unknown_stall_time,
       h.slow_commits, h.transaction_time, h.wal_bytes, h.wal_fpi, h.checkpoints,
       h.archive_failures, h.before_time, h.record_time,
       h.notify_time, h.phase_delay_time, h.phase_flush_time,
       h.others_flush_time, h.segment_time, h.standby_time,
       h.commit_log_time, h.after_time, h.not_run_time, h.unknown_time,
       h.row_wait_time, h.lock_wait_time, h.checkpoint_share, h.commit_delay, h.commit_siblings,
       h.adaptive_delay, h.spacing, h.top_datid, d.datname AS top_datname,
       h.top_roleid, r.rolname AS top_rolname, h.top_application_name,
       h.top_client_flushes,
       round((100 * h.top_client_flushes)::numeric
             / greatest(h.flushes, h.top_client_flushes)::numeric, 2)
           AS top_client_flushes_share,
       h.top_queryid, h.top_reason, h.top_statement_flushes,
       round((100 * h.top_statement_flushes)::numeric
             / greatest(h.flushes, h.top_statement_flushes)::numeric, 2)
           AS top_statement_flushes_share
FROM commit_history() h
     LEFT JOIN pg_database d ON d.oid = h.top_datid
     LEFT JOIN pg_roles r ON r.oid = h.top_roleid
ORDER BY h.resolution, h.period_start;

CREATE FUNCTION commit_history_close()
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'commit_history_close_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE FUNCTION commit_history_reset()
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'commit_history_reset_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

--
-- commit_stats_reset: reset all statistics
--
CREATE FUNCTION commit_stats_reset()
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'commit_stats_reset_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

--
-- commit_stats_html: one page about a period
--
-- The bodies are parsed here, so no search_path changes what they read.  Markup
-- stands in them as it is: each value passes commit_stats_html_escape() or
-- commit_stats_html_number(), or is a time or an integer.
CREATE FUNCTION commit_stats_html_escape(
	value text)
RETURNS text
LANGUAGE sql VOLATILE PARALLEL SAFE
BEGIN ATOMIC
	SELECT pg_catalog.string_agg(
			   CASE WHEN c = '&'::text THEN '&amp;'::text
					WHEN c = '<'::text THEN '&lt;'::text
					WHEN c = '>'::text THEN '&gt;'::text
					WHEN c = '"'::text THEN '&quot;'::text
					WHEN c = ''''::text THEN '&#39;'::text
					WHEN c ~ E'^[\\n\\t -~]?$'::text THEN c
					WHEN c ~ E'^[[:cntrl:]\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufffe\\uffff]$'::text
						OR pg_catalog.getdatabaseencoding() <> 'UTF8'::name
					THEN '?'::text
					ELSE '&#'::text || pg_catalog.ascii(c)::text || ';'::text END,
			   ''::text ORDER BY i)
	FROM pg_catalog.regexp_split_to_table(value, ''::text) WITH ORDINALITY s(c, i);
END;

-- Three digits, or all those before the point.
CREATE FUNCTION commit_stats_html_number(
	value double precision)
RETURNS text
LANGUAGE sql VOLATILE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE WHEN value IS NULL THEN '-'::text
				WHEN value >= 99.95::double precision
				THEN pg_catalog.to_char(value, 'FM999,999,999,999,990'::text)
				WHEN value >= 9.995::double precision
				THEN pg_catalog.to_char(value, 'FM990.0'::text)
				ELSE pg_catalog.to_char(value, 'FM0.00'::text) END;
END;

CREATE FUNCTION commit_stats_html(
	"from" timestamptz DEFAULT now() - '24 h'::interval,
	"to" timestamptz DEFAULT now())
RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
WITH
--
-- The rows: minutes as far back as they go, and hours before them; in a
-- period above 26 hours hours, and the minutes after them, unless fewer hours
-- are kept.
-- Hours lie in the period, as in the report.  The hour in which the minutes
-- begin is shown if it has more than five minutes before.  A minute that began before
-- the period, perhaps years, as the clock was set, is shown from there on.
--
asked AS MATERIALIZED (
	SELECT h.*, since, floor(date_part('epoch', since) / 60::float8)::bigint AS minute
	FROM commit_history h, greatest(period_start, "from") since
	WHERE period_start < "to" AND period_end > "from"
	  AND (resolution = 'minute' OR period_start >= "from"
		   AND least(period_end, date_trunc('hour', period_start, 'UTC') + '1 h'::interval) <= "to")),
cut AS (
	SELECT CASE WHEN max(period_end) - min(since) <= '26 h'::interval
					 OR min(since) FILTER (WHERE resolution = 'hour') > min(since) + '1 h'::interval
				THEN greatest(min(period_start) FILTER (WHERE resolution = 'minute'),
							  max(period_end) FILTER (WHERE resolution = 'hour' AND since < minutes - '5 min'::interval
																AND (period_end < newest OR period_end = date_trunc('hour', period_end, 'UTC'))))
				ELSE max(period_end) FILTER (WHERE resolution = 'hour') END AS at
	FROM (SELECT *, min(since) FILTER (WHERE resolution = 'minute') OVER () AS minutes,
				 max(period_end) FILTER (WHERE resolution = 'minute') OVER () AS newest FROM asked) a),
-- x: minutes since the first row begins; w: minutes of the row
r AS MATERIALIZED (
	SELECT a.*, (minute - min(minute) OVER ())::int AS x,
		   greatest(1, round(date_part('epoch', period_end - since) / 60::float8)::int) AS w,
		   commits::float8 / greatest(seconds, 0.001::float8) AS commit_rate,
		   commits_async::float8 / greatest(seconds, 0.001::float8) AS async_rate,
		   flushes::float8 / greatest(seconds, 0.001::float8) AS flush_rate
	FROM asked a CROSS JOIN cut
	WHERE cut.at IS NULL
	   OR a.resolution = 'minute' AND a.period_start >= cut.at
	   OR a.resolution = 'hour' AND a.period_end <= cut.at),
cause AS MATERIALIZED (
	SELECT r.x, r.w, c.*
	FROM r, LATERAL (VALUES
		 (1, 'quota', quota_stall_time), (2, 'checkpoint', checkpoint_stall_time),
		 (3, 'archiver', archiver_stall_time), (4, 'bulk WAL', bulk_wal_stall_time),
		 (5, 'bytes', bytes_stall_time), (6, 'new segment', segment_stall_time),
		 (7, 'CPU limit', cpu_limit_stall_time), (8, 'pause', pause_stall_time),
		 (9, 'other I/O', other_io_stall_time), (10, 'unknown', unknown_stall_time))
		 c(number, name, stall_time)),
--
-- Scales
--
geo AS MATERIALIZED (
	SELECT g.*, low.low, greatest(ceil(log(g.p99))::int, low.low + 1) AS high, top.rate AS max_rate, steps.step,
		   (steps.step - (floor(date_part('epoch', timezone(current_setting('TimeZone'),
				g.start)) / 60::float8)::bigint % steps.step::bigint)::int) % steps.step AS tick
	FROM (SELECT count(*) AS n, max(x + w) AS span, to_timestamp((min(minute) * 60::bigint)::float8) AS start,
				 max(period_end) AS stop, (SELECT max(stall_time / w::float8) FROM cause) AS most, sum(async_rate) AS async,
				 min(nullif(commit_p50, 0::float8)) AS p50, max(nullif(greatest(commit_p99, flush_p99), 0::float8)) AS p99,
				 nullif(greatest(max(commit_rate), max(flush_rate), max(async_rate)), 0::float8) AS rate,
				 CASE WHEN max(x + w) > 1440 THEN 'Mon DD HH24:MI' ELSE 'HH24:MI' END AS form
		  FROM r) g,
		 LATERAL (SELECT floor(log(greatest(0.01::float8, g.p50)))::int AS low) low,
		 LATERAL (SELECT coalesce(min(m * power(10::float8, floor(log(g.rate)))) FILTER (
							  WHERE m * power(10::float8, floor(log(g.rate))) >= g.rate), 1::float8) AS rate
				  FROM pg_catalog.unnest('{1,2,5,10}'::float8[]) m) top,
		 LATERAL (SELECT coalesce(min(s), 86400) AS step
				  FROM pg_catalog.unnest('{1,5,10,20,60,120,240,360,720,1440,2880,5760,10080,20160,43200}'::int[]) s
				  WHERE g.span / s <= 8) steps),
--
-- Curves: steps, in relative units as they are short; an area stands on "base"
--
point AS (
	SELECT p.curve, r.x, r.w, NULL::int AS base,
		   (100::float8 * (geo.high::float8 - log(greatest(p.ms, power(10::float8, geo.low::float8))))
			/ (geo.high - geo.low)::float8)::int AS y
	FROM r CROSS JOIN geo, LATERAL (VALUES ('p50', commit_p50), ('p99', commit_p99), ('flush99', flush_p99)) p(curve, ms)
	WHERE p.ms IS NOT NULL
	UNION ALL
	SELECT p.curve, r.x, r.w, p.base, (100::float8 - 100::float8 * p.rate / geo.max_rate)::int
	FROM r CROSS JOIN geo, LATERAL (VALUES ('commits', 100, commit_rate), ('flushes', NULL, flush_rate), ('async', NULL, async_rate)) p(curve, base, rate)
	UNION ALL
	SELECT s.curve, x, w, 9, 9 - (9::float8 * least(s.share, 1::float8))::int
	FROM r, LATERAL (VALUES ('checkpoint', checkpoint_share / 100::float8),
							('standby', standby_time / nullif(commit_time, 0::float8))) s(curve, share)
	WHERE s.share IS NOT NULL
	UNION ALL
	SELECT 'cause' || number::text, x, w, 9,
		   9 - CASE WHEN stall_time > 0::float8 THEN 2 + (7::float8 * sqrt(stall_time / w::float8 / geo.most))::int ELSE 0 END
	FROM cause CROSS JOIN geo),
joined AS (
	SELECT *, pg_catalog.lag(y) OVER o AS before, coalesce(pg_catalog.lag(x + w) OVER o <> x, true) AS begins,
		   coalesce(pg_catalog.lead(x) OVER o <> x + w, true) AS ends
	FROM point WINDOW o AS (PARTITION BY curve ORDER BY x)),
curve AS (
	SELECT curve, string_agg(
			   CASE WHEN begins THEN 'M' || x::text || ' ' || coalesce(base::text || 'V', '') || y::text
					WHEN before = y THEN ''
					ELSE 'v' || (y - before)::text END
			   || 'h' || w::text || CASE WHEN ends THEN coalesce('V' || base::text, '') ELSE '' END,
			   '' ORDER BY x) AS d
	FROM joined GROUP BY curve),
lane AS (
	SELECT string_agg('<div class="lane"><b>' || c.name || '</b><svg viewBox="0 0 ' || geo.span::text
		   || ' 9" preserveAspectRatio="none"><path class="c' || c.number::text || '" d="' || curve.d
		   || '"/></svg></div>', E'\n' ORDER BY c.number) AS html,
		   count(*) AS n
	FROM (SELECT number, name FROM cause GROUP BY number, name HAVING sum(stall_time) > 0::float8) c
		 JOIN curve ON curve.curve = 'cause' || c.number::text CROSS JOIN geo),
--
-- What happened: what stands out in the rows
--
-- Commits that hung end in the first minute after: times are those of the next.
usual AS (
	SELECT x, w, commits, commits_async, commit_rate, commit_p50, commit_p99, commit_max,
		   standby_time / nullif(commits, 0)::float8 AS mean_wait,
		   standby_time > commit_time / 2::float8 AS for_standby, commits > 0 AND pg_catalog.lag(commits) OVER o = 0 AS resumes,
		   avg(commit_rate) OVER (o ROWS BETWEEN 5 PRECEDING AND 1 PRECEDING) AS rate_before
	FROM r WINDOW o AS (ORDER BY x)),
settled AS (
	SELECT *, CASE WHEN resumes THEN pg_catalog.lead(commit_p50) OVER o ELSE commit_p50 END AS p50,
		   CASE WHEN resumes THEN pg_catalog.lead(commit_p99) OVER o ELSE commit_p99 END AS p99,
		   CASE WHEN resumes THEN pg_catalog.lead(mean_wait) OVER o ELSE mean_wait END AS waited,
		   CASE WHEN commits = 0 AND pg_catalog.lag(commit_rate) OVER o < pg_catalog.lag(rate_before) OVER o / 2::float8
				THEN pg_catalog.lag(x) OVER o ELSE x END AS since
	FROM usual WINDOW o AS (ORDER BY x)),
-- A level changes if "v" rises above "factor" times what it was, plus "least",
-- or falls by as much; and if one of the two is "floor" or more.
level AS (
	SELECT l.name, l.unit, l.v, r.x, l.least, l.factor, l.floor, avg(l.v) OVER b AS was, avg(l.v) OVER a AS is_now,
		   pg_catalog.array_agg(l.v) OVER b AS before, pg_catalog.array_agg(l.v) OVER a AS after,
		   abs(ln((l.v + l.least) / (pg_catalog.lag(l.v) OVER (PARTITION BY l.name ORDER BY r.x) + l.least))) AS step
	FROM settled r, LATERAL (VALUES
		 ('commits/s', '', commit_rate, 0.5::float8, 1.5::float8, 0::float8),
		 ('median commit', ' ms', p50, 0.1::float8, 2::float8, 0::float8),
		 ('p99 of commits', ' ms', p99, 0.5::float8, 3::float8, 0::float8),
		 ('mean wait for a standby', ' ms', waited, 0.1::float8, 2::float8, 1::float8))
		 l(name, unit, v, least, factor, floor)
	WHERE l.v IS NOT NULL
	WINDOW b AS (PARTITION BY l.name ORDER BY r.x ROWS BETWEEN 5 PRECEDING AND 1 PRECEDING),
		   a AS (PARTITION BY l.name ORDER BY r.x ROWS BETWEEN CURRENT ROW AND 4 FOLLOWING)),
-- Four minutes of the five before are below four of the five from here on, or
-- above: one minute of each may be anything.  The first one has changed.  A time
-- changes by more than the square of the factor within which nine of ten minutes
-- follow each other.
noise AS (
	SELECT name, 2::float8 * percentile_cont(0.9::float8) WITHIN GROUP (ORDER BY step) AS noise
	FROM level GROUP BY name),
jump AS (
	SELECT *
	FROM (SELECT *, max(size) OVER (PARTITION BY name ORDER BY x ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING) AS best
		  FROM (SELECT level.*,
					   CASE WHEN pg_catalog.cardinality(b.v) = 5 AND pg_catalog.cardinality(a.v) = 5 AND greatest(was, is_now) >= floor
								 AND (name <> 'commits/s' OR a.v[1] > 0::float8 OR was < is_now)
								 AND (a.v[2] > b.v[4] * 1.1::float8 OR a.v[4] * 1.1::float8 < b.v[2])
								 AND abs(ln((a.v[3] + least) / (level.v + least))) < abs(ln((b.v[3] + least) / (level.v + least)))
								 AND (is_now > was * factor + least OR was > is_now * factor + least)
								 AND (name = 'commits/s' OR abs(ln((is_now + least) / (was + least))) > noise)
							THEN abs(ln((is_now + least) / (was + least))) / ln(factor) END AS size
				FROM level JOIN noise USING (name),
					 LATERAL (SELECT pg_catalog.array_agg(v ORDER BY v) AS v FROM pg_catalog.unnest(before) v) b,
					 LATERAL (SELECT pg_catalog.array_agg(v ORDER BY v) AS v FROM pg_catalog.unnest(after) v) a) s) j
	WHERE size = best),
-- Stalls of a row that has little of its cause in a minute, or little of no known
-- one, do not stand out.
loud AS (
	SELECT *
	FROM (SELECT *, sum(stall_time) OVER () AS total,
				 CASE WHEN name = 'unknown' THEN 0.33::float8 * max(stall_time / w::float8) OVER ()
					  ELSE 0.2::float8 * max(stall_time / w::float8) OVER (PARTITION BY name) END AS enough
		  FROM cause) c
	WHERE stall_time > 0::float8 AND stall_time / w::float8 >= enough AND stall_time >= 0.0002::float8 * total),
event AS (
	SELECT x, NULL::int AS until, 5 AS rank, size,
		   name || ' ' || commit_stats_html_number(was) || ' &#8594; ' || commit_stats_html_number(is_now) || unit AS what
	FROM jump
	UNION ALL
	-- ten commits were to come; the longest commit after it, up to the last cell of its histogram, tells what waited;
	-- its time is real, though the history's clock may be that of a test
	SELECT min(since), max(x + w), 3, sum(w)::float8,
		   'commits stopped' || CASE WHEN bool_or(standby_next) AND max(longest_next) >= least(130000::float8, 54000::float8 * sum(w)::float8
					/ coalesce(pg_catalog.current_setting('commit_stats.history_speed', true)::float8, 1::float8))
									 THEN ': they waited for a standby'
									 WHEN sum(commits_async) > 0::numeric THEN ' to wait for their flush; asynchronous ones went on'
									 ELSE '' END
	FROM (SELECT x, w, since, commits, commits_async, rate_before, count(*) FILTER (WHERE commits > 0) OVER (ORDER BY x) AS run,
				 pg_catalog.lead(for_standby) OVER (ORDER BY x) AS standby_next, pg_catalog.lead(commit_max) OVER (ORDER BY x) AS longest_next,
				 min(commits) OVER p > 0 AND count(*) OVER p = 5::bigint AS busy
		  FROM settled WINDOW p AS (ORDER BY x ROWS BETWEEN 5 PRECEDING AND 1 PRECEDING)) z
	WHERE commits = 0 GROUP BY run HAVING max(rate_before) FILTER (WHERE busy) * 60::float8 * sum(w)::float8 >= 10::float8
	UNION ALL
	-- from the minute on in which a level changed, which may have few stalls
	SELECT min(since) - (min(since) - 1 IN (SELECT x FROM jump))::int, max(until), 4, sum(stalled),
		   'flushes stalled for ' || commit_stats_html_number(sum(stalled) / 1000::float8) || ' s in all, cause: '
		   || CASE WHEN count(*) = 1 THEN min(name)
				   ELSE string_agg(name || ' (' || commit_stats_html_number(stalled / 1000::float8) || ' s)', ', ' ORDER BY stalled DESC) END
	FROM (SELECT run, name, min(x) AS since, max(x + w) AS until, sum(stall_time) AS stalled, total
		  FROM (SELECT *, count(*) FILTER (WHERE far) OVER (ORDER BY x) AS run
				FROM (SELECT *, x - max(x + w) OVER (ORDER BY x RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > CASE
							 WHEN 'unknown' IN (name, pg_catalog.lag(name) OVER (ORDER BY x, number)) THEN 1 ELSE 10 END AS far
					  FROM loud) f) g
		  GROUP BY run, name, total HAVING sum(stall_time) >= 0.01::float8 * total) h
	GROUP BY run, total HAVING sum(stalled) >= CASE WHEN min(name) = 'unknown' THEN 0.05::float8 ELSE 0.02::float8 END * total
	UNION ALL
	-- at least two sessions, as in the report
	SELECT min(x), max(x + w), 4, sum(waited),
		   'on average ' || commit_stats_html_number(sum(waited) / sum(seconds) / 1000::float8) || ' sessions waited for ' || lock
	FROM (SELECT *, count(*) FILTER (WHERE far) OVER (PARTITION BY lock ORDER BY x) AS run
		  FROM (SELECT x, w, seconds, l.*, x - pg_catalog.lag(x + w) OVER (PARTITION BY lock ORDER BY x) > 10 AS far
				FROM r, LATERAL (VALUES ('a row or lock that one in COMMIT held', row_wait_time),
										('other locks in their statements', lock_wait_time)) l(lock, waited)
				WHERE waited >= 2000::float8 * nullif(seconds, 0::float8)) f) g
	GROUP BY lock, run
	UNION ALL
	SELECT least(ended, x), x, 1, 0, CASE WHEN resolution = 'hour' AND ended = x THEN 'within this hour, ' ELSE '' END
		   || 'no counts: the server or commit_stats was off, or a crash lost them'
	FROM (SELECT x, resolution, after_gap, pg_catalog.lag(x + w) OVER (ORDER BY period_start) AS ended FROM r) g
	WHERE after_gap AND ended IS NOT NULL
	UNION ALL
	SELECT x, x, 2, 0, name || ' ' || was || ' &#8594; ' || is_now
	FROM (SELECT r.x, s.name, s.v AS is_now, pg_catalog.lag(s.v) OVER (PARTITION BY s.name ORDER BY r.period_start) AS was
		  FROM r, LATERAL (VALUES ('commit_delay', commit_delay::text), ('commit_siblings', commit_siblings::text),
			   ('adaptive_delay', CASE WHEN adaptive_delay THEN 'on' ELSE 'off' END)) s(name, v)) c
	WHERE was <> is_now),
-- A level changes with what begins, or with the first level that changes, within two minutes; with stalls and levels,
-- within its row's length, too.
-- A gap and a stop end by themselves.
numbered AS MATERIALIZED (
	SELECT *, row_number() OVER (ORDER BY x, rank) AS number
	FROM (SELECT x, max(coalesce(until, x)) AS until, min(rank) AS rank,
				 string_agg(what, '; ' ORDER BY rank, what) AS what,
				 row_number() OVER (ORDER BY min(rank), max(size) DESC) AS place, count(*) OVER () AS total
		  FROM (SELECT DISTINCT CASE WHEN rank = 5 THEN (SELECT o.x FROM event o WHERE abs(o.x - e.x) <= CASE WHEN o.rank < 4 THEN 2 ELSE (SELECT greatest(2, max(w)) FROM r WHERE r.x = e.x) END ORDER BY o.rank, o.x LIMIT 1)
							ELSE x END AS x,
					   until, rank, size, what FROM event e) e
		  GROUP BY x, CASE WHEN rank IN (1, 3) THEN rank END) l
	WHERE place <= 24),
events AS (
	SELECT string_agg('<tr><td>' || number::text || '</td><td>'
		   || to_char(geo.start + make_interval(mins => x), geo.form)
		   || CASE WHEN until > x + 1 THEN ' to ' || to_char(geo.start + make_interval(mins => until), geo.form) ELSE '' END
		   || '</td><td>' || what || '</td></tr>', E'\n' ORDER BY number) AS list, max(total) AS total,
		   string_agg('<path class="e' || rank::text || '" d="M' || x::text || ' 0v100"/>', '' ORDER BY x)
		   || coalesce(string_agg('<path class="gap" d="M' || x::text || ' 0H' || until::text || 'v100H' || x::text || 'z"/>', '')
					   FILTER (WHERE rank = 1), '') AS lines,
		   string_agg('<i style="left:calc(100%*' || x::text || '/' || geo.span::text || ');top:' || (number % 2::bigint * 16::bigint)::text || 'px">'
		   || number::text || '</i>', '' ORDER BY x) AS flags
	FROM numbered CROSS JOIN geo),
-- A day has the date of its noon, as clocks may have changed since the first.
ticks AS (
	SELECT string_agg(CASE WHEN (x - geo.tick) % geo.step = 0 AND x::float8 <= 0.97::float8 * geo.span::float8
		   THEN '<i style="left:calc(100%*' || x::text || '/' || geo.span::text || ')">'
				|| CASE WHEN geo.step >= 1440 THEN to_char(geo.start + make_interval(mins => x + 720), 'MM-DD')
						ELSE to_char(geo.start + make_interval(mins => x), 'HH24:MI') END
				|| '</i>' END, '' ORDER BY x) AS labels,
		   string_agg('M' || x::text || ' 0v100', '' ORDER BY x) AS lines
	FROM geo, LATERAL generate_series(geo.tick % greatest(1, geo.step / 4), geo.span, greatest(1, geo.step / 4)) x),
hover AS (
	SELECT string_agg('<rect x="' || x::text || CASE WHEN w > 1 THEN '" style="width:' || w::text || 'px' ELSE '' END || '"><title>'
		   || to_char(period_start, geo.form) || ' ' || commit_stats_html_number(commit_rate) || ' commits/s '
		   || commit_stats_html_number(flush_rate) || ' flushes/s'
		   || CASE WHEN commits > 0 THEN ', p50 ' || commit_stats_html_number(commit_p50) || ' p99 '
				   || commit_stats_html_number(commit_p99) || ' ms' ELSE '' END
		   || CASE WHEN stalls > 0 THEN ', ' || stalls::text || ' stalls ' || commit_stats_html_number(stall_time) || ' ms' ELSE '' END
		   || coalesce(', ' || commit_stats_html_escape(CASE top_application_name WHEN '' THEN '(no name)' ELSE left(top_application_name, 16) END) || ' '
					   || round(top_client_flushes_share::float8)::text || '%', '')
		   || '</title></rect>', E'\n' ORDER BY x) AS html
	FROM r CROSS JOIN geo),
--
-- Tables
--
flushers AS (
	SELECT kind, string_agg('<tr><td>' || coalesce(commit_stats_html_escape(label), '-') || '</td><td>'
		   || coalesce(commit_stats_html_escape(datname::text), '-') || '</td><td>'
		   || coalesce(commit_stats_html_escape(rolname::text), '-') || '</td><td>'
		   || to_char(commits, 'FM999,999,999,999,990') || '</td><td>' || to_char(flushes, 'FM999,999,999,999,990') || '</td><td>'
		   || commit_stats_html_number(100::float8 * part) || '</td><td>'
		   || commit_stats_html_number(commit_time / nullif(commits, 0)::float8) || '</td><td>'
		   || to_char(slow_commits, 'FM999,999,999,999,990') || '</td></tr>', E'\n' ORDER BY place) AS list
	FROM (SELECT *, flushes::float8 / nullif(sum(flushes) OVER k, 0::numeric)::float8 AS part,
				 row_number() OVER (k ORDER BY flushes DESC, commits DESC, label, datname, rolname) AS place
		  FROM (SELECT 1 AS kind, coalesce(CASE application_name WHEN '' THEN '(no name)' ELSE application_name END, '(' || status || ')') AS label,
					   datname, rolname, commits, flushes, commit_time, slow_commits FROM commit_client_stats
				UNION ALL
				SELECT 2, coalesce(left(query, 200), queryid::text, '(' || reason || ')'),
					   datname, rolname, commits, flushes, commit_time, slow_commits FROM commit_statement_stats) f
		  WINDOW k AS (PARTITION BY kind)) f
	WHERE place <= 10 AND part >= 0.001::float8 GROUP BY kind),
groups AS (
	SELECT string_agg('<tr><td>' || least::text || CASE WHEN most > least THEN ' to ' || most::text ELSE '' END
		   || '</td><td>' || to_char(flushes, 'FM999,999,999,999,990') || '</td><td><s style="width:'
		   || round(100::float8 * flushes / top)::text || '%"></s></td></tr>', E'\n' ORDER BY least) AS list
	FROM (SELECT min(commits_in_flush) AS least, max(commits_in_flush) AS most, sum(flushes)::float8 AS flushes,
				 max(sum(flushes)::float8) OVER () AS top
		  FROM commit_flush_histogram
		  GROUP BY CASE WHEN commits_in_flush <= 16 THEN commits_in_flush::float8
						ELSE 16::float8 + floor(log(commits_in_flush::float8 / 16::float8) / log(2::float8)) END) h
	WHERE flushes > 0::float8),
name AS (
	SELECT commit_stats_html_escape(coalesce(nullif(current_setting('cluster_name'), ''),
			   'port ' || current_setting('port'))) AS server,
		   commit_stats_html_escape(current_setting('TimeZone')) AS zone,
		   coalesce(to_char(f.stats_reset, 'YYYY-MM-DD HH24:MI'), '-') AS reset,
		   to_char(i.statements_reset, 'YYYY-MM-DD HH24:MI') AS statements_reset
	FROM commit_flush_stats f, commit_stats_info i)
SELECT '<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>Commits of ' || name.server || '</title>
<style>
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#5c6670;--line:#d8dde2;--grid:#8882;--a:#0072b2;--b:#d55e00;--c1:#d55e00;--c2:#0072b2;--c3:#009e73;--c4:#aa4499;--c5:#b07d00;--c6:#3b9bd9;--c7:#7a6a00;--c8:#8a2e4f;--c9:#2e3a87;--c10:#777}
@media (prefers-color-scheme:dark){:root{--bg:#14181c;--fg:#e4e8ec;--dim:#9aa5b0;--line:#333b43;--a:#56b4e9;--b:#f0a030;--c1:#ff7f33;--c2:#56b4e9;--c3:#2bd1a0;--c4:#e08ad0;--c5:#e8b93c;--c6:#9ad2f5;--c7:#e6dc5a;--c8:#f08aa8;--c9:#8f9cf0;--c10:#aaa}}
body{margin:0 auto;padding:0 12px 24px;max-width:1400px;background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,sans-serif}
h1{font-size:1.35em;margin:.7em 0 0}h2{font-size:1.05em;margin:1.6em 0 .3em}p{margin:.2em 0}.dim,.key{color:var(--dim);font-size:.87em}
.report{font:min(12px,2.8vw)/1.4 ui-monospace,monospace;white-space:pre-wrap;max-width:90ch}.report p{margin:0;min-height:1.4em;padding-left:5ch;text-indent:-5ch}
.plots{position:relative;padding-left:76px}
.over{position:absolute;left:76px;right:0;top:0;bottom:1.6em}.over svg{position:absolute;height:100%}
.flags,.times{position:relative;height:1.5em}.flags{height:34px}.flags i,.times i{position:absolute;transform:translateX(-50%);font:normal 11px/1.5 sans-serif;color:var(--dim);white-space:nowrap}
.flags i{background:var(--bg);border:1px solid var(--dim);color:var(--fg);border-radius:8px;padding:0 3px;min-width:8px;text-align:center}
.strip{position:relative;height:130px;margin:2px 0 6px;border:solid var(--line);border-width:0 0 1px 1px}
.strip u,.lane b{position:absolute;right:100%;margin-right:6px;font:normal 11px/1 sans-serif;color:var(--dim);transform:translateY(-50%);text-decoration:none;white-space:nowrap}
svg{display:block;width:100%;height:100%;overflow:hidden}path{fill:none;vector-effect:non-scaling-stroke}
.lane{position:relative;height:17px;border:solid var(--line);border-width:0 0 1px 1px}.lane b{top:50%;color:var(--fg)}
.commits{fill:var(--a);fill-opacity:.35;stroke:var(--a)}.flushes{stroke:var(--b);stroke-width:1.5}.async{stroke:var(--fg);stroke-dasharray:4 3}
.p99{stroke:var(--b);stroke-width:1.6}.p50{stroke:var(--a);stroke-width:1.6}.flush99{stroke:var(--fg);stroke-opacity:.6;stroke-dasharray:2 2}
.share{fill:var(--dim);fill-opacity:.45}.grid{stroke:var(--grid)}.gap{fill:var(--dim);fill-opacity:.25}
.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}.c6{fill:var(--c6)}.c7{fill:var(--c7)}.c8{fill:var(--c8)}.c9{fill:var(--c9)}.c10{fill:var(--c10)}
.e1,.e3,.e4,.e5{stroke:var(--dim);stroke-dasharray:2 3}.e2{stroke:var(--fg)}
rect{fill:transparent;width:1px;height:100px}rect:hover{fill:var(--fg);fill-opacity:.25}
.plots .key{position:relative;z-index:1;background:var(--bg);width:fit-content;padding-right:6px}.key svg{display:inline-block;width:26px;height:11px;vertical-align:-1px;margin:0 2px 0 9px}
.wide{overflow-x:auto;background:linear-gradient(90deg,var(--bg) 14px,#0000) 0/40px 100% local,linear-gradient(270deg,var(--bg) 14px,#0000) 100%/40px 100% local,linear-gradient(90deg,#888a,#0000) 0/12px 100%,linear-gradient(270deg,#888a,#0000) 100%/12px 100%;background-repeat:no-repeat}table{border-collapse:collapse;font-size:.87em}td,th{padding:2px 9px 2px 0;text-align:right;border-bottom:1px solid var(--line);vertical-align:top}th{font-weight:600;color:var(--dim)}
td:first-child{overflow-wrap:anywhere}.t td:nth-child(-n+3),.t th:nth-child(-n+3),.e td,.h td:last-child{text-align:left}.t td:first-child{min-width:9em}.e td:nth-child(-n+2){white-space:nowrap}
.h{width:100%}.h td{width:1%;white-space:nowrap}.h td:last-child{width:98%}s{display:block;background:var(--a);height:.9em;margin-top:.25em}
@media (max-width:600px){.e td:nth-child(2){white-space:normal;min-width:5.4em}}
@media print{:root{color-scheme:light}body{max-width:none;font-size:11px}.report{font-size:9px}.plots,tr{break-inside:avoid}h2,.dim,.key{break-after:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
</style>
</head>
<body>
<h1>Commits of ' || name.server || '</h1>
<p class="dim">' || coalesce(to_char(geo.start, 'YYYY-MM-DD HH24:MI') || ' to ' || to_char(geo.stop, 'YYYY-MM-DD HH24:MI'), 'No data')
|| ', ' || name.zone || '. Made by commit_stats_html() at ' || to_char(now(), 'YYYY-MM-DD HH24:MI') || '.</p>
' || CASE WHEN geo.n = 0 THEN '' ELSE '<h2>What happened</h2>
' || coalesce('<table class="e">' || events.list || '</table>', CASE WHEN geo.n < 10::bigint THEN '<p>Fewer than ten minutes (or hours) are too few to compare levels; nothing else stands out. The report below has the causes.</p>'
				ELSE '<p>Nothing stands out.</p>' END)
|| '<p class="dim">' || CASE WHEN events.total > 24::bigint THEN 'Of ' || events.total::text || ' that stand out, 24 are shown. ' ELSE '' END || 'A level is the mean of five minutes (or hours) before, and of five from then on: a change in the last four does not show yet. The cause of a stall is
the one known when its minute ended: for the first stalls of a quota, none.</p>
<h2>Over time</h2>
<div class="key">Commits and flushes per second:<svg viewBox="0 0 26 11"><path class="commits" d="M0 11V3h26v8z"/></svg>commits that waited for their flush<svg viewBox="0 0 26 11"><path class="flushes" d="M0 6h26"/></svg>WAL flushes of these'
|| CASE WHEN geo.async > 0::float8 THEN '<svg viewBox="0 0 26 11"><path class="async" d="M0 6h26"/></svg>asynchronous commits' ELSE '' END || '.
Numbers above: see What happened.</div>
<div class="plots">
<div class="flags">' || coalesce(events.flags, '') || '</div>
<div class="strip"><u style="top:0">' || commit_stats_html_number(geo.max_rate) || '/s</u><u style="top:50%">'
|| commit_stats_html_number(geo.max_rate / 2::float8) || '</u><u style="top:100%">0</u><svg viewBox="0 0 ' || geo.span::text
|| ' 100" preserveAspectRatio="none"><path class="grid" d="M0 50H' || geo.span::text || '"/>'
|| (SELECT string_agg('<path class="' || curve || '" d="' || d || '"/>', '' ORDER BY curve DESC) FROM curve
	WHERE curve IN ('commits', 'flushes') OR curve = 'async' AND geo.async > 0::float8) || '</svg></div>
<div class="key">Commit time, each line ten times the one below:<svg viewBox="0 0 26 11"><path class="p99" d="M0 6h26"/></svg>99% of the commits take up to this (p99)<svg viewBox="0 0 26 11"><path class="p50" d="M0 6h26"/></svg>half of them do (p50)<svg viewBox="0 0 26 11"><path class="flush99" d="M0 6h26"/></svg>flush time: 99% of the flushes take up to this</div>
<div class="strip">' || coalesce((SELECT string_agg('<u style="top:' || (100 * (geo.high - e) / (geo.high - geo.low))::text || '%">'
	|| CASE WHEN e >= 3 THEN power(10::float8, (e - 3)::float8)::text || ' s' ELSE power(10::float8, e::float8)::text || ' ms' END || '</u>', '')
	FROM generate_series(geo.low, geo.high) e), '') || '<svg viewBox="0 0 ' || geo.span::text || ' 100" preserveAspectRatio="none">'
|| coalesce((SELECT string_agg('<path class="grid" d="M0 ' || (100 * (geo.high - e) / (geo.high - geo.low))::text || 'H' || geo.span::text || '"/>', '')
	FROM generate_series(geo.low, geo.high) e), '')
|| coalesce((SELECT string_agg('<path class="' || curve || '" d="' || d || '"/>', '' ORDER BY curve) FROM curve
	WHERE curve IN ('p50', 'p99', 'flush99')), '') || '</svg></div>
<div class="key">' || CASE WHEN lane.n = 0 THEN 'No flush stalled.' ELSE 'Stalls of flushes, by cause: the higher, the more time.' END || '</div>
' || coalesce(lane.html, '') || '
<div class="key">Checkpoint under way: the higher, the more of the minute. Waits for a standby: the higher, the more of the time of commits.</div>
' || coalesce((SELECT string_agg('<div class="lane"><b>' || curve || '</b><svg viewBox="0 0 ' || geo.span::text
	|| ' 9" preserveAspectRatio="none"><path class="share" d="' || d || '"/></svg></div>', E'\n' ORDER BY curve)
	FROM curve WHERE curve IN ('checkpoint', 'standby')), '') || '
<div class="times">' || coalesce(ticks.labels, '') || '</div>
<div class="over"><svg viewBox="0 0 ' || geo.span::text || ' 100" preserveAspectRatio="none"><path class="grid" d="' || coalesce(ticks.lines, '') || '"/>'
|| coalesce(events.lines, '') || hover.html || '</svg></div>
</div>
' END || '<h2>Report</h2>
<div class="report"><p>' || replace(commit_stats_html_escape(commit_stats_report("from", "to", 1000)), E'\n', '</p><p>') || '</p></div>
<h2>Clients and statements</h2>
<p class="dim">Since the last reset, ' || name.reset || coalesce('; statements since ' || nullif(name.statements_reset, name.reset), '') || ', whatever the period above. Those with most flushes, ten at most; times in ms.</p>
' || coalesce((SELECT string_agg('<div class="wide"><table class="t"><tr><th>' || CASE WHEN kind = 1 THEN 'application' ELSE 'statement' END
	|| '</th><th>database</th><th>role</th><th>commits</th><th>flushes</th><th>% of flushes</th><th>mean commit</th><th>slow commits</th></tr>
' || list || '</table></div>', E'\n<p></p>\n' ORDER BY kind) FROM flushers), '<p>No flush so far.</p>') || '
<h2>Commits in a flush</h2>
<p class="dim">Each row counts the flushes that carried this number of commits, since the last reset.</p>
<table class="h">' || coalesce(groups.list, '') || '</table>
</body>
</html>'
FROM geo, name, events, ticks, hover, lane, groups;
END;

--
-- Privileges: the statistics cover the transactions of all users, so reading them
-- requires pg_read_all_stats, as pg_stat_activity does for other users' sessions.
-- commit_stats_reset() and commit_delay_sweep() affect all sessions;
-- commit_delay_whatif() and commit_remedies() show what each session does.  Only
-- a superuser may call these, or grant EXECUTE on them.
--
REVOKE ALL ON FUNCTION
	commit_flush_stats(), commit_client_stats(), commit_statement_stats(),
	commit_statement_texts(), commit_statement_stats_reset(), commit_activity(),
	commit_slow_log(), commit_stall_log(), commit_flush_histogram(),
	commit_sibling_histogram(), commit_flush_log(), commit_latency_stats(),
	commit_latency_histogram(), commit_latency_buckets(), commit_wal_stats(),
	commit_standby_stats(), commit_delay_state(), commit_delay_changes(),
	commit_stats_info(), commit_stats_sample(interval), commit_stats_rates(),
	commit_delay_sweep(integer[], integer[], interval, interval, interval, boolean),
	commit_stats_report(),
	commit_stats_report(timestamptz, timestamptz, integer),
	commit_stats_compare(tstzrange, tstzrange), commit_stats_html_escape(text),
	commit_stats_html_number(double precision),
	commit_stats_html(timestamptz, timestamptz),
	commit_delay_whatif(integer[], integer[], interval),
	commit_remedies(interval), commit_history(), commit_history_close(),
	commit_history_reset(), commit_stats_reset()
	FROM PUBLIC;

GRANT EXECUTE ON FUNCTION
	commit_flush_stats(), commit_client_stats(), commit_statement_stats(),
	commit_statement_texts(), commit_activity(), commit_slow_log(),
	commit_stall_log(), commit_flush_histogram(), commit_sibling_histogram(),
	commit_flush_log(), commit_latency_stats(), commit_latency_histogram(),
	commit_latency_buckets(), commit_wal_stats(), commit_standby_stats(),
	commit_delay_state(), commit_delay_changes(), commit_stats_info(),
	commit_stats_sample(interval), commit_stats_rates(), commit_history(),
	commit_stats_report(),
	commit_stats_report(timestamptz, timestamptz, integer),
	commit_stats_compare(tstzrange, tstzrange), commit_stats_html_escape(text),
	commit_stats_html_number(double precision),
	commit_stats_html(timestamptz, timestamptz)
	TO pg_read_all_stats;

GRANT SELECT ON
	commit_flush_stats, commit_client_stats, commit_statement_stats,
	commit_database_stats, commit_activity, commit_slow_log, commit_stall_log,
	commit_flush_histogram, commit_sibling_histogram, commit_flush_log,
	commit_latency_stats, commit_latency_histogram, commit_flush_latency_stats,
	commit_flush_latency_histogram, commit_latency_buckets, commit_wal_stats,
	commit_standby_stats, commit_delay_state, commit_delay_changes,
	commit_history, commit_stats_info
	TO pg_read_all_stats;

--
-- Comments: those of columns become the tables of doc/reference.md (script/generate)
--
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY '{
		commit_flush_stats, commit_statement_stats, commit_activity, commit_slow_log,
		commit_stall_log, commit_flush_histogram, commit_flush_log,
		commit_latency_buckets, commit_wal_stats, commit_standby_stats,
		commit_delay_state, commit_delay_changes, commit_stats_info, commit_history}'::text[]
	LOOP
		EXECUTE pg_catalog.format(
			'COMMENT ON FUNCTION %1$I() IS ''underlying function of the view %1$I''', name);
	END LOOP;
END $$;

COMMENT ON FUNCTION commit_statement_texts() IS
	'texts of statements of all databases, from pg_stat_statements; no rows if that is not preloaded and installed in this database, or has a text that the encoding of this database cannot hold';
COMMENT ON FUNCTION commit_statement_stats_reset() IS
	'resets commit_statement_stats alone, and returns the time';
COMMENT ON FUNCTION commit_client_stats() IS
	'underlying function of the views commit_client_stats and commit_database_stats; roleid is null for several clients together';
COMMENT ON FUNCTION commit_sibling_histogram() IS
	'underlying function of the view commit_sibling_histogram; commits is the number of commits carried by flushes';
COMMENT ON FUNCTION commit_latency_stats() IS
	'underlying function of the views commit_latency_stats and commit_flush_latency_stats; the row with role flush is for the latter';
COMMENT ON FUNCTION commit_latency_histogram() IS
	'underlying function of the views commit_latency_histogram and commit_flush_latency_histogram; the rows with role flush are for the latter';
COMMENT ON FUNCTION commit_stats_sample(interval) IS
	'one row, showing rates of commits and WAL flushes over the time "duration" from the call on; elapsed is in seconds; delay_hit_share is the percentage of flushes whose leader slept, and wal_busy_share that of the time in which a leader wrote or synced WAL; mean and percentiles of commit times are in milliseconds';
COMMENT ON FUNCTION commit_stats_rates() IS
	'one row, showing rates of commits and WAL flushes since the previous call in this session or since the last reset, whichever is later; elapsed is in seconds; delay_hit_share is the percentage of flushes whose leader slept; mean and p99 of commit times and flush_mean, the mean flush time, are in milliseconds; wal_bytes_per_second is the WAL of the whole server, in bytes; commits_trend and p99_trend show commits_per_second and p99 of up to 60 calls in this session, newest last, each as a character whose height is its share of the greatest';
COMMENT ON FUNCTION commit_delay_sweep(integer[], integer[], interval, interval, interval, boolean) IS
	'one row for each pair of commit_delay (in microseconds, from "delays") and commit_siblings (from "siblings"; null: as in this session), showing rates and commit times measured while all commits used the pair, for the time "slot" in each of the rounds that "duration" has; drops pairs whose p99 exceeds "max_p99"; with "adaptive", commit_stats.adaptive_delay is one more row, in which both are null; low and high are a 95% confidence interval; delay_hit_share is the percentage of flushes whose leader slept; mean and percentiles of commit times are in milliseconds';
COMMENT ON FUNCTION commit_stats_report() IS
	'report about commits, WAL flushes and the effect of commit_delay, with advice, on one screen of text';
COMMENT ON FUNCTION commit_stats_report(timestamptz, timestamptz, integer) IS
	'the report for a period of commit_history: of each minute that overlaps it; where minutes are no longer kept, of whole hours of UTC';
COMMENT ON FUNCTION commit_stats_compare(tstzrange, tstzrange) IS
	'what changed the mean commit time from the period "before" of commit_history to the period "after": parts that add up to the change, largest first, each with its percentage of it, and settings; where minutes are no longer kept, periods have whole hours of UTC';
COMMENT ON FUNCTION commit_stats_html(timestamptz, timestamptz) IS
	'a page of HTML about the time from "from" to "to": the report, what happened in the rows of commit_history and when, their course, and the clients and statements with most flushes since the last reset';
COMMENT ON FUNCTION commit_stats_html_escape(text) IS
	'"value" as text of a page of commit_stats_html()';
COMMENT ON FUNCTION commit_stats_html_number(double precision) IS
	'"value" with three digits, for commit_stats_html()';
COMMENT ON FUNCTION commit_delay_whatif(integer[], integer[], interval) IS
	'one row for each pair of commit_delay (from "delays") and commit_siblings (from "siblings"; null: as in this session), showing rates and commit times predicted from the commits of the time "sample", in the units of commit_delay_sweep(), so delay_hit_share is a percentage; low and high are 95% bounds, which for delay_hit_share leave out the error of the model; the measured columns are null except for the current setting';
COMMENT ON FUNCTION commit_remedies(interval) IS
	'one row for each remedy, predicted from the commits of the time "sample", and one to leave it: those come first that shorten the transactions of the others most, which are the commits of all clients but the one that the remedy changes, and those last that may lose something; statement and undo are to be pasted into psql outside of a transaction, or where a comment in them says; low and high are 95% bounds; times in milliseconds; others_now is predicted of the same others without the remedy; others_saved is the percentage by which the mean transaction of the others gets shorter; the measured columns are null except for what is';
COMMENT ON FUNCTION commit_history_close() IS
	'end the present minute of commit_history now; returns its end';
COMMENT ON FUNCTION commit_history_reset() IS
	'empty commit_history; returns the time from which it counts';
COMMENT ON FUNCTION commit_stats_reset() IS
	'resets statistics of commit_stats, but not commit_history, and returns the time of the reset';

COMMENT ON VIEW commit_flush_stats IS
	'one row, showing commits and WAL flushes of the whole server since the last reset';
COMMENT ON VIEW commit_client_stats IS
	'one row for each database, database role and application_name, showing its commits and the WAL flushes that they issued since the last reset';
COMMENT ON VIEW commit_statement_stats IS
	'one row for each database, database role and statement, showing the commits of its transactions since the last reset';
COMMENT ON VIEW commit_database_stats IS
	'one row for each database, showing its commits and the WAL flushes that they issued since the last reset';
COMMENT ON VIEW commit_activity IS
	'one row for each process that commits, showing what it has committed since it connected and what its commit under way waits for';
COMMENT ON VIEW commit_slow_log IS
	'one row for each of the latest 512 commits that took longer than commit_stats.slow_commit_time, newest first';
COMMENT ON VIEW commit_stall_log IS
	'one row for each of the latest 512 WAL flushes of commits that took longer than commit_stats.stall_time, newest first';
COMMENT ON VIEW commit_flush_histogram IS
	'one row for each number of commits that a flush carried, showing how many flushes carried that number since the last reset';
COMMENT ON VIEW commit_sibling_histogram IS
	'one row for each number of siblings that a leader counted, showing the flushes of these leaders since the last reset; without a fixed delay, and if more than 8 other backends are connected, only a random share of the leaders may count siblings (sibling_count_share of commit_stats_info)';
COMMENT ON VIEW commit_flush_log IS
	'one row for each of the newest flushes that carried a commit or were issued by one, newest first';
COMMENT ON VIEW commit_latency_stats IS
	'one row for each level that commits waited for and role that occurred since the last reset, showing how long commits took';
COMMENT ON VIEW commit_flush_latency_stats IS
	'one row, showing how long leaders with track_wal_io_timing wrote and synced WAL since the last reset; no row before the first timed flush';
COMMENT ON VIEW commit_latency_histogram IS
	'one row for each cell of the histogram of each level and role that occurred since the last reset, showing how long commits took';
COMMENT ON VIEW commit_flush_latency_histogram IS
	'one row for each cell of a histogram, showing how long leaders with track_wal_io_timing wrote and synced WAL since the last reset; no rows before the first timed flush';
COMMENT ON VIEW commit_latency_buckets IS
	'one row for each level and role and one for timed flushes, whether they occurred or not, showing a histogram in the form that Prometheus expects, with the same bounds on all servers';
COMMENT ON VIEW commit_wal_stats IS
	'one row for each of the last 32 checkpoint cycles in which a transaction that wrote WAL ended, showing the WAL of these transactions, newest first';
COMMENT ON VIEW commit_standby_stats IS
	'one row for each synchronous standby that commits waited for, and stage: the commit goes on when this standby reaches it; empty if synchronous_standby_names has just changed';
COMMENT ON VIEW commit_delay_state IS
	'one row, showing what commit_stats.adaptive_delay believes and does';
COMMENT ON VIEW commit_delay_changes IS
	'one row for each of the last 64 changes of what commit_stats.adaptive_delay believes, newest first';
COMMENT ON VIEW commit_history IS
	'one row for each minute, and one for each hour of UTC, of which each is the sum of its minutes; newest last';
COMMENT ON VIEW commit_stats_info IS
	'one row, showing the current state of commit_stats';

--
-- What the columns of views mean.  Where no row has the column of a view, it means what
-- the first row says that has the name; script/generate knows that, too.
--
DO $$
DECLARE
	meaning record;
BEGIN
	FOR meaning IN
		SELECT DISTINCT ON (a.attrelid, a.attnum) c.oid::regclass AS view, a.attname AS name, m.comment
		FROM (SELECT pg_catalog.row_number() OVER () AS number, v.* FROM (VALUES
	('commit_flush_stats', 'commits', 'commits that waited for their WAL flush, including COMMIT PREPARED'),
	('commit_flush_stats', 'commits_async', 'commits that did not wait for it'),
	('commit_flush_stats', 'commits_unlogged', 'commits with a transaction ID but no WAL to wait for: temporary or unlogged tables, NOTIFY'),
	('commit_flush_stats', 'commits_read_only', 'commits without a transaction ID, except COMMIT PREPARED and ROLLBACK PREPARED'),
	('commit_flush_stats', 'prepares', 'PREPARE TRANSACTION commands; each waits for a flush'),
	('commit_flush_stats', 'flushes', 'WAL flushes that a commit or prepare, the leader, issued'),
	('commit_flush_stats', 'flushes_uncertain', 'expected number of errors in flushes; 0 up to PostgreSQL 17'),
	('commit_flush_stats', 'commits_per_flush', 'mean number of commits in a flush, without commits_without_leader'),
	('commit_flush_stats', 'followers', 'commits that another''s flush carried'),
	('commit_flush_stats', 'commits_without_leader', 'commits that the WAL writer, the checkpointer or an eviction flushed'),
	('commit_flush_stats', 'delay_hits', 'flushes whose leader slept; inferred, see delay_uncertain'),
	('commit_flush_stats', 'delay_misses', 'flushes whose leader did not sleep for commit_delay, for lack of siblings; inferred likewise'),
	('commit_flush_stats', 'delay_uncertain', 'expected number of errors in delay_hits and delay_misses'),
	('commit_flush_stats', 'delay_time', 'total time that leaders slept, in milliseconds; a lower bound without track_wal_io_timing'),
	('commit_flush_stats', 'delay_hits_adaptive', 'part of delay_hits for which commit_stats.adaptive_delay set the time'),
	('commit_flush_stats', 'siblings_avg', 'mean siblings of leaders that counted them'),
	('commit_flush_stats', 'siblings_max', 'largest of these'),
	('commit_flush_stats', 'commit_time', 'total time of commits, including waits for a standby, in milliseconds'),
	('commit_flush_stats', 'prepare_time', 'total time of prepares, likewise, in milliseconds'),
	('commit_flush_stats', 'flush_time', 'total time that leaders wrote and synced WAL in timed_flushes, in milliseconds'),
	('commit_flush_stats', 'timed_flushes', 'flushes whose leader had track_wal_io_timing on'),
	('commit_flush_stats', 'slow_commits', 'commits above commit_stats.slow_commit_time'),
	('commit_flush_stats', 'stalls', 'flushes above commit_stats.stall_time'),
	('commit_flush_stats', 'stall_time', 'total time of stalls, in milliseconds'),
	('commit_flush_stats', 'inferred_flushes', 'part of flushes whose number of commits is inferred: no backend saw their end, or the previous one''s'),
	('commit_flush_stats', 'unresolved_flushes', 'part of flushes that the histograms omit: their group had left the ring'),
	('commit_flush_stats', 'unresolved_commits', 'commits of these groups'),
	('commit_flush_stats', 'wal_bytes', 'WAL in flushes with a leader, in bytes'),
	('commit_flush_stats', 'stats_reset', 'time of the last reset, or of the last start without saved statistics'),

	('commit_client_stats', 'datid', 'OID of the database'),
	('commit_client_stats', 'datname', 'name of the database; null if dropped'),
	('commit_client_stats', 'roleid', 'OID of the database role (current_user) at the commit'),
	('commit_client_stats', 'rolname', 'name of the database role; null if dropped'),
	('commit_client_stats', 'application_name', 'name at the commit; empty if not set'),
	('commit_client_stats', 'status', 'present; dropped; overflow, for all clients of a database without a row'),
	('commit_client_stats', 'sessions', 'connected processes that are this client'),
	('commit_client_stats', 'share', 'percentage of commits + commits_async of all rows'),
	('commit_client_stats', 'flushes', 'WAL flushes that its commits and prepares issued, whosever they carried'),
	('commit_client_stats', 'commits_carried', 'its commits whose flush another process issued: followers or commits_without_leader'),
	('commit_client_stats', 'wal_bytes', 'WAL that its transactions wrote, rolled back ones included, in bytes'),
	('commit_client_stats', 'wal_bytes_per_commit', 'wal_bytes / (commits + commits_async), in bytes'),
	('commit_client_stats', 'commits_notify', 'part of commits and commits_async with a NOTIFY'),
	('commit_client_stats', 'statements', 'top-level statements that wrote WAL and committed'),
	('commit_client_stats', 'transaction_time', 'total time of its transactions with a commit, commits_async or prepare, until the end of that, in milliseconds; with COMMIT PREPARED'),
	('commit_client_stats', 'session_time', 'total time that sessions were connected as this client, in milliseconds'),
	('commit_client_stats', 'transaction_share', 'commit_time + prepare_time as a percentage of transaction_time'),
	('commit_client_stats', 'session_share', 'commit_time + prepare_time as a percentage of session_time'),

	('commit_statement_stats', 'queryid', 'query identifier of the statement; null if reason is not'),
	('commit_statement_stats', 'query', 'its text; null if pg_stat_statements in this database has none'),
	('commit_statement_stats', 'reason', 'why queryid is null: utility, compute_query_id_off, commit_prepared, apply_worker, background, none, overflow or insufficient_privilege'),
	('commit_statement_stats', 'flushes', 'WAL flushes that its commits and prepares issued, whosever they carried'),
	('commit_statement_stats', 'flushes_share', 'percentage of flushes of all rows'),
	('commit_statement_stats', 'delay_hits', 'flushes whose leader slept; inferred, as in commit_client_stats'),
	('commit_statement_stats', 'commit_time_share', 'percentage of commit_time of all rows'),
	('commit_statement_stats', 'commit_mean', 'commit_time / commits, in milliseconds'),
	('commit_statement_stats', 'wal_bytes', 'WAL that its transactions wrote, rolled back ones included, in bytes'),
	('commit_statement_stats', 'wal_share', 'percentage of wal_bytes of all rows'),
	('commit_statement_stats', 'wal_bytes_per_commit', 'wal_bytes / (commits + commits_async + prepares), in bytes'),
	('commit_statement_stats', 'transaction_mean', 'transaction_time / (commits + commits_async + prepares), in milliseconds'),

	('commit_database_stats', 'status', 'present; dropped; no database, for processes connected to none; overflow, for clients without a row whose database has none'),
	('commit_database_stats', 'sessions', 'processes connected to the database'),
	('commit_database_stats', 'flushes', 'WAL flushes that its commits and prepares issued, whosever they carried'),
	('commit_database_stats', 'wal_bytes', 'WAL that its transactions wrote, rolled back ones included, in bytes'),
	('commit_database_stats', 'session_time', 'total time that sessions were connected to the database, in milliseconds'),

	('commit_activity', 'pid', 'process ID'),
	('commit_activity', 'roleid', 'OID of the database role (current_user) at the latest commit, or at the session''s start'),
	('commit_activity', 'application_name', 'name at the same time'),
	('commit_activity', 'flushes', 'WAL flushes that commits and prepares of the process issued'),
	('commit_activity', 'commits_carried', 'commits of the process whose flush another process issued'),
	('commit_activity', 'wal_bytes', 'WAL that its transactions wrote, in bytes'),
	('commit_activity', 'committing_since', 'begin of the COMMIT or prepare under way; null without one'),
	('commit_activity', 'waiting_for', 'what the COMMIT waits for: flush, another''s flush, new WAL segment, delay (inferred before PostgreSQL 19), standby, notify, commit log, or another lock, with object and holder'),
	('commit_activity', 'phase', 'phase of that commit, as in the report'),
	('commit_activity', 'blocked_by', 'process ID of who flushes, or holds the lock at the end of a chain of waits'),
	('commit_activity', 'detail', 'what it waits for, in the words of the report''s first line'),

	('commit_slow_log', 'ended_at', 'end of the commit'),
	('commit_slow_log', 'client_addr', 'IP address of the client; null over a Unix-domain socket'),
	('commit_slow_log', 'queryid', 'statement to which the commit belongs'),
	('commit_slow_log', 'synchronous_commit', 'setting of the session at the commit'),
	('commit_slow_log', 'role', 'leader: the commit issued its flush; follower: another process did; asynchronous: it did not wait'),
	('commit_slow_log', 'duration', 'time from the start of COMMIT, or without a statement from the first callback, until its memory is released, in milliseconds'),
	('commit_slow_log', 'transaction_time', 'time of the transaction until the end of its commit, in milliseconds; null for prepares, COMMIT PREPARED and commits without WAL'),
	('commit_slow_log', 'before_time', 'time before the first callback, in milliseconds: deferred triggers and constraints, cursors, savepoints, other libraries; 0 without a COMMIT statement'),
	('commit_slow_log', 'record_time', 'time from there until the commit record, without notify_time, in milliseconds: ON COMMIT actions, files synced, full WAL buffers, messages of NOTIFY'),
	('commit_slow_log', 'notify_time', 'time spent waiting for the lock of NOTIFY, in milliseconds'),
	('commit_slow_log', 'delay_time', 'time in which the leader slept, in milliseconds; a lower bound without track_wal_io_timing; 0 without a known leader'),
	('commit_slow_log', 'flush_time', 'time in which the session wrote and synced WAL, in milliseconds; null without track_wal_io_timing for a leader that waited for a standby'),
	('commit_slow_log', 'flush_timed', 'true if flush_time was measured (track_wal_io_timing), false if inferred; null if that is, or unless the session led'),
	('commit_slow_log', 'others_flush_time', 'time spent waiting for the flush of another process, without delay_time, in milliseconds'),
	('commit_slow_log', 'segment_time', 'time spent making a new WAL segment, in milliseconds; in flush_time without track_wal_io_timing'),
	('commit_slow_log', 'standby_time_min', 'lower bound of the time spent waiting for a standby, in milliseconds'),
	('commit_slow_log', 'standby_time_max', 'its upper bound, in milliseconds'),
	('commit_slow_log', 'commit_log_time', 'time between flush and second callback, without a wait for a standby, in milliseconds: pg_xact, ProcArray, a processor'),
	('commit_slow_log', 'after_time', 'time after the second callback, in milliseconds: files deleted, predicate locks, signals of NOTIFY, invalidations'),
	('commit_slow_log', 'not_run_time', 'time in which a CPU limit, or a pause, stopped processes of the server, in milliseconds'),
	('commit_slow_log', 'unknown_time', 'rest of duration, with standby_time_min and all other parts, in milliseconds'),
	('commit_slow_log', 'other_time', 'rest of duration without notify_time, delay_time, flush_time and standby_time_min, in milliseconds'),
	('commit_slow_log', 'cause', 'largest part: before, record, NOTIFY lock, delay, flush, another''s flush, standby, commit log, after, not run or unknown; of a stall, its cause'),
	('commit_slow_log', 'waited_for', 'lock that the COMMIT was seen waiting for, and its holder'),
	('commit_slow_log', 'blocked_by', 'process ID of the holder'),
	('commit_slow_log', 'notify_pid', 'process ID of who had the lock of NOTIFY before'),
	('commit_slow_log', 'notify_datid, notify_datname, notify_roleid, notify_rolname, notify_application_name', 'client (database, database role, name) of notify_pid at its latest commit; null if it has left'),
	('commit_slow_log', 'standby', 'standby that the commit was seen waiting for'),
	('commit_slow_log', 'standby_stage', 'what that standby lacked, as in commit_standby_stats'),
	('commit_slow_log', 'commits_in_flush', 'commits that the flush carried'),
	('commit_slow_log', 'leader_pid', 'process ID of the leader; null also if no commit led the flush'),
	('commit_slow_log', 'leader_datid, leader_datname, leader_roleid, leader_rolname, leader_application_name', 'client (database, database role, name) of leader_pid at its latest commit; null if it has left'),
	('commit_slow_log', 'flush_wal_bytes', 'WAL that the flush wrote, in bytes'),
	('commit_slow_log', 'wal_bytes', 'WAL that the transaction wrote, in bytes; for COMMIT PREPARED, its own record'),
	('commit_slow_log', 'checkpoint', 'true if a checkpoint ran at the end'),

	('commit_stall_log', 'ended_at', 'end of the flush; the earliest possible if its leader then waited for a standby'),
	('commit_stall_log', 'duration', 'time of the flush without the sleep before it, in milliseconds; with a new WAL segment'),
	('commit_stall_log', 'flush_timed', 'true if duration was measured (track_wal_io_timing), false if inferred'),
	('commit_stall_log', 'stall_limit', 'limit then, in milliseconds'),
	('commit_stall_log', 'commits', 'commits that the flush carried'),
	('commit_stall_log', 'sessions', 'sessions in a commit as the flush ended; an estimate with more than 64 others'),
	('commit_stall_log', 'wal_bytes', 'WAL that the flush wrote, in bytes'),
	('commit_stall_log', 'leader_pid', 'process ID of the leader; null if no commit led the flush, which commit_flush_stats then does not count'),
	('commit_stall_log', 'client_addr', 'as in commit_slow_log, of the leader''s client'),
	('commit_stall_log', 'queryid', 'as in commit_slow_log, of the leader''s commit'),
	('commit_stall_log', 'transaction_time', 'as in commit_slow_log, of the leader''s commit, in milliseconds'),
	('commit_stall_log', 'leader_wal_bytes', 'WAL that the leader''s transaction wrote, in bytes'),
	('commit_stall_log', 'writer_pid', 'process whose transaction wrote at least half of wal_bytes: the leader, or one with more than 1 MB of WAL, inferred at its end, or seen while it ran; null for autovacuum, or where several may have'),
	('commit_stall_log', 'writer_datid, writer_datname, writer_roleid, writer_rolname, writer_application_name', 'client (database, database role, name) of writer_pid'),
	('commit_stall_log', 'writer_queryid', 'its statement; null while the transaction runs'),
	('commit_stall_log', 'writer_share', 'estimated percentage of wal_bytes that it wrote, 50 to 100'),
	('commit_stall_log', 'quota_flushes', 'flushes that the device allows in quota_window; null if this one ends no window, or bytes may be limited'),
	('commit_stall_log', 'segment_time', 'time spent making a new WAL segment, in milliseconds'),
	('commit_stall_log', 'cause', 'why: new segment, CPU limit, pause (of the machine), checkpoint, archiver, bulk WAL, bytes, other I/O (of the volume of the WAL), quota or unknown'),
	('commit_stall_log', 'certainty', 'probability that cause is right'),
	('commit_stall_log', 'checkpoint_phase', 'write, sync or segment, if seen for at least half of duration'),
	('commit_stall_log', 'quota_window', 'window of the quota, in milliseconds'),

	('commit_flush_histogram', 'commits_in_flush', 'commits in a flush, the leader''s included; 0 if it carried only prepares'),
	('commit_flush_histogram', 'flushes', 'flushes that carried this number'),
	('commit_flush_histogram', 'delayed_flushes', 'those whose leader slept'),
	('commit_flush_histogram', 'commits', 'commits that they carried'),
	('commit_flush_histogram', 'share', 'percentage of the flushes of all rows'),
	('commit_flush_histogram', 'bar', 'bar in proportion, 30 characters for the largest'),

	('commit_sibling_histogram', 'siblings', 'siblings of the leader'),
	('commit_sibling_histogram', 'flushes', 'flushes whose leader counted this number'),
	('commit_sibling_histogram', 'delay_hits', 'those whose leader slept'),
	('commit_sibling_histogram', 'commits_per_flush', 'commits that they carried on average'),
	('commit_sibling_histogram', 'share_at_least', 'percentage of the flushes with at least this number, which would sleep with this commit_siblings'),

	('commit_flush_log', 'flushed_at', 'when a commit first saw its end; null until that is noted'),
	('commit_flush_log', 'flush_lsn', 'WAL location of its end; null until that is noted'),
	('commit_flush_log', 'flushes', 'flushes in the row: more than 1 if no backend saw the end of the first; the leader is then that of one of them'),
	('commit_flush_log', 'commits', 'commits that it carried; N of message'),
	('commit_flush_log', 'active_transactions', 'estimated transactions active around it, its own included; M of message'),
	('commit_flush_log', 'siblings', 'siblings of the leader, if it counted them'),
	('commit_flush_log', 'delayed', 'true if the leader slept; inferred, see delay_probability'),
	('commit_flush_log', 'delay_probability', 'probability of that, 0 to 1'),
	('commit_flush_log', 'delay_time', 'time that it slept, in milliseconds'),
	('commit_flush_log', 'delay_kind', 'what set that time: fixed (commit_delay or a sweep) or adaptive'),
	('commit_flush_log', 'flush_time', 'time that it wrote and synced WAL, in milliseconds; null without track_wal_io_timing'),
	('commit_flush_log', 'wal_bytes', 'WAL from the previous flush_lsn to this one, in bytes'),
	('commit_flush_log', 'message', 'Flushed N out of M commits, as commit_stats.log_flushes logs it; in 2 flushes, if flushes is 2'),

	('commit_latency_stats', 'synchronous_commit', 'setting of these commits; several, with commas, if they waited for the same'),
	('commit_latency_stats', 'wait_level', 'level that they waited for in fact: local replaces the higher ones while synchronous_standby_names is empty, and off for a commit that has to wait'),
	('commit_latency_stats', 'commits', 'commits of this level and role'),
	('commit_latency_stats', 'mean', 'mean, in milliseconds'),
	('commit_latency_stats', 'p50, p95, p99, p999', 'percentile, in milliseconds, accurate to 5%'),
	('commit_latency_stats', 'max', 'longest, in milliseconds, accurate to 5%; 137,439 for longer ones, too'),
	('commit_latency_stats', 'commit_time', 'total time, in milliseconds'),
	('commit_latency_stats', 'record_time', 'part of commit_time until the commit record was written, without notify_time, in milliseconds; 0 for COMMIT PREPARED'),
	('commit_latency_stats', 'notify_time', 'part of commit_time spent waiting for the lock of NOTIFY, in milliseconds'),
	('commit_latency_stats', 'delay_time', 'part of commit_time in which the leader slept, in milliseconds; a lower bound without track_wal_io_timing'),
	('commit_latency_stats', 'flush_time', 'part of commit_time in which they wrote and synced WAL, in milliseconds; null unless they led with track_wal_io_timing'),
	('commit_latency_stats', 'standby_time_min', 'lower bound of the part spent waiting for a standby, in milliseconds'),
	('commit_latency_stats', 'standby_time_max', 'upper bound of that part, in milliseconds'),
	('commit_latency_stats', 'other_time', 'rest of commit_time, with standby_time_min, in milliseconds'),
	('commit_latency_stats', 'before_time', 'time of COMMIT statements before commit_time, in milliseconds, as in commit_slow_log'),
	('commit_latency_stats', 'after_time', 'time after commit_time of commits that were slow or SERIALIZABLE, had NOTIFY or may delete files, in milliseconds'),
	('commit_latency_stats', 'requested', 'synchronous_commit as an array; for local, of leaders and followers together'),

	('commit_flush_latency_stats', 'flushes', 'timed flushes'),
	('commit_flush_latency_stats', 'flush_time', 'total time, in milliseconds'),

	('commit_latency_histogram', 'wait_level', 'as in commit_latency_stats; null for flushes'),
	('commit_latency_histogram', 'role', 'as in commit_latency_stats; flush for flushes'),
	('commit_latency_histogram', 'lower_bound', 'inclusive lower bound, in milliseconds'),
	('commit_latency_histogram', 'upper_bound', 'exclusive upper bound, in milliseconds; Infinity for the last'),
	('commit_latency_histogram', 'commits', 'commits in this cell'),
	('commit_latency_histogram', 'cumulative', 'times below upper_bound'),

	('commit_flush_latency_histogram', 'flushes', 'flushes in this cell'),

	('commit_latency_buckets', 'wait_level', 'as in commit_latency_stats; null for flushes'),
	('commit_latency_buckets', 'role', 'as in commit_latency_stats; flush for flushes'),
	('commit_latency_buckets', 'le', 'upper bounds, in seconds, without the infinite one'),
	('commit_latency_buckets', 'bucket', 'numbers of times up to each bound'),
	('commit_latency_buckets', 'sum', 'total time, in seconds'),
	('commit_latency_buckets', 'count', 'commits or flushes'),

	('commit_wal_stats', 'redo_lsn', 'redo location of the checkpoint that begins the cycle'),
	('commit_wal_stats', 'started_at', 'when it was seen to begin'),
	('commit_wal_stats', 'finished', 'true if the next checkpoint has begun'),
	('commit_wal_stats', 'commits', 'commits with a transaction ID, and COMMIT PREPARED'),
	('commit_wal_stats', 'wal_records', 'WAL records of its transactions, rolled back ones included'),
	('commit_wal_stats', 'wal_fpi', 'full-page images in these records'),
	('commit_wal_stats', 'wal_bytes', 'size of these records, images included, in bytes'),
	('commit_wal_stats', 'wal_bytes_per_commit', 'wal_bytes / commits, in bytes'),
	('commit_wal_stats', 'wal_fpi_bytes', 'size of the images, in bytes; null before PostgreSQL 19'),
	('commit_wal_stats', 'fpi_share', 'images as a percentage of wal_bytes or, before PostgreSQL 19, per 100 records, which can exceed 100'),
	('commit_wal_stats', 'fpi_share_of', 'what fpi_share refers to: bytes or records'),
	('commit_wal_stats', 'fpi_share_max', 'upper bound of the percentage of wal_bytes; before PostgreSQL 19 as if no image had a hole or were compressed'),
	('commit_wal_stats', 'wal_bytes_aborted', 'part of wal_bytes of transactions that rolled back, in bytes'),
	('commit_wal_stats', 'wal_distance', 'all WAL from redo_lsn to that of the next cycle or the insert location, in bytes; null in a standby''s newest row'),

	('commit_standby_stats', 'standby', 'name in synchronous_standby_names or, for *, application_name; * if too few are connected'),
	('commit_standby_stats', 'stage', 'what the standby had not reached: not connected, not sent, not written, not flushed, or not applied'),
	('commit_standby_stats', 'wait_time', 'time that all commits together waited for it, by samples, in milliseconds'),
	('commit_standby_stats', 'share', 'wait_time as a percentage of that of all rows'),
	('commit_standby_stats', 'slow_commits', 'slow commits that waited for it'),
	('commit_standby_stats', 'waiting_now', 'commits that wait for it now'),
	('commit_standby_stats', 'pid', 'its only walsender''s process ID'),
	('commit_standby_stats', 'state', 'state of this walsender, as in pg_stat_replication'),
	('commit_standby_stats', 'counted_since', 'since when: a change of synchronous_standby_names, server start, or a reset'),

	('commit_delay_state', 'adaptive_delay', 'commit_stats.adaptive_delay in this session'),
	('commit_delay_state', 'in_force', 'true if commits follow it, but for a sweep; false while it, fsync or commit_stats.enabled is off, or no background worker has read it, as on a standby'),
	('commit_delay_state', 'spacing', 'spacing that leaders keep to now, in milliseconds; tried_spacing in every other slot of a trial'),
	('commit_delay_state', 'reason', 'what changed last'),
	('commit_delay_state', 'changed_at', 'time of that change'),
	('commit_delay_state', 'trial', 'latest trial'),
	('commit_delay_state', 'tried_spacing', 'spacing that it tries, in milliseconds'),
	('commit_delay_state', 'tried_response', 'mean response with tried_spacing, in milliseconds'),
	('commit_delay_state', 'kept_response', 'the same of the other spacing, in milliseconds'),
	('commit_delay_state', 'quota_flush_rate', 'flushes per second that the device is believed to allow'),
	('commit_delay_state', 'quota_window', 'its window, in milliseconds'),
	('commit_delay_state', 'quota_spacing', 'floor of the spacing, in milliseconds'),
	('commit_delay_state', 'flush_time', 'usual time of a flush, in milliseconds'),
	('commit_delay_state', 'trials, quotas_found, quotas_refuted', 'number since the setting was turned on'),
	('commit_delay_state', 'trials_won', 'trials whose spacing was kept'),
	('commit_delay_state', 'changes', 'changes since server start'),

	('commit_delay_changes', 'change', 'its number since server start'),
	('commit_delay_changes', 'changed_at', 'time of the change'),
	('commit_delay_changes', 'reason', 'what changed, as in commit_delay_state'),
	('commit_delay_changes', 'spacing', 'spacing from then on, before commit_stats.adaptive_delay_max and other bounds, in milliseconds'),
	('commit_delay_changes', 'response', 'mean response with that spacing in the trial that it won, in milliseconds'),
	('commit_delay_changes', 'response_before', 'the same of the spacing before, in milliseconds'),

	('commit_history', 'resolution', 'minute, or hour: the sum of its minutes'),
	('commit_history', 'period_start', 'begin: a whole minute, server start, commit_history_reset() or commit_history_close()'),
	('commit_history', 'period_end', 'end; of the present hour, that of the newest minute'),
	('commit_history', 'seconds', 'its length in seconds, by a clock that is never set'),
	('commit_history', 'after_gap', 'true if nothing was counted before it or one of its minutes: the server was down or commit_stats.enabled off, or a crash lost minutes'),
	('commit_history', 'commits_without_leader', 'part of commits_carried that no commit''s flush carried; without those before a reset in the period'),
	('commit_history', 'delay_hits', 'flushes whose leader slept; inferred, as in commit_client_stats'),
	('commit_history', 'commit_p50, commit_p95, commit_p99, flush_p50, flush_p99', 'percentile, in milliseconds'),
	('commit_history', 'commit_max, flush_max', 'longest, in milliseconds, accurate to 5%; 137,439 for longer ones, too'),
	('commit_history', 'flush_mean', 'flush_time / timed_flushes, in milliseconds'),
	('commit_history', 'segment_stall_time, cpu_limit_stall_time, pause_stall_time, checkpoint_stall_time, archiver_stall_time, bulk_wal_stall_time, bytes_stall_time, other_io_stall_time, quota_stall_time, unknown_stall_time', 'part of stall_time with this cause in commit_stall_log, in milliseconds'),
	('commit_history', 'wal_bytes', 'WAL that its transactions wrote, rolled back ones included, in bytes'),
	('commit_history', 'wal_fpi', 'full-page images of pg_stat_wal'),
	('commit_history', 'checkpoints', 'checkpoints begun, or skipped when idle'),
	('commit_history', 'archive_failures', 'failures of archive_command or archive_library'),
	('commit_history', 'before_time', 'time of COMMIT statements before commit_time, in milliseconds, as in commit_slow_log'),
	('commit_history', 'record_time', 'part of commit_time until the commit record was written, without notify_time, in milliseconds; 0 for COMMIT PREPARED'),
	('commit_history', 'notify_time', 'part of commit_time spent waiting for the lock of NOTIFY, in milliseconds'),
	('commit_history', 'phase_delay_time, phase_flush_time, others_flush_time', 'part of commit_time in this phase, as in commit_slow_log, by samples or sums of leaders, in milliseconds'),
	('commit_history', 'segment_time, commit_log_time, not_run_time', 'part of commit_time in this phase, by samples, without stops within phases that are sums, in milliseconds; with too few, it is part of others_flush_time or, if no other flush carried a commit, of unknown_time or phase_flush_time'),
	('commit_history', 'standby_time', 'part of commit_time for a standby, in milliseconds: by samples, within its bounds'),
	('commit_history', 'after_time', 'time after commit_time of commits that were slow or SERIALIZABLE, had NOTIFY or may delete files, in milliseconds'),
	('commit_history', 'unknown_time', 'rest of commit_time + before_time + after_time, in milliseconds'),
	('commit_history', 'row_wait_time, lock_wait_time', 'time that sessions waited in statements for rows or locks of commits, or for other locks, by samples, in milliseconds'),
	('commit_history', 'checkpoint_share', 'percentage of the time that a checkpoint ran, by samples'),
	('commit_history', 'commit_delay, commit_siblings, adaptive_delay', 'setting of the configuration at the end of the period'),
	('commit_history', 'spacing', 'spacing at the end of the period, in milliseconds'),
	('commit_history', 'top_datid, top_datname, top_roleid, top_rolname, top_application_name', 'client (database, database role, name) that issued the most flushes; null also for a role that may not see it'),
	('commit_history', 'top_client_flushes', 'flushes that it issued; of an hour, in the minutes when it issued the most'),
	('commit_history', 'top_client_flushes_share, top_statement_flushes_share', 'these as a percentage of flushes'),
	('commit_history', 'top_queryid', 'statement whose commits issued the most flushes; null likewise, or with top_reason'),
	('commit_history', 'top_reason', 'why it has no query identifier'),
	('commit_history', 'top_statement_flushes', 'flushes of these commits; of an hour, as for the client'),

	('commit_stats_info', 'enabled', 'commit_stats.enabled'),
	('commit_stats_info', 'leader_evidence', 'WAL I/O that tells a leader: wal_sync, or wal_write if the server counts no syncs'),
	('commit_stats_info', 'delay_evidence', 'timed if this session has track_wal_io_timing on, else untimed: delay_hits is less certain'),
	('commit_stats_info', 'siblings_exact', 'true with up to 64 other backends: all are visited'),
	('commit_stats_info', 'sibling_count_share', 'percentage of commits that count siblings now; 100 with a fixed delay, or up to 8 other backends'),
	('commit_stats_info', 'connected_backends', 'backends that can have a transaction ID'),
	('commit_stats_info', 'clients_tracked, statements_tracked', 'number with a row of their own'),
	('commit_stats_info', 'clients_max', 'commit_stats.max_clients'),
	('commit_stats_info', 'clients_evicted, statements_evicted', 'number whose row went to a new one'),
	('commit_stats_info', 'statements_max', 'commit_stats.max_statements'),
	('commit_stats_info', 'statements_reset', 'time from which commit_statement_stats counts'),
	('commit_stats_info', 'stall_limit', 'commit_stats.stall_time, in milliseconds, or what is derived in its place; null if 0'),
	('commit_stats_info', 'slow_commit_limit', 'likewise, of commit_stats.slow_commit_time; null if none is slow'),
	('commit_stats_info', 'flush_base', 'time of a flush without bytes, in milliseconds, fitted to the latest timed flushes; null if bytes show no influence'),
	('commit_stats_info', 'wal_mb_per_second', 'megabytes of WAL that the device writes per second, likewise'),
	('commit_stats_info', 'bytes_share', 'percentage of flush time that the bytes of flushes explain, likewise'),
	('commit_stats_info', 'sweep_pid', 'process that runs a sweep'),
	('commit_stats_info', 'sweep_datid, sweep_datname, sweep_roleid, sweep_rolname, sweep_application_name', 'client (database, database role, name) of sweep_pid at its latest commit'),
	('commit_stats_info', 'capturing', 'true while a prediction records commits'),
	('commit_stats_info', 'shared_memory', 'size of the shared memory, in bytes'),
	('commit_stats_info', 'memory_per_connection', 'its part for each backend that the configuration allows, in bytes'),
	('commit_stats_info', 'history_memory', 'its part for commit_history, in bytes')
	) v(view, names, comment)) m
		CROSS JOIN pg_catalog.regexp_split_to_table(m.names, ', ') n(name)
		JOIN pg_attribute a ON a.attname::text = n.name
		JOIN pg_class c ON c.oid = a.attrelid
		JOIN pg_depend d ON d.objid = c.oid AND d.classid = 'pg_class'::regclass::oid
			AND d.refclassid = 'pg_extension'::regclass::oid AND d.deptype = 'e'::"char"
		JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'commit_stats'::name
		ORDER BY a.attrelid, a.attnum, m.view <> c.relname::text, m.number
	LOOP
		EXECUTE pg_catalog.format('COMMENT ON COLUMN %s.%I IS %L', meaning.view, meaning.name, meaning.comment);
	END LOOP;
END $$;
