# What do users see without commit_stats in shared_preload_libraries, or after
# its removal from there?
#
# CREATE EXTENSION works, and each object raises the same clear error.  The
# server works as usual.

use CommitStats;

my $node = init_node('forgotten');

$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->start;
my ($status, $out, $err) = $node->psql('postgres', 'CREATE EXTENSION commit_stats');
is($status, 0, 'the extension can be created without the library');
like(
	$err,
	qr/WARNING:  commit_stats must be loaded via .*HINT:  .*restart the server/s,
	'... which says what is missing');

# All its views and functions
my @views = views_of_commit_stats();
my @functions = split /\n/, $node->sql(
	q{SELECT oid::regproc FROM pg_proc
WHERE pronargs = pronargdefaults AND prokind = 'f'
  AND prolang <> (SELECT oid FROM pg_language WHERE lanname = 'plpgsql') AND oid IN (}
	  . members_of_extension('pg_proc') . ') ORDER BY 1');

$node->sql(q{CREATE FUNCTION raised_by(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN format('%s: %s HINT: %s', SQLSTATE, SQLERRM, hint);
END $$});

sub says_so ($name, @statements)
{
	my $list = join ', ', map { "(\$q\$$_\$q\$)" } @statements;

	is( $node->sql(
			qq{SELECT statement, raised_by(statement) FROM (VALUES $list) AS s (statement)
WHERE raised_by(statement) !~ '^55000: commit_stats must be loaded via "shared_preload_libraries" HINT: Add commit_stats to shared_preload_libraries .* restart the server'}
		),
		'',
		"$name: SQLSTATE, message and hint");
}

ok( (grep { $_ eq 'commit_stats_reset' } @functions),
	'the catalogs know function commit_stats_reset');
says_so('its views', map { "SELECT * FROM $_" } @views);
says_so('its functions', map { "SELECT $_()" } @functions);

# A session that loads the library itself gets the same error.
says_so('library loaded into a session', "LOAD 'commit_stats'; SELECT * FROM commit_flush_stats");
is( $node->sql(q{
LOAD 'commit_stats';
CREATE TABLE loaded (n int);
INSERT INTO loaded VALUES (1);
BEGIN;
INSERT INTO loaded VALUES (2);
ROLLBACK;
SET commit_stats.enabled = off;
SELECT count(*), current_setting('commit_stats.enabled'),
	   current_setting('commit_stats.flush_log_size', true) IS NULL
FROM loaded}),
	'1|off|t',
	'a session with the library works, and has no settings of it');
{
	local $ENV{PGOPTIONS} = '-c session_preload_libraries=commit_stats';
	says_so('library preloaded into a session', 'SELECT * FROM commit_stats_info');
}
is($node->sql(q{SELECT count(*) FROM pg_shmem_allocations WHERE name = 'commit_stats'}),
	'0', 'there is no shared memory for it');

# With the library everything works.
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "'commit_stats'");
$node->append_conf(
	'postgresql.conf', q{
commit_stats.enabled = on
commit_stats.log_flushes = on
commit_stats.flush_log_size = 256
max_prepared_transactions = 2
});
$node->restart;
is(error_of($node, join ';', map { "SELECT * FROM $_" } @views),
	'', 'with the library all views work');
$node->sql(q{CREATE TABLE kept (n int);
BEGIN;
INSERT INTO kept VALUES (1);
PREPARE TRANSACTION 'before'});
is($node->sql('SELECT prepares FROM commit_flush_stats'), '1', 'with the library it counts');

# Without the library again, the server has all commits, and accepts the
# settings.
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->restart;
$node->sql(q{
COMMIT PREPARED 'before';
INSERT INTO kept VALUES (2)});
is($node->sql('SELECT count(*) FROM kept'), '2', 'without the library again the server commits');
says_so('without the library again', 'SELECT * FROM commit_flush_stats');
is(error_of($node, 'DROP EXTENSION commit_stats'),
	'', 'the extension can be dropped without the library');

end_test($node);
