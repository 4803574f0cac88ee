# Does the report say that it is not the commit, where sessions wait for a
# table that an idle transaction has locked?  And nothing of those that wait to
# be the leader, an advisory lock of which the present one holds?
#
# pg_stat_activity is the witness: as many sessions wait as the report says,
# and none is in COMMIT.

use Symptoms;

my $node = make_situation('statements_wait');

# Sessions that would be the leader wait for an advisory lock for days
my $leader = $node->background_psql('postgres');

$leader->query_safe('SELECT pg_advisory_lock(1)');
my $candidates = start_load($node, '-c 6 -t 1', 'SELECT pg_advisory_lock(1);');
$node->wait_until(q{SELECT count(*) = 6 FROM pg_stat_activity WHERE wait_event = 'advisory'});
run_pgbench($node, '-c 1 -T 3', load => 'INSERT INTO logged (n) VALUES (1);');
unlike(report_of($node)->{text}, qr/It is not the commit/, 'nobody waits for a transaction');
set_volume($node, 50);
$leader->query_safe(q{DO $$ BEGIN FOR i IN 1 .. 150 LOOP
	INSERT INTO logged (n) VALUES (1); COMMIT; END LOOP; END $$});
set_volume($node, 0);
unlike(
	report_of($node)->{text},
	qr/It is not the commit|for a row or lock/,
	'... of the leader that commits, either');
$leader->quit;
end_load($candidates);

# A table that is locked
$node->sql('SELECT commit_stats_reset()');
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; LOCK logged');
my $load = start_load($node, '-c 6 -t 100', 'INSERT INTO logged (n) VALUES (1);');
$node->wait_until(q{SELECT count(*) = 6 FROM pg_stat_activity
WHERE application_name = 'load' AND wait_event_type = 'Lock' AND query ~ '^INSERT'});
$node->wait_until(q{SELECT commit_stats_report() ~ 'It is not the commit: on average'});
my $report = report_of($node);
like(
	$report->{text},
	qr/^It is not the commit: on average [\d.]+ sessions wait for locks in their\s+statements, or as a\s+procedure\s+commits\s+\(pg_blocking_pids\(\)\s+has\s+the\s+holders\),\s+[\d.]+\s+are\s+in\s+COMMIT\./m,
	'said while nothing commits');
like($report->{now}, qr/^No commit waits now/, 'no commit hangs');
$node->wait_until(
	q{SELECT commit_stats_report() ~ '\n6 sessions wait now in a statement, the longest for .* End that\s+transaction,\s+of\s+client'}
);
unlike($report->{text}, qr/^First step/m, 'nothing to do about commits');

# The holder works, and another session waits in between.
my $job = $node->start_psql('ALTER TABLE logged ADD COLUMN later int');
$holder->query_until(qr/started/, "\\echo started\nSELECT pg_sleep(15);\n");
$node->wait_until(
	q{SELECT commit_stats_report() ~ '\n7 sessions wait now in a statement, the longest for .* That\s+transaction,\s+of\s+client\s.*goes\s+on:\s+pg_stat_activity\s+shows'}
);

# Once that is over, and nobody has waited for two minutes, it is not said;
# a reset of the statistics keeps what the worker saw.
$holder->quit;
ok(end_background($job), 'the ALTER TABLE ends');
end_load($load);
is($node->sql('SELECT commits >= 600 FROM commit_flush_stats'), 't', 'they commit');

end_test($node);
