--
-- Each kind of transaction counts as what it is
--
CREATE UNLOGGED TABLE unlogged (i int);
CREATE TEMP TABLE temporary (i int);
INSERT INTO durable VALUES (0);

--
-- Commits that wait for their flush
--

-- A statement of its own
CALL mark();
INSERT INTO durable VALUES (1);
SELECT * FROM since_mark(sync => 1);

-- A transaction block
CALL mark();
BEGIN;
INSERT INTO durable VALUES (1);
INSERT INTO durable VALUES (2);
COMMIT;
SELECT * FROM since_mark(sync => 1);

-- Two of them in a chain
CALL mark();
BEGIN;
INSERT INTO durable VALUES (1);
COMMIT AND CHAIN;
INSERT INTO durable VALUES (2);
COMMIT;
SELECT * FROM since_mark(sync => 2);

-- Several statements in one message are one transaction ...
CALL mark();
INSERT INTO durable VALUES (1)\; INSERT INTO durable VALUES (2)\; INSERT INTO durable VALUES (3);
SELECT * FROM since_mark(sync => 1);

-- ... unless one of them commits
CALL mark();
INSERT INTO durable VALUES (1)\; COMMIT\; INSERT INTO durable VALUES (2);
SELECT * FROM since_mark(sync => 2);

-- Locking a row, drawing from a sequence
CREATE SEQUENCE numbers;
CALL mark();
SELECT i FROM durable WHERE i = 0 FOR UPDATE;
SELECT * FROM since_mark(sync => 1);
CALL mark();
SELECT nextval('numbers');
SELECT * FROM since_mark(sync => 1);

-- Savepoints: however many transaction ids it used, it is one commit
CALL mark();
BEGIN;
SAVEPOINT a;
INSERT INTO durable VALUES (1);
SAVEPOINT b;
INSERT INTO durable VALUES (2);
ROLLBACK TO b;
INSERT INTO durable VALUES (3);
RELEASE a;
COMMIT;
SELECT * FROM since_mark(sync => 1, own_ids => 4);

-- A transaction that has rolled back all its work still has an id, and waits
CALL mark();
BEGIN;
SAVEPOINT a;
INSERT INTO durable VALUES (1);
ROLLBACK TO a;
COMMIT;
SELECT * FROM since_mark(sync => 1, own_ids => 2);

-- Each COMMIT of a procedure counts, and of a DO block, whose end is a commit as
-- well
CREATE PROCEDURE commit_thrice()
LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..3 LOOP
    INSERT INTO durable VALUES (i);
    COMMIT;
  END LOOP;
END $$;
CALL mark();
CALL commit_thrice();
SELECT * FROM since_mark(sync => 3);

CALL mark();
DO $$
BEGIN
  INSERT INTO durable VALUES (1);
  COMMIT;
  INSERT INTO durable VALUES (2);
  ROLLBACK;
  INSERT INTO durable VALUES (3);
END $$;
SELECT * FROM since_mark(sync => 2, own_ids => 3);

-- Work of the commit itself: a deferred trigger
CREATE FUNCTION write_durable() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO durable VALUES (1);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER write_durable AFTER INSERT ON temporary
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION write_durable();
INSERT INTO temporary VALUES (0);
CALL mark();
INSERT INTO temporary VALUES (1);
SELECT * FROM since_mark(sync => 1);
DROP TRIGGER write_durable ON temporary;

-- The levels of synchronous_commit above off
SET synchronous_commit = local;
CALL mark();
INSERT INTO durable VALUES (1);
SELECT * FROM since_mark(sync => 1);
SET synchronous_commit = remote_write;
CALL mark();
INSERT INTO durable VALUES (1);
SELECT * FROM since_mark(sync => 1);
SET synchronous_commit = remote_apply;
CALL mark();
INSERT INTO durable VALUES (1);
SELECT * FROM since_mark(sync => 1);
RESET synchronous_commit;

-- A commit that waits leads a flush, or joins one
CALL mark();
INSERT INTO durable VALUES (1);
INSERT INTO durable VALUES (2);
INSERT INTO durable VALUES (3);
CALL commit_thrice();
SELECT led(6);

--
-- Commits that do not wait
--
SET synchronous_commit = off;
CALL mark();
INSERT INTO durable VALUES (1);
INSERT INTO durable VALUES (2);
SELECT * FROM since_mark(async => 2);
SELECT count(*) FROM own_flushes();

-- Dropping a temporary table deletes files too, but no commit waits for these
CREATE TEMP TABLE dropped_soon (i int);
CALL mark();
DROP TABLE dropped_soon;
SELECT * FROM since_mark(async => 1);

-- Deleting other files must not come before the commit record: these commits wait,
-- whatever synchronous_commit says
CREATE TABLE dropped_soon (i int);
CALL mark();
DROP TABLE dropped_soon;
SELECT * FROM since_mark(sync => 1);
SELECT led(1);

