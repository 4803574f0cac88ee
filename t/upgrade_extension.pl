# Does ALTER EXTENSION UPDATE lead to the objects that CREATE EXTENSION makes?
#
# For each installed script commit_stats--A--B.sql the catalogs are compared
# after CREATE EXTENSION VERSION 'B', and after CREATE EXTENSION VERSION 'A'
# and ALTER EXTENSION UPDATE TO 'B': objects, definitions, comments and
# privileges.
#
# The comparison itself is tested with a version "next", which adds a view and
# changes existing objects: its update script is right once, and then lacks one
# statement after the other.

use CommitStats;
use Restored;

my $node = start_node('update');
my $scripts =
  $node->sql(q{SELECT setting || '/extension' FROM pg_config() WHERE name = 'SHAREDIR'});
my $current =
  $node->sql(q{SELECT default_version FROM pg_available_extensions WHERE name = 'commit_stats'});
my @written;

$node->sql('CREATE DATABASE updated TEMPLATE template0');

# What members() leaves out: the extension itself, options, types and
# privileges of columns.
sub details
{
	return $node->safe_psql(
		'updated', q{SELECT extversion, extrelocatable, extconfig IS NULL FROM pg_extension
WHERE extname = 'commit_stats';
SELECT c.relname, c.reloptions, attname, format_type(atttypid, atttypmod), attacl
FROM pg_class c JOIN pg_attribute ON attrelid = c.oid
WHERE c.oid IN (} . members_of_extension('pg_class') . q{)
ORDER BY c.relname, attnum});
}

# Creates the extension in a version, updates it to others, and returns all
# that the catalogs say then.
sub catalog_after ($version, @updates)
{
	$node->safe_psql('updated', "CREATE EXTENSION commit_stats VERSION '$version'");
	$node->safe_psql('updated', "ALTER EXTENSION commit_stats UPDATE TO '$_'") for @updates;

	my $catalog = members($node, 'updated') . "\n" . details();

	$node->safe_psql('updated', 'DROP EXTENSION commit_stats');
	return $catalog;
}

# The lines that only one of two texts has, marked like those of diff.
sub differences ($old, $new)
{
	my %in_old = map { $_ => 1 } split /\n/, $old;
	my %in_new = map { $_ => 1 } split /\n/, $new;

	return join "\n", (map { "-$_" } grep { !$in_new{$_} } sort keys %in_old),
	  (map { "+$_" } grep { !$in_old{$_} } sort keys %in_new);
}

#
# The installed update scripts
#

sub compare_update ($from, $to)
{
	ok(-f "$scripts/commit_stats--$_.sql", "version $_ has a script of its own") for $from, $to;
	is(differences(catalog_after($to), catalog_after($from, $to)),
		'', "an update from $from to $to leads to what a new $to has");
}

my @updates = map { /commit_stats--([^-]+)--([^-]+)\.sql$/ ? [ $1, $2 ] : () }
  sort glob("$scripts/commit_stats--*--*.sql");

compare_update(@$_) for @updates;
note('there is no update script to compare') if !@updates;
ok( (!@updates || grep { $_->[1] eq $current } @updates),
	"an update leads to the current version $current");

#
# The comparison
#

# Each statement of the update script, by what it is for.
my @statements = (
	[
		'a view' => 'CREATE VIEW commit_next AS SELECT commits FROM commit_flush_stats'
	],
	[ 'a comment' => q{COMMENT ON VIEW commit_next IS 'what is next'} ],
	[
		'a comment on a column' =>
		  q{COMMENT ON COLUMN commit_next.commits IS 'commits that are next'}
	],
	[ 'a privilege' => 'GRANT SELECT ON commit_next TO pg_monitor' ],
	[
		'a privilege of a column' => 'GRANT SELECT (commits) ON commit_next TO public'
	],
	[ 'an option' => 'ALTER VIEW commit_next SET (security_barrier)' ],
	[
		'a property of a function' => 'ALTER FUNCTION commit_stats_reset() COST 1000'
	],
	[
		'a privilege that is taken back' =>
		  'REVOKE SELECT ON commit_wal_stats FROM pg_read_all_stats'
	],
	[
		'a default' =>
		  q{CREATE FUNCTION commit_next(n int DEFAULT 2) RETURNS int LANGUAGE sql AS 'SELECT n'}
	],
	[ 'an object that goes' => 'DROP VIEW commit_latency_buckets' ]);

sub script_of
{
	return join '', map { "$_->[1];\n" } @_;
}

sub write_script ($name, $text)
{
	my $path = "$scripts/commit_stats--$name.sql";

	unlink $path;
	append_to_file($path, $text);
	push @written, $path;
}

END
{
	unlink @written;
}

sub test_comparison
{
	my $created;

	write_script('next',
		slurp_file("$scripts/commit_stats--$current.sql") . script_of(@statements));
	$created = catalog_after('next');

	write_script("$current--next", script_of(@statements));
	is(differences($created, catalog_after($current, 'next')), '', 'a complete update is complete');

	for my $left_out (@statements)
	{
		my ($what, $statement) = @$left_out;
		# nothing can be said of a view that is not there
		my @others =
		  grep { $_ != $left_out && ($what ne 'a view' || $_->[1] !~ /commit_next\b(?!\()/) }
		  @statements;

		write_script("$current--next", script_of(@others));
		isnt(differences($created, catalog_after($current, 'next')), '', "an update lacks $what");
	}
	write_script("$current--next",
		script_of(@statements, [ '' => 'CREATE VIEW commit_more AS SELECT 1' ]));
	isnt(differences($created, catalog_after($current, 'next')),
		'', 'an update has an object too many');
}

SKIP:
{
	skip "scripts cannot be written to $scripts", 1 if !-w $scripts;
	test_comparison();
}

end_test($node);
