# Does the rule choose as it says, on figures that no server shows at will?
#
# src/tuning/best_delay.c needs no server.  The test compiles it into a program
# (t/unit/best_delay.c) that reads plain numbers.

use CommitStats;

my $program = compile_program('t/unit/best_delay.c', 'src/tuning/best_delay.c');

# Outcomes are lines "commit_delay commit_siblings latency share-that-slept
# limit rate...", and become [mean, low, high, is_best, reason]...
sub choose ($outcomes, $present_siblings = 5, $resampled = 0)
{
	my $out = $program->((split /\n/, $outcomes), "$present_siblings $resampled");

	return [ map { [ split / /, $_, 5 ] } split /\n/, $out ];
}

# The best of outcomes is the one with this commit_delay (and commit_siblings),
# for this reason; undef: none of them is.
sub is_best ($delay, $reason, $name, $outcomes, $present_siblings = 5, $siblings = undef)
{
	my $rows = choose($outcomes, $present_siblings);
	my @pair = map { [ split / / ] } split /\n/, $outcomes;
	my ($best) = grep { $rows->[$_]->[3] } 0 .. $#$rows;

	is(scalar(grep { $_->[3] } @$rows), defined $delay ? 1 : 0, "$name: how many are best");
	if (!defined $delay)
	{
		like($_->[4], $reason, "$name: why not") for @$rows;
		return $rows;
	}
	is($pair[$best]->[0], $delay, "$name: commit_delay");
	is($pair[$best]->[1], $siblings, "$name: commit_siblings") if defined $siblings;
	like($rows->[$best]->[4], $reason, "$name: the reason");
	return $rows;
}

# Intervals: values of a textbook, in which five of mean 10 and variance 2.5
# have the interval 10 +- 2.776 * sqrt(2.5 / 5)
my $rows = choose(<<'END');
0 5 1 0 0 8 9 10 11 12
1 5 1 0 0 10
2 5 1 0 0
3 5 1 0 0 10 10 10
4 5 1 0 0 0 10
5 5 1 0 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21
6 5 1 0 0 1 2 3 4 5 6 7
END
is("@{$rows->[0]}[0 .. 2]", '10.0000 8.0368 11.9632', 'five values');
is("@{$rows->[1]}[0 .. 2]", '10.0000 nan nan', 'one value has no interval');
is($rows->[2]->[0], 'nan', 'none has no mean');
is($rows->[2]->[4], 'not measured', '... and says so');
is("@{$rows->[3]}[0 .. 2]", '10.0000 10.0000 10.0000', 'equal values');
is($rows->[4]->[1], '0.0000', 'there are no rates below 0');
# 2.0860 * sqrt(38.5 / 21) and 2.4469 * sqrt(28 / 6 / 7)
cmp_ok(abs($rows->[5]->[2] - 11 - 2.8245), '<', 0.003, '21 values');
cmp_ok(abs($rows->[6]->[2] - 4 - 1.9979), '<', 0.003, 'seven values');

# The choice
$rows =
  is_best(1000, qr/^most commits\/s: 100% more than with commit_delay = 0$/, 'told apart', <<'END');
0 5 4 0 0 1000 1010 990
1000 5 2 0.9 0 2000 2010 1990
2000 5 3 0.9 0 1500 1510 1490
END
is($rows->[2]->[4], '25% fewer commits/s than the highest', 'the loser');

# An open load commits as fast as it arrives
$rows =
  is_best(0, qr/^no delay gains anything: 3 of 3 have as many commits\/s/, 'open load', <<'END');
1000 5 2.5 0.5 0 500 510 490
0 5 1 0 0 509 489 499
200 5 1.2 0.4 0 491 501 511
END
is( $rows->[0]->[4],
	'as many commits/s as the best, but a commit takes 150.0% longer',
	'the slower one');

$rows = is_best(
	300,
	qr/^the least time for a commit, of the 2 with the most commits\/s/,
	'of those that are not told apart, the one with the least latency', <<'END');
0 5 4 0 0 100 101 99
300 5 1 0.9 0 1000 1200 800
600 5 1.5 0.9 0 1050 1200 900
END

$rows = is_best(100, qr/^the least time/, 'latencies that are as good as equal', <<'END');
200 5 1.00 0.9 0 1000 1100 900
100 5 1.01 0.9 0 1000 1100 900
50 5 1.03 0.9 0 1000 1100 900
END
is($rows->[0]->[4], 'as good as the best, which delays less', 'the larger delay');
is( $rows->[2]->[4],
	'as many commits/s as the best, but a commit takes 2.0% longer',
	'the smaller one, too far from the fastest');

