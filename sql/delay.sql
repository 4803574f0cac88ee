--
-- Did the leader sleep commit_delay?  With commit_siblings at its limits there is no
-- doubt.
--
SELECT NOT current_setting('fsync')::bool AS never_sleeps \gset
\if :never_sleeps
\quit
\endif

-- Each flush that this session led since mark() was a hit, or a miss.  Flushes of other
-- sessions have the server's commit_delay and do not count, unless that is set
CREATE FUNCTION delays(OUT hits text, OUT misses text, OUT uncertain numeric)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  now commit_flush_stats;
  led bigint := (SELECT count(*) FROM own_flushes());
  hit bigint;
  missed bigint;
  lost bigint;
BEGIN
  SELECT * INTO now FROM commit_flush_stats;
  lost := now.unresolved_flushes - at_mark('unresolved_flushes') +
          now.inferred_flushes - at_mark('inferred_flushes');
  hit := now.delay_hits - at_mark('delay_hits');
  missed := now.delay_misses - at_mark('delay_misses');
  hits := CASE WHEN hit = 0 THEN 'none'
               WHEN hit BETWEEN led AND led + lost THEN 'all' ELSE hit::text END;
  misses := CASE WHEN missed = 0 THEN 'none'
                 WHEN missed BETWEEN led AND led + lost THEN 'all' ELSE missed::text END;
  uncertain := now.delay_uncertain - at_mark('delay_uncertain');
END $$;

CREATE PROCEDURE commit_20()
LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..20 LOOP
    INSERT INTO durable VALUES (i);
    COMMIT;
  END LOOP;
END $$;

-- Without a delay there is neither hit nor miss
SET commit_delay = 0;
SET commit_siblings = 0;
CALL mark();
CALL commit_20();
SELECT led(20);
SELECT * FROM delays();
SELECT bool_or(delayed) AS delayed, max(delay_probability) AS probability,
       max(delay_time) AS time
FROM own_flushes();

-- commit_siblings = 0: every leader sleeps
SET commit_delay = 1000;
CALL mark();
CALL commit_20();
SELECT led(20);
SELECT * FROM delays();
SELECT bool_and(delayed) AS delayed, min(delay_probability) AS probability,
       min(delay_time) >= 1 AS a_millisecond_each
FROM own_flushes();
SELECT s.delay_time - at_mark('delay_time')::float8 - sum(o.delay_time) > -1 AS summed,
       s.commit_time - at_mark('commit_time')::float8 >= sum(o.delay_time) AS part_of_the_commit
FROM commit_flush_stats s, own_flushes() o
GROUP BY s.delay_time, s.commit_time;

-- The sleep counts whether or not the flush is timed
SET track_wal_io_timing = off;
CALL mark();
CALL commit_20();
SELECT * FROM delays();
SELECT bool_and(delayed) AS delayed, min(delay_probability) AS probability,
       min(delay_time) AS least, max(delay_time) AS most
FROM own_flushes();
RESET track_wal_io_timing;

-- commit_siblings out of reach: no leader sleeps
SET commit_siblings = 1000;
CALL mark();
CALL commit_20();
SELECT led(20);
SELECT * FROM delays();
SELECT bool_or(delayed) AS delayed, max(delay_probability) AS probability,
       max(delay_time) AS time
FROM own_flushes();

-- A commit that took less time than the delay did not sleep, which leaves no doubt; a
-- slow disk may make some of them longer
SET commit_siblings = 1;
SET commit_delay = 100000;
CALL mark();
INSERT INTO durable VALUES (1);
INSERT INTO durable VALUES (2);
INSERT INTO durable VALUES (3);
SELECT coalesce(bool_or(delay_probability = 0 OR siblings > 0), true) OR
       (SELECT commit_time - at_mark('commit_time')::float8 >= 300 FROM commit_flush_stats) AS too_short
FROM own_flushes();

RESET commit_delay;
RESET commit_siblings;
DROP FUNCTION delays;
DROP PROCEDURE commit_20;
