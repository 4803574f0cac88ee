# Does commit_stats use the wait event of a leader that sleeps commit_delay?
#
# PostgreSQL 19 shows one.  A session that commits meanwhile sees it, and the
# verdict about that flush is certain.  Before 19 the verdict about a short
# sleep is never certain while the sleep depends on the number of siblings.
#
# Run alone: other processes disturb the figures.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CommitStats;
use Test::More;

my $node = start_node(
	'seen', conf => q{
commit_delay = 100
commit_siblings = 2
track_wal_io_timing = on
});

run_pgbench(
	$node,
	'-c 4 -j 2 -t 500',
	insert => 'INSERT INTO logged VALUES (1);');
my ($delayed, $certain, $uncertain) = split /\|/, $node->safe_psql(
	'postgres', q{
SELECT count(*), count(*) FILTER (WHERE delay_probability = 1),
	   (SELECT delay_uncertain FROM commit_flush_stats)
FROM commit_flush_log WHERE delayed});

cmp_ok($delayed, '>', 10, 'leaders slept');
if ($node->pg_version >= '19devel')
{
	# the number depends on the commits meanwhile; it can be all of them
	cmp_ok($certain, '>', $delayed / 4, 'many of them were seen asleep');
}
else
{
	is($certain, 0, 'none of them can be seen');
}

# The wait event that one commit saw says nothing about the next commit.
$node->safe_psql('postgres', 'ALTER SYSTEM SET commit_siblings = 1000');
$node->reload;
$node->poll_query_until('postgres', q{SHOW commit_siblings}, '1000')
  or die "commit_siblings did not change\n";
$node->safe_psql('postgres', 'SELECT commit_stats_reset()');
run_pgbench(
	$node,
	'-c 8 -j 2 -t 100',
	insert => 'INSERT INTO logged VALUES (1);');
is( $node->safe_psql('postgres', 'SELECT delay_hits FROM commit_flush_stats'),
	0,
	'no flush counts as a hit where no leader could sleep');

$node->stop;
done_testing();
