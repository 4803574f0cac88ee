--
-- commit_delay_whatif: what it refuses.  t/whatif_live.pl and t/unit/whatif_model.pl
-- test what it predicts.
--
\set VERBOSITY terse
CREATE FUNCTION whatif_error(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'SELECT * FROM commit_delay_whatif(' || call || ')';
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- Invalid arrays, which sweep.sql has more of
SELECT call, whatif_error(call)
FROM (VALUES ($$'{0,NULL}'$$), ($$'{0,1000}', '{1001}'$$)) AS c (call);

-- Values that are no array of integers
SELECT * FROM commit_delay_whatif('{much,little}');
SELECT * FROM commit_delay_whatif();

-- Invalid times
SELECT call, whatif_error(call)
FROM (VALUES ($$'{0}', sample => NULL$$), ($$'{0}', sample => '-1 s'$$),
             ($$'{0}', sample => '99 ms'$$), ($$'{0}', sample => '301 s'$$),
             ($$'{0}', sample => '1 month'$$)) AS c (call);

-- There is no load
SELECT whatif_error($$'{0,100000}', '{0,1000}', '200 ms'$$);
SELECT capturing FROM commit_stats_info;

-- It writes nothing
BEGIN READ ONLY;
SELECT whatif_error($$'{0}', NULL, '100 ms'$$);
COMMIT;

-- It would measure a transaction of its own that has an xid
BEGIN;
SELECT whatif_error($$'{0}', sample => '20 s'$$) WHERE pg_current_xact_id() IS NOT NULL;
ROLLBACK;

-- It does not begin if a timeout would end it
SET statement_timeout = '10 s';
SELECT whatif_error($$'{0}', sample => '20 s'$$);
SELECT whatif_error($$'{0}', NULL, '100 ms'$$);
RESET statement_timeout;

DROP FUNCTION whatif_error(text);
\set VERBOSITY default
