# Do the latencies show that a commit waits for a standby, and for how long?
#
# The standby applies WAL a fixed time later (recovery_min_apply_delay).  So a
# commit with remote_apply takes at least about that long.  What the wait for
# the standby may not be longer than is in t/statistics/latencies.pl.

use strict;
use warnings;

use lib 't';
use CommitStats;

my $apply_delay = 200;    # ms
my $primary = start_node(
	'primary',
	init => { allows_streaming => 1 },
	conf => "synchronous_standby_names = ''\ntrack_wal_io_timing = on\nwal_writer_delay = 10s\n");

sub require_standby
{
	my ($names) = @_;

	$primary->sql("ALTER SYSTEM SET synchronous_standby_names = '$names'");
	$primary->reload;
	$primary->poll_query_until('postgres', q{SHOW synchronous_standby_names}, $names)
	  or die "synchronous_standby_names did not change\n";
}

# The commits of one level: how many, the mean, and the wait for the standby.
sub level_stats
{
	my ($level) = @_;

	return split /\|/, $primary->sql(qq{SELECT sum(commits), sum(commit_time) / sum(commits),
	   sum(standby_time_min) / sum(commits), sum(standby_time_max) / sum(commits)
FROM commit_latency_stats WHERE synchronous_commit = '$level'});
}

sub commit_with
{
	my ($level, $options) = @_;

	run_pgbench($primary, $options,
		write => "SET synchronous_commit = $level;\nINSERT INTO logged VALUES (1);");
}

# Without a standby all commits wait for the local flush, whatever they asked
# for.
commit_with('remote_apply', '-c 1 -t 3');
commit_with('on', '-c 1 -t 2');
is( $primary->sql(
		q{SELECT DISTINCT synchronous_commit, wait_level, requested, standby_time_min IS NULL, standby_time_max IS NULL
FROM commit_latency_stats}),
	'on, remote_apply|local|{on,remote_apply}|t|t',
	'without a standby, all wait for the local flush');

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "recovery_min_apply_delay = ${apply_delay}ms\n");
$standby->start;
require_standby('standby');
$primary->wait_until(q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'});

# Each level is counted as itself.
my %commits = (local => 4, remote_write => 5, on => 6, remote_apply => 7);
my ($n, $mean, $min, $max);

# One client: no other commit sees the end of the local flush, but the leader
# knows how long its own I/O took.
$primary->sql('SET synchronous_commit = local; SELECT commit_stats_reset()');
commit_with($_, "-c 1 -t $commits{$_}") for sort keys %commits;
is( $primary->sql(
		q{SELECT synchronous_commit, sum(commits), min(requested) FROM commit_latency_stats
GROUP BY 1 ORDER BY 2}),
	join(
		"\n", map { "$_|$commits{$_}|{$_}" }
		  sort    { $commits{$a} <=> $commits{$b} } keys %commits),
	'with a standby, each level is counted as itself');

# The commit takes at least about the delay, and the wait is a part of it.
sub waits
{
	my ($name) = @_;

	($n, $mean, $min, $max) = level_stats('remote_apply');
	cmp_ok($mean, '>=', $apply_delay / 2, "$name: the commit waits");
	cmp_ok($max, '>', 0, "$name: ... for the standby");
	cmp_ok($max, '<=', $mean, "$name: not longer than it takes");
	cmp_ok($min, '<=', $max, "$name: the bounds are in order");
	return;
}

waits('remote_apply');
is( $primary->sql(q{SELECT count(*) FROM commit_latency_stats
WHERE wait_level = 'local'
	AND (standby_time_min IS NOT NULL OR standby_time_max IS NOT NULL)}),
	0,
	'local: there is no wait for a standby');

# If the local flush takes long and the standby does not, the time counts for
# the flush.
$primary->sql(q{SET synchronous_commit = local;
ALTER SYSTEM SET commit_siblings = 0;
ALTER SYSTEM SET commit_delay = 100000});
$primary->reload;
$primary->poll_query_until('postgres', q{SHOW commit_delay}, '100000')
  or die "commit_delay did not change\n";
$primary->sql('SET synchronous_commit = local; SELECT commit_stats_reset()');
commit_with('remote_write', '-c 1 -t 5');
($n, $mean, $min, $max) = level_stats('remote_write');
cmp_ok($mean, '>=', 90, 'long flush: the commit takes as long');
$primary->sql(q{SET synchronous_commit = local; ALTER SYSTEM RESET commit_delay});
$primary->reload;
$primary->poll_query_until('postgres', q{SHOW commit_delay}, '0')
  or die "commit_delay did not change\n";

# With other clients, which see the end of the flush: the bounds are close.
$primary->sql('SET synchronous_commit = local; SELECT commit_stats_reset()');
commit_with('remote_apply', '-c 16 -j 2 -t 10');
waits('remote_apply, others');
is($n, 160, 'remote_apply, others: all are counted');
note sprintf('mean %.1f ms, for the standby %.1f to %.1f', $mean, $min, $max);

# Without the standby again, all levels are local again.
require_standby('');
$primary->sql('SELECT commit_stats_reset()');
commit_with('remote_apply', '-c 1 -t 3');
is($primary->sql(q{SELECT DISTINCT synchronous_commit, wait_level FROM commit_latency_stats}),
	'remote_apply|local', 'without the standby, it is local again');

$standby->stop;
$primary->stop;
done_testing();
