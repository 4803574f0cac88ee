# Do commit_delay_sweep() and commit_delay_whatif() leave nothing behind,
# however they end?
#
# Commits sleep while a sweep runs, and with the configuration here none sleeps
# without one.  The shim (t/ground_truth/shim.c), which sees the server's
# system calls, counts the sleeps.  Sessions that commit also look at their
# settings again and again, and fail if these differ from the configuration.

use GroundTruth;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my $node = start_truth('sweep_ends',
	'commit_delay = 7; commit_siblings = 1000; max_wal_senders = 10; restart_after_crash = on');
my $slot = 0.5;
# after a pair with the longest delay, and with deadlines that are coarse
my $longest_slot = $slot + 0.1 + 0.01;
# Every leader sleeps as long as it can.  The first round, at whose end the
# client gets a notice, takes longer than the test.
my $sweep = "SELECT * FROM commit_delay_sweep(
	ARRAY(SELECT generate_series(99001, 100000)), '{0}', '1 day', '$slot s')";
my $whatif = "SELECT * FROM commit_delay_whatif('{0,1000}', '{0}', '60 s')";

create_same_settings($node, 7, 1000);
set_device($node, flush_time => 5);

sub configuration
{
	return join '',
	  map { slurp_file($node->data_dir . "/$_") } qw(postgresql.auto.conf postgresql.conf);
}

my $configuration = configuration();

sub start_load
{
	return start_pgbench($node, '-c 4 -T 3600', watched => $watched);
}

# The sleeps of leaders since the last call: when they began, in seconds of the
# monotonic clock, and the process.
sub sleeps
{
	return $node->rows(
		q{SELECT at / 1e9, pid FROM shim_events() WHERE kind = 'sleep' ORDER BY at;
SELECT shim_reset() \g /dev/null});
}

# How many leaders sleep until there are 50 more commits.
sub sleeps_of_50
{
	sleeps();
	wait_for_commits($node, 50);
	return scalar sleeps();
}

# Start a sweep, and wait until commits obey it.
sub start_sweep (@commands)
{
	sleeps();
	return $node->start_measuring(sub ($session) { return sleeps() > 0 }, @commands);
}

# Start a prediction, and wait until commits are watched.
sub start_whatif (@commands)
{
	return $node->start_measuring(
		sub ($session) { return $node->sql('SELECT capturing FROM commit_stats_info') eq 't' },
		@commands);
}

# The process of either
sub experiment_pid
{
	return $node->sql("SELECT pid FROM pg_locks WHERE locktype = 'advisory'");
}

my ($load, $session, $pid);

# Nothing may be seen of a sweep that has ended.
sub nothing_is_left ($how)
{
	ok(poll_until(sub { return sleeps_of_50() == 0 }), "$how: commits do not sleep any more");
	is(hits_of_50($node), 0, "$how: none of the next 50 does");
	$node->sql('SELECT same_settings()');
	is(configuration(), $configuration, "$how: no configuration is written");
	is(errors_so_far($load), '', "$how: no session saw other settings");
}

# And the next sweep can begin.
sub is_over ($how)
{
	nothing_is_left($how);
	is($node->sql('SELECT sweep_pid, capturing FROM commit_stats_info'),
		'|f', "$how: there is no experiment");
	is(experiment_pid(), '', "$how: there is no lock");
}

$load = start_load();

# Ends that the session survives
wait_for_commits($node, 50);
# on a machine that is busy with something else a slot may be late, or have no
# commit
ok_eventually 'a sweep ends by itself', sub {
	my ($status, $out) = $node->psql('postgres',
		q{SELECT rounds, is_best FROM commit_delay_sweep('{100000}', '{0}', '1.5 s', '0.5 s')});
	return $status == 0 && $out eq '3|t';
};
is_over('end');

# max_p99, which commits exceed that never end: they wait for a standby that
# does not exist.  Some began several slots before they exceed it.
for my $length (0.5, 10)
{
	my $how = "p99, slots of $length s";

	# commits that a pause of the machine made longer end it as well
	eventually(sub {
		$session = start_sweep('SET client_min_messages = debug1',
			"SELECT * FROM commit_delay_sweep('{1000}', '{0}', '60 s', '$length s', '2 s')");
		$node->alter_system(synchronous_standby_names => 'none');
		end_background($session);
		$node->alter_system(synchronous_standby_names => '');
		return $session->{err} !~ /and 0 of them had not ended/;
	});
	$configuration = configuration();
	is_over($how);
	like(
		$session->{err},
		qr/WARNING: .*commits took longer than "max_p99" with commit_delay = 1000, commit_siblings = 0.*DETAIL: +[1-9]\d* commits took longer than 2000 ms, and [1-9]\d* of them had not ended/s,
		"$how: with which pair");
	like($session->{err}, qr/WARNING: .*ends early/, "$how: it ends");
	like(
		$session->{out},
		qr/^1000\|0\|\d+\|.*\|f\|exceeded max_p99$/,
		"$how: that pair is not best");
}

# While it simulates, which takes longer the more pairs there are
$session =
  $node->start_measuring(sub ($started) { return errors_so_far($started) =~ /learned from/ },
	"SELECT * FROM commit_delay_whatif(ARRAY(SELECT generate_series(0, 999)), '{0}', '1 s')");
