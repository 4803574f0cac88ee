# To which statement does each commit belong, and do all rows add up?
#
# Each kind of transaction runs under a database role of its own, which is the
# control: commit_client_stats counts by role, without a look at statements.
# EXPLAIN VERBOSE says the query identifier of a statement.

use Databases;
use Pooler;

# With checksums, a session that extends a table may log a page of its free
# space map, which is more than what its statement writes.
my $node = start_node('statements', conf => "max_prepared_transactions = 10\n", no_checksums => 1);

$node->sql(q{CREATE TABLE a (n int);
CREATE TABLE b (n int);
CREATE TABLE big AS SELECT g AS n FROM generate_series(1, 100000) g;
CREATE TABLE deferred (n int);
CREATE FUNCTION rows(int) RETURNS int LANGUAGE plpgsql AS
	'BEGIN FOR i IN 1..$1 LOOP INSERT INTO a VALUES (i); END LOOP; RETURN 1; END';
CREATE PROCEDURE batches() LANGUAGE plpgsql AS
	'BEGIN FOR i IN 1..5 LOOP INSERT INTO a VALUES (i); COMMIT; END LOOP; END';
GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC;
GRANT ALL ON SCHEMA public TO PUBLIC});
$node->create_deferred_trigger('deferred', 'INSERT INTO big SELECT generate_series(1, 100)');

my $small = 'INSERT INTO a VALUES (1)';
my $other = 'INSERT INTO b VALUES (1)';
my $large = 'INSERT INTO b SELECT generate_series(1, 500)';
my $triggers = 'INSERT INTO deferred VALUES (1)';
my %id = map { $_ => $node->queryid($_) } $small, $other, $large, $triggers, 'SELECT rows(5)';

# What each kind does, and its rows: commits, writing statements, identifier or
# reason; "-" is a statement that EXPLAIN does not know.
my %kinds = (
	single => [ "$small; $small; $small", "3 3 $id{$small}" ],
	alternating => [ "$small; $other; $small; $other", "2 2 $id{$other}, 2 2 $id{$small}" ],
	largest => [ "BEGIN; $small; $large; $other; COMMIT", "1 3 $id{$large}" ],
	twice => [ "BEGIN; $small; $large; $large; COMMIT", "1 3 $id{$large}" ],
	last_of_two => [ "BEGIN; $small; $other; COMMIT", "1 2 $id{$other}" ],
	string => [ "$small\\; $large\\; $other", "1 3 $id{$large}" ],
	asynchronous => [ "SET synchronous_commit = off; $small", "1 1 $id{$small}" ],
	read_only => [ 'SELECT count(*) FROM a', '' ],
	rollback => [ "BEGIN; $small; ROLLBACK", "0 0 $id{$small}" ],
	savepoint => [ "BEGIN; $small; SAVEPOINT s; $large; ROLLBACK TO s; COMMIT", "1 2 $id{$large}" ],
	nested => [ 'SELECT rows(5)', "1 1 $id{'SELECT rows(5)'}" ],
	do => [ q{DO 'BEGIN PERFORM rows(3); INSERT INTO b VALUES (1); END'}, '1 1 -' ],
	procedure => [ 'CALL batches()', '5 5 -' ],
	copy => [ "COPY a FROM STDIN;\n1\n2\n\\.\nSELECT 1", '1 1 -' ],
	ctas => [ 'CREATE TABLE made AS SELECT 1', '1 1 -' ],
	cursor => [
		'BEGIN; DECLARE c CURSOR FOR SELECT rows(2) FROM generate_series(1, 3);'
		  . ' FETCH c; FETCH c; COMMIT',
		'1 2 -'
	],
	prepared => [ "PREPARE x AS $large; EXECUTE x; EXECUTE x", "2 2 $id{$large}" ],
	computed =>
	  [ "PREPARE x (int) AS $large; EXECUTE x(rows(2)); EXECUTE x(rows(3))", "2 2 $id{$large}" ],
	temporary => [ "CREATE TEMP TABLE gone (n int); $small", "1 1 $id{$small}, 1 1 -" ],
	parallel => [
		'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;'
		  . ' SET min_parallel_table_scan_size = 0;'
		  . ' CREATE TABLE counted AS SELECT count(*) FROM big',
		'1 1 -'
	],
	trigger => [ $triggers, "1 1 $id{$triggers}" ],
	trigger_at_commit => [ "BEGIN; $triggers; COMMIT", '1 2 -' ],
	two_phase => [
		"BEGIN; $small; PREPARE TRANSACTION 'x'; COMMIT PREPARED 'x'",
		"0 0 $id{$small}, 1 0 commit_prepared"
	],
	two_phase_undone => [
		"BEGIN; $small; PREPARE TRANSACTION 'x'; ROLLBACK PREPARED 'x'",
		"0 0 $id{$small}, 0 0 commit_prepared"
	],
	no_identifier => [
		"RESET ROLE; SET compute_query_id = off; SET ROLE kind_no_identifier; $small; $large",
		'2 2 compute_query_id_off'
	],
	notify => [ 'NOTIFY a', '0 0 -' ],
	notify_undone =>
	  [ "BEGIN; SAVEPOINT s; NOTIFY a; ROLLBACK TO s; COMMIT; $small", "1 1 $id{$small}" ]);

