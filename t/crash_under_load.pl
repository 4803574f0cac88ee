# What is left when backends are killed in the middle of their commits, over
# and over?
#
# Each acknowledged commit must be found again: each client of pgbench writes a
# row with the next number, and the log of pgbench has a line for each
# acknowledged one, and a prepared transaction survives.  And commit_stats must
# start from zero, without a backend of the life before, and count what is
# committed from then on, as the WAL has it.
#
# Leaders sleep, so that at any moment most backends are committing; at last
# they sleep as commit_stats.adaptive_delay says, for a quota that the shim
# (t/ground_truth/shim.c) gives the device.  The
# victims are chosen at random; VICTIM_SEED=n chooses others.

use Adaptive;

my $seed = $ENV{VICTIM_SEED} // 33;

# Without launchers only the test commits.
my $node = start_truth(
	'killed',
	q{restart_after_crash = on; max_logical_replication_workers = 0; max_prepared_transactions = 20;
wal_keep_size = 256MB; commit_delay = 2000; commit_siblings = 1});

srand($seed);
note("VICTIM_SEED=$seed");
$node->sql(q{CREATE TABLE logged (n int);
CREATE TABLE written (round int, client int, n int)});
create_read_all($node);
my $fresh = $node->sql('SELECT connected_backends, shared_memory FROM commit_stats_info');

# A prepared transaction outlives all that follows.
$node->sql(q{BEGIN; INSERT INTO logged VALUES (2); PREPARE TRANSACTION 'survivor'});

my %acknowledged;    # "round client" => n
my $logs = $node->basedir . '/acknowledged';

# Writers that number their rows, and sessions that compete with them.
sub start_load ($round)
{
	unlink glob "$logs.*";
	return (
		start_pgbench(
			$node,
			"-c 6 -j 2 -T 3600 -D round=$round -D n=0 --log --log-prefix=$logs",
			write => q{
\set n :n + 1
INSERT INTO written VALUES (:round, :client_id, :n);
}),
		start_pgbench(
			$node, '-c 4 -T 3600',
			other => q{
\if :client_id = 0
	SELECT commit_stats_reset();
	\sleep 20 ms
\elif :client_id = 1
	SELECT commits FROM commit_flush_stats;
	SELECT count(*) FROM commit_flush_log;
\elif :client_id = 2
	BEGIN;
	INSERT INTO logged VALUES (1);
	PREPARE TRANSACTION 'half';
	COMMIT PREPARED 'half';
\else
	BEGIN;
	SET LOCAL synchronous_commit = off;
	INSERT INTO logged VALUES (1);
	COMMIT;
\endif
}));
}

# Count the acknowledged rows in the logs of pgbench, after its end.
sub read_acknowledged ($round)
{
	$acknowledged{"$round $_->[0]"}++ for pgbench_log($logs);
}

# A client got an acknowledgement for all its rows, except perhaps the last
# one.  There is no gap.
sub all_is_there ($how)
{
	my (%found, @wrong);

	for ($node->rows(q{SELECT round || ' ' || client, count(*), max(n) FROM written GROUP BY 1}))
	{
		my ($who, $count, $max) = @$_;

		$found{$who} = $max;
		push @wrong, "$who: $count rows up to $max" if $count != $max;
	}
	for my $who (sort keys %acknowledged)
	{
		my $max = $found{$who} // 0;

		push @wrong, "$who: $acknowledged{$who} acknowledged, $max found"
		  if $max != $acknowledged{$who} && $max != $acknowledged{$who} + 1;
	}
	is("@wrong", '', "$how: every acknowledged row is there");
}

# All counts from before are forgotten, and new ones are right, as the WAL has
# them.
sub counts_again ($how, $killed_at)
{
	is(error_of($node, 'SELECT read_all()'),
		'', "$how: all views can be read, and nothing is negative");
	starts_from_zero($node, $killed_at, $how);
	# a moment may pass before the session of the psql before is gone
	ok( $node->poll_query_until(
			'postgres', 'SELECT connected_backends, shared_memory FROM commit_stats_info', $fresh),
		"$how: no backend of the life before is connected");

	my (undef, $records) = $node->observe(sub {
		run_pgbench(
			$node, '-c 4 -j 2 -t 25',
			sync => 'INSERT INTO logged VALUES (1);',
			async => 'BEGIN; SET LOCAL synchronous_commit = off;
INSERT INTO logged VALUES (1); COMMIT;',
			prepared => q{BEGIN; INSERT INTO logged VALUES (1);
PREPARE TRANSACTION 'of :client_id'; COMMIT PREPARED 'of :client_id';});
	});
	cmp_ok($records->{COMMIT} + $records->{COMMIT_PREPARED},
		'==', 100, "$how: the load is what it should be");
	# the counts themselves, as they began at zero
	is($node->sql('SELECT commits + commits_async, prepares FROM commit_flush_stats'),
		"100|$records->{PREPARE}", "$how: every commit since then is counted");
	views_agree($node, $how);
}

