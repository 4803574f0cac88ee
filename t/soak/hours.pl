# Do the counts still add up after hours of everything, and does memory stay
# flat?
#
# Sessions commit in every way, some of them one transaction long, while sweeps
# and predictions run, tables and databases come and go, the synchronous
# standby stops for a moment and goes on, and others read and reset.  At each
# quarter of the time the server restarts under that load.  The tables say what
# has committed: the rows of each kind must be the commits of the application,
# from the last reset on, over all restarts.  The second half has no reset.
#
# script/test-soak runs this; SOAK_SECONDS is how long.

use CommitStats;

my $seconds = $ENV{SOAK_SECONDS} || 120;
my $most_growth = 256;    # kB of a process; 32 were measured

# All that is off by default; the smallest rings are the busiest.
my $node = init_node(
	'soak',
	no_checksums => 1,
	conf => q{
max_prepared_transactions = 50
autovacuum = on
track_wal_io_timing = on
commit_delay = 100
commit_siblings = 3
checkpoint_timeout = 30s
max_wal_size = 256MB
commit_stats.flush_log_size = 128
commit_stats.max_clients = 10
commit_stats.log_flushes = on
commit_stats.log_slow_commits = on
commit_stats.slow_commit_time = 200ms
commit_stats.log_delay_changes = on
commit_stats.adaptive_delay = on
});
$node->start;
my $standby = add_standby($node);

$node->sql(q{CREATE EXTENSION commit_stats;
CREATE TABLE written (kind text);
CREATE UNLOGGED TABLE unlogged (kind text)});
$node->alter_system(synchronous_standby_names => 'standby');

# Each commits one row, or none.
my %transactions = (
	sync => "INSERT INTO written VALUES ('sync');\n",
	notify => "BEGIN;\nINSERT INTO written VALUES ('sync');\nNOTIFY bell;\nCOMMIT;\n",
	async =>
	  "BEGIN;\nSET LOCAL synchronous_commit = off;\nINSERT INTO written VALUES ('async');\nCOMMIT;\n",
	unlogged => "INSERT INTO unlogged VALUES ('unlogged');\n",
	read => "SELECT count(*) FROM pg_am;\n",
	rollback => "BEGIN;\nINSERT INTO written VALUES ('sync');\nROLLBACK;\n",
	prepare => q{BEGIN; INSERT INTO written VALUES ('sync');
PREPARE TRANSACTION ':who :client_id'; COMMIT PREPARED ':who :client_id';});

# The load
my @load;

sub start_load
{
	local $ENV{PGAPPNAME} = 'soak';

	for my $who ('stays', 'comes')
	{
		my $options = $who eq 'stays' ? '-c 8 -R 250' : '-c 4 -C -R 40';

		push @load,
		  start_pgbench(
			$node,
			"$options -T 1000000 -D who=$who",
			map { ("${who}_$_" => $transactions{$_}) } keys %transactions);
	}
}

sub load_goes_on ($name)
{
	is(join('', map { errors_so_far($_) } @load), '', "$name: the load has no error");
	is(scalar(grep { $_->{run}->pumpable } @load), 2, "$name: and goes on");
}

# All transactions of the load are over then.
sub end_load
{
	end_background($_, 'TERM') for splice @load;
	$node->wait_until("SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'soak'");
	$node->sql("ROLLBACK PREPARED '$_'")
	  for split /\n/, $node->sql('SELECT gid FROM pg_prepared_xacts');
}

# What happens beside it
my %done;    # how often each of these succeeded

sub stop_standby_for_a_moment
{
	my $receiver = $standby->sql('SELECT pid FROM pg_stat_wal_receiver');

	return if $receiver !~ /^\d+$/;
	kill 'STOP', $receiver;
	sleep 1;
	kill 'CONT', $receiver;
	$done{'stop of the standby'}++;
}

sub change_schema
{
	$node->sql(q{CREATE TABLE passing AS SELECT * FROM generate_series(1, 1000) n;
CREATE INDEX ON passing (n);
ALTER TABLE passing ADD COLUMN t text DEFAULT 'x';
DROP TABLE passing});
	$node->sql('CREATE DATABASE passing');
	$node->safe_psql('passing', 'CREATE TABLE t AS SELECT 1; INSERT INTO t VALUES (2)');
	$node->sql('DROP DATABASE passing');
}

# What experiments say of a load is not the question here; they may also find
# too few commits.
sub experiment ($what, $function)
{
	my $err = error_of($node, "SELECT count(*) FROM $function");

	note $err if $err;
	$done{$what}++ if $err eq '';
	return $err eq '' || $err =~ /HINT/;
}

# A prediction is one of fixed delays, which have their turn then.
sub predict
{
	my $right;

	$node->alter_system('commit_stats.adaptive_delay' => 'off');
	$node->wait_until('SELECT NOT in_force FROM commit_delay_state');
	$right = experiment('prediction', "commit_delay_whatif('{0,100,1000}', '{1}', '10 s')");
	$node->alter_system('commit_stats.adaptive_delay' => 'on');
	return $right;
}

sub read_all
{
	$node->sql("SELECT count(to_jsonb(v)) FROM $_ v") for views_of_commit_stats();
	$node->sql('SELECT commit_stats_report(); TABLE commit_delay_changes');
	$node->sql("SELECT commits FROM commit_stats_sample('1 s')");
}

# The counts
my %rows_at_reset = (sync => 0, async => 0, unlogged => 0);

sub rows_written
{
	my %rows =
	  map { @$_ }
	  $node->rows(
		'SELECT kind, count(*) FROM (TABLE written UNION ALL TABLE unlogged) w GROUP BY 1');

	return map { ($_ => $rows{$_} || 0) } keys %rows_at_reset;
}

