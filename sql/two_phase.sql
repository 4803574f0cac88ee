--
-- Two-phase commit: PREPARE TRANSACTION waits for a flush but is no commit,
-- COMMIT PREPARED is one
--
SELECT current_setting('max_prepared_transactions')::int = 0 AS no_two_phase \gset
\if :no_two_phase
\quit
\endif

CALL mark();
BEGIN;
INSERT INTO durable VALUES (1);
PREPARE TRANSACTION 'regress_commit_stats';
SELECT * FROM since_mark(prepared => 1);
SELECT led(1) OR NOT quiet(0) AS led;
SELECT prepare_time > at_mark('prepare_time')::float8 AS prepare_time
FROM commit_flush_stats;

-- Its own flush carries no commit, unless commits of other sessions joined
SELECT count(*) <= 1 AS one,
       coalesce(bool_and(commits = 0), true) OR NOT quiet(0) AS no_commit
FROM own_flushes();

-- A prepared transaction has an id, but does not run: it is no sibling
CALL mark();
DO $$
BEGIN
  FOR i IN 1..10 LOOP
    INSERT INTO durable VALUES (i);
    COMMIT;
  END LOOP;
END $$;
SELECT coalesce(min(siblings) = 0, true) OR NOT quiet(10) AS no_sibling
FROM own_flushes();

CALL mark();
COMMIT PREPARED 'regress_commit_stats';
SELECT * FROM since_mark(sync => 1);
SELECT led(1);

-- ROLLBACK PREPARED is no commit
BEGIN;
INSERT INTO durable VALUES (1);
PREPARE TRANSACTION 'regress_commit_stats';
CALL mark();
ROLLBACK PREPARED 'regress_commit_stats';
SELECT * FROM since_mark(own_ids => 1);

-- The transactions in which COMMIT PREPARED and ROLLBACK PREPARED run are no read-only
-- ones.  The first SELECT is, and counts only when it is over
SELECT commits_read_only AS before FROM commit_activity
WHERE pid = pg_backend_pid() \gset
BEGIN;
INSERT INTO durable VALUES (1);
PREPARE TRANSACTION 'regress_commit_stats';
COMMIT PREPARED 'regress_commit_stats';
BEGIN;
INSERT INTO durable VALUES (1);
PREPARE TRANSACTION 'regress_commit_stats';
ROLLBACK PREPARED 'regress_commit_stats';
SELECT commits_read_only - :before AS read_only FROM commit_activity
WHERE pid = pg_backend_pid();
COMMIT PREPARED 'regress_commit_stats';
SELECT commits_read_only - :before AS read_only FROM commit_activity
WHERE pid = pg_backend_pid();

-- Both wait with any synchronous_commit
SET synchronous_commit = off;
CALL mark();
BEGIN;
INSERT INTO durable VALUES (1);
PREPARE TRANSACTION 'regress_commit_stats';
SELECT * FROM since_mark(prepared => 1);
SELECT led(1) OR NOT quiet(0) AS led;
CALL mark();
COMMIT PREPARED 'regress_commit_stats';
SELECT * FROM since_mark(sync => 1);
SELECT led(1);
RESET synchronous_commit;

-- ... and even if the transaction wrote nothing
CALL mark();
BEGIN;
PREPARE TRANSACTION 'regress_commit_stats';
SELECT * FROM since_mark(prepared => 1);
CALL mark();
COMMIT PREPARED 'regress_commit_stats';
SELECT * FROM since_mark(sync => 1);

-- A statement that fails does not count, and does not disturb the next one
CALL mark();
COMMIT PREPARED 'regress_commit_stats';
BEGIN;
INSERT INTO durable VALUES (1);
COMMIT PREPARED 'regress_commit_stats';
COMMIT;
BEGIN;
CREATE TEMP TABLE temporary (i int) ON COMMIT DROP;
PREPARE TRANSACTION 'regress_commit_stats';
SELECT * FROM since_mark(own_ids => 2);
CALL mark();
INSERT INTO durable VALUES (1);
SELECT * FROM since_mark(sync => 1);

-- commit_wal_stats has the WAL of all of these.  PREPARE is no commit there either, and
-- ROLLBACK PREPARED is an abort
CALL mark_wal();
BEGIN;
INSERT INTO durable VALUES (1);
PREPARE TRANSACTION 'regress_commit_stats';
SELECT commits = 0 OR NOT quiet(0) AS commits, records >= 2 AS records,
       aborted = 0 OR NOT quiet(0) AS aborted
FROM wal_since_mark();
CALL mark_wal();
COMMIT PREPARED 'regress_commit_stats';
SELECT commits = 1 OR NOT quiet(1) AS commits, records = 1 OR NOT quiet(1) AS records,
       aborted = 0 OR NOT quiet(1) AS aborted
FROM wal_since_mark();
BEGIN;
INSERT INTO durable VALUES (1);
PREPARE TRANSACTION 'regress_commit_stats';
CALL mark_wal();
ROLLBACK PREPARED 'regress_commit_stats';
SELECT commits = 0 OR NOT quiet(1) AS commits, records = 1 OR NOT quiet(1) AS records,
       aborted = bytes OR NOT quiet(1) AS aborted
FROM wal_since_mark();

SELECT count(*) AS left_over FROM pg_prepared_xacts
WHERE gid = 'regress_commit_stats';
