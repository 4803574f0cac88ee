--
-- How long commits took: levels, roles, cells and quantiles.
--
SELECT commit_stats_reset() IS NOT NULL AS reset;

-- Without a standby, a commit at a level that asks for one waits for the local flush
SET synchronous_commit = remote_apply;
INSERT INTO durable VALUES (1);
SET synchronous_commit = remote_write;
INSERT INTO durable VALUES (2);
SET synchronous_commit = local;
INSERT INTO durable VALUES (3);
SELECT wait_level, sum(commits) >= 3 AS counted,
       bool_and(requested @> '{local,remote_write,remote_apply}') AS requested,
       bool_and(standby_time_min IS NULL AND standby_time_max IS NULL) AS no_standby
FROM commit_latency_stats
WHERE wait_level <> 'off'
GROUP BY wait_level;

-- An asynchronous commit takes time as well
SET synchronous_commit = off;
INSERT INTO durable VALUES (4);
SELECT synchronous_commit, role, commits >= 1 AS counted, mean > 0 AS took_time,
       requested
FROM commit_latency_stats
WHERE synchronous_commit = 'off';

-- An asynchronous commit that must wait nevertheless is local
CREATE TABLE dropped (n int);
SELECT count(*) FROM commit_latency_stats WHERE requested @> '{local,off}';
DROP TABLE dropped;
SELECT count(*) > 0 AS forced FROM commit_latency_stats
WHERE wait_level = 'local' AND requested @> '{local,off}';
RESET synchronous_commit;

-- A transaction without an id has nothing to wait for
SELECT commit_stats_reset() IS NOT NULL AS reset;
CALL mark();
SELECT 1 AS read_only;
SELECT count(*) = 0 OR NOT quiet(0) AS nothing FROM commit_latency_stats;

-- Cells: the same for all, without a gap, and narrow enough
INSERT INTO durable VALUES (5);
SET track_wal_io_timing = on;
INSERT INTO durable VALUES (6);
RESET track_wal_io_timing;
SELECT count(*) AS cells, min(lower_bound), max(upper_bound),
       min(upper_bound) < 0.001 AS from_1_us,
       max(lower_bound) > 100000 AS to_100_s,
       round(max((upper_bound - lower_bound) / (upper_bound + lower_bound))
             FILTER (WHERE lower_bound > 0 AND upper_bound < 'Infinity')::numeric, 4) AS largest_error
FROM commit_flush_latency_histogram;
SELECT count(*) AS gaps
FROM (SELECT upper_bound,
             lead(lower_bound) OVER (PARTITION BY wait_level, role
                                     ORDER BY lower_bound) AS next
      FROM commit_latency_histogram) AS cell
WHERE next <> upper_bound;
SELECT count(*) % 282 AS rest FROM commit_latency_histogram;

-- Counts: cumulated from below, and drawn
SELECT count(*) FILTER (WHERE cumulative <> running) AS wrong,
       max(length(bar)) AS longest_bar
FROM (SELECT cumulative, bar,
             sum(commits) OVER (PARTITION BY wait_level, role
                                ORDER BY lower_bound) AS running
      FROM commit_latency_histogram) AS cell;
SELECT flushes >= 1 AS timed, p50 > 0 AS took_time,
       p50 <= p95 AND p95 <= p99 AND p99 <= p999 AND p999 <= max AS in_order
FROM commit_flush_latency_stats;
SELECT bool_and(p50 <= p95 AND p95 <= p99 AND p99 <= p999 AND p999 <= max) AS in_order,
       bool_and(mean <= max * 1.05 AND abs(commit_time - mean * commits) < 0.001 * commits) AS mean
FROM commit_latency_stats;

-- Buckets: of all kinds, occurred or not, with the same bounds, which are bounds
-- of cells and have the counts of these
SELECT count(*) AS kinds, count(DISTINCT le) AS bounds, min(cardinality(bucket)) AS buckets,
       count(*) FILTER (WHERE count = 0) > 0 AS empty_ones
FROM commit_latency_buckets;
SELECT unnest(le) AS le FROM commit_latency_buckets WHERE role = 'asynchronous';
WITH cell AS (
	SELECT wait_level, role, upper_bound, cumulative FROM commit_latency_histogram
	UNION ALL
	SELECT NULL, 'flush', upper_bound, cumulative FROM commit_flush_latency_histogram),
bucket AS (
	SELECT wait_level, role, bound, n
	FROM commit_latency_buckets, unnest(le || 'Infinity'::float8, bucket || count) AS b (bound, n))
SELECT count(*) > 0 AS compared, count(*) % 29 AS rest,
       count(*) FILTER (WHERE cumulative <> n) AS wrong
FROM cell JOIN bucket USING (role)
WHERE cell.wait_level IS NOT DISTINCT FROM bucket.wait_level AND
      (abs(upper_bound / 1000 - bound) < 1e-12 * bound OR
       upper_bound = 'Infinity' AND bound = 'Infinity');
SELECT b.count = l.commits AS same_count, abs(b.sum * 1000 - l.commit_time) < 1e-6 AS same_time
FROM commit_latency_buckets b
JOIN (SELECT wait_level, role, commits, commit_time FROM commit_latency_stats
      UNION ALL
      SELECT NULL, 'flush', flushes, flush_time FROM commit_flush_latency_stats) l
  ON b.role = l.role AND b.wait_level IS NOT DISTINCT FROM l.wait_level
WHERE b.role IN ('leader', 'flush') AND b.count > 0;
