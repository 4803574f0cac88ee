--
-- The objects of the extension.  A new or missing function or setting shows here, and
-- so does what has no COMMENT.  The columns: t/reference_matches_catalog.pl
--
\pset format unaligned

CREATE TEMP VIEW members AS
SELECT d.classid, d.objid FROM pg_extension e
JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND
                    d.refobjid = e.oid AND d.deptype = 'e'
WHERE e.extname = 'commit_stats';

-- Every column of a view has a comment
SELECT objid::regclass AS relname, attname
FROM members JOIN pg_attribute ON attrelid = objid
WHERE classid = 'pg_class'::regclass AND attnum > 0 AND col_description(objid, attnum) IS NULL
ORDER BY objid::regclass::text COLLATE "C", attnum;

-- Functions: they read shared memory that changes all the time, so they are volatile.
-- Most need nothing of their process, so they are parallel safe
SELECT p.oid::regprocedure AS function, pg_get_function_result(p.oid) ~ '^TABLE|^SETOF' AS set,
       p.provolatile AS volatile, p.proparallel AS parallel,
       p.proisstrict AS strict, p.prosecdef AS definer
FROM members JOIN pg_proc p ON p.oid = objid
WHERE classid = 'pg_proc'::regclass
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
SELECT pg_describe_object(classid, objid, 0) AS object FROM members
WHERE classid IN ('pg_class'::regclass, 'pg_proc'::regclass) AND
      obj_description(objid, classid::regclass::name) IS NULL
ORDER BY 1;

-- The rules of names and types at the top of doc/reference.md.  The columns of views
-- and of functions, with the comments of both
CREATE TEMP TABLE columns AS
SELECT objid::regclass::text AS object, true AS of_view, attname::text AS name,
       format_type(atttypid, NULL) AS type, col_description(objid, attnum) AS comment
FROM members JOIN pg_attribute ON attrelid = objid
WHERE classid = 'pg_class'::regclass AND attnum > 0
UNION ALL
SELECT objid::regprocedure::text, false, a.name, format_type(a.type, NULL),
       obj_description(objid, 'pg_proc')
FROM members JOIN pg_proc p ON p.oid = objid,
     unnest(proargnames, proargmodes, proallargtypes) AS a (name, mode, type)
WHERE classid = 'pg_proc'::regclass AND a.mode = 'o';

-- WAL in bytes is numeric
SELECT object, name, type FROM columns
WHERE (name LIKE '%wal\_bytes%' OR name LIKE '%wal\_%bytes' OR name LIKE 'wal\_distance') AND
      type <> CASE WHEN name LIKE '%\_per\_second' THEN 'double precision' ELSE 'numeric' END;

-- Shares are percentages, and called so
SELECT object, name FROM columns WHERE name ~ '(^|_)(fraction|percent|pct|ratio)(_|$)';
SELECT object, name, type FROM columns
WHERE name ~ '(^|_)share(_low|_high|_max|_at_least)?$' AND
      (type NOT IN ('numeric', 'double precision') OR
       (of_view OR object !~ '^commit_(stall_log|stats_info|history)\(') AND comment !~ 'percentage');

-- Rates, times, points in time, names
SELECT object, name, type FROM columns
WHERE type <> CASE WHEN name LIKE '%\_per\_second%' OR name ~ '_time(_min|_max)?$' OR
                        name ~ '^(mean|p\d+|max|elapsed|duration)$' OR name LIKE 'delay_probability'
                   THEN 'double precision'
                   WHEN name ~ '(_at|_since|^stats_reset)$' THEN 'timestamp with time zone'
                   WHEN name ~ '(^|_)(datid|roleid)$' THEN 'oid'
                   WHEN name ~ '(^|_)(datname|rolname)$' THEN 'name'
                   WHEN name ~ '(^|_)pid$' THEN 'integer'
                   WHEN name ~ '(^|_)(application_name|role)$' THEN 'text'
                   ELSE type END;
