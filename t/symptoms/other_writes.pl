# Are stalls told so that come while another program writes to the volume?
#
# The volume says that others have written 20 MB/s, and has no time for flushes
# meanwhile.  The test knows when.

use Symptoms;
use Time::HiRes qw(time usleep);

my $node = make_situation(
	'other_writes', conf => q{
commit_stats.stall_time = 100ms
commit_stats.slow_commit_time = 100ms
});

set_volume($node, 1000);
$node->sql('SELECT commit_stats_reset()');
my $load = start_load($node, '-c 4 -T 16 -R 100', 'INSERT INTO logged (n) VALUES (1);');
$node->sql('SELECT pg_sleep(5)');
my $began = $node->sql('SELECT clock_timestamp()');
my $start = time;
my $slow = 0;

while (time < $start + 6)
{
	set_others($node, int(20e6 * (time - $start)));
	usleep(20_000);
	next if $slow || time < $start + 1;
	set_volume($node, 4);
	$slow = 1;
}
set_volume($node, 1000);
my $ended = $node->sql('SELECT clock_timestamp()');
end_load($load);
$node->sql('SELECT pg_sleep(0.5)');

stalls_are_of(
	$node, 'other I/O',
	"ended_at BETWEEN '$began' AND '$ended'::timestamptz + interval '0.3 s'",
	'the writes of others');

my $report = report_of($node);
note_stalls($node);
first_cause_is($report,
	qr/^stalls while others read or write on the volume of the WAL: it read, wrote or discarded [\d.]+ MB\/s, of which flushes at most [\d.]+ kB\/s/
);
like($report->{causes}->[0]->{remedy}, qr/^a disk of its own for the WAL/, '... and what to do');
like($report->{delay}, qr/^no\b/, 'no delay');

end_test($node);
