# Does commit_stats start from zero after a crash?
#
# Its shared memory must be as good as new then: without counts, flush groups
# and connected backends from before the crash.  The same holds after a clean
# restart with commit_stats.save = off.

use strict;
use warnings;

use lib 't';
use CommitStats;

# Without its launchers the server has no backends but ours.
my $node = start_node(
	'crash',
	conf => q{
restart_after_crash = on
max_logical_replication_workers = 0
max_prepared_transactions = 2
});
my $fresh = $node->sql('SELECT connected_backends, shared_memory FROM commit_stats_info');
my $stats_reset;

sub stats_reset
{
	return $node->sql('SELECT stats_reset FROM commit_stats_info');
}

# Are all counts from before forgotten, and are new ones right?
sub starts_from_zero
{
	my ($how) = @_;
	my ($counted, $records);

	is( $node->sql(q{SELECT commits, commits_async, commits_unlogged, prepares, flushes, followers,
	   commits_without_leader, delay_hits, delay_misses, delay_uncertain,
	   delay_time, commit_time, flush_time, timed_flushes,
	   unresolved_flushes, unresolved_commits, wal_bytes,
	   siblings_avg IS NULL, siblings_max IS NULL
FROM commit_flush_stats}),
		join('|', (0) x 17, 't', 't'),
		"$how: the counts start from zero");
	is( $node->sql(q{SELECT (SELECT count(*) FROM commit_flush_histogram),
	   (SELECT count(*) FROM commit_sibling_histogram),
	   (SELECT count(*) FROM commit_flush_log),
	   (SELECT coalesce(sum(commits), 0) FROM commit_wal_stats)}),
		'0|0|0|0',
		"$how: there are no flushes of the life before");
	is( $node->sql(qq{SELECT stats_reset > '$stats_reset',
	   stats_reset <= now(),
	   stats_reset = (SELECT stats_reset FROM commit_flush_stats)
FROM commit_stats_info}),
		't|t|t',
		"$how: stats_reset is new");
	# a moment may pass before the session of the psql before is gone
	ok( $node->poll_query_until(
			'postgres', 'SELECT connected_backends, shared_memory FROM commit_stats_info', $fresh),
		"$how: no backend of the life before is connected");

	($counted, $records) = observe(
		$node,
		sub {
			run_pgbench($node, '-c 4 -j 2 -t 50', load => 'INSERT INTO logged VALUES (1)');
		});
	is($records->{COMMIT}, 200, "$how: the load is what it should be");
	is($counted->{commits}, 200, "$how: commits are counted again");
	is($counted->{flushes} + $counted->{followers} + $counted->{commits_without_leader},
		200, "$how: and have their flushes");
	is( $node->sql(q{SELECT (SELECT sum(commits) FROM commit_flush_histogram)
	   + commits_without_leader + unresolved_commits = commits
FROM commit_flush_stats}),
		't',
		"$how: and their groups");
	return;
}

# A load that is running when the server ends.
sub start_load
{
	my $load =
	  start_pgbench($node, '-c 4 -t 100000000', endless => 'INSERT INTO logged VALUES (1)');

	$node->wait_until('SELECT commits > 100 FROM commit_flush_stats');
	$stats_reset = stats_reset();
	return $load;
}

# A backend is killed in the middle of its work; the postmaster lives on.
my $log_end = -s $node->logfile;
my $load = start_load();
my $victim = $node->sql(q{SELECT pid FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1});

like($victim, qr/^[1-9]\d*$/, 'there is a backend to kill')
  or die 'no process to kill';
is(system_log('pg_ctl', 'kill', 'KILL', $victim), 0, 'a backend is killed');
end_background($load);
$node->wait_for_log(
	qr/all server processes terminated; reinitializing.*database system is ready to accept connections/s,
	$log_end);
starts_from_zero('killed backend');

# A prepared transaction outlives the crash.  Its COMMIT PREPARED counts.
$node->sql(q{
BEGIN;
INSERT INTO logged VALUES (2);
PREPARE TRANSACTION 'survivor'});

# The whole server goes at once.
$load = start_load();
$node->stop('immediate');
end_background($load);
$node->start;
starts_from_zero('immediate stop');

my ($counted, $records) = observe($node, sub { $node->sql("COMMIT PREPARED 'survivor'") });
is($records->{COMMIT_PREPARED}, 1, 'a prepared transaction survived');
is($counted->{commits}, 1, 'and its commit is counted');

# A clean restart without commit_stats.save; persist_clean_restart.pl has the
# other.
$node->append_conf('postgresql.conf', 'commit_stats.save = off');
$node->reload;
$node->poll_query_until('postgres', 'SHOW commit_stats.save', 'off')
  or die 'the configuration was not reloaded';
$stats_reset = stats_reset();
$node->restart;
starts_from_zero('clean restart');

# Nothing else went wrong.
$node->stop;
my $log = slurp_file($node->logfile);
my @panics = $log =~ /^.*(?:PANIC|TRAP|signal 6|signal 11).*$/mg;
my @signals = $log =~ /terminated by signal (\d+)/g;

is("@panics", '', 'there was no PANIC');
is("@signals", '9', 'no process died except the victim');

done_testing();
