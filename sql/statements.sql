--
-- commit_statement_stats: the counts per database, role and statement
--
CREATE ROLE regress_statement_one;
CREATE ROLE regress_statement_two;
CREATE TABLE statement_rows (n int);
GRANT ALL ON statement_rows TO PUBLIC;

-- Counts of the roles below; a statement has a number of its own in each version
CREATE VIEW counted AS
SELECT rolname AS role, queryid IS NOT NULL AS has_id, reason,
       commits + commits_async AS commits, statements, wal_bytes > 0 AS wrote
FROM commit_statement_stats
WHERE datname = current_database() AND rolname LIKE 'regress_statement%' AND
      commits + commits_async > 0
ORDER BY 1, 4 DESC, 5;

SELECT commit_stats_reset() IS NOT NULL AS reset;

-- The statement that wrote most; without an identifier, the reason
SET ROLE regress_statement_one;
INSERT INTO statement_rows VALUES (1);
INSERT INTO statement_rows VALUES (2);
INSERT INTO statement_rows VALUES (3);
BEGIN;
INSERT INTO statement_rows SELECT generate_series(1, 100);
INSERT INTO statement_rows VALUES (4);
COMMIT;
RESET ROLE;
SET compute_query_id = off;
SET ROLE regress_statement_one;
INSERT INTO statement_rows VALUES (5);
RESET ROLE;
RESET compute_query_id;
SET ROLE regress_statement_two;
INSERT INTO statement_rows VALUES (6);
RESET ROLE;
SELECT * FROM counted;

-- The texts are those of pg_stat_statements, which this database does not have
SELECT count(*) FROM commit_statement_texts();

-- The statements of others
SET ROLE regress_statement_one;
SELECT count(*) FROM commit_statement_stats;
SELECT commit_statement_stats_reset();
RESET ROLE;
GRANT EXECUTE ON FUNCTION commit_statement_stats() TO regress_statement_one;
SET ROLE regress_statement_one;
SELECT roleid::regrole AS role, queryid IS NOT NULL AS has_id, reason, commits + commits_async AS commits
FROM commit_statement_stats()
WHERE roleid IN ('regress_statement_one'::regrole, 'regress_statement_two'::regrole) AND
      commits + commits_async > 0
ORDER BY 1, 2 DESC, 4;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION commit_statement_stats() FROM regress_statement_one;
SET commit_stats.slow_commit_time = 0;
SET ROLE regress_statement_two;
INSERT INTO statement_rows VALUES (7);
SET ROLE regress_statement_one;
INSERT INTO statement_rows VALUES (8);
RESET ROLE;
RESET commit_stats.slow_commit_time;
GRANT EXECUTE ON FUNCTION commit_slow_log() TO regress_statement_one;
SET ROLE regress_statement_one;
SELECT roleid::regrole AS role, bool_or(queryid IS NOT NULL) AS has_id FROM commit_slow_log()
WHERE roleid IN ('regress_statement_one'::regrole, 'regress_statement_two'::regrole)
GROUP BY 1 ORDER BY 1;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION commit_slow_log() FROM regress_statement_one;

-- A reset of these counts alone
SELECT commit_statement_stats_reset() IS NOT NULL AS reset;
SELECT * FROM counted;
SELECT sum(commits + commits_async) AS commits FROM commit_client_stats
WHERE rolname = 'regress_statement_one';
SET ROLE regress_statement_one;
INSERT INTO statement_rows VALUES (7);
RESET ROLE;
SELECT * FROM counted;

DROP VIEW counted;
DROP TABLE statement_rows;
DROP ROLE regress_statement_one, regress_statement_two;
