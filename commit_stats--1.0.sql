/* commit_stats--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION commit_stats" to load this file. \quit

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
       flushes,
       round((commits - commits_without_leader)::numeric / nullif(flushes, 0), 2)
           AS commits_per_flush,
       followers, commits_without_leader,
       delay_hits, delay_misses, delay_uncertain, delay_time,
       siblings_avg, siblings_max, commit_time, flush_time, timed_flushes,
       unresolved_flushes, unresolved_commits, wal_bytes, stats_reset
FROM commit_flush_stats();

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
       round(100 * flushes / sum(flushes) OVER (), 2) AS share,
       repeat('#', ceil(40.0 * flushes / max(flushes) OVER ())::int) AS bar
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
       round(commits::numeric / flushes, 2) AS commits_per_flush,
       round(100 * sum(flushes) OVER (ORDER BY siblings DESC)
             / sum(flushes) OVER (), 2) AS share_at_least,
       repeat('#', ceil(40.0 * flushes / max(flushes) OVER ())::int) AS bar
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
       delayed, delay_time, flush_time, wal_bytes, leader_pid, message
FROM commit_flush_log();

--
-- commit_stats_info: what the module knows about itself
--
CREATE FUNCTION commit_stats_info(
	OUT enabled boolean,
	OUT leader_evidence text,
	OUT delay_evidence text,
	OUT siblings_exact boolean,
	OUT connected_backends bigint,
	OUT shared_memory bigint,
	OUT stats_reset timestamptz)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'commit_stats_info_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;

CREATE VIEW commit_stats_info AS
SELECT enabled, leader_evidence, delay_evidence, siblings_exact,
       connected_backends, shared_memory, stats_reset
FROM commit_stats_info();

CREATE FUNCTION commit_stats_reset()
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'commit_stats_reset_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
