# Is what another library does after the commit record told from the session's
# own work before it?
#
# Its callback sleeps for 50 ms, without a wait event, before that of
# commit_stats.  The clients' own clocks are the witness.

use Symptoms;

my $library = compile_module('t/symptoms/other_library.c');
my $node =
  make_situation('other_library', conf => "shared_preload_libraries = 'commit_stats, $library'\n");

$node->sql('SELECT commit_stats_reset()');

my $load = start_load(
	$node,
	'-c 40 -j 2 -T 8',
	"BEGIN;\nSET LOCAL other_library.ms = 50;\nINSERT INTO logged (n) VALUES (1);\nCOMMIT;\n",
	'audited');
$node->wait_until(q{SELECT count(*) >= 3 FROM commit_activity
WHERE application_name = 'audited' AND phase = 'commit log'});
$node->wait_until(q{SELECT commit_stats_report() ~ 'from samples'});
my $report = report_of($node);
my @times = end_load($load);

# a signal may end a sleep
cmp_ok((sort { $a <=> $b } @times)[ @times / 2 ], '>=', 50, 'a transaction takes 50 ms');
first_cause_is($report, qr/^after the commit record: it waits in an extension/);
cmp_ok(($report->{phases}->{record} // [ 0, 0 ])->[1],
	'<=', 5, 'hardly any time is before the record');
like($report->{delay}, qr/^no\b/, 'no delay');

# One hangs there, as behind a firewall that drops the packets of its server
my $session = $node->start_psql("SET application_name = 'asleep'",
	"BEGIN; SET LOCAL other_library.ms = 60000; INSERT INTO logged (n) VALUES (1); COMMIT");

$node->wait_until(q{SELECT count(*) = 1 FROM commit_activity
WHERE application_name = 'asleep' AND detail ~ 'asleep in an extension'});
like(
	report_of($node)->{now},
	qr/^1 commit waits now, .*: in the phase 'commit log', asleep in an extension /,
	'a commit that hangs in it');
$node->sql(
	q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'asleep'});
end_background($session);

# So does one that shows the event of Citus, and another waits for its lock
$node->sql(
	'CREATE TABLE sums (n int); INSERT INTO sums VALUES (0);
CREATE TABLE parts (n int)');
$node->create_deferred_trigger('parts', 'UPDATE sums SET n = 1');
$node->sql('SELECT commit_stats_reset()');
my @hang = $node->start_psql(
	"SET application_name = 'reads'",
	"BEGIN; SET LOCAL other_library.ms = 60000; SET LOCAL other_library.reads = on; INSERT INTO logged (n) VALUES (1); LOCK TABLE sums; COMMIT"
);
$node->wait_until(q{SELECT count(*) = 1 FROM commit_activity
WHERE detail = $$in the phase 'commit log', in an extension, Client/ClientRead$$});
$node->wait_until(q{SELECT commit_stats_report() ~ 'from samples'});
first_cause_is(
	report_of($node),
	qr/^after the commit record: it waits in an extension/,
	'one that reads');
push @hang, $node->start_psql('BEGIN; INSERT INTO parts VALUES (1); COMMIT');
# ... which is not called idle
$node->wait_until(q{SELECT count(*) = 1 FROM commit_activity WHERE detail ~ 'held by pid \d+$'});
$node->sql(
	q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'reads'});
end_background($_) for @hang;

# The processes do that one after the other: pg_stat_activity is the witness
$node->sql('SELECT commit_stats_reset()');
$load = start_load(
	$node,
	'-c 20 -T 6',
	"BEGIN;\nSET LOCAL other_library.ms = 10;\nSET LOCAL other_library.in_turn = on;\n"
	  . "INSERT INTO logged (n) VALUES (1);\nCOMMIT;\n",
	'in_turn');

my %waits = sample_waits($node, 'in_turn', 5);

$report = report_of($node);
end_load($load);
cmp_ok($waits{'LWLock/audit_log'} // 0, '>', 0.6 * sum0(values %waits), 'they wait for its lock');
first_cause_is($report, qr/^wait event audit_log: there COMMIT waits/, 'a lock of the library');
like($report->{delay}, qr/^no\b/, '... no delay');

end_test($node);
