# Does a sweep try the adaptive delay as it is without a sweep, and in its own
# slots only?
#
# While a sweep runs, the adaptive delay learns nothing, and its leaders keep
# to the spacing that commit_delay_state shows.  The sweep itself says when
# each slot was; the flush log and the shim (t/ground_truth/shim.c) say who
# slept.  The shim makes a device with a quota of the disk, so that there is a
# spacing.

use Adaptive;
use List::Util qw(max);

my $node = start_truth('swept', 'commit_stats.adaptive_delay = on');
my $slack = 55;    # us by which less is asked for (SLEEP_SLACK)
my $state = 'spacing, trials, changes, quota_flush_rate';
my $rates;

# Which even a load that gets little of a processor reaches.  Stalls show it,
# or trials find a spacing that keeps to it, after which nothing stalls.
set_device($node, quota => 5, window => 200, flush_time => 0.5);
my $load = start_pgbench($node, '-c 5 -T 3600', insert => 'INSERT INTO tick VALUES (1);');

# The condition on flushed_at: in one of the adaptive delay's slots
sub in_its_slots ($messages)
{
	my @slots =
	  $messages =~ /commit_stats\.adaptive_delay: \d+ commits in (\d+) us until ([^,\n]+)/g;
	my @conditions;

	while (my ($length, $end) = splice @slots, 0, 2)
	{
		push @conditions,
		  "flushed_at BETWEEN '$end'::timestamptz - '$length us'::interval AND '$end'";
	}
	return join ' OR ', @conditions;
}

# A sweep that is late may leave a moment in which the adaptive delay learns.
sub nothing_learned
{
	my $before = delay_state($node, $state);
	my ($spacing) = $before =~ /^([^|]+)/;
	my $asked = int(1000 * $spacing + 0.5) - $slack;

	next_sleeps($node, 30);
	my $longest = max(next_sleeps($node, 30)) // 0;
	return
		 delay_state($node, $state) eq $before
	  && $node->sql('SELECT sweep_pid FROM commit_stats_info')
	  && abs($longest - $asked) <= 1;
}

# What leaders do while it runs
my $sweep;

sub end_sweep
{
	$node->sql('SELECT pg_cancel_backend(sweep_pid) FROM commit_stats_info');
	end_background($sweep);
	undef $sweep;
}

# A spacing that was only being tried is none any more when the sweep begins.
ok_soon 'nothing is learned, and the longest sleep is the spacing that is shown', sub {
	end_sweep() if $sweep && delay_state($node, 'spacing > 0') ne 't';
	if (!$sweep)
	{
		wait_for_delay_state($node, 'spacing > 0');
		$sweep = $node->start_psql(
			q{SET client_min_messages = warning; SELECT * FROM commit_delay_sweep('{0}', duration => '1 day', slot => '1 s', adaptive => true)}
		);
		$node->wait_until('SELECT sweep_pid IS NOT NULL FROM commit_stats_info');
	}
	return nothing_learned();
}, 2;
end_sweep();

# Its slots and the others
my ($adaptive, $others);
my $done = eventually(sub {
	my $messages;

	wait_for_delay_state($node, 'spacing > 0');
	$node->psql(
		'postgres', q{SET client_min_messages = debug1;
SELECT string_agg(round(commits_per_flush::numeric, 1)::text, '|' ORDER BY commit_delay)
FROM commit_delay_sweep('{0}', duration => '4 s', adaptive => true)},
		stdout => \$rates,
		stderr => \$messages);
	my $slots = in_its_slots($messages) || 'false';
	($adaptive, $others) = $node->row(qq{SELECT count(*) FILTER (WHERE delay_kind = 'adaptive'),
	   count(*) FILTER (WHERE delayed IS DISTINCT FROM true)
FROM commit_flush_log WHERE $slots});
	my ($alone, $together) = split /\|/, $rates;
	return $adaptive > 10 && $adaptive > $others && $together > $alone;
});
ok($done, 'its leaders sleep in its slots, and carry more than without a delay');
note "$adaptive sleeps, $others flushes without one; commits in a flush: $rates";

end_pgbench($node, $load);
end_test($node);
