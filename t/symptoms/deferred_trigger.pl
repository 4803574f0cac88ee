# Does the report name the row for which deferred triggers wait inside COMMIT?
#
# A session holds a row for 200 ms at a time; the COMMITs of eight others
# update it in a deferred trigger.  The clients' own clocks (pgbench --log) and
# pg_stat_activity are the witnesses.

use Symptoms;

my $node = make_situation('deferred', conf => "commit_stats.slow_commit_time = 50ms\n");

$node->sql(q{CREATE TABLE sum (id int PRIMARY KEY, n bigint);
INSERT INTO sum VALUES (1, 0);
});
$node->create_deferred_trigger('logged', 'UPDATE sum SET n = n + 1 WHERE id = 1');

# One that hangs: a session is idle in its transaction.
my $holder = $node->background_psql('postgres');
my $holder_pid = $holder->query_safe(
	q{SET application_name = 'holder'; BEGIN; UPDATE sum SET n = n + 1; SELECT pg_backend_pid()});
my @sessions = map {
	$node->start_psql("SET application_name = 'shop'",
		'BEGIN', 'INSERT INTO logged (n) VALUES (1)', 'COMMIT')
} 1 .. 3;
$node->wait_until(
	q{SELECT count(*) = 3 AND max(now() - query_start) > '1.5 s' FROM pg_stat_activity
WHERE application_name = 'shop' AND wait_event_type = 'Lock' AND query = 'COMMIT'});
like(
	report_of($node)->{now},
	qr/^3 commits wait now, the longest for [\d.]+ s: for row of relation sum, held by pid $holder_pid \(idle in transaction\)\.$/,
	'the first line names the row, and who holds it');
like(
	report_of($node)->{text} =~ s/\n +/ /gr,
	qr/^End that transaction, of client holder \(.*\): it has been idle for [\d.]+ s\.$/m,
	'... which client that is');
is( $node->sql(
		q{SELECT DISTINCT phase, blocked_by FROM commit_activity WHERE committing_since IS NOT NULL}
	),
	"before|$holder_pid",
	'commit_activity: they wait before their first callback, for the same session');
is($node->sql(q{SELECT count(*) FROM commit_activity WHERE waiting_for ~ 'notify|flush'}),
	0, '... and nobody for NOTIFY or a flush');
$holder->query_safe('COMMIT');
$holder->quit;
ok(end_background($_), 'a commit ends') for @sessions;

# Again and again
$node->sql('SELECT commit_stats_reset()');
my $held =
  start_load($node, '-c 1 -T 8',
	"BEGIN;\nUPDATE sum SET n = n + 1 WHERE id = 1;\n\\sleep 200 ms\nCOMMIT;\n\\sleep 300 ms\n",
	'holder');
my $load =
  start_load($node, '-c 8 -T 8', "BEGIN;\nINSERT INTO logged (n) VALUES (1);\nCOMMIT;\n", 'shop');
my %waits = sample_waits($node, 'shop', 6, '^COMMIT');
my $report = report_of($node);
my $samples = sum0(values %waits);
my $locked = sum0(map { $waits{$_} } grep { /^Lock/ } keys %waits);
my $flushes = sum0(map { $waits{$_} } grep { /^IO\/WAL/ } keys %waits);

end_load($held);
my $latency = sum0(end_load($load));
cmp_ok($locked, '>', 0.75 * $samples, 'pg_stat_activity: COMMITs wait for locks');
first_cause_is($report,
	qr/^before the record: deferred triggers, foreign keys, open cursors or an extension wait, as for (?:row of relation sum|transaction \d+)/
);
# before the record, COMMITs wait, take and queue for the lock
share_is($report, 100 * (1 - $flushes / $samples), 10);
like($report->{delay}, qr/^no\b/, 'no delay');
unlike($report->{text}, qr/NOTIFY/, 'nothing is said of NOTIFY');

# The clients' own clock: slow commits have the time of their transactions.
my ($n, $slow, $before) =
  $node->row(q{SELECT count(*), sum(duration), sum(before_time) FROM commit_slow_log
WHERE application_name = 'shop'});
cmp_ok($n, '>', 8, 'slow commits are in the log');
cmp_ok($slow, '<=', $latency, '... not longer than the clients say');
cmp_ok($before, '>=', 0.9 * $slow, '... and before the record');
is( $node->sql(
		q{SELECT count(*) FROM commit_slow_log WHERE application_name = 'shop'
AND cause <> 'before' AND before_time > duration / 2}
	),
	0,
	'... which is then their cause');

# A row for which one COMMIT waits is not what all do before the record.
$node->sql('CREATE TABLE checked (id serial)');
$node->create_deferred_trigger('checked', 'PERFORM pg_sleep(0.004)');
$node->sql('SELECT commit_stats_reset()');
$load = start_load($node, '-c 8 -T 6',
	"BEGIN;\nINSERT INTO checked DEFAULT VALUES;\nCOMMIT;\n", 'checks');
wait_for_commits($node, 500);
$holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; UPDATE sum SET n = n + 1');
my $session = $node->start_psql('BEGIN', 'INSERT INTO logged (n) VALUES (1)', 'COMMIT');
$node->wait_until(
	q{SELECT count(*) = 1 FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND query = 'COMMIT' AND query_start < now() - interval '0.4 s'});
$holder->query_safe('COMMIT');
$holder->quit;
ok(end_background($session), 'a commit ends');
end_load($load);
$node->wait_until(q{SELECT count(*) > 0 FROM commit_slow_log WHERE waited_for IS NOT NULL});
$report = report_of($node);
first_cause_is($report, qr/^before the record: deferred triggers, constraints/);

end_test($node);
