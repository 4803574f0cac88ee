# Does the report say that commits come one after the other, where all sessions
# update one row, and that no delay helps?
#
# 16 clients on a volume that takes 10 ms for a flush.  The lock of the row is
# held until the commit is over.  pg_stat_activity is the witness of how many
# sessions wait for it.

use Symptoms;

my $node = make_situation('hot_row');

$node->sql(q{CREATE TABLE counter (id int PRIMARY KEY, n bigint);
INSERT INTO counter VALUES (1, 0)});
set_volume($node, 100);

my $load = start_load($node, '-c 16 -T 100', 'UPDATE counter SET n = n + 1 WHERE id = 1', 'hot');
$node->wait_until(q{SELECT count(*) = 16 FROM pg_stat_activity WHERE application_name = 'hot'});
$node->sql('SELECT commit_stats_reset()');
my $from = $node->sql('SELECT commit_history_close()');
my %waits = sample_waits($node, 'hot', 8);
# as many as an answer needs
$node->wait_until('SELECT commits > 500 FROM commit_flush_stats');
my $report = report_of($node);
my $to = $node->sql('SELECT commit_history_close()');
my $later = $node->sql("SELECT commit_stats_report('$from', '$to')");

end_load($load, 'TERM');

my $waiting = sum0(map { $waits{$_} } grep { m{^Lock/(?:tuple|transactionid)$} } keys %waits);
my $sessions = 16 * $waiting / sum0(values %waits);
my ($blocked, $in_commit) =
  first_cause($report) =~
  /^flushes, one after the other: on average ([\d.]+) sessions wait for a row or lock that one in COMMIT holds; ([\d.]+) are in COMMIT[.;]/;

cmp_ok($sessions, '>', 12, 'pg_stat_activity: most sessions wait for the row');
ok(defined $blocked, 'the first cause') or diag first_cause($report);
cmp_ok(abs(($blocked // 0) - $sessions), '<=', 2.5, '... with the number of them')
  or diag "pg_stat_activity: $sessions";
cmp_ok($in_commit // 0, '<=', 1.5, '... and one that commits');

# on a busy machine, some flushes wait for a processor
my @flushes =
  grep { $_->{text} =~ /^flushes(?:, one after the other| that wait for a processor)/ }
  @{ $report->{causes} };
cmp_ok(sum0(map { $_->{share} } @flushes), '>=', 90, '... for nearly all of commit time')
  or diag $report->{text};
like($report->{causes}->[0]->{remedy}, qr/fewer updates of that row/, '... and what to do');
like(
	$report->{delay},
	qr/^no\. No commit can come while a committing session holds/,
	'no delay, with its reason');
unlike($report->{text}, qr/stall as on a disk|may pay|asleep/, 'nothing else is said');
like(
	$later,
	qr/^  1\. \S+% flushes, one after the other:/m,
	'the report of the period says it as well');

# A row that a session holds without committing makes no commit wait.
set_volume($node, 0);
$node->wait_until(q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'hot'});
$node->sql('SELECT commit_stats_reset()');
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; UPDATE counter SET n = n + 1 WHERE id = 1');
my @blocked =
  map { $node->start_psql('UPDATE counter SET n = n + 1 WHERE id = 1') } 1 .. 8;
$node->wait_until(q{SELECT count(*) = 8 FROM pg_stat_activity WHERE wait_event_type = 'Lock'});
end_load(start_load($node, '-c 8 -T 6', 'INSERT INTO logged (n) VALUES (1);'));
unlike(
	report_of($node)->{text},
	qr/one after the other/,
	'sessions that wait for one that is idle in transaction are another thing');
$holder->quit;
ok(end_background($_), 'an update ends') for @blocked;

end_test($node);
