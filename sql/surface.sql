--
-- The objects of the extension.  A new or missing column, function or setting shows
-- here, and so does one without a COMMENT.
--

-- Views and their columns
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS type,
       col_description(c.oid, a.attnum) IS NOT NULL AS commented
FROM pg_extension e
JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND
                    d.refobjid = e.oid AND d.deptype = 'e'
JOIN pg_class c ON d.classid = 'pg_class'::regclass AND d.objid = c.oid
JOIN pg_attribute a ON a.attrelid = c.oid
WHERE e.extname = 'commit_stats' AND a.attnum > 0
ORDER BY c.relname COLLATE "C", a.attnum;

-- Functions: they read shared memory that changes all the time, so they are volatile.
-- Most need nothing of their process, so they are parallel safe
SELECT p.oid::regprocedure AS function, pg_get_function_result(p.oid) ~ '^TABLE|^SETOF' AS set,
       p.provolatile AS volatile, p.proparallel AS parallel,
       p.proisstrict AS strict, p.prosecdef AS definer
FROM pg_extension e
JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND
                    d.refobjid = e.oid AND d.deptype = 'e'
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
WHERE e.extname = 'commit_stats'
ORDER BY p.oid::regprocedure::text COLLATE "C";

-- A view has the columns of the function of its name, in the same order, and columns
-- computed from them
SELECT c.relname,
       array(SELECT a.attname FROM pg_attribute a
             WHERE a.attrelid = c.oid AND a.attname <> ALL (p.proargnames)
                   AND a.attnum > 0
             ORDER BY a.attnum) AS computed,
       array(SELECT name FROM unnest(p.proargnames) WITH ORDINALITY AS o (name, n)
             WHERE name NOT IN (SELECT attname FROM pg_attribute a
                                WHERE a.attrelid = c.oid)
             ORDER BY n) AS hidden,
       array(SELECT a.attname FROM pg_attribute a
             WHERE a.attrelid = c.oid AND a.attname = ANY (p.proargnames)
             ORDER BY a.attnum) =
       array(SELECT name::name FROM unnest(p.proargnames) WITH ORDINALITY AS o (name, n)
             WHERE name IN (SELECT attname FROM pg_attribute a
                            WHERE a.attrelid = c.oid)
             ORDER BY n) AS same_order
FROM pg_class c
JOIN pg_proc p ON p.proname = c.relname AND p.pronamespace = c.relnamespace
WHERE c.relkind = 'v' AND c.relname LIKE 'commit\_%'
ORDER BY c.relname COLLATE "C";

-- Every object of the extension has a comment
SELECT pg_describe_object(d.classid, d.objid, 0) AS object
FROM pg_extension e
JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND
                    d.refobjid = e.oid AND d.deptype = 'e'
WHERE e.extname = 'commit_stats' AND
      d.classid IN ('pg_class'::regclass, 'pg_proc'::regclass) AND
      obj_description(d.objid, d.classid::regclass::name) IS NULL
ORDER BY pg_describe_object(d.classid, d.objid, 0) COLLATE "C";

-- Settings; the values may differ from the defaults on a server in use
SELECT name, vartype, context, boot_val, min_val, max_val, unit,
       short_desc LIKE '%.' AS sentence
FROM pg_settings
WHERE name LIKE 'commit\_stats.%'
ORDER BY name COLLATE "C";

-- The extension can be moved: nothing in it depends on its schema
CREATE SCHEMA regress_elsewhere;
ALTER EXTENSION commit_stats SET SCHEMA regress_elsewhere;
SELECT count(*) FROM regress_elsewhere.commit_flush_stats;
SELECT count(*) FROM regress_elsewhere.commit_stats_info;
ALTER EXTENSION commit_stats SET SCHEMA public;
DROP SCHEMA regress_elsewhere;
