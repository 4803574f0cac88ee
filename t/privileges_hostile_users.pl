# What can a user without privileges do to others with the extension?
#
# The user may own the schema in which a superuser creates it, and put
# operators and functions there that match better than those of pg_catalog, and
# name objects in a search_path.

use CommitStats;

# With this library, functions also look for its schema.
my @with = has_library('pg_stat_statements') ? ('pg_stat_statements') : ();
my $node = start_node('hostile',
	conf => "shared_preload_libraries = '" . join(', ', 'commit_stats', @with) . "'\n");

# Traps in a schema
$node->sql(q{CREATE ROLE mallory LOGIN;
CREATE DATABASE own OWNER mallory});
$node->safe_psql(
	'own', q{CREATE SCHEMA hostile AUTHORIZATION mallory;
SET ROLE mallory;
DO $$
DECLARE
	types text[] := '{int4,int8,numeric,float8,text,oid,name,pg_lsn,text[],bool}';
	l text;
	r text;
	o text;
	f text;
BEGIN
	FOREACH l IN ARRAY types LOOP
		FOREACH f IN ARRAY '{round,repeat,ceil,current_setting,array_position,quote_ident}'::text[] LOOP
			EXECUTE format('CREATE FUNCTION hostile.%I(%s) RETURNS numeric LANGUAGE plpgsql AS
				''BEGIN RAISE ''''captured''''; END''', f, l);
		END LOOP;
		FOREACH r IN ARRAY types LOOP
			FOREACH f IN ARRAY '{round,repeat,array_position,trap}'::text[] LOOP
				EXECUTE format('CREATE FUNCTION hostile.%I(%s, %s) RETURNS %s LANGUAGE plpgsql AS
					''BEGIN RAISE ''''captured''''; END''', f, l, r,
					CASE f WHEN 'repeat' THEN 'text' WHEN 'array_position' THEN 'int4' ELSE 'numeric' END);
			END LOOP;
			EXECUTE format('CREATE FUNCTION hostile.same(%s, %s) RETURNS bool LANGUAGE plpgsql AS
				''BEGIN RAISE ''''captured''''; END''', l, r);
			FOREACH o IN ARRAY '{+,-,*,/,%,||}'::text[] LOOP
				EXECUTE format('CREATE OPERATOR hostile.%s (FUNCTION = hostile.trap, LEFTARG = %s, RIGHTARG = %s)', o, l, r);
			END LOOP;
			FOREACH o IN ARRAY '{=,<>,<,>,<=,>=}'::text[] LOOP
				EXECUTE format('CREATE OPERATOR hostile.%s (FUNCTION = hostile.same, LEFTARG = %s, RIGHTARG = %s)', o, l, r);
			END LOOP;
		END LOOP;
	END LOOP;
	-- what takes any type in pg_catalog, and the type of a constant
	FOREACH l IN ARRAY '{int4,int8,float8,text,bool}'::text[] LOOP
		EXECUTE format('CREATE FUNCTION hostile.unnest(%1$s[]) RETURNS SETOF %1$s LANGUAGE sql AS ''SELECT $1[1]''', l);
		EXECUTE format('CREATE FUNCTION hostile.cardinality(%s[]) RETURNS int4 LANGUAGE sql AS ''SELECT 5''', l);
		EXECUTE format('CREATE FUNCTION hostile.step(%1$s, %1$s) RETURNS %1$s LANGUAGE sql AS ''SELECT $1''', l);
		EXECUTE format('CREATE AGGREGATE hostile.lag(%1$s) (SFUNC = hostile.step, STYPE = %1$s)', l);
		EXECUTE format('CREATE AGGREGATE hostile.lead(%1$s) (SFUNC = hostile.step, STYPE = %1$s)', l);
		EXECUTE format('CREATE AGGREGATE hostile.array_agg(%1$s) (SFUNC = pg_catalog.array_append, STYPE = %1$s[])', l);
	END LOOP;
	CREATE AGGREGATE hostile.percentile_cont(numeric ORDER BY float8) (SFUNC = hostile.step, STYPE = float8);
END $$;
RESET ROLE;
CREATE EXTENSION commit_stats SCHEMA hostile;
} . join('', map { "CREATE EXTENSION $_ SCHEMA public;\n" } @with) . q{
GRANT USAGE ON SCHEMA hostile TO PUBLIC});

is( $node->safe_psql(
		'own', q{SELECT string_agg(DISTINCT pg_describe_object(d.classid, d.objid, 0) || ' uses ' ||
				  pg_describe_object(d.refclassid, d.refobjid, 0), E'\n')
FROM pg_depend d
WHERE d.classid IN ('pg_rewrite'::regclass, 'pg_attrdef'::regclass, 'pg_proc'::regclass) AND
	  d.objid NOT IN (SELECT oid FROM pg_proc WHERE proowner = 'mallory'::regrole) AND
	  ((d.refclassid = 'pg_proc'::regclass AND
		d.refobjid IN (SELECT oid FROM pg_proc WHERE proowner = 'mallory'::regrole)) OR
	   (d.refclassid = 'pg_operator'::regclass AND
		d.refobjid IN (SELECT oid FROM pg_operator WHERE oprowner = 'mallory'::regrole)))}
	),
	'',
	'no view uses what the owner of the schema has put there');

# All views, with traps before everything else, and one in pg_temp
for my $view (views_of_commit_stats())
{
	is( $node->safe_psql(
			'own', qq{CREATE TEMP VIEW $view AS SELECT 'captured';
SET search_path = pg_temp, hostile, pg_catalog;
SELECT count(*) IS NOT NULL FROM hostile.$view}),
		't',
		"$view cannot be captured by a search_path");
}
is( $node->safe_psql(
		'own', q{SET search_path = pg_temp, hostile, pg_catalog;
SELECT hostile.commit_stats_report() !~ 'captured', hostile.commit_stats_reset() IS NOT NULL}
	),
	't|t',
	'nor can functions');

end_test($node);
