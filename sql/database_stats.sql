--
-- commit_database_stats: the counts per database
--
SELECT current_database() AS db \gset

-- The counts of this database since mark_database().  Other sessions may commit, but
-- not in this database, unless autovacuum does
CREATE PROCEDURE mark_database()
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('regress.database', to_jsonb(d)::text, false)
  FROM commit_database_stats d WHERE datname = current_database();
END $$;
CREATE FUNCTION of_database(counter text) RETURNS numeric
LANGUAGE sql VOLATILE AS $$
  SELECT (to_jsonb(d) ->> counter)::numeric -
         (current_setting('regress.database')::jsonb ->> counter)::numeric
  FROM commit_database_stats d WHERE datname = current_database()
$$;

-- This database has a row, and so has no other of that name
SELECT datid = (SELECT oid FROM pg_database WHERE datname = current_database()) AS datid,
       status
FROM commit_database_stats WHERE datname = current_database();

-- Each kind of commit counts here, in a backend that is still connected
CREATE TEMP TABLE temporary (i int);
CALL mark_database();
INSERT INTO durable VALUES (1);
SET synchronous_commit = off;
INSERT INTO durable VALUES (2);
INSERT INTO durable VALUES (3);
RESET synchronous_commit;
INSERT INTO temporary VALUES (1), (2);
INSERT INTO temporary VALUES (3);
INSERT INTO temporary VALUES (4);
SELECT of_database('commits') BETWEEN 1 AND 4 AS commits,
       of_database('commits_async') BETWEEN 2 AND 5 AS async,
       of_database('commits_unlogged') BETWEEN 3 AND 6 AS unlogged,
       of_database('flushes') + of_database('commits_carried') = of_database('commits') AS flushes,
       of_database('wal_bytes') BETWEEN 100 AND 100000 AS wal_bytes,
       of_database('commit_time') > 0 AS commit_time;
SELECT abs(sum(share) - 100) <= 0.005 * count(*) AS shares FROM commit_database_stats;

-- So does what commit_client_stats has beside these
CALL mark_database();
SET commit_stats.slow_commit_time = 0;
BEGIN;
INSERT INTO durable VALUES (4);
NOTIFY regress_database;
COMMIT;
RESET commit_stats.slow_commit_time;
SELECT of_database('slow_commits') AS slow, of_database('commits_notify') AS notify;
SELECT sessions >= 1 AS sessions,
       wal_bytes_per_commit = round(wal_bytes / (commits + commits_async), 1) AS per_commit
FROM commit_database_stats WHERE datname = current_database();

-- Another database
CREATE DATABASE regress_commit_stats_other;
\c regress_commit_stats_other
CREATE TABLE elsewhere (i int);
INSERT INTO elsewhere VALUES (1);
SELECT oid AS other FROM pg_database WHERE datname = current_database() \gset
\c :db
SELECT datid = :other AS same, status, commits >= 2 AS commits, commit_time > 0 AS commit_time
FROM commit_database_stats WHERE datname = 'regress_commit_stats_other';

-- The view shows its present name
ALTER DATABASE regress_commit_stats_other RENAME TO regress_commit_stats_renamed;
SELECT datid = :other AS same, status
FROM commit_database_stats WHERE datname = 'regress_commit_stats_renamed';

-- Its counts stay after DROP DATABASE
DROP DATABASE regress_commit_stats_renamed;
SELECT datname, status, commits >= 2 AS commits
FROM commit_database_stats WHERE datid = :other;

-- A new database of the same name has counts of its own
CREATE DATABASE regress_commit_stats_other;
\c regress_commit_stats_other
\c :db
SELECT datid = :other AS same, status, commits
FROM commit_database_stats WHERE datname = 'regress_commit_stats_other';
DROP DATABASE regress_commit_stats_other;

-- A database that nobody was connected to has no row
SELECT count(*) FROM commit_database_stats WHERE datname = 'template0';

-- Processes without a database have a row of their own, and none is there for
-- databases without a row
SELECT count(*) <= 1 AS no_database, count(datid) AS datids, count(datname) AS names
FROM commit_database_stats WHERE status = 'no database';
SELECT count(*) FROM commit_database_stats WHERE status = 'overflow';
SELECT count(*) FROM commit_database_stats
WHERE status NOT IN ('present', 'dropped', 'no database', 'overflow');

-- A reset forgets dropped databases and keeps those that are in use
SELECT commit_stats_reset() IS NOT NULL AS reset;
SELECT count(*) AS dropped FROM commit_database_stats WHERE status = 'dropped';
SELECT status, commits <= 3 AS commits, commits_async <= 3 AS async,
       commits_unlogged AS unlogged, commits_read_only < 10 AS read_only
FROM commit_database_stats WHERE datname = current_database();
SELECT clients_tracked >= (SELECT count(*) FROM commit_database_stats WHERE datid IS NOT NULL) AS tracked
FROM commit_stats_info;
INSERT INTO durable VALUES (1);
SELECT commits BETWEEN 1 AND 4 AS commits, share BETWEEN 1 AND 100 AS share
FROM commit_database_stats WHERE datname = current_database();

DROP PROCEDURE mark_database;
DROP FUNCTION of_database;
