# Is a device whose bandwidth is limited told so, and no other one?
#
# The shim (t/ground_truth/shim.c) is a device that writes 5 MB/s, or one that
# takes the same time for each flush, whatever its size.

use GroundTruth;
use Symptoms;

my $node = start_truth('bandwidth',
	'wal_writer_delay = 10s; commit_stats.stall_time = 25ms; commit_stats.slow_commit_time = 25ms');

# Commits of 1 to 64 kB of WAL
sub run_sizes (%device)
{
	set_device($node, %device);
	$node->sql('SELECT shim_reset(), commit_stats_reset(), commit_history_reset()');
	run_pgbench(
		$node, '-c 4 -T 12',
		sizes => q{\set n random(30, 2000)
INSERT INTO big SELECT string_agg(md5(i::text), '') FROM generate_series(1, :n) i;
});
	$node->sql('SELECT pg_sleep(0.5)');
}

my $fit = q{SELECT coalesce(bytes_share, 0) > 80, coalesce(wal_mb_per_second, 0) BETWEEN 4 AND 5.5
FROM commit_stats_info};

$node->sql('CREATE TABLE big (t text); ALTER TABLE big ALTER t SET STORAGE EXTERNAL');
run_sizes(flush_time => 1, bandwidth => 5);
is($node->sql($fit), 't|t', '5 MB/s');
is( $node->sql(
		q{SELECT count(*) > 10, count(*) FILTER (WHERE cause IN ('bytes', 'new segment')) >= 0.95 * count(*),
	count(*) FILTER (WHERE cause = 'bytes') >= 0.8 * count(*), count(quota_flushes)
FROM commit_stall_log}),
	't|t|t|0',
	'bytes are the cause of stalls, but for new segments');
is( $node->sql(
		q{SELECT commit_history_close() IS NOT NULL;
SELECT sum(bytes_stall_time) >= 0.8 * sum(stall_time - segment_stall_time) FROM commit_history WHERE resolution = 'minute'}
	),
	"t\nt",
	'... in the history as well');

my $report = report_of($node);
first_cause_is($report, qr/^flushes of many bytes: (?:4\.\d+|5\.[0-5]\d*|5) MB/);
like($report->{delay}, qr/^no\b/, 'no delay');

run_sizes(flush_time => 20);
is($node->sql('SELECT bytes_share IS NULL OR bytes_share < 50 FROM commit_stats_info'),
	't', 'the same time for each flush');
is($node->sql(q{SELECT count(*) FROM commit_stall_log WHERE cause = 'bytes'}),
	0, '... in which bytes are no cause');
unlike(report_of($node)->{text}, qr/of many bytes/, '... and the report says nothing of them');

end_test($node);
