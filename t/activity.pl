# Does commit_activity say what the commit of each session waits for just now?
#
# The shim (t/ground_truth/shim.c) makes flushes take as long as the test
# likes.  A standby that does not exist, and a long commit_delay, let commits
# wait for the rest.

use GroundTruth;
use IO::Socket::UNIX;

my $node = start_truth('activity', "max_prepared_transactions = 1\n");
my $watcher = $node->background_psql('postgres');
my $activity = q{SELECT %s FROM commit_activity a JOIN pg_stat_activity s USING (pid)
WHERE s.application_name ~ 'committer'};

sub activity
{
	return $watcher->query_safe(sprintf $activity, @_);
}

# What the commits of $n sessions wait for, once this is it
sub waits_become ($expected, $name)
{
	my $waits;

	ok_soon $name, sub {
		$waits = activity("coalesce(string_agg(waiting_for, ', ' ORDER BY waiting_for DESC), '')");
		return $waits eq $expected;
	} or diag "they wait for: $waits";
}

# Sessions that commit often, as they need not start at the same time
sub start_committers ($n)
{
	return map {
		$node->start_psql("SET application_name = 'committer $_'",
			('INSERT INTO tick VALUES (1)') x 200)
	} 1 .. $n;
}

sub end_committers ($how, @sessions)
{
	ok(end_background($_), "$how: a commit ends") for @sessions;
}

my $idle = $node->background_psql('postgres');
$idle->query_safe("SET application_name = 'committer'; INSERT INTO tick VALUES (1)");
is(activity('commits, commits_read_only > 0, committing_since, waiting_for'),
	'1|t||', 'a session that is in no commit');
$watcher->query_safe('SELECT commit_stats_reset()');
is(activity('commits'), 1, '... counts since it connected, resets or not');
$idle->quit;

# Each flush takes a second, and the other two wait for it.
set_device($node, quota => 0, window => 0, flush_time => 1000);
my @sessions = start_committers(3);
waits_become("flush, another's flush, another's flush", 'one flushes, and the others wait for it');
ok_soon '... since their statement began', sub {
	return activity(
		"DISTINCT committing_since BETWEEN s.query_start - interval '1 ms' AND clock_timestamp()")
	  eq 't';
};
set_device($node, quota => 0, window => 0, flush_time => 0);
end_committers('flush', @sessions);

# A leader that sleeps
$node->alter_system(commit_delay => 100000, commit_siblings => 0);
my $load = $node->start_psql(q{SET application_name = 'committer'},
	'DO $$ BEGIN LOOP INSERT INTO tick VALUES (1); COMMIT; END LOOP; END $$');
waits_become('delay', 'a leader sleeps before its flush');
$node->sql(
	"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'committer'");
end_background($load);
$node->alter_system(commit_delay => 0, commit_siblings => 5);

# A standby, and behind it the lock of NOTIFY
$node->alter_system(synchronous_standby_names => 'none');
@sessions = $node->start_psql("SET application_name = 'committer'",
	'BEGIN; INSERT INTO tick VALUES (1); NOTIFY bell; COMMIT');
waits_become('standby', 'a commit waits for a standby');
push @sessions,
  $node->start_psql("SET application_name = 'committer'",
	'BEGIN; INSERT INTO tick VALUES (1); NOTIFY bell; COMMIT');
waits_become('standby, notify', '... and one with NOTIFY for that one');
push @sessions,
  $node->start_psql(
	"SET application_name = 'committer'; SET synchronous_commit = off",
	'BEGIN; INSERT INTO tick VALUES (1); NOTIFY bell; COMMIT');
waits_become('standby, notify, notify', '... even if it is asynchronous');
is( activity(q{string_agg(DISTINCT phase, ', ' ORDER BY phase)}),
	'NOTIFY lock, standby',
	'... in that phase');

# Nothing is left behind by a commit that fails.
my $failing = $node->background_psql('postgres', on_error_stop => 0);
$failing->query(q{SET application_name = 'failing';
SET lock_timeout = '100 ms';
BEGIN; INSERT INTO tick VALUES (1); NOTIFY bell; COMMIT;
});
like($failing->{stderr}, qr/canceling statement due to lock timeout/, 'a commit that fails');
is( $watcher->query_safe(q{SELECT committing_since, waiting_for FROM commit_activity a
JOIN pg_stat_activity s USING (pid) WHERE s.application_name = 'failing'}),
	'|',
	'... is over');
$failing->{stderr} = '';
$failing->quit;
$node->alter_system(synchronous_standby_names => '');
end_committers('standby', @sessions);

# Two COMMITs whose deferred triggers wait for each other's row
$node->sql(q{CREATE TABLE sums (id int PRIMARY KEY, n int); INSERT INTO sums VALUES (1, 0), (2, 0);
CREATE TABLE parts (id int)});
$node->create_deferred_trigger('parts', 'UPDATE sums SET n = n + 1 WHERE id = NEW.id');

# A session that is ready to commit; and its COMMIT, whose end this does not
# wait for
sub start_session (@statements)
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query_safe("SET application_name = 'committer'; @statements");
	return $session;
}

sub send_commit ($session)
{
	$session->{stdin} .= "COMMIT;\n";
	$session->{run}->pump_nb;
	return $session;
}

