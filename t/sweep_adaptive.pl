# Does a sweep try the adaptive delay as it is without a sweep?
#
# While a sweep runs, the adaptive delay learns nothing, but its leaders must
# gather and be woken as before.  The sweep itself says when each slot was; the
# flush log says how the sleeps in these slots ended.  The shim
# (t/ground_truth/shim.c) makes a device whose flushes all take 10 ms, so that
# gathering wins.

use strict;
use warnings;

use lib 't', 't/ground_truth', 't/adaptive';
use Adaptive;
use CommitStats;
use GroundTruth qw(start_truth set_device);
use Test::More;

my $node = start_truth('swept', "commit_stats.adaptive_delay = 'gather'");
# Think times differ, so that sleeps are planned longer than they need to be.
my @scripts = (
	insert => q{
\set think random(0, 4000)
\sleep :think us
INSERT INTO tick VALUES (1);
});

# The condition on flushed_at: in one of the adaptive delay's slots
sub in_its_slots
{
	my ($messages) = @_;
	my @slots = $messages =~
	  /commit_stats\.adaptive_delay: \d+ commits in (\d+) us until ([^,\n]+)/g;
	my @conditions;

	while (my ($length, $end) = splice @slots, 0, 2)
	{
		push @conditions,
		  "flushed_at BETWEEN '$end'::timestamptz - '$length us'::interval AND '$end'";
	}
	return @conditions;
}

# Of the sleeps in these slots: how many there were, and how many were ended by
# the session that was waited for last.
sub sleeps
{
	my $slots = join ' OR ', @_;

	return split /\|/, $node->safe_psql(
		'postgres', qq{
SELECT count(*), count(*) FILTER (WHERE delay_end = 'woken')
FROM commit_flush_log WHERE delay_kind = 'gathered' AND ($slots)});
}

set_device($node, flush_time => 10);
my $load = start_pgbench($node, '-c 5 -T 600', @scripts);
my (@slots, $rates, $sleeps, $woken);

# A trial may be under way as the sweep begins, which then lasts as long.
my $done = poll_until(
	sub {
		my $messages;

		wait_for_delay_state($node, "gathering = 'on'")
		  or die "gathering is not on\n";
		$node->psql(
			'postgres', q{
SET client_min_messages = debug1;
SELECT string_agg(round(commits_per_flush::numeric, 1)::text, '|' ORDER BY commit_delay)
FROM commit_delay_sweep('{0}', duration => '4 s', adaptive => true)},
			stdout => \$rates,
			stderr => \$messages);
		@slots = in_its_slots($messages);
		($sleeps, $woken) = sleeps(@slots);
		return delay_state($node, 'gathering') eq 'on' && $sleeps > 20;
	},
	1);
ok($done, 'its leaders gather in its slots');
cmp_ok(scalar @slots, '>=', 3, '... of which there are several');
note "$woken of $sleeps sleeps were ended; commits in a flush: $rates";
cmp_ok($woken, '>', $sleeps / 10, 'leaders are woken when all have come');

my ($alone, $together) = split /\|/, $rates;
cmp_ok($together, '>', $alone, '... and carry more than without a delay');

end_pgbench($node, $load);
$node->stop;
done_testing();
