# Are commits counted for the database that they were done in?
#
# A backend counts for itself, and its counts are added to those of its database
# when it leaves; here many come and go, by whichever way.  The witness is the
# server's pg_stat_database: its xact_commit has every transaction that ended
# with a commit, also those that read only, and counts COMMIT PREPARED both for
# the statement and for what it committed, as we do.  It has no rollbacks and no
# prepares.  So it is the sum of our four kinds of commits, exactly.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CommitStats;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Without launchers there is nobody but us.
my $node = start_node('databases',
	conf => q{
restart_after_crash = on
max_logical_replication_workers = 0
max_connections = 100
max_prepared_transactions = 50
track_wal_io_timing = on
commit_delay = 300
commit_siblings = 1
});
my @databases = qw(one two three);
my $max = $node->safe_psql('postgres',
	'SELECT databases_max FROM commit_stats_info');

# Our count beside the server's.
my $compare = q{
SELECT datname, commits + commits_async + commits_unlogged + commits_read_only,
	   xact_commit
FROM commit_database_stats JOIN pg_stat_database USING (datid, datname)
WHERE datname IN ('one', 'two', 'three') ORDER BY 1};

# Whichever kind of transaction, and some that fail.
my %mixture = (
	insert => 'INSERT INTO logged VALUES (1);',
	async => q{
BEGIN;
SET LOCAL synchronous_commit = off;
INSERT INTO logged VALUES (2);
COMMIT;
},
	unlogged => 'INSERT INTO unlogged VALUES (1);',
	read => 'SELECT count(*) FROM unlogged;',
	rollback => 'BEGIN; INSERT INTO logged VALUES (3); ROLLBACK;',
	prepare => q{
BEGIN;
INSERT INTO logged VALUES (4);
PREPARE TRANSACTION ':client_id of :random_seed';
COMMIT PREPARED ':client_id of :random_seed';
},
	half => q{
BEGIN;
INSERT INTO logged VALUES (4);
PREPARE TRANSACTION ':client_id of :random_seed';
ROLLBACK PREPARED ':client_id of :random_seed';
});

my $runs = 0;

# pgbench in one database; --random-seed tells the runs apart.
sub start_clients
{
	my ($database, $options, %scripts) = @_;
	my @files;
	my $log = $node->basedir . '/pgbench.log';

	for my $name (sort keys %scripts)
	{
		my $path = $node->basedir . "/$name.sql";

		append_to_file($path, $scripts{$name}) if !-e $path;
		push @files, '-f', $path;
	}
	$runs++;
	return IPC::Run::start(
		[
			$node->installed_command('pgbench'), '-n', '-h', $node->host,
			'-p', $node->port, "--random-seed=$runs", split(/ /, $options),
			@files, $database
		],
		'>', \my $out, '2>>', $log);
}

# Until all clients have left, but those of databases that are named.  Then all
# that they have committed is counted, by the server as well.
sub wait_until_left
{
	my $staying = join ',', 'postgres', @_;

	$node->poll_query_until('postgres', qq{
SELECT count(*) = 0 FROM pg_stat_activity
WHERE datname <> ALL ('{$staying}') AND
	backend_type IN ('client backend', 'parallel worker')})
	  or die "the clients did not leave\n";
	return;
}

sub start_all
{
	return map {
		(
			start_clients($_, '-c 3 -C -t 30', %mixture),
			start_clients($_, '-c 3 -t 100', %mixture))
	} @databases;
}

sub finish_all
{
	$_->finish or die slurp_file($node->basedir . '/pgbench.log') for @_;
	wait_until_left();
	return;
}

sub agrees_with_server
{
	my ($name) = @_;
	my @rows = split /\n/, $node->safe_psql('postgres', $compare);

	is(scalar(@rows), scalar(@databases), "$name: all databases are there");
	for (@rows)
	{
		my ($database, $ours, $servers) = split /\|/;

		is($ours, $servers, "$name: commits in $database");
	}
	return;
}

