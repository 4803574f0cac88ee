# Does commit_delay_whatif() describe a live load, and leave nothing behind,
# however it ends?  What it says of a delay that does not pay, and of locks, is
# in t/statistics/whatif_advice.pl.

#
# The shim (t/ground_truth/shim.c) makes a device of 2 ms of the disk.

use GroundTruth;

my $node =
  start_truth('whatif', "commit_delay = 7\ncommit_siblings = 5\nrestart_after_crash = on\n");
my $whatif = "SELECT * FROM commit_delay_whatif('{0,1000}', '{0}', '60 s')";

create_same_settings($node, 7, 5);
set_device($node, flush_time => 2);
my $auto_conf = slurp_file($node->data_dir . '/postgresql.auto.conf');

sub start_load
{
	return start_pgbench($node, '-c 4 -T 600',
		load => "INSERT INTO tick VALUES (1);\nSELECT same_settings();\n");
}

sub capturing
{
	return $node->sql('SELECT capturing FROM commit_stats_info');
}

# Start one, and wait until commits are watched.
sub start_whatif
{
	my $session = $node->start_psql(@_);

	$node->wait_until('SELECT capturing FROM commit_stats_info');
	return $session;
}

my $of_whatif = q{FROM pg_locks WHERE locktype = 'advisory'};
my $ended = "SELECT count(*) = 0 $of_whatif";

sub whatif_pid
{
	return $node->sql("SELECT pid $of_whatif");
}

sub nothing_is_left ($how, $load)
{
	is(capturing(), 'f', "$how: nobody watches");
	is(whatif_pid(), '', "$how: there is no lock");
	is(slurp_file($node->data_dir . '/postgresql.auto.conf'),
		$auto_conf, "$how: no configuration is written");
	is(errors_so_far($load), '', "$how: no session saw other settings");
}

#
# Refusals
#
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
$auto_conf = slurp_file($node->data_dir . '/postgresql.auto.conf');

#
# What it says
#
my $load = start_load();
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
nothing_is_left('end', $load);
end_background($load, 'KILL');

$load = start_load();

#
# Ends of which the session survives, or at least knows
#
# sql/whatif.sql has what a timeout does
for my $end (grep { $_->[0] ne 'timeout' } ways_to_end($node, \&whatif_pid, ''))
{
	my ($how, $first, $code, $error) = @$end;
	my $session = start_whatif($first, $whatif);

	$code->();
	end_background($session);
	like($session->{err}, $error, "$how: the error");
	nothing_is_left($how, $load);
}

# In a subtransaction
my $session = start_whatif(
	q{CREATE FUNCTION try_whatif() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM * FROM commit_delay_whatif('{0}', sample => '60 s');
	RETURN 'done';
EXCEPTION WHEN query_canceled THEN
	RETURN 'canceled';
END $$},
	'BEGIN',
	'SELECT try_whatif()',
	q{SELECT capturing, (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')
FROM commit_stats_info},
	'COMMIT');
$node->sql('SELECT pg_cancel_backend(' . whatif_pid() . ')');
end_background($session);
is($session->{out}, "canceled\nf|0\n", 'a transaction that catches the end goes on');
nothing_is_left('subtransaction', $load);

# While it simulates, which takes longer the more pairs there are
$session =
  $node->start_measuring(sub ($started) { return errors_so_far($started) =~ /learned from/ },
	"SELECT * FROM commit_delay_whatif(ARRAY(SELECT generate_series(0, 999)), '{0}', '1 s')");
$node->sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
WHERE query ~ 'commit_delay_whatif' AND pid <> pg_backend_pid()});
end_background($session);
like($session->{err}, qr/57014.*user request/, 'a prediction that simulates can be cancelled');
nothing_is_left('simulation', $load);

# The client is gone
$session = start_whatif($whatif);
end_background($session, 'KILL');
ok($node->wait_until($ended), 'disconnect: it ends');
nothing_is_left('disconnect', $load);

#
# One at a time, and no sweep meanwhile
#
$session = start_whatif($whatif);
for my $other ($whatif, "SELECT * FROM commit_delay_sweep('{0}')")
{
	like(
		error_of($node, $other),
		qr/55006: another experiment with commit_delay is running/,
		'one at a time');
}
is(capturing(), 't', 'a refused call does not disturb the first');
$node->sql('SELECT pg_cancel_backend(' . whatif_pid() . ')');
end_background($session);
$session = $node->start_measuring(sub { return whatif_pid() ne '' },
	"SELECT * FROM commit_delay_sweep('{0}')");
like(
	error_of($node, $whatif),
	qr/55006: another commit_delay_sweep is running/,
	'nor while there is a sweep');
end_background($session, 'KILL');
ok($node->wait_until($ended), 'the sweep ends');
nothing_is_left('two', $load);

# A process that hangs: the others know when to stop
$session = start_whatif("SELECT count(*) FROM commit_delay_whatif('{0}', sample => '8 s')");
my $pid = whatif_pid();
kill 'STOP', $pid;
ok($node->wait_until('SELECT NOT capturing FROM commit_stats_info'),
	'hang: commits are not watched after the sample');
kill 'CONT', $pid;
ok(end_background($session), 'hang: it ends when it can');
nothing_is_left('hang', $load);

#
# Crashes
#
for my $victim ('another process', 'its own process')
{
	$session = start_whatif($whatif);
	kill_backend($node,
		$victim eq 'another process'
		? q{query ~ '^(INSERT INTO tick|SELECT same_settings)'}
		: 'pid = ' . whatif_pid());
	end_background($session);
	end_background($load);
	$load = start_load();
	nothing_is_left("crash of $victim", $load);
}
end_background($load, 'KILL');

done_testing();
