# Are the times of commits right when the system's time is set, and with each
# timing_clock_source?
#
# A preloaded shim (t/latency/shim.c) sets it for the server alone.  Without
# the background worker, only the commits themselves can notice that: none of
# the views that do is read here.  Commits are timed by a clock that is never
# set, and none takes as long as the system's time is set by.

use CommitStats;

my $hour = 3600;
my $file = PostgreSQL::Test::Utils::tempdir() . '/step';
my $shim = compile_module('t/latency/shim.c', '-ldl');

# In place, as the server has mapped it
sub set_clock ($seconds)
{
	open(my $step, '+<', $file) or die "$file: $!\n";
	binmode $step;
	syswrite($step, pack('q', $seconds)) == 8 or die "$file: $!\n";
	close $step;
}

sub with_shim ($code)
{
	local @ENV{qw(LD_PRELOAD CLOCK_STEP)} = ($shim, $file);
	$code->();
}

append_to_file($file, pack('q', 0));
chmod 0666, $file;
my $node = init_node('clock_set', conf => 'max_worker_processes = 0');
with_shim(sub { $node->start });
$node->sql('CREATE EXTENSION commit_stats; CREATE TABLE logged (n int)');

# The clock is set by $seconds; returns what commits of one session say.  One
# of them has its id, and its WAL, only when the first callback is over.
my $set_by = 0;

sub times_after_step ($seconds)
{
	my $before = $node->sql('SELECT now()');

	$set_by += $seconds;
	set_clock($set_by);
	cmp_ok($node->sql("SELECT extract(epoch FROM now() - '$before') * sign($seconds)"),
		'>=', $hour - 60, "the clock is set by $seconds s");
	$node->sql('SELECT commit_stats_reset()');
	return $node->sql(q{SET client_min_messages = error;
CREATE TEMPORARY TABLE emptied (n int) ON COMMIT DELETE ROWS;
INSERT INTO logged VALUES (1);
INSERT INTO logged VALUES (2);
SELECT count(*) FROM emptied;
SET synchronous_commit = off;
INSERT INTO logged VALUES (3);
SELECT sum(commits), bool_and(record_time <= commit_time), bool_and(commit_time < 3600000)
FROM commit_latency_stats WHERE wait_level <> 'remote_apply'});
}

for my $seconds ($hour, -2 * $hour)
{
	is(times_after_step($seconds),
		"0\n5|t|t", "$seconds s: each commit took its own time, of which the record is a part");
}

like(
	$node->sql(q{SELECT commit_stats_report('yesterday', 'tomorrow')}),
	qr/^commit_history has no row: the background worker of commit_stats does not run/,
	'the report of a period says that no worker runs');
like(
	$node->report,
	qr/^The background worker of commit_stats does not run: .*; else\s+max_worker_processes/ms,
	'... and so does that of now');

# The worker notices, so that commits divide their time as before.
$node->append_conf('postgresql.conf', 'max_worker_processes = 8');
set_clock(0);    # as pg_ctl believes
with_shim(sub { $node->restart });
set_clock($hour);
my $divided = q{SELECT commit_stats_reset() IS NULL;
INSERT INTO logged VALUES (4);
SELECT bool_and(record_time < commit_time) FROM commit_latency_stats WHERE role = 'leader'};
ok_soon 'the time of a commit is more than that of its record again',
  sub { $node->sql($divided) eq "f\nt" };
unlike($node->report, qr/background worker/, '... with a worker');

# From 19 on a session can choose the clock of the server's own timings, and
# commit_stats must use the same clock in all sessions.  As many commits with
# each, which fail where the processor has no such counter
SKIP:
{
	skip 'this server has one clock only', 3 if $node->pg_version < '19devel';
	my @sources = split /\n/,
	  $node->sql("SELECT unnest(enumvals) FROM pg_settings WHERE name = 'timing_clock_source'");
	my $commits = 0;

	$node->sql('SELECT commit_stats_reset()');
	for my $source (@sources, @sources, @sources, @sources, @sources)
	{
		my $insert = "SET timing_clock_source = $source; INSERT INTO logged VALUES (1)";

		$commits++ if $node->psql('postgres', $insert, on_error_stop => 1) == 0;
	}
	cmp_ok($commits, '>=', 2 * 5, "commits with several clocks of @sources");

	# Each has a session of its own, whose only flush that is
	my $flushes =
	  "SELECT string_agg(leader_pid::text, ' ' ORDER BY %s) FROM commit_flush_log WHERE leader_pid IS NOT NULL";
	is( $node->sql(sprintf($flushes, 'flushed_at')),
		$node->sql(sprintf($flushes, 'flush_lsn')),
		'flushes come in the same order in time as in the WAL');
	is($node->sql('SELECT count(*) FROM commit_latency_stats WHERE max > 60000'),
		0, 'no commit took longer than this test');
}

end_test($node);