# Counters of all rows together, and the same of commit_flush_stats.
sub adds_up
{
	my ($name) = @_;

	is( $node->safe_psql('postgres', q{
SELECT key, sum, total FROM (
		SELECT CASE key WHEN 'commits_carried' THEN 'followers' ELSE key END AS key,
			   sum(value::numeric)
		FROM commit_database_stats d, jsonb_each_text(to_jsonb(d))
		WHERE key NOT IN ('datid', 'datname', 'status', 'share') GROUP BY 1) d
	JOIN (
		SELECT key, value::numeric +
				CASE key WHEN 'followers' THEN commits_without_leader ELSE 0 END AS total
		FROM commit_flush_stats s, jsonb_each_text(to_jsonb(s))
		WHERE key NOT IN ('stats_reset')) s USING (key)
WHERE abs(sum - total) > CASE WHEN key LIKE '%\_time' THEN 0.001 ELSE 0 END}),
		'', "$name: the rows add up to commit_flush_stats");
	is( $node->safe_psql('postgres', q{
SELECT d.* FROM commit_database_stats d, jsonb_each(to_jsonb(d))
WHERE CASE jsonb_typeof(value) WHEN 'number' THEN value::numeric < 0 END}),
		'', "$name: nothing is negative");
	return;
}

for (@databases)
{
	$node->safe_psql('postgres', "CREATE DATABASE $_");
	$node->safe_psql($_, q{
CREATE TABLE logged (n int);
CREATE UNLOGGED TABLE unlogged (n int)});
}

#
# Short and long connections to all of them at once.
#
finish_all(start_all());
agrees_with_server('all at once');
adds_up('all at once');
is( $node->safe_psql('postgres', q{
SELECT count(*) FROM commit_database_stats
WHERE status = 'present' AND least(commits, commits_async, commits_unlogged,
	commits_read_only, prepares, flushes, delay_hits, delay_time, commit_time,
	flush_time, timed_flushes, share) > 0 AND datname <> 'postgres'}),
	3, 'all at once: everything was counted in each of them');
is( $node->safe_psql('postgres', q{
SELECT sum(delay_hits) > 0 AND sum(commits_carried) > 0 FROM commit_database_stats}),
	't', 'all at once: there were followers and delays');

#
# Backends that are there still, and then are told to go.
#
my @present = map {
	start_clients(
		$_, '-c 5 -t 1', present => q{
INSERT INTO logged VALUES (5);
INSERT INTO logged VALUES (6);
SELECT pg_stat_force_next_flush();
SELECT pg_sleep(3600);
})
} @databases;
$node->poll_query_until('postgres', q{
SELECT count(*) = 15 FROM pg_stat_activity WHERE wait_event = 'PgSleep'})
  or die "the clients are not there\n";
agrees_with_server('still there');
adds_up('still there');
my $before = $node->safe_psql('postgres', $compare);
$node->safe_psql('postgres', q{
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE wait_event = 'PgSleep'});
$_->finish for @present;
wait_until_left();
is($node->safe_psql('postgres', $compare),
	$before, 'gone: nothing is lost and nothing counted twice');
adds_up('gone');

#
# Terminated in the middle of their work, over and over.
#
for (1 .. 4)
{
	my @killed = map { start_clients($_, '-c 4 -t 100000', %mixture) } @databases;
	my $commits = "SELECT sum(commits) FROM commit_database_stats";
	my $now = $node->safe_psql('postgres', $commits);

	$node->poll_query_until('postgres', "SELECT ($commits) > $now + 50")
	  or die "there is no load\n";
	$node->safe_psql('postgres', q{
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()});
	$_->finish for @killed;
}
wait_until_left();
agrees_with_server('terminated');
adds_up('terminated');

# What they prepared stays behind; whoever commits it counts it.
$node->safe_psql($_, q{
SELECT format('COMMIT PREPARED %L', gid) FROM pg_prepared_xacts
WHERE database = current_database() \gexec
}) for @databases;
wait_until_left();
agrees_with_server('left behind');

#
# A parallel query commits once; only its workers' own transactions, with which
# they start, count as read-only ones, as they do for the server.
#
like(
	$node->safe_psql('one', q{
INSERT INTO logged SELECT generate_series(101, 20000);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT count(*) FROM logged}),
	qr/Workers Launched: [12]/, 'parallel query: there were workers');
wait_until_left();
agrees_with_server('parallel query');
adds_up('parallel query');

#
# A process without a database.
#
my $no_database = q{
SELECT datid, datname, commits, commits_read_only FROM commit_database_stats
WHERE status = 'no database'};

my $alone = $node->safe_psql('postgres', $no_database);
$node->psql('postgres', 'IDENTIFY_SYSTEM', replication => 'true');
my $with_walsender = $node->safe_psql('postgres', $no_database);
like($with_walsender, qr/^\|\|0\|[1-9]\d*$/,
	'no database: there is a row without a name');
isnt($with_walsender, $alone, 'no database: a walsender counts there');
adds_up('no database');

