# What if commit_stats cannot save its statistics, as the disk is full or
# broken?
#
# The server log says that they are lost.  The server stops as cleanly as ever,
# leaves no partial file, and starts from zero.  The history, which has a file
# of its own, is kept.  A preloaded shim (t/persist/full_disk.c) lets one call
# for the file of the statistics fail.

use CommitStats;
use Persist;

my $node = start_node('full');
my $shim = compile_module('t/persist/full_disk.c', '-ldl');
my $folder = $node->data_dir . '/pg_stat';
my $failing = PostgreSQL::Test::Utils::tempdir();

# From now on a system call fails, or none does.
sub let_fail ($call = undef)
{
	unlink glob "$failing/*";
	write_file("$failing/$call", '') if defined $call;
}

# Only the server gets the shim, not the other programs of the test.
sub start
{
	local $ENV{LD_PRELOAD} = join ':', $shim, grep { defined } $ENV{LD_PRELOAD};
	local $ENV{PERSIST_FAILS} = $failing;
	$node->start;
}

# Stop a server that cannot save, and check what is left.
sub stops_cleanly ($name, $message)
{
	my $log_start = -s $node->logfile;
	my ($began, $log);

	$began = some_load($node);
	$node->stop;
	# pg_ctl waits for the end of postmaster.pid, which comes before the
	# message
	ok_soon "$name: the server stops", sub {
		$log = slurp_file($node->logfile, $log_start);
		return $log =~ /LOG:  database system is shut down/;
	};
	like($log, qr/LOG:  $message/, "$name: the log says so");
	like(
		(run_command([ 'pg_controldata', $node->data_dir ]))[0],
		qr/^Database cluster state: +shut down$/m,
		"$name: in good order");
	is_deeply([ grep { /commit_stats\.stat/ } slurp_dir($folder) ],
		[], "$name: nothing is left behind");
	return $began;
}

my $began;

# A minute of the history that ended before the server stops
sub close_minute
{
	$node->sql('SELECT commit_history_close()');
	return $node->sql(q{SELECT max(period_end) FROM commit_history WHERE resolution = 'minute'});
}

$node->stop;
start();
for (
	[ malloc => 'out of memory' ],
	[ write => 'could not write file "pg_stat/commit_stats.stat.tmp": No space left on device' ],
	[ close => 'could not write file "pg_stat/commit_stats.stat.tmp": No space left on device' ],
	[ fsync => 'could not fsync file "pg_stat/commit_stats.stat.tmp": No space left on device' ],
	[
		rename =>
		  'could not rename file "pg_stat/commit_stats.stat.tmp" to "pg_stat/commit_stats.stat": No space left on device'
	])
{
	my ($call, $message) = @$_;

	next if $call eq 'malloc' && has_sanitizers();
	let_fail($call);
	$node->sql('CREATE TABLE IF NOT EXISTS before_stop (n int)');
	my $end = close_minute();
	$began = stops_cleanly($call, $message);
	let_fail();
	start();
	starts_from_zero($node, $began, $call);
	is( $node->sql(
			qq{SELECT count(*) FROM commit_history WHERE resolution = 'minute' AND period_end = '$end'}
		),
		1,
		"$call: the history is kept");
}

# A folder that is not there
rename $folder, "$folder.away" or die;
$began = some_load($node);
my $log_start = -s $node->logfile;

$node->stop;
like(
	slurp_file($node->logfile, $log_start),
	qr/LOG:  could not write file "pg_stat\/commit_stats.stat.tmp": No such file or directory/,
	'no folder: the log says so');
rename "$folder.away", $folder or die;
start();
starts_from_zero($node, $began, 'no folder');

# The file exists, but cannot be read or removed.
for (
	[ read => 'could not read file "pg_stat/commit_stats.stat": Input/output error' ],
	[ unlink => 'could not remove file "pg_stat/commit_stats.stat": Read-only file system' ])
{
	my ($call, $message) = @$_;

	$began = some_load($node);
	$node->stop;
	$log_start = -s $node->logfile;
	let_fail($call);
	start();
	like(slurp_file($node->logfile, $log_start), qr/LOG:  $message/, "$call: the log says so");
	starts_from_zero($node, $began, $call);
}

# The next stop, with a sound disk, replaces the file that could not be
# removed.
let_fail();
some_load($node);
my $before = statistics($node);
$node->restart;
is_deeply(statistics($node), $before, 'a sound disk again: the statistics are kept');

# A start removes the partial file of a server that died while it wrote.
$node->stop;
append_to_file("$folder/commit_stats.stat.tmp", 'half of a file');
$node->start;
is_deeply([ grep { /commit_stats\.stat/ } slurp_dir($folder) ], [], 'half of a file is removed');
is_deeply(statistics($node), $before, 'and does no harm');

end_test($node);