# Wait for a load that commits, with some in the middle of it.  A second row of
# a client means that the first was acknowledged.
sub wait_for_load ($round)
{
	$node->wait_until(
		qq{SELECT count(*) > 100 AND count(DISTINCT client) FILTER (WHERE n > 1) = 6 AND
	   (SELECT count(*) > 2 FROM pg_stat_activity
		WHERE state = 'active' AND query ~ '^(INSERT|COMMIT)')
FROM written WHERE round = $round});
}

sub server_time
{
	return $node->sql('SELECT clock_timestamp()');
}

# The victim, as a condition on pg_stat_activity.
my %victims = (
	'a session that commits' => q{query ~ '^(INSERT|COMMIT)' AND state = 'active'},
	'a leader that sleeps' =>
	  q{pid IN (SELECT pid FROM commit_activity WHERE waiting_for = 'delay')},
	'a session that waits for a flush' => q{wait_event ~* '^Wal(Write|Sync)$'},
	'any client' => q{query ~ '^(INSERT|COMMIT|BEGIN|PREPARE|SET|SELECT commit)'},
	'the session that resets' => q{query ~ '^SELECT commit_stats_reset'},
	'the background worker' => q{backend_type = 'commit_stats worker'});
my $kills = 0;
my $round = 0;
my $adapts = 0;

# From now on leaders keep to a spacing that the device's quota makes
# necessary.
sub adapt
{
	$node->alter_system(commit_delay => 0, 'commit_stats.adaptive_delay' => 'on');
	$adapts = 1;
}

sub kill_one ($whom)
{
	my $sql = qq{
FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND $victims{$whom}};
	my (@all, $pid, $was);

	$node->wait_until("SELECT count(*) > 0 $sql");
	poll_until(sub {
		@all = split /\n/,
		  $node->sql(
			"SELECT pid, concat_ws(', ', backend_type, state, wait_event, query) $sql ORDER BY pid"
		  );
		return @all > 0;
	});
	($pid, $was) = split /\|/, $all[ rand @all ];
	note("kill -9 $pid: $was");
	kill('KILL', $pid) == 1 or die "$pid is gone\n";
	$kills++;
}

for my $how (
	'a session that commits',
	'a session that waits for a flush',
	'the session that resets',
	'any client',
	'the background worker',
	'immediate stop',
	'adapt',
	'a leader that sleeps',
	'a session that commits',
	'immediate stop')
{
	if ($how eq 'adapt')
	{
		adapt();
		next;
	}
	my $name = ++$round . ", $how";
	my @load = start_load($round);
	my $killed_at;

	set_quota($node, $quota / 5) if $adapts;
	wait_for_load($round);
	wait_for_quota($node, sub { '(SELECT delay_hits_adaptive > 0 FROM commit_flush_stats)' })
	  if $adapts;
	$killed_at = server_time();
	if ($how eq 'immediate stop')
	{
		$node->stop('immediate');
	}
	else
	{
		kill_one($how);
	}
	end_background($_) for @load;
	read_acknowledged($round);
	if ($how eq 'immediate stop')
	{
		start_with_shim($node);
	}
	else
	{
		poll_until(sub { return end_background($node->start_psql('SELECT 1')) })
		  or die "the server did not come back\n";
	}
	set_device($node);
	all_is_there($name);
	counts_again($name, $killed_at);
	$node->sql("ROLLBACK PREPARED 'half'")
	  if $node->sql(q{SELECT count(*) FROM pg_prepared_xacts WHERE gid = 'half'});
}

my ($counted, $records) = $node->observe(sub { $node->sql("COMMIT PREPARED 'survivor'") });
is($records->{COMMIT_PREPARED}, 1, 'a prepared transaction survived');
is($counted->{commits}, 1, 'and its commit is counted');

cmp_ok(scalar keys %acknowledged, '==', 6 * $round, 'all clients had rows acknowledged');

ends_well($node, $kills);
done_testing();
