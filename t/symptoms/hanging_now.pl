# Does the report begin with the commits that hang now, whatever was counted
# before, and do commit_activity and the report say the same of them?
#
# A standby that does not exist, and a volume whose flush does not end, hold
# eight commits for as long as the test likes.  pg_stat_activity is the
# witness.

use Symptoms;

# The WAL writer must not be the one whose flush hangs.
my $node = make_situation('hanging', conf => "wal_writer_delay = 10s\n");
my $insert = 'INSERT INTO logged (n) VALUES (1);';

sub start_commits ($n)
{
	return map { $node->start_psql("SET application_name = 'app'", $insert) } 1 .. $n;
}

# Wait until that number of commits of the load wait for an event, one of them
# for more than a second.
sub they_hang ($n, $events)
{
	return $node->wait_until(
		qq{SELECT count(*) >= $n AND max(now() - query_start) > '1.5 s' FROM pg_stat_activity
WHERE application_name = 'app' AND wait_event IN ($events)});
}

# The first line has the number, and a time between two that the test knows.
sub first_line_is ($report, $what, $name)
{
	my $longest = $node->sql(
		q{SELECT extract(epoch FROM max(clock_timestamp() - query_start)) FROM pg_stat_activity
WHERE application_name = 'app'});
	my ($n, $number, $unit, $for) =
	  $report->{now} =~ /^(\d+) commits wait now, the longest for ([\d.]+) (ms|s): (.*)\.$/;

	ok(defined $for, "$name: commits hang") or return diag $report->{now};
	is($n, 8, "$name: ... their number");
	cmp_ok($number, '>=', 1, "$name: ... for more than a second");
	cmp_ok($number, '<=', $longest + 0.05, "$name: ... not for longer than their statement");
	like($for, $what, "$name: ... for what");
	like($report->{delay}, qr/^no\b/, "$name: no delay");
	return;
}

# Much was counted before, and all of it was fast.
end_load(start_load($node, '-c 4 -t 500', $insert, 'before'));
my $quiet = report_of($node);
like($quiet->{now}, qr/^No commit waits now /, 'nothing hangs');

# A standby that does not exist
$node->alter_system(synchronous_standby_names => 'ghost');
my @sessions = start_commits(8);
they_hang(8, q{'SyncRep'});
first_line_is(report_of($node), qr/^standby 'ghost' is not connected$/, 'standby');
is( $node->sql(
		q{SELECT count(*), string_agg(DISTINCT waiting_for || ', ' || phase || ', ' || detail, '; ')
FROM commit_activity WHERE committing_since IS NOT NULL}),
	"8|standby, standby, standby 'ghost' is not connected",
	'commit_activity says the same');
$node->alter_system(synchronous_standby_names => '');
ok(end_background($_), 'a commit ends') for @sessions;
like(report_of($node)->{now}, qr/^No commit/, 'no more is said of it');
# the worker adds what it saw when it settles them
$node->wait_until(q{SELECT count(standby) = 8 FROM commit_slow_log WHERE application_name = 'app'});
is( $node->sql(
		q{SELECT cause, standby, standby_stage, count(*), min(standby_time_min / duration) > 0.8
FROM commit_slow_log WHERE application_name = 'app' GROUP BY 1, 2, 3}),
	'standby|ghost|not connected|8|t',
	'slow commits: the standby is the cause of each');

# A flush that does not end: one commit leads it, seven wait for that one.
set_volume($node, 0.001);
@sessions = start_commits(8);
they_hang(8, q{'WALWrite', 'WALSync', 'WalWrite', 'WalSync'});
my $leader = $node->sql(
	q{SELECT pid FROM pg_stat_activity WHERE application_name = 'app' AND wait_event ~* '^walsync$'}
);
first_line_is(report_of($node), qr/^for the flush of pid $leader \(client 'app'\)$/, 'flush');
is( $node->sql(
		q{SELECT string_agg(DISTINCT waiting_for || ' ' || coalesce(blocked_by::text, '-'), ', '
	ORDER BY waiting_for || ' ' || coalesce(blocked_by::text, '-'))
FROM commit_activity WHERE committing_since IS NOT NULL}),
	"another's flush $leader, flush -",
	'commit_activity names the leader');
# A debugger stops it.
kill 'STOP', $leader;
like(
	report_of($node)->{now},
	qr/: for the flush of pid $leader \(client 'app'\), a process that is stopped\.$/,
	'a process that is stopped');
kill 'CONT', $leader;
set_volume($node, 0);
ok(end_background($_), 'a commit ends') for @sessions;

# ... beside a checkpoint, whose next file waits behind the commits
$node->sql('CREATE TABLE dirty (n int PRIMARY KEY, t text)');
set_slow_syncs($node, 5000);
my $checkpoint = $node->start_psql('CHECKPOINT');
$node->wait_until(
	q{SELECT wait_event ~* 'sync$' FROM pg_stat_activity WHERE backend_type = 'checkpointer'});
set_volume($node, 0.001);
@sessions = start_commits(8);
they_hang(8, q{'WALWrite', 'WALSync', 'WalWrite', 'WalSync'});
like(report_of($node)->{now}, qr/, while a checkpoint syncs files\.$/, 'behind a checkpoint');
set_slow_syncs($node, 0);
set_volume($node, 0);
ok(end_background($_), 'a commit ends') for $checkpoint, @sessions;

# One commit has waited for longer, but eight for another reason for more time
# in all.
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; LOCK logged IN SHARE MODE');
$node->sql('CREATE TABLE first (n int); CREATE TABLE other (n int)');
$node->create_deferred_trigger('first', 'INSERT INTO logged (n) VALUES (2)');
my $alone = $node->start_psql('BEGIN; INSERT INTO first VALUES (1); COMMIT');
$node->wait_until(q{SELECT count(*) = 1 FROM commit_activity WHERE phase = 'before'});
$node->alter_system(synchronous_standby_names => 'ghost');
@sessions =
  map { $node->start_psql("SET application_name = 'app'", 'INSERT INTO other VALUES (1)') } 1 .. 8;
$node->wait_until(
	q{SELECT sum(clock_timestamp() - committing_since) FILTER (WHERE waiting_for = 'standby')
	> 2 * max(clock_timestamp() - committing_since)
	AND max(clock_timestamp() - committing_since) FILTER (WHERE waiting_for = 'standby') > '1.5 s'
	AND count(*) = 9
FROM commit_activity WHERE committing_since IS NOT NULL});
like(
	report_of($node)->{now},
	qr/^8 of 9 commits wait now, the longest for .*: standby 'ghost' is not connected\.$/,
	'most of the time is waited for the standby');
$holder->quit;
$node->alter_system(synchronous_standby_names => '');
ok(end_background($_), 'a commit ends') for $alone, @sessions;

# Asynchronous commits go on, so the time that they do not have is of others.
$node->sql('SELECT commit_stats_reset()');
end_load(start_load($node, '-c 1 -t 20', $insert));
end_load(start_load($node, '-c 1 -t 100', "SET synchronous_commit = off;\n$insert"));
$node->alter_system(synchronous_standby_names => 'ghost');
@sessions = start_commits(8);
they_hang(8, q{'SyncRep'});
$node->wait_until(q{SELECT commit_stats_report() ~ 'from samples'});
like(
	report_of($node)->{text},
	qr/^Where a commit's time goes +mean -/m,
	'no mean of commits that hang beside others');
$node->alter_system(synchronous_standby_names => '');
ok(end_background($_), 'a commit ends') for @sessions;

end_test($node);
