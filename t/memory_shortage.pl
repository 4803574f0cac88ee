# What does an administrator see if there is not enough shared memory at start?
#
# The server does not start, and its log names what was too large.  There are
# two cases: the system refuses the server's whole request, or another library
# has taken the memory that was meant for commit_stats.  With a smaller request
# the server starts.

use CommitStats;

my $node = init_node('memory', conf => 'shared_buffers = 1MB; huge_pages = off');
my $log_end = 0;

append_to_file($node->logfile, '');

# The lines of the log since the last call.
sub new_log
{
	my $log = slurp_file($node->logfile, $log_end);

	$log_end += length $log;
	return $log;
}

# Start the server, with at most $kilobytes of address space for each process;
# true if it comes up.
sub start_with ($kilobytes)
{
	return run_log([
		'sh', '-c', 'ulimit -v "$0" && exec "$@"',
		$kilobytes, $node->installed_command('pg_ctl'),
		'-s', '-w', '-D', $node->data_dir, '-l', $node->logfile, 'start'
	]);
}

sub stop
{
	system_or_bail($node->installed_command('pg_ctl'),
		'-s', '-w', '-D', $node->data_dir, '-m', 'fast', 'stop');
}

# The peak of the server's address space so far, in kB.
sub peak
{
	my ($pid) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my ($peak) = slurp_file("/proc/$pid/status") =~ /^VmPeak:\s+(\d+) kB/m;

	return $peak;
}

# More than the system allows
SKIP:
{
	skip 'no /proc to see how much address space the server needs', 5 if !-r '/proc/self/status';

	ok(start_with('unlimited'), 'without a limit it starts');

	# the ring of flushes takes 32 MB more at its largest
	my $limit = peak() + 16 * 1024;

	stop();
	$node->append_conf('postgresql.conf', 'commit_stats.flush_log_size = 131072');
	new_log();
	ok(!start_with($limit), 'with too much to remember it does not start');
	my $log = new_log();
	like($log, qr/FATAL:.*could not map anonymous shared memory/, 'too much: the error');
	like($log, qr/HINT:.*reduce PostgreSQL's shared memory usage/, 'too much: what can be done');
	$node->adjust_conf('postgresql.conf', 'commit_stats.flush_log_size', '2048');
	ok(start_with($limit), 'too much: with less it starts');
	stop();
}

# More than is left
my $greedy = compile_module('t/memory/greedy.c');

$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "'$greedy, commit_stats'");
new_log();
is($node->start(fail_ok => 1), 0, 'with nothing left it does not start');
my $log = new_log();
like(
	$log,
	qr/FATAL:.*not enough shared memory for data structure "commit_stats" \(\d+ bytes requested\)/,
	'nothing left: the error names commit_stats');
unlike($log, qr/PANIC|TRAP|terminated by signal/, 'nothing left: no crash');

# In the other order commit_stats gets its memory first.
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "'commit_stats, $greedy'");
$node->start;
$node->sql(q{CREATE EXTENSION commit_stats;
CREATE TABLE logged (n int);
INSERT INTO logged VALUES (1)});
cmp_ok($node->sql('SELECT commits FROM commit_flush_stats'), '>=', 1, 'the first library works');
$node->stop;

# A day of the shortest slots, for the only one of 1000 pairs that is tried
SKIP:
{
	skip 'AddressSanitizer needs more than 2 GB', 2 if has_sanitizers();
	ok(start_with(2 * 1024 * 1024), 'in 2 GB it starts');
	like(
		error_of(
			$node, q{SELECT * FROM commit_delay_sweep(ARRAY(SELECT generate_series(0, 999)), NULL,
			'1 day', '100 ms', '1 us')}),
		qr/55000: there is no load to measure/,
		'in 2 GB there is room for 864,000 rounds');
}
end_test($node);
