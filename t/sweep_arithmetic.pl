# Do the results of commit_delay_sweep() follow from its slots?
#
# The slots and the flushes of the same time are compared in
# t/statistics/sweep_slots.pl.

use GroundTruth;
use List::Util qw(sum);
use Sweep;

# 97.5% quantiles of Student's t distribution, from a table
my @student_t = (
	undef, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201,
	2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086);

my $node = start_sweep_server();

my $load = start_load(8);

my ($rows, $slots, $notices) = sweep("'{2000,0,300}', '{1,5}', '12 s', '400 ms'", 2);

is( join(' ', map { "$_->{commit_delay}/$_->{commit_siblings}" } @$rows),
	'2000/1 0/1 300/1 2000/5 0/5 300/5',
	'a row for each pair, in the order of the arrays');
is(scalar @$slots, 6 * 5, 'as many slots as fit into the time');
is(scalar @$notices, 5, 'a notice for each round');
like(
	$notices->[0],
	qr/^round 1 of 5: (?:commit_delay = \d+, commit_siblings = \d+ is ahead with \d+ commits\/s|there is nothing to compare yet.*)$/,
	'which says how far it has come');

# Each round has each pair once, and not always in the same order
my %orders;
for my $round (0 .. 4)
{
	my @order =
	  map { "$_->{commit_delay}/$_->{commit_siblings}" } @$slots[ 6 * $round .. 6 * $round + 5 ];
	my %seen = map { $_ => 1 } @order;

	is(scalar keys %seen, 6, "round $round has every pair");
	$orders{"@order"} = 1;
}
cmp_ok(scalar keys %orders, '>', 1, 'the order changes');

for my $row (@$rows)
{
	my $pair = "$row->{commit_delay}/$row->{commit_siblings}";
	my @mine = grep {
			 $_->{commit_delay} == $row->{commit_delay}
		  && $_->{commit_siblings} == $row->{commit_siblings}
		  && !$_->{late}
	} @$slots;
	my @rates = map { $_->{commits} / $_->{seconds} } @mine;
	my $n = @rates;

	is($row->{rounds}, $n, "$pair: rounds");
	is($row->{commits}, sum(map { $_->{commits} } @mine), "$pair: commits");
	my $mean = sum(@rates) / $n;
	my $half = $student_t[ $n - 1 ] * sqrt(sum(map { ($_ - $mean)**2 } @rates) / ($n - 1) / $n);
	near($row->{commits_per_second}, $mean, "$pair: commits/s");
	my $low = $mean > $half ? $mean - $half : 0;

	# as exact as the mean is
	near($row->{commits_per_second_low} + $mean, $low + $mean, "$pair: the lower end");
	near($row->{commits_per_second_high}, $mean + $half, "$pair: the upper end");
	near(
		$row->{commits_per_flush},
		$row->{commits} / sum(map { $_->{seconds} } @mine) / $row->{flushes_per_second},
		"$pair: commits per flush");
	ok($row->{p50} <= $row->{p95} && $row->{p95} <= $row->{p99}, "$pair: percentiles");
}
is(scalar(grep { $_->{is_best} eq 't' } @$rows), 1, 'one of them is best');
is(scalar(grep { $_->{reason} eq '' } @$rows), 0, 'each with a reason');

# With null, the present commit_siblings
($rows, $slots) = sweep("'{0}', NULL, '1 s', '200 ms'", 2);
is($rows->[0]->{commit_siblings}, 3, 'null is the present commit_siblings');
is($rows->[0]->{reason}, 'most commits/s', 'a single value is best');
($rows, $slots, $notices) = sweep("'{0}', slot => '1 s', duration => '3999 ms'");
is( join(' ', map { /^(round \d of 3):/ } @$notices),
	'round 1 of 3 round 2 of 3 round 3 of 3',
	'a part of a round is not begun');

# A reset in the middle disturbs nothing
my ($last_round, $session, $commits, $rounds);
ok( eventually(sub {
		$session = $node->start_measuring(
			sub ($session) {
				return $node->sql(
					'SELECT commit_stats_reset() FROM commit_stats_info WHERE sweep_pid IS NOT NULL'
				) ne '';
			},
			"SELECT commits, rounds FROM commit_delay_sweep('{0}', NULL, '3 s', '1 s')");
		end_background($session);
		($commits, $rounds) = split /\|/, $session->{out};
		return $rounds;
	}),
	'a reset while a sweep runs, which goes on');
cmp_ok($commits, '>', 0, '... with commits');
cmp_ok($commits, '<', 1e9, '... that are none too many');

