# What the tests of commit_database_stats share: a server with several
# databases, clients that come and go in all of them, and the counts to
# compare.  It exports what CommitStats.pm does, as well.

package Databases;

use CommitStats;

our @ISA = ('CommitStats');
our @EXPORT = (
	@CommitStats::EXPORT,
	qw(@databases $compare %mixture start_database_server start_clients
	  wait_until_left start_all finish_all agrees_with_server adds_up));

our @databases;

# The count of commit_stats beside the server's: xact_commit counts every
# transaction that ended with a commit, also those that read only, and the one
# in which COMMIT PREPARED or ROLLBACK PREPARED runs: one for each prepare that
# is not left.  It counts no rollbacks and no prepares.
our $compare = q{SELECT datname, commits + commits_async + commits_unlogged + commits_read_only
	   + prepares - (SELECT count(*) FROM pg_prepared_xacts WHERE database = datname),
	   xact_commit
FROM commit_database_stats JOIN pg_stat_database USING (datid, datname)
WHERE datname IN ('one', 'two', 'three') ORDER BY 1};

# Every kind of transaction, and some that fail.
our %mixture = (
	insert => 'INSERT INTO logged VALUES (1);',
	async => 'BEGIN; SET LOCAL synchronous_commit = off; INSERT INTO logged VALUES (2); COMMIT;',
	unlogged => 'INSERT INTO unlogged VALUES (1);',
	read => 'TABLE pg_am;',
	rollback => 'BEGIN; INSERT INTO logged VALUES (3); ROLLBACK;',
	savepoint => q{BEGIN; SAVEPOINT s; INSERT INTO logged VALUES (3);
ROLLBACK TO s; INSERT INTO logged VALUES (1); COMMIT;},
	prepare => q{BEGIN; INSERT INTO logged VALUES (4);
PREPARE TRANSACTION ':client_id of :run'; COMMIT PREPARED ':client_id of :run';},
	half => q{BEGIN; INSERT INTO logged VALUES (4);
PREPARE TRANSACTION ':client_id of :run';
ROLLBACK PREPARED ':client_id of :run';});

my $node;
my $runs = 0;

# Without launchers the server has no backends but those of the test.
sub start_database_server
{
	$node = start_node(
		'databases',
		conf => q{
restart_after_crash = on
max_logical_replication_workers = 0
max_connections = 100
max_prepared_transactions = 50
track_wal_io_timing = on
commit_delay = 300
commit_siblings = 1
commit_stats.flush_log_size = 128
});
	@databases = @_;
	for (@databases)
	{
		$node->sql("CREATE DATABASE $_");
		$node->safe_psql(
			$_, q{CREATE TABLE logged (n int);
CREATE UNLOGGED TABLE unlogged (n int)});
	}
	return $node;
}

# pgbench in one database.  The scripts use the number of the run, :run, for
# names of prepared transactions.
sub start_clients ($database, $options, %scripts)
{
	local $ENV{PGDATABASE} = $database;

	return start_pgbench($node, '-D run=' . ++$runs . " $options", %scripts);
}

# Wait until all clients have left, except those of the named databases.  Then
# both commit_stats and the server have counted all of their commits.
sub wait_until_left
{
	my $staying = join ',', 'postgres', @_;

	$node->wait_until(qq{SELECT count(*) = 0 FROM pg_stat_activity
WHERE datname <> ALL ('{$staying}') AND
	backend_type IN ('client backend', 'parallel worker')});
}

sub start_all
{
	return
	  map { (
		start_clients($_, '-c 3 -C -t 12', %mixture), start_clients($_, '-c 3 -t 40', %mixture)) }
	  @databases;
}

sub finish_all
{
	end_background($_) or die $_->{err} for @_;
	wait_until_left();
}

# "older" has, for each database, what only the server has counted:
# transactions from before a reset, and ends of those that were prepared before
# a crash.
sub agrees_with_server ($name, %older)
{
	my @rows = $node->rows($compare);

	is(scalar(@rows), scalar(@databases), "$name: all databases are there");
	for (@rows)
	{
		my ($database, $ours, $servers) = @$_;

		is($ours + ($older{$database} || 0), $servers, "$name: commits in $database");
	}
}

# Are the counters of all rows together those of commit_flush_stats?
sub adds_up ($name, $server = $node)
{
	view_adds_up($server, $_, "$name: $_") for 'commit_database_stats', 'commit_client_stats';
}

sub view_adds_up ($server, $view, $name)
{
	is( $server->sql(qq{SELECT key, sum, total FROM (
		SELECT CASE key WHEN 'commits_carried' THEN 'followers' ELSE key END AS key,
			   sum(value::numeric)
		FROM $view d, jsonb_each(to_jsonb(d))
		WHERE jsonb_typeof(value) = 'number' AND key <> 'wal_bytes' GROUP BY 1) d
	JOIN (
		SELECT key, value::numeric +
				CASE key WHEN 'followers' THEN commits_without_leader ELSE 0 END AS total
		FROM commit_flush_stats s, jsonb_each_text(to_jsonb(s))
		WHERE key NOT IN ('stats_reset')) s USING (key)
WHERE abs(sum - total) > CASE WHEN key LIKE '%_time' THEN 0.001 ELSE 0 END}),
		'',
		"$name: the rows add up to commit_flush_stats");
	is( $server->sql(qq{SELECT d.* FROM $view d, jsonb_each(to_jsonb(d))
WHERE CASE jsonb_typeof(value) WHEN 'number' THEN value::numeric < 0 END}),
		'',
		"$name: nothing is negative");
}

1;