CREATE UNLOGGED TABLE dropped_soon (i int);
CALL mark();
DROP TABLE dropped_soon;
SELECT * FROM since_mark(sync => 1);

CALL mark();
TRUNCATE unlogged;
SELECT * FROM since_mark(sync => 1);

-- Rolling it back deletes nothing
CALL mark();
BEGIN;
INSERT INTO durable VALUES (1);
SAVEPOINT a;
TRUNCATE unlogged;
ROLLBACK TO a;
COMMIT;
SELECT * FROM since_mark(async => 1, own_ids => 2);

-- There are other reasons to wait.  From PostgreSQL 18 on commit_stats does not see
-- that such a commit waited, but counts it once.
CALL mark();
CREATE DATABASE regress_commit_stats;
SELECT commits + commits_async AS counted FROM since_mark(sync => 1);
CALL mark();
DROP DATABASE regress_commit_stats;
SELECT commits + commits_async AS counted FROM since_mark(sync => 1);

-- The setting at COMMIT counts
CALL mark();
BEGIN;
INSERT INTO durable VALUES (1);
SET LOCAL synchronous_commit = on;
COMMIT;
SELECT * FROM since_mark(sync => 1);
RESET synchronous_commit;
CALL mark();
BEGIN;
INSERT INTO durable VALUES (1);
SET LOCAL synchronous_commit = off;
COMMIT;
SELECT * FROM since_mark(async => 1);

--
-- Commits with an id that have nothing to wait for
--

-- The first use of a table reads the catalogs, and may log that it pruned them
INSERT INTO temporary VALUES (0);
INSERT INTO unlogged VALUES (0);
SELECT pg_current_xact_id() IS NOT NULL AS has_id;
CALL mark();
INSERT INTO temporary VALUES (1);
INSERT INTO unlogged VALUES (1);
SELECT * FROM since_mark(unlogged => 2);

CALL mark();
SELECT pg_current_xact_id() IS NOT NULL AS has_id;
SELECT * FROM since_mark(unlogged => 1);

-- NOTIFY gets its id as late as in COMMIT
CALL mark();
NOTIFY regress_commit_stats;
SELECT * FROM since_mark(unlogged => 1);
CALL mark();
BEGIN;
NOTIFY regress_commit_stats;
INSERT INTO durable VALUES (1);
COMMIT;
SELECT * FROM since_mark(sync => 1);

-- The same with any synchronous_commit
SET synchronous_commit = off;
CALL mark();
INSERT INTO temporary VALUES (1);
SELECT * FROM since_mark(unlogged => 1);
RESET synchronous_commit;

-- ON COMMIT DELETE ROWS locks its table in each COMMIT of a session that uses any
-- temporary table.  That is logged for standbys, after the callback, and waited for
CREATE TEMP TABLE emptied (i int) ON COMMIT DELETE ROWS;
INSERT INTO emptied VALUES (0);
SELECT CASE current_setting('wal_level') WHEN 'minimal' THEN 0 ELSE 2 END AS waits \gset
CALL mark();
INSERT INTO emptied VALUES (1);
INSERT INTO temporary VALUES (1);
SELECT commits = :waits AS commits, commits_unlogged = 2 - :waits AS unlogged
FROM since_mark(sync => :waits, unlogged => 2 - :waits);
DROP TABLE emptied;

--
-- Transactions that are no commits
--
CALL mark();
BEGIN;
INSERT INTO durable VALUES (1);
ROLLBACK;
SELECT * FROM since_mark(own_ids => 1);

CALL mark();
INSERT INTO durable SELECT 1 / i FROM generate_series(1, 0, -1) i;
SELECT * FROM since_mark(own_ids => 1);

CALL mark();
BEGIN;
INSERT INTO durable VALUES (1);
SELECT 1 / 0;
COMMIT;
SELECT * FROM since_mark(own_ids => 1);

-- An error of a deferred constraint comes in COMMIT
CREATE TABLE referenced (i int PRIMARY KEY);
CREATE TABLE referencing (i int REFERENCES referenced DEFERRABLE INITIALLY DEFERRED);
\set VERBOSITY terse
CALL mark();
BEGIN;
INSERT INTO referencing VALUES (1);
COMMIT;
SELECT * FROM since_mark(own_ids => 1);
\set VERBOSITY default

-- Reading
CALL mark();
SELECT count(*) > 0 AS read FROM durable;
BEGIN;
SELECT count(*) > 0 AS read FROM durable;
COMMIT;
SELECT * FROM since_mark();

DROP TABLE referencing, referenced, unlogged, temporary;
DROP SEQUENCE numbers;
DROP PROCEDURE commit_thrice;
DROP FUNCTION write_durable;
