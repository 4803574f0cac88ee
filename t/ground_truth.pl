# Is every commit counted, whatever the load and the settings?
#
# pg_waldump lists the commits; see t/ground_truth/GroundTruth.pm.  How near to
# the truth the other figures are is in t/statistics/ground_truth_limits.pl.

use GroundTruth;

my $node = start_truth('truth');
make_tables($node);

sub check_case ($case, $name = describe_case($case))
{
	my ($ours, $truth) = @{ measure($node, $case, 1) }{qw(ours truth)};

	cmp_ok($truth->{commits}, '>', 0, "$name: there was a load");
	is($ours->{commits}, $truth->{commits}, "$name: commits are exact");
	return $truth;
}

my @pairs = ([ 1, 0 ], [ 10, 0 ], [ 50, 0 ], [ 10, 10 ], [ 10, 1000 ], [ 50, 1000 ]);
check_case({ clients => $_->[0], delay => $_->[1], siblings => 5 }) for @pairs;
check_case({ clients => 10, delay => 1000, siblings => 5, timing => 'off' });
check_case($_) for adaptive_cases(10);
start_standby($node);
check_case({ clients => $_, delay => 0, siblings => 5, standby => 1 }) for 2, 50;
stop_standby($node);

# Where the write syncs, the server counts no sync.
$node->sql('ALTER SYSTEM SET wal_sync_method = open_datasync');
cmp_ok(check_case({ clients => 5, delay => 0, siblings => 5 }, 'open_datasync')->{flushes},
	'>', 0, 'open_datasync: writes sync');

end_test($node);
