# Do sweeps and predictions refuse to run where they cannot find anything out?
#
# They must say so, and change nothing.  What they find out, but not as a
# figure, they must say as well.

use CommitStats;

my $node = start_node('primary', conf => "wal_buffers = '64kB'\n");
my $sweep = "SELECT * FROM commit_delay_sweep('{0,1000}', duration => '2 s')";

# A load that gets little of a busy processor may not be seen at once.
sub refuses ($error, $name, $on = $node)
{
	ok(eventually(sub { return error_of($on, $sweep) =~ $error }), "$name: the error");
	is($on->sql('SELECT sweep_pid FROM commit_stats_info'), '', "$name: no sweep is left");
	is($on->sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"),
		0, "$name: no lock either");
	return;
}

refuses(
	qr/55000: there is no load to measure.*In \d+ ms no commit waited for its flush, and 0 did not wait.*HINT:/s,
	'no load');

# An asynchronous commit does not wait for a flush.
my $load = start_pgbench($node, '-c 4 -T 3600',
	async => "SET synchronous_commit = off;\nINSERT INTO logged VALUES (1);\n");
$node->wait_until('SELECT commits_async > 0 FROM commit_flush_stats');
refuses(qr/55000: there is no load.*and [1-9]\d* did not wait \(synchronous_commit = off\)/s,
	'asynchronous commits');
end_background($load, 'TERM');

$load = start_pgbench($node, '-c 4 -T 3600', insert => "INSERT INTO logged VALUES (1);\n");
$node->wait_until("SELECT commits > 0 FROM commit_stats_sample('0.2 s')");

$node->alter_system('fsync' => 'off');
refuses(qr/55000: commit_delay has no effect while fsync is off/, 'fsync = off');
$node->alter_system('fsync' => 'on');

$node->alter_system('commit_stats.enabled' => 'off');
refuses(qr/55000: commit_stats is not counting.*HINT:.*commit_stats.enabled/s,
	'commit_stats.enabled = off');
$node->alter_system('commit_stats.enabled' => 'on');

$sweep =~ s/\)$/, max_p99 => '1 us')/;
refuses(
	qr/55000: commits take longer than "max_p99" without a sweep.*DETAIL: +[1-9]\d* commits took longer than 0.001 ms.*HINT: +Raise "max_p99"/s,
	'a max_p99 that the load exceeds as it is');
$sweep =~ s/, max_p99.*/)/;

# sql/sweep.sql, whatif.sql and sample.sql have statement_timeout.
SKIP:
{
	skip 'this server has no transaction_timeout', 3 if $node->pg_version < 17;
	for my $measures (
		"commit_delay_sweep('{0}', duration => '20 s')",
		"commit_delay_whatif('{0}', sample => '20 s')",
		"commit_stats_sample('20 s')")
	{
		like(
			error_of($node, "SET transaction_timeout = '10 s';\nSELECT * FROM $measures;"),
			qr/55000: "transaction_timeout" would end this before it is done.*takes 2\d\.\d seconds.*HINT: +Set "transaction_timeout" to 0/s,
			"transaction_timeout: $measures does not begin");
	}
}

# A standby commits nothing, but its views work.
my $standby = add_standby($node);
refuses(qr/55000: recovery is in progress.*HINT:.*primary/s, 'standby', $standby);
like(
	error_of($standby, "SELECT * FROM commit_delay_whatif('{0}', sample => '0.1 s')"),
	qr/55000: recovery is in progress.*HINT:.*primary/s,
	'standby: nothing to predict');
is($standby->sql("SELECT commits FROM commit_stats_sample('0.1 s')"),
	0, 'standby: a sample has no commits');
is( $standby->sql(
		q{SELECT since, commits_per_second, wal_bytes_per_second IS NULL FROM commit_stats_rates() UNION ALL
SELECT since, commits_per_second, wal_bytes_per_second IS NULL FROM commit_stats_rates()}
	),
	"reset|0|t\nlast call|0|t",
	'standby: rates have no commits, and no WAL');

# Without any of these obstacles the sweep works.
ok(eventually(sub { return error_of($node, $sweep) eq '' }), 'then it does not refuse');

end_background($load, 'TERM');
$standby->stop;

# 16 commits a second fill half of the WAL buffers in 100 ms.
$node->sql(q{CREATE TABLE wide (t text);
ALTER TABLE wide ALTER t SET STORAGE EXTERNAL});
$load =
  start_pgbench($node, '-c 8 -T 3600', insert => "INSERT INTO wide VALUES (repeat('x', 20000));\n");
$node->wait_until("SELECT commits_per_second > 0 FROM commit_stats_sample('0.2 s')");
for my $function ("commit_delay_sweep('%s', duration => '2 s')",
	"commit_delay_whatif('%s', sample => '4 s')")
{
	for my $delay (100000, 1)
	{
		my $sql = sprintf $function, "{0,$delay}";
		my $is_right = sub {
			my ($status, undef, $notice) = $node->psql('postgres', "SELECT * FROM $sql");
			my $seen = $notice =~
			  /NOTICE:  a commit_delay above \d+ us lets the WAL fill half of "wal_buffers"\n.*HINT: .*"wal_buffers"/s;

			return $status == 0 && ($seen xor $delay == 1);
		};

		ok(eventually($is_right), "$sql: will the buffers be full?");
	}
}
end_background($load, 'TERM');
end_test($node);
