# What the tests of commit_stats.adaptive_delay share: a device with a quota,
# and what commit_delay_state says.  It exports what GroundTruth.pm does, as
# well.

package Adaptive;

use GroundTruth;
use List::Util qw(min);

our @ISA = ('GroundTruth');
our @EXPORT = (
	@GroundTruth::EXPORT,
	qw($quota $window $rate set_quota delay_state
	  wait_for_delay_state slow_down wait_for_quota start_over learn_quota next_sleeps asleep run_load leaders_sleep)
);

# The device: flushes in a window, its length in ms, and flushes in a second
our ($quota, $window) = (20, 100);
our $rate = 1000 * $quota / $window;
my $given;    # to the device

# Give the device a quota, or none.
sub set_quota ($node, $flushes)
{
	$given = $flushes;
	set_device($node, quota => $flushes, window => $window, flush_time => 0.5);
}

# These columns of commit_delay_state, as psql prints them.
sub delay_state ($node, $columns)
{
	return $node->sql("SELECT $columns FROM commit_delay_state");
}

sub wait_for_delay_state ($node, $condition)
{
	return $node->wait_until("SELECT $condition FROM commit_delay_state");
}

# Windows are longer from now on, up to what the server takes for one.
sub slow_down ($node)
{
	$window = min(2 * $window, 800);
	$rate = 1000 * $quota / $window;
	set_quota($node, $given);
}

# Wait until the load that runs lets the server find the quota, as this
# condition has it.  A load that gets little of a processor does not use it up
# before windows are longer, as they are after many.
sub wait_for_quota ($node, $condition = sub { 'quota_spacing IS NOT NULL' })
{
	my $since = time;

	poll_until(
		sub {
			return 1 if delay_state($node, $condition->()) eq 't';
			if (time - $since > 50 * $window / 1000)
			{
				slow_down($node);
				$since = time;
			}
			return 0;
		},
		20) or die 'never true: ' . $condition->() . "\n";
}

# Forget all that was learned.
sub start_over ($node)
{
	$node->alter_system('commit_stats.adaptive_delay' => 'off');
	wait_for_delay_state($node, 'NOT in_force');
	$node->alter_system('commit_stats.adaptive_delay' => 'on');
	wait_for_delay_state($node, "in_force AND reason = 'start'");
}

# Let the server find the quota.  From then on each leader keeps to a spacing,
# unless what other processes do makes the server forget it again.  No other
# session may be there.
sub learn_quota ($node)
{
	my $load;

	return if delay_state($node, 'quota_spacing IS NOT NULL') eq 't';
	# a quota that was refuted is not believed for a minute
	start_over($node) if delay_state($node, 'quotas_refuted') > 0;
	$load = start_pgbench($node, '-c 4 -T 3600', learn => 'INSERT INTO tick VALUES (1);');
	wait_for_quota($node);
	end_pgbench($node, $load);
}

# How long the leaders of the next flushes are to sleep, us; those that do not
# sleep are left out.
sub next_sleeps ($node, $flushes)
{
	wait_for_flushes($node, $flushes);
	return split /\n/,
	  $node->sql(q{SELECT asked FROM shim_events() WHERE kind = 'sleep' AND backend});
}

# The client's backend that sleeps now before its flush; workers of autovacuum
# sleep as well.
sub asleep ($node)
{
	my $pid;

	poll_until(sub {
		$pid = $node->sql(
			q{SELECT pid FROM shim_events() JOIN pg_stat_activity USING (pid)
WHERE kind = 'sleep' AND length = 0 AND backend_type = 'client backend'
ORDER BY at DESC LIMIT 1}
		);
		return $pid ne '';
	}) or die "no leader sleeps\n";
	return $pid;
}

# Five clients commit so often each: what the shim saw and what we counted.
sub run_load ($node, $commits)
{
	$node->sql('SELECT shim_reset(), commit_stats_reset()');
	run_pgbench($node, "-c 5 -t $commits", insert => 'INSERT INTO tick VALUES (1);');
	return (seen_by_shim($node), flush_stats($node));
}

# Leaders sleep, for a quota that the server finds if it does not know it, and
# are counted.  The server has sleeps of its own, if processes meet at a
# spinlock.
sub leaders_sleep ($node, $how)
{
	my ($seen, $counted);

	ok_eventually "$how: leaders sleep", sub {
		learn_quota($node);
		($seen, $counted) = run_load($node, 100);
		return $seen->{sleeps} > 25;
	};
	is($counted->{commits}, 500, "$how: commits are exact");
	cmp_ok($counted->{delay_hits}, '<=', $seen->{sleeps}, "$how: no hit without a sleep");
	cmp_ok(
		$counted->{delay_hits},
		'>=',
		0.98 * $seen->{sleeps} - 1,
		"$how: each sleep is counted as a hit");
	is($counted->{delay_hits}, $counted->{delay_hits_adaptive}, "$how: as one that adapts");
}

1;
