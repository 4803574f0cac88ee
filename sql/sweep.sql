--
-- commit_delay_sweep: what it refuses.  t/sweep_*.pl test what it measures.
--
\set VERBOSITY terse
CREATE FUNCTION sweep_error(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'SELECT * FROM commit_delay_sweep(' || call || ')';
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- Invalid arrays
SELECT call, sweep_error(call)
FROM (VALUES ($$NULL$$), ($$'{}'$$), ($$'{0,NULL}'$$), ($$'{{0,1},{2,3}}'$$),
             ($$'{0,-1}'$$), ($$'{0,100001}'$$), ($$'{100,0,100}'$$),
             ($$'{0,1000}', '{}'$$), ($$'{0,1000}', '{NULL}'$$),
             ($$'{0,1000}', '{1001}'$$), ($$'{0,1000}', '{-1}'$$),
             ($$'{0,1000}', '{5,5}'$$), ($$ARRAY(SELECT generate_series(0, 1000))$$),
             ($$ARRAY(SELECT generate_series(0, 99)), ARRAY(SELECT generate_series(0, 99))$$))
     AS c (call);

-- Values that are no array of integers
SELECT * FROM commit_delay_sweep('{much,little}');
SELECT * FROM commit_delay_sweep(100);
SELECT * FROM commit_delay_sweep();

-- Invalid times
SELECT call, sweep_error(call)
FROM (VALUES ($$'{0}', duration => NULL$$), ($$'{0}', slot => NULL$$),
             ($$'{0}', duration => '-1 s'$$), ($$'{0}', duration => '2 days'$$),
             ($$'{0}', duration => '1 month'$$), ($$'{0}', slot => '0'$$),
             ($$'{0}', slot => '99 ms'$$), ($$'{0}', slot => '11 s'$$),
             ($$'{0}', slot => '-1 day'$$), ($$'{0}', max_p99 => '0'$$),
             ($$'{0}', max_p99 => '1 year'$$),
             ($$'{0}', duration => '500 ms'$$),
             ($$'{0,10,100,1000}', '{1,5}', '5 s'$$)) AS c (call);

-- The error names the least duration
\set VERBOSITY default
SELECT * FROM commit_delay_sweep('{0,10,100,1000}', '{1,5}', '5 s');
SELECT * FROM commit_delay_sweep('{0}', duration => '2 s', adaptive => true);
\set VERBOSITY terse

-- The largest values; there is no load
SELECT sweep_error($$'{0,100000}', '{0,1000}', '1200 ms', '100 ms'$$);

-- t/sweep_refusals.pl has the refusals that need other settings
SHOW commit_delay;
SELECT sweep_pid FROM commit_stats_info;

-- A sweep works in a read-only transaction: it writes nothing
BEGIN READ ONLY;
SELECT sweep_error($$'{0}', NULL, '300 ms', '100 ms'$$);
COMMIT;

-- It would measure a transaction of its own that has an xid
BEGIN;
SELECT sweep_error($$'{0}', duration => '20 s'$$) WHERE pg_current_xact_id() IS NOT NULL;
ROLLBACK;

-- It does not begin if a timeout would end it
SET statement_timeout = '10 s';
SELECT sweep_error($$'{0}', duration => '20 s'$$);
SELECT sweep_error($$'{0}', NULL, '300 ms', '100 ms'$$);
RESET statement_timeout;

-- Delays that alone exceed max_p99 are not tried, and take no time
SELECT sweep_error($$'{5000,10000}', max_p99 => '5 ms'$$);
SELECT sweep_error($$'{0,5000,10000}', NULL, '300 ms', '100 ms', max_p99 => '5 ms'$$);

DROP FUNCTION sweep_error(text);
\set VERBOSITY default
