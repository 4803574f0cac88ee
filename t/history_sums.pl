# Do the rows of commit_history add up to the differences of the totals?
#
# Random loads, resets of the statistics, restarts and crashes come between.
# The witness is commit_flush_stats, of which the values before each reset and
# crash are added up.  The rows of minutes, and those of hours, must have the
# same sums, exactly, and none may overlap another.  A crash loses what was
# counted since the file was written.

use CommitStats;

# The test itself adds read-only commits at any time.
my @stats = qw(commits commits_async commits_unlogged flushes delay_hits
  delay_time commit_time flush_time timed_flushes stalls stall_time slow_commits);
my $node = start_node('sums',
	conf =>
	  'track_wal_io_timing = on; restart_after_crash = on; max_logical_replication_workers = 0');
my %sum = map { $_ => 0 } @stats;    # of totals that are gone
my %kept;                            # that the file has, at least

$node->sql('CREATE UNLOGGED TABLE unlogged (n int)');

sub totals
{
	my %value;

	@value{@stats} = $node->row('SELECT ' . join(', ', @stats) . ' FROM commit_flush_stats');
	return map { $_ => $sum{$_} + $value{$_} } @stats;
}

# Times are sums of whole nanoseconds, shown in ms.
sub in_rows ($resolution)
{
	my %value;

	@value{@stats} =
	  $node->row('SELECT '
		  . join(', ', map { "sum($_)" } @stats)
		  . " FROM commit_history WHERE resolution = '$resolution'");
	return %value;
}

sub agree ($name)
{
	$node->sql('SELECT commit_history_close()');
	my %total = totals();

	for my $resolution (qw(minute hour))
	{
		my %row = in_rows($resolution);

		is( join(' ', map { sprintf '%s %.6f', $_, $row{$_} } @stats),
			join(' ', map { sprintf '%s %.6f', $_, $total{$_} } @stats),
			"$name: the sums of each $resolution are the totals");
	}
	is( $node->sql(q{SELECT count(*) FROM (SELECT resolution, period_start, period_end,
	lag(period_end) OVER (PARTITION BY resolution ORDER BY period_start) AS before
	FROM commit_history) h WHERE period_end <= period_start OR before > period_start}),
		0,
		"$name: no period overlaps another");
	is( $node->sql(q{SELECT count(*) FROM commit_history WHERE abs(stall_time
	- (segment_stall_time + cpu_limit_stall_time + pause_stall_time + checkpoint_stall_time + archiver_stall_time
	   + bulk_wal_stall_time + bytes_stall_time + other_io_stall_time
	   + quota_stall_time + unknown_stall_time)) > 1e-6}),
		0,
		"$name: the causes of stalls add up");
	is( $node->sql(q{SELECT count(*) FROM commit_history WHERE sign(unknown_time) < 0 OR abs(
	commit_time + before_time + after_time - (before_time + record_time + notify_time
	+ coalesce(phase_delay_time, 0) + coalesce(phase_flush_time, 0)
	+ coalesce(others_flush_time, 0) + coalesce(segment_time, 0) + standby_time
	+ coalesce(commit_log_time, 0) + after_time + coalesce(not_run_time, 0)
	+ unknown_time)) > 1e-6}),
		0,
		"$name: the phases add up");
}

sub load
{
	local $ENV{PGOPTIONS} = '-c commit_delay=' . int(rand 2000) . ' -c commit_siblings=1';

	run_pgbench(
		$node, '-c ' . (1 + int rand 8) . ' -j 2 -t ' . (1 + int rand 30),
		write => 'INSERT INTO logged VALUES (1)',
		unlogged => 'INSERT INTO unlogged VALUES (1)',
		async => "BEGIN; SET LOCAL synchronous_commit = off; INSERT INTO logged VALUES (2); COMMIT",
		notify => 'NOTIFY anyone');
}

load();
agree('first load');
for my $round (1, 2)
{
	load();
	%sum = totals();
	$node->sql('SELECT commit_stats_reset()');
	load();
	agree("round $round, after a reset");
	load();
	my %before = totals();
	$node->restart;
	my %after = totals();
	is_deeply(\%after, \%before, "round $round: a restart keeps the totals");
	agree("round $round, after a restart");
}

# The file has all up to the restart, and no minute ends by itself in the first
# one after it: another row, or file, would have some of what the crash loses.
$node->append_conf('postgresql.conf',
	'commit_stats.history_start = ' . 3600 * (2 + int(time / 3600)));
$node->restart;
my $rows = $node->sql("SELECT count(*) FROM commit_history WHERE resolution = 'minute'");
%kept = in_rows('minute');
load();
kill_backend($node, "backend_type = 'walwriter'");
%sum = %kept;
$node->sql('SELECT commit_history_close()');
load();
agree('after a crash');
is( $node->sql(qq{SELECT after_gap FROM commit_history
	WHERE resolution = 'minute' ORDER BY period_start OFFSET $rows LIMIT 1}),
	't',
	'the first row after a crash tells the gap');

# A reset of the history.
%sum = map { $_ => 0 } @stats;
my %before = totals();
my $last = $node->sql('SELECT max(period_end) FROM commit_history');
$node->sql('SELECT commit_history_reset()');
# a minute may have ended since
is($node->sql("SELECT count(*) FROM commit_history WHERE period_start < '$last'"),
	0, 'a reset leaves no row');
load();
$sum{$_} = -$before{$_} for @stats;
agree('after a reset of the history');
$node->restart;
agree('after a reset of the history and a restart');
ends_well($node, 1);
done_testing();
