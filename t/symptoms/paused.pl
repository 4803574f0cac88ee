# Does the report say so if all processes of the server stood still, as in a
# pause of its machine, and not blame the disk?
#
# The test stops them, while a flush is under way: each takes 50 ms, and two
# clients commit all the time.  The worker sees a pause that comes in its nap,
# as nearly all do.

use Symptoms;
use Time::HiRes qw(usleep);

my $node = make_situation('paused', conf => "commit_stats.stall_time = 500ms\n");

set_volume($node, 20);
my $load = start_load($node, '-c 2 -T 60', 'INSERT INTO logged (n) VALUES (1);');
$node->wait_until('SELECT commits > 20 FROM commit_flush_stats');
my @pids = split /\n/, $node->sql('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');

$node->sql('SELECT commit_stats_reset()');
for (1 .. 4)
{
	kill 'STOP', @pids;
	usleep(2_500_000);
	kill 'CONT', @pids;
	usleep(300_000);
}
my $report = report_of($node);
end_load($load, 'TERM');
like($report->{text}, qr/^  \d\. >?[\d.]+% not run: /m, 'the report says so');
is( $node->sql(
		q{SELECT count(*) > 0 FROM commit_stall_log WHERE duration > 2000 AND cause = 'pause'}),
	't',
	'so does the log of stalls');

end_test($node);
