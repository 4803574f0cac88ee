# Does the report name a limit of the CPU, and no quota of the device, where
# the server is stopped for most of each tenth of a second?
#
# The test does to the server's processes what Linux does to a control group
# that has used up its share, and counts as Linux does, in files that a library
# (limited_cpu.c) shows to the server in place of those of its group.  So the
# test knows how long the server was stopped.

use Cwd 'abs_path';
use Symptoms;
use Time::HiRes qw(time usleep);

my $folder = abs_path(PostgreSQL::Test::Utils::tempdir());
my $node = init_node('limited_cpu',
	conf => "track_wal_io_timing = on\nmax_wal_size = 4GB\ncommit_stats.stall_time = 30ms\n");
my ($periods, $stopped) = (1, 0);

# What the kernel counts, in one step
sub write_counts
{
	append_to_file("$folder/new", sprintf "nr_periods %d\nnr_throttled %d\nthrottled_usec %d\n",
		$periods, $periods, 1e6 * $stopped);
	rename "$folder/new", "$folder/cpu.stat" or die "cannot write the counts: $!\n";
	return;
}

append_to_file("$folder/groups", "0::/\n");
write_counts();
compile_c("$folder/group.so", '-fPIC', '-shared', 't/symptoms/limited_cpu.c', '-ldl');
chmod 0755, $folder;
{
	local $ENV{CPU_LIMIT_FOLDER} = $folder;
	local $ENV{LD_PRELOAD} = "$folder/group.so";
	$node->start;
}
$node->sql(q{CREATE EXTENSION commit_stats;
CREATE TABLE logged (id bigserial, n int)});

# Enough flushes for a limit of stalls
my $load = start_load($node, '-c 4 -T 60', 'INSERT INTO logged (n) VALUES (1);', 'limited');
$node->wait_until(q{SELECT commits > 500 AND flushes > 300 FROM commit_flush_stats});

my @pids = split /\n/, $node->sql('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
my $start = time;

$node->sql('SELECT commit_stats_reset()');
while (time < $start + 10)
{
	my $since = time;

	kill 'STOP', @pids;
	usleep(80_000);
	$periods++;
	$stopped += time - $since;
	write_counts();
	kill 'CONT', @pids;
	usleep(20_000);
}

my $report = report_of($node);
my $share = $stopped / (time - $start);

end_load($load, 'TERM');

my ($said) = first_cause($report) =~
  /^not run: a CPU limit \(cgroup\) stopped the server for ([\d.]+ \w+) of each second\./;

ok(defined $said, 'the first cause') or diag first_cause($report);
cmp_ok(abs(microseconds($said // '0 us') / 1e6 - $share), '<=', 0.1, '... with its time')
  or diag "stopped for $share of each second: ", first_cause($report);
share_is($report, 100 * $share, 20);
like($report->{causes}->[0]->{remedy}, qr/a higher CPU limit/, '... and what to do');
like($report->{delay}, qr/^no\b/, 'no delay');
unlike($report->{text}, qr/stall as on a disk|IOPS|may pay|adaptive_delay = on/,
	'no quota is seen');

my ($all, $limited) = $node->row(
	q{SELECT count(*), count(*) FILTER (WHERE cause = 'CPU limit') FROM commit_stall_log
WHERE duration > 40});

cmp_ok($all, '>', 3, 'the log of stalls has those that the test made');
cmp_ok($limited, '>=', 0.95 * $all, '... with their cause');

end_test($node);
