# Does commit_stats.adaptive_delay keep flushes so far apart that a device with
# a quota hardly stalls, also beside a synchronous standby, and does delay_time
# have what leaders slept?
#
# The shim (t/ground_truth/shim.c) makes the device, and sees stalls and
# sleeps.

use Adaptive;
use Statistics;

my $slack = 55;    # us by which less is asked for (SLEEP_SLACK)
my $node = start_truth('quota', "commit_stats.adaptive_delay = on\n", allows_streaming => 1);

sub stalls_a_flush ($seen)
{
	return $seen->{stalled} / ($seen->{syncs} || 1);
}

# Without the setting, most flushes stall, on the device that is learned later.
set_quota($node, $quota);
learn_quota($node);
$node->alter_system('commit_stats.adaptive_delay' => 'off');
wait_for_delay_state($node, 'NOT in_force');
my ($without) = run_load($node, 400);
$node->alter_system('commit_stats.adaptive_delay' => 'on');
wait_for_delay_state($node, 'in_force');

sub keeps_apart
{
	learn_quota($node);
	my ($seen, $counted) = run_load($node, 400);

	return (
		[ stalls_a_flush($seen) < stalls_a_flush($without) / 4, 'flushes hardly stall' ],
		[ $seen->{sleeps} > $seen->{syncs} / 2, 'leaders sleep' ],
		[ $counted->{commits_per_flush} > 2, 'flushes carry the commits that come meanwhile' ],
		[
			$counted->{delay_time} > 0.5 * $seen->{slept}
			  && $counted->{delay_time} < 1.3 * $seen->{slept},
			'delay_time has what leaders slept'
		]);
}

right_in_most_rounds('a quota', \&keeps_apart);

# Each sleep is what is left of the spacing, here a ceiling.  A commit that
# begins after a flush sleeps less, but no less than by the time since then,
# unless nobody knew yet that it had ended.
my $ceiling = int(0.7 * 1_000_000 / $rate);
my $longest = $ceiling - $slack;

$node->alter_system('commit_stats.adaptive_delay_max' => $ceiling);
my $load = start_pgbench($node, '-c 5 -T 600', insert => 'INSERT INTO tick VALUES (1);');
right_in_most_rounds 'a ceiling', sub {
	wait_for_delay_state($node, "spacing = $ceiling / 1000.0");
	$node->sql('SELECT shim_reset()');
	$node->wait_until(q{SELECT count(*) >= 200 FROM shim_events() WHERE kind = 'sync'});
	return [
		$node->sql(
			qq{SELECT count(*) FILTER (WHERE asked >= $longest - 1 - (at - ended) / 1000.0) > 0.9 * count(*)
FROM (SELECT kind, asked, at, max(CASE kind WHEN 'sync' THEN at + length END)
	  OVER (ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ended
	  FROM shim_events()) e
WHERE kind = 'sleep' AND ended > 0}) eq 't',
		'each sleep is what is left of the spacing'
	];
};
end_pgbench($node, $load);
$node->alter_system('commit_stats.adaptive_delay_max' => 50000);

# Commits that wait for a standby take longer than their flush.
my $standby = add_standby($node);
$node->alter_system(synchronous_commit => 'remote_apply');
require_standby($node, '*');
right_in_most_rounds('a synchronous standby', \&keeps_apart);

end_test($standby, $node);
