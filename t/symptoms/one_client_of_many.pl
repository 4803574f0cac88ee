# Does the report name the client with most commits, and promise no flushes
# where a quota decides how many there are?
#
# Two applications on a device that allows 20 flushes in 500 ms
# (t/ground_truth/shim.c).  pgbench knows how many commits each had.

use GroundTruth;
use Symptoms;

my $node = start_truth('many', "commit_stats.stall_time = 50ms\n");
my $insert = 'INSERT INTO logged (n) VALUES (1);';
my @commits = (150, 50);    # of each session

$node->sql('CREATE TABLE logged (n int)');
set_device($node, quota => 20, window => 500, flush_time => 1);
$node->sql('SELECT commit_stats_reset()');
my @loads = map {
	local $ENV{PGAPPNAME} = (qw(lease api))[$_];
	start_pgbench($node, "-c 6 -t $commits[$_]", "insert$_" => $insert)
} 0, 1;
ok(end_background($_), 'the load ends') for @loads;
my $report = report_of($node);

first_cause_is(
	$report,
	qr/^stalls as on a disk that allows (?:19|2[0-2])(?:\.\d)? flushes in (?:4[89]\d|5[01]\d) ms \(/,
	'the first cause: the quota');
is( $report->{causes}->[0]->{remedy},
	'fewer flushes (a delay), or a volume with more IOPS',
	'... and what to do');
like(
	$report->{text},
	qr/^Who commits, since the reset\n  75\.0% of the commits are of client lease \(\S+, postgres\),\s+[\d.]+%\s+of\s+commit time, \d+ B of WAL each,\s+rollbacks\s+included\.$/m,
	'the client with most commits, and its share');
unlike($report->{text}, qr/larger transactions|save/, '... of which no flushes are promised');
like($report->{delay}, qr/^may pay, fixed or adaptive/, 'a delay may pay');
like($report->{text}, qr/adaptive => true\);/, '... the adaptive one, too');

# Advice that was followed does not come again.
$node->alter_system('commit_stats.adaptive_delay' => 'on');
my $followed = report_of($node);
like($followed->{delay}, qr/^commit_stats\.adaptive_delay decides/, 'with the adaptive delay on');
unlike($followed->{text}, qr/commit_delay_sweep/, '... no sweep');

end_test($node);
