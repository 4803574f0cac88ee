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
	OUT slow_commits bigint)
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
       s.commits_notify, s.slow_commits
FROM commit_client_stats() s
     LEFT JOIN pg_database d ON d.oid = s.datid
     LEFT JOIN pg_roles r ON r.oid = s.roleid
ORDER BY s.commits + s.commits_async DESC, s.datid, s.roleid, s.application_name;

CREATE VIEW commit_database_stats AS
SELECT s.datid, d.datname,
       CASE WHEN s.overflow THEN 'overflow'
            WHEN s.datid IS NULL THEN 'no database'
            WHEN d.oid IS NULL THEN 'dropped'
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
       s.commits_notify, s.slow_commits
FROM (SELECT datid, datid IS NULL AND roleid IS NULL AS overflow,
             sum(sessions)::bigint AS sessions,
             sum(commits)::bigint AS commits,
             sum(commits_async)::bigint AS commits_async,
             sum(commits_unlogged)::bigint AS commits_unlogged,
             sum(commits_read_only)::bigint AS commits_read_only,
             sum(prepares)::bigint AS prepares,
             sum(flushes)::bigint AS flushes,
             sum(commits_carried)::bigint AS commits_carried,
             sum(delay_hits)::bigint AS delay_hits,
             sum(delay_misses)::bigint AS delay_misses,
             sum(delay_uncertain)::bigint AS delay_uncertain,
             sum(delay_time) AS delay_time,
             sum(commit_time) AS commit_time,
             sum(prepare_time) AS prepare_time,
             sum(flush_time) AS flush_time,
             sum(timed_flushes)::bigint AS timed_flushes,
             sum(wal_bytes) AS wal_bytes,
             sum(commits_notify)::bigint AS commits_notify,
             sum(slow_commits)::bigint AS slow_commits
      FROM commit_client_stats()
      GROUP BY 1, 2) s
     LEFT JOIN pg_database d ON d.oid = s.datid
ORDER BY s.commits + s.commits_async DESC, s.datid;

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
	OUT synchronous_commit text,
	OUT role text,
	OUT duration double precision,
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
       s.application_name, s.synchronous_commit, s.role, s.duration,
       s.before_time, s.record_time, s.notify_time, s.delay_time, s.flush_time,
       s.flush_timed, s.others_flush_time, s.segment_time, s.standby_time_min,
       s.standby_time_max, s.commit_log_time, s.after_time, s.not_run_time,
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
	OUT leader_wal_bytes numeric,
	OUT writer_pid integer,
	OUT writer_datid oid,
	OUT writer_roleid oid,
	OUT writer_application_name text,
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
       r.rolname, s.application_name, s.leader_wal_bytes,
       s.writer_pid, s.writer_datid, w.datname AS writer_datname,
       s.writer_roleid, u.rolname AS writer_rolname,
       s.writer_application_name, s.writer_share, s.checkpoint,
       s.quota_flushes, s.quota_window, s.segment_time, s.cause,
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
       least(100::numeric,
             round(100::numeric * coalesce(wal_fpi_bytes,
                                           wal_fpi::numeric
                                           * current_setting('block_size'::text)::numeric)
                   / nullif(wal_bytes, 0::numeric), 2)) AS fpi_share_max,
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
     LEFT JOIN LATERAL (SELECT r.pid, r.state
                        FROM pg_stat_replication r
                        WHERE lower(r.application_name) = lower(s.standby)
                        ORDER BY r.sync_priority DESC LIMIT 1) w ON true
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
	OUT stats_reset timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_stats_info_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE ROWS 1;

CREATE VIEW commit_stats_info AS
SELECT s.enabled, s.leader_evidence, s.delay_evidence, s.siblings_exact,
       s.sibling_count_share, s.connected_backends, s.clients_tracked,
       s.clients_max, s.clients_evicted, s.stall_limit,
       s.slow_commit_limit, s.flush_base, s.wal_mb_per_second, s.bytes_share,
       s.sweep_pid, s.sweep_datid, d.datname AS sweep_datname,
       s.sweep_roleid, r.rolname AS sweep_rolname,
       s.sweep_application_name, s.capturing, s.shared_memory,
       s.memory_per_connection, s.stats_reset
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
	OUT wal_bytes_per_second double precision)
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
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

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
-- commit_stats_reset: reset all statistics
--
CREATE FUNCTION commit_stats_reset()
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'commit_stats_reset_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

