# Can a session connect or exit while a reader holds the lock of the
# statistics?
#
# A reader copies some 6 kB for each of max_connections while it holds its
# lock.  t/readers/hold_lock.c holds the lock as long as the test likes.

use CommitStats;

my $node = start_node('connect');
my $held = $node->basedir . '/held';

$node->create_functions(compile_module('t/readers/hold_lock.c'),
	'hold_reset_lock(text) RETURNS void');

# Does the command end while the lock is held?  One that does not is given up
# only when all tests would be.
sub ends ($command)
{
	my $session = $node->start_psql($command);
	my $ended = poll_until(sub { errors_so_far($session); !$session->{run}->pumpable });

	return end_background($session, $ended ? undef : 'KILL');
}

append_to_file($held, '');
my $holder = $node->start_psql("SELECT hold_reset_lock('$held')");
$node->wait_until(
	q{SELECT count(*) = 1 FROM pg_stat_activity WHERE query ~ '^SELECT hold_reset_lock'},
	'template1');
my $reader = $node->start_psql('SELECT count(*) FROM commit_flush_stats');

ok( $node->wait_until(
		q{SELECT count(*) = 1 FROM pg_stat_activity
WHERE wait_event = 'commit_stats' AND backend_type = 'client backend'},
		'template1'),
	'a reader waits for the lock');
ok(ends('INSERT INTO logged VALUES (1)'), 'a session connects, commits and leaves');
ok(ends('SELECT count(*) FROM commit_database_stats'), 'the counts per database can be read');
unlink $held;
ok(end_background($holder), 'the lock is released');
ok(end_background($reader), 'the reader reads');

end_test($node);
