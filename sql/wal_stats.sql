--
-- commit_wal_stats: the WAL of transactions, per checkpoint cycle.  The figures of this
-- session alone hold on a quiet server.  If other sessions were at work, see quiet(),
-- the test only checks what does not depend on them.
--

CREATE TABLE touched (i int);
INSERT INTO touched VALUES (0);

-- A checkpoint begins a new cycle, which the view shows after the first transaction in
-- it
SELECT commit_stats_reset() IS NOT NULL AS reset;
UPDATE touched SET i = i + 1;
SELECT max(redo_lsn) AS redo, count(*) AS cycles FROM commit_wal_stats \gset
SELECT pg_current_wal_insert_lsn() AS lsn \gset
CHECKPOINT;
SELECT finished, wal_distance >= :'lsn'::pg_lsn - redo_lsn AS distance
FROM commit_wal_stats WHERE redo_lsn = :'redo';
CALL mark_wal();
UPDATE touched SET i = i + 1;
SELECT commits = 1 OR NOT quiet(1) AS commits, records >= 2 AS records,
       bytes > 0 AS bytes, aborted = 0 OR NOT quiet(1) AS aborted
FROM wal_since_mark();
SELECT redo_lsn > :'redo' AS newer, redo_lsn >= :'lsn' AS later, finished,
       started_at BETWEEN now() - interval '1 minute' AND now() AS started_at,
       wal_distance >= wal_bytes AS distance
FROM commit_wal_stats LIMIT 1;
SELECT n.redo_lsn - o.redo_lsn = o.wal_distance OR count(*) OVER () > 1 AS from_one_to_the_next
FROM commit_wal_stats o, commit_wal_stats n
WHERE o.redo_lsn = :'redo' AND n.redo_lsn > o.redo_lsn;

-- The first touch of a page after it writes a full-page image, the next none.
-- (The update before has set the hint bits that there were to set.)
SHOW full_page_writes;
SELECT fpi >= 1 AS first_touch FROM wal_since_mark();
UPDATE touched SET i = i + 1;
CALL mark_wal();
UPDATE touched SET i = i + 1;
SELECT fpi = 0 OR NOT quiet(1) OR cycles > 0 AS no_image,
       bytes BETWEEN 2 * 24 AND 1000 OR NOT quiet(1) OR cycles > 0 AS bytes
FROM wal_since_mark();

-- The computed columns
SELECT bool_and(wal_bytes_per_commit IS NOT DISTINCT FROM
                round(wal_bytes / nullif(commits, 0), 2)) AS per_commit,
       bool_and(fpi_share = CASE fpi_share_of
                              WHEN 'bytes' THEN round(100 * wal_fpi_bytes / wal_bytes, 2)
                              WHEN 'records' THEN round(100.0 * wal_fpi / wal_records, 2)
                            END) AS share,
       bool_and(fpi_share_of = CASE WHEN wal_fpi_bytes IS NULL THEN 'records' ELSE 'bytes' END) AS share_of,
       bool_and(CASE fpi_share_of
                  WHEN 'bytes' THEN fpi_share_max = fpi_share
                  WHEN 'records' THEN fpi_share_max > 0 AND fpi_share_max <= 100
                END) AS share_max,
       bool_and(wal_fpi_bytes BETWEEN 1 AND wal_bytes)
         IS DISTINCT FROM (current_setting('server_version_num')::int < 190000) AS fpi_bytes
FROM commit_wal_stats WHERE wal_fpi > 0;

-- A transaction that only reads writes no WAL, and does not count.  A reader that sets
-- the last hint bits may write, so this is tried again.
DO $$
DECLARE
  counted record;
BEGIN
  FOR attempt IN 1..100 LOOP
    CALL mark_wal();
    COMMIT;
    PERFORM * FROM touched;
    COMMIT;
    SELECT * INTO counted FROM wal_since_mark();
    EXIT WHEN counted.records = 0 AND counted.commits = 0 AND counted.bytes = 0;
  END LOOP;
  RAISE NOTICE 'records: %, bytes: %', counted.records, counted.bytes;
END $$;

-- A transaction that rolls back has written WAL too, including its abort record
CALL mark_wal();
BEGIN;
UPDATE touched SET i = i + 1;
ROLLBACK;
SELECT commits = 0 OR NOT quiet(1) AS commits, records >= 2 AS records,
       aborted > 0 AS aborted, bytes = aborted OR NOT quiet(1) AS all_of_it
FROM wal_since_mark();
CALL mark_wal();
DO $$
BEGIN
  UPDATE touched SET i = i + 1;
  RAISE EXCEPTION 'no';
END $$;
SELECT aborted > 0 AS aborted FROM wal_since_mark();

-- A subtransaction that is rolled back belongs to the transaction
CALL mark_wal();
BEGIN;
UPDATE touched SET i = i + 1;
SAVEPOINT s;
UPDATE touched SET i = i + 1;
ROLLBACK TO s;
COMMIT;
SELECT commits = 1 OR NOT quiet(2) AS commits, records >= 4 AS records,
       aborted = 0 OR NOT quiet(2) AS aborted
FROM wal_since_mark();

-- Each commit record is a commit, whether or not a session waited for it
SET synchronous_commit = off;
CALL mark_wal();
UPDATE touched SET i = i + 1;
SELECT commits = 1 OR NOT quiet(1) AS commits, records >= 2 AS records
FROM wal_since_mark();
RESET synchronous_commit;
CREATE UNLOGGED TABLE not_logged (i int);
CALL mark_wal();
INSERT INTO not_logged VALUES (1);
SELECT commits = 1 OR NOT quiet(1) AS commits, records >= 1 AS records
FROM wal_since_mark();
DROP TABLE not_logged;

-- A reset leaves the present cycle, with the WAL from then on
UPDATE touched SET i = i + 1;
CALL mark_wal();
SELECT commit_stats_reset() IS NOT NULL AS reset;
SELECT count(*) = 1 OR NOT quiet(0) AS one,
       coalesce(sum(commits), 0) = 0 OR NOT quiet(0) AS commits,
       coalesce(sum(wal_records), 0) = 0 OR NOT quiet(0) AS records,
       coalesce(sum(wal_bytes), 0) = 0 OR NOT quiet(0) AS bytes,
       coalesce(sum(wal_bytes_aborted), 0) = 0 OR NOT quiet(0) AS aborted
FROM commit_wal_stats;
SELECT wal_bytes_per_commit, fpi_share, fpi_share_max FROM commit_wal_stats
WHERE commits = 0 AND wal_records = 0 OR NOT quiet(0)
ORDER BY 1 NULLS FIRST LIMIT 1;
UPDATE touched SET i = i + 1;
SELECT sum(commits) = 1 OR NOT quiet(1) AS commits,
       sum(wal_records) >= 2 AS records
FROM commit_wal_stats;

DROP TABLE touched;
