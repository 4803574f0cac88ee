# What happens if a process is stopped, or dies, while it moves counts from one
# place to another?
#
# The counts are in neither place then, and readers wait.  The shim
# (t/changecount/shim.c) sends a process the signal at that very moment, in
# claim_entry() of wal_cycles.c.

use CommitStats;
use File::Basename qw(dirname);

my $module = compile_module('t/changecount/worker.c');
my $folder = dirname($module);
my $signal_file = "$folder/signal";

$ENV{LD_PRELOAD} = compile_module('t/changecount/shim.c', '-ldl');
$ENV{HALF_DONE} = $signal_file;

my $node = start_node('half_done', conf => "dynamic_library_path = '$folder:\$libdir'\n");

delete $ENV{LD_PRELOAD};
$node->create_functions($module, 'half_done_start() RETURNS void');
$node->sql(q{INSERT INTO logged VALUES (1);
VACUUM});

# The next process that is the first in its cycle gets this signal.
sub signal_next ($signal)
{
	$node->sql('CHECKPOINT');
	append_to_file($signal_file, $signal);
}

sub wait_for_signal
{
	ok(poll_until(sub { return !-e $signal_file }), 'the signal comes');
}

# What a reset changes.
sub counted
{
	return $node->sql(q{SELECT f.commits > 0, f.flushes > 0, f.stats_reset,
       f.commits = (SELECT sum(commits) FROM commit_database_stats),
       (SELECT sum(flushes) FROM commit_flush_histogram) > 0
FROM commit_flush_stats f});
}

#
# Stopped
#
my $before = counted();

like($before, qr/^t\|t\|.*\|t\|t$/, 'something is counted');
signal_next(19);
my $session = $node->start_psql('INSERT INTO logged VALUES (2)');
wait_for_signal();
my $pid =
  $node->sql("SELECT pid FROM pg_stat_activity WHERE query = 'INSERT INTO logged VALUES (2)'");
like(
	error_of($node, 'SELECT commit_stats_reset()'),
	qr/55006: could not read commit statistics.*has been stopped/s,
	'a reset gives up, and names the reason');
is(counted(), $before, '... and has changed nothing');
like(
	error_of($node, 'SELECT * FROM commit_wal_stats'),
	qr/55006: could not read commit statistics.*has been stopped/s,
	'neither can what it was about to change be read');
kill 'CONT', $pid;
ok(end_background($session), 'the process goes on');
isnt($node->sql('SELECT commit_stats_reset()'), '', '... and a reset succeeds');
$node->sql('INSERT INTO logged VALUES (3)') for 1 .. 2;

#
# Died: up to 18 in the middle of it, later as soon as it looks for interrupts
#
signal_next(15);
$node->sql('SELECT half_done_start()');
wait_for_signal();
is($node->sql('SELECT count(*) > 0 FROM commit_wal_stats'),
	't', 'readers do not wait for a worker that has died');
$node->sql('INSERT INTO logged VALUES (4)');
is( $node->sql(
		q{SELECT commits, wal_bytes > 0 FROM commit_wal_stats ORDER BY redo_lsn DESC LIMIT 1}),
	'1|t',
	'... and the cycle that it was the first in is counted');
is($node->sql('SELECT commit_stats_reset() IS NOT NULL'), 't', '... and can be reset');

done_testing();
