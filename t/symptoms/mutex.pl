# Does the report say that commits come one after the other where each
# transaction takes the same lock first, and propose no delay?
#
# An advisory lock, then a lock of the table: 12 sessions on a volume that
# takes 4 ms for a flush.  pg_stat_activity is the witness.

use Symptoms;

my $node = make_situation('mutex');
my %lock = (
	advisory => 'SELECT pg_advisory_xact_lock(1)',
	relation => 'LOCK logged IN EXCLUSIVE MODE');

set_volume($node, 250);
for my $kind (sort keys %lock)
{
	$node->sql('SELECT commit_stats_reset()');
	my $load = start_load($node, '-c 12 -T 8',
		"BEGIN;\n$lock{$kind};\nINSERT INTO logged (n) VALUES (1);\nCOMMIT;\n", $kind);
	my %waits = sample_waits($node, $kind, 6);
	my $report = report_of($node);

	end_load($load);
	cmp_ok($waits{"Lock/$kind"} // 0, '>', 0.7 * sum0(values %waits), "$kind: they wait for it");
	first_cause_is($report, qr/^flushes, one after the other/, "$kind: the first cause");
	like($report->{delay}, qr/^no\b/, "$kind: no delay");
}

end_test($node);
