# Can commit_stats.enabled change under load, and does the server start with
# the limits of each setting?
#
# Sessions see a change of commit_stats.enabled one after the other.  So for a
# moment some count and some do not, which must do no harm.

use CommitStats;

# Few sessions at first, but many connections.
my $node = start_node(
	'enabled',
	conf =>
	  q{max_connections = 1000; max_prepared_transactions = 2; max_logical_replication_workers = 0;
shared_buffers = 1MB});
my ($counted, $records);

# Each kind of transaction that counts.
my $everything = q{INSERT INTO logged VALUES (1);
BEGIN;
INSERT INTO logged VALUES (2);
PREPARE TRANSACTION 'one';
COMMIT PREPARED 'one';
SET synchronous_commit = off;
INSERT INTO logged VALUES (3);
SELECT 1;
};

$node->alter_system('commit_stats.enabled' => 'off');
($counted, $records) = $node->observe(sub { $node->sql($everything) });
is($records->{COMMIT} + $records->{COMMIT_PREPARED}, 3, 'off: there were commits');
is(join(',', grep { $counted->{$_} != 0 } sort keys %$counted), '', 'off: nothing is counted');

# On and off under load.  A session that still counts may follow one that does
# not count any more.
create_read_all($node);
my $load =
  start_pgbench($node, '-c 5 -j 2 -t 100000000', switched => 'INSERT INTO logged VALUES (4)');
my @found;

for my $value (('off', 'on') x 4)
{
	my $rows = $node->sql('SELECT count(*) FROM logged');

	$node->alter_system('commit_stats.enabled' => $value);
	$node->wait_until("SELECT count(*) > $rows + 50 FROM logged");
	push @found, error_of($node, 'SELECT read_all()');
}
is(join('', @found), '', 'switched under load: nothing becomes negative');
# the same sessions count again
$node->wait_until('SELECT commits > 100 FROM commit_flush_stats');
$node->sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()});
end_background($load);
$node->wait_until('SELECT connected_backends = 1 FROM commit_stats_info');

($counted, $records) = $node->observe(sub {
	run_pgbench($node, '-c 5 -j 2 -t 50', after => 'INSERT INTO logged VALUES (5)');
});
is($counted->{commits}, 250, 'switched under load: afterwards it is exact');

# The smallest and the largest ring.  One whose size is no power of 2 shows as
# many flushes as its setting says.
for my $size (128, 200, 131072)
{
	my $shown = $size < 300 ? $size : 300;

	$node->append_conf('postgresql.conf', "commit_stats.flush_log_size = $size");
	$node->restart;
	$node->sql('SELECT commit_stats_reset()');
	($counted) = $node->observe(sub {
		run_pgbench($node, '-c 1 -t 300', ring => 'INSERT INTO logged VALUES (6)');
	});
	is($counted->{commits}, 300, "flush_log_size = $size: commits are exact");
	is($node->sql('SELECT count(*) FROM commit_flush_log'),
		$shown, "flush_log_size = $size: $shown flushes are shown");
	is($node->sql('SELECT sum(flushes) FROM commit_flush_histogram'),
		$counted->{flushes}, "flush_log_size = $size: none is lost");
}

# Out of range: the server says so and uses the default, as for each setting of
# a library.
my $outside = 'is outside the valid range for parameter ' . '"commit_stats.flush_log_size"';

for my $size (127, 131073)
{
	my $log_end = -s $node->logfile;

	$node->append_conf('postgresql.conf', "commit_stats.flush_log_size = $size");
	$node->restart;
	like(
		slurp_file($node->logfile, $log_end),
		qr/$size $outside \(128 .. 131072\)/,
		"flush_log_size = $size: the server says what is valid");
	is($node->sql('SHOW commit_stats.flush_log_size'),
		'2048', "flush_log_size = $size: the default is used");
}

end_test($node);
