# Does commit_delay_whatif() describe a live load, and when does it refuse to?
# What it says of a delay that does not pay, and of locks, is in
# t/statistics/whatif_advice.pl; how it ends in t/sweep_cleanup.pl.
#
# The shim (t/ground_truth/shim.c) makes a device of 2 ms of the disk.

use GroundTruth;

my $node = start_truth('whatif', "commit_delay = 7\ncommit_siblings = 5\n");
my $whatif = "SELECT * FROM commit_delay_whatif('{0,1000}', '{0}', '60 s')";

set_device($node, flush_time => 2);

# Refusals
like(
	error_of($node, "SELECT * FROM commit_delay_whatif('{0}', sample => '200 ms')"),
	qr/55000: there is no load to learn from.*HINT:/s,
	'no load');
like(
	error_of(
		$node, q{CREATE TABLE few (n int);
SELECT * FROM commit_delay_whatif('{0}', sample => '100 ms')}),
	qr/55000: there/,
	'hardly any load');
$node->alter_system('commit_stats.enabled' => 'off');
like(error_of($node, $whatif), qr/55000: commit_stats is not counting/, 'not enabled');
$node->alter_system('commit_stats.enabled' => 'on');

# What it says
my $load = start_pgbench($node, '-c 4 -T 3600', load => "INSERT INTO tick VALUES (1);\n");
my ($status, $out, $err);

wait_for_commits($node, 100);
# a busy machine may leave the load no time
eventually(sub {
	($status, $out, $err) = $node->psql('postgres',
		q{SELECT json_agg(w) FROM commit_delay_whatif('{0,1000,20000}', '{0,1000}', '5 s') w});
	return $err !~ /there is no load|too few commits/;
});
is($status, 0, 'it says something') or diag $err;
like($err, qr/NOTICE: .*learned from \d+ commits of \d+ sessions/, 'and from what');
is( $node->sql(qq{WITH w AS (SELECT * FROM json_to_recordset('$out') AS w (
	commit_delay int, commit_siblings int, commits_per_second float8,
	commits_per_second_low float8, commits_per_second_high float8,
	commits_per_flush float8, delay_hit_share float8, mean float8, p99 float8,
	p99_low float8, p99_high float8,
	is_best bool, reason text, measured_commits_per_second float8,
	measured_p99 float8))
SELECT count(*),
	-- where other programs disturb, the prediction may not explain the present
	CASE WHEN bool_and(reason ~ 'cannot explain the present setting') THEN 1 ELSE 0 END +
		count(*) FILTER (WHERE is_best), bool_and(reason <> ''),
	bool_and(commits_per_second BETWEEN commits_per_second_low AND commits_per_second_high),
	-- not nearer than the model can be
	bool_and(commits_per_second_low BETWEEN 0 AND 0.81 * commits_per_second AND
			 commits_per_second_high >= 1.19 * commits_per_second AND
			 p99_low <= 0.42 * p99 AND p99_high >= 1.58 * p99),
	bool_and(mean <= p99),
	-- the present setting has a row of its own, and what was measured
	string_agg(commit_delay || '/' || commit_siblings, ',')
		FILTER (WHERE measured_commits_per_second > 0 AND measured_p99 > 0),
	-- nobody sleeps with 1000 siblings, everybody with 0
	bool_and(delay_hit_share = 0) FILTER (WHERE commit_siblings = 1000),
	bool_and(delay_hit_share = 100) FILTER (WHERE commit_siblings = 0 AND commit_delay > 0)
FROM w}),
	'7|1|t|t|t|t|7/5|t|t',
	'the rows');

# One at a time, and no sweep meanwhile
my $capturing = 'SELECT capturing FROM commit_stats_info';
my $session =
  $node->start_measuring(sub ($session) { return $node->sql($capturing) eq 't' }, $whatif);
for my $other ($whatif, "SELECT * FROM commit_delay_sweep('{0}')")
{
	like(
		error_of($node, $other),
		qr/55006: another experiment with commit_delay is running/,
		'one at a time');
}
is($node->sql($capturing), 't', 'a refused call does not disturb the first');
end_background($session, 'KILL');
$node->wait_until(q{SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'advisory'});
$session = $node->start_measuring(sub ($session) { return $node->sweep_pid ne '' },
	"SELECT * FROM commit_delay_sweep('{0}')");
like(
	error_of($node, $whatif),
	qr/55006: another commit_delay_sweep is running/,
	'nor while there is a sweep');
end_background($session, 'KILL');
end_background($load, 'KILL');
end_test($node);
