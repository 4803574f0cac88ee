# Does the report say that COMMIT is not what takes the time?
#
# Twenty sessions write, wait for their client, and commit.  Then two sessions
# do nothing but commit.  The witness is pgbench's time of each transaction.

use Symptoms;

my $node = make_situation('idle_in_transaction', conf => "commit_siblings = 0\n");

# The report, and the share of COMMIT in the transactions, %
sub report_on ($name, $options, $sql)
{
	$node->sql('SELECT commit_stats_reset()');
	my @times = end_load(start_load($node, $options, $sql, $name));
	my $report = report_of($node);
	my ($commit_time, $share, $session_share) =
	  $node->row(qq{SELECT commit_time, transaction_share, session_share
FROM commit_client_stats WHERE application_name = '$name'});
	my $truth = 100 * $commit_time / sum0(@times);

	# clients and their way to the server are not in a transaction
	cmp_ok($share, '>=', 0.9 * $truth, "$name: transaction_share");
	cmp_ok($share, '<=', 1.3 * $truth, "$name: ... is that of pgbench")
	  or diag "$share, by pgbench $truth";
	cmp_ok($session_share, '<=', $share + 0.5, "$name: session_share");
	return ($report, $share);
}

set_volume($node, 500);
my ($report, $share) = report_on(
	'idle',
	'-c 20 -j 2 -T 9',
	"BEGIN;\nINSERT INTO logged (n) VALUES (1);\n\\sleep 250 ms\nCOMMIT;\n");
cmp_ok($share, '<', 8, 'idle: hardly any time in COMMIT');
like(
	$report->{text} =~ s/\n  / /gr,
	qr/^COMMIT takes \d\.\d% of .*, and \d\.\d+% of the time that their sessions are connected\. No setting of commits helps\. On average 1\d\.\d sessions wait for their client in a transaction \(idle, or in COPY\);/m,
	'idle: said');
like($report->{delay}, qr/^no\. COMMIT takes \d\.\d% of the time/, 'idle: no delay');
unlike($report->{text}, qr/may pay|sweep|larger transactions/, 'idle: nothing to try');

($report, $share) = report_on('busy', '-c 2 -T 4', 'INSERT INTO logged (n) VALUES (1);');
cmp_ok($share, '>', 60, 'busy: most of the time');
like($report->{text}, qr/^COMMIT takes [6-9]\d\.\d% of/m, 'busy: said');
unlike($report->{text}, qr/No setting of commits helps/, 'busy: not given up');

end_test($node);
