--
-- Times of commits and of flushes.  Only track_wal_io_timing shows the time of a flush,
-- for each session alone.
--
SET track_wal_io_timing = off;
CALL mark();
INSERT INTO durable VALUES (1);
INSERT INTO durable VALUES (2);
SELECT count(flush_time) AS timed FROM own_flushes();
-- flushes of other sessions may be timed
SELECT timed_flushes = at_mark('timed_flushes') OR NOT quiet(2) AS not_timed,
       commit_time > at_mark('commit_time') AS commit_time
FROM commit_flush_stats;

SET track_wal_io_timing = on;
CALL mark();
INSERT INTO durable VALUES (1);
INSERT INTO durable VALUES (2);
SELECT count(*) - count(flush_time) AS not_timed, coalesce(min(flush_time) > 0, true) AS took_time
FROM own_flushes();
SELECT s.timed_flushes - at_mark('timed_flushes') >= count(o) AS timed,
       s.flush_time - at_mark('flush_time')::float8 - coalesce(sum(o.flush_time), 0) > -0.001 AS summed
FROM commit_flush_stats s LEFT JOIN own_flushes() o ON true
GROUP BY s.timed_flushes, s.flush_time;

-- A flush is a part of the commit that leads it
SELECT s.commit_time - at_mark('commit_time')::float8 > coalesce(sum(o.flush_time), 0) AS part_of_the_commit
FROM commit_flush_stats s LEFT JOIN own_flushes() o ON true
GROUP BY s.commit_time;

RESET track_wal_io_timing;