# On a device of 40 ms, commits take longer than the 15 ms that a slot of
# 100 ms settles for, but not than the 300 ms of a slot of 2 s.
set_device($node, flush_time => 40);
for my $case ([ 100, '1 s', 1 ], [ 2000, '6 s', '' ])
{
	my ($slot, $duration, $warns) = @$case;

	ok_eventually "slots of $slot ms: are they long enough?", sub {
		my ($status, undef, $notices) = $node->psql('postgres',
			"SELECT * FROM commit_delay_sweep('{0}', NULL, '$duration', '$slot ms')");
		return $status == 0
		  && $warns eq ($notices =~
			  /WARNING:  commits take longer than the settling of a slot\n.*DETAIL: +Commits took \d+ ms.*HINT: +Use longer slots/s
		  );
	};
}
set_device($node, flush_time => 1);

end_background($load, 'TERM');

# Commits that wait, here for a standby that does not exist, are no end of the
# load, and slots without any other commits count.
$load = start_load(4);

# The last round that it told of
sub last_round ($session)
{
	return (errors_so_far($session) =~ /.*round (\d+) of/s)[0] || 0;
}

# A sweep that has measured each of its two pairs three times
sub start_sweep
{
	return $node->start_measuring(
		sub ($session) {
			my $messages = errors_so_far($session);
			my %n;

			$n{$_}++
			  for $messages =~
			  /commit_delay = (\d+), commit_siblings = \d+: [1-9]\d* commits in \d+ us until [^,\n]+$/mg;
			return keys %n == 2 && !grep { $_ < 3 } values %n;
		},
		'SET client_min_messages = debug1',
		"SELECT rounds, commits_per_second > 0 FROM commit_delay_sweep('{0,10}', NULL, '60 s', '1 s')"
	);
}

$session = start_sweep();
$node->alter_system(synchronous_standby_names => 'none');
$last_round = last_round($session) + 2;
ok_soon 'a sweep while all commits wait', sub {
	return last_round($session) >= $last_round || errors_so_far($session) =~ /ends early/;
};
unlike(errors_so_far($session), qr/ends early/, '... goes on');
is($node->sql(q{SELECT count(*) > 0 FROM commit_activity WHERE waiting_for = 'standby'}),
	't', '... while they wait');
$node->sql('SELECT pg_cancel_backend(sweep_pid) FROM commit_stats_info');
end_background($session);
($rows, undef, $notices) = sweep("'{0}', NULL, '900 ms', '300 ms'");
is($rows->[0]->{commits}, 0, 'a sweep that begins while all commits wait');
is($rows->[0]->{is_best}, 'f', '... finds nothing best');
is_deeply(
	$notices,
	[
		map { "round $_ of 3: there is nothing to compare yet, as no commits were measured" }
		  1 .. 3
	],
	'... and says so in each round');
$node->alter_system(synchronous_standby_names => '');
end_background($load, 'TERM');

# A commit with one pair that hangs until the next pair is being counted: only
# the first one exceeds max_p99.  Pairs settle for 0.45 s.
$load =
  start_pgbench($node, '-c 1 -T 3600', rare => "\\sleep 200 ms\nINSERT INTO logged VALUES (1);\n");
$session = $node->start_measuring(
	sub ($session) { return errors_so_far($session) =~ /: [1-9]\d* commits in/ },
	'SET client_min_messages = debug1',
	"SELECT count(*) FROM commit_delay_sweep('{0,10}', NULL, '1 hour', '3 s', '3 s')");
$node->alter_system(synchronous_standby_names => 'none');
$node->wait_until(
	q{SELECT clock_timestamp() - committing_since > '5 s' FROM commit_activity WHERE waiting_for = 'standby'}
);
$node->alter_system(synchronous_standby_names => '');
ok_soon 'a commit that exceeds max_p99, and slots after it', sub {
	return errors_so_far($session) =~
	  /longer than "max_p99".*: [1-9]\d* commits in.*(?:round \d+ of|ends early)/s;
};
$node->sql('SELECT pg_cancel_backend(sweep_pid) FROM commit_stats_info');
end_background($session);
is(scalar(() = $session->{err} =~ /longer than "max_p99" with/g),
	1, '... of the pair that it began with');
end_background($load, 'TERM');

# The load that ends
$load = start_load(4);
$session = start_sweep();
end_background($load, 'TERM');
end_background($session);
like(
	$session->{err},
	qr/WARNING: .*no commit ended in a whole round/,
	'a load that ends is noticed');
like($session->{out}, qr/^\d+\|t\n\d+\|t\n$/, 'the figures of the time before are kept');
($last_round) = $session->{err} =~ /.*round (\d+) of/s;
($rounds) = $session->{out} =~ /^(\d+)/;
cmp_ok($rounds, '<', $last_round, 'but those of the round in which it ended');

end_test($node);
