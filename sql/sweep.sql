--
-- commit_delay_sweep: what it refuses.  What it measures is in t/.
--
\set VERBOSITY terse
CREATE FUNCTION sweep_error(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'SELECT * FROM commit_delay_sweep(' || call || ')';
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- Arrays of nonsense
SELECT call, sweep_error(call)
FROM (VALUES ($$NULL$$), ($$'{}'$$), ($$'{0,NULL}'$$), ($$'{{0,1},{2,3}}'$$),
             ($$'{0,-1}'$$), ($$'{0,100001}'$$), ($$'{100,0,100}'$$),
             ($$'{0,1000}', '{}'$$), ($$'{0,1000}', '{NULL}'$$),
             ($$'{0,1000}', '{1001}'$$), ($$'{0,1000}', '{-1}'$$),
             ($$'{0,1000}', '{5,5}'$$), ($$ARRAY(SELECT generate_series(0, 1000))$$),
             ($$ARRAY(SELECT generate_series(0, 99)), ARRAY(SELECT generate_series(0, 99))$$))
     AS c (call);

-- What cannot be an array of integers at all
SELECT * FROM commit_delay_sweep('{much,little}');
SELECT * FROM commit_delay_sweep(100);
SELECT * FROM commit_delay_sweep();

-- Times of nonsense
SELECT call, sweep_error(call)
FROM (VALUES ($$'{0}', duration => NULL$$), ($$'{0}', slot => NULL$$),
             ($$'{0}', duration => '-1 s'$$), ($$'{0}', duration => '2 days'$$),
             ($$'{0}', duration => '1 month'$$), ($$'{0}', slot => '0'$$),
             ($$'{0}', slot => '99 ms'$$), ($$'{0}', slot => '11 s'$$),
             ($$'{0}', slot => '-1 day'$$), ($$'{0}', max_p99 => '0'$$),
             ($$'{0}', max_p99 => '1 year'$$),
             ($$'{0}', duration => '500 ms'$$),
             ($$'{0,10,100,1000}', '{1,5}', '5 s'$$)) AS c (call);

-- How long it would have to be
\set VERBOSITY default
SELECT * FROM commit_delay_sweep('{0,10,100,1000}', '{1,5}', '5 s');
\set VERBOSITY terse

-- The largest values that there are; nobody commits meanwhile
SELECT sweep_error($$'{0,100000}', '{0,1000}', '1200 ms', '100 ms'$$);

-- Not while nothing is counted, nor where a delay does nothing, is in t/
SHOW commit_delay;
SELECT sweep_pid FROM commit_stats_info;

-- Whoever may not write may still try delays: nothing is written
BEGIN READ ONLY;
SELECT sweep_error($$'{0}', NULL, '300 ms', '100 ms'$$);
COMMIT;

DROP FUNCTION sweep_error(text);
\set VERBOSITY default
