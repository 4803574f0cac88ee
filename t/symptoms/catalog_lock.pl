# Are commits that wait for a lock of a catalog called by the catalog, and
# never "notify"?
#
# ON COMMIT DROP takes a lock on catalogs inside COMMIT.  A session holds
# pg_type (pg_class is needed to look anything up), then an advisory lock for
# which a deferred trigger waits, then a row in a prepared transaction.

use Symptoms;

my $node = make_situation('catalog', conf => "max_prepared_transactions = 5\n");

$node->sql(q{CREATE TABLE jobs (n int);
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (id int REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
INSERT INTO parent VALUES (1);
});
$node->create_deferred_trigger('jobs', 'PERFORM pg_advisory_xact_lock(42)');

# A session that is ready to commit; it begins its COMMIT without waiting for
# the end.
sub ready_to_commit (@statements)
{
	my $session = $node->background_psql('postgres');

	$session->query_safe(join ';', "SET application_name = 'app'", 'BEGIN', @statements);
	return $session;
}

sub start_commit ($session)
{
	$session->{stdin} .= "COMMIT;\n";
	$session->{run}->pump_nb;
	$node->wait_until(
		q{SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'app'
AND query ~ 'COMMIT' AND wait_event_type = 'Lock' AND now() - query_start > '1.2 s'});
	return;
}

# A session that holds a lock; returns its pid as well.
sub hold ($statement)
{
	my $session = $node->background_psql('postgres');
	my $pid = $session->query_safe("BEGIN; $statement; SELECT pg_backend_pid()");

	return ($session, $pid =~ s/.*\n//sr);
}

sub hangs_for ($pattern, $phase, $pid, $name)
{
	my $report = report_of($node);

	like($report->{now}, qr/^1 commit waits now, the longest for [\d.]+ s: for $pattern\.$/, $name);
	is( $node->sql(q{SELECT phase, coalesce(blocked_by, 0) FROM commit_activity
WHERE committing_since IS NOT NULL}),
		"$phase|$pid",
		"$name: ... in its phase, behind this process");
	like($node->sql(q{SELECT waiting_for FROM commit_activity WHERE committing_since IS NOT NULL}),
		qr/^$pattern$/, "$name: commit_activity says the same");
	unlike($report->{text}, qr/NOTIFY lock|lock of NOTIFY/, "$name: NOTIFY is not named");
	return;
}

# A catalog
my $session = ready_to_commit('CREATE TEMP TABLE t (n int) ON COMMIT DROP');
my ($holder, $pid) = hold('LOCK pg_type IN SHARE MODE');
start_commit($session);
hangs_for(qr/relation pg_type, held by pid $pid \(idle in transaction\)/,
	'record', $pid, 'ON COMMIT DROP');
$_->quit for $holder, $session;

# pg_class itself: names cannot be looked up, and the report does not wait for
# it.  Another session looks, which has read the report before.
my $watcher = $node->background_psql('postgres');
$watcher->query_safe(q{SET statement_timeout = '20s'; SELECT commit_stats_report()});
$session = ready_to_commit('CREATE TEMP TABLE t (n int) ON COMMIT DROP');
($holder, $pid) = hold('LOCK pg_class IN ACCESS EXCLUSIVE MODE');
$session->{stdin} .= "COMMIT;\n";
$session->{run}->pump_nb;
ok_soon 'pg_class is locked: the report does not wait, and has its OID', sub {
	return $watcher->query_safe('SELECT commit_stats_report()') =~
	  /^1 commit waits now, the longest for [\d.]+ s:\s+for\s+relation\s+1259\s+of\s+database\s+\d+,\s+held\s+by\s+pid\s+$pid /;
}, 5;
$watcher->quit;
$_->quit for $holder, $session;

# Another database
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION commit_stats');
$session = ready_to_commit('CREATE TEMP TABLE t (n int) ON COMMIT DROP');
($holder, $pid) = hold('LOCK pg_type IN SHARE MODE');
start_commit($session);
like(
	$node->safe_psql('other', 'SELECT detail FROM commit_activity WHERE detail IS NOT NULL'),
	qr/^for relation 1247 of database \d+, held by pid $pid /,
	'in another database, it has its OID, too');
$_->quit for $holder, $session;

# An advisory lock
$session = ready_to_commit('INSERT INTO jobs VALUES (1)');
($holder, $pid) = hold('SELECT pg_advisory_xact_lock(42)');
start_commit($session);
hangs_for(qr/advisory lock 42, held by pid $pid \(idle in transaction\)/,
	'before', $pid, 'advisory lock');
$_->quit for $holder, $session;

# A relation whose name would begin a line of the report
$node->sql(qq{CREATE TABLE "odd\nWhy" (n int);
CREATE TABLE tasks (n int)});
$node->create_deferred_trigger('tasks', qq{LOCK TABLE "odd\nWhy"});
$session = ready_to_commit('INSERT INTO tasks VALUES (1)');
($holder, $pid) = hold(qq{LOCK TABLE "odd\nWhy"});
start_commit($session);
hangs_for(qr/relation odd\?Why, held by pid $pid \(idle in transaction\)/,
	'before', $pid, 'a name with a line break');
$_->quit for $holder, $session;

# A row of a prepared transaction
$session = ready_to_commit('INSERT INTO child VALUES (1)');
$node->sql(q{BEGIN; DELETE FROM parent; PREPARE TRANSACTION 'forgotten'});
start_commit($session);
hangs_for(qr/transaction \d+, held by a prepared transaction/, 'before', 0, 'prepared transaction');

# ... for which another two wait, the last one behind the other
$node->sql('CREATE TABLE orders (n int)');
$node->create_deferred_trigger('orders', 'UPDATE parent SET id = id');
my @sessions = map { $node->start_psql('BEGIN', 'INSERT INTO orders VALUES (1)', 'COMMIT') } 1 .. 2;
$node->wait_until(
	q{SELECT count(*) = 3 AND count(DISTINCT waiting_for) = 2 FROM commit_activity
WHERE waiting_for ~ 'held by a prepared transaction'});
like(
	report_of($node)->{now},
	qr/^3 commits wait now, .*: for row of relation parent, held by a prepared transaction\.$/,
	'all three wait for the prepared transaction');
$node->sql(q{ROLLBACK PREPARED 'forgotten'});
ok(end_background($_), 'a commit ends') for @sessions;
$session->quit;

end_test($node);