$node->sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
WHERE query ~ 'commit_delay_whatif' AND pid <> pg_backend_pid()});
end_background($session);
like($session->{err}, qr/57014.*user request/, 'a prediction that simulates can be cancelled');
is_over('simulation');

# commit_stats.enabled = off, which the sweep notices at the end of a round
$session = start_sweep("SELECT * FROM commit_delay_sweep('{100000}', '{0}', '60 s', '$slot s')");
$node->alter_system('commit_stats.enabled' => 'off');
end_background($session);
like(
	$session->{err},
	qr/(?:WARNING|ERROR): .*no commit ended in a whole round/,
	'disabled: the sweep ends');
$node->alter_system('commit_stats.enabled' => 'on');
$configuration = configuration();
is_over('disabled');

# Ends that the session does not notice

# A sample has no slots at whose end it could look
$session = $node->start_psql("SELECT * FROM commit_stats_sample('1 day')");
my $samples = q{FROM pg_stat_activity WHERE query ~ '^SELECT \* FROM commit_stats_sample'};
$node->wait_until("SELECT count(*) = 1 $samples");
end_background($session, 'KILL');
$node->wait_until("SELECT count(*) = 0 $samples");

# A process that hangs cannot withdraw its settings.  The other sessions know
# when to forget them.
$session = start_sweep($sweep);
$pid = $node->sweep_pid;
kill 'STOP', $pid;
my $forgotten = clock_gettime(CLOCK_MONOTONIC) + $longest_slot;
poll_until(sub { return clock_gettime(CLOCK_MONOTONIC) > $forgotten });
wait_for_commits($node, 50);
# A commit that has looked can be on its way for long, on a busy machine, but
# the next one of its process looks later.
my %late;
$late{ $_->[1] }++ for grep { $_->[0] > $forgotten } sleeps();
is(scalar(grep { $_ > 1 } values %late), 0, 'hang: no commit begins to obey it after one slot');
nothing_is_left('hang');
is($node->sweep_pid, $pid, 'hang: that process is still there');
like(
	error_of($node, $sweep),
	qr/55006: another commit_delay_sweep is running.*Process $pid runs it.*pg_cancel_backend/s,
	'hang: another sweep is refused, and names the process');
kill 'CONT', $pid;
ok(poll_until(sub { return sleeps() > 0 }), 'hang: it goes on when it can');
$node->sql("SELECT pg_cancel_backend($pid)");
end_background($session);
is_over('hang, cancel');

# ... nor end the sample.  The others know when to stop.
$session = start_whatif("SELECT count(*) FROM commit_delay_whatif('{0}', sample => '8 s')");
$pid = experiment_pid();
kill 'STOP', $pid;
$node->wait_until('SELECT NOT capturing FROM commit_stats_info');
kill 'CONT', $pid;
ok(end_background($session), 'hang: a prediction ends when it can');
is_over('prediction, hang');

# What may happen to either
for my $experiment ([ 'sweep', \&start_sweep, $sweep ], [ 'prediction', \&start_whatif, $whatif ])
{
	my ($what, $start, $call) = @$experiment;

	# sql/sweep.sql and sql/whatif.sql have what a timeout does
	for my $end (grep { $_->[0] ne 'timeout' } ways_to_end($node, \&experiment_pid, ''))
	{
		my ($how, $first, $code, $error) = @$end;

		$session = $start->($first, $call);
		$code->();
		end_background($session);
		is_over("$what, $how");
		like($session->{err}, $error, "$what, $how: the error");
	}

	# In a subtransaction and in a transaction that goes on
	$session = $start->(
		'SET client_min_messages = warning',
		qq{CREATE OR REPLACE FUNCTION try() RETURNS text LANGUAGE plpgsql AS \$\$
BEGIN
	PERFORM * FROM ($call) s;
	RETURN 'done';
EXCEPTION WHEN query_canceled THEN
	RETURN 'canceled';
END \$\$},
		'BEGIN',
		'SELECT try()',
		"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
		'SELECT sweep_pid, capturing FROM commit_stats_info',
		'SELECT same_settings()',
		'COMMIT');
	$node->sql('SELECT pg_cancel_backend(' . experiment_pid() . ')');
	end_background($session);
	is($session->{out}, "canceled\n0\n|f\n\n", "$what: a transaction that catches the end goes on");
	is_over("$what, subtransaction");

	$session = $start->($call);
	end_background($session, 'KILL');
	$node->wait_until(q{SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'advisory'});
	is_over("$what, disconnect");

	# Crashes: the server creates its shared memory anew, and the load's
	# sessions end
	for my $victim ('another process', 'its own process')
	{
		$session = $start->($call);
		kill_backend($node,
			$victim eq 'another process'
			? q{query ~ '^(INSERT INTO tick|SELECT same_settings)'}
			: 'pid = ' . experiment_pid());
		end_background($session);
		end_background($load);
		unlike($load->{err}, qr/commit_delay is/, "$what: no session saw other settings");
		$load = start_load();
		is_over("$what, crash of $victim");
	}
}

# A restart during a sweep
$session = start_sweep($sweep);
$node->stop('fast');
end_background($session);
end_background($load);
unlike($load->{err}, qr/commit_delay is/, 'restart: no session saw other settings');
like($session->{err}, qr/57P01/, 'restart: the sweep is told to end');

done_testing();
