# Does every commit count for the database of its session?
#
# A backend counts for itself.  When it exits, its counts are added to those of
# its database.  Here many come and go, in every way.  The witness is
# pg_stat_database: its xact_commit is the sum of our four kinds of commits,
# exactly, also after a crash.

use Databases;

my $node = start_database_server(qw(one two three));

# Short and long connections to all databases at once.
finish_all(start_all());
agrees_with_server('all at once');
adds_up('all at once');
is( $node->sql(q{SELECT count(*) FROM commit_database_stats
WHERE status = 'present' AND least(commits, commits_async, commits_unlogged,
	commits_read_only, prepares, flushes, delay_hits, delay_time, commit_time,
	flush_time, timed_flushes, share) > 0 AND datname <> 'postgres'}),
	3,
	'all at once: everything was counted in each of them');
is( $node->sql(
		q{SELECT sum(delay_hits) > 0 AND sum(commits_carried) > 0 FROM commit_database_stats}),
	't',
	'all at once: there were followers and delays');

# Backends that are still connected, and then are terminated.
my @present = map {
	start_clients(
		$_, '-c 5 -t 1', present => q{INSERT INTO logged VALUES (5);
INSERT INTO logged VALUES (6);
SELECT pg_stat_force_next_flush();
SELECT pg_sleep(3600);
})
} @databases;
$node->wait_until(q{SELECT count(*) = 15 FROM pg_stat_activity WHERE wait_event = 'PgSleep'});
agrees_with_server('still there');
adds_up('still there');
my $before = $node->sql($compare);
$node->sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE wait_event = 'PgSleep'});
end_background($_) for @present;
wait_until_left();
is($node->sql($compare), $before, 'gone: nothing is lost and nothing counted twice');
adds_up('gone');

# Backends that are terminated in the middle of their work, over and over.
for (1 .. 3)
{
	my @killed = map { start_clients($_, '-c 4 -t 100000', %mixture) } @databases;
	my $commits = "SELECT sum(commits) FROM commit_database_stats";
	my $now = $node->sql($commits);

	$node->wait_until("SELECT ($commits) > $now + 50");
	$node->sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()});
	end_background($_) for @killed;
}
wait_until_left();
agrees_with_server('terminated');
adds_up('terminated');

# Their prepared transactions stay.  The session that commits one counts it.
$node->safe_psql(
	$_, q{SELECT format('COMMIT PREPARED %L', gid) FROM pg_prepared_xacts
WHERE database = current_database() \gexec
}) for @databases;
wait_until_left();
agrees_with_server('left behind');

# A parallel query commits once.  Each worker starts with a transaction of its
# own, which counts as read-only, as it does for the server.
like(
	$node->safe_psql(
		'one', q{INSERT INTO logged SELECT generate_series(101, 20000);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT count(*) FROM logged}),
	qr/Workers Launched: [12]/,
	'parallel query: there were workers');
wait_until_left();
agrees_with_server('parallel query');
adds_up('parallel query');

# A process without a database.
my $no_database = q{SELECT datid, datname, commits, commits_read_only FROM commit_database_stats
WHERE status = 'no database'};

my $alone = $node->sql($no_database);
$node->psql('postgres', 'IDENTIFY_SYSTEM', replication => 'true');
my $with_walsender = $node->sql($no_database);
like($with_walsender, qr/^\|\|0\|[1-9]\d*$/, 'no database: there is a row without a name');
isnt($with_walsender, $alone, 'no database: a walsender counts there');
adds_up('no database');

# A backend is killed under load: the server restarts its processes and counts
# from zero, as commit_stats does.
my @load = map { start_clients($_, '-c 3 -t 100000', %mixture) } @databases;
$node->wait_until(q{SELECT count(DISTINCT datid) = 3 FROM pg_stat_activity
WHERE datname IN ('one', 'two', 'three') AND state = 'active'});
kill_backend($node, "datname = 'one'");
end_background($_) for @load;
is($node->sql(q{SELECT string_agg(datname, ' '), sum(commits) FROM commit_database_stats}),
	'postgres|0', 'killed: everything starts from zero');
# the transactions prepared just then still hold their locks

my %left = map {
	$_ => $node->safe_psql($_,
		'SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()')
} @databases;

$node->safe_psql(
	$_, q{SELECT format('ROLLBACK PREPARED %L', gid) FROM pg_prepared_xacts
WHERE database = current_database() \gexec
}) for @databases;
finish_all(start_all());
agrees_with_server('after the crash', %left);
adds_up('after the crash');

ends_well($node, 1);
done_testing();