SELECT object, name FROM columns
WHERE name ~ '_(ms|us|s|mb|kb|pct|avg_time)$' OR name ~ '^(async|per_flush)';
SELECT object, name, comment FROM columns
WHERE of_view AND name ~ '_time(_min|_max)?$' AND comment !~ 'in milliseconds';

-- role is a part in a flush; a database role is called a database role
SELECT object, name, comment FROM columns
WHERE of_view AND name ~ '(^|_)(roleid|rolname)$' AND comment !~ 'database role';

-- A process, a database and a database role have names beside them, but for a walsender
SELECT v.object, v.name, needs.name AS lacks
FROM (SELECT *, substring(name FROM '^(.*?)(pid|datid|roleid)$') AS prefix,
             substring(name FROM '(pid|datid|roleid)$') AS kind
      FROM columns WHERE of_view AND object <> 'commit_standby_stats') v,
     LATERAL unnest(CASE kind WHEN 'pid' THEN '{datname,rolname,application_name}'::text[]
                              WHEN 'datid' THEN '{datname}' WHEN 'roleid' THEN '{rolname}' END) AS needs (name)
WHERE NOT EXISTS (SELECT FROM columns b
                  WHERE b.of_view AND b.object = v.object AND
                        b.name IN (prefix || needs.name,
                                   -- the row of commit_stall_log is about the leader
                                   CASE WHEN v.object = 'commit_stall_log' AND prefix = 'leader_'
                                        THEN needs.name END));

-- One name has one type in all views, and in all functions
SELECT name, array_agg(DISTINCT type ORDER BY type) AS types FROM columns
GROUP BY name, of_view HAVING count(DISTINCT type) > 1;

-- Every function that returns rows says about how many
SELECT objid::regprocedure AS function, prorows FROM members JOIN pg_proc p ON p.oid = objid
WHERE classid = 'pg_proc'::regclass AND (NOT proretset OR prorows = 1000) AND
      prorettype = 'record'::regtype;
SELECT objid::regprocedure AS function FROM members JOIN pg_proc p ON p.oid = objid
WHERE classid = 'pg_proc'::regclass AND proretset AND prorows = 1
ORDER BY objid::regprocedure::text COLLATE "C";

-- The comment of a function with arguments explains each of them
SELECT objid::regprocedure AS function, a.name
FROM members JOIN pg_proc p ON p.oid = objid, unnest(proargnames, proargmodes) AS a (name, mode)
WHERE classid = 'pg_proc'::regclass AND a.mode = 'i' AND
      obj_description(objid, 'pg_proc') NOT LIKE '%"' || a.name || '"%';

-- Settings; the values may differ from the defaults on a server in use
SELECT name, vartype, context, boot_val, min_val, max_val, unit,
       short_desc LIKE '%.' AS sentence
FROM pg_settings
WHERE name LIKE 'commit\_stats.%'
ORDER BY name COLLATE "C";

-- Rows are filled by the names of columns: in any order, and in the type of the column.  A
-- column that the library does not know is null
CREATE FUNCTION pg_temp.other_order(OUT later text, OUT stats_reset timestamptz, OUT commits numeric)
RETURNS SETOF record AS '$libdir/commit_stats', 'commit_flush_stats_1_0' LANGUAGE C;
SELECT later IS NULL AS no_later, commits >= 0 AS commits,
       stats_reset = (SELECT stats_reset FROM commit_stats_info) AS same_reset
FROM pg_temp.other_order();
CREATE FUNCTION pg_temp.other_type(OUT stats_reset bigint, OUT commits bigint)
RETURNS SETOF record AS '$libdir/commit_stats', 'commit_flush_stats_1_0' LANGUAGE C;
SELECT * FROM pg_temp.other_type(); -- fails

-- The extension can be moved: nothing in it depends on its schema
CREATE SCHEMA regress_elsewhere;
ALTER EXTENSION commit_stats SET SCHEMA regress_elsewhere;
SELECT count(*) FROM regress_elsewhere.commit_flush_stats;
SELECT count(*) FROM regress_elsewhere.commit_stats_info;
ALTER EXTENSION commit_stats SET SCHEMA public;
DROP SCHEMA regress_elsewhere;

DROP TABLE columns;
DROP VIEW members;
