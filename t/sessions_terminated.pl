# Does a session that is terminated in the middle of any call end, and leave
# nothing behind?
#
# One session for each view and function in the catalogs calls it in a loop,
# and others commit.  The test terminates all of them at once, beside a load
# that must not notice.  Then it repeats this with the function that excludes
# another.

use lib 't';
use CommitStats;

my $node = start_node(
	'terminated', conf => q{
max_logical_replication_workers = 0
max_prepared_transactions = 10
track_wal_io_timing = on
commit_delay = 100
commit_siblings = 1
});

# Functions with arguments, with which they take long.
my %calls = (
	commit_stats_sample => "commit_stats_sample('1 hour')",
	commit_delay_sweep => "commit_delay_sweep('{0,1000}', '{0}', '1 hour', '2 s')",
	commit_delay_whatif => "commit_delay_whatif('{0,1000}', '{0}', sample => '5 min')");
my @experiments = qw(commit_delay_sweep commit_delay_whatif);

# All views and functions, in the form that can stand after FROM.
my %objects;

for (
	split /\n/,
	$node->sql(q{SELECT CASE WHEN c.oid IS NOT NULL THEN c.relname ELSE p.proname || '()' END,
	   coalesce(c.relname, p.proname), p.pronargs
FROM pg_depend d LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
	 LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND
	  d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'commit_stats') AND
	  (c.oid IS NOT NULL OR p.oid IS NOT NULL)}))
{
	my ($object, $name, $arguments) = split /\|/;

	if ($arguments)
	{
		$objects{$object} = $calls{$name}
		  or die "how is $name to be called?\n";
	}
	else
	{
		$objects{$object} = $object;
	}
}

# A named session that repeats a statement without end.
sub start_named ($name, $code)
{
	return start_psql(
		$node,
		"SET application_name = 'victim $name'",
		"SET client_min_messages = warning",
		"DO \$\$ BEGIN LOOP $code; END LOOP; END \$\$");
}

# The counts of different views beside each other.  Reading them counts as
# well, but in no column that this uses.
sub add_up
{
	return $node->sql(
		q{WITH d AS (SELECT sum(commits) AS commits, sum(commits_async) AS commits_async,
				  sum(prepares) AS prepares, sum(flushes) AS flushes
		   FROM commit_database_stats),
	 h AS (SELECT sum(commits) AS commits, sum(flushes) AS flushes
		   FROM commit_flush_histogram),
	 l AS (SELECT sum(commits) AS commits FROM commit_latency_stats
		   WHERE role <> 'asynchronous'),
	 w AS (SELECT sum(commits) AS commits FROM commit_wal_stats)
SELECT d.commits = s.commits, d.commits_async = s.commits_async,
	   d.prepares = s.prepares, d.flushes = s.flushes,
	   h.commits = s.commits - s.commits_without_leader - s.unresolved_commits,
	   h.flushes = s.flushes - s.unresolved_flushes,
	   l.commits = s.commits,
	   w.commits = s.commits + s.commits_async + s.commits_unlogged
FROM commit_flush_stats s, d, h, l, w});
}

sub nothing_is_left ($how)
{
	is($node->sql(q{SELECT sweep_pid IS NULL, capturing FROM commit_stats_info}),
		't|f', "$how: no experiment is left");
	is($node->sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"),
		0, "$how: no lock is left");
}

# All at once, but for one of the functions that exclude each other.
sub terminate_all ($without)
{
	my $how = "without $without";
	my %sessions;

	for my $object (grep { $_ ne "$without()" } sort keys %objects)
	{
		$sessions{$object} = start_named($object, "PERFORM * FROM $objects{$object}");
	}
	$sessions{'nothing but commits'} =
	  start_named('nothing but commits', 'INSERT INTO logged VALUES (1); COMMIT');
	$sessions{'asynchronous commits'} = start_named('asynchronous commits',
		'SET LOCAL synchronous_commit = off; INSERT INTO logged VALUES (1); COMMIT');

	$node->poll_query_until(
		'postgres',
		q{SELECT count(*) = } .
		  keys(%sessions)
		  . q{ FROM pg_stat_activity
WHERE application_name LIKE 'victim %' AND state = 'active' AND query LIKE 'DO %'}
	) or die "not all are at work\n";
	# sessions that measure are in the middle of it
	$node->wait_until(q{SELECT sweep_pid IS NOT NULL OR capturing FROM commit_stats_info});
	is( $node->sql(q{SELECT count(*) FROM pg_stat_activity
WHERE application_name LIKE 'victim %' AND pg_terminate_backend(pid)}),
		keys(%sessions),
		"$how: all are told to end");
	for my $object (sort keys %sessions)
	{
		end_background($sessions{$object});
		like(
			$sessions{$object}{err},
			qr/FATAL:  57P01: terminating connection due to administrator command/,
			"$how, $object: the error");
		unlike($sessions{$object}{err}, qr/ERROR|PANIC|WARNING/, "$how, $object: nothing else");
	}
	# who was told to end may have left the client first
	$node->wait_until(
		q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name LIKE 'victim %'});
	nothing_is_left($how);
}

# Two loads that the test does not terminate
my $load = start_pgbench($node, '-c 2 -T 600', load => "INSERT INTO logged VALUES (1);\n");

terminate_all($_) for @experiments;
is(errors_so_far($load), '', 'the other sessions go on');
end_pgbench($node, $load);

# Without resets, all their commits until the end count.
my ($counted, $records) = observe(
	$node,
	sub {
		delete $objects{'commit_stats_reset()'}
		  or die "there is no reset\n";
		$load = start_pgbench($node, '-c 2 -T 600', load => "INSERT INTO logged VALUES (1);\n");
		terminate_all($_) for @experiments;
		is(errors_so_far($load), '', 'the other sessions still go on');
		end_pgbench($node, $load);
	});
cmp_ok($records->{COMMIT}, '>', 0, 'there was a load');
is($counted->{commits} + $counted->{commits_async},
	$records->{COMMIT}, 'every commit of them is counted');

$node->sql('SELECT commit_stats_reset()');
run_pgbench($node, '-c 4 -t 50', after => 'INSERT INTO logged VALUES (1);');
is(add_up(), join('|', ('t') x 8), 'the views agree');

ends_well($node);
done_testing();
