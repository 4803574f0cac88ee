--
-- commit_client_stats: the counts per database, role and application
--
CREATE ROLE regress_client_one;
CREATE ROLE regress_client_two;
CREATE TABLE client_rows (n int);
GRANT ALL ON client_rows TO PUBLIC;

-- Counts of the clients below; other sessions do not use these names
CREATE VIEW counted AS
SELECT application_name, coalesce(nullif(rolname, current_user), 'me') AS role,
       sessions, commits, commits_async, commits_read_only > 0 AS has_read,
       wal_bytes > 0 AS wrote
FROM commit_client_stats
WHERE datname = current_database() AND application_name LIKE 'regress client%'
ORDER BY 1, 2;

SELECT commit_stats_reset() IS NOT NULL AS reset;

-- One that only reads
SET application_name = 'regress reader';
SELECT count(*) FROM client_rows;

-- The name and the role that the session has at its commit count
SET application_name = 'regress client 1';
INSERT INTO client_rows VALUES (1);
INSERT INTO client_rows VALUES (2);
SET application_name = 'regress client 2';
INSERT INTO client_rows VALUES (3);
BEGIN;
INSERT INTO client_rows VALUES (4);
SET LOCAL application_name = 'regress client 3';
COMMIT;
SET synchronous_commit = off;
INSERT INTO client_rows VALUES (5);
RESET synchronous_commit;
SET ROLE regress_client_one;
INSERT INTO client_rows VALUES (6);
RESET ROLE;
SET SESSION AUTHORIZATION regress_client_two;
INSERT INTO client_rows VALUES (7);
RESET SESSION AUTHORIZATION;
SET application_name = 'regress client 1';
INSERT INTO client_rows VALUES (8);
-- Nothing of a transaction that fails
BEGIN;
SET LOCAL application_name = 'regress client 4';
INSERT INTO client_rows VALUES (9);
ROLLBACK;
SELECT * FROM counted;

-- A transaction that fails in its commit frees its name, and the next name gets
-- the address
BEGIN;
SET application_name = 'regress client 5';
CREATE TEMP TABLE emptied (n int PRIMARY KEY) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE kept (n int REFERENCES emptied);
COMMIT;
BEGIN;
SET application_name = 'regress client 6';
INSERT INTO client_rows VALUES (10);
COMMIT;
-- The role of one transaction
BEGIN;
SET LOCAL SESSION AUTHORIZATION regress_client_two;
INSERT INTO client_rows VALUES (11);
COMMIT;
INSERT INTO client_rows VALUES (12);
SELECT * FROM counted WHERE application_name > 'regress client 4';

-- No share without time of transactions
SELECT commits + commits_async AS commits, transaction_time, transaction_share
FROM commit_client_stats WHERE application_name = 'regress reader';

-- A name is cut as the server cuts it
SET application_name = 'regress client with a name of more than sixty-three bytes, which is too long';
INSERT INTO client_rows VALUES (13);
SELECT application_name, commits FROM commit_client_stats
WHERE application_name LIKE 'regress client with%';
SET application_name = 'regress';

-- Names are looked up as the view is read
ALTER ROLE regress_client_one RENAME TO regress_client_renamed;
SELECT rolname, status, commits FROM commit_client_stats
WHERE rolname LIKE 'regress_client%' AND application_name = 'regress client 2' ORDER BY 1;
REVOKE ALL ON client_rows FROM PUBLIC;
DROP ROLE regress_client_renamed;
SELECT rolname, status, commits FROM commit_client_stats
WHERE application_name = 'regress client 2' AND status = 'dropped';

-- This session, and who it was at its latest commit
INSERT INTO client_rows VALUES (14);
SELECT commits > 0 AS commits, commits_read_only > 0 AS has_read, wal_bytes > 0 AS wrote,
       committing_since, waiting_for
FROM commit_activity WHERE pid = pg_backend_pid();
SET application_name = 'regress client 7';
INSERT INTO client_rows VALUES (15);
SELECT datname = current_database() AS datname, rolname = current_user AS rolname,
       application_name
FROM commit_activity WHERE application_name = 'regress client 7';

DROP VIEW counted;
DROP TABLE client_rows;
DROP ROLE regress_client_two;
RESET application_name;
