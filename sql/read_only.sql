--
-- Commits without a transaction id.  Nothing shows how many of these other sessions do
-- meanwhile, so the test tries again until it finds the exact number.
--
CREATE FUNCTION read_only() RETURNS bigint
LANGUAGE sql VOLATILE AS 'SELECT commits_read_only FROM commit_flush_stats';

-- A commit of a transaction that only reads counts; a rollback does not, nor does a
-- transaction with an id
DO $$
DECLARE
  start bigint;
  counted bigint;
BEGIN
  FOR attempt IN 1..100 LOOP
    COMMIT;
    start := read_only();
    COMMIT;
    PERFORM count(*) FROM durable;
    COMMIT;
    ROLLBACK;
    PERFORM pg_current_xact_id();
    COMMIT;
    counted := read_only() - start;
    EXIT WHEN counted = 2;
  END LOOP;
  RAISE NOTICE 'read-only commits: %', counted;
END $$;

-- Every statement outside of a transaction block commits, and so do those that
-- read the counters
SELECT read_only() AS before \gset
SELECT 1 AS one;
BEGIN;
SELECT 1 AS one;
SELECT 2 AS two;
COMMIT;
SELECT read_only() - :before >= 3 AS at_least_3;

-- They count in no other column
CALL mark();
DO $$
BEGIN
  FOR i IN 1..1000 LOOP
    COMMIT;
  END LOOP;
END $$;
SELECT * FROM since_mark();
SELECT count(*) FROM own_flushes();

DROP FUNCTION read_only;