sub reset_at_rest
{
	$node->sql('SELECT commit_stats_reset()');
	%rows_at_reset = rows_written();
}

sub counts_are_right ($name)
{
	my %rows = rows_written();
	my %new = map { ($_ => $rows{$_} - $rows_at_reset{$_}) } keys %rows;

	# a transaction that writes to an unlogged table only may prune a catalog
	is( $node->sql(q{SELECT sum(commits_async), sum(commits + commits_unlogged)
FROM commit_client_stats WHERE application_name = 'soak'}),
		"$new{async}|" . ($new{sync} + $new{unlogged}),
		"$name: the commits of the load are the rows that it wrote");
	cmp_ok(
		$node->sql(
			"SELECT sum(commits_unlogged) FROM commit_client_stats WHERE application_name = 'soak'"
		),
		'>',
		0.9 * $new{unlogged} - 1,
		"$name: most of the unlogged ones are unlogged");
	is( $node->sql(q{SELECT f.commits - sum(c.commits), f.flushes - sum(c.flushes),
	   f.commits_async - sum(c.commits_async), f.slow_commits - sum(c.slow_commits)
FROM commit_flush_stats f, commit_client_stats c
GROUP BY f.commits, f.flushes, f.commits_async, f.slow_commits}),
		'0|0|0|0',
		"$name: the rows of all clients add up");
}

# Memory
my %memory;          # "server type pid" => kB at the end of each round
my $measured = 0;    # processes in all

# Without shared memory, of which a process maps more and more.
sub private_memory ($pid)
{
	my $kb = 0;

	open my $status, '<', "/proc/$pid/status" or return;
	while (<$status>)
	{
		$kb += $1 if /^(?:RssAnon|VmSwap):\s+(\d+)/;
	}
	close $status;
	return $kb;
}

sub note_memory
{
	for my $server ($node, $standby)
	{
		my ($postmaster) = split /\n/, slurp_file($server->data_dir . '/postmaster.pid');
		my @processes = split /\n/,
		  $server->sql(
			q{SELECT backend_type || ' ' || pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()}
		  );

		for my $process ("postmaster $postmaster", @processes)
		{
			my ($pid) = $process =~ /(\d+)$/;
			my $kb = private_memory($pid);

			push @{ $memory{ $server->name . " $process" } }, $kb if $kb;
		}
	}
}

# From a third of its life on, no process has grown.
sub memory_is_flat ($name)
{
	my ($n, $growth, $who) = (0, 0, 'none');

	for (sort keys %memory)
	{
		my @kb = @{ $memory{$_} };

		next if @kb < 6;
		$n++;
		my $grown = $kb[-1] - $kb[ @kb / 3 ];
		($growth, $who) = ($grown, $_) if $grown > $growth;
	}
	note "$name: $n processes, most growth: $growth kB, $who";
	cmp_ok($growth, '<', $most_growth, "$name: no process has grown: $who") if $n > 0;
	$measured += $n;
	%memory = ();
}

# The soak
my $started = time;
my ($rounds, $restarts, $resets) = (0, 0, 0);

start_load();
while (time - $started < $seconds)
{
	my $passed = (time - $started) / $seconds;

	$rounds++;
	ok( experiment(
			'sweep',
			"commit_delay_sweep('{0,100,1000}', '{1}', '10 s', '500 ms', adaptive => true)"),
		"round $rounds: sweep") if $rounds % 3 == 1;
	ok(predict(), "round $rounds: prediction") if $rounds % 3 == 2;
	stop_standby_for_a_moment();
	change_schema();
	$node->sql('CHECKPOINT');
	eval { read_all() };
	is($@, '', "round $rounds: the views can be read");
	sleep 5;
	note_memory();

	if ($passed > ($restarts + 1) / 4)
	{
		memory_is_flat('quarter ' . ++$restarts);
		load_goes_on("restart $restarts");
		$node->restart('fast');
		# the load has lost its connections
		end_load();
		counts_are_right("restart $restarts");
		start_load();
	}
	elsif ($passed < 0.5 && $rounds % 4 == 0)
	{
		load_goes_on("round $rounds");
		end_load();
		counts_are_right("round $rounds");
		reset_at_rest();
		$resets++;
		start_load();
	}
}
load_goes_on('the end');
end_load();
# a change count that is left under way would end this in an error
eval { read_all() };
is($@, '', 'the end: the views can be read');
memory_is_flat('the end');
counts_are_right('the end');
my %rows = rows_written();
my $log_size = sprintf '%.0f MB of log', (-s $node->logfile) / 1e6;
note "$rounds rounds, $resets resets, $restarts restarts, $log_size, " . join ', ',
  map { "$rows{$_} $_" } sort keys %rows;
cmp_ok($measured, '>', 0, 'the memory of some processes was measured')
  if $rounds >= 32;    # 6 in a quarter
# each third round has one
cmp_ok($done{$_} // 0, '>=', $rounds / 6, "$_: most have succeeded")
  for 'sweep', 'prediction', 'stop of the standby';

# Nothing is left behind
is( $node->sql(
		q{SELECT count(*) FILTER (WHERE NOT granted), count(*) FILTER (WHERE locktype = 'advisory')
FROM pg_locks}),
	'0|0',
	'no lock is left');
is($node->sql('SELECT count(*) FROM commit_activity WHERE committing_since IS NOT NULL'),
	0, 'no commit is under way');
is($node->sql('SELECT sweep_pid IS NULL AND NOT capturing FROM commit_stats_info'),
	't', 'no experiment is under way');
ok(!$_->log_contains(qr/PANIC|TRAP|could not read commit statistics|terminated by signal/),
	'the server log has nothing that is wrong: ' . $_->name)
  for $node, $standby;

end_test($node, $standby);