--
-- Privileges: the statistics cover the transactions of all users, so reading them
-- requires pg_read_all_stats, as pg_stat_activity does for other users' sessions.
-- commit_stats_reset(), commit_delay_sweep() and commit_delay_whatif() affect all
-- sessions, so only a superuser may call them, or grant EXECUTE on them.
--
REVOKE ALL ON FUNCTION commit_flush_stats() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_client_stats() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_activity() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_slow_log() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_stall_log() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_flush_histogram() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_sibling_histogram() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_flush_log() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_latency_stats() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_latency_histogram() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_latency_buckets() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_wal_stats() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_standby_stats() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_delay_state() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_delay_changes() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_stats_info() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_stats_sample(interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_stats_rates() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_delay_sweep(integer[], integer[], interval, interval, interval, boolean)
	FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_stats_report() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_delay_whatif(integer[], integer[], interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_stats_reset() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION commit_flush_stats() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_client_stats() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_activity() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_slow_log() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_stall_log() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_flush_histogram() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_sibling_histogram() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_flush_log() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_latency_stats() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_latency_histogram() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_latency_buckets() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_wal_stats() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_standby_stats() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_delay_state() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_delay_changes() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_stats_info() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_stats_sample(interval) TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_stats_rates() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_stats_report() TO pg_read_all_stats;

GRANT SELECT ON commit_flush_stats TO pg_read_all_stats;
GRANT SELECT ON commit_client_stats TO pg_read_all_stats;
GRANT SELECT ON commit_database_stats TO pg_read_all_stats;
GRANT SELECT ON commit_activity TO pg_read_all_stats;
GRANT SELECT ON commit_slow_log TO pg_read_all_stats;
GRANT SELECT ON commit_stall_log TO pg_read_all_stats;
GRANT SELECT ON commit_flush_histogram TO pg_read_all_stats;
GRANT SELECT ON commit_sibling_histogram TO pg_read_all_stats;
GRANT SELECT ON commit_flush_log TO pg_read_all_stats;
GRANT SELECT ON commit_latency_stats TO pg_read_all_stats;
GRANT SELECT ON commit_latency_histogram TO pg_read_all_stats;
GRANT SELECT ON commit_flush_latency_stats TO pg_read_all_stats;
GRANT SELECT ON commit_flush_latency_histogram TO pg_read_all_stats;
GRANT SELECT ON commit_latency_buckets TO pg_read_all_stats;
GRANT SELECT ON commit_wal_stats TO pg_read_all_stats;
GRANT SELECT ON commit_standby_stats TO pg_read_all_stats;
GRANT SELECT ON commit_delay_state TO pg_read_all_stats;
GRANT SELECT ON commit_delay_changes TO pg_read_all_stats;
GRANT SELECT ON commit_stats_info TO pg_read_all_stats;

--
-- Comments: those of columns become the tables of doc/reference.md (script/generate)
--
COMMENT ON FUNCTION commit_flush_stats() IS
	'underlying function of the view commit_flush_stats';
COMMENT ON FUNCTION commit_client_stats() IS
	'underlying function of the views commit_client_stats and commit_database_stats; roleid is null for several clients together';
COMMENT ON FUNCTION commit_activity() IS
	'underlying function of the view commit_activity';
COMMENT ON FUNCTION commit_slow_log() IS
	'underlying function of the view commit_slow_log';
COMMENT ON FUNCTION commit_stall_log() IS
	'underlying function of the view commit_stall_log';
COMMENT ON FUNCTION commit_flush_histogram() IS
	'underlying function of the view commit_flush_histogram';
COMMENT ON FUNCTION commit_sibling_histogram() IS
	'underlying function of the view commit_sibling_histogram; commits is the number of commits carried by flushes';
COMMENT ON FUNCTION commit_flush_log() IS
	'underlying function of the view commit_flush_log';
COMMENT ON FUNCTION commit_latency_stats() IS
	'underlying function of the views commit_latency_stats and commit_flush_latency_stats; the row with role flush is for the latter';
COMMENT ON FUNCTION commit_latency_histogram() IS
	'underlying function of the views commit_latency_histogram and commit_flush_latency_histogram; the rows with role flush are for the latter';
COMMENT ON FUNCTION commit_latency_buckets() IS
	'underlying function of the view commit_latency_buckets';
COMMENT ON FUNCTION commit_wal_stats() IS
	'underlying function of the view commit_wal_stats';
COMMENT ON FUNCTION commit_standby_stats() IS
	'underlying function of the view commit_standby_stats';
COMMENT ON FUNCTION commit_delay_state() IS
	'underlying function of the view commit_delay_state';
COMMENT ON FUNCTION commit_delay_changes() IS
	'underlying function of the view commit_delay_changes';
COMMENT ON FUNCTION commit_stats_info() IS
	'underlying function of the view commit_stats_info';
COMMENT ON FUNCTION commit_stats_sample(interval) IS
	'one row, showing rates of commits and WAL flushes over the time "duration" from the call on; elapsed is in seconds; delay_hit_share is the percentage of flushes whose leader slept for commit_delay, and wal_busy_share that of the time in which a leader wrote or synced WAL; mean and percentiles of commit times are in milliseconds';
COMMENT ON FUNCTION commit_stats_rates() IS
	'one row, showing rates of commits and WAL flushes since the previous call in this session or since the last reset, whichever is later; elapsed is in seconds; delay_hit_share is the percentage of flushes whose leader slept for commit_delay; mean and p99 of commit times and flush_mean, the mean flush time, are in milliseconds; wal_bytes_per_second is the WAL of the whole server, in bytes';
COMMENT ON FUNCTION commit_delay_sweep(integer[], integer[], interval, interval, interval, boolean) IS
	'one row for each pair of commit_delay (in microseconds, from "delays") and commit_siblings (from "siblings"; null: as in this session), showing rates and commit times measured while all commits used the pair, for the time "slot" in each of the rounds that "duration" has; ends early once p99 exceeds "max_p99"; with "adaptive", commit_stats.adaptive_delay is one more row, in which both are null; low and high are a 95% confidence interval; delay_hit_share is the percentage of flushes whose leader slept; mean and percentiles of commit times are in milliseconds';
COMMENT ON FUNCTION commit_stats_report() IS
	'report about commits, WAL flushes and the effect of commit_delay, with advice, on one screen of text';
COMMENT ON FUNCTION commit_delay_whatif(integer[], integer[], interval) IS
	'one row for each pair of commit_delay (from "delays") and commit_siblings (from "siblings"; null: as in this session), showing rates and commit times predicted from the commits of the time "sample", in the units of commit_delay_sweep(), so delay_hit_share is a percentage; low and high are 95% bounds, which for delay_hit_share and p99 leave out the error of the model; the measured columns are null except for the current setting';
COMMENT ON FUNCTION commit_stats_reset() IS
	'resets all statistics of commit_stats and returns the time of the reset';

COMMENT ON VIEW commit_flush_stats IS
	'one row, showing commits and WAL flushes of the whole server since the last reset';
COMMENT ON COLUMN commit_flush_stats.commits IS
	'commits that waited for their WAL flush, including COMMIT PREPARED';
COMMENT ON COLUMN commit_flush_stats.commits_async IS
	'commits that did not wait for it (synchronous_commit = off)';
COMMENT ON COLUMN commit_flush_stats.commits_unlogged IS
	'commits with a transaction ID but without WAL to wait for: only temporary or unlogged tables, or NOTIFY';
COMMENT ON COLUMN commit_flush_stats.commits_read_only IS
	'commits without a transaction ID, but for COMMIT PREPARED and ROLLBACK PREPARED';
COMMENT ON COLUMN commit_flush_stats.prepares IS
	'PREPARE TRANSACTION commands; no commits, but they wait for a flush';
COMMENT ON COLUMN commit_flush_stats.flushes IS
	'WAL flushes that a commit or a prepare, the leader, issued';
COMMENT ON COLUMN commit_flush_stats.flushes_uncertain IS
	'expected number of flushes wrongly counted or left out; 0 up to PostgreSQL 17';
COMMENT ON COLUMN commit_flush_stats.commits_per_flush IS
	'commits carried by a flush on average, without commits_without_leader; null before the first flush';
COMMENT ON COLUMN commit_flush_stats.followers IS
	'commits that the flush of another commit or prepare carried';
COMMENT ON COLUMN commit_flush_stats.commits_without_leader IS
	'commits that the WAL writer, the checkpointer or an evicting backend flushed';
COMMENT ON COLUMN commit_flush_stats.delay_hits IS
	'flushes whose leader slept first; inferred, see delay_uncertain';
COMMENT ON COLUMN commit_flush_stats.delay_misses IS
	'flushes whose leader did not sleep despite commit_delay, as fewer than commit_siblings other transactions were active; inferred, see delay_uncertain';
COMMENT ON COLUMN commit_flush_stats.delay_uncertain IS
	'expected number of errors in delay_hits and delay_misses';
COMMENT ON COLUMN commit_flush_stats.delay_time IS
	'total time that leaders slept, in milliseconds; a lower bound without track_wal_io_timing';
COMMENT ON COLUMN commit_flush_stats.delay_hits_adaptive IS
	'part of delay_hits for which commit_stats.adaptive_delay set the time';
COMMENT ON COLUMN commit_flush_stats.siblings_avg IS
	'mean number of siblings of leaders that counted them; null before the first';
COMMENT ON COLUMN commit_flush_stats.siblings_max IS
	'largest number of these; null before the first';
COMMENT ON COLUMN commit_flush_stats.commit_time IS
	'total time of commits, including waits for a standby, in milliseconds';
COMMENT ON COLUMN commit_flush_stats.prepare_time IS
	'total time of prepares, likewise, in milliseconds; in no latency view';
COMMENT ON COLUMN commit_flush_stats.flush_time IS
	'total time that leaders wrote and synced WAL in timed_flushes, in milliseconds';
COMMENT ON COLUMN commit_flush_stats.timed_flushes IS
	'flushes whose leader had track_wal_io_timing on';
COMMENT ON COLUMN commit_flush_stats.slow_commits IS
	'commits above commit_stats.slow_commit_time; commit_slow_log has the latest';
COMMENT ON COLUMN commit_flush_stats.stalls IS
	'flushes above commit_stats.stall_time; commit_stall_log has the latest';
COMMENT ON COLUMN commit_flush_stats.stall_time IS
	'total time of stalls, in milliseconds';
COMMENT ON COLUMN commit_flush_stats.inferred_flushes IS
	'part of flushes whose number of commits is inferred, as no backend saw where it, or the flush before, ended; usual with a synchronous standby';
COMMENT ON COLUMN commit_flush_stats.unresolved_flushes IS
	'part of flushes that the histograms omit, because their group had left the ring';
COMMENT ON COLUMN commit_flush_stats.unresolved_commits IS
	'commits of these groups';
COMMENT ON COLUMN commit_flush_stats.wal_bytes IS
	'WAL in flushes with a leader, in bytes';
COMMENT ON COLUMN commit_flush_stats.stats_reset IS
	'time of the last reset, or of the last start without saved statistics';

COMMENT ON VIEW commit_client_stats IS
	'one row for each database, database role and application_name, showing its commits and the WAL flushes that they issued since the last reset';
COMMENT ON COLUMN commit_client_stats.datid IS
	'OID of the database; null if connected to none, or overflow of several';
COMMENT ON COLUMN commit_client_stats.datname IS
	'name of the database; null if dropped, or datid is null';
COMMENT ON COLUMN commit_client_stats.roleid IS
	'OID of the database role (current_user) at the commit; null for overflow';
COMMENT ON COLUMN commit_client_stats.rolname IS
	'name of the database role; null if dropped, or roleid is null';
COMMENT ON COLUMN commit_client_stats.application_name IS
	'name at the commit; empty if not set; null for overflow';
COMMENT ON COLUMN commit_client_stats.status IS
	'present; dropped, if database or database role is; overflow, for all clients of a database without a row';
COMMENT ON COLUMN commit_client_stats.sessions IS
	'connected processes that committed last as this client, or not yet';
COMMENT ON COLUMN commit_client_stats.commits IS
	'commits that waited for their WAL flush, including COMMIT PREPARED';
COMMENT ON COLUMN commit_client_stats.commits_async IS
	'commits that did not wait for it (synchronous_commit = off)';
COMMENT ON COLUMN commit_client_stats.commits_unlogged IS
	'commits with a transaction ID but without WAL to wait for: only temporary or unlogged tables, or NOTIFY';
COMMENT ON COLUMN commit_client_stats.commits_read_only IS
	'commits without a transaction ID, but for COMMIT PREPARED and ROLLBACK PREPARED';
COMMENT ON COLUMN commit_client_stats.prepares IS
	'PREPARE TRANSACTION commands; no commits, but they wait for a flush';
COMMENT ON COLUMN commit_client_stats.share IS
	'percentage of commits + commits_async of all rows; null before the first';
COMMENT ON COLUMN commit_client_stats.flushes IS
	'WAL flushes that the row''s commits and prepares issued; they may carry commits of any row';
COMMENT ON COLUMN commit_client_stats.commits_carried IS
	'commits of the row whose flush another process issued: followers or commits_without_leader';
COMMENT ON COLUMN commit_client_stats.delay_hits IS
	'flushes whose leader slept first; inferred, see delay_uncertain';
COMMENT ON COLUMN commit_client_stats.delay_misses IS
	'flushes whose leader did not sleep despite commit_delay, as fewer than commit_siblings other transactions were active; inferred, see delay_uncertain';
COMMENT ON COLUMN commit_client_stats.delay_uncertain IS
	'expected number of errors in delay_hits and delay_misses';
COMMENT ON COLUMN commit_client_stats.delay_time IS
	'total time that leaders slept, in milliseconds; a lower bound without track_wal_io_timing';
COMMENT ON COLUMN commit_client_stats.commit_time IS
	'total time of commits, including waits for a standby, in milliseconds';
COMMENT ON COLUMN commit_client_stats.prepare_time IS
	'total time of prepares, likewise, in milliseconds; in no latency view';
COMMENT ON COLUMN commit_client_stats.flush_time IS
	'total time that leaders wrote and synced WAL in timed_flushes, in milliseconds';
COMMENT ON COLUMN commit_client_stats.timed_flushes IS
	'flushes whose leader had track_wal_io_timing on';
COMMENT ON COLUMN commit_client_stats.wal_bytes IS
	'WAL that transactions of the row wrote, rolled back ones included, in bytes';
COMMENT ON COLUMN commit_client_stats.wal_bytes_per_commit IS
	'wal_bytes / (commits + commits_async), in bytes; null before the first';
COMMENT ON COLUMN commit_client_stats.commits_notify IS
	'part of commits and commits_async with a NOTIFY; no two of them share a flush';
COMMENT ON COLUMN commit_client_stats.slow_commits IS
	'commits above commit_stats.slow_commit_time; commit_slow_log has the latest';

COMMENT ON VIEW commit_database_stats IS
	'one row for each database, showing its commits and the WAL flushes that they issued since the last reset';
COMMENT ON COLUMN commit_database_stats.datid IS
	'OID of the database; null for no database and overflow';
COMMENT ON COLUMN commit_database_stats.datname IS
	'name of the database; null if dropped, or datid is null';
COMMENT ON COLUMN commit_database_stats.status IS
	'present; dropped, until the next reset; no database, for processes connected to none; overflow, for clients without a row whose database has none';
COMMENT ON COLUMN commit_database_stats.sessions IS
	'processes connected to the database';
COMMENT ON COLUMN commit_database_stats.commits IS
	'commits that waited for their WAL flush, including COMMIT PREPARED';
COMMENT ON COLUMN commit_database_stats.commits_async IS
	'commits that did not wait for it (synchronous_commit = off)';
COMMENT ON COLUMN commit_database_stats.commits_unlogged IS
	'commits with a transaction ID but without WAL to wait for: only temporary or unlogged tables, or NOTIFY';
COMMENT ON COLUMN commit_database_stats.commits_read_only IS
	'commits without a transaction ID, but for COMMIT PREPARED and ROLLBACK PREPARED';
COMMENT ON COLUMN commit_database_stats.prepares IS
	'PREPARE TRANSACTION commands; no commits, but they wait for a flush';
COMMENT ON COLUMN commit_database_stats.share IS
	'percentage of commits + commits_async of all rows; null before the first';
COMMENT ON COLUMN commit_database_stats.flushes IS
	'WAL flushes that the row''s commits and prepares issued; they may carry commits of any row';
COMMENT ON COLUMN commit_database_stats.commits_carried IS
	'commits of the row whose flush another process issued: followers or commits_without_leader';
COMMENT ON COLUMN commit_database_stats.delay_hits IS
	'flushes whose leader slept first; inferred, see delay_uncertain';
COMMENT ON COLUMN commit_database_stats.delay_misses IS
	'flushes whose leader did not sleep despite commit_delay, as fewer than commit_siblings other transactions were active; inferred, see delay_uncertain';
COMMENT ON COLUMN commit_database_stats.delay_uncertain IS
	'expected number of errors in delay_hits and delay_misses';
COMMENT ON COLUMN commit_database_stats.delay_time IS
	'total time that leaders slept, in milliseconds; a lower bound without track_wal_io_timing';
COMMENT ON COLUMN commit_database_stats.commit_time IS
	'total time of commits, including waits for a standby, in milliseconds';
COMMENT ON COLUMN commit_database_stats.prepare_time IS
	'total time of prepares, likewise, in milliseconds; in no latency view';
COMMENT ON COLUMN commit_database_stats.flush_time IS
	'total time that leaders wrote and synced WAL in timed_flushes, in milliseconds';
COMMENT ON COLUMN commit_database_stats.timed_flushes IS
	'flushes whose leader had track_wal_io_timing on';
COMMENT ON COLUMN commit_database_stats.wal_bytes IS
	'WAL that transactions of the row wrote, rolled back ones included, in bytes';
COMMENT ON COLUMN commit_database_stats.wal_bytes_per_commit IS
	'wal_bytes / (commits + commits_async), in bytes; null before the first';
COMMENT ON COLUMN commit_database_stats.commits_notify IS
	'part of commits and commits_async with a NOTIFY; no two of them share a flush';
COMMENT ON COLUMN commit_database_stats.slow_commits IS
	'commits above commit_stats.slow_commit_time; commit_slow_log has the latest';

COMMENT ON VIEW commit_activity IS
	'one row for each process that commits, showing what it has committed since it connected and what its commit under way waits for';
COMMENT ON COLUMN commit_activity.pid IS
	'process ID';
COMMENT ON COLUMN commit_activity.datid IS
	'OID of the database; null if connected to none';
COMMENT ON COLUMN commit_activity.datname IS
	'name of the database; null if dropped, or datid is null';
COMMENT ON COLUMN commit_activity.roleid IS
	'OID of the database role (current_user) at the latest commit or, before the first, at the session''s start';
COMMENT ON COLUMN commit_activity.rolname IS
	'name of the database role; null if dropped, or roleid is null';
COMMENT ON COLUMN commit_activity.application_name IS
	'name at the same time';
COMMENT ON COLUMN commit_activity.commits IS
	'commits that waited for their WAL flush, including COMMIT PREPARED';
COMMENT ON COLUMN commit_activity.commits_async IS
	'commits that did not wait for it (synchronous_commit = off)';
COMMENT ON COLUMN commit_activity.commits_unlogged IS
	'commits with a transaction ID but without WAL to wait for: only temporary or unlogged tables, or NOTIFY';
COMMENT ON COLUMN commit_activity.commits_read_only IS
	'commits without a transaction ID, but for COMMIT PREPARED and ROLLBACK PREPARED';
COMMENT ON COLUMN commit_activity.prepares IS
	'PREPARE TRANSACTION commands; no commits, but they wait for a flush';
COMMENT ON COLUMN commit_activity.flushes IS
	'WAL flushes that commits and prepares of the process issued';
COMMENT ON COLUMN commit_activity.commits_carried IS
	'commits of the process whose flush another process issued';
COMMENT ON COLUMN commit_activity.commit_time IS
	'total time of commits, including waits for a standby, in milliseconds';
COMMENT ON COLUMN commit_activity.wal_bytes IS
	'WAL that its transactions wrote, in bytes';
COMMENT ON COLUMN commit_activity.committing_since IS
	'time at which the COMMIT or prepare under way began; null if none that waits for its flush is';
COMMENT ON COLUMN commit_activity.waiting_for IS
	'what the commit under way waits for: flush, its own; another''s flush; new WAL segment; delay, the sleep before its flush, inferred before PostgreSQL 19; standby; notify, the lock of commits with NOTIFY; commit log; another lock, with its object and holder; null for none';
COMMENT ON COLUMN commit_activity.phase IS
	'phase of the commit under way, as in the report; null if there is none';
COMMENT ON COLUMN commit_activity.blocked_by IS
	'process ID of the one that flushes, or holds the lock at the end of a chain of waits; null if there is none, or it is unknown';
COMMENT ON COLUMN commit_activity.detail IS
	'what it waits for or does, in the words of the report''s first line; null if there is none';

COMMENT ON VIEW commit_slow_log IS
	'one row for each of the latest 512 commits that took longer than commit_stats.slow_commit_time, newest first';
COMMENT ON COLUMN commit_slow_log.ended_at IS
	'time at which the commit was done';
COMMENT ON COLUMN commit_slow_log.pid IS
	'process ID';
COMMENT ON COLUMN commit_slow_log.datid IS
	'OID of the database; null if connected to none';
COMMENT ON COLUMN commit_slow_log.datname IS
	'name of the database; null if dropped, or datid is null';
COMMENT ON COLUMN commit_slow_log.roleid IS
	'OID of the database role at the commit';
COMMENT ON COLUMN commit_slow_log.rolname IS
	'name of the database role; null if dropped, or roleid is null';
COMMENT ON COLUMN commit_slow_log.application_name IS
	'name at the commit';
COMMENT ON COLUMN commit_slow_log.synchronous_commit IS
	'setting of the session at the commit';
COMMENT ON COLUMN commit_slow_log.role IS
	'leader if the commit issued its flush; follower if another process did; asynchronous if the commit did not wait';
COMMENT ON COLUMN commit_slow_log.duration IS
	'time from the start of COMMIT, or without a statement from before the commit record, until its memory is released, in milliseconds';
COMMENT ON COLUMN commit_slow_log.before_time IS
	'part of duration before the first callback, in milliseconds: deferred triggers and constraints, WITH HOLD cursors; 0 without a COMMIT statement';
COMMENT ON COLUMN commit_slow_log.record_time IS
	'part of duration from there until the commit record was written, without notify_time, in milliseconds: ON COMMIT actions, files synced, full WAL buffers';
COMMENT ON COLUMN commit_slow_log.notify_time IS
	'part of duration that the session waited for the lock of commits with NOTIFY, in milliseconds';
COMMENT ON COLUMN commit_slow_log.delay_time IS
	'part of duration in which the leader slept, be it this session or leader_pid, in milliseconds; a lower bound without track_wal_io_timing; 0 if the leader is not known; null if it cannot be known';
COMMENT ON COLUMN commit_slow_log.flush_time IS
	'part of duration that the session wrote and synced WAL, in milliseconds; null if not known, as without track_wal_io_timing for a leader that waited for a standby';
COMMENT ON COLUMN commit_slow_log.flush_timed IS
	'true if the server measured flush_time (track_wal_io_timing); false if inferred from the flush pointer; null unless the session led, and where flush_time is null';
COMMENT ON COLUMN commit_slow_log.others_flush_time IS
	'part of duration that the session waited for the flush of another process, without delay_time, in milliseconds';
COMMENT ON COLUMN commit_slow_log.segment_time IS
	'part of duration in which the session made a new WAL segment, in milliseconds; in flush_time without track_wal_io_timing';
COMMENT ON COLUMN commit_slow_log.standby_time_min IS
	'lower bound of the part of duration that the session waited for a standby, in milliseconds';
COMMENT ON COLUMN commit_slow_log.standby_time_max IS
	'its upper bound, in milliseconds';
COMMENT ON COLUMN commit_slow_log.commit_log_time IS
	'part of duration from the end of the flush to the second callback, if no standby was waited for, in milliseconds: pg_xact, ProcArray, a processor';
COMMENT ON COLUMN commit_slow_log.after_time IS
	'part of duration after the second callback, in milliseconds: files deleted, signals of NOTIFY, invalidations';
COMMENT ON COLUMN commit_slow_log.not_run_time IS
	'part of the rest in which a CPU limit stopped processes of the server, in milliseconds';
COMMENT ON COLUMN commit_slow_log.unknown_time IS
	'rest of duration, with standby_time_min and all other parts, in milliseconds';
COMMENT ON COLUMN commit_slow_log.other_time IS
	'rest of duration without notify_time, delay_time, flush_time and standby_time_min, in milliseconds; null if one of these is null';
COMMENT ON COLUMN commit_slow_log.cause IS
	'largest part: before, record, NOTIFY lock, delay, flush, another''s flush, new WAL segment, standby, commit log, after, not run or unknown; of a flush that stalled, the cause of commit_stall_log';
COMMENT ON COLUMN commit_slow_log.waited_for IS
	'lock that the session waited for in its COMMIT, and its holder; null if the background worker, which looks every 50 ms, saw none';
COMMENT ON COLUMN commit_slow_log.blocked_by IS
	'process ID of the holder of that lock; null if not known';
COMMENT ON COLUMN commit_slow_log.notify_pid IS
	'process ID of the commit that had the lock of NOTIFY before; null without notify_time';
COMMENT ON COLUMN commit_slow_log.notify_datid IS
	'database, database role and application_name of that process at its latest commit; null if notify_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_slow_log.notify_datname IS
	'database, database role and application_name of that process at its latest commit; null if notify_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_slow_log.notify_roleid IS
	'database, database role and application_name of that process at its latest commit; null if notify_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_slow_log.notify_rolname IS
	'database, database role and application_name of that process at its latest commit; null if notify_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_slow_log.notify_application_name IS
	'database, database role and application_name of that process at its latest commit; null if notify_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_slow_log.standby IS
	'standby that the commit waited for; null if the background worker saw none';
COMMENT ON COLUMN commit_slow_log.standby_stage IS
	'what that standby lacked: not connected, not sent, not written, not flushed or not applied; null if standby is null';
COMMENT ON COLUMN commit_slow_log.commits_in_flush IS
	'commits that the flush carried; null if not known, or asynchronous';
COMMENT ON COLUMN commit_slow_log.leader_pid IS
	'process ID of the leader; null if no commit led the flush, or not known';
COMMENT ON COLUMN commit_slow_log.leader_datid IS
	'database, database role and application_name of the leader at its latest commit; null if leader_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_slow_log.leader_datname IS
	'database, database role and application_name of the leader at its latest commit; null if leader_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_slow_log.leader_roleid IS
	'database, database role and application_name of the leader at its latest commit; null if leader_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_slow_log.leader_rolname IS
	'database, database role and application_name of the leader at its latest commit; null if leader_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_slow_log.leader_application_name IS
	'database, database role and application_name of the leader at its latest commit; null if leader_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_slow_log.flush_wal_bytes IS
	'WAL that the flush wrote, in bytes; null if not known';
COMMENT ON COLUMN commit_slow_log.wal_bytes IS
	'WAL that the transaction wrote, in bytes; for COMMIT PREPARED, its own record';
COMMENT ON COLUMN commit_slow_log.checkpoint IS
	'true if a checkpoint was running at the end; null in single-user mode';

COMMENT ON VIEW commit_stall_log IS
	'one row for each of the latest 512 WAL flushes of commits that took longer than commit_stats.stall_time, newest first';
COMMENT ON COLUMN commit_stall_log.ended_at IS
	'time at which the flush ended; the earliest possible if its leader then waited for a standby';
COMMENT ON COLUMN commit_stall_log.duration IS
	'time of the flush without the sleep before it, in milliseconds; with a new WAL segment';
COMMENT ON COLUMN commit_stall_log.flush_timed IS
	'true if the server measured duration (track_wal_io_timing); false if inferred from the flush pointer, without commits that waited for a standby';
COMMENT ON COLUMN commit_stall_log.stall_limit IS
	'limit then, in milliseconds';
COMMENT ON COLUMN commit_stall_log.commits IS
	'commits that the flush carried; null if not known';
COMMENT ON COLUMN commit_stall_log.sessions IS
	'sessions in a commit as the flush ended, whatever they waited for; an estimate with more than 64 others';
COMMENT ON COLUMN commit_stall_log.wal_bytes IS
	'WAL that the flush wrote, in bytes; null if not known';
COMMENT ON COLUMN commit_stall_log.leader_pid IS
	'process ID of the leader, which the next columns describe; null if no commit led the flush, which flushes and stalls of commit_flush_stats do not count then';
COMMENT ON COLUMN commit_stall_log.datid IS
	'OID of the database; null if connected to none';
COMMENT ON COLUMN commit_stall_log.datname IS
	'name of the database; null if dropped, or datid is null';
COMMENT ON COLUMN commit_stall_log.roleid IS
	'OID of the database role at the commit';
COMMENT ON COLUMN commit_stall_log.rolname IS
	'name of the database role; null if dropped, or roleid is null';
COMMENT ON COLUMN commit_stall_log.application_name IS
	'name at the commit';
COMMENT ON COLUMN commit_stall_log.leader_wal_bytes IS
	'WAL that the leader''s transaction wrote, in bytes';
COMMENT ON COLUMN commit_stall_log.writer_pid IS
	'process whose transaction wrote at least half of wal_bytes: the leader, or one of the latest 512 transactions with more than 1 MB of WAL, inferred when it has ended, or seen while it ran; null if none';
COMMENT ON COLUMN commit_stall_log.writer_datid IS
	'database, database role and application_name of the writer; null with writer_pid; a name also if dropped';
COMMENT ON COLUMN commit_stall_log.writer_datname IS
	'database, database role and application_name of the writer; null with writer_pid; a name also if dropped';
COMMENT ON COLUMN commit_stall_log.writer_roleid IS
	'database, database role and application_name of the writer; null with writer_pid; a name also if dropped';
COMMENT ON COLUMN commit_stall_log.writer_rolname IS
	'database, database role and application_name of the writer; null with writer_pid; a name also if dropped';
COMMENT ON COLUMN commit_stall_log.writer_application_name IS
	'database, database role and application_name of the writer; null with writer_pid; a name also if dropped';
COMMENT ON COLUMN commit_stall_log.writer_share IS
	'estimated percentage of wal_bytes that it wrote, 50 to 100; null with writer_pid';
COMMENT ON COLUMN commit_stall_log.checkpoint IS
	'true if a checkpoint was running at the end; null in single-user mode';
COMMENT ON COLUMN commit_stall_log.quota_flushes IS
	'flushes that the device allows in quota_window, inferred from these stalls; null if this one ends no window';
COMMENT ON COLUMN commit_stall_log.segment_time IS
	'part of duration in which the leader made a new WAL segment, in milliseconds';
COMMENT ON COLUMN commit_stall_log.cause IS
	'why: new segment, CPU limit, checkpoint, archiver, bulk WAL, bytes, quota or unknown';
COMMENT ON COLUMN commit_stall_log.certainty IS
	'probability that cause is right; null if unknown';
COMMENT ON COLUMN commit_stall_log.checkpoint_phase IS
	'write or sync, if a checkpoint was seen for at least half of duration; else null';
COMMENT ON COLUMN commit_stall_log.quota_window IS
	'window of the quota, in milliseconds; null with quota_flushes';

COMMENT ON VIEW commit_flush_histogram IS
	'one row for each number of commits that a flush carried, showing how many flushes carried that number since the last reset';
COMMENT ON COLUMN commit_flush_histogram.commits_in_flush IS
	'commits that a flush carried, the leader included; 0 if it carried only prepares';
COMMENT ON COLUMN commit_flush_histogram.flushes IS
	'flushes that carried this number';
COMMENT ON COLUMN commit_flush_histogram.delayed_flushes IS
	'these whose leader slept';
COMMENT ON COLUMN commit_flush_histogram.commits IS
	'commits that they carried';
COMMENT ON COLUMN commit_flush_histogram.share IS
	'percentage of the flushes of all rows';
COMMENT ON COLUMN commit_flush_histogram.bar IS
	'bar in proportion, 30 characters for the largest';

COMMENT ON VIEW commit_sibling_histogram IS
	'one row for each number of siblings that a leader counted, showing the flushes of these leaders since the last reset; if commit_delay is 0 and more than 8 other backends are connected, only a random share of the leaders may count siblings (sibling_count_share of commit_stats_info)';
COMMENT ON COLUMN commit_sibling_histogram.siblings IS
	'siblings of the leader';
COMMENT ON COLUMN commit_sibling_histogram.flushes IS
	'flushes whose leader counted this number';
COMMENT ON COLUMN commit_sibling_histogram.delay_hits IS
	'these whose leader slept';
COMMENT ON COLUMN commit_sibling_histogram.commits_per_flush IS
	'commits that they carried on average';
COMMENT ON COLUMN commit_sibling_histogram.share_at_least IS
	'percentage of the flushes with at least this number: those that would sleep with this commit_siblings';
COMMENT ON COLUMN commit_sibling_histogram.bar IS
	'bar in proportion, 30 characters for the largest';

COMMENT ON VIEW commit_flush_log IS
	'one row for each of the newest flushes that carried a commit or were issued by one, newest first';
COMMENT ON COLUMN commit_flush_log.flushed_at IS
	'time at which a commit first saw the end of the flush';
COMMENT ON COLUMN commit_flush_log.flush_lsn IS
	'WAL location up to which it flushed';
COMMENT ON COLUMN commit_flush_log.flushes IS
	'flushes in the row: more than 1 if no backend saw where the first ones ended; the leader is then that of one of them';
COMMENT ON COLUMN commit_flush_log.commits IS
	'commits that it carried, as far as counted; N of message';
COMMENT ON COLUMN commit_flush_log.active_transactions IS
	'estimated number of transactions active around the flush, its own included; M of message';
COMMENT ON COLUMN commit_flush_log.siblings IS
	'siblings of the leader; null without a leader, or if not counted';
COMMENT ON COLUMN commit_flush_log.delayed IS
	'true if the leader slept; inferred, see delay_probability; null without a leader';
COMMENT ON COLUMN commit_flush_log.delay_probability IS
	'probability that it slept, 0 to 1; null without a leader';
COMMENT ON COLUMN commit_flush_log.delay_time IS
	'time that it slept, in milliseconds; null without a leader';
COMMENT ON COLUMN commit_flush_log.delay_kind IS
	'what set that time: fixed (commit_delay or a sweep) or adaptive (commit_stats.adaptive_delay); null without a sleep';
COMMENT ON COLUMN commit_flush_log.flush_time IS
	'time that it wrote and synced WAL, in milliseconds; null without a leader or track_wal_io_timing';
COMMENT ON COLUMN commit_flush_log.wal_bytes IS
	'WAL from the previous flush_lsn to this one, in bytes; null for the first after server start';
COMMENT ON COLUMN commit_flush_log.leader_pid IS
	'process ID of the leader; null if no commit led the flush, or not known';
COMMENT ON COLUMN commit_flush_log.leader_datid IS
	'database, database role and application_name of the leader at its latest commit; null if leader_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_flush_log.leader_datname IS
	'database, database role and application_name of the leader at its latest commit; null if leader_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_flush_log.leader_roleid IS
	'database, database role and application_name of the leader at its latest commit; null if leader_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_flush_log.leader_rolname IS
	'database, database role and application_name of the leader at its latest commit; null if leader_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_flush_log.leader_application_name IS
	'database, database role and application_name of the leader at its latest commit; null if leader_pid is null or that process has left; a name also if dropped';
COMMENT ON COLUMN commit_flush_log.message IS
	'Flushed N out of M commits, as commit_stats.log_flushes logs it; with "in 2 flushes" if flushes is 2';

COMMENT ON VIEW commit_latency_stats IS
	'one row for each level that commits waited for and role that occurred since the last reset, showing how long commits took';
COMMENT ON COLUMN commit_latency_stats.synchronous_commit IS
	'setting of these commits; several, separated by commas, if they waited for the same';
COMMENT ON COLUMN commit_latency_stats.wait_level IS
	'level that they waited for in fact: off, local, remote_write, on or remote_apply; local replaces the higher ones while synchronous_standby_names is empty, and off for a commit that has to wait';
COMMENT ON COLUMN commit_latency_stats.role IS
	'leader if the commit issued its flush; follower if another process did; asynchronous if the commit did not wait';
COMMENT ON COLUMN commit_latency_stats.commits IS
	'commits of this level and role';
COMMENT ON COLUMN commit_latency_stats.mean IS
	'mean, in milliseconds';
COMMENT ON COLUMN commit_latency_stats.p50 IS
	'median, in milliseconds, accurate to 5%';
COMMENT ON COLUMN commit_latency_stats.p95 IS
	'95th percentile, in milliseconds, accurate to 5%';
COMMENT ON COLUMN commit_latency_stats.p99 IS
	'99th percentile, in milliseconds, accurate to 5%';
COMMENT ON COLUMN commit_latency_stats.p999 IS
	'99.9th percentile, in milliseconds, accurate to 5%';
COMMENT ON COLUMN commit_latency_stats.max IS
	'longest, in milliseconds, accurate to 5%';
COMMENT ON COLUMN commit_latency_stats.commit_time IS
	'total time, in milliseconds';
COMMENT ON COLUMN commit_latency_stats.record_time IS
	'part of commit_time until the commit record was written, without notify_time, in milliseconds; 0 for COMMIT PREPARED';
COMMENT ON COLUMN commit_latency_stats.notify_time IS
	'part of commit_time spent waiting for the lock of commits with NOTIFY, in milliseconds';
COMMENT ON COLUMN commit_latency_stats.delay_time IS
	'part of commit_time in which the leader slept, for followers another session, in milliseconds; a lower bound without track_wal_io_timing; null for asynchronous commits';
COMMENT ON COLUMN commit_latency_stats.flush_time IS
	'part of commit_time that the sessions wrote and synced WAL themselves, in milliseconds; null unless they led and track_wal_io_timing was on';
COMMENT ON COLUMN commit_latency_stats.standby_time_min IS
	'lower bound of the part of commit_time spent waiting for a standby, in milliseconds; null for off and local';
COMMENT ON COLUMN commit_latency_stats.standby_time_max IS
	'its upper bound, in milliseconds; null for off and local';
COMMENT ON COLUMN commit_latency_stats.other_time IS
	'rest of commit_time, with standby_time_min, in milliseconds: the flush of another process, a new WAL segment, the commit log, a processor';
COMMENT ON COLUMN commit_latency_stats.before_time IS
	'time from COMMIT statements to before commit_time, in milliseconds: deferred triggers and constraints, WITH HOLD cursors';
COMMENT ON COLUMN commit_latency_stats.after_time IS
	'time after commit_time of commits that were slow, had NOTIFY or may have deleted files, in milliseconds';
COMMENT ON COLUMN commit_latency_stats.requested IS
	'synchronous_commit as an array; for local, of leaders and followers together';

COMMENT ON VIEW commit_flush_latency_stats IS
	'one row, showing how long leaders with track_wal_io_timing wrote and synced WAL since the last reset; no row before the first timed flush';
COMMENT ON COLUMN commit_flush_latency_stats.flushes IS
	'timed flushes';
COMMENT ON COLUMN commit_flush_latency_stats.mean IS
	'mean, in milliseconds';
COMMENT ON COLUMN commit_flush_latency_stats.p50 IS
	'median, in milliseconds, accurate to 5%';
COMMENT ON COLUMN commit_flush_latency_stats.p95 IS
	'95th percentile, in milliseconds, accurate to 5%';
COMMENT ON COLUMN commit_flush_latency_stats.p99 IS
	'99th percentile, in milliseconds, accurate to 5%';
COMMENT ON COLUMN commit_flush_latency_stats.p999 IS
	'99.9th percentile, in milliseconds, accurate to 5%';
COMMENT ON COLUMN commit_flush_latency_stats.max IS
	'longest, in milliseconds, accurate to 5%';
COMMENT ON COLUMN commit_flush_latency_stats.flush_time IS
	'total time, in milliseconds';

COMMENT ON VIEW commit_latency_histogram IS
	'one row for each cell of the histogram of each level and role that occurred since the last reset, showing how long commits took';
COMMENT ON COLUMN commit_latency_histogram.wait_level IS
	'as in commit_latency_stats; null for flushes';
COMMENT ON COLUMN commit_latency_histogram.role IS
	'as in commit_latency_stats; flush for flushes';
COMMENT ON COLUMN commit_latency_histogram.lower_bound IS
	'inclusive lower bound, in milliseconds';
COMMENT ON COLUMN commit_latency_histogram.upper_bound IS
	'exclusive upper bound, in milliseconds; Infinity for the last';
COMMENT ON COLUMN commit_latency_histogram.commits IS
	'commits in this cell';
COMMENT ON COLUMN commit_latency_histogram.cumulative IS
	'times below upper_bound';
COMMENT ON COLUMN commit_latency_histogram.bar IS
	'bar in proportion, 30 characters for the largest';

COMMENT ON VIEW commit_flush_latency_histogram IS
	'one row for each cell of a histogram, showing how long leaders with track_wal_io_timing wrote and synced WAL since the last reset; no rows before the first timed flush';
COMMENT ON COLUMN commit_flush_latency_histogram.lower_bound IS
	'inclusive lower bound, in milliseconds';
COMMENT ON COLUMN commit_flush_latency_histogram.upper_bound IS
	'exclusive upper bound, in milliseconds; Infinity for the last';
COMMENT ON COLUMN commit_flush_latency_histogram.flushes IS
	'flushes in this cell';
COMMENT ON COLUMN commit_flush_latency_histogram.cumulative IS
	'times below upper_bound';
COMMENT ON COLUMN commit_flush_latency_histogram.bar IS
	'bar in proportion, 30 characters for the largest';

COMMENT ON VIEW commit_latency_buckets IS
	'one row for each level and role and one for timed flushes, whether they occurred or not, showing a histogram in the form that Prometheus expects, with the same bounds on all servers';
COMMENT ON COLUMN commit_latency_buckets.wait_level IS
	'as in commit_latency_stats; null for flushes';
COMMENT ON COLUMN commit_latency_buckets.role IS
	'as in commit_latency_stats; flush for flushes';
COMMENT ON COLUMN commit_latency_buckets.le IS
	'upper bounds, in seconds, without the infinite one';
COMMENT ON COLUMN commit_latency_buckets.bucket IS
	'numbers of times up to each bound';
COMMENT ON COLUMN commit_latency_buckets.sum IS
	'total time, in seconds';
COMMENT ON COLUMN commit_latency_buckets.count IS
	'commits or flushes';

COMMENT ON VIEW commit_wal_stats IS
	'one row for each of the last 32 checkpoint cycles in which a transaction that wrote WAL ended, showing the WAL of these transactions, newest first';
COMMENT ON COLUMN commit_wal_stats.redo_lsn IS
	'redo location of the checkpoint that begins the cycle';
COMMENT ON COLUMN commit_wal_stats.started_at IS
	'time at which the first transaction that wrote WAL ended';
COMMENT ON COLUMN commit_wal_stats.finished IS
	'true if the next checkpoint has begun';
COMMENT ON COLUMN commit_wal_stats.commits IS
	'commits with a transaction ID, including COMMIT PREPARED, asynchronous and unlogged ones';
COMMENT ON COLUMN commit_wal_stats.wal_records IS
	'WAL records of transactions that ended in the cycle, rolled back ones included';
COMMENT ON COLUMN commit_wal_stats.wal_fpi IS
	'full-page images in these records';
COMMENT ON COLUMN commit_wal_stats.wal_bytes IS
	'size of these records, images included, in bytes';
COMMENT ON COLUMN commit_wal_stats.wal_bytes_per_commit IS
	'wal_bytes / commits, in bytes; null without commits';
COMMENT ON COLUMN commit_wal_stats.wal_fpi_bytes IS
	'size of the images, in bytes; null before PostgreSQL 19';
COMMENT ON COLUMN commit_wal_stats.fpi_share IS
	'images as a percentage of wal_bytes or, before PostgreSQL 19, images per 100 records, which can exceed 100; null without records';
COMMENT ON COLUMN commit_wal_stats.fpi_share_of IS
	'what fpi_share refers to: bytes or records';
COMMENT ON COLUMN commit_wal_stats.fpi_share_max IS
	'upper bound of images as a percentage of wal_bytes; before PostgreSQL 19 as if no image had a hole or were compressed; null without WAL';
COMMENT ON COLUMN commit_wal_stats.wal_bytes_aborted IS
	'part of wal_bytes of transactions that rolled back, in bytes';
COMMENT ON COLUMN commit_wal_stats.wal_distance IS
	'WAL from redo_lsn to that of the next cycle or, in the current one, to the insert location, of all processes, with headers and padding, in bytes';

COMMENT ON VIEW commit_standby_stats IS
	'one row for each synchronous standby that commits waited for, and stage: the commit goes on when this standby reaches it; empty if synchronous_standby_names has just changed';
COMMENT ON COLUMN commit_standby_stats.standby IS
	'name in synchronous_standby_names or, where that lists *, application_name; * if too few standbys are connected, of whatever name';
COMMENT ON COLUMN commit_standby_stats.stage IS
	'what the standby had not reached: not connected, not sent, not written, not flushed, or not applied; commits of a lower synchronous_commit do not wait for the later ones';
COMMENT ON COLUMN commit_standby_stats.wait_time IS
	'time that all commits together waited for it, seen by the background worker 20 times a second, in milliseconds';
COMMENT ON COLUMN commit_standby_stats.share IS
	'wait_time as a percentage of that of all rows';
COMMENT ON COLUMN commit_standby_stats.slow_commits IS
	'commits of commit_slow_log that waited for it';
COMMENT ON COLUMN commit_standby_stats.waiting_now IS
	'commits that wait for it now';
COMMENT ON COLUMN commit_standby_stats.pid IS
	'process ID of its walsender now; null if it is not connected';
COMMENT ON COLUMN commit_standby_stats.state IS
	'state of this walsender, as in pg_stat_replication';
COMMENT ON COLUMN commit_standby_stats.counted_since IS
	'time from which on these are counted: synchronous_standby_names was set, the server was started, or the statistics were reset';

COMMENT ON VIEW commit_delay_state IS
	'one row, showing what commit_stats.adaptive_delay believes and does';
COMMENT ON COLUMN commit_delay_state.adaptive_delay IS
	'commit_stats.adaptive_delay in this session';
COMMENT ON COLUMN commit_delay_state.in_force IS
	'true if commits follow it, but while a sweep runs; false while it, fsync or commit_stats.enabled is off, on a standby, or if the background worker has not read it';
COMMENT ON COLUMN commit_delay_state.spacing IS
	'least time from the end of a flush to the begin of the next that leaders keep to now, in milliseconds; tried_spacing in every other slot of a trial';
COMMENT ON COLUMN commit_delay_state.reason IS
	'what changed last, see below; null before the setting was first on';
COMMENT ON COLUMN commit_delay_state.changed_at IS
	'time of that change; null with reason';
COMMENT ON COLUMN commit_delay_state.trial IS
	'latest trial, see below; null before the first';
COMMENT ON COLUMN commit_delay_state.tried_spacing IS
	'spacing that it tries, in milliseconds; null before the first trial';
COMMENT ON COLUMN commit_delay_state.tried_response IS
	'mean time from the start of a transaction to the end of its commit with tried_spacing, in milliseconds; null before it is measured';
COMMENT ON COLUMN commit_delay_state.kept_response IS
	'the same with the spacing compared with, in milliseconds; null before it is measured';
COMMENT ON COLUMN commit_delay_state.quota_flush_rate IS
	'WAL flushes per second that the device is believed to allow; null if no quota is believed';
COMMENT ON COLUMN commit_delay_state.quota_window IS
	'time for which the device grants its quota, in milliseconds; null if no quota is believed';
COMMENT ON COLUMN commit_delay_state.quota_spacing IS
	'least spacing that keeps to the quota, and is tried, in milliseconds; null if no quota is believed';
COMMENT ON COLUMN commit_delay_state.flush_time IS
	'usual time of a flush, in milliseconds; moves by 2% with each; null before the first';
COMMENT ON COLUMN commit_delay_state.trials IS
	'trials since the setting was turned on';
COMMENT ON COLUMN commit_delay_state.trials_won IS
	'those whose spacing was kept';
COMMENT ON COLUMN commit_delay_state.quotas_found IS
	'quotas found since then';
COMMENT ON COLUMN commit_delay_state.quotas_refuted IS
	'quotas refuted since then';
COMMENT ON COLUMN commit_delay_state.changes IS
	'changes since server start; commit_delay_changes has the last 64';

COMMENT ON VIEW commit_delay_changes IS
	'one row for each of the last 64 changes of what commit_stats.adaptive_delay believes, newest first';
COMMENT ON COLUMN commit_delay_changes.change IS
	'number of the change since server start';
COMMENT ON COLUMN commit_delay_changes.changed_at IS
	'time of the change';
COMMENT ON COLUMN commit_delay_changes.reason IS
	'what changed, as in commit_delay_state';
COMMENT ON COLUMN commit_delay_changes.spacing IS
	'spacing from then on, before commit_stats.adaptive_delay_max and other bounds, in milliseconds';
COMMENT ON COLUMN commit_delay_changes.response IS
	'mean time from the start of a transaction to the end of its commit with that spacing in the trial, in milliseconds; null if no trial was won';
COMMENT ON COLUMN commit_delay_changes.response_before IS
	'the same with the spacing before, in milliseconds; null if no trial was won';
COMMENT ON COLUMN commit_delay_changes.quota_flush_rate IS
	'WAL flushes per second that the device is believed to allow; null if no quota is believed';

COMMENT ON VIEW commit_stats_info IS
	'one row, showing the current state of commit_stats';
COMMENT ON COLUMN commit_stats_info.enabled IS
	'commit_stats.enabled';
COMMENT ON COLUMN commit_stats_info.leader_evidence IS
	'WAL I/O that tells a leader from a follower: wal_sync, or wal_write if the server counts no syncs';
COMMENT ON COLUMN commit_stats_info.delay_evidence IS
	'timed if this session has track_wal_io_timing on, otherwise untimed: delay_hits is less certain';
COMMENT ON COLUMN commit_stats_info.siblings_exact IS
	'true if few enough backends are connected to count siblings exactly, up to 64 others';
COMMENT ON COLUMN commit_stats_info.sibling_count_share IS
	'percentage of commits that count siblings now; below 100 only if no delay depends on it and more than 8 other backends are connected';
COMMENT ON COLUMN commit_stats_info.connected_backends IS
	'backends that can have a transaction ID';
COMMENT ON COLUMN commit_stats_info.clients_tracked IS
	'clients with a row of their own in commit_client_stats';
COMMENT ON COLUMN commit_stats_info.clients_max IS
	'their limit, commit_stats.max_clients';
COMMENT ON COLUMN commit_stats_info.clients_evicted IS
	'clients whose row went to a new client; the overflow row has their counts';
COMMENT ON COLUMN commit_stats_info.stall_limit IS
	'time above which a flush is a stall, in milliseconds: commit_stats.stall_time or, if -1, derived; null if 0';
COMMENT ON COLUMN commit_stats_info.slow_commit_limit IS
	'time above which a commit is slow, in milliseconds: commit_stats.slow_commit_time or, if -1, derived; null if none is';
COMMENT ON COLUMN commit_stats_info.flush_base IS
	'time of a flush without bytes, in milliseconds, by least squares over the latest timed flushes; null if few, or if bytes show no influence';
COMMENT ON COLUMN commit_stats_info.wal_mb_per_second IS
	'megabytes of WAL that the device writes in a second, likewise';
COMMENT ON COLUMN commit_stats_info.bytes_share IS
	'percentage of flush time that the bytes of flushes explain, likewise';
COMMENT ON COLUMN commit_stats_info.sweep_pid IS
	'process that runs commit_delay_sweep(); null if none';
COMMENT ON COLUMN commit_stats_info.sweep_datid IS
	'its database, database role and application_name at its latest commit; null with sweep_pid; a name also if dropped';
COMMENT ON COLUMN commit_stats_info.sweep_datname IS
	'its database, database role and application_name at its latest commit; null with sweep_pid; a name also if dropped';
COMMENT ON COLUMN commit_stats_info.sweep_roleid IS
	'its database, database role and application_name at its latest commit; null with sweep_pid; a name also if dropped';
COMMENT ON COLUMN commit_stats_info.sweep_rolname IS
	'its database, database role and application_name at its latest commit; null with sweep_pid; a name also if dropped';
COMMENT ON COLUMN commit_stats_info.sweep_application_name IS
	'its database, database role and application_name at its latest commit; null with sweep_pid; a name also if dropped';
COMMENT ON COLUMN commit_stats_info.capturing IS
	'true while commit_delay_whatif() records commits';
COMMENT ON COLUMN commit_stats_info.shared_memory IS
	'size of the shared memory, in bytes';
COMMENT ON COLUMN commit_stats_info.memory_per_connection IS
	'its part for each backend that the configuration allows, in bytes';
COMMENT ON COLUMN commit_stats_info.stats_reset IS
	'time of the last reset, or of the last start without saved statistics';
