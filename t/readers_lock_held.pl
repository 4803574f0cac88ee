# Can a session connect or exit while a reader holds the lock of the
# statistics, and does a reset get it before readers that come later?
#
# A reader copies some 6 kB for each of max_connections while it holds its
# lock.  t/readers/hold_lock.c holds the lock as long as the test likes.

use CommitStats;

my $node = start_node('connect');
my $held = $node->basedir . '/held';

$node->create_functions(compile_module('t/readers/hold_lock.c'),
	'hold_reset_lock(file text, exclusive boolean) RETURNS void');

# Hold the lock until unlink().
sub hold ($exclusive)
{
	my $holder = $node->start_psql("SELECT hold_reset_lock('$held', $exclusive)");

	poll_until(sub { -e $held }) or die "nobody holds the lock\n";
	return $holder;
}

# Start a statement, which makes $n that wait for the lock.
sub start_waiting ($statement, $n)
{
	my $session = $node->start_psql($statement);

	$node->wait_until(
		qq{SELECT count(*) = $n FROM pg_stat_activity
WHERE wait_event = 'commit_stats' AND backend_type = 'client backend'},
		'template1');
	return $session;
}

# Does the command end while the lock is held?  One that does not is given up
# only when all tests would be.
sub ends ($command)
{
	my $session = $node->start_psql($command);
	my $ended = poll_until(sub { errors_so_far($session); !$session->{run}->pumpable });

	return end_background($session, $ended ? undef : 'KILL');
}

my $holder = hold('true');
my $reader = start_waiting('SELECT count(*) FROM commit_flush_stats', 1);

ok(ends('INSERT INTO logged VALUES (1)'), 'a session connects, commits and leaves');
ok(ends('SELECT count(*) FROM commit_database_stats'), 'the counts per database can be read');
unlink $held;
ok(end_background($_), 'who held the lock ends, and the reader') for $holder, $reader;

# Without a gate, the lock would be granted to one reader after the other.
$holder = hold('false');
my $reset = start_waiting('SELECT commit_stats_reset()', 1);
$reader = start_waiting('SELECT count(*) FROM commit_flush_stats', 2);
unlink $held;
ok(end_background($_), 'a reset, for which a later reader waits') for $holder, $reset, $reader;

end_test($node);
