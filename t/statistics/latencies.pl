# Are the latencies right?
#
# The log of pgbench has the latency of each transaction.  With a commit_delay
# far longer than all else, a transaction takes hardly longer than its commit,
# and the quantiles of both must agree.  A commit that waits for a standby
# which applies WAL a fixed time later waits about that long; one with
# remote_write does not.

use CommitStats;
use POSIX 'ceil';
use Statistics;

my $node = start_node('latency', conf => 'commit_siblings = 0; track_wal_io_timing = on');

# Transaction latencies from the log of a pgbench run, ms, in order.
sub pgbench_latencies ($options)
{
	my $prefix = $node->basedir . '/log';

	unlink glob "$prefix.*";
	run_pgbench(
		$node,
		"$options --log --log-prefix=$prefix",
		insert => 'INSERT INTO logged VALUES (1);');
	return sort { $a <=> $b } map { $_->[2] / 1000 } pgbench_log($prefix);
}

sub quantile ($q, @sorted)
{
	return $sorted[ ceil($q * @sorted) - 1 ];
}

# A quantile of all local commits, leaders and followers together: the bounds
# of its cell.
sub our_quantile ($q)
{
	return $node->row(qq{WITH cell AS (
	SELECT lower_bound, upper_bound, sum(commits) AS n
	FROM commit_latency_histogram WHERE wait_level = 'local'
	GROUP BY 1, 2),
running AS (
	SELECT *, sum(n) OVER (ORDER BY lower_bound) AS up_to, sum(n) OVER () AS total
	FROM cell)
SELECT lower_bound, upper_bound FROM running
WHERE up_to >= $q * total ORDER BY lower_bound LIMIT 1});
}

# One load with this delay, us.  A client that waits for a processor makes
# what surrounds the commit long.
sub with_delay ($delay)
{
	$node->sql('SELECT commit_stats_reset()');
	my @theirs = pgbench_latencies('-c 4 -j 2 -t 20');
	my @findings;

	for my $q (0.25, 0.5, 0.95)
	{
		my ($lower, $upper) = our_quantile($q);
		my $theirs = quantile($q, @theirs);

		# What surrounds the commit takes time as well, on this machine up to
		# a third of the shorter delay.
		push @findings, [ $lower <= $theirs, "quantile $q is not above" ],
		  [ $upper >= $theirs - $delay / 1000 / 3 - 3, "quantile $q is not below" ];
	}
	my ($mean, $flush) = $node->row(
		q{SELECT sum(commit_time) / sum(commits), (SELECT mean FROM commit_flush_latency_stats)
FROM commit_latency_stats WHERE wait_level = 'local'});
	return (
		@findings,
		[ $mean >= $delay / 1000 * 0.9, 'the sleep is part of it' ],
		[ $flush < $mean, 'the flush itself is shorter' ]);
}

for my $delay (10_000, 100_000)
{
	$node->alter_system(commit_delay => $delay);
	right_in_most_rounds("delay $delay", sub { return with_delay($delay) });
}

# COMMIT alone, as pgbench times each statement.
my $delay = 100_000;

right_in_most_rounds 'COMMIT alone', sub {
	$node->sql('SELECT commit_stats_reset()');
	my $report = run_pgbench(
		$node,
		'-c 4 -j 2 -t 20 -r',
		statements => "BEGIN;\nINSERT INTO logged VALUES (1);\nCOMMIT;\n");
	my ($theirs) = $report =~ /^\s+([\d.]+)\s+(?:\d+\s+)?COMMIT;/m;
	my $ours = $node->sql(q{SELECT sum(commit_time) / sum(commits) FROM commit_latency_stats
WHERE wait_level = 'local'});

	return (
		[ $theirs >= $delay / 1000, 'pgbench timed it' ],
		[ $ours <= $theirs, 'we time a part of it' ],
		[ $ours >= $theirs - $delay / 1000 / 10, 'nearly all of it' ]);
};

# A standby that applies a commit 200 ms later.  If the local flush takes long
# and the standby does not, the time counts for the flush.
my $apply_delay = 200;

$node->alter_system(commit_delay => 0);
my $standby = add_standby($node, "recovery_min_apply_delay = ${apply_delay}ms\n");
require_standby($node, 'standby');

# The mean of the commits of a level, and of their waits for the standby
sub with_level ($level, $options)
{
	$node->sql('SET synchronous_commit = local; SELECT commit_stats_reset()');
	run_pgbench($node, $options,
		write => "SET synchronous_commit = $level;\nINSERT INTO logged VALUES (1);");
	return $node->row(
		qq{SELECT sum(commit_time) / sum(commits), sum(standby_time_min) / sum(commits),
	   sum(standby_time_max) / sum(commits)
FROM commit_latency_stats WHERE synchronous_commit = '$level'});
}

right_in_most_rounds 'standby', sub {
	my (undef, undef, $apply) = with_level('remote_apply', '-c 1 -t 7');
	my (undef, undef, $write) = with_level('remote_write', '-c 1 -t 5');
	my (undef, $seen) = with_level('remote_apply', '-c 16 -j 2 -t 10');

	return [ $apply >= $apply_delay / 2, 'remote_apply: commits wait for it' ],
	  [ $write < $apply_delay, 'remote_write: it does not wait so long' ],
	  [ $seen > 0, 'others: some flushes were seen to end' ];
};
$node->alter_system(commit_delay => $delay);
right_in_most_rounds 'long flush', sub {
	my ($mean, undef, $max) = with_level('remote_write', '-c 1 -t 5');

	return [ $max <= $mean - 90, 'it is not for the standby' ];
};

end_test($standby, $node);
