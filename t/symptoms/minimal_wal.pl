# Is the time that COMMIT takes for new tables under wal_level = minimal called
# by its name?
#
# COMMIT syncs the files of a table that its transaction has made, in place of
# WAL.  The server's own log of statements is the witness.

use Symptoms;

my $node = make_situation(
	'minimal',
	init => { allows_streaming => 0 },
	conf => "wal_level = minimal\nmax_wal_senders = 0\nlog_min_duration_statement = 0\n"
	  . "wal_skip_threshold = 0\ncommit_stats.slow_commit_time = 1ms\n");

$node->sql('SELECT commit_stats_reset()');
for my $i (1 .. 12)
{
	$node->sql(qq{BEGIN;
CREATE TABLE made_$i AS SELECT g, repeat('x', 100) AS r FROM generate_series(1, 50000) g;
COMMIT;
});
}
$node->wait_until(q{SELECT count(*) >= 12 FROM commit_slow_log});

my $report = report_of($node);
my $logged = sum0(logged_commits($node));
my ($duration, $record) =
  $node->row(q{SELECT sum(duration), sum(record_time) FROM commit_slow_log});

cmp_ok($duration, '>', 0.5 * $logged, 'the slow log has what the server log has');
cmp_ok($duration, '<', $logged + 1, '... and no more');
cmp_ok($record, '>', 0.5 * $duration, '... most of it before the record');
first_cause_is($report,
	qr/^record: .*the sync of new or truncated tables.*\(wal_level = minimal\)/);

end_test($node);
