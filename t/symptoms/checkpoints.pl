# Are commits that stall during a checkpoint told so, and in which phase?
#
# Each file that the checkpoint syncs takes 250 ms, and flushes queue behind
# it.  The session of the checkpoint knows when it began and ended, which is a
# small part of the time.

use Symptoms;

my $node = make_situation(
	'checkpoints', conf => q{
commit_stats.stall_time = 100ms
commit_stats.slow_commit_time = 100ms
});

$node->sql("CREATE TABLE dirty_$_ (i int)") for 1 .. 6;
$node->sql('CHECKPOINT');
$node->sql("INSERT INTO dirty_$_ VALUES (1)") for 1 .. 6;
set_volume($node, 1000);
set_slow_syncs($node, 250);
$node->sql('SELECT commit_stats_reset()');
my $load = start_load($node, '-c 4 -T 14 -R 100', 'INSERT INTO logged (n) VALUES (1);');
$node->sql('SELECT pg_sleep(6)');
my ($began, undef, $ended) = split /\n/,
  $node->sql("SELECT clock_timestamp();\nCHECKPOINT;\nSELECT clock_timestamp()") =~ s/\n/\n\n/r;
end_load($load);
$node->sql('SELECT pg_sleep(0.5)');

my $inside = "ended_at BETWEEN '$began' AND '$ended'::timestamptz + interval '0.3 s'";
stalls_are_of($node, 'checkpoint', $inside, 'the checkpoint');
is( $node->sql(qq{SELECT count(*) FILTER (WHERE checkpoint_phase = 'sync') > 0.5 * count(*)
FROM commit_stall_log WHERE $inside}),
	't',
	'... most of them in its sync phase');
is( $node->sql(
		qq{SELECT count(*) > 3, count(*) FILTER (WHERE cause = 'checkpoint') >= 0.9 * count(*)
FROM commit_slow_log WHERE $inside AND flush_time + others_flush_time > 150}),
	't|t',
	'the slow commits, too')
  or diag $node->sql(
	qq{SELECT cause, duration, flush_time, others_flush_time FROM commit_slow_log WHERE $inside});

my $report = report_of($node);
note_stalls($node);
first_cause_is($report, qr/^stalls during the sync phase of checkpoints/);

# A leader wakes some of the commits before it counts the waiting ones.
my $share = $node->sql(
	q{SELECT 100 * sum(s.duration) / max(f.commit_time) FROM commit_slow_log s, commit_flush_stats f
WHERE cause = 'checkpoint'});
cmp_ok(abs($report->{causes}->[0]->{share} - $share), '<=', 10, '... with its share')
  or diag "commit_slow_log: $share%";
like($report->{delay}, qr/^no\b/, 'no delay');

set_slow_syncs($node, 0);
end_test($node);
