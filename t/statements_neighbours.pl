# Does commit_statement_stats agree with pg_stat_statements?
#
# That library is the witness: a transaction of one statement is a call of it.
# It is loaded before and after commit_stats, with auto_explain between them.
# The load is that of careless users: long texts, settings that change in
# between, and more statements than have rows.

use Databases;

need_library('pg_stat_statements');
my $node = init_node('neighbours');

$node->append_conf(
	'postgresql.conf', q{
pg_stat_statements.max = 20000
auto_explain.log_min_duration = 0
auto_explain.log_nested_statements = on
auto_explain.log_analyze = on
});
$node->start;
$node->sql(
	'CREATE EXTENSION commit_stats; CREATE EXTENSION pg_stat_statements;
CREATE TABLE a (n int);
CREATE TABLE wide (' . join(', ', map { "c$_ int, d$_ int" } 1 .. 75) . ');
CREATE FUNCTION adds() RETURNS int LANGUAGE plpgsql AS
	$$BEGIN INSERT INTO a VALUES (1); INSERT INTO a VALUES (2), (3); RETURN 1; END$$;
CREATE PROCEDURE commits_twice() LANGUAGE plpgsql AS
	$$BEGIN FOR i IN 1..2 LOOP INSERT INTO a VALUES (1); COMMIT; END LOOP; END$$');

my $insert = $node->queryid('INSERT INTO a VALUES (1)');
my $long = 'INSERT INTO a VALUES (' . join(' + ', ('1') x 100) . ') -- ' . 'x' x 60000;
my @load = (
	'SELECT commit_stats_reset(), pg_stat_statements_reset()',
	('INSERT INTO a VALUES (1)') x 3,
	$long,
	'UPDATE a SET n = 2',
	'SELECT adds()',
	'SELECT adds()',
	'PREPARE x AS DELETE FROM a WHERE n = $1',
	'EXECUTE x(1)',
	'SET track_activities = off',
	'INSERT INTO a VALUES (1)',
	'RESET track_activities',
	'SET compute_query_id = off',
	'INSERT INTO a VALUES (1)',
	'RESET compute_query_id',
	'INSERT INTO a VALUES (1)');

# Each top-level statement that wrote, with its commits or calls and its text
my $ours = q{SELECT queryid, commits, left(query, 20) FROM commit_statement_stats
WHERE queryid IS NOT NULL AND commits > 0 AND queryid IN (SELECT queryid FROM pg_stat_statements)};
my $theirs = q{SELECT queryid, calls, left(query, 20) FROM pg_stat_statements
WHERE toplevel AND query ~ '^(INSERT|UPDATE|DELETE|PREPARE x|SELECT adds)'};

for my $libraries (
	'pg_stat_statements, auto_explain, commit_stats',
	'commit_stats, auto_explain, pg_stat_statements')
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$libraries'");
	$node->restart;
	$node->sql("SET client_min_messages = error;\n" . join '', map { "$_\n;\n" } @load);
	is($node->sql("($ours EXCEPT $theirs) UNION ALL ($theirs EXCEPT $ours)"),
		'', "$libraries: the same statements");
	is( $node->sql(q{SELECT count(*), sum(commits) FROM commit_statement_stats
WHERE queryid IS NOT NULL AND commits > 0}),
		'5|10',
		'... as many as there are');
	is( $node->sql(q{SELECT commits FROM commit_statement_stats
WHERE reason = 'compute_query_id_off' AND commits > 0}),
		'1',
		'... and one without an identifier');
	adds_up($libraries, $node);

	# pg_stat_statements takes the identifier of a CALL from its prepared plan.
	$node->sql('SELECT commit_stats_reset()');
	run_pgbench($node, '-c 1 -t 5 -M prepared', call => 'CALL commits_twice();');
	is( $node->sql(
			"SELECT sum(commits), count(*) FILTER (WHERE queryid = $insert)
FROM commit_statement_stats WHERE commits > 0"),
		'10|0',
		"... a prepared CALL: no commit is of a statement that it runs");
}

# A text of one database does not fit the encoding of another
for my $encoding ('UTF8', 'LATIN1')
{
	$node->sql("CREATE DATABASE $encoding TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
	$node->safe_psql(lc $encoding,
		'CREATE EXTENSION commit_stats; CREATE EXTENSION pg_stat_statements');
}
$node->safe_psql('utf8',
	"SET client_encoding = 'UTF8'; CREATE TABLE a AS SELECT 1 AS \"\xe2\x82\xac\"");
isnt($node->psql('latin1', 'SELECT * FROM pg_stat_statements'), 0, 'a text that does not fit');
is( $node->safe_psql(
		'latin1', q{SELECT count(*) > 5, count(query) FROM commit_statement_stats;
SELECT commit_stats_report() ~ 'commit_stats is counting', commit_stats_html() ~ '</html>'}),
	"t|0\nt|t",
	'... leaves all without a text');

my @many = map {
	my $c = $_;
	map { "INSERT INTO wide (c$c, d$_) VALUES (1, 1);\n" } 1 .. 75
} 1 .. 75;

$node->sql(
	join '',
	"SET auto_explain.log_min_duration = -1;\nSET synchronous_commit = off;\n",
	"SELECT commit_stats_reset();\n", @many);
is( $node->sql(q{SELECT count(*) FILTER (WHERE queryid IS NOT NULL) <= 5000, sum(commits_async)
FROM commit_statement_stats}),
	't|5625',
	'5,625 statements');
is( $node->sql(q{SELECT commits_async > 500 FROM commit_statement_stats WHERE reason = 'overflow'
AND commits_async > 0}),
	't',
	'... of which the oldest share a row');
adds_up('5,625 statements', $node);
end_test($node);
