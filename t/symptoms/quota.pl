# Are the stalls of a device that allows 10 flushes in a window told so?
#
# The shim (t/ground_truth/shim.c) is that device: 10 flushes in each 300 ms,
# of any size.  It is witness for the stalls, too.

use GroundTruth;
use Symptoms;

my $node = start_truth('quota',
	q{wal_writer_delay = 10s; commit_stats.stall_time = 100ms; commit_stats.slow_commit_time = 100ms}
);

$node->sql('CREATE TABLE big (t text); ALTER TABLE big ALTER t SET STORAGE EXTERNAL');
set_device($node, quota => 10, window => 300, flush_time => 2);
$node->sql('SELECT shim_reset(), commit_stats_reset()');
my $from = $node->sql('SELECT commit_history_close()');
run_pgbench(
	$node, '-c 4 -T 15',
	sizes => q{\set n random_exponential(30, 2000, 6)
INSERT INTO big SELECT string_agg(md5(i::text), '') FROM generate_series(1, :n) i;
});
$node->sql('SELECT pg_sleep(0.5)');

# the last windows may be cut short
is( $node->sql(
		q{SELECT count(*) > 20, count(*) FILTER (WHERE cause = 'quota') >= 0.95 * count(*),
	bool_and(quota_flushes BETWEEN 9 AND 11), bool_and(quota_window BETWEEN 295 AND 305)
FROM commit_stall_log}),
	't|t|t|t',
	'the quota is the cause');
is( $node->sql(q{SELECT count(*) > 0.9 * (SELECT count(*) FROM shim_events()
	WHERE kind = 'sync' AND backend AND length / 1e6 > 120)
FROM commit_stall_log WHERE cause = 'quota'}),
	't',
	'... of the stalls that the shim made');
is($node->sql('SELECT bytes_share IS NULL OR bytes_share < 50 FROM commit_stats_info'),
	't', 'bytes explain nothing, though they differ');

my $report = report_of($node);
my $quota = qr/stalls as on a disk that allows (?:9|10|11)(?:\.\d)? flushes in (?:29\d|30\d) ms/;
first_cause_is($report, qr/^$quota/);
unlike($report->{text}, qr/of many bytes/, '... and no bandwidth');
like(report_since($node, $from), $quota, '... of the period, too');

end_test($node);