#
# A database is dropped.
#
my $row_of_three = q{
SELECT datid, commits, commits_async, commits_unlogged, prepares, commit_time
FROM commit_database_stats WHERE datid = };
my $three = $node->safe_psql('postgres',
	"SELECT oid FROM pg_database WHERE datname = 'three'");

$before = $node->safe_psql('postgres', $row_of_three . $three);
$node->safe_psql('postgres', 'DROP DATABASE three');
is( $node->safe_psql('postgres', qq{
SELECT datname IS NULL, status FROM commit_database_stats WHERE datid = $three}),
	't|dropped', 'dropped: it has no name');
is($node->safe_psql('postgres', $row_of_three . $three),
	$before, 'dropped: but its counts');
adds_up('dropped');
pop @databases;

#
# Reset over and over, while clients come and go.  What is read of either view is
# never more than what the other one shows afterwards, or a commit that was under
# way was before the reset for one of them only, or a backend that was about to
# leave was missed or seen twice.
#
$node->safe_psql('postgres', q{
CREATE FUNCTION counts_of_databases() RETURNS bigint[] LANGUAGE sql AS $$
	SELECT ARRAY[sum(commits), sum(commits_async), sum(commits_read_only), sum(flushes),
				 least(min(commits), min(commits_async), min(commits_read_only),
					   min(prepares), min(flushes), min(commits_carried))]::bigint[]
	FROM commit_database_stats()
$$;
CREATE FUNCTION compare(reset boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	before bigint[];
	total bigint[];
	after bigint[];
BEGIN
	FOR i IN 1 .. 50 LOOP
		IF reset THEN
			PERFORM commit_stats_reset();
		END IF;
		before := counts_of_databases();
		SELECT ARRAY[commits, commits_async, commits_read_only, flushes]
		INTO total FROM commit_flush_stats();
		after := counts_of_databases();
		FOR c IN 1 .. 4 LOOP
			IF before[c] > total[c] OR total[c] > after[c] OR before[5] < 0 THEN
				RAISE EXCEPTION 'before: %, total: %, after: %', before, total, after;
			END IF;
		END LOOP;
	END LOOP;
END $$;
});
my @load = map { (
		start_clients($_, '-c 4 -C -t 100000', %mixture{ 'insert', 'read' }),
		start_clients($_, '-c 2 -t 100000', %mixture{ 'async', 'read' }))
} @databases;
my $resets = start_clients('postgres', '-c 1 -t 100',
	resets => 'SELECT compare(true); SELECT compare(false);');

ok($resets->finish, 'reset under load: the views agree')
  or diag(slurp_file($node->basedir . '/pgbench.log'));
$_->kill_kill for @load;
wait_until_left();
adds_up('after resets under load');
is( $node->safe_psql('postgres', qq{
SELECT count(*) FROM commit_database_stats WHERE datid = $three}),
	0, 'a reset forgets dropped databases');

# From a reset at rest on, everything is exact again.
$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
is( $node->safe_psql('postgres', q{
SELECT string_agg(datname, ' '), sum(commits), sum(commits_async), sum(share)
FROM commit_database_stats}),
	'postgres|0|0|',
	'reset at rest: only who is there has a row');
my %since = map { split /\|/ } split /\n/, $node->safe_psql('postgres',
	'SELECT datname, xact_commit FROM pg_stat_database WHERE datname IS NOT NULL');
finish_all(start_all());
for (split /\n/, $node->safe_psql('postgres', $compare))
{
	my ($database, $ours, $servers) = split /\|/;

	is($ours, $servers - $since{$database}, "since a reset: commits in $database");
}
adds_up('since a reset');

#
# A backend is killed: the server starts again, and so does all that is counted,
# by the server as well.
#
@load = map { start_clients($_, '-c 3 -t 100000', %mixture) } @databases;
$node->poll_query_until('postgres', q{
SELECT count(DISTINCT datid) = 2 FROM pg_stat_activity
WHERE datname IN ('one', 'two') AND state = 'active'})
  or die "there is no load\n";
my $victim = $node->safe_psql('postgres', q{
SELECT pid FROM pg_stat_activity WHERE datname = 'one' LIMIT 1});
my $log_end = -s $node->logfile;

like($victim, qr/^[1-9]\d*$/, 'killed: there is a backend to kill')
  or die "no process to kill\n";
is(system_log('pg_ctl', 'kill', 'KILL', $victim), 0, 'killed: it is gone');
$_->finish for @load;
$node->wait_for_log(
	qr/all server processes terminated; reinitializing.*database system is ready to accept connections/s,
	$log_end);
is( $node->safe_psql('postgres', q{
SELECT string_agg(datname, ' '), sum(commits) FROM commit_database_stats}),
	'postgres|0', 'killed: everything starts from zero');
# what was prepared just then has kept its locks
$node->safe_psql($_, q{
SELECT format('ROLLBACK PREPARED %L', gid) FROM pg_prepared_xacts
WHERE database = current_database() \gexec
}) for @databases;
finish_all(start_all());
agrees_with_server('after the crash');
adds_up('after the crash');

#
# More databases than there is room for.  So many would take a minute to create;
# but to connect to, and to read from, a database is a row in pg_database and a
# folder, and these can all have the same one.
#
my $tracked = 'SELECT databases_tracked FROM commit_stats_info';
my $overflow = q{
SELECT datid, datname, commits, commits_async, commits_unlogged, share > 0
FROM commit_database_stats WHERE status = 'overflow'};
my $first_oid = 1_000_000_000;

# Connect to database many_n, for each of them.
sub connect_to_many
{
	$node->safe_psql('postgres',
		join("\n", map { "\\c many_$_\nSELECT 1;" } @_));
	wait_until_left('late');
	return;
}

$node->safe_psql('postgres', 'CREATE DATABASE files');
$node->safe_psql('postgres', 'CREATE DATABASE late');
$node->safe_psql('postgres', qq{
INSERT INTO pg_database
SELECT (jsonb_populate_record(d,
		jsonb_build_object('oid', $first_oid + n, 'datname', 'many_' || n))).*
FROM pg_database d, generate_series(1, $max) n WHERE datname = 'files'});
my $files = $node->safe_psql('postgres',
	"SELECT oid FROM pg_database WHERE datname = 'files'");
symlink $files, $node->data_dir . '/base/' . ($first_oid + $_)
  or die "symlink: $!\n"
  for 1 .. $max;
$node->safe_psql('postgres', 'CHECKPOINT');

is($node->safe_psql('postgres', $tracked), 3, 'bound: three databases so far');
connect_to_many(1 .. $max - 3);
is($node->safe_psql('postgres', $tracked), $max, 'bound: all rows are in use');
is($node->safe_psql('postgres', $overflow), '', 'bound: nothing has overflowed');

my $write = q{
INSERT INTO logged VALUES (1);
INSERT INTO logged VALUES (2);
SET synchronous_commit = off;
INSERT INTO logged VALUES (3);
RESET synchronous_commit};

my $late = $node->background_psql('late');
$late->query_safe("CREATE TABLE logged (n int); $write");
is( $node->safe_psql('postgres', $overflow),
	'||3|1|0|t', 'bound: what comes later is counted together');
connect_to_many($max - 2);
$late->query_safe('SELECT pg_stat_force_next_flush()');
is( $node->safe_psql('postgres', q{
SELECT sum(commits + commits_async + commits_unlogged + commits_read_only) =
	(SELECT sum(xact_commit) FROM pg_stat_database
	 WHERE datid IS NOT NULL AND datid NOT IN
	 (SELECT datid FROM commit_database_stats WHERE datid IS NOT NULL)
	 AND datname NOT IN ('template0', 'template1'))
FROM commit_database_stats WHERE status = 'overflow'}),
	't', 'bound: as many as the server has for these');
is($node->safe_psql('postgres', $tracked), $max,
	'bound: nobody has lost a row for them');
my $of_one = q{SELECT commits FROM commit_database_stats WHERE datname = 'one'};
$before = $node->safe_psql('postgres', $of_one);
$node->safe_psql('one', $write);
is($node->safe_psql('postgres', $of_one),
	$before + 2, 'bound: who has a row counts there');
adds_up('bound');

# A reset makes room for those who are there.
$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
is($node->safe_psql('postgres', $overflow), '', 'room again: no overflow');
is($node->safe_psql('postgres', $tracked), 2, 'room again: two databases');
$late->query_safe($write);
is( $node->safe_psql('postgres', q{
SELECT datname, status, commits, commits_async FROM commit_database_stats
WHERE datname <> 'postgres'}),
	'late|present|2|1', 'room again: who had none has a row');
$late->quit;
wait_until_left();
is( $node->safe_psql('postgres', q{
SELECT commits, commits_async FROM commit_database_stats
WHERE datname = 'late'}),
	'2|1', 'room again: and leaves its counts there');
adds_up('room again');

$node->stop;
done_testing();
