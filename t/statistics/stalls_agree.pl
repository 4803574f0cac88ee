# Does commit_stall_log have the flushes for which the device stalled, and no
# other?
#
# The shim (t/ground_truth/shim.c) makes a device with a quota of the disk and
# knows when each flush ended and how long it took.  A process that waits for a
# processor can make a flush look long.  t/stalls.pl has what is exact.

use GroundTruth;
use Statistics;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_REALTIME);

my $stall_time = 50;    # ms
my $node = start_truth('stalls');

# How far the wall clock is ahead of the monotonic one, which the shim reads, s
sub clocks_differ
{
	return clock_gettime(CLOCK_REALTIME) - clock_gettime(CLOCK_MONOTONIC);
}

# Flushes of backends that took longer than $limit ms, by the shim; those whose
# end and length commit_stall_log has; and the others there
sub compare ($limit)
{
	my $ahead = clocks_differ();

	return $node->row(qq{WITH slow AS (
	SELECT pid, length / 1e6 AS length, to_timestamp((at + length) / 1e9 + $ahead) AS ended_at
	FROM shim_events() WHERE kind = 'sync' AND backend AND length / 1e6 > $stall_time),
logged AS (
	SELECT leader_pid AS pid, duration, ended_at, ended_at - duration * interval '1 ms' AS started_at
	FROM commit_stall_log WHERE duration > $limit)
SELECT (SELECT count(*) FROM slow WHERE length > $limit),
	   (SELECT count(*) FROM slow s WHERE length > $limit AND EXISTS (
			SELECT FROM logged l
			WHERE s.pid = l.pid AND s.ended_at BETWEEN l.started_at AND l.ended_at AND
				  duration BETWEEN length - 0.001 AND length + 200)),
	   (SELECT count(*) FROM logged l WHERE NOT EXISTS (
			SELECT FROM slow s
			WHERE s.pid = l.pid AND s.ended_at BETWEEN l.started_at AND l.ended_at))});
}

# What the log says of one load, in which a process may have waited for a
# processor
sub is_logged ($timing)
{
	run_stalling($node, 60, quota => 10, window => 300);
	my ($stalls, $logged, $others) = compare(60);
	note "timing $timing: $logged of $stalls stalls logged, and $others others";
	return (
		[ $stalls > 3, 'the device stalled' ],
		# measured, or inferred
		[
			$logged >= ($timing eq 'on' ? $stalls : 2 * $stalls / 3),
			'each stall is in commit_stall_log'
		],
		# untimed, waiting for the WAL writer looks like an own flush
		[ $others <= ($timing eq 'on' ? 0 : $stalls / 3), 'nothing else is' ],
		[
			$node->sql('SELECT max(sessions) > 1 FROM commit_stall_log') eq 't',
			'several sessions waited'
		],
		[
			$node->sql(
				q{SELECT DISTINCT quota_flushes BETWEEN 9 AND 11, quota_window BETWEEN 290 AND 310
FROM commit_stall_log WHERE quota_flushes IS NOT NULL}) eq 't|t',
			'the stalls show the quota'
		]);
}

for my $timing (qw(on off))
{
	$node->alter_system(
		track_wal_io_timing => $timing,
		'commit_stats.stall_time' => "${stall_time}ms");
	right_in_most_rounds("timing $timing", sub { return is_logged($timing) });
}

# A flush of the WAL writer, which carries commits that no commit led
$node->alter_system(wal_writer_delay => '10ms');
set_device($node, flush_time => 120);
right_in_most_rounds 'a stall that no commit led', sub {
	run_beside_wal_writer($node);
	my ($stalls, $long) = $node->row(q{SELECT count(*), count(*) FILTER (WHERE duration > (
	SELECT 2 * max(length) / 1e6 + 1000 FROM shim_events() WHERE NOT backend AND kind = 'sync'))
FROM commit_stall_log WHERE leader_pid IS NULL});
	return ([ $stalls > 2, 'there are some' ],
		[ $long == 0, 'as long as a flush of the WAL writer, or two that nobody told apart' ]);
};

end_test($node);
