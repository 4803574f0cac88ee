# Are our times the same with each timing_clock_source?
#
# From PostgreSQL 19 on a session can choose the clock of the server's own
# timings.  commit_stats must use the same clock in all sessions.

use CommitStats;

my $node = start_node('clock_sources');

plan skip_all => 'this server has one clock only'
  if $node->sql("SELECT count(*) FROM pg_settings WHERE name = 'timing_clock_source'") == 0;

my @sources = split /,/,
  $node->sql(
	"SELECT array_to_string(enumvals, ',') FROM pg_settings WHERE name = 'timing_clock_source'");
cmp_ok(scalar @sources, '>', 1, "clocks to choose from: @sources");

# As many commits with each; false where the processor has no such counter
sub commit_with ($source)
{
	return $node->psql(
		'postgres',
		"SET timing_clock_source = $source; INSERT INTO logged VALUES (1)",
		on_error_stop => 1) == 0;
}

my $commits = 0;
for (1 .. 5)
{
	$commits += commit_with($_) for @sources;
}
cmp_ok($commits, '>=', 2 * 5, 'commits with several clocks');

# Each has a session of its own, whose only flush that is
my $flushes =
  "SELECT string_agg(leader_pid::text, ' ' ORDER BY %s) FROM commit_flush_log WHERE leader_pid IS NOT NULL";
is( $node->sql(sprintf($flushes, 'flushed_at')),
	$node->sql(sprintf($flushes, 'flush_lsn')),
	'flushes come in the same order in time as in the WAL');
is($node->sql("SELECT count(*) FROM commit_latency_stats WHERE max > 60000"),
	0, 'no commit took longer than this test');

end_test($node);