# The report, once $n commits wait for locks for so long that it names them
sub report_of_locked ($n)
{
	$node->wait_until(
		qq{SELECT count(*) = $n AND max(now() - query_start) > '1.5 s' FROM pg_stat_activity
WHERE application_name = 'committer' AND wait_event_type = 'Lock' AND query = 'COMMIT;'});
	return $node->report =~ s/\n +/ /gr;
}

my @circle = map {
	start_session("SET deadlock_timeout = '1h'; BEGIN;",
		"UPDATE sums SET n = 0 WHERE id = $_; INSERT INTO parts VALUES (3 - $_);")
} 1, 2;
send_commit($_) for @circle;
like(
	report_of_locked(2),
	qr/^2 commits wait now, .* \(a circle of waits, which the server ends /,
	'COMMITs that wait for each other: the report says that they do');
is(activity('count(*), bool_and(blocked_by = (pg_blocking_pids(pid))[1])'),
	'2|t', '... and commit_activity that one waits for the other');
$node->sql(
	"SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'committer'");
$_->quit for @circle;

# A holder that is in a COPY, which has not got all rows
my $copies = $node->background_psql('postgres');
$copies->query_safe('BEGIN; UPDATE sums SET n = 0');
$copies->{stdin} .= "COPY parts FROM STDIN;\n";
$copies->{run}->pump_nb;
$node->wait_until(q{SELECT count(*) = 1 FROM pg_stat_activity
WHERE query ~ 'COPY' AND state = 'active' AND wait_event = 'ClientRead'});
my $session = send_commit(start_session('BEGIN; INSERT INTO parts VALUES (1);'));
ok_soon 'a COMMIT waits for the row of a COPY: that one is not called idle',
  sub { activity("detail ~ 'held by pid \\d+ \\(waits for its client\\)\$'") eq 't' };
$copies->{stdin} .= "\\.\n";
$copies->query_safe('COMMIT');
$_->quit for $copies, $session;

# A client that does not read what a deferred trigger says: messages of
# protocol 3, each but the first one with a type and a length
$node->sql('CREATE TABLE spoken (n int)');
$node->create_deferred_trigger('spoken', q{RAISE NOTICE '%', repeat('x', 1000)});
my $deaf = IO::Socket::UNIX->new(Peer => $node->host . '/.s.PGSQL.' . $node->port)
  or die "cannot connect: $!\n";
my $role = $node->sql('SELECT current_user');
my $start = pack('N (Z*)* x', 0x30000, 'user', $role, 'database', 'postgres', 'application_name',
	'committer');
my $script = 'BEGIN; INSERT INTO spoken SELECT generate_series(1, 20000); COMMIT';
print $deaf pack('N', 4 + length $start), $start, pack('A N Z*', 'Q', 5 + length $script, $script);
$deaf->flush;
ok_soon 'a client does not read what it was sent', sub {
	activity("detail ~ ('until the client of pid ' || pid || ' reads what it was sent\$')") eq 't';
};
close($deaf);

# A COMMIT that waits for a prepared transaction, while more wait for a standby
$node->sql(q{BEGIN; UPDATE sums SET n = 0; PREPARE TRANSACTION 'forgotten'});
$node->alter_system(synchronous_standby_names => 'none');
$node->sql('SELECT commit_stats_reset()');
@sessions = start_committers(4);
waits_become('standby, standby, standby, standby', 'four wait for a standby');
push @sessions, $node->start_psql('BEGIN', 'INSERT INTO parts VALUES (1)', 'COMMIT');
ok_eventually 'the remedy for the lock of a prepared transaction', sub {
	$node->report =~ s/\n +/ /gr =~
	  /before the record: .* held by a prepared transaction\. -> unless one is under way, COMMIT PREPARED or ROLLBACK/;
};
$node->alter_system(synchronous_standby_names => '');
$node->sql(q{ROLLBACK PREPARED 'forgotten'});
end_committers('prepared transaction', @sessions);

# Commits that wait in an extension for others of the same server, which began
# later, and wait for a standby
SKIP:
{
	skip 'there is no postgres_fdw', 2 if !has_library('postgres_fdw');
	my ($host, $port) = ($node->host, $node->port);
	$node->sql(qq{CREATE EXTENSION postgres_fdw;
CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
CREATE USER MAPPING FOR CURRENT_USER SERVER here;
CREATE FOREIGN TABLE there (n int) SERVER here OPTIONS (table_name 'spoken');
DROP TRIGGER later ON spoken});
	$node->alter_system(synchronous_standby_names => 'none');
	@sessions = map {
		$node->start_psql(
			'BEGIN',
			'INSERT INTO there VALUES (1)',
			'INSERT INTO spoken VALUES (1)', 'COMMIT')
	} 1 .. 3;
	$node->wait_until(
		q{SELECT count(*) = 3 AND min(now() - query_start) > '1.5 s' FROM pg_stat_activity
WHERE wait_event = 'SyncRep'});
	like(
		$node->report,
		qr/^3 of 6 commits wait now, the longest for [\d.]+ s: standby 'none' is/,
		'a standby rather than the extension in which others wait for it');
	$node->alter_system(synchronous_standby_names => '');
	end_committers('postgres_fdw', @sessions);
}

$watcher->quit;
end_test($node);
