# Assertions about figures that other work on the machine can disturb: ratios,
# relations of times that two processes took, bests of noisy measurements.

package Statistics;

use v5.36;

use Exporter 'import';
use Test::More;

our @EXPORT = qw(right_in_most_rounds);

# $code drives a load and returns [true?, name] for each assertion; a round is
# right if all are true.  Three right rounds pass, and four wrong ones fail;
# see script/test-statistics for how often that is a false alarm.
sub right_in_most_rounds ($what, $code)
{
	my ($right, $wrong) = (0, 0);

	while ($right < 3 && $wrong < 4)
	{
		my @assertions = $code->() or die "$what asserts nothing\n";
		my @mistakes = map { $_->[1] } grep { !$_->[0] } @assertions;

		@mistakes ? $wrong++ : $right++;
		diag "$what, round @{[ $right + $wrong ]}, not so: $_" for @mistakes;
	}
	note "rounds: $wrong of @{[ $right + $wrong ]} wrong: $what";
	return ok($right == 3, "$what: three rounds are right before four are wrong");
}

1;
