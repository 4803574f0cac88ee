# Does the name of a client survive drivers and poolers?
#
# Sessions set commit_stats.client_tag and send what drivers and poolers send
# between two transactions.  With commit_stats.client_name_pattern names lose
# what varies.  The witness is the number of transactions that each name's
# sessions have run, directly and through PgBouncer in transaction mode.

use Databases;
use Pooler;

my $node = start_node('tags');
my $insert = 'INSERT INTO logged VALUES (1)';

# What asyncpg sends, as one message, when a connection goes back into its pool
my $asyncpg = 'SELECT pg_advisory_unlock_all()\; CLOSE ALL\; UNLISTEN *\; RESET ALL';

$node->sql('CREATE ROLE tagged LOGIN; GRANT ALL ON logged TO tagged');

# The clients of one or more names, as "name commits"
sub clients ($like)
{
	return join ', ', split /\n/,
	  $node->sql(qq{SELECT application_name || ' ' || sum(commits) FROM commit_client_stats
WHERE application_name ~ '$like' GROUP BY application_name
HAVING sum(commits) > 0 ORDER BY 1});
}

# Run statements in one session, each in a transaction of its own
sub run_session ($name, @statements)
{
	local $ENV{PGAPPNAME} = $name;
	return $node->sql(join ";\n", @statements);
}

# A session that sets its tag
run_session('one', "SET commit_stats.client_tag = 'tag one'",
	$insert, $asyncpg, $insert, 'DISCARD ALL', $insert, 'RESET commit_stats.client_tag', $insert);
is(clients('^(tag )?one'), 'one 1, tag one 3', 'the tag stays until it is reset itself');
run_session(
	'two',
	"BEGIN; SET LOCAL commit_stats.client_tag = 'tag two'; $insert; COMMIT",
	$insert,
	"BEGIN; SET LOCAL commit_stats.client_tag = 'tag two'; $insert; COMMIT",
	"BEGIN; SET commit_stats.client_tag = 'tag three'; ROLLBACK",
	$insert);
is(clients('^(tag )?(two|three)'), 'tag two 2, two 2', 'SET LOCAL, and a tag that is rolled back');
run_session('three', "SET ROLE tagged; SET commit_stats.client_tag = 'tag four'", $insert);
is($node->sql(q{SELECT rolname FROM commit_client_stats WHERE application_name = 'tag four'}),
	'tagged', 'any role may set it');
run_session('four', 'SET commit_stats.client_tag = ' . "'five " . 'x' x 70 . "'", $insert);
is(clients('^five'), 'five ' . 'x' x 58 . ' 1', 'a long tag is cut as application_name is');
run_session('five', q{SET commit_stats.client_tag = E'six\t\xc3\xa9'}, $insert);
is(clients('^six'), 'six??? 1', '... and consists of ASCII characters');
$node->sql("CREATE DATABASE utf8 ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0");
is( $node->psql(
		'utf8', q{SELECT set_config('commit_stats.client_tag', 'euro ' || chr(8364), false);
SET client_encoding = LATIN1;
CREATE TABLE euro ()}),
	0,
	'... which a client of any encoding gets');
is(clients('^euro'), 'euro ??? 1', '... and that has the commits');
$node->sql("ALTER ROLE tagged SET commit_stats.client_tag = 'of the role'");
is( $node->psql(
		'postgres', $insert,
		connstr => $node->connstr('postgres') . ' user=tagged application_name=seven'),
	0,
	'a role with a tag');
is(clients('^(seven|of the)'), 'of the role 1', '... has it from the first commit on');

# Names in common
sub named ($pattern, @names)
{
	$node->alter_system('commit_stats.client_name_pattern' => $pattern);
	$node->sql('SELECT commit_stats_reset()');
	run_session($_, $insert) for @names;
	return clients('[^ ]');
}

is( named('s/ - [0-9.:]+$//', 'app - 10.0.0.7:41234', 'app - 10.0.0.8:5', 'app', 'other - 7x'),
	'app 3, other - 7x 1',
	'what varies is stripped');
is(named('s,^([a-z]+)/([a-z]+).*,\2: \1 \& \\\\,', 'web/job/17', 'web/job/4', 'web'),
	'job: web web/job/17 \ 1, job: web web/job/4 \ 1, web 1', 'groups');
is(named('s/[0-9]+/N/g', 'worker 7 of 12', 'worker 11 of 12'), 'worker N of N 2', 'all matches');
is(named('s/^psql.*/people/i', 'PSQL 15', 'psql'), 'people 2', 'case');
is( named('s/x*/-/g', 'abxc'),
	$node->sql(q{SELECT regexp_replace('abxc', 'x*', '-', 'g') || ' 1'}),
	'empty matches');
