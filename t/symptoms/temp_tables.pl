# Does commit_stats tell a session's own work before its commit record from
# flushes?
#
# Each COMMIT empties 300 temporary tables ON COMMIT DELETE ROWS.  The witness
# is the server log, which times each COMMIT, and the same statements without
# temporary tables, which differ by that work.  And is the work after the
# record named, where COMMIT drops them?

use Symptoms;

my $commits = 20;
my $node = make_situation(
	'temp_tables', conf =>
	  q{commit_stats.slow_commit_time = 5ms; log_min_duration_statement = 0; log_line_prefix = '%a ';
max_locks_per_transaction = 1000});

my $tables = q{DO $$ BEGIN FOR i IN 1 .. 300 LOOP
EXECUTE format('CREATE TEMP TABLE temp%s (id int PRIMARY KEY) ON COMMIT DELETE ROWS', i);
END LOOP; END $$;};
my $transaction =
  "BEGIN;\nINSERT INTO temp1 VALUES (1);\nINSERT INTO logged (n) VALUES (1);\nCOMMIT;\n";

sub commit_with ($name, $sql)
{
	$node->sql("SET application_name = '$name';\n$sql\n" . $transaction x $commits);
	return sum0(logged_commits($node, "$name "));
}

my $without = commit_with('plain', 'CREATE TEMP TABLE temp1 (id int);');
$node->sql('SELECT commit_stats_reset()');
my $with = commit_with('temp', $tables);

my ($n, $time, $record, $rest, $causes) =
  $node->row(q{SELECT count(*), sum(duration), sum(record_time), sum(unknown_time),
	   string_agg(DISTINCT cause, ', ')
FROM commit_slow_log WHERE application_name = 'temp' AND before_time > 0});
is($n, $commits, 'each COMMIT is slow');
is($causes, 'record', '... by the work before its record');
cmp_ok(abs($time - $with), '<', 0.05 * $with, '... and as long as the server log says');
cmp_ok(abs($record - ($with - $without)), '<', 0.2 * $with, 'that work is what the tables add');
cmp_ok($rest, '<', 0.05 * $time, 'hardly any is unknown');
is( $node->sql(qq{SELECT sum(record_time) BETWEEN 0.95 * $record AND sum(commit_time)
FROM commit_latency_stats WHERE role = 'leader'}),
	't',
	'commit_latency_stats has it as record_time');

# The worker has seen the same, 20 times a second.
my $report = report_of($node);
first_cause_is($report, qr/own work.*ON COMMIT DELETE ROWS/, 'the report names that work first');
cmp_ok($report->{phases}->{record}->[1], '>', 80, '... with most of the time')
  or diag($report->{text});

# To drop them searches temp_buffers, for each of them.
my $drops = join "\n", map {
	my $tables = join ', ', map { "dropped${_}" } 1 .. 100;

	"BEGIN;\nSET LOCAL synchronous_commit = off;\n"
	  . (join '', map { "CREATE TEMP TABLE $_ (id int PRIMARY KEY);\n" } split /, /, $tables)
	  . "INSERT INTO dropped1 VALUES (1);\nINSERT INTO logged (n) VALUES (1);\nCOMMIT;\n"
	  . "BEGIN;\nINSERT INTO logged (n) VALUES (1);\nDROP TABLE $tables;\nCOMMIT;\n"
} 1 .. $commits;
$node->sql('SELECT commit_stats_reset()');
$node->sql("SET temp_buffers = '1GB';\n$drops");
$report = report_of($node);
first_cause_is(
	$report,
	qr/^after the commit, for files of temporary or other tables/,
	'the report names temporary tables that are dropped');

end_test($node);
