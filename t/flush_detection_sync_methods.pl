# Is a leader recognized with each wal_sync_method?
#
# The server counts no sync where the write syncs, or where fsync is off.
# There the count of writes takes the place of the count of syncs.

use CommitStats;

# With WAL for a standby the server does not bypass the kernel's cache, which
# not every file system allows.
my $node = init_node('sync', init => { allows_streaming => 1 });
my %evidence = (
	open_datasync => 'wal_write',
	open_sync => 'wal_write',
	fdatasync => 'wal_sync',
	fsync => 'wal_sync',
	fsync_writethrough => 'wal_sync');

# What the server itself counts, where the version does that.
sub server_counts
{
	my $is_18 = $node->sql(q{SELECT current_setting('server_version_num')::int >= 180000});

	return $is_18 eq 't'
	  ? q{SELECT sum(writes) AS writes, sum(fsyncs) AS syncs FROM pg_stat_io
		  WHERE object = 'wal' AND context = 'normal'}
	  : 'SELECT wal_write AS writes, wal_sync AS syncs FROM pg_stat_wal';
}

# Check the counts with one client and with several.
sub check_counts ($name, $evidence)
{
	is($node->sql('SELECT leader_evidence FROM commit_stats_info'),
		$evidence, "$name: commit_stats_info names the evidence for a leader");
	for my $clients (1, 4)
	{
		my $who = "$name, $clients client" . ($clients > 1 ? 's' : '');
		my ($counted, $records) = $node->observe(sub {
			run_pgbench($node, "-c $clients -j 2 -t 40", load => 'INSERT INTO logged VALUES (1)');
		});

		counts_load($counted, $records, 40 * $clients, $who);
		cmp_ok($counted->{flushes}, '>=', $clients == 1 ? 36 : 1, "$who: there are leaders");
		is($counted->{followers}, 0, "$who: there are no followers") if $clients == 1;
	}
}

# Start with a method that syncs in the write, so that the server has counted
# no sync.
# The WAL writer would flush some commits in the place of a session.
$node->append_conf('postgresql.conf', 'wal_sync_method = open_datasync');
$node->append_conf('postgresql.conf', 'wal_writer_delay = 10s');
my $started = $node->start(fail_ok => 1);

SKIP:
{
	skip 'this server has no open_datasync', 4 unless $started;
	$node->sql(q{CREATE EXTENSION commit_stats;
CREATE TABLE logged (n int)});

	my $server_counts = server_counts();
	my $before = flush_stats($node)->{flushes};

	run_pgbench($node, '-c 1 -t 100', load => 'INSERT INTO logged VALUES (1)');
	$node->wait_until("SELECT writes >= 100 FROM ($server_counts) s");
	is($node->sql("SELECT syncs FROM ($server_counts) s"),
		'0', 'open_datasync: the server counts no sync');
	cmp_ok(flush_stats($node)->{flushes} - $before,
		'>=', 90, 'open_datasync: but there were flushes');
}
if (!$started)
{
	$node->adjust_conf('postgresql.conf', 'wal_sync_method', undef);
	$node->start;
	$node->sql(q{CREATE EXTENSION commit_stats;
CREATE TABLE logged (n int)});
}

# Every method that this platform has, and none.
for my $method (split /\n/,
	$node->sql(q{SELECT unnest(enumvals) FROM pg_settings WHERE name = 'wal_sync_method'}))
{
	$node->alter_system('wal_sync_method' => $method);
	check_counts($method, $evidence{$method});
}
$node->alter_system('wal_sync_method' => 'fsync');
$node->alter_system('fsync' => 'off');
check_counts('fsync off', 'wal_write');

end_test($node);