sub role ($kind)
{
	return "kind_$kind";
}

sub in_order ($rows)
{
	return join ', ', sort split /, /, $rows;
}

# The rows of a role
sub rows_of ($role)
{
	my $known = join ',', values %id;

	return in_order($node->sql(
		qq{SELECT string_agg(concat_ws(' ', commits + commits_async, statements,
	coalesce(reason, CASE WHEN queryid = ANY ('{$known}') THEN queryid::text ELSE '-' END)), ', ')
FROM commit_statement_stats WHERE rolname = '$role' AND reason IS DISTINCT FROM 'none'}));
}

# Counters that both views have
my @counters = qw(commits commits_async prepares flushes commits_carried commit_time prepare_time
  flush_time timed_flushes wal_bytes commits_notify slow_commits statements transaction_time);

sub agrees_by_role ($how)
{
	my $sums = join ', ', map { "round(sum($_)::numeric, 6)" } @counters;

	is( $node->sql(qq{SELECT roleid, $sums FROM commit_statement_stats() GROUP BY 1
EXCEPT SELECT roleid, $sums FROM commit_client_stats() GROUP BY 1}),
		'',
		"$how: statements add up to the clients of each role");
	adds_up($how, $node);
}

$node->sql(join ';', map { 'CREATE ROLE ' . role($_) } sort keys %kinds);
$node->sql($_) for $small, $other, $large, 'SELECT commit_stats_reset()';
for my $kind (sort keys %kinds)
{
	my ($sql, $rows) = @{ $kinds{$kind} };
	my ($out, $err) = ('', '');

	$node->psql(
		'postgres', 'SET ROLE ' . role($kind) . ";\n$sql;\n",
		stdout => \$out,
		stderr => \$err);
	is($err, '', "$kind: runs");
	is(rows_of(role($kind)), in_order($rows), "$kind: rows");
}
is( $node->sql(q{SELECT bool_and(wal_bytes > 0), count(*) FROM commit_statement_stats
WHERE rolname LIKE 'kind_two_phase%' AND reason = 'commit_prepared'}),
	't|2',
	'the end of a prepared transaction: its WAL');
is( $node->sql(
		q{SELECT prepares, wal_bytes_per_commit = wal_bytes, transaction_mean = transaction_time,
	transaction_share = round(100 * (prepare_time / transaction_time)::numeric, 2)
FROM commit_statement_stats WHERE rolname LIKE 'kind_two_phase%' AND queryid IS NOT NULL}),
	"1|t|t|t\n1|t|t|t",
	'... and its beginning: means and shares per prepare');
is( $node->sql(q{SELECT transaction_time >= commit_time AND commit_time > 0
FROM commit_client_stats WHERE rolname = 'kind_two_phase'}),
	't',
	'... and its time, with that of PREPARE TRANSACTION');
$node->wait_until(q{SELECT commits = 3 FROM commit_client_stats WHERE rolname = 'kind_temporary'});
is( $node->sql(q{SELECT commits FROM commit_statement_stats
WHERE rolname = 'kind_temporary' AND reason = 'none'}),
	'1',
	'temporary tables that the end of a session drops: of no statement');
agrees_by_role('single sessions');

