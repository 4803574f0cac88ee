/* commit_stats--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION commit_stats" to load this file. \quit

-- The schema that this is created in may belong to somebody who has put operators
-- and functions there.  One of pg_catalog comes first if it takes exactly the types
-- that it is given, so in the views each is given these, or has its schema.

--
-- commit_flush_stats: everything since the last reset, in one row
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
	OUT siblings_avg double precision,
	OUT siblings_max bigint,
	OUT commit_time double precision,
	OUT flush_time double precision,
	OUT timed_flushes bigint,
	OUT unresolved_flushes bigint,
	OUT unresolved_commits bigint,
	OUT wal_bytes numeric,
	OUT stats_reset timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_flush_stats_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW commit_flush_stats AS
SELECT commits, commits_async, commits_unlogged, commits_read_only, prepares,
       flushes, flushes_uncertain,
       round((commits - commits_without_leader)::numeric
             / nullif(flushes, 0)::numeric, 2)
           AS commits_per_flush,
       followers, commits_without_leader,
       delay_hits, delay_misses, delay_uncertain, delay_time,
       siblings_avg, siblings_max, commit_time, flush_time, timed_flushes,
       unresolved_flushes, unresolved_commits, wal_bytes, stats_reset
FROM commit_flush_stats();

--
-- commit_database_stats: the same per database, in a row for each
--
CREATE FUNCTION commit_database_stats(
	OUT datid oid,
	OUT kind text,
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
	OUT flush_time double precision,
	OUT timed_flushes bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_database_stats_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

-- A flush is shared by commits of several databases, so there is no
-- commits_per_flush of one.
CREATE VIEW commit_database_stats AS
SELECT s.datid, d.datname,
       CASE WHEN s.kind <> 'database' THEN s.kind
            WHEN d.oid IS NULL THEN 'dropped'
            ELSE 'present' END AS status,
       s.commits, s.commits_async, s.commits_unlogged, s.commits_read_only,
       s.prepares,
       round((100 * s.commits)::numeric
             / nullif(sum(s.commits) OVER (), 0::numeric), 2) AS share,
       s.flushes, s.commits_carried,
       s.delay_hits, s.delay_misses, s.delay_uncertain, s.delay_time,
       s.commit_time, s.flush_time, s.timed_flushes
FROM commit_database_stats() s LEFT JOIN pg_database d ON d.oid = s.datid
ORDER BY s.commits DESC, s.datid;

--
-- commit_flush_histogram: one row for each size that a flush group had
--
CREATE FUNCTION commit_flush_histogram(
	OUT commits_in_flush bigint,
	OUT flushes bigint,
	OUT delayed_flushes bigint,
	OUT commits bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_flush_histogram_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

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
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

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
-- commit_flush_log: the newest flushes, newest first
--
CREATE FUNCTION commit_flush_log(
	OUT flushed_at timestamptz,
	OUT flush_lsn pg_lsn,
	OUT commits bigint,
	OUT active_transactions bigint,
	OUT siblings bigint,
	OUT delayed boolean,
	OUT delay_probability double precision,
	OUT delay_time double precision,
	OUT flush_time double precision,
	OUT wal_bytes bigint,
	OUT leader_pid integer,
	OUT message text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_flush_log_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW commit_flush_log AS
SELECT flushed_at, flush_lsn, commits, active_transactions, siblings,
       delayed, delay_probability, delay_time, flush_time, wal_bytes, leader_pid, message
FROM commit_flush_log();

--
-- commit_latency_stats: how long commits took, a row for each level and role;
-- commit_flush_latency_stats: the same for the flushes
--
CREATE FUNCTION commit_latency_stats(
	OUT synchronous_commit text,
	OUT role text,
	OUT commits bigint,
	OUT mean double precision,
	OUT p50 double precision,
	OUT p95 double precision,
	OUT p99 double precision,
	OUT p999 double precision,
	OUT max double precision,
	OUT commit_time double precision,
	OUT standby_time_min double precision,
	OUT standby_time_max double precision,
	OUT requested text[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_latency_stats_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW commit_latency_stats AS
SELECT synchronous_commit, role, commits, mean, p50, p95, p99, p999, max,
       commit_time, standby_time_min, standby_time_max, requested
FROM commit_latency_stats()
WHERE role <> 'flush'
ORDER BY pg_catalog.array_position('{off,local,remote_write,on,remote_apply}'::text[],
                                   synchronous_commit),
         role DESC;

CREATE VIEW commit_flush_latency_stats AS
SELECT commits AS flushes, mean, p50, p95, p99, p999, max,
       commit_time AS flush_time
FROM commit_latency_stats()
WHERE role = 'flush';

--
-- commit_latency_histogram, commit_flush_latency_histogram: all cells of the
-- histograms behind these
--
CREATE FUNCTION commit_latency_histogram(
	OUT synchronous_commit text,
	OUT role text,
	OUT lower_bound double precision,
	OUT upper_bound double precision,
	OUT commits bigint,
	OUT cumulative bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_latency_histogram_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW commit_latency_histogram AS
SELECT synchronous_commit, role, lower_bound, upper_bound, commits, cumulative,
       repeat('#'::text, ceil((30 * commits)::numeric
                              / (max(commits) OVER (PARTITION BY synchronous_commit, role))::numeric)::int) AS bar
FROM commit_latency_histogram()
WHERE role <> 'flush'
ORDER BY pg_catalog.array_position('{off,local,remote_write,on,remote_apply}'::text[],
                                   synchronous_commit),
         role DESC, lower_bound;

CREATE VIEW commit_flush_latency_histogram AS
SELECT lower_bound, upper_bound, commits AS flushes, cumulative,
       repeat('#'::text, ceil((30 * commits)::numeric
                              / (max(commits) OVER ())::numeric)::int) AS bar
FROM commit_latency_histogram()
WHERE role = 'flush'
ORDER BY lower_bound;

--
-- commit_latency_buckets: the same in fewer and larger cells, for Prometheus: all
-- levels and roles, in seconds, cumulated
--
CREATE FUNCTION commit_latency_buckets(
	OUT synchronous_commit text,
	OUT role text,
	OUT le double precision[],
	OUT bucket bigint[],
	OUT sum double precision,
	OUT count bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_latency_buckets_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW commit_latency_buckets AS
SELECT synchronous_commit, role, le, bucket, sum, count
FROM commit_latency_buckets();

--
-- commit_wal_stats: the WAL of the last checkpoint cycles, newest first
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
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

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
-- commit_stats_info: what the module knows about itself
--
CREATE FUNCTION commit_stats_info(
	OUT enabled boolean,
	OUT leader_evidence text,
	OUT delay_evidence text,
	OUT siblings_exact boolean,
	OUT sibling_count_fraction double precision,
	OUT connected_backends bigint,
	OUT databases_tracked bigint,
	OUT databases_max bigint,
	OUT sweep_pid integer,
	OUT capturing boolean,
	OUT shared_memory bigint,
	OUT memory_per_connection bigint,
	OUT stats_reset timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_stats_info_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW commit_stats_info AS
SELECT enabled, leader_evidence, delay_evidence, siblings_exact,
       sibling_count_fraction,
       connected_backends, databases_tracked, databases_max, sweep_pid, capturing,
       shared_memory, memory_per_connection, stats_reset
FROM commit_stats_info();

--
-- commit_stats_sample: the rates of the time until it returns
--
CREATE FUNCTION commit_stats_sample(
	duration interval DEFAULT '5 s',
	OUT elapsed double precision,
	OUT commits bigint,
	OUT commits_per_second double precision,
	OUT commits_async_per_second double precision,
	OUT flushes_per_second double precision,
	OUT commits_per_flush double precision,
	OUT delay_hit_fraction double precision,
	OUT wal_busy_fraction double precision,
	OUT mean double precision,
	OUT p50 double precision,
	OUT p95 double precision,
	OUT p99 double precision)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_stats_sample_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 1;

--
-- commit_stats_rates: the rates since the session looked last, for \watch
--
-- The last look is in the memory of one process.  Its columns fit a terminal of
-- 120 characters.
CREATE FUNCTION commit_stats_rates(
	OUT since text,
	OUT elapsed double precision,
	OUT commits_s double precision,
	OUT async_s double precision,
	OUT flushes_s double precision,
	OUT per_flush double precision,
	OUT delayed double precision,
	OUT commit_ms double precision,
	OUT p99_ms double precision,
	OUT flush_ms double precision,
	OUT wal_mb_s double precision)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_stats_rates_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 1;

--
-- commit_delay_sweep: every commit_delay in turn, on the present load
--
CREATE FUNCTION commit_delay_sweep(
	delays integer[],
	siblings integer[] DEFAULT NULL,
	duration interval DEFAULT '30 s',
	slot interval DEFAULT '250 ms',
	max_p99 interval DEFAULT NULL,
	OUT commit_delay integer,
	OUT commit_siblings integer,
	OUT rounds bigint,
	OUT commits bigint,
	OUT commits_per_second double precision,
	OUT commits_per_second_low double precision,
	OUT commits_per_second_high double precision,
	OUT flushes_per_second double precision,
	OUT commits_per_flush double precision,
	OUT delay_hit_fraction double precision,
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
-- commit_delay_whatif: the same table predicted, nothing touched
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
	OUT delay_hit_fraction double precision,
	OUT delay_hit_fraction_low double precision,
	OUT delay_hit_fraction_high double precision,
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
	OUT measured_delay_hit_fraction double precision,
	OUT measured_mean double precision,
	OUT measured_p99 double precision)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_delay_whatif_1_0'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 12;

CREATE FUNCTION commit_stats_reset()
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'commit_stats_reset_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

--
-- Who may: the counts tell about other users' transactions, so reading needs
-- what reading pg_stat_activity of others needs; resetting is for whoever a
-- superuser trusts not to spoil everybody else's figures.
--
REVOKE ALL ON FUNCTION commit_flush_stats() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_database_stats() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_flush_histogram() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_sibling_histogram() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_flush_log() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_latency_stats() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_latency_histogram() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_latency_buckets() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_wal_stats() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_stats_info() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_stats_sample(interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_stats_rates() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_delay_sweep(integer[], integer[], interval, interval, interval)
	FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_stats_report() FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_delay_whatif(integer[], integer[], interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION commit_stats_reset() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION commit_flush_stats() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_database_stats() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_flush_histogram() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_sibling_histogram() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_flush_log() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_latency_stats() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_latency_histogram() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_latency_buckets() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_wal_stats() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_stats_info() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_stats_sample(interval) TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_stats_rates() TO pg_read_all_stats;
GRANT EXECUTE ON FUNCTION commit_stats_report() TO pg_read_all_stats;

GRANT SELECT ON commit_flush_stats TO pg_read_all_stats;
GRANT SELECT ON commit_database_stats TO pg_read_all_stats;
GRANT SELECT ON commit_flush_histogram TO pg_read_all_stats;
GRANT SELECT ON commit_sibling_histogram TO pg_read_all_stats;
GRANT SELECT ON commit_flush_log TO pg_read_all_stats;
GRANT SELECT ON commit_latency_stats TO pg_read_all_stats;
GRANT SELECT ON commit_latency_histogram TO pg_read_all_stats;
GRANT SELECT ON commit_flush_latency_stats TO pg_read_all_stats;
GRANT SELECT ON commit_flush_latency_histogram TO pg_read_all_stats;
GRANT SELECT ON commit_latency_buckets TO pg_read_all_stats;
GRANT SELECT ON commit_wal_stats TO pg_read_all_stats;
GRANT SELECT ON commit_stats_info TO pg_read_all_stats;

--
-- What everything means
--
COMMENT ON FUNCTION commit_flush_stats() IS
	'commits and WAL flushes since the last reset; see the view of that name';
COMMENT ON FUNCTION commit_database_stats() IS
	'commits since the last reset by database; see the view of that name, whose status has kind in it: database, no database or overflow';
COMMENT ON FUNCTION commit_flush_histogram() IS
	'flushes by the number of commits they carried; see the view of that name';
COMMENT ON FUNCTION commit_sibling_histogram() IS
	'flushes by the number of siblings of their leader, and the commits that they carried; see the view of that name';
COMMENT ON FUNCTION commit_flush_log() IS
	'the newest flushes; see the view of that name';
COMMENT ON FUNCTION commit_latency_stats() IS
	'how long commits took, and in the row with role flush the leaders'' writing and syncing; see the views commit_latency_stats and commit_flush_latency_stats';
COMMENT ON FUNCTION commit_latency_histogram() IS
	'histograms of how long commits took, and with role flush the leaders'' writing and syncing; see the views commit_latency_histogram and commit_flush_latency_histogram';
COMMENT ON FUNCTION commit_latency_buckets() IS
	'histograms of how long commits took, and with role flush the leaders'' writing and syncing, as Prometheus wants them; see the view of that name';
COMMENT ON FUNCTION commit_wal_stats() IS
	'the WAL that transactions wrote in the last checkpoint cycles; see the view of that name';
COMMENT ON FUNCTION commit_stats_info() IS
	'what commit_stats knows about itself; see the view of that name';
COMMENT ON FUNCTION commit_stats_sample(interval) IS
	'what commits do in the time that it takes, 5 seconds unless told, in one row: elapsed in seconds, commits that waited, rates a second, fractions from 0 to 1 (flushes that slept; time that a leader wrote or synced the WAL), mean and percentiles of commits in ms';
COMMENT ON FUNCTION commit_stats_rates() IS
	'what commits do, for \watch, in one row: since the last look of this session, or the last reset if that is later; elapsed in seconds, commits, asynchronous commits and flushes a second, commits per flush, fraction of the flushes that slept (0 to 1), mean and 99th percentile of commits and mean of flushes in ms, WAL of the server in MB a second';
COMMENT ON FUNCTION commit_delay_sweep(integer[], integer[], interval, interval, interval) IS
	'lets all commits use each value of commit_delay in turn, without changing the configuration, and says which did best and why: delays in microseconds, rates a second with their 95% interval (low, high), fraction of the flushes that slept (0 to 1), mean and percentiles of commits in ms';
COMMENT ON FUNCTION commit_stats_report() IS
	'what the server does at commit, how commit_delay does, and what to try next, on one screen of text';
COMMENT ON FUNCTION commit_delay_whatif(integer[], integer[], interval) IS
	'watches commits for a while, 10 seconds unless told, and predicts what commit_delay_sweep() would find, without changing anything; units as there, low and high hold it in 95% of all cases, for delay hits and p99 only what is left to chance, measured is what was seen while watching';
COMMENT ON FUNCTION commit_stats_reset() IS
	'start all statistics of commit_stats from zero; returns the time of it';

COMMENT ON VIEW commit_flush_stats IS
	'commits and WAL flushes of the whole server since the last reset, in one row';
COMMENT ON COLUMN commit_flush_stats.commits IS
	'commits that waited for their WAL flush, COMMIT PREPARED included';
COMMENT ON COLUMN commit_flush_stats.commits_async IS
	'commits that did not wait for their flush (synchronous_commit = off)';
COMMENT ON COLUMN commit_flush_stats.commits_unlogged IS
	'commits with a transaction id that wrote no WAL to wait for: temporary or unlogged tables only, or NOTIFY';
COMMENT ON COLUMN commit_flush_stats.commits_read_only IS
	'commits without a transaction id: nothing to flush';
COMMENT ON COLUMN commit_flush_stats.prepares IS
	'PREPARE TRANSACTIONs; they wait for a flush as well, but are no commits';
COMMENT ON COLUMN commit_flush_stats.flushes IS
	'WAL flushes issued by a commit or a prepare, its leader';
COMMENT ON COLUMN commit_flush_stats.flushes_uncertain IS
	'how many flushes are expected to be judged wrongly: counted though another process flushed, or not counted; 0 before PostgreSQL 18';
COMMENT ON COLUMN commit_flush_stats.commits_per_flush IS
	'commits carried by an average flush; null before the first flush';
COMMENT ON COLUMN commit_flush_stats.followers IS
	'commits carried along by the flush of another commit or prepare';
COMMENT ON COLUMN commit_flush_stats.commits_without_leader IS
	'commits flushed by a process that was not committing: WAL writer, checkpointer, or a backend that evicted a buffer';
COMMENT ON COLUMN commit_flush_stats.delay_hits IS
	'flushes whose leader slept commit_delay before it; inferred, see delay_uncertain';
COMMENT ON COLUMN commit_flush_stats.delay_misses IS
	'flushes that did not sleep although commit_delay was set: fewer than commit_siblings others were active';
COMMENT ON COLUMN commit_flush_stats.delay_uncertain IS
	'how many of delay_hits and delay_misses are expected to be judged wrongly';
COMMENT ON COLUMN commit_flush_stats.delay_time IS
	'time that leaders slept in commit_delay, in milliseconds; a lower bound without track_wal_io_timing';
COMMENT ON COLUMN commit_flush_stats.siblings_avg IS
	'other active transactions as a leader''s commit began, on average over the leaders that counted them; null before the first';
COMMENT ON COLUMN commit_flush_stats.siblings_max IS
	'most other active transactions as a leader''s commit began, of those counted; null before the first';
COMMENT ON COLUMN commit_flush_stats.commit_time IS
	'time that commits took, standby included, in milliseconds';
COMMENT ON COLUMN commit_flush_stats.flush_time IS
	'time that leaders spent writing and syncing the WAL, in milliseconds, for timed_flushes';
COMMENT ON COLUMN commit_flush_stats.timed_flushes IS
	'flushes whose leader had track_wal_io_timing on';
COMMENT ON COLUMN commit_flush_stats.unresolved_flushes IS
	'flushes whose end nobody saw, so that the histograms have them merged with the next one';
COMMENT ON COLUMN commit_flush_stats.unresolved_commits IS
	'commits whose flush could not be told, so that the histograms lack them';
COMMENT ON COLUMN commit_flush_stats.wal_bytes IS
	'WAL written by flushes with a leader';
COMMENT ON COLUMN commit_flush_stats.stats_reset IS
	'when counting began: the last reset, or server start without saved statistics';

COMMENT ON VIEW commit_database_stats IS
	'commits since the last reset, in one row for each database; flushes are shared between databases, so how many commits each carried is in commit_flush_stats only';
COMMENT ON COLUMN commit_database_stats.datid IS
	'the database; null for processes without one, and for overflow';
COMMENT ON COLUMN commit_database_stats.datname IS
	'its name now; null if it was dropped, and where datid is';
COMMENT ON COLUMN commit_database_stats.status IS
	'present, dropped, no database: processes that are connected to none, or overflow: all databases that found no room among databases_max';
COMMENT ON COLUMN commit_database_stats.commits IS
	'commits that waited for their WAL flush, COMMIT PREPARED included';
COMMENT ON COLUMN commit_database_stats.commits_async IS
	'commits that did not wait for their flush (synchronous_commit = off)';
COMMENT ON COLUMN commit_database_stats.commits_unlogged IS
	'commits with a transaction id that wrote no WAL to wait for: temporary or unlogged tables only, or NOTIFY';
COMMENT ON COLUMN commit_database_stats.commits_read_only IS
	'commits without a transaction id: nothing to flush';
COMMENT ON COLUMN commit_database_stats.prepares IS
	'PREPARE TRANSACTIONs; they wait for a flush as well, but are no commits';
COMMENT ON COLUMN commit_database_stats.share IS
	'percentage of the commits of all rows; null before the first commit';
COMMENT ON COLUMN commit_database_stats.flushes IS
	'WAL flushes issued by a commit or a prepare in this database, for whichever databases';
COMMENT ON COLUMN commit_database_stats.commits_carried IS
	'commits that others flushed, in this database or not: followers and commits_without_leader of commit_flush_stats';
COMMENT ON COLUMN commit_database_stats.delay_hits IS
	'flushes whose leader slept commit_delay before it; inferred, see delay_uncertain';
COMMENT ON COLUMN commit_database_stats.delay_misses IS
	'flushes that did not sleep although commit_delay was set: fewer than commit_siblings others were active';
COMMENT ON COLUMN commit_database_stats.delay_uncertain IS
	'how many of delay_hits and delay_misses are expected to be judged wrongly';
COMMENT ON COLUMN commit_database_stats.delay_time IS
	'time that leaders slept in commit_delay, in milliseconds; a lower bound without track_wal_io_timing';
COMMENT ON COLUMN commit_database_stats.commit_time IS
	'time that commits took, standby included, in milliseconds';
COMMENT ON COLUMN commit_database_stats.flush_time IS
	'time that leaders spent writing and syncing the WAL, in milliseconds, for timed_flushes';
COMMENT ON COLUMN commit_database_stats.timed_flushes IS
	'flushes whose leader had track_wal_io_timing on';

COMMENT ON VIEW commit_flush_histogram IS
	'how many commits shared a flush: one row for each number that occurred';
COMMENT ON COLUMN commit_flush_histogram.commits_in_flush IS
	'commits that one flush carried, its leader included; 0: led by a PREPARE TRANSACTION and joined by no commit';
COMMENT ON COLUMN commit_flush_histogram.flushes IS
	'flushes that carried so many commits';
COMMENT ON COLUMN commit_flush_histogram.delayed_flushes IS
	'of these, flushes whose leader slept commit_delay';
COMMENT ON COLUMN commit_flush_histogram.commits IS
	'commits in these flushes';
COMMENT ON COLUMN commit_flush_histogram.share IS
	'percentage of all flushes';
COMMENT ON COLUMN commit_flush_histogram.bar IS
	'the share drawn, the largest being 30 characters long';

COMMENT ON VIEW commit_sibling_histogram IS
	'how many other transactions were active: one row for each number that a leader found. Where no commit_delay is set and more than 8 other backends are connected, a random share of the leaders counts them: see sibling_count_fraction in commit_stats_info';
COMMENT ON COLUMN commit_sibling_histogram.siblings IS
	'other active transactions as the leader''s commit began';
COMMENT ON COLUMN commit_sibling_histogram.flushes IS
	'flushes whose leader counted this number of siblings';
COMMENT ON COLUMN commit_sibling_histogram.delay_hits IS
	'of these, flushes whose leader slept commit_delay';
COMMENT ON COLUMN commit_sibling_histogram.commits_per_flush IS
	'commits that these flushes carried, on average';
COMMENT ON COLUMN commit_sibling_histogram.share_at_least IS
	'percentage of the flushes of all rows with at least this number of siblings: what this value of commit_siblings would let sleep';
COMMENT ON COLUMN commit_sibling_histogram.bar IS
	'the flushes drawn, the largest number being 30 characters long';

COMMENT ON VIEW commit_flush_log IS
	'the newest flushes that carried a commit or were led by one, newest first';
COMMENT ON COLUMN commit_flush_log.flushed_at IS
	'when the end of the flush was first seen by a commit';
COMMENT ON COLUMN commit_flush_log.flush_lsn IS
	'how far it flushed: its boundary';
COMMENT ON COLUMN commit_flush_log.commits IS
	'commits it carried so far: N of the message';
COMMENT ON COLUMN commit_flush_log.active_transactions IS
	'transactions that were active around it, its own commits included: M of the message, an estimate; where none of its commits counted them, that of the flush before';
COMMENT ON COLUMN commit_flush_log.siblings IS
	'other active transactions as the leader''s commit began; null without a leader, or if it did not count them';
COMMENT ON COLUMN commit_flush_log.delayed IS
	'did the leader sleep commit_delay; null without a leader';
COMMENT ON COLUMN commit_flush_log.delay_probability IS
	'how likely it is that the leader slept, from 0 to 1; null without a leader';
COMMENT ON COLUMN commit_flush_log.delay_time IS
	'how long the leader slept, in milliseconds; null without a leader';
COMMENT ON COLUMN commit_flush_log.flush_time IS
	'how long the leader wrote and synced, in milliseconds; null without a leader or without track_wal_io_timing';
COMMENT ON COLUMN commit_flush_log.wal_bytes IS
	'WAL since the boundary before; null for the first flush after server start';
COMMENT ON COLUMN commit_flush_log.leader_pid IS
	'process that flushed; null if it was not a committing one';
COMMENT ON COLUMN commit_flush_log.message IS
	'Flushed N out of M commits';

COMMENT ON VIEW commit_latency_stats IS
	'how long commits took: one row for each level and role that occurred';
COMMENT ON COLUMN commit_latency_stats.synchronous_commit IS
	'what these commits waited for, as a level of synchronous_commit: one for a standby is local while synchronous_standby_names is empty';
COMMENT ON COLUMN commit_latency_stats.role IS
	'leader: flushed the WAL itself; follower: did not; asynchronous: did not wait';
COMMENT ON COLUMN commit_latency_stats.commits IS
	'commits of this level and role';
COMMENT ON COLUMN commit_latency_stats.mean IS
	'mean, in milliseconds';
COMMENT ON COLUMN commit_latency_stats.p50 IS
	'median, in milliseconds; within 5%';
COMMENT ON COLUMN commit_latency_stats.p95 IS
	'95% took no longer, in milliseconds; within 5%';
COMMENT ON COLUMN commit_latency_stats.p99 IS
	'99% took no longer, in milliseconds; within 5%';
COMMENT ON COLUMN commit_latency_stats.p999 IS
	'99.9% took no longer, in milliseconds; within 5%';
COMMENT ON COLUMN commit_latency_stats.max IS
	'longest, in milliseconds; within 5%';
COMMENT ON COLUMN commit_latency_stats.commit_time IS
	'time that these commits took in all, in milliseconds';
COMMENT ON COLUMN commit_latency_stats.standby_time_min IS
	'of commit_time, the wait for a standby, at least, in milliseconds; null where there is none';
COMMENT ON COLUMN commit_latency_stats.standby_time_max IS
	'of commit_time, the wait for a standby, at most, in milliseconds; null where there is none';
COMMENT ON COLUMN commit_latency_stats.requested IS
	'settings of synchronous_commit that these commits had; for local, those of leaders and followers together';

COMMENT ON VIEW commit_flush_latency_stats IS
	'how long leaders wrote and synced the WAL, for flushes with track_wal_io_timing; no row before the first';
COMMENT ON COLUMN commit_flush_latency_stats.flushes IS
	'flushes that were timed';
COMMENT ON COLUMN commit_flush_latency_stats.mean IS
	'mean, in milliseconds';
COMMENT ON COLUMN commit_flush_latency_stats.p50 IS
	'median, in milliseconds; within 5%';
COMMENT ON COLUMN commit_flush_latency_stats.p95 IS
	'95% took no longer, in milliseconds; within 5%';
COMMENT ON COLUMN commit_flush_latency_stats.p99 IS
	'99% took no longer, in milliseconds; within 5%';
COMMENT ON COLUMN commit_flush_latency_stats.p999 IS
	'99.9% took no longer, in milliseconds; within 5%';
COMMENT ON COLUMN commit_flush_latency_stats.max IS
	'longest, in milliseconds; within 5%';
COMMENT ON COLUMN commit_flush_latency_stats.flush_time IS
	'time that these flushes took in all, in milliseconds';

COMMENT ON VIEW commit_latency_histogram IS
	'how long commits took: one row for each cell of the histogram of a level and role that occurred';
COMMENT ON COLUMN commit_latency_histogram.synchronous_commit IS
	'as in commit_latency_stats';
COMMENT ON COLUMN commit_latency_histogram.role IS
	'as in commit_latency_stats';
COMMENT ON COLUMN commit_latency_histogram.lower_bound IS
	'commits of this cell took at least so long, in milliseconds';
COMMENT ON COLUMN commit_latency_histogram.upper_bound IS
	'... and less than this, in milliseconds; Infinity for the last cell';
COMMENT ON COLUMN commit_latency_histogram.commits IS
	'commits that took so long';
COMMENT ON COLUMN commit_latency_histogram.cumulative IS
	'commits that took less than upper_bound';
COMMENT ON COLUMN commit_latency_histogram.bar IS
	'the commits drawn, the largest number of the level and role being 30 characters long';

COMMENT ON VIEW commit_flush_latency_histogram IS
	'how long leaders wrote and synced the WAL: one row for each cell of the histogram, none before the first timed flush';
COMMENT ON COLUMN commit_flush_latency_histogram.lower_bound IS
	'flushes of this cell took at least so long, in milliseconds';
COMMENT ON COLUMN commit_flush_latency_histogram.upper_bound IS
	'... and less than this, in milliseconds; Infinity for the last cell';
COMMENT ON COLUMN commit_flush_latency_histogram.flushes IS
	'flushes that took so long';
COMMENT ON COLUMN commit_flush_latency_histogram.cumulative IS
	'flushes that took less than upper_bound';
COMMENT ON COLUMN commit_flush_latency_histogram.bar IS
	'the flushes drawn, the largest number being 30 characters long';

COMMENT ON VIEW commit_latency_buckets IS
	'how long commits, and their flushes, took, as Prometheus wants it: one row for each histogram, empty or not, with the same bounds on all servers';
COMMENT ON COLUMN commit_latency_buckets.synchronous_commit IS
	'as in commit_latency_stats; null for flushes';
COMMENT ON COLUMN commit_latency_buckets.role IS
	'as in commit_latency_stats; flush: the writing and syncing of leaders with track_wal_io_timing';
COMMENT ON COLUMN commit_latency_buckets.le IS
	'upper bounds of the buckets, in seconds, without the infinite one';
COMMENT ON COLUMN commit_latency_buckets.bucket IS
	'commits, or flushes, that took less than each of these';
COMMENT ON COLUMN commit_latency_buckets.sum IS
	'time that they took in all, in seconds';
COMMENT ON COLUMN commit_latency_buckets.count IS
	'how many there were';

COMMENT ON VIEW commit_wal_stats IS
	'the WAL that transactions wrote: one row for each of the last 32 checkpoint cycles in which one ended, newest first';
COMMENT ON COLUMN commit_wal_stats.redo_lsn IS
	'where the cycle begins: the redo position of its checkpoint';
COMMENT ON COLUMN commit_wal_stats.started_at IS
	'when the first transaction that wrote WAL ended in it';
COMMENT ON COLUMN commit_wal_stats.finished IS
	'has the next checkpoint begun';
COMMENT ON COLUMN commit_wal_stats.commits IS
	'commits that wrote a commit record, COMMIT PREPARED, asynchronous and unlogged ones included';
COMMENT ON COLUMN commit_wal_stats.wal_records IS
	'WAL records of transactions that ended in the cycle, however they ended';
COMMENT ON COLUMN commit_wal_stats.wal_fpi IS
	'full-page images in these records';
COMMENT ON COLUMN commit_wal_stats.wal_bytes IS
	'bytes of these records, images included';
COMMENT ON COLUMN commit_wal_stats.wal_bytes_per_commit IS
	'wal_bytes for each commit, rolled back transactions included; null without commits';
COMMENT ON COLUMN commit_wal_stats.wal_fpi_bytes IS
	'bytes of the full-page images; null before PostgreSQL 19, which is the first to count them';
COMMENT ON COLUMN commit_wal_stats.fpi_share IS
	'full-page images as a percentage of wal_bytes or, where their bytes are not counted, images for 100 records; null without records';
COMMENT ON COLUMN commit_wal_stats.fpi_share_of IS
	'what fpi_share is a percentage of: bytes or records';
COMMENT ON COLUMN commit_wal_stats.fpi_share_max IS
	'full-page images as a percentage of wal_bytes, at most: where their bytes are not counted, as if none had a hole or was compressed';
COMMENT ON COLUMN commit_wal_stats.wal_bytes_aborted IS
	'of wal_bytes, those of transactions that rolled back';
COMMENT ON COLUMN commit_wal_stats.wal_distance IS
	'all WAL from here to the next cycle that is known, or to the insert position: also that of checkpointer, background writer and others, and headers and padding';

COMMENT ON VIEW commit_stats_info IS
	'what commit_stats knows about itself, in one row';
COMMENT ON COLUMN commit_stats_info.enabled IS
	'is it counting (commit_stats.enabled)';
COMMENT ON COLUMN commit_stats_info.leader_evidence IS
	'how a leader is told from a follower: wal_sync, or wal_write where no sync is counted';
COMMENT ON COLUMN commit_stats_info.delay_evidence IS
	'timed if this session has track_wal_io_timing on, else untimed: delay hits are less certain';
COMMENT ON COLUMN commit_stats_info.sibling_count_fraction IS
	'share of the commits that count their siblings at present; less than 1 only while no commit_delay is set and more than 8 other backends are connected';
COMMENT ON COLUMN commit_stats_info.siblings_exact IS
	'few enough backends are connected to count siblings exactly';
COMMENT ON COLUMN commit_stats_info.connected_backends IS
	'backends that can hold a transaction id';
COMMENT ON COLUMN commit_stats_info.databases_tracked IS
	'databases that have a row of their own in commit_database_stats';
COMMENT ON COLUMN commit_stats_info.databases_max IS
	'how many can have one; what others count is in the row with status overflow';
COMMENT ON COLUMN commit_stats_info.capturing IS
	'is commit_delay_whatif() watching the commits';
COMMENT ON COLUMN commit_stats_info.sweep_pid IS
	'process that runs commit_delay_sweep; null if none does';
COMMENT ON COLUMN commit_stats_info.shared_memory IS
	'shared memory of commit_stats, in bytes';
COMMENT ON COLUMN commit_stats_info.memory_per_connection IS
	'of that, for each backend that there may be, in bytes';
COMMENT ON COLUMN commit_stats_info.stats_reset IS
	'when counting began: the last reset, or server start without saved statistics';
