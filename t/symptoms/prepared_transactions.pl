# Does the report count prepared transactions as what they are, and does the
# prediction of the present know their waits?
#
# Four sessions prepare and commit on a volume of 200 flushes a second.  What
# each did follows from the number of transactions; both waits of each take
# most of the time.

use Symptoms;

my $node = make_situation('prepared_transactions', conf => "max_prepared_transactions = 20\n");

$node->sql(
	'CREATE TABLE counted (id int PRIMARY KEY, n int);
INSERT INTO counted SELECT i, 0 FROM generate_series(0, 9) i');
set_volume($node, 200);
$node->sql('SELECT commit_stats_reset()');
my $load = start_load(
	$node, '-c 4 -T 9', q{BEGIN;
UPDATE counted SET n = n + 1 WHERE id = :client_id;
PREPARE TRANSACTION 'p:client_id';
COMMIT PREPARED 'p:client_id';
});
$node->sql('SELECT pg_sleep(2)');
is( $node->sql(
		q{SELECT commits_per_second / measured_commits_per_second BETWEEN 0.8 AND 1.25
FROM commit_delay_whatif('{0}', sample => '4 s')}
	),
	't',
	'the prediction of the present');
my $n = end_load($load);

is($node->sql('SELECT prepares, commits, commits_read_only < 100 FROM commit_flush_stats'),
	"$n|$n|t", 'prepares, commits, and no phantoms; the test itself has read a few times');
my $report = report_of($node);
my ($waits) = $report->{text} =~ /waits per flush with them: ([\d.]+)/;
near($waits * $node->sql('SELECT flushes FROM commit_flush_stats') / 2 / $n, 1, 'waits per flush');
like($report->{text}, qr/^\(\d+ waits in the last/m, 'the mean is of commits and prepares');
my ($share) = $report->{text} =~ /^COMMIT and PREPARE take ([\d.]+)% of the time of transactions/m;
about(
	$share,
	$node->sql(
		'SELECT 100 * sum(commit_time + prepare_time) / sum(transaction_time) FROM commit_client_stats'
	),
	2,
	'both are in the share of transactions');

# One row for all, which PREPARE holds, and then COMMIT PREPARED
$node->sql('SELECT commit_stats_reset()');
$load = start_load(
	$node, '-c 8 -T 12', q{BEGIN;
UPDATE counted SET n = n + 1 WHERE id = 0;
PREPARE TRANSACTION 'p:client_id';
COMMIT PREPARED 'p:client_id';
});
end_load($load);
$report = report_of($node);
like($report->{text}, qr/flushes, one after the other: on average/, 'a row: they wait');
unlike($report->{text}, qr/pg_prepared_xacts/, '... of transactions that end soon');

end_test($node);