is(named('s/a/' . 'b' x 60 . '/g', 'aaa'), 'b' x 63 . ' 1', 'a long name is cut');
is(named('s/.*//', 'all', 'of them'), '', 'no name is left');
is( run_session(
		'eight 8', $insert,
		"SET commit_stats.client_name_pattern = 's/ \\d//'", $insert,
		"SET commit_stats.client_name_pattern = ''", $insert)
	  . clients('^eight'),
	'eight 1, eight 8 1',
	'a session changes the pattern');
run_session(
	'eight',
	"SET commit_stats.client_name_pattern = 's/[0-9]+/N/'",
	"SET commit_stats.client_tag = 'job 17'", $insert);
is(clients('^job'), 'job N 1', '... which applies to a tag, too');

for my $wrong ('x', 's/a', 's/a/b', 's/a/b/x', 's', 'sss', 's/a/b/c/')
{
	like(
		error_of($node, "SET commit_stats.client_name_pattern = '$wrong'"),
		qr{22023: invalid value.*DETAIL:.*REPLACEMENT.*HINT:.*slash}s,
		"no pattern: $wrong");
}
like(
	error_of($node, "SET commit_stats.client_name_pattern = 's/(/b/'"),
	qr{2201B: invalid value.*DETAIL:  Invalid regular expression: parentheses \(\) not balanced}s,
	'no regular expression');
like(
	error_of($node, q{SET commit_stats.client_name_pattern = E's/\xc3\xa9/e/'}),
	qr{22023: .*ASCII}s,
	'a pattern has ASCII characters');
like(
	error_of($node, "SET commit_stats.client_name_pattern = 's/" . 'a' x 255 . "//'"),
	qr{22023: .*at most 255}s,
	'... and not many');
like(
	error_of($node, "SET ROLE tagged; SET commit_stats.client_name_pattern = ''"),
	qr{42501: permission denied},
	'... and is for superusers');
adds_up('directly', $node);

# A name that changes with each commit of a procedure leaves no memory behind.
$node->sql(q{CREATE PROCEDURE change_tags(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		PERFORM set_config('commit_stats.client_tag', format('job %s, %s', i, n), true);
		INSERT INTO logged VALUES (i);
		COMMIT;
	END LOOP;
	INSERT INTO used SELECT n, sum(used_bytes) FROM pg_backend_memory_contexts;
END $$});
$node->sql('CREATE TABLE used (n int, bytes bigint)');
run_session(
	'procedure',
	"SET commit_stats.client_name_pattern = 's/[0-9]+/N/'",
	"CALL change_tags($_)") for 10, 2010;
cmp_ok($node->sql('SELECT max(bytes) - min(bytes) FROM used'),
	'<', 500 * 1024, 'the names of 2000 commits of a procedure leave no memory');

# A pooler: two applications with a tag from their line in the configuration,
# one that sets it in each transaction, and one that has only a name.
SKIP:
{
	skip 'there is no PgBouncer', 5 if !defined find_pgbouncer();

	my $tag = "connect_query='SET commit_stats.client_tag = ''%s''' dbname=postgres pool_size=3";
	$node->alter_system('commit_stats.client_name_pattern' => 's/ - unix\(\d+@.*\):\d+$//');
	my $pooler = start_pgbouncer(
		$node,
		{
			web => sprintf($tag, 'the web'),
			jobs => sprintf($tag, 'the jobs'),
			postgres => 'pool_size=3'
		},
		application_name_add_host => 1,
		server_reset_query => 'DISCARD ALL',
		server_reset_query_always => 1);
	my %script = (
		web => "$insert;\n",
		jobs => "BEGIN;\n$insert;\nCOMMIT;\nRESET ALL;\n",
		local =>
		  "BEGIN;\nSET LOCAL commit_stats.client_tag = 'of transactions';\n$insert;\nCOMMIT;\n",
		plain => "$insert;\n");
	my %database = (web => 'web', jobs => 'jobs', local => 'postgres', plain => 'postgres');

	$node->sql('SELECT commit_stats_reset()');
	my @loads = map {
		local @ENV{qw(PGDATABASE PGAPPNAME)} = ($database{$_}, $_);
		start_pgbench($node, "-h $pooler->{host} -p $pooler->{port} -c 5 -t 20", $_ => $script{$_})
	} sort keys %script;
	ok(end_background($_), 'pgbench ends') || diag $_->{err} for @loads;
	is( clients('[^ ]'),
		'of transactions 100, plain 100, the jobs 100, the web 100',
		'PgBouncer, DISCARD ALL after each transaction');
	ok(stop_pgbouncer($pooler), 'PgBouncer ends');
	adds_up('with a pooler', $node);
}

end_test($node);
