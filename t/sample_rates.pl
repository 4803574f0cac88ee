# Are the rates of commit_stats_sample() right?
#
# The witnesses are the WAL of the same time and the totals of
# commit_flush_stats.

use lib 't';
use CommitStats;

# The WAL writer would flush some commits in the place of a session.
my $node = start_node('sample', conf => "track_wal_io_timing = on\nwal_writer_delay = 10s\n");
my @columns = qw(elapsed commits commits_per_second commits_async_per_second
  flushes_per_second commits_per_flush delay_hit_share wal_busy_share mean
  p50 p95 p99);

# A sample of which all that $code does is a part, and what commit_flush_stats
# and the WAL say about it.  The sample is longer if the machine is slow.
sub sample_around ($code, $seconds)
{
	my ($counted, $records, $too_slow, %row);

	($counted, $records) = observe(
		$node,
		sub {
			my $session = start_psql($node,
				'SELECT ' . join(', ', @columns) . " FROM commit_stats_sample('$seconds s')");

			$node->wait_until(q{SELECT count(*) = 1 FROM pg_stat_activity
WHERE query LIKE '%commit_stats_sample%' AND wait_event = 'Extension'});
			$code->();
			errors_so_far($session);
			$too_slow = $session->{out} ne '';
			end_background($session)
			  or die "the sample failed: $session->{err}\n";
			@row{@columns} = split /\|/, $session->{out}, -1;
			chomp $row{p99};
		});
	return $too_slow && $seconds < 60
	  ? sample_around($code, 2 * $seconds)
	  : (\%row, $counted, $records);
}

my ($row, $counted, $records) = sample_around(
	sub {
		run_pgbench($node, '-c 4 -t 50', insert => "INSERT INTO logged VALUES (1);\n");
		run_pgbench($node, '-c 2 -t 10',
			async => "SET synchronous_commit = off;\nINSERT INTO logged VALUES (1);\n");
	},
	4);

cmp_ok($row->{elapsed}, '>=', 4, 'it takes its time');
is($row->{commits}, 200, 'commits that waited');
is($counted->{commits}, 200, '... as in commit_flush_stats');
is($records->{COMMIT}, 220, '... and with the others in the WAL');
near($row->{commits_per_second}, 200 / $row->{elapsed}, 'commits/s');
near($row->{commits_async_per_second}, 20 / $row->{elapsed}, 'asynchronous commits/s');
near($row->{flushes_per_second}, $counted->{flushes} / $row->{elapsed}, 'flushes/s');
near($row->{commits_per_flush}, 200 / $counted->{flushes}, 'commits per flush');
near(
	$row->{wal_busy_share},
	100 * $counted->{flush_time} / 1000 / $row->{elapsed},
	'share of time that leaders wrote and synced');
near($row->{mean}, $counted->{commit_time} / 200, 'mean latency');
ok($row->{p50} <= $row->{p95} && $row->{p95} <= $row->{p99}, 'percentiles are in order');
is($row->{delay_hit_share}, 0, 'no delay, no hits');

# With a delay that every leader sleeps, and without times
alter_system(
	$node,
	commit_delay => 5000,
	commit_siblings => 0,
	track_wal_io_timing => 'off');
($row, $counted) = sample_around(
	sub {
		run_pgbench($node, '-c 1 -t 40', insert => "INSERT INTO logged VALUES (1);\n");
	},
	4);
is($row->{commits}, 40, 'commits of a lone client');
near($row->{delay_hit_share}, 100, 'each of which slept');
cmp_ok($row->{p50}, '>', 5, 'for as long as the delay');
is($row->{wal_busy_share}, '', 'untimed flushes have no share of the time');

# A server that counts nothing
alter_system($node, 'commit_stats.enabled' => 'off');
like(
	error_of($node, 'SELECT * FROM commit_stats_sample()'),
	qr/55000: commit_stats is not counting.*commit_stats.enabled/s,
	'there is nothing to sample while it is disabled');

$node->stop;
done_testing();
