# Can sessions connect, exit and reset while others do nothing but read?
#
# Readers share a lock that a session takes exclusively for a moment when it
# connects and when it exits, as does a reset.  Readers that follow each other
# without a pause must not keep these waiting.

use CommitStats;

my $node = start_node('readers');

# A session that is connected already can watch the others.
my $watcher = $node->background_psql('postgres');

$watcher->query_safe('SELECT 1');

# So many readers that at any moment some hold the lock.
my @readers =
  map { $node->start_psql('DO $$ BEGIN LOOP PERFORM * FROM commit_flush_stats; END LOOP; END $$') }
  1 .. 6;

# Each connects while others read already.
ok( poll_until(
		sub {
			return $watcher->query_safe(
				"SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'DO %'") == @readers;
		},
		10),
	'all readers connect');

for my $what ('SELECT 1', 'SELECT commit_stats_reset()')
{
	my $done = 0;

	for (1 .. 5)
	{
		my $timed_out;

		$node->psql(
			'postgres', $what,
			timeout => $PostgreSQL::Test::Utils::timeout_default,
			timed_out => \$timed_out);
		last if $timed_out;
		$done++;
	}
	is($done, 5, "$what: a new session gets its turn");
}
is(join('', map { errors_so_far($_) } @readers), '', 'no reader sees an error');

$watcher->query_safe(
	q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO %'});
end_background($_) for @readers;
$watcher->quit;
end_test($node);