$rows = is_best(0, qr/^no delay gains anything/, 'a delay that never came to be', <<'END');
0 5 1.3 0 0 1000 1100 900
500 5 1.0 0.001 0 1010 1100 920
END
is( $rows->[1]->[4],
	'never slept: fewer than commit_siblings others were active',
	'... and why it did not');

# Chance: differences of round to round, and not of mean to mean.  These have a
# variance of 2.5, so their mean is known to +- 1.9632, as above; sqrt(2) times
# that is 2.7764.  Where they are resampled, 6.2083.
sub candidates ($ahead, $resampled = 0, @more)
{
	my @rate = (1000, 1500, 500, 2000, 700);
	my @difference = (-2, -1, 0, 1, 2);
	my @other = map { $rate[$_] + $difference[$_] + $ahead } 0 .. 4;
	my $rows = choose("0 5 1 0 0 @rate @more\n9 5 1 0.9 0 @other", 5, $resampled);

	return scalar grep { $_->[4] !~ /fewer commits/ } @$rows;
}

is(candidates(2.77), 2, 'behind by as much as chance may explain');
is(candidates(2.79), 1, 'behind by more, though the rounds differ much');
is(candidates(6.20, 1), 2, 'resampled: chance may explain more');
is(candidates(6.22, 1), 1, '... but not everything');
is(candidates(2.79, 0, 1140), 1, 'a round that only one of them has says nothing');

# commit_siblings
my $equal = join "\n", map { "500 $_ 1 0.9 0 1000 1100 900" } 1, 5, 8;
is_best(
	500,
	qr/^no other pair gains anything: 3 of 3/,
	'equal pairs: the present siblings',
	$equal, 5, 5);
is_best(500, qr/^no other pair/, 'equal pairs: else the most', $equal, 3, 8);

# Rounds that were not finished
is_best(undef, qr/^too few rounds to tell$/, 'a single round tells nothing apart', <<'END');
0 5 1 0 0 1000
500 5 2 0.9 0 1500
END
$rows = is_best(
	0,
	qr/^most commits\/s$/,
	'what has no interval is not best, however many commits it has', <<'END');
0 5 1 0 0 77 78
5000 5 1 0.9 0 90
20000 5 1 0.9 0 30 31
END
is($rows->[1]->[4], 'too few rounds to tell', '... and says so');
is($rows->[2]->[4], '61% fewer commits/s than the highest', '... nor the highest');
is_best(500, qr/^most commits\/s$/, 'what was not measured does not count', <<'END');
0 5 nan nan 0
500 5 2 0.9 0 10 11
END
is_best(undef, qr/^not measured$/, 'of nothing, nothing is best', <<'END');
0 5 nan nan 0
END

# No delay stands until another value is told apart from it: by its commits/s,
# or by its commits' times, in the same rounds
$rows =
  is_best(0, qr/^no delay gains anything: 2 of 2/, 'commits took less time, by chance', <<'END');
0 5 110 0 0 80/100 0/nan 75/105 79/130
5000 5 100 0.9 0 70/105 82/90 77/101 81/110
END
is( $rows->[1]->[4],
	'chance may explain all that it gains over commit_delay = 0',
	'... and that is said');
is_best(
	5000,
	qr/^the least time for a commit, of the 2/,
	'commits took less time, and that is no chance', <<'END');
0 5 110 0 0 80/100 0/nan 75/105 79/102
5000 5 90 0.9 0 70/90 82/90 77/94 81/93
END
is_best(0, qr/./, 'commits took less time, but there were fewer, and most is uncertain', <<'END');
0 5 10 0 0 500 501 499 500
100 5 5 0.9 0 400 402 398 400
200 5 11 0.9 0 300 700 200 900
END
is_best(
	200,
	qr/^no other pair gains anything: 2 of 2/,
	'without a delay of 0 the smallest one stands', <<'END');
400 5 1 0.9 0 1000/1 1100/2
200 5 2 0.9 0 1010/2 1090/2
END

# max_p99
$rows = is_best(0, qr/^most commits\/s$/, 'what exceeds max_p99 is not best', <<'END');
0 5 4 0 0 1000 1010 990
1000 5 2 0.9 1 2000 2010 1990
9000 5 nan nan 2
END
is($rows->[1]->[4], 'exceeded max_p99', '... and says so');
is($rows->[2]->[4], 'not tried: the delay alone exceeds max_p99', '... or that it would');
is_best(undef, qr/^exceeded max_p99$/, 'not even where all do', <<'END');
1000 5 2 0.9 1 2000 2000
END

