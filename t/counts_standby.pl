# Are the counts right on both ends of a streaming replication?
#
# A standby has counts of its own, which stay empty: nobody commits there
# before its promotion, and code for commits must not run there.  A commit that
# waits for the standby reaches its flush group long after the flush, and must
# still find it.

use CommitStats;

my $primary = start_node('primary',
	conf =>
	  'max_connections = 30; max_prepared_transactions = 2; max_logical_replication_workers = 0');

my $standby = add_standby($primary);
my ($counted, $records);

# Hot standby
run_pgbench($primary, '-c 2 -t 20', load => 'INSERT INTO logged VALUES (1)');
$primary->wait_for_catchup($standby);
is($standby->sql('SELECT count(*) FROM logged'),
	40, 'hot standby: commits of the primary have arrived');
is( $standby->sql(q{SELECT commits, commits_async, commits_unlogged, prepares, flushes, followers,
	   commits_without_leader, unresolved_flushes, wal_bytes,
	   (SELECT count(*) FROM commit_flush_histogram),
	   (SELECT count(*) FROM commit_sibling_histogram),
	   (SELECT count(*) FROM commit_flush_log),
	   (SELECT count(*) FROM commit_wal_stats)
FROM commit_flush_stats}),
	join('|', (0) x 13),
	'hot standby: they are not counted there');
is( $standby->sql(q{SELECT commits_read_only AS before FROM commit_flush_stats \gset
SELECT 1 \g /dev/null
SELECT 2 \g /dev/null
SELECT commits_read_only - :before FROM commit_flush_stats}),
	'3',
	'hot standby: reading is counted');

my $primary_reset = $primary->sql('SELECT stats_reset FROM commit_stats_info');

is( $standby->sql(q{SELECT commit_stats_reset() AS reset \gset
SELECT commits_read_only, stats_reset = :'reset' FROM commit_flush_stats}),
	'1|t',
	'hot standby: it can be reset');
is($primary->sql('SELECT stats_reset FROM commit_stats_info'),
	$primary_reset, 'hot standby: the primary has its own statistics');
like(
	error_of($standby, "COMMIT PREPARED 'nothing'"),
	qr/25006: cannot execute COMMIT PREPARED during recovery/,
	'hot standby: COMMIT PREPARED is refused by the server');
is($standby->sql('SELECT prepares FROM commit_flush_stats'),
	'0', 'hot standby: and the server is still there');

# Commits that wait for the standby
$primary->alter_system(synchronous_commit => 'remote_apply');
require_standby($primary, '*');

($counted, $records) = $primary->observe(sub {
	run_pgbench($primary, '-c 4 -j 2 -t 50', load => 'INSERT INTO logged VALUES (1)');
});
counts_load($counted, $records, 200, 'remote_apply');
is($counted->{unresolved_commits}, 0, 'remote_apply: all have a group');
views_agree($primary, 'remote_apply');
is($standby->sql('SELECT count(*) FROM logged'), 240, 'remote_apply: the standby has them');

my $late = $primary->background_psql('postgres', on_error_stop => 0);

# A commit that waits for the standby until that goes on
sub start_late_commit ($n)
{
	$late->query_until(
		qr/waits/, qq{
\\echo waits
INSERT INTO logged VALUES ($n);
\\echo done
});
	$primary->wait_until(q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'});
	return;
}

sub pause_standby
{
	$standby->sql('SELECT pg_wal_replay_pause()');
	$standby->wait_until("SELECT pg_get_wal_replay_pause_state() = 'paused'");
}

# Let one commit wait for as long as many others take.
for my $others (30, 300)
{
	pause_standby();
	($counted, $records) = $primary->observe(sub {
		start_late_commit(2);
		{
			local $ENV{PGOPTIONS} = '-c synchronous_commit=local';
			run_pgbench($primary, "-c 1 -t $others", local => 'INSERT INTO logged VALUES (3)');
		}
		is($primary->sql(q{SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'}),
			'1', "late by $others: the commit still waits");
		$standby->sql('SELECT pg_wal_replay_resume()');
		$late->query_until(qr/done/, "\n");
	});
	is($counted->{commits}, $others + 1, "late by $others: all are counted");
	is($counted->{unresolved_commits}, 0, "late by $others: the late one found its group");
	is($counted->{unresolved_flushes}, 0, "late by $others: and reported its flush");
}

# A wait that is cancelled: the transaction is committed all the same.
pause_standby();
($counted, $records) = $primary->observe(sub {
	start_late_commit(4);
	$primary->sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
WHERE wait_event = 'SyncRep'});
	$late->query_until(qr/done/, "\n");
});
is($records->{COMMIT}, 1, 'cancelled wait: it is committed');
is($counted->{commits}, 1, 'cancelled wait: it is counted');
$standby->sql('SELECT pg_wal_replay_resume()');
$late->quit;

# Promotion
$primary->wait_for_catchup($standby);

my $session = $standby->background_psql('postgres');

$session->query_safe('SELECT count(*) FROM logged');
run_pgbench($standby, '-n -c 1 -t 500', read => 'SELECT 1');
$primary->stop;
$standby->promote;
$standby->wait_until('SELECT NOT pg_is_in_recovery()');
require_standby($standby, '');

($counted, $records) = $standby->observe(sub {
	$session->query_safe('INSERT INTO logged VALUES (5)');
	run_pgbench($standby, '-c 4 -j 2 -t 25', load => 'INSERT INTO logged VALUES (6)');
});
counts_load($counted, $records, 101, 'promoted');
is($counted->{unresolved_commits}, 0, 'promoted: and their groups');
$standby->sql('SELECT commit_history_close()');
is($standby->sql('SELECT sum(commits) >= 101, sum(commits_read_only) < 500 FROM commit_history'),
	't|t', 'promoted: the history has them, and not what the standby has read');
is( $standby->sql(q{SELECT sum(commits) >= 101, sum(wal_records) >= 2 * 101,
	   bool_and(redo_lsn > '0/0' AND wal_distance >= 0)
FROM commit_wal_stats}),
	't|t|t',
	'promoted: and their WAL');
$session->quit;

# A primary that becomes a standby has no next cycle to measure the newest to.
$standby->stop;
append_to_file($standby->data_dir . '/standby.signal', '');
$standby->start;
is( $standby->sql(q{SELECT pg_is_in_recovery(), count(*) > 0,
	   bool_and((wal_distance IS NULL) = (redo_lsn = newest))
FROM commit_wal_stats, (SELECT max(redo_lsn) AS newest FROM commit_wal_stats) s}),
	't|t|t',
	'demoted: no distance to a next cycle');
like(
	$standby->report,
	qr/^PostgreSQL \S+, a standby, .*\nIts commits are of the time before it became a standby\.$/m,
	'demoted: when it committed');

end_test($standby, $primary);
