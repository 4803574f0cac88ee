# Are the figures within the limits of doc/limits.md?
#
# A preloaded shim sees what the server does, and the WAL has each commit; see
# t/ground_truth/GroundTruth.pm.  This test allows twice the limits, so that a
# noisy machine does not fail it; bench/ground-truth prints the figures.
#
# Run alone: other processes disturb the figures.

use strict;
use warnings;

use lib 't', 't/ground_truth';
use GroundTruth qw(start_truth start_standby stop_standby measure limits
  figures adaptive_cases);
use List::Util 'min';
use Test::More;

# Below, on and above commit_siblings; without a delay, with short and long
# ones.  Without track_wal_io_timing the delay hits are estimates that promise
# less: there only what does not depend on them is checked.
my @cases = (
	(map { { clients => $_, delay => 0, siblings => 5 } } 1, 2, 5, 10, 50),
	(map { { clients => 10, delay => $_, siblings => 5 } } 10, 50, 200, 1000),
	(map { { clients => 7, delay => $_, siblings => 5 } } 20, 50, 300),
	(map { { clients => $_, delay => 1000, siblings => 5 } } 5, 50),
	{ clients => 2, delay => 500, siblings => 1 },
	{ clients => 20, delay => 100, siblings => 15 },
	{ clients => 10, delay => 1000, siblings => 5, timing => 'off' },
	adaptive_cases(10));

my $node = start_truth('truth', undef, allows_streaming => 1);

# The errors of a case.  What else the machine does at the time disturbs the
# evidence for a delay.  So a case that is outside the limits is measured twice
# again, and each figure is the one in the middle of three; delay hits may then
# be off by as much more as delay_uncertain owns up to, and as there were
# sleeps that the machine was late to end.  That has a bound, or it could
# excuse anything: verdicts that say always the same are off by more.
sub errors
{
	my ($case, $limit) = @_;
	my @figures;

	for my $try (1 .. 3)
	{
		my $result = measure($node, $case, 3);
		my $error = figures($result);

		note sprintf(
			'commits %d, flushes %+.2f%%, distribution %.2f%%, hits %+.2f%% (%.2f%% uncertain, %.0f%% late)',
			$result->{truth}->{commits},
			@$error{qw(flushes distribution hits uncertain late)});
		cmp_ok($result->{truth}->{commits}, '>', 100, 'there was a load');
		is($error->{commits}, 0, 'commits are exact');
		push @figures, $error;
		return $error
		  if $try == 1
		  && !grep { abs($error->{$_}) > $limit->{$_} } keys %$limit;
	}
	my %middle = map {
		my $what = $_;
		$what => (sort { $a <=> $b } map { $_->{$what} } @figures)[1]
	} keys %{ $figures[0] };

	$limit->{hits} += min($middle{uncertain} + $middle{late}, 30)
	  if exists $limit->{hits};
	return \%middle;
}

sub check_case
{
	my ($case) = @_;
	my $limit = limits($case);

	$limit->{$_} *= 2 for keys %$limit;
	delete $limit->{hits} if ($case->{timing} || 'on') eq 'off';
	subtest join(', ',
		map { "$_ $case->{$_}" } grep { $_ ne 'device' } sort keys %$case) =>
	  sub {
		my $error = errors($case, $limit);

		for my $what (sort keys %$limit)
		{
			cmp_ok(abs($error->{$what}),
				'<=', $limit->{$what}, "$what within the limit");
		}
	  };
	return;
}

check_case($_) for @cases;

# With a synchronous standby hardly anybody sees where a flush ends.
start_standby($node);
check_case({ clients => $_, delay => 0, siblings => 5, standby => 1 })
  for 2, 8, 50;
stop_standby($node);

# Where the write syncs, the server counts no sync, but the flushes are seen.
$node->safe_psql('postgres',
	'ALTER SYSTEM SET wal_sync_method = open_datasync');
my $case = { clients => 5, delay => 0, siblings => 5 };
my $result = measure($node, $case, 3);
my $error = figures($result);

is($error->{commits}, 0, 'open_datasync: commits are exact');
cmp_ok($result->{truth}->{flushes}, '>', 100, 'open_datasync: writes sync');
cmp_ok(abs($error->{flushes}), '<=', 1, 'open_datasync: flushes are right');

$node->stop;
done_testing();
