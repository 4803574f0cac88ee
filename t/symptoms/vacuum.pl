# Does the report name VACUUM, which writes much WAL, where commits wait for
# flushes that none of them leads, and propose no delay?
#
# A device that writes 5 MB/s (t/ground_truth/shim.c), and a few small commits
# beside VACUUM of a table that needs 30 MB of WAL.

use GroundTruth;
use Symptoms;

my $node = start_truth('vacuum', "wal_buffers = 16MB\n");

$node->sql(q{CREATE TABLE logged (n int);
CREATE TABLE bulk AS SELECT i, repeat('x', 100) AS t FROM generate_series(1, 800000) i;
CHECKPOINT});
set_device($node, flush_time => 1, bandwidth => 5);
my $small = start_load($node, '-c 4 -T 60 -R 60', 'INSERT INTO logged VALUES (1);', 'small');
$node->wait_until('SELECT commits > 20 FROM commit_flush_stats');
local $ENV{PGAPPNAME} = 'cleaner';
my $vacuum = $node->start_psql('VACUUM (FREEZE) bulk');
$node->wait_until(q{SELECT count(*) = 1 FROM pg_stat_progress_vacuum});
$node->sql('SELECT commit_stats_reset()');
$node->sql('SELECT pg_sleep(4)');
my $report = report_of($node);

ok(end_background($vacuum), 'VACUUM ends');
end_load($small, 'TERM');
like(
	$report->{text} =~ s/\n +/ /gr,
	qr/(?:flushes that no commit leads: .*, as|stalls with the WAL of) client cleaner /,
	'who writes the WAL');
unlike($report->{text}, qr/commit_delay_sweep\(/, 'no delay');

end_test($node);
