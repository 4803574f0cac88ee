--
-- commit_delay_whatif: what it refuses.  What it predicts is in t/.
--
\set VERBOSITY terse
CREATE FUNCTION whatif_error(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'SELECT * FROM commit_delay_whatif(' || call || ')';
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- Arrays of nonsense
SELECT call, whatif_error(call)
FROM (VALUES ($$NULL$$), ($$'{}'$$), ($$'{0,NULL}'$$), ($$'{{0,1},{2,3}}'$$),
             ($$'{0,-1}'$$), ($$'{0,100001}'$$), ($$'{100,0,100}'$$),
             ($$'{0,1000}', '{}'$$), ($$'{0,1000}', '{NULL}'$$),
             ($$'{0,1000}', '{1001}'$$), ($$'{0,1000}', '{-1}'$$),
             ($$'{0,1000}', '{5,5}'$$), ($$ARRAY(SELECT generate_series(0, 1000))$$))
     AS c (call);

-- What cannot be an array of integers at all
SELECT * FROM commit_delay_whatif('{much,little}');
SELECT * FROM commit_delay_whatif();

-- Times of nonsense
SELECT call, whatif_error(call)
FROM (VALUES ($$'{0}', sample => NULL$$), ($$'{0}', sample => '-1 s'$$),
             ($$'{0}', sample => '99 ms'$$), ($$'{0}', sample => '301 s'$$),
             ($$'{0}', sample => '1 month'$$)) AS c (call);

-- Nobody commits meanwhile
SELECT whatif_error($$'{0,100000}', '{0,1000}', '200 ms'$$);
SELECT capturing FROM commit_stats_info;

-- Nothing is written
BEGIN READ ONLY;
SELECT whatif_error($$'{0}', NULL, '100 ms'$$);
COMMIT;

DROP FUNCTION whatif_error(text);
\set VERBOSITY default
