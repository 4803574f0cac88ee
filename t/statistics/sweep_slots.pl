# Do the slots of commit_delay_sweep() have the flushes of their time, and no
# others?
#
# The witness is commit_flush_log.

use CommitStats;
use GroundTruth;
use Statistics;
use Sweep;

my $node = start_sweep_server();

# What the flushes of that time carried, and whether they slept.  A group at
# either end of a slot may have been counted on the other side of it.  Where
# the disk or the processors had something else to do for longer than the
# settling, which a test cannot help, a sleep of the pair before ends in the
# slot: that may happen now and then, but not in most of the slots that come
# after such a pair.
sub compare_with_flush_log ($slots)
{
	my %told = (after_delay => 0, slept => 0);
	my $before = { commit_delay => 0 };

	for my $slot (grep { !$_->{late} } @$slots)
	{
		my $log = $node->sql(qq{SELECT coalesce(sum(commits), 0), count(*) FILTER (WHERE delayed),
	   count(*)
FROM commit_flush_log
WHERE flushed_at BETWEEN timestamptz '$slot->{until}' - interval '$slot->{seconds} s'
  AND timestamptz '$slot->{until}'});
		my ($commits, $delayed, $flushes) = split /\|/, $log;

		$told{wrong}++ if abs($commits - $slot->{commits}) > 2 * 8 + 0.05 * $slot->{commits};
		$told{after_delay}++, $told{slept} += $delayed > 0
		  if $slot->{commit_delay} == 0 && $before->{commit_delay} > 0;
		$before = $slot;
		$told{awake} += $flushes - $delayed, $told{delayed} += $delayed
		  if $slot->{commit_delay} == 2000 && $slot->{commit_siblings} == 1;
	}
	return \%told;
}

my $load = start_load(8);

right_in_most_rounds 'a sweep', sub {
	my ($rows, $slots) = sweep("'{2000,0,300}', '{1,5}', '8 s', '400 ms'");
	my $told = compare_with_flush_log($slots);
	my %is = map { ("$_->{commit_delay}/$_->{commit_siblings}" => $_) } @$rows;

	return (
		[ !$told->{wrong}, 'each slot has the commits that the flush log has' ],
		[
			2 * $told->{slept} < $told->{after_delay},
			'no sleep was counted in a slot without a delay'
		],
		[ $told->{delayed} > $told->{awake}, 'most flushes with a long one were' ],
		[ !grep({ $is{"0/$_"}->{delay_hit_share} >= 1 } 1, 5), 'no delay, no hits' ],
		[ $is{'2000/1'}->{delay_hit_share} > 50, 'delays hit' ],
		[ $is{'2000/1'}->{mean} > 1, 'sleeps are in the latency' ]);
};

# A leader may sleep on into the next slot, whose counting waits for it
right_in_most_rounds 'a very long delay', sub {
	my (undef, $slots) = sweep("'{100000,0}', '{0}', '6 s', '250 ms'");
	my $told = compare_with_flush_log($slots);

	return [
		2 * $told->{slept} < $told->{after_delay},
		'no flush after it was counted with the next one'
	];
};

# Commits that never end exceed max_p99, and a slot ends then.  They are 1% of
# those of their slot if a flush takes long and they begin in its first second.
# The slot before it has the load's own setting, and must not exceed max_p99.
set_device($node, flush_time => 50);
right_in_most_rounds 'a slot beyond max_p99', sub {
	my $since = $node->sql('SELECT clock_timestamp()');
	my $session = $node->start_psql('SET client_min_messages = debug1',
		"SELECT * FROM commit_delay_sweep('{20000}', '{0}', '60 s', '10 s', '2 s')");

	$node->wait_until(
		qq{SELECT count(*) > 0 FROM commit_flush_log WHERE delay_time > 15 AND flushed_at > '$since'}
	);
	$node->alter_system(synchronous_standby_names => 'none');
	end_background($session);
	$node->alter_system(synchronous_standby_names => '');
	my ($counted) = $session->{err} =~ /.* commits in (\d+) us until/s;
	return [ defined $counted && $counted < 7.5e6, 'the slot ends early' ];
};

end_background($load, 'TERM');
end_test($node);
