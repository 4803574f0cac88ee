# Can people come and go, and reset, while others do nothing but read?
#
# Readers share a lock that a session needs for itself for a moment, when it
# comes and when it leaves, and a reset as well.  If there is always somebody
# reading, they must not wait until nobody is.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CommitStats;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = start_node('readers');

# Who is there already can tell what goes on, whatever happens to the others.
my $watcher = $node->background_psql('postgres');

$watcher->query_safe('SELECT 1');

# Many more than there are processors, so that at any moment some have the lock
# and wait for their turn.
my @readers = map {
	start_psql($node,
		'DO $$ BEGIN LOOP PERFORM * FROM commit_flush_stats; END LOOP; END $$')
} 1 .. 20;

# They come while others read already, and get in as well.
my $reading = 0;

for (1 .. 600)
{
	$reading = $watcher->query_safe(
		"SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'DO %'");
	last if $reading == @readers;
	usleep(100_000);
}
is($reading, scalar @readers, 'all who read get in');

for my $what ('SELECT 1', 'SELECT commit_stats_reset()')
{
	my $done = 0;

	for (1 .. 5)
	{
		my $timed_out;

		$node->psql('postgres', $what, timeout => 30, timed_out => \$timed_out);
		last if $timed_out;
		$done++;
	}
	is($done, 5, "$what: who comes gets his turn");
}
is(join('', map { errors_so_far($_) } @readers), '', 'nobody who reads sees an error');

$watcher->query_safe(q{
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO %'});
end_background($_) for @readers;
$watcher->quit;
$node->stop;
done_testing();
