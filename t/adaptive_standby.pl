# Does commit_stats.adaptive_delay work on both ends of a streaming
# replication, and after a promotion?
#
# A standby has the setting in its configuration as well, and must follow it
# only once it is promoted.  A commit that waits for the standby takes longer
# than its flush, of which the setting must learn nothing.  The shim
# (t/ground_truth/shim.c) makes devices with a quota of the disks, and sees the
# sleeps of leaders.

use Adaptive;

my $primary = start_truth(
	'primary',
	'commit_stats.adaptive_delay = on; log_statement = none',
	allows_streaming => 1);

$primary->backup('base');

my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($primary, 'base', has_streaming => 1);
start_with_shim($standby);

sub start_load ($node)
{
	return start_pgbench($node, '-c 5 -T 3600', insert => "INSERT INTO tick VALUES (1);\n");
}

# Hot standby

# which even a load that gets little of a processor uses up
set_quota($_, $quota / 5) for $primary, $standby;
my $load = start_load($primary);
wait_for_quota($primary);
end_pgbench($primary, $load);
$primary->wait_for_catchup($standby);
is( delay_state(
		$standby, 'adaptive_delay, in_force, spacing, reason, changed_at, quota_spacing, changes'),
	't|f|0||||0',
	'hot standby: it has the setting, which is not in force');
is($standby->sql('SELECT count(*) FROM commit_delay_changes'),
	0, 'hot standby: it knows of no changes of the primary');
$standby->reload;
is(seen_by_shim($standby)->{sleeps}, 0, 'hot standby: no process of it sleeps');
is(delay_state($standby, 'in_force'),
	'f', 'hot standby: nor after it has read the configuration again');
leaders_sleep($primary, 'hot standby, primary');

# A synchronous standby, for which commits wait longer than for flushes
for my $timing ('on', 'off')
{
	my $how = "synchronous standby, timing $timing";

	$primary->alter_system(track_wal_io_timing => $timing, synchronous_commit => 'remote_apply');
	require_standby($primary, '*');
	leaders_sleep($primary, $how);
	is( $primary->sql('SELECT count(*) FROM tick'),
		$standby->sql('SELECT count(*) FROM tick'),
		"$how: what is committed is there");
	$primary->alter_system(synchronous_standby_names => '');
}

# A standby that does not answer for a while holds up all commits, and no
# longer than that.
$primary->alter_system(synchronous_standby_names => '*');
my $receiver = $standby->sql('SELECT pid FROM pg_stat_wal_receiver');

$load = start_load($primary);
wait_for_quota($primary);
for (1 .. 3)
{
	kill 'STOP', $receiver;
	$primary->wait_until(q{SELECT count(*) = 5 FROM pg_stat_activity WHERE wait_event = 'SyncRep'});
	kill 'CONT', $receiver;
	wait_for_commits($primary, 200);
}
is(errors_so_far($load), '', 'slow standby: no commit failed');
end_pgbench($primary, $load);
leaders_sleep($primary, 'slow standby, afterwards');
cmp_ok(seen_by_shim($primary)->{longest},
	'<=', 50_000, 'slow standby: no sleep is longer than the ceiling');
is( $primary->sql('SELECT count(*) FROM tick'),
	$standby->sql('SELECT count(*) FROM tick'),
	'slow standby: what is committed is there');
$primary->alter_system(synchronous_standby_names => '');

# Promotion
$primary->stop;
$standby->promote;
$load = start_load($standby);
wait_for_quota($standby, sub { 'in_force AND quota_spacing IS NOT NULL' });
end_pgbench($standby, $load);
leaders_sleep($standby, 'promotion');
is( $standby->sql(
		q{SELECT change, spacing, reason FROM commit_delay_changes ORDER BY change LIMIT 1}),
	'1|0|start',
	'promotion: it began to learn then');

end_test($standby, $primary);
