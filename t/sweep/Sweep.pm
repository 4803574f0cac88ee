# What the tests of commit_delay_sweep() share: its rows and its slots, and a
# device of 1 ms (t/ground_truth/shim.c).

package Sweep;

use Exporter 'import';
use GroundTruth;

our @EXPORT = qw(start_sweep_server start_load sweep);

my $node;

sub start_sweep_server
{
	$node = start_truth('sweep_figures',
		'commit_stats.flush_log_size = 131072; commit_delay = 33; commit_siblings = 3');
	set_device($node, flush_time => 1);
	$node->sql('CREATE TABLE logged (n int)');
	return $node;
}

my @columns = qw(commit_delay commit_siblings rounds commits commits_per_second
  commits_per_second_low commits_per_second_high flushes_per_second
  commits_per_flush delay_hit_share mean p50 p95 p99 is_best reason);

# The rows of a sweep, its slots as hashes, and its notices.  On a busy machine
# slots may be late or have no commit, so it is tried until each pair has
# $rounds rounds.
sub sweep ($arguments, $rounds = 0)
{
	my @result;

	eventually(sub {
		@result = _sweep_once($arguments);
		return @result && !grep { $_->{rounds} < $rounds } @{ $result[0] };
	}) or die "no sweep of $arguments has $rounds rounds of each pair\n";
	return @result;
}

sub _sweep_once ($arguments)
{
	my ($out, $err);

	my $status = $node->psql(
		'postgres', qq{SET client_min_messages = debug1;
SELECT @{[join ', ', @columns]} FROM commit_delay_sweep($arguments)},
		stdout => \$out,
		stderr => \$err,
		on_error_stop => 1);
	diag("the sweep failed: $err") if $status != 0;
	return if $status != 0 || $err =~ /ends early/;

	my @rows = map { my %row; @row{@columns} = split /\|/; \%row } split /\n/, $out;
	my @slots;
	push @slots,
	  {
		commit_delay => $1,
		commit_siblings => $2,
		commits => $3,
		seconds => $4 / 1e6,
		until => $5,
		late => $6
	  }
	  while $err =~
	  /commit_delay_sweep: commit_delay = (\d+), commit_siblings = (\d+): (\d+) commits in (\d+) us until (.*?)(, too late)?$/mg;
	my @notices = $err =~ /NOTICE:  (.*)/g;
	return (\@rows, \@slots, \@notices);
}

# Clients that insert, once they do.
sub start_load ($clients)
{
	my $load = start_pgbench($node, "-c $clients -j 2 -T 3600",
		insert => "INSERT INTO logged VALUES (1);\n");

	$node->wait_until("SELECT commits_per_second > 0 FROM commit_stats_sample('0.5 s')");
	return $load;
}

1;