# Commits that never were
is_best(undef, qr/^no commits$/, 'no commits at all', <<'END');
0 5 nan nan 0 0 0
9 5 nan nan 0 0 0
END

# The prediction: which one is best, and does it explain what was measured?
#
# chosen(MEASURED COMMITS/S, MEASURED MEAN, ERROR, [DELAY, COMMITS/S,
# MEAN]...): rows "is_best reason"; the first pair is the present setting.
sub chosen ($commits, $mean, $error, @pairs)
{
	my $out = $program->(
		(map { join ' ', $_->[0], 5, $_->[2], $_->[0] > 0 ? 1 : 0, 0, ($_->[1]) x 2 } @pairs),
		"predicted $commits $mean $error");

	return map { (split / /, $_, 4)[3] } split /\n/, $out;
}

my $unexplained = 'the prediction cannot explain the present setting: it says ';
is_deeply(
	[ chosen(51, 150, 0.12, [ 0, 156, 51 ], [ 5000, 300, 26 ]) ],
	[ ("0 ${unexplained}119 to 193 commits/s, and 51 were measured") x 2 ],
	'fewer commits than it can explain: no best');
is_deeply(
	[ chosen(156, 80, 0.12, [ 0, 156, 51 ], [ 5000, 300, 26 ]) ],
	[ ("0 ${unexplained}that a commit takes 39 to 63 ms, and 80 ms were measured") x 2 ],
	'slower commits: no best');
is_deeply(
	[ chosen(156, 51, 0.12, [ 0, 'nan', 'nan' ], [ 5000, 300, 26 ]) ],
	[
		(   '0 the prediction cannot explain the present setting: nothing that the sample shows limits the commits'
		) x 2
	],
	'no end of commits: no best');
is_deeply(
	[ chosen(150, 53, 0.12, [ 0, 156, 51 ], [ 5000, 300, 26 ]) ],
	[
		'0 48% fewer commits/s than the highest',
		'1 most commits/s: 92% more than with commit_delay = 0'
	],
	'a gain larger than the error');
is_deeply(
	[ chosen(156, 51, 0.12, [ 0, 156, 51 ], [ 5000, 174, 46 ]) ],
	[
		'1 set now, and no pair gains more than the prediction may be off, which is 12%',
		'0 +12% commits/s and -10% time of a commit, compared with the present setting; the prediction may be off by 12%'
	],
	'a gain as large as the error: the present setting stands');
is( (grep { /^1/ } chosen(156, 51, 0.12, [ 0, 156, 51 ], [ 5000, 176, 51 ]))[0],
	'1 most commits/s: 13% more than with commit_delay = 0',
	'a little more: it does not');
is( (chosen(130, 51, 0.12, [ 0, 156, 51 ], [ 5000, 180, 51 ]))[0],
	'1 set now, and no pair gains more than the prediction may be off, which is 20%',
	'an error that the present setting shows counts if it is larger');
like((chosen(156, 51, 0.12, [ 5000, 156, 51 ], [ 0, 156, 40 ]))[1],
	qr/^1 /, 'as many commits, and a gain in time larger than the error');
like((chosen(156, 51, 0.12, [ 5000, 156, 51 ], [ 0, 156, 47 ]))[0],
	qr/^1 set now/, '... or as large');

# The order: times relative to the present, and what each asks for
sub is_order ($remedies, $order, $what)
{
	is($program->("order $remedies"), $order, $what);
}

is_order('3 0  1 1  2 2', '2 3 1', 'order: the time decides');
is_order('1.04 1  1.00 3  1.03 2', '1 3 2', '... within 5% what it asks for');
is_order('1.04 1  1.00 1  1.03 1', '2 3 1', '... and then the time again');
is_order('1.00 3  1.04 2  1.08 1', '2 1 3', 'a group begins with its shortest time');
is_order(
	'0.37 1  0.39 1  0.54 4  1 0  1.02 2  1.03 3  1.04 3  1.17 4',
	'1 2 3 4 5 6 7 8',
	'leave it, before equal ones');
is_order('1 0  1.02 4  0.99 3  0.96 2', '1 4 3 2', '... that may be better by chance');
is_order('', '', 'none');

done_testing();
