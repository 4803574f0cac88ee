# Do all counts add up while everything happens at once?
#
# Clients of three databases commit in every way, and connect and disconnect,
# beside others that read, reset and make checkpoints.  In the middle pgbench
# stops until no session works, so that the WAL position of the last reset is
# known; and again at the end.  The counts in between must equal those of the
# WAL and of the tables, and be the same in all views.  t/soak/hours.pl takes
# hours.

use Databases;

my $node = start_database_server(qw(one two three));

$node->append_conf('postgresql.conf', 'wal_keep_size = 2GB');
$node->reload;
create_read_all($node);

# For two seconds
sub read_and_reset ($reset)
{
	return run_pgbench(
		$node, "-c 4 -j 1 -T 2 -D reset=$reset", visit => q{
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
my ($reset, $rows_before, $rows, $counts);

eval { read_and_reset(1); };
is($@, '', 'nobody sees an error while there are resets');
my $start = at_rest(
	\@clients,
	sub {
		$rows_before = rows_written();
		$reset = $node->sql('SELECT commit_stats_reset()');
	});
eval { read_and_reset(0); };
is($@, '', 'nor while there are none');
my $end = at_rest(
	\@clients,
	sub {
		$rows = rows_written();
		$counts = counts();
	});
my $records = wal_records($node, $start, $end);

is($counts->{'all reset'}, $reset, 'the last reset is shown');
cmp_ok($records->{COMMIT}, '>', 0, 'there was a load');
is( $counts->{'all sync'} + $counts->{'all async'} + $counts->{'all unlogged'},
	$records->{COMMIT} + $records->{COMMIT_PREPARED},
	'as many commits as the WAL has');
is($counts->{'all prepares'}, $records->{PREPARE}, 'as many prepares as the WAL has');
for my $database (@databases)
{
	my %written = map { ($_ => $rows->{"$database $_"} - $rows_before->{"$database $_"}) }
	  qw(sync async unlogged);
	# a reader that finds a page to be pruned writes WAL, and its commit waits
	my $cleaned = $written{unlogged} - $counts->{"$database unlogged"};

	is($counts->{"$database async"},
		$written{async}, "as many commits as $database has rows, async");
	is($counts->{"$database sync"} - $cleaned,
		$written{sync}, "as many commits as $database has rows, sync or unlogged");
	ok( $cleaned >= 0 && $cleaned <= 5 + 0.02 * $written{unlogged},
		"of $written{unlogged} rows in $database, unlogged, $cleaned waited");
}
is($counts->{agree}, '', 'the views agree');
is(join('', map { errors_so_far($_) } @clients), '', 'the clients go on');

end_background($_, 'TERM') for @clients;
end_test($node);
