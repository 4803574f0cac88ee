# Do resets leave sweeps, predictions, samples and rates alone, and do these
# not block resets and readers?
#
# The isolation tester only continues beside a session that waits for a lock,
# which a sweep does not do; so this is a TAP test.  (The mark "*" of a step
# changes only what the tester reports: it starts the next step when that one
# has ended or waits for a lock.)

use CommitStats;

my $node = start_node('beside');
my $load = start_pgbench($node, '-c 2 -T 3600', load => "INSERT INTO logged VALUES (1);\n");

$node->wait_until("SELECT commits > 0 FROM commit_stats_sample('100 ms')");

# Resets without end
my $resets = start_pgbench(
	$node, '-c 1 -T 3600', resets => q{SELECT commit_stats_reset();
\sleep 10 ms
});

# The result of a function that measures, once the first column is true:
# something was measured.  On a machine that is busy with something else it may
# also fail, as no session commits in its time.
sub measured ($sql)
{
	my ($status, $out, $err);

	eventually(sub {
		($status, $out, $err) = $node->psql('postgres', "SET client_min_messages = error;\n$sql");
		return $status == 0
		  ? $out =~ /^t/
		  : $err !~
		  /there is no load|too few commits|no commit ended in a whole round|are too short/;
	});
	diag($err) if $status != 0;
	return $out;
}

# A wrong difference would be negative, or far more than the server can do.
my $all_ids = 100_000_000;

is( measured(
		qq{SELECT bool_and(rounds > 0), count(*), bool_and(commits BETWEEN 1 AND $all_ids),
	   bool_and(p99 > 0 AND p99 < 60000)
FROM commit_delay_sweep('{0,100}', '{0}', '3 s', '500 ms')}),
	't|2|t|t',
	'a sweep');
is( measured(qq{SELECT bool_and(commits_per_second > 0),
	   bool_or(measured_commits_per_second BETWEEN 1 AND $all_ids)
FROM commit_delay_whatif('{0,100}', '{0}', sample => '1 s')}),
	't|t',
	'a prediction');
is( measured(qq{SELECT commits <> 0, commits BETWEEN 1 AND $all_ids, p99 > 0 AND p99 < 60000
FROM commit_stats_sample('1 s')}),
	't|t|t',
	'a sample');

# Rates since the last call or, now and then, since a reset
is( $node->sql(qq{CREATE TEMP TABLE looks AS SELECT * FROM commit_stats_rates();
DO \$\$ BEGIN
	FOR i IN 1 .. 20000 LOOP
		INSERT INTO looks SELECT * FROM commit_stats_rates();
		EXIT WHEN i % 500 = 0 AND (SELECT count(*) > 5 FROM looks WHERE since = 'reset');
	END LOOP;
END \$\$;
SELECT bool_and(commits_per_second BETWEEN 0 AND $all_ids), bool_and(flushes_per_second BETWEEN 0 AND $all_ids),
	   bool_and(wal_bytes_per_second BETWEEN 0 AND 1e14), count(DISTINCT since)
FROM looks}),
	't|t|t|2',
	'looks');

# Resets succeed beside a sweep.
my $sweep = $node->start_measuring(sub ($session) { return $node->sweep_pid ne '' },
	"SELECT * FROM commit_delay_sweep('{0,100}', '{0}', '1 hour', '10 s')");
my $reset = $node->sql('SELECT stats_reset FROM commit_stats_info');
# resets go on beside a sweep, and show
$node->wait_until("SELECT stats_reset > '$reset' FROM commit_flush_stats");
isnt($node->sweep_pid, '', 'and the sweep goes on beside them');
$node->sql('SELECT pg_cancel_backend(sweep_pid) FROM commit_stats_info');
end_background($sweep);
like($sweep->{err}, qr/57014/, 'until it is cancelled');

is(errors_so_far($load) . errors_so_far($resets), '', 'no session sees an error');
end_background($resets, 'TERM');
end_background($load, 'TERM');
end_test($node);
