# Are the figures within the limits of doc/limits.md?
#
# A preloaded shim sees what the server does, and the WAL has each commit; see
# t/ground_truth/GroundTruth.pm.  This test allows twice the limits;
# bench/ground-truth prints the figures.  t/counts_equal_system_calls.pl has
# what is exact.

use GroundTruth;
use List::Util 'min';
use Statistics;

my $node = start_truth('truth');
make_tables($node, 10);

# Delay hits may be off by as much more as delay_uncertain owns up to, and as
# there were sleeps that the machine was late to end.  That has a bound, or it
# could excuse anything: verdicts that say always the same are off by more.
# Without track_wal_io_timing the delay hits are estimates that promise less.
sub check_case ($case)
{
	right_in_most_rounds describe_case($case), sub {
		my $limit = limits($case);
		my $error = figures(measure($node, $case, 2));

		is($error->{commits}, 0, describe_case($case) . ': commits are exact');
		note
		  sprintf(
			'flushes %+.2f%%, distribution %.2f%%, hits %+.2f%% (%.2f%% uncertain, %.0f%% late)',
			@$error{qw(flushes distribution hits uncertain late)});
		$limit->{$_}   *= 2 for keys %$limit;
		$limit->{hits} += min($error->{uncertain} + $error->{late}, 30);
		delete $limit->{hits} if ($case->{timing} || 'on') eq 'off';
		return map { [ abs($error->{$_}) <= $limit->{$_}, "$_ are within the limit" ] }
		  sort keys %$limit;
	};
}

# Below, on and above commit_siblings; without a delay, with short and long
# ones.
check_case($_)
  for (
	(map { { clients => $_, delay => 0, siblings => 5 } } 1, 2, 5, 10, 50),
	(map { { clients => 10, delay => $_, siblings => 5 } } 10, 50, 200, 1000),
	(map { { clients => 7, delay => $_, siblings => 5 } } 20, 50, 300),
	(map { { clients => $_, delay => 1000, siblings => 5 } } 5, 50),
	{ clients => 2, delay => 500, siblings => 1 },
	{ clients => 20, delay => 100, siblings => 15 },
	{ clients => 10, delay => 1000, siblings => 5, timing => 'off' },
	adaptive_cases(10));

# With a synchronous standby hardly anybody sees where a flush ends.
start_standby($node);
check_case({ clients => $_, delay => 0, siblings => 5, standby => 1 }) for 2, 8, 50;
stop_standby($node);

# Where the write syncs, the server counts no sync, but the flushes are seen.
$node->sql('ALTER SYSTEM SET wal_sync_method = open_datasync');
right_in_most_rounds 'open_datasync', sub {
	my $error = figures(measure($node, { clients => 5, delay => 0, siblings => 5 }, 2));

	return [ abs($error->{flushes}) <= 1, 'flushes are right' ];
};
$node->sql('ALTER SYSTEM RESET wal_sync_method');

# PostgreSQL 19 shows a leader that sleeps; a session that commits meanwhile
# sees it, and the verdict about that flush is certain.
right_in_most_rounds 'wait event', sub {
	measure($node, { clients => 4, delay => 100, siblings => 2 }, 2);
	my ($delayed, $certain) = $node->row(
		q{SELECT count(*), count(*) FILTER (WHERE delay_probability = 1) FROM commit_flush_log WHERE delayed}
	);

	return [ $delayed > 10, 'leaders slept' ],
	  [ $certain > $delayed / 4, 'many of them were seen asleep' ];
  }
  if $node->pg_version >= '19devel';

end_test($node);
