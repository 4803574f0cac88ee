# Does commit_slow_log have the work that COMMIT does before and after the
# commit itself?
#
# A deferred trigger sleeps, a cursor WITH HOLD is filled, and dropped tables
# leave files to delete.  The witness is the server log, which times each
# COMMIT statement (log_min_duration_statement).

use Symptoms;

# every commit is slow: how long the work takes depends on the machine
my $node = make_situation(
	'deferred_work', conf =>
	  qq{commit_stats.slow_commit_time = 0; log_min_duration_statement = 0; log_line_prefix = '%p ';
max_locks_per_transaction = 1000; max_prepared_transactions = 3});

$node->sql(q{CREATE TABLE plain (n int);
CREATE TABLE deferred (id serial);
DO $$ BEGIN FOR i IN 1 .. 500 LOOP
EXECUTE format('CREATE TABLE dropped%s (id int PRIMARY KEY, t text)', i);
END LOOP; END $$;
});
$node->create_deferred_trigger('deferred', 'PERFORM pg_sleep(0.5)');

# Runs a transaction whose COMMIT is slow by one phase; returns its row.
sub is_slow_by ($phase, $column, $script)
{
	my $pid = $node->sql("BEGIN;\n$script;\nSELECT pg_backend_pid();\nCOMMIT;");
	my ($cause, $duration, $time, $rest) =
	  $node->row(qq{SELECT cause, duration, $column, unknown_time FROM commit_slow_log
WHERE pid = $pid ORDER BY ended_at DESC LIMIT 1});

	is($cause, $phase, "$phase: the cause");
	cmp_ok(
		abs($duration - (logged_commits($node, "$pid "))[-1]),
		'<',
		0.05 * $duration,
		"$phase: as long as the server log says");
	cmp_ok($time, '>', 0.8 * $duration, "$phase: most of it is $column");
	cmp_ok($rest, '<', 0.05 * $duration, "$phase: hardly any is unknown");
	return;
}

is_slow_by('before', 'before_time', 'INSERT INTO deferred DEFAULT VALUES');
is_slow_by(
	'before', 'before_time', q{INSERT INTO plain VALUES (1);
DECLARE held CURSOR WITH HOLD FOR SELECT pg_sleep(0.01) FROM generate_series(1, 50)});
is_slow_by('before', 'before_time',
	'DECLARE filled CURSOR WITH HOLD FOR SELECT pg_sleep(0.01) FROM generate_series(1, 50)');
my $report = report_of($node);
first_cause_is($report, qr/^before\b.*deferred triggers/, 'the report names that work first');
$node->sql('SELECT commit_stats_reset()');
is_slow_by('after', 'after_time',
	q{DO $$ BEGIN FOR i IN 1 .. 500 LOOP EXECUTE 'DROP TABLE dropped' || i; END LOOP; END $$});
$report = report_of($node);
first_cause_is($report, qr/^after\b.*files of/, 'the report names the deletion of files first');
is($node->sql(q{SELECT sum(after_time) > 2 * sum(commit_time) FROM commit_latency_stats}),
	't', 'commit_latency_stats has that time beside commit_time');

# Clients of asynchronous commits wait for that, too.
my @sessions = map {
	$node->start_psql("SET synchronous_commit = off;\n"
		  . "BEGIN;\nINSERT INTO deferred DEFAULT VALUES;\nCOMMIT;\n" x 4)
} 1 .. 6;
ok(end_background($_), 'asynchronous commits') for @sessions;
$node->wait_until(q{SELECT commit_stats_report() ~ 'commits, of which 24 wait for no flush, in'});
$report = report_of($node);
like($report->{text}, qr/ mean \d.*\n\(\d+ commits, of which 24 /, 'the report has their mean');
first_cause_is($report, qr/^before\b.*deferred triggers/, '... and names that work first');

# The report has no mean of COMMITs that write nothing, and count nowhere.
$node->sql('SELECT commit_stats_reset()');
run_pgbench(
	$node, '-c 8 -T 4', cursor => q{BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT pg_sleep(0.05);
COMMIT;
CLOSE held;
INSERT INTO plain VALUES (1);
});
$report = report_of($node);
like($report->{text}, qr/^Where a commit's time goes +mean -/m, 'no mean of what is not counted');
first_cause_is($report, qr/^before\b.*open cursors/, '... whose phase has its share');

# Neither a commit that fails before its record, nor one that is rolled back,
# leaves a mark behind; nor does a commit without a flush.
$node->sql('CREATE TABLE failing (id serial)');
$node->create_deferred_trigger('failing', q{RAISE 'no'});
my $session = $node->background_psql('postgres', on_error_stop => 0);
my @queries = (
	"BEGIN;\nINSERT INTO failing DEFAULT VALUES;\nCOMMIT;",
	"BEGIN;\nINSERT INTO plain VALUES (1);\nSELECT 1 / 0;\nCOMMIT;",
	"BEGIN;\nSET LOCAL synchronous_commit = off;\nINSERT INTO plain VALUES (1);\nCOMMIT;",
	"BEGIN;\nINSERT INTO plain VALUES (1);\nPREPARE TRANSACTION 'p';",
	"BEGIN;\nSELECT 1;\nPREPARE TRANSACTION 'q';",
	"BEGIN;\nINSERT INTO failing DEFAULT VALUES;\nPREPARE TRANSACTION 'failed';",
	"COMMIT;",
	"BEGIN;\nNOTIFY c;\nCOMMIT;",
	"BEGIN;\nINSERT INTO plain VALUES (1);\nCOMMIT AND CHAIN;\nROLLBACK;",
	"BEGIN;\nSELECT pg_current_xact_id();\nCOMMIT;",
	"BEGIN;\nDECLARE held CURSOR WITH HOLD FOR SELECT 1;\nCOMMIT;",
	"BEGIN;\nDECLARE lost CURSOR WITH HOLD FOR SELECT 1;\nROLLBACK;\nBEGIN;\nSELECT 1;\nCOMMIT;");
for my $query (@queries)
{
	$session->query("$query\n");
	is($node->sql('SELECT count(*) FROM commit_activity WHERE committing_since IS NOT NULL'),
		0, 'no mark after: ' . ($query =~ s/\n/ /gr));
}
$session->quit;

# While it runs
for my $end ('COMMIT', "PREPARE TRANSACTION 'r'")
{
	$session = $node->start_psql("BEGIN;\nINSERT INTO deferred DEFAULT VALUES;\n$end;\n");
	$node->wait_until(
		q{SELECT count(*) = 1 FROM commit_activity WHERE phase = 'before' AND committing_since < now()}
	);
	ok(end_background($session), "$end ends");
}

end_test($node);
