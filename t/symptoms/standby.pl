# Does the report name the standby that commits wait for, and its stage,
# weighed by time?
#
# Its walreceiver is stopped for three seconds, also while another session
# writes 20 MB of WAL, its flushes take 50 ms, and it applies WAL 200 ms later.
# pgbench's log has the time of each transaction, and pg_stat_activity says how
# many sessions wait for a standby.

use List::Util qw(max min);
use Symptoms;
use Time::HiRes qw(usleep);

my $insert = 'INSERT INTO logged (n) VALUES (1);';
my $primary = make_situation('primary');
my $standby = add_standby($primary, '', 'sb1');
my $stopped;

END
{
	kill 'CONT', $stopped if $stopped;
}

restart_on_volume($standby);
require_standby($primary, 'sb1');

# The time that commits have waited for the standby at a stage, ms, and who
# else has been waited for.
sub wait_time ($stage)
{
	is($primary->sql(q{SELECT count(*) FROM commit_standby_stats WHERE standby <> 'sb1'}),
		0, "$stage: nobody else was waited for");
	return $primary->sql(
		qq{SELECT coalesce(sum(wait_time), 0) FROM commit_standby_stats WHERE stage = '$stage'});
}

# The first cause and its share agree with what pg_stat_activity says.  All
# eight sessions wait for the same answer, so a look tells no more than one
# session would: of 95%, 280 looks have a standard error of 1.3 points, and 700
# of pg_stat_activity 0.8.
sub report_names ($stage, %waits)
{
	my $report = report_of($primary);

	first_cause_is($report, qr/^standby 'sb1': $stage/, "$stage: the first cause");
	share_is($report, 100 * ($waits{'IPC/SyncRep'} // 0) / sum0(values %waits), 5);
	like($report->{delay}, qr/^no\b/, "$stage: no delay");
	return;
}

# Eight commits wait, and their WAL has been sent.  From 16 on, a walsender
# that has looked for WAL, and does not sleep yet, misses the next flush.  A
# standby that is stopped does not answer, so only another flush wakes it.
sub eight_wait_for_write
{
	$primary->wait_until(q{SELECT sum(waiting_now) = 8 FROM commit_standby_stats});
	my $flushed = $primary->lsn('flush');

	$primary->wait_until(
		qq{SELECT sent_lsn >= '$flushed' FROM pg_stat_replication,
	set_config('synchronous_commit', 'local', false), pg_logical_emit_message(true, '', '')});
	return;
}

# Eight commits wait for three seconds, after thousands of fast ones.  The
# walreceiver has nothing to flush when it is stopped.
$primary->sql('SELECT commit_stats_reset()');
my @fast = end_load(start_load($primary, '-c 8 -t 500', $insert));
$primary->wait_for_catchup($standby, 'flush');
$stopped = $standby->sql('SELECT pid FROM pg_stat_wal_receiver');
kill 'STOP', $stopped;
my $from = $primary->sql('SELECT commit_history_close()');
my $load = start_load($primary, '-c 8 -t 60', $insert);
eight_wait_for_write();
is( $primary->sql('SELECT standby, stage FROM commit_standby_stats WHERE waiting_now > 0'),
	'sb1|not written',
	'not written: said while they wait');
like(
	$primary->sql(q{BEGIN; SELECT 'the snapshot' FROM pg_stat_activity \g /dev/null
SELECT * FROM commit_standby_stats \g /dev/null
SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid(); COMMIT}),
	qr/'the snapshot'/,
	'... and the snapshot of pg_stat_activity stays');
usleep(3_000_000);
kill 'CONT', $stopped;
undef $stopped;

my @times = (@fast, end_load($load));
my @long = grep { $_ > 2_900 } @times;
my $long = sum0(@long);
my $counted = wait_time('not written');

is(scalar @long, 8, 'not written: eight transactions took three seconds');
cmp_ok($counted, '>=', 0.95 * $long, 'not written: their time is counted');
cmp_ok($counted, '<=', 1.05 * sum0(@times) + 500 * 8, '... and not more than all take');
$primary->wait_until('SELECT count(standby) = 8 FROM commit_slow_log WHERE duration > 2900');
is( $primary->sql(
		q{SELECT count(*), min(standby), max(standby), min(standby_stage), max(standby_stage)
FROM commit_slow_log WHERE duration > 2900}),
	'8|sb1|sb1|not written|not written',
	'not written: commit_slow_log has them');
my ($share) = report_since($primary, $from) =~ / 1\. >?([\d.]+)% standby 'sb1': not written/;
cmp_ok($share // 0, '>=', 90, 'not written: the report of the period says it as well');
cmp_ok(
	$primary->sql(
		q{SELECT sum(slow_commits) FROM commit_standby_stats WHERE stage = 'not written'}),
	'>=', 8,
	'not written: ... and they are counted');
my $report = report_of($primary);
first_cause_is($report, qr/^standby 'sb1': not written/, 'not written: the first cause');
cmp_ok(
	$report->{causes}->[0]->{share} // 0,
	'>=',
	min(95, 100 * $long / sum0(@times) - 2),
	'not written: weighed by time');

# Another session writes 20 MB of WAL, and takes some seconds for it.
sub write_much ($seconds)
{
	local $ENV{PGAPPNAME} = 'batch';

	return $primary->sql(qq{SET synchronous_commit = local;
DO \$\$ DECLARE until timestamptz := clock_timestamp() + interval '$seconds s';
BEGIN
	PERFORM pg_logical_emit_message(true, '', repeat('x', 1000000)) FROM generate_series(1, 20);
	WHILE clock_timestamp() < until LOOP NULL; END LOOP;
END \$\$});
}

# It has left, before commits wait; and it writes what no commit is behind.
for my $when ('before for 3 s', 'before for 0 s', 'after for 3 s')
{
	my ($order, $seconds) = $when =~ /^(\w+) for (\d+) s$/;

	$primary->sql('SELECT commit_stats_reset()');
	$stopped = $standby->sql('SELECT pid FROM pg_stat_wal_receiver');
	kill 'STOP', $stopped;
	write_much($seconds) if $order eq 'before';
	$load = start_load($primary, '-c 8 -t 1', $insert);
	$primary->wait_until(q{SELECT sum(waiting_now) = 8 FROM commit_standby_stats});
	write_much($seconds) if $order eq 'after';
	usleep(2_000_000);
	kill 'CONT', $stopped;
	undef $stopped;
	end_load($load);
	$report = report_of($primary);
	first_cause_is($report, qr/^standby 'sb1': .*, [\d.]+ MB behind/, "20 MB $when");
	is( $report->{causes}->[0]->{remedy} =~ /^less WAL at a time of client batch \(/
		? 'before'
		: 'after',
		$order,
		'... and whether commits are behind it');
	$primary->wait_for_catchup($standby, 'flush');
}

# Its flushes take 50 ms.
set_volume($standby, 20);
$primary->sql('SELECT commit_stats_reset()');
$from = $primary->sql('SELECT commit_history_close()');
$load = start_load($primary, '-c 8 -T 16', $insert);
wait_for_commits($primary, 16);
report_names('not flushed', sample_waits($primary, 'load', 14));
@times = end_load($load);
my $of_period = report_since($primary, $from);
$counted = wait_time('not flushed');
cmp_ok($counted, '>=', 0.8 * sum0(@times), 'not flushed: the time is counted');
cmp_ok($counted, '<=', 1.05 * sum0(@times) + 500, '... and not more than all take');
like(
	$of_period,
	qr/% standby 'sb1': not flushed\b/,
	'not flushed: no commit is slower than usual, and the report of the period names it');

# Slow commits have a third of the time of a period, and tell whose that is.
$from = $primary->sql('SELECT commit_history_close()');
$load = start_load($primary, '-c 8 -T 9', $insert);
wait_for_commits($primary, 100);
$stopped = $standby->sql('SELECT pid FROM pg_stat_wal_receiver');
kill 'STOP', $stopped;
usleep(3_000_000);
kill 'CONT', $stopped;
undef $stopped;
end_load($load);
$primary->wait_until('SELECT count(standby) >= 7 FROM commit_slow_log WHERE duration > 2500');
like(
	report_since($primary, $from),
	qr/% standby 'sb1': not \w+\s+\(at\s+least\s+[\d.]+%\s+of\s+these\s+waits[;)]/,
	'a third of a period: the standby is named, with its share');

# Commits that need no flush of the standby do not wait for it.
$primary->sql('SELECT commit_stats_reset()');
end_load(start_load($primary, '-c 8 -t 50', "SET synchronous_commit = remote_write;\n$insert"));
is( $primary->sql(
		q{SELECT count(*) FROM commit_standby_stats WHERE stage IN ('not flushed', 'not applied')}),
	0,
	'remote_write: nobody waits for a flush of the standby');
set_volume($standby, 0);

# It applies WAL later.
$standby->append_conf('postgresql.conf', "recovery_min_apply_delay = 200ms\n");
$standby->reload;
$primary->alter_system('commit_stats.slow_commit_time' => '100ms');
$primary->sql('SELECT commit_stats_reset()');
$load = start_load($primary, '-c 8 -T 16', "SET synchronous_commit = remote_apply;\n$insert");
wait_for_commits($primary, 16);
report_names('not applied', sample_waits($primary, 'load', 14));
@times = end_load($load);
cmp_ok(wait_time('not applied'), '>=', 0.8 * sum0(@times), 'not applied: the time is counted');
$primary->wait_until(
	'SELECT max(ended_at) < clock_timestamp() - interval $$1 s$$ FROM commit_slow_log');
cmp_ok($primary->sql('SELECT 100 * count(standby) / count(*) FROM commit_slow_log'),
	'>=', 75, 'not applied: slow commits that follow each other have the standby');
$primary->alter_system('commit_stats.slow_commit_time' => '-1');

# Two commits hang, each at a stage of its own: the longest is told of.
$standby->sql('SELECT pg_wal_replay_pause()');
my @hang = $primary->start_psql("SET synchronous_commit = remote_apply;\n$insert");
$primary->wait_until(
	q{SELECT waiting_now = 1 FROM commit_standby_stats WHERE stage = 'not applied'});
$stopped = $standby->sql('SELECT pid FROM pg_stat_wal_receiver');
kill 'STOP', $stopped;
push @hang, $primary->start_psql($insert);
$primary->wait_until(q{SELECT sum(waiting_now) = 2 FROM commit_standby_stats});
usleep(1_000_000);
$report = report_of($primary);
like(
	$report->{now},
	qr/^1 of 2 commits wait now, the longest for .*: for standby 'sb1': not applied\.$/,
	'two stages: the longest wait');
first_cause_is($report, qr/^standby 'sb1': not applied/, 'two stages: the first cause');

# One that is behind another in the same queue waits for the same.
push @hang, $primary->start_psql("SET synchronous_commit = remote_apply;\n$insert");
$primary->wait_until(q{SELECT sum(waiting_now) = 3 FROM commit_standby_stats});
is( $primary->sql(
		q{SELECT detail, count(*) FROM commit_activity WHERE phase = 'standby' GROUP BY 1 ORDER BY 2}
	),
	"for standby 'sb1': not written|1\nfor standby 'sb1': not applied|2",
	'two stages: what holds up the queue');
like(
	report_of($primary)->{now},
	qr/^2 of 3 commits wait now, .*: for standby 'sb1': not applied\.$/,
	'... also in the report');
kill 'CONT', $stopped;
undef $stopped;
$standby->sql('SELECT pg_wal_replay_resume()');
ok(end_background($_), 'two stages: the commit goes on') for @hang;

# No name is right any more, and nothing remains of the one before.
$primary->sql('SELECT commit_stats_reset()');
$primary->alter_system(synchronous_standby_names => 'ghost');
my $session = $primary->start_psql($insert);
$primary->wait_until('SELECT waiting_now = 1 FROM commit_standby_stats');
is( $primary->sql('SELECT standby, stage, pid, state FROM commit_standby_stats'),
	'ghost|not connected||',
	'not connected: nobody has this name');
$primary->wait_until(q{SELECT commit_stats_report() ~ 'from samples'});
like(
	report_of($primary)->{causes}->[0]->{remedy},
	qr/^if it is 'sb1', which is connected: application_name = ghost in its primary_conninfo; /,
	'... and one that is connected may have another');

# The names are empty, and the checkpointer, which lets commits go on, is busy.
$stopped = $primary->sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'});
kill 'STOP', $stopped;
$primary->alter_system(synchronous_standby_names => '');
$primary->wait_until(
	q{SELECT current_setting('synchronous_standby_names') = '' AND count(*) = 1 FROM commit_activity
WHERE detail = 'until the checkpointer reads that synchronous_standby_names is empty'});
first_cause_is(
	report_of($primary),
	qr/^standby: synchronous_standby_names is empty, /,
	'no names: the first cause');
kill 'CONT', $stopped;
undef $stopped;
ok(end_background($session), 'not connected: the commit goes on');
$primary->wait_until(
	q{SELECT count(*) = 1 FROM commit_slow_log WHERE standby = 'ghost' AND duration > 1000});
is($primary->sql('SELECT count(*) FROM commit_standby_stats'),
	0, 'not connected: it is of no list any more');
first_cause_is(
	report_of($primary),
	qr/^standby 'ghost': not connected/,
	'not connected: the report still names it');

end_test($standby, $primary);
