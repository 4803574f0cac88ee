# Print how far commit_stats is from the truth.  bench/ground-truth prepares
# what this script needs, and calls it.
#
# usage: perl bench/ground_truth.pl [SECONDS [ROUNDS [LOADS]]]

use lib 't', 't/ground_truth';
use GroundTruth;

my $seconds = $ARGV[0] || 5;
my $rounds = $ARGV[1] || 1;
my $loads = $ARGV[2];    # a regular expression, of names

# Loads that were not written for commit_stats
my @foreign = (
	{ name => 'TPC-B', load => 'tpcb-like' },
	$ENV{TPCC} ? { name => 'TPC-C', sysbench => 'tpcc' } : (),
	map {
		my $keys = $_;

		map { { name => "$_ $keys", sysbench => $_, keys => $keys } }
		  qw(oltp_insert oltp_write_only oltp_read_write)
	} qw(uniform special));

sub case_of ($clients, $delay, $siblings, @more)
{
	return { clients => $clients, delay => $delay, siblings => $siblings, @more };
}

my @cases = (
	(map { case_of($_, 0, 5) } 1, 2, 5, 10, 20, 50),
	(   map {
			my $delay = $_;
			map { case_of($_, $delay, 5) } 5, 7, 10, 50
		} 10,
		20, 50, 100, 200, 500, 1000,
		2000),
	case_of(2, 500, 1),
	case_of(10, 50, 8),
	case_of(20, 100, 15),
	(map { case_of(10, $_, 5, timing => 'off') } 50, 200, 1000),
	(map { adaptive_cases($_) } 2, 10, 50),
	(   map {
			my @load = %$_;
			map { case_of(@$_, 5, @load) }[ 10, 0 ], [ 10, 1000 ], [ 50, 200 ]
		} @foreign),
	map { case_of($_, 0, 5, name => 'standby', standby => 1) } 1,
	2, 4, 8,
	50);

@cases = grep { ($_->{name} || '') =~ /$loads/ } @cases if defined $loads;
die "no load has a name like that\n" if !@cases;

# The test modules have sent standard output to their log, and Test::More to
# where it went before.  Here the table goes there, and the TAP of the set-up
# nowhere.
my $out = Test::More->builder->output;
open my $nowhere, '>', \my $ignored;
Test::More->builder->output($nowhere);
Test::More->builder->no_ending(1);

my $node = start_truth('truth', undef, allows_streaming => 1);
make_tables($node, 10);
prepare_sysbench($node);
my $outside = 0;
my $has_standby = 0;

print $out join(
	"\t",
	qw(workload clients commit_delay commit_siblings commits wrong flushes flush_error distribution
	  delay_hits delay_hit_error outside)),
  "\n";
for my $case ((@cases) x $rounds)
{
	my $standby = $case->{standby} || 0;

	if ($standby != $has_standby)
	{
		$standby ? start_standby($node) : stop_standby($node);
		$has_standby = $standby;
	}

	my $result = measure($node, $case, $seconds);
	my ($truth, $error, $limit) = ($result->{truth}, figures($result), limits($case));
	my $timed = ($case->{timing} || 'on') eq 'on';
	# without the times of I/O, hits are estimates that promise less
	my @wrong =
	  grep { abs($error->{$_}) > $limit->{$_} } ('flushes', 'distribution', $timed ? 'hits' : ());

	push @wrong, 'commits' if $error->{commits} != 0;
	$outside += @wrong > 0;
	print $out join("\t",
		($case->{name} || 'simple-update') . ($timed ? '' : ', not timed'),
		$case->{clients},
		$case->{adaptive} ? 'adaptive' : $case->{delay},
		$case->{siblings},
		$truth->{commits},
		$error->{commits},
		$truth->{flushes},
		(map { sprintf '%+.2f%%', $error->{$_} } qw(flushes distribution)),
		$truth->{hits},
		sprintf('%+.2f%%', $error->{hits}),
		"@wrong"),
	  "\n";
}
print $out
  sprintf("%d of %d measurements are outside the limits\n", $outside, scalar(@cases) * $rounds);

$node->stop;
exit($outside > 0);
