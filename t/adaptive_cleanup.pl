# Is commit_stats.adaptive_delay in force when it should be and at no other
# time, and does it leave nothing behind?
#
# The shim (t/ground_truth/shim.c) makes a device with a quota of the disk, and
# sees the sleeps of leaders.  With the configuration here, no leader sleeps
# without the setting.  Sessions that commit also look at their settings again
# and again, and fail if these differ from the configuration.

use Adaptive;

my $setting = 'commit_stats.adaptive_delay';
my $node = start_truth(
	'cleanup', qq{commit_delay = 7; commit_siblings = 1000; $setting = on; restart_after_crash = on;
log_statement = none});

create_same_settings($node, 7, 1000);

my $load;

# A load that gets little of a processor must use up the quota as well.
sub start_load
{
	set_quota($node, $quota / 5);
	$load = start_pgbench($node, '-c 4 -T 3600', watched => $watched);
}

# The load may have lost its connections, but has seen nothing strange.
sub end_load ($how)
{
	end_background($load, 'TERM');
	unlike($load->{err}, qr/commit_delay is/, "$how: no session saw other settings");
}

sub nobody_notices ($how)
{
	$node->sql('SELECT same_settings()');
	is(errors_so_far($load), '', "$how: no session saw other settings");
}

# Leaders follow the setting.
sub follows ($how)
{
	ok_soon "$how: leaders sleep", sub {
		wait_for_quota($node);
		return next_sleeps($node, 20) > 10;
	}, 5;
	is(delay_state($node, 'in_force'), 't', "$how: the setting is in force");
	nobody_notices($how);
}

# They do not, and do not sleep.
sub stops ($how)
{
	ok_soon "$how: leaders do not sleep any more", sub { return next_sleeps($node, 20) == 0 }, 5;
	is(hits_of_50($node), 0, "$how: none of the next does");
	is(delay_state($node, 'in_force'), 'f', "$how: the setting is not in force");
	nobody_notices($how);
}

start_load();
follows('at start');
$node->alter_system($setting => 'off');
stops('off');
like(
	$node->report,
	qr/^  commit_stats\.adaptive_delay = off: \d+ flush(?:es)? slept\.$/m,
	'off: the report says which setting made leaders sleep');
$node->alter_system($setting => 'on');
follows('on');
$node->alter_system('commit_stats.enabled' => 'off');
stops('not counting');
$node->alter_system('commit_stats.enabled' => 'on');
follows('counting again');

# Sweeps

# longer than any sleep that adapts
my ($least, $most) = (60001, 61000);

sub start_sweep
{
	return $node->start_psql(qq{SET client_min_messages = warning;
SELECT * FROM commit_delay_sweep(
	ARRAY(SELECT generate_series($least, $most)), '{0}', '1 day', '0.5 s')});
}

sub is_of_sweep ($sleep)
{
	return $sleep >= $least && $sleep <= $most;
}

# Leaders follow the sweep, and not the setting.  On a busy machine a slot may
# be late, and the leaders follow the setting until then.
sub follows_sweep ($how)
{
	ok_soon "$how: leaders sleep as the sweep says, and not otherwise", sub {
		my @sleeps = next_sleeps($node, 15);

		return @sleeps > 0 && !grep { !is_of_sweep($_) } @sleeps;
	}, 5;
}

sub cancel_sweep ($sweep)
{
	$node->sql('SELECT pg_cancel_backend(' . $node->sweep_pid . ')');
	end_background($sweep);
}

my $sweep = start_sweep();
follows_sweep('sweep');
is(delay_state($node, 'in_force'), 't', 'sweep: the setting is in force');
cancel_sweep($sweep);
follows('after a sweep');
is(join(' ', grep { is_of_sweep($_) } next_sleeps($node, 20)),
	'', 'after a sweep: nothing of it is left');

$sweep = start_sweep();
follows_sweep('sweep, on');
$node->alter_system($setting => 'off');
follows_sweep('sweep, switched off');
cancel_sweep($sweep);
stops('switched off during a sweep');

$sweep = start_sweep();
follows_sweep('sweep, off');
$node->alter_system($setting => 'on');
follows_sweep('sweep, switched on');
cancel_sweep($sweep);
follows('switched on during a sweep');

# While a sweep hangs, leaders follow nothing.
$sweep = start_sweep();
follows_sweep('sweep that will hang');
my $pid = $node->sweep_pid;
kill 'STOP', $pid;
ok_soon 'sweep that hangs: leaders do not sleep', sub { return next_sleeps($node, 20) == 0 }, 5;
kill 'CONT', $pid;
cancel_sweep($sweep);
follows('after a sweep that hung');

# The background worker
$pid = $node->worker_pid;
kill 'TERM', $pid;
ok(poll_until(sub { return $node->worker_pid eq '' }), 'worker, TERM: it ends');
follows('worker, TERM');
$node->alter_system($setting => 'off');
ok_soon 'worker, TERM: another one starts', sub { return $node->worker_pid !~ /^(?:|$pid)$/ }, 20;
stops('switched off without a worker');
$node->alter_system($setting => 'on');
follows('with another worker');

# Crashes: the server creates its shared memory anew, and the load's sessions
# end
my %victims = (
	'a leader that sleeps' => sub { return asleep($node) },
	'the worker' => sub { return $node->worker_pid });

for my $victim (sort keys %victims)
{
	my $how = "crash of $victim";

	my $killed_at = $node->sql('SELECT clock_timestamp()');
	kill_backend($node, 'pid = ' . $victims{$victim}->());
	end_load($how);
	start_load();
	follows($how);
	is( $node->sql(qq{SELECT count(*) > 0 AND min(changed_at) > '$killed_at'
FROM commit_delay_changes}),
		't',
		"$how: it has learned anew");
}

# Restarts
sub restart ($how)
{
	$node->stop('fast');
	end_load($how);
	start_with_shim($node);
	start_load();
}

restart('restart');
follows('restart');
$node->append_conf('postgresql.conf', 'max_worker_processes = 0');
restart('without workers');
is($node->worker_pid, '', 'without workers: there is none');
stops('without workers');
is(delay_state($node, 'changes'), 0, 'without workers: nothing is learned');
like(
	error_of($node, "SELECT * FROM commit_delay_sweep('{0}', adaptive => true)"),
	qr/55000: the background worker of commit_stats does not run/,
	'without workers: a sweep cannot try the setting');
$node->append_conf('postgresql.conf', 'max_worker_processes = 8');
restart('with workers again');
follows('with workers again');
$node->stop;
end_load('stop');

# A server for a single user has no worker, and must not sleep.
my $sql =
	"SELECT shim_device($quota, $window, 0.5)\n"
  . "INSERT INTO tick VALUES (1)\n" x 200
  . q{SELECT in_force FROM commit_delay_state
SELECT count(*) AS syncs FROM shim_events() WHERE kind = 'sync'
SELECT count(*) AS sleeps FROM shim_events() WHERE kind = 'sleep'
};
my ($out, $err) = with_shim(sub { $node->single_user($sql) });

like($out, qr/ in_force = "f"/, 'single user: the setting is not in force');
like($out, qr/ syncs = "20\d"/, 'single user: commits flush');
like($out, qr/ sleeps = "0"/, 'single user: no commit sleeps');
unlike($err, qr/PANIC|ERROR|TRAP/, 'single user: no error');

ends_well($node, 2);
done_testing();
