# Do all counts still add up after a long time of everything at once?
#
# Clients of three databases commit in every way, and connect and disconnect,
# beside others that read, reset and make checkpoints.  In the middle of each
# round, pgbench stops until no session works, so that the WAL position of the
# last reset is known; and again at its end.  The counts in between must equal
# those of the WAL and of the tables, and be the same in all views.
#
# SOAK_SECONDS=600 makes more rounds than the usual one.

use Databases;

my $seconds = $ENV{SOAK_SECONDS} || 4;
my $phase = $seconds > 60 ? 10 : 2;    # seconds with resets, and without

my $node = start_database_server(qw(one two three));

$node->append_conf('postgresql.conf', 'wal_keep_size = 2GB');
$node->reload;
create_read_all($node);

# The length of a phase.
sub read_and_reset ($reset)
{
	return run_pgbench(
		$node, "-c 4 -j 1 -T $phase -D reset=$reset", visit => q{
\if :client_id = 0 and :reset = 1
	SELECT commit_stats_reset();
	\sleep 10 ms
\elif :client_id = 1
	SELECT read_all();
	\sleep 50 ms
\elif :client_id = 2
	SELECT commit_stats_report();
	SELECT commits FROM commit_stats_sample('50 ms');
\else
	CHECKPOINT;
	\sleep 400 ms
\endif
});
}

# Let the clients pause, call $code when no transaction is under way, and let
# them go on.  Returns where in the WAL that was.  What a client had sent
# before it was stopped may come a moment later, so it is only over when
# nothing was written meanwhile.
sub at_rest ($clients, $code)
{
	my $lsn;

	$_->{run}->signal('STOP') for @$clients;
	for my $attempt (1 .. 100)
	{
		$lsn = $node->lsn('insert');
		$node->wait_until(q{SELECT count(*) = 0 FROM pg_stat_activity
WHERE backend_type = 'client backend' AND state IS DISTINCT FROM 'idle' AND
	  state IS DISTINCT FROM 'idle in transaction' AND pid <> pg_backend_pid()});
		$code->();
		last if $node->lsn('insert') eq $lsn;
		$lsn = undef;
	}
	$_->{run}->signal('CONT') for @$clients;
	return $lsn // die "there is no rest\n";
}

# How many rows of each kind each database has, "database kind" => n.  Each
# transaction commits one row, or none, and only asynchronous ones a 2.
sub rows_written
{
	my %rows;

	for my $database (@databases)
	{
		@rows{ map { "$database $_" } qw(sync async unlogged) } = split /\|/, $node->safe_psql(
			$database, q{SELECT count(*) FILTER (WHERE n <> 2), count(*) FILTER (WHERE n = 2),
	(SELECT count(*) FROM unlogged) FROM logged});
	}
	return \%rows;
}

# The counts in total and per database, "name column" => n, and whether the
# views agree.
sub counts
{
	my %counts;

	for ($node->rows(
		q{SELECT 'all', commits, commits_async, commits_unlogged, prepares, stats_reset
FROM commit_flush_stats
UNION ALL
SELECT datname, commits, commits_async, commits_unlogged, prepares, NULL
FROM commit_database_stats WHERE datname IN ('one', 'two', 'three')}))
	{
		my ($name, @counts) = @$_;

		@counts{ map { "$name $_" } qw(sync async unlogged prepares reset) } = @counts;
	}
	$counts{agree} = disagreements($node);
	return \%counts;
}

my @clients = map { (start_clients($_, '-c 3 -T 100000', %mixture),
	start_clients($_, '-c 1 -C -T 100000', %mixture)) } @databases;
my $started = time;
my $round = 0;

while ($round == 0 || time - $started < $seconds)
{
	my ($start, $end, $reset, $rows_before, $rows, $counts, $records);
	my $how = 'round ' . ++$round;

	eval { read_and_reset(1); };
	is($@, '', "$how: nobody sees an error while there are resets");
	$start = at_rest(
		\@clients,
		sub {
			$rows_before = rows_written();
			$reset = $node->sql('SELECT commit_stats_reset()');
		});
	eval { read_and_reset(0); };
	is($@, '', "$how: nor while there are none");
	$end = at_rest(
		\@clients,
		sub {
			$rows = rows_written();
			$counts = counts();
		});
	$records = wal_records($node, $start, $end);

	is($counts->{'all reset'}, $reset, "$how: the last reset is shown");
	cmp_ok($records->{COMMIT}, '>', 0, "$how: there was a load");
	is( $counts->{'all sync'} + $counts->{'all async'} + $counts->{'all unlogged'},
		$records->{COMMIT} + $records->{COMMIT_PREPARED},
		"$how: as many commits as the WAL has");
	is($counts->{'all prepares'}, $records->{PREPARE}, "$how: as many prepares as the WAL has");
	for my $database (@databases)
	{
		my %written =
		  map { ($_ => $rows->{"$database $_"} - $rows_before->{"$database $_"}) }
		  qw(sync async unlogged);
		# a reader that finds a page to be pruned writes WAL, and its commit
		# waits
		my $cleaned = $written{unlogged} - $counts->{"$database unlogged"};

		is($counts->{"$database async"},
			$written{async}, "$how: as many commits as $database has rows, async");
		is($counts->{"$database sync"} - $cleaned,
			$written{sync}, "$how: as many commits as $database has rows, sync or unlogged");
		ok($cleaned >= 0 && $cleaned <= 5 + 0.02 * $written{unlogged},
			"$how: of $written{unlogged} rows in $database, unlogged, $cleaned waited");
	}
	is($counts->{agree}, '', "$how: the views agree");
	is(join('', map { errors_so_far($_) } @clients), '', "$how: the clients go on");
}

end_background($_, 'TERM') for @clients;
end_test($node);
