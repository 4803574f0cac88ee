# Does the report say that commits come one after the other, where all sessions
# update one row or take one lock, and that no delay helps; and that the sleeps
# of commit_delay carry nobody, only until that has been followed?
#
# 16 clients on a volume that takes 20 ms for a flush, before which each leader
# sleeps for 60 ms, and then 10 ms without a sleep.  commit_siblings = 0, as
# sessions that wait for a lock are no siblings.  The lock of the row is held
# until the commit is over.  Then 12 that take an advisory lock, or a lock of
# the table.  pg_stat_activity is the witness of how many sessions wait.

use Symptoms;

my $node = make_situation('hot_row', conf => "commit_siblings = 0\n");

$node->sql(q{CREATE TABLE counter (id int PRIMARY KEY, n bigint);
INSERT INTO counter VALUES (1, 0)});

# A load on a volume of so many flushes a second: the report, that of the
# period, the counts of the same time, and samples of pg_stat_activity
sub run_load ($name, $clients, $sql, $flush_rate, $seconds, $commits)
{
	set_volume($node, $flush_rate);
	my $load = start_load($node, "-c $clients -T 100", $sql, $name);
	my $n = qq{SELECT count(*) FROM pg_stat_activity WHERE application_name = '$name'};

	$node->wait_until("SELECT ($n) = $clients");
	$node->sql('SELECT commit_stats_reset()');
	my $from = $node->sql('SELECT commit_history_close()');
	my %waits = sample_waits($node, $name, $seconds);
	$node->wait_until("SELECT commits > $commits FROM commit_flush_stats");
	my $report = report_of($node);
	my $of_period = report_since($node, $from);
	my $counts = flush_stats($node);

	set_volume($node, 0);
	end_load($load, 'TERM');
	# backends that waited for a lock still commit, with the former delay
	$node->wait_until("SELECT ($n) = 0");
	return ($report, $of_period, $counts, \%waits);
}

my $update = 'UPDATE counter SET n = n + 1 WHERE id = 1';
$node->alter_system(commit_delay => 60000);
my ($report, $of_period, $counts, $waits) = run_load('hot', 16, $update, 50, 12, 0);

# A session that waits for no lock is in its commit, and has no wait event
# while it sleeps (before 19).
my $asleep = ($waits->{CPU} // 0) + ($waits->{'Timeout/CommitDelay'} // 0);
my $syncs = $waits->{'IO/WALSync'} // $waits->{'IO/WalSync'} // 0;    # since 17

cmp_ok($counts->{delay_hits}, '>', 50, 'leaders sleep');
first_cause_is($report, qr/^asleep for commit_delay\./, 'the first cause is the sleep');
share_is($report, 100 * $asleep / ($asleep + $syncs), 8);
like(
	$report->{causes}->[1]->{text} // '',
	qr/^flushes, one after the other: on average [\d.]+ sessions wait for a row/,
	'... the second one that they come one after the other');

# A sleep that carried others carried one at least.
my $alone = 100 * (1 - $counts->{commits_carried} / $counts->{delay_hits});
my ($said) =
  $report->{delay} =~ /^set it to 0\. >?([\d.]+)% of the newest sleeps carried no other commit\./;

ok(defined $said, 'the advice is no delay') or diag $report->{delay};
cmp_ok($said // 0, '>=', $alone - 3, '... with the share of sleeps that carried nobody');
like($report->{text}, qr/SET commit_delay = 0/, '... as a setting');
unlike($report->{text}, qr/may pay|commit_delay_sweep\(/, 'no longer delay is proposed');

# Advice that was followed does not come again.  An answer needs 500 commits.
$node->alter_system(commit_delay => 0);
($report, $of_period, $counts, $waits) = run_load('hot', 16, $update, 100, 8, 500);
is($counts->{delay_hits}, 0, 'without the delay, no leader sleeps');

my $waiting = sum0(map { $waits->{$_} } grep { m{^Lock/(?:tuple|transactionid)$} } keys %$waits);
my $sessions = 16 * $waiting / sum0(values %$waits);
my ($blocked, $in_commit) =
  first_cause($report) =~
  /^flushes, one after the other: on average ([\d.]+) sessions wait for a row or lock that one in COMMIT holds; ([\d.]+) are in COMMIT[.;]/;

cmp_ok($sessions, '>', 12, 'pg_stat_activity: most sessions wait for the row');
ok(defined $blocked, 'the first cause') or diag first_cause($report);
cmp_ok(abs(($blocked // 0) - $sessions), '<=', 2.5, '... with the number of them')
  or diag "pg_stat_activity: $sessions";
cmp_ok($in_commit // 0, '<=', 1.5, '... and one that commits');

# on a busy machine, some flushes wait for a processor
my @flushes = grep { $_->{text} =~ /^flushes(?:, one after the other| that wait for a processor)/ }
  @{ $report->{causes} };
cmp_ok(sum0(map { $_->{share} } @flushes), '>=', 90, '... for nearly all of commit time')
  or diag $report->{text};
like($report->{causes}->[0]->{remedy}, qr/fewer updates of that row/, '... and what to do');
like(
	$report->{delay},
	qr/^no\. No commit can come while a committing session holds/,
	'no delay, with its reason');
unlike(
	$report->{text},
	qr/stall as on a disk|may pay|SET commit_delay|asleep/,
	'nothing else is said');
like(
	$of_period,
	qr/ 1\. \S+% flushes, one after the other:/,
	'the report of the period says it as well');

# Each transaction takes the same lock first.
my %lock =
  (advisory => 'SELECT pg_advisory_xact_lock(1)', relation => 'LOCK logged IN EXCLUSIVE MODE');

for my $kind (sort keys %lock)
{
	($report, undef, undef, $waits) =
	  run_load($kind, 12, "BEGIN;\n$lock{$kind};\nINSERT INTO logged (n) VALUES (1);\nCOMMIT;\n",
		250, 6, 500);
	cmp_ok($waits->{"Lock/$kind"} // 0, '>', 0.7 * sum0(values %$waits), "$kind: they wait for it");
	first_cause_is($report, qr/^flushes, one after the other/, "$kind: the first cause");
	like($report->{delay}, qr/^no\b/, "$kind: no delay");
}

# A row that a session holds without committing makes no commit wait.
$node->sql('SELECT commit_stats_reset()');
my $holder = $node->background_psql('postgres');
$holder->query_safe("BEGIN; $update");
my @blocked = map { $node->start_psql($update) } 1 .. 8;
$node->wait_until(q{SELECT count(*) = 8 FROM pg_stat_activity WHERE wait_event_type = 'Lock'});
end_load(start_load($node, '-c 8 -T 6', 'INSERT INTO logged (n) VALUES (1);'));
unlike(
	report_of($node)->{text},
	qr/one after the other/,
	'sessions that wait for one that is idle in transaction are another thing');
$holder->quit;
ok(end_background($_), 'an update ends') for @blocked;

end_test($node);