# One session, the same statement
$node->sql(
	"CREATE ROLE one IN ROLE pg_write_all_data; CREATE ROLE two IN ROLE pg_write_all_data;
SET ROLE one;\n$small;\nSET ROLE two;\n$small;\n$small;\nRESET ROLE");
is( $node->sql(q{SELECT string_agg(rolname || ' ' || commits, ', ' ORDER BY rolname)
FROM commit_statement_stats WHERE rolname IN ('one', 'two') AND commits > 0}),
	'one 1, two 2',
	'another role begins');

# Transactions that begin with the same statement do not overlap
$node->sql('CREATE ROLE same_start IN ROLE pg_write_all_data');
my $seconds =
  $node->sql("SET ROLE same_start;\nSELECT clock_timestamp() AS began \\gset\n"
	  . "BEGIN\\; SELECT FROM pg_sleep(0.5)\\; $small\\; COMMIT\\; BEGIN\\; $small\\; COMMIT;\n"
	  . "SELECT extract(epoch FROM clock_timestamp() - :'began');");
my ($commits, $time) = $node->row(
	q{SELECT sum(commits), sum(transaction_time) / 1000 FROM commit_statement_stats
WHERE rolname = 'same_start' AND commits > 0});
is($commits, 2, 'two transactions of one message');
cmp_ok($time, '>', 0.5, '... the first one is long');
cmp_ok($time, '<', $seconds + 0.001, '... and not also in the time of the second one');

# A statement that fails has written, and its WAL counts
$node->sql('CREATE ROLE fails');
$node->psql('postgres',
	'SET ROLE fails; INSERT INTO b SELECT 1000 / (500 - g) FROM generate_series(1, 500) g');
is( $node->sql(q{SELECT commits, wal_bytes > 10000 FROM commit_statement_stats
WHERE rolname = 'fails'}),
	'0|t',
	'a statement that fails');

# Pipelines: one transaction each.  A portal of SELECT is closed by the message
# after it.
$node->sql('CREATE ROLE pipes; CREATE ROLE pipes_late');
{
	local $ENV{PGOPTIONS} = '-c role=pipes';
	run_pgbench(
		$node,
		'-M extended -c 2 -t 20',
		pipeline => "\\startpipeline\n$small;\n$large;\n$other;\n\\endpipeline\n");
	local $ENV{PGOPTIONS} = '-c role=pipes_late';
	run_pgbench(
		$node,
		'-M extended -c 2 -t 20',
		late => "\\startpipeline\nSELECT rows(5);\n$small;\n\\endpipeline\n");
}
is(rows_of('pipes'), "40 120 $id{$large}", 'pipelines');
is(rows_of('pipes_late'), "40 80 $id{'SELECT rows(5)'}", 'a portal that is closed late');
agrees_by_role('pipelines');

# More statements than a session has cells, in several sessions at once
my @many = map { 'INSERT INTO a VALUES ' . join ', ', ("($_)") x $_ } 1 .. 20;
$node->sql('CREATE ROLE many');
{
	local $ENV{PGOPTIONS} = '-c role=many';
	run_pgbench($node, '-c 4 -t 10', many => join '', map { "$_;\n" } @many);
}
is( $node->sql(q{SELECT count(*), min(commits), max(commits), sum(statements)
FROM commit_statement_stats WHERE rolname = 'many'}),
	'20|40|40|800',
	'sessions with many statements');
agrees_by_role('many statements');

SKIP:
{
	skip 'there is no PgBouncer', 3 if !defined find_pgbouncer();

	my $pooler = start_pgbouncer($node, { postgres => 'pool_size=3' });

	$node->sql('SELECT commit_stats_reset()');
	my @loads =
	  map { start_pgbench($node, "-h $pooler->{host} -p $pooler->{port} -c 5 -t 20", @$_) }
	  ([ small => "$small;\n" ], [ both => "BEGIN;\n$small;\n$large;\nCOMMIT;\n" ]);
	ok(!(grep { !end_background($_) } @loads), 'PgBouncer in transaction mode');
	is( $node->sql(qq{SELECT string_agg(commits || ' ' || statements, ', ' ORDER BY statements)
FROM commit_statement_stats WHERE queryid IN ($id{$small}, $id{$large})}),
		'100 100, 100 200',
		'... through which two applications share sessions');
	stop_pgbouncer($pooler);
	agrees_by_role('PgBouncer');
}

# The report is of the time since a reset of all, also if statements have one
# of their own: what they do not know is of none, or of the background.
$node->sql('SELECT commit_stats_reset()');
{
	local $ENV{PGAPPNAME} = '';
	run_pgbench($node, '-c 1 -t 600', nameless => "$small;\n");
}
like($node->report, qr/^  \d\S*% of the commits have no name/m, 'commits without a name');
is($node->sql(q{SELECT commit_statement_stats_reset() > now() - interval '1 min'}),
	't', 'commit_statement_stats_reset() returns when that was');
run_pgbench($node, '-c 1 -t 50', three_of_four => "$other;\n" x 3 . "$small;\n");
unlike(
	$node->report,
	qr/have no name|are led by statement/,
	'... of which nothing is known after a reset of statements');
end_test($node);
