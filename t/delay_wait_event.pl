# Does commit_stats use the wait event of a leader that sleeps commit_delay?
#
# PostgreSQL 19 shows one.  A session that commits meanwhile sees it, and the
# verdict about that flush is certain.  Before 19 the verdict about a short
# sleep is never certain while the sleep depends on the number of siblings.
# How many are seen is in t/statistics/ground_truth_limits.pl.

use CommitStats;

my $node =
  start_node('seen', conf => 'commit_delay = 100; commit_siblings = 2; track_wal_io_timing = on');

# The flushes that slept, and those of them about which there is no doubt
my ($delayed, $certain);
my $sees_event = $node->pg_version >= '19devel';

eventually(sub {
	run_pgbench($node, '-c 4 -j 2 -t 100', insert => 'INSERT INTO logged VALUES (1);');
	($delayed, $certain) = $node->row(
		q{SELECT count(*), count(*) FILTER (WHERE delay_probability = 1) FROM commit_flush_log WHERE delayed}
	);
	return $delayed > 10 && (!$sees_event || $certain > 0);
});
cmp_ok($delayed, '>', 10, 'leaders slept');
is($certain > 0 ? 1 : 0, $sees_event ? 1 : 0, 'one that is seen asleep is certain, and only that');

# The wait event that one commit saw says nothing about the next commit.
$node->alter_system(commit_siblings => 1000);
$node->sql('SELECT commit_stats_reset()');
run_pgbench($node, '-c 8 -j 2 -t 100', insert => 'INSERT INTO logged VALUES (1);');
is($node->sql('SELECT delay_hits FROM commit_flush_stats'),
	0, 'no flush counts as a hit where no leader could sleep');

end_test($node);
