# Are flushes that wait to write WAL, and not to sync it, told so, and not
# taken for those of a volume with a quota?
#
# The shim (t/ground_truth/shim.c) makes one of 20 writes of WAL take 300 ms,
# and in the end one that does not end.  By their distances, the stalls are
# those of a device that allows 20 flushes in a window.

use GroundTruth;
use Symptoms;

my $node = start_truth('slow_writes',
	q{wal_writer_delay = 10s; commit_stats.stall_time = 200ms; commit_stats.slow_commit_time = 200ms}
);

set_device($node, flush_time => 2, write_every => 20, write_time => 300);
$node->sql('SELECT commit_stats_reset()');
my $from = $node->sql('SELECT commit_history_close()');
run_pgbench($node, '-c 4 -T 15', insert => 'INSERT INTO tick VALUES (1);');
$node->sql('SELECT pg_sleep(0.5)');
is( $node->sql(
		q{SELECT count(*) > 20, count(*) FILTER (WHERE cause = 'unknown') >= 0.95 * count(*),
	count(quota_flushes) FROM commit_stall_log}),
	't|t|0',
	'no quota is the cause');

my $report = report_of($node);
my $writes =
  qr/stalls of unknown cause \(\d+ stalls, mean \d+ ms\), in the write of WAL, not in its sync: /;
first_cause_is($report, qr/^$writes/);
like(
	$report->{causes}->[0]->{remedy},
	qr/^on ZFS or btrfs, wal_recycle = off and wal_init_zero = off; else who freezes the file\s+system/,
	'... and what to do');
like($report->{delay}, qr/^no\b/, 'no delay');
like(report_since($node, $from), $writes, '... of the period, too');

# A write that does not end: one commit leads it, three wait for that one.
set_device($node, flush_time => 2, write_every => 1, write_time => 1e9);
my @sessions = map { $node->start_psql('INSERT INTO tick VALUES (1)') } 1 .. 4;
$node->wait_until(
	q{SELECT count(*) = 4 AND max(clock_timestamp() - committing_since) > '1.5 s'
FROM commit_activity WHERE committing_since IS NOT NULL});
like(
	report_of($node)->{now},
	qr/: for the flush of pid \d+.*, the write of WAL, not its sync \(a frozen file system\?\)\.$/,
	'... now');
set_device($node);
ok(end_background($_), 'a commit ends') for @sessions;

end_test($node);
