# Are the latencies right?
#
# The log of pgbench has the latency of each transaction.  With a commit_delay
# far longer than all else, a transaction takes hardly longer than its commit,
# and the quantiles of both must agree.  Also, nothing may be lost when a cell
# of a backend's histogram overflows.
#
# Run alone: other processes disturb the figures.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CommitStats;
use POSIX 'ceil';
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_node(
	'latency', conf => q{
commit_siblings = 0
track_wal_io_timing = on
});

# Transaction latencies from the log of a pgbench run, ms, in order.
sub pgbench_latencies
{
	my ($options) = @_;
	my $prefix = $node->basedir . '/log';
	my @latencies;

	unlink glob "$prefix.*";
	run_pgbench(
		$node,
		"$options --log --log-prefix=$prefix",
		insert => 'INSERT INTO logged VALUES (1);');
	for my $file (glob "$prefix.*")
	{
		push @latencies,
		  map { (split ' ')[2] / 1000 } split /\n/, slurp_file($file);
	}
	return sort { $a <=> $b } @latencies;
}

sub quantile
{
	my ($q, @sorted) = @_;

	return $sorted[ ceil($q * @sorted) - 1 ];
}

# A quantile of all local commits, leaders and followers together: the bounds
# of its cell.
sub our_quantile
{
	my ($q) = @_;

	return split /\|/, $node->safe_psql(
		'postgres', qq{
WITH cell AS (
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
sub with_delay
{
	my ($delay) = @_;

	$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
	my @theirs = pgbench_latencies('-c 4 -j 2 -t 20');
	my ($commits) = $node->safe_psql(
		'postgres', q{
SELECT sum(commits) FROM commit_latency_stats WHERE wait_level = 'local'}
	);
	my @findings;

	is($commits, scalar @theirs, "delay $delay: every transaction is there");
	for my $q (0.25, 0.5, 0.95)
	{
		my ($lower, $upper) = our_quantile($q);
		my $theirs = quantile($q, @theirs);

		# What surrounds the commit takes time as well, on this machine up to
		# a third of the shorter delay.
		push @findings, [ $lower <= $theirs, "quantile $q is not above" ],
		  [
			$upper >= $theirs - $delay / 1000 / 3 - 3,
			"quantile $q is not below"
		  ];
	}
	my ($mean, $flush) = split /\|/, $node->safe_psql(
		'postgres', q{
SELECT sum(commit_time) / sum(commits), (SELECT mean FROM commit_flush_latency_stats)
FROM commit_latency_stats WHERE wait_level = 'local'});
	return (
		@findings,
		[ $mean >= $delay / 1000 * 0.9, 'the sleep is part of it' ],
		[ $flush < $mean, 'the flush itself is shorter' ]);
}

for my $delay (10_000, 100_000)
{
	alter_system($node, commit_delay => $delay);
	right_in_one_round("delay $delay", sub { return with_delay($delay) });
}

# COMMIT alone, as pgbench times each statement.
my $delay = 100_000;

right_in_one_round(
	'COMMIT alone',
	sub {
		$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
		my $report = run_pgbench(
			$node,
			'-c 4 -j 2 -t 20 -r',
			statements => "BEGIN;\nINSERT INTO logged VALUES (1);\nCOMMIT;\n"
		);
		my ($theirs) = $report =~ /^\s+([\d.]+)\s+(?:\d+\s+)?COMMIT;/m;
		my $ours = $node->safe_psql(
			'postgres', q{
SELECT sum(commit_time) / sum(commits) FROM commit_latency_stats
WHERE wait_level = 'local'});

		return (
			[ $theirs >= $delay / 1000, 'pgbench timed it' ],
			[ $ours <= $theirs, 'we time a part of it' ],
			[ $ours >= $theirs - $delay / 1000 / 10, 'nearly all of it' ]);
	});

# The views agree with each other and with commit_flush_stats.
sub agree
{
	my ($name) = @_;

	is( $node->safe_psql(
			'postgres', q{
SELECT (SELECT sum(commits) FROM commit_latency_stats WHERE role <> 'asynchronous') = s.commits,
	   (SELECT coalesce(sum(commits), 0) FROM commit_latency_stats WHERE role = 'follower')
		   = s.followers + s.commits_without_leader,
	   (SELECT coalesce(sum(commits), 0) FROM commit_latency_stats WHERE role = 'asynchronous')
		   = s.commits_async,
	   (SELECT sum(commits) FROM commit_latency_histogram) = s.commits + s.commits_async,
	   (SELECT flushes FROM commit_flush_latency_stats) = s.timed_flushes,
	   (SELECT sum(flushes) FROM commit_flush_latency_histogram) = s.timed_flushes,
	   abs((SELECT sum(commit_time) FROM commit_latency_stats WHERE role <> 'asynchronous')
		   - s.commit_time) < 0.01,
	   abs((SELECT flush_time FROM commit_flush_latency_stats) - s.flush_time) < 0.01
FROM commit_flush_stats s}),
		't|t|t|t|t|t|t|t',
		"$name: the views agree");
}

alter_system($node, commit_delay => 0);
run_pgbench(
	$node, '-c 8 -j 2 -t 200',
	durable => 'INSERT INTO logged VALUES (1);',
	relaxed => 'SET synchronous_commit = off; INSERT INTO logged VALUES (1);'
);
agree('mixed load');

# More than 65,535 commits in one cell.
$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
$node->safe_psql(
	'postgres', q{
SET synchronous_commit = off;
DO $$ BEGIN FOR i IN 1 .. 400000 LOOP
	PERFORM pg_current_xact_id();
	INSERT INTO logged VALUES (i);
	COMMIT;
END LOOP; END $$;
TRUNCATE logged});
cmp_ok(
	$node->safe_psql(
		'postgres', q{
SELECT max(commits) FROM commit_latency_histogram WHERE role = 'asynchronous'}
	),
	'>',
	65535,
	'a cell has overflowed');
is( $node->safe_psql(
		'postgres', q{
SELECT sum(commits) FROM commit_latency_histogram WHERE role = 'asynchronous'}
	),
	400000,
	'and nothing is lost');

# What a reset leaves behind
$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
is( $node->safe_psql(
		'postgres', q{
SELECT (SELECT count(*) FROM commit_latency_stats),
	   (SELECT count(*) FROM commit_latency_histogram),
	   (SELECT count(*) FROM commit_flush_latency_histogram)}),
	'0|0|0',
	'nothing after a reset');
$node->safe_psql('postgres', 'INSERT INTO logged VALUES (1)');
agree('after a reset');

$node->stop;
done_testing();
