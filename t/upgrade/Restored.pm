# What the tests of dump, restore and pg_upgrade share: a database with the
# extension and objects that users built on it, and the check that all of it
# has arrived somewhere else.

package Restored;

use CommitStats;
use Exporter 'import';

our @EXPORT = qw(fill_database members member_names fresh_members has_arrived
  counts asks_for_the_library);

# A user's view needs more than the right to read the view below it: its
# functions run with the rights of the user who queries it.
sub fill_database ($node, $db)
{
	$node->sql("CREATE DATABASE $db TEMPLATE template0");
	$node->safe_psql(
		$db, q{CREATE ROLE counting_reader;
CREATE ROLE counting_stranger;
CREATE EXTENSION commit_stats;
CREATE TABLE written (n int);
INSERT INTO written VALUES (1), (2);
GRANT SELECT ON commit_flush_stats TO counting_reader;
GRANT EXECUTE ON FUNCTION commit_flush_stats() TO counting_reader;
GRANT EXECUTE ON FUNCTION commit_stats_reset() TO counting_reader;
CREATE VIEW commits_seen AS
	SELECT commits, flushes, commits_per_flush FROM commit_flush_stats;
GRANT SELECT ON commits_seen TO counting_reader;
});
	return;
}

# All objects that belong to the extension, with all that can be said of them;
# without the grants to counting_reader if $packaged.
sub members ($node, $db, $packaged = undef)
{
	my $ours = $packaged ? "a::text !~ '^counting_reader='" : 'true';

	return $node->safe_psql(
		$db, qq{SELECT i.type || ' ' || i.identity,
	   CASE classid WHEN 'pg_proc'::regclass THEN pg_get_functiondef(objid)
		   ELSE pg_get_viewdef(objid) END,
	   (SELECT string_agg(a::text, ' ' ORDER BY a::text)
		FROM unnest(coalesce(p.proacl, c.relacl)) a WHERE $ours) AS acl,
	   (SELECT string_agg(a::text, ' ' ORDER BY a::text)
		FROM pg_init_privs, unnest(initprivs) a
		WHERE classoid = classid AND objoid = objid) AS packaged_acl,
	   obj_description(objid, classid::regclass::name),
	   (SELECT string_agg(col_description(objid, attnum), ' ' ORDER BY attnum)
		FROM pg_attribute WHERE attrelid = c.oid) AS of_columns
FROM pg_depend
	JOIN pg_identify_object(classid, objid, objsubid) i ON true
	LEFT JOIN pg_proc p ON classid = 'pg_proc'::regclass AND p.oid = objid
	LEFT JOIN pg_class c ON classid = 'pg_class'::regclass AND c.oid = objid
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'commit_stats')
ORDER BY 1});
}

# The names of these objects, which are the same in all versions, except that
# from 17 on the row types of views belong to the extension as well.
sub member_names ($node, $db)
{
	return $node->safe_psql(
		$db, q{SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND classid <> 'pg_type'::regclass
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'commit_stats')
ORDER BY 1});
}

# What the installed script makes, in a database of its own.
sub fresh_members ($node)
{
	$node->sql('CREATE DATABASE fresh TEMPLATE template0');
	$node->safe_psql('fresh', 'CREATE EXTENSION commit_stats');
	return members($node, 'fresh');
}

# Everything is there that a catalog can tell of; $original is what members()
# said where it comes from, if that can be compared.
sub has_arrived ($node, $db, $name, $original = undef)
{
	my $fresh = fresh_members($node);

	like($fresh, qr/^view public\.commit_flush_stats\|/m, "$name: a new extension has its objects");
	is( $node->safe_psql(
			$db, q{SELECT extversion = default_version, extnamespace::regnamespace
FROM pg_extension
	JOIN pg_available_extensions ON name = extname
WHERE extname = 'commit_stats'}),
		't|public',
		"$name: the extension is there, in its version");
	is(members($node, $db, 'packaged'), $fresh, "$name: its objects are those of a new one");
	isnt(members($node, $db), $fresh, "$name: its grants are more than those");
	is(members($node, $db), $original, "$name: its grants are the same") if defined $original;
	cmp_ok($node->safe_psql($db, 'SELECT count(*) FROM written'),
		'>=', 2, "$name: the user's rows are there");
	is( $node->safe_psql(
			$db, q{SELECT has_table_privilege('counting_reader', 'commit_flush_stats', 'SELECT'),
	   has_table_privilege('counting_reader', 'commit_flush_histogram', 'SELECT'),
	   has_function_privilege('counting_reader', 'commit_stats_reset()', 'EXECUTE'),
	   has_function_privilege('counting_stranger', 'commit_stats_reset()', 'EXECUTE')}
		),
		't|f|t|f',
		"$name: the reader may what he might, others may not");
	is( $node->safe_psql(
			$db, q{SELECT count(DISTINCT refobjid::regclass), min(refobjid::regclass::text)
FROM pg_depend
	JOIN pg_rewrite r ON classid = 'pg_rewrite'::regclass AND r.oid = objid
WHERE ev_class = 'commits_seen'::regclass AND refclassid = 'pg_class'::regclass
	AND refobjid <> ev_class}),
		'1|commit_flush_stats',
		"$name: the user's view is on top of ours");
}

# The reader resets, others commit, and the reader sees it.
sub counts ($node, $db, $name)
{
	is(error_of($node, 'SET ROLE counting_reader; SELECT commit_stats_reset()', $db),
		'', "$name: the reader can reset");
	$node->safe_psql($db, 'INSERT INTO written VALUES (3)') for 1 .. 3;
	is( $node->safe_psql(
			$db, q{SET ROLE counting_reader;
SELECT commits >= 3 FROM commits_seen}),
		't',
		"$name: the user's view counts commits");
	like(
		error_of($node, 'SET ROLE counting_stranger; SELECT commit_stats_reset()', $db),
		qr/ERROR:  42501:/,
		"$name: a stranger cannot reset");
}

# The objects exist without the library, and raise an error that names it.
sub asks_for_the_library ($node, $db, $name)
{
	my $message = qr/ERROR:  55000: commit_stats must be loaded via "shared_preload_libraries"/;

	for my $view ('commits_seen', views_of_commit_stats())
	{
		like(error_of($node, "SELECT * FROM $view", $db),
			$message, "$name: $view asks for the library");
	}
	like(error_of($node, 'SET ROLE counting_reader; SELECT commit_stats_reset()', $db),
		$message, "$name: commit_stats_reset() asks for the library");
}

1;
