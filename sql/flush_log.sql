--
-- commit_flush_log: one row for each flush that carried a commit
--
SET track_wal_io_timing = on;
CALL mark();
INSERT INTO durable VALUES (1);
INSERT INTO durable VALUES (2);
INSERT INTO durable VALUES (3);
INSERT INTO durable VALUES (4);
INSERT INTO durable VALUES (5);
SELECT led(5);

-- Newest first, in the order of the WAL
CREATE TEMP TABLE log AS
  SELECT row_number() OVER () AS row, * FROM commit_flush_log;
SELECT count(*) > 0 AS rows,
       count(*) <= current_setting('commit_stats.flush_log_size')::int AS no_more_than_set,
       bool_and(flush_lsn > earlier_lsn) AS lsn_falls,
       bool_and(flushed_at >= earlier_at) AS time_falls
FROM (SELECT *, lead(flush_lsn) OVER (ORDER BY row) AS earlier_lsn,
             lead(flushed_at) OVER (ORDER BY row) AS earlier_at
      FROM log) l;

-- The same row has the same time at each look
SELECT count(*) > 0 AS rows, count(*) FILTER (WHERE n.flushed_at <> l.flushed_at) AS moved
FROM log l JOIN commit_flush_log n USING (flush_lsn);

-- The WAL of a flush reaches back to the flush before, which may not be in the
-- log if it carried no commit
SELECT bool_and(wal_bytes > 0) AS some_wal,
       bool_and(wal_bytes <= flush_lsn - earlier_lsn) AS since_the_flush_before
FROM (SELECT *, lead(flush_lsn) OVER (ORDER BY row) AS earlier_lsn FROM log) l
WHERE earlier_lsn IS NOT NULL;
SELECT max(flush_lsn) <= pg_current_wal_flush_lsn() AS flushed FROM log;

-- Conditions for each row
SELECT bool_and(message ~ '^Flushed \d+ out of \d+ commits( in \d+ flushes)?$') AS message,
       bool_and(message = format('Flushed %s out of %s commits', commits, active_transactions) ||
                CASE WHEN flushes > 1 THEN format(' in %s flushes', flushes) ELSE '' END) AS n_out_of_m,
       bool_and(active_transactions >= commits) AS n_at_most_m,
       bool_and(commits > 0 OR leader_pid IS NOT NULL) AS carried_or_led,
       bool_and(flushed_at <= clock_timestamp()) AS in_the_past
FROM log;

-- Who led
SELECT bool_and(leader_datname = current_database() AND leader_rolname = current_user AND
                leader_application_name = current_setting('application_name')) AS this_session
FROM log WHERE leader_pid = pg_backend_pid();

-- Each row with a leader has the columns that only a leader can fill in, and no other
-- row has them; a commit that was not to wait has not counted siblings, and may lead
SELECT bool_and((siblings IS NULL) = (leader_pid IS NULL))
         FILTER (WHERE leader_pid IS NULL OR leader_pid = pg_backend_pid()) AS siblings,
       bool_and((delayed IS NULL) = (leader_pid IS NULL)) AS delayed,
       bool_and((delay_probability IS NULL) = (leader_pid IS NULL)) AS delay_probability,
       bool_and((delay_time IS NULL) = (leader_pid IS NULL)) AS delay_time,
       bool_and(delay_probability BETWEEN 0 AND 1) AS probability,
       bool_and(delayed = (delay_probability >= 0.5)) AS likely,
       bool_and(delayed = (delay_time > 0)) AS time_if_delayed
FROM log;

-- The flushes that this session led: a row for each, which carried its commit and is
-- not older than that
SELECT bool_and(commits >= 1) AS carried,
       bool_and(active_transactions >= siblings + 1) AS active,
       bool_and(flush_time > 0) AS timed,
       bool_and(flushed_at >= mark - interval '1 s') AS since_mark
FROM log, (SELECT (m ->> 'lsn')::pg_lsn AS lsn, (m ->> 'at')::timestamptz AS mark
           FROM (SELECT current_setting('regress.mark')::jsonb AS m) s) s
WHERE leader_pid = pg_backend_pid() AND flush_lsn > lsn;

-- A commit that does not wait adds no row; a later flush has its WAL
SET synchronous_commit = off;
CALL mark();
INSERT INTO durable SELECT i FROM generate_series(1, 1000) i;
SELECT count(*) FROM own_flushes();
RESET synchronous_commit;

-- The view of all flushes has the WAL of the log in its sum
SELECT wal_bytes AS wal_before FROM commit_flush_stats \gset
CALL mark();
INSERT INTO durable SELECT i FROM generate_series(1, 1000) i;
SELECT s.wal_bytes - :wal_before >= coalesce(sum(o.wal_bytes), 0) AS summed,
       coalesce(sum(o.wal_bytes) >= 30000, true) OR NOT quiet(1) AS a_thousand_rows
FROM commit_flush_stats s LEFT JOIN own_flushes() o ON true
GROUP BY s.wal_bytes;

DROP TABLE log;
RESET track_wal_io_timing;

-- A process that has left has no name any more
SELECT pg_backend_pid() AS gone \gset
\c
SET regress.gone = :gone;
DO $$ BEGIN
  WHILE EXISTS (SELECT FROM commit_activity WHERE pid = current_setting('regress.gone')::int) LOOP
    PERFORM pg_sleep(0.01);
  END LOOP;
END $$;
SELECT count(*) > 0 AS rows, count(leader_datid) AS datids, count(leader_rolname) AS names
FROM commit_flush_log WHERE leader_pid = :gone;
