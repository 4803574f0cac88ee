--
-- Nothing is left behind
--
DROP FUNCTION since_mark, led, own_flushes, add_up, quiet, at_mark, finished_ids,
  wal_since_mark, wal_sums;
DROP PROCEDURE mark, mark_wal, start_over;
DROP TABLE durable;
DROP EXTENSION commit_stats;

-- The library counts on; a new CREATE EXTENSION shows all counts
SELECT count(*) FROM pg_proc WHERE probin LIKE '%commit_stats';
CREATE TABLE durable (i int);
DROP TABLE durable;
CREATE EXTENSION commit_stats;
SELECT commits >= 2 AS counted FROM commit_flush_stats;
DROP EXTENSION commit_stats;
