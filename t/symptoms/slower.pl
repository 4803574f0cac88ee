# Is a volume told that becomes slower while commits go on, with stalls or
# without, and no more once this is usual?
#
# The test knows since when each flush takes 66 ms, not 10 ms, or 100 ms.

use Symptoms;

my $node = make_situation('slower');
my $insert = 'INSERT INTO logged (n) VALUES (1);';

# None is a stall: that would be 80 ms.  More than 10 s, and fewer flushes than
# before
set_volume($node, 100);
$node->sql('SELECT commit_stats_reset()');
end_load(start_load($node, '-c 1 -t 400', $insert));
set_volume($node, 15);
my $load = start_load($node, '-c 4 -T 600', $insert);

$node->wait_until('SELECT count(*) >= 170 FROM commit_flush_log WHERE flush_time > 50');
my $report = report_of($node);
first_cause_is(
	$report,
	qr/^flushes take \d\d\.\d ms now, and took [\d.]+ ms \(median of all\): the volume has become slower/,
	'it has become slower without stalls');
unlike($report->{text}, qr/flushes of usual length/, '... which is not usual');
end_load($load, 'TERM');

set_volume($node, 0);
$node->sql('SELECT commit_stats_reset()');
end_load(start_load($node, '-c 1 -t 300 -R 200', $insert));
set_volume($node, 10);
$load = start_load($node, '-c 4 -T 600', $insert);
my $slow = '(SELECT count(*) FROM commit_flush_log WHERE flush_time > 80)';

# More than 10 s, and fewer flushes than before
$node->wait_until("SELECT $slow >= 115");
$report = report_of($node);
first_cause_is(
	$report,
	qr/^flushes take (?:9\d\.\d|1\d\d) ms now, and took [\d.]+ [mu]s \(median of all\): the volume has become slower/,
	'it has become slower');
like(
	$report->{delay},
	qr/^may pay, fixed or adaptive: flushes take long now/,
	'... which fewer flushes spare');

# Most flushes are slow, since the worker last derived what a stall is.
$node->wait_until("SELECT $slow >= 330 AND (SELECT stall_limit FROM commit_stats_info) > 500");
$report = report_of($node);
first_cause_is($report, qr/^flushes of usual length/, 'it has been slow for long');
unlike($report->{text}, qr/stalls of unknown cause/, '... and flushes as usual are no stalls');
end_load($load, 'TERM');

set_volume($node, 0);
$node->sql('SELECT commit_stats_reset()');
end_load(start_load($node, '-c 1 -t 300 -R 200', $insert));
set_volume($node, 10);
$load = start_load($node, '-c 4 -T 600', $insert);
$node->wait_until("SELECT $slow >= 115");
set_volume($node, 0);
$node->wait_until('SELECT flushes > 1500 FROM commit_flush_stats');
$report = report_of($node);
like(
	$report->{text},
	qr/^  \d\. [\d.]+% one flush after the other took (?:9\d\.\d|1\d\d) ms, .* the\s+volume\s+had\s+become\s+slower/ms,
	'it was slower');
unlike($report->{text}, qr/stalls of unknown cause/, '... which is known');
end_load($load, 'TERM');

end_test($node);
