# Is the verdict on a leader right where the evidence leaves no doubt?
#
# src/probe/delay_classifier.c needs no server.  The test compiles it into a
# program (t/unit/delay_classifier.c) that reads plain numbers.
# t/statistics/ground_truth_limits.pl tests how often the verdict is right
# where there is doubt.

use CommitStats;

my $program = compile_program('t/unit/delay_classifier.c', 'src/probe/delay_classifier.c');

# commit_delay, commit_siblings, siblings counted, us waited for the flush
# before, us from then on, of these us of I/O, timed?  And whether it slept.
my @cases = (
	[ 'long delay, siblings enough, time for it', 1300, 5, 5, 0, 1600, 200, 1, 1 ],
	[
		'... one more sibling may have come before the server counted',
		1300, 5, 4, 0, 1600, 200, 1, 1
	],
	[ '... but not two', 1300, 5, 3, 0, 1600, 200, 1, 0 ],
	[ '... nor if there was no time to sleep', 1300, 5, 4, 0, 1400, 600, 1, 0 ],
	[ 'siblings enough, but no time to sleep', 1300, 5, 5, 0, 1400, 600, 1, 0 ],
	[ 'shorter than the delay', 1300, 5, 9, 0, 1000, 200, 1, 0 ],
	[ 'not timed: its own count decides', 1300, 5, 4, 0, 1600, 0, 0, 0 ],
	[ '... either way', 1300, 5, 5, 0, 1600, 0, 0, 1 ],
	[ 'short delay: its own count decides', 200, 5, 4, 0, 600, 200, 1, 0 ],
	[ '... either way', 200, 5, 5, 0, 600, 200, 1, 1 ],
	[ 'commit_siblings = 0: each leader sleeps', 1300, 0, 0, 0, 1600, 200, 1, 1 ],
	[ 'waited, many siblings, time for it', 1300, 5, 12, 700, 1600, 200, 1, 1 ],
	[ 'waited, few siblings, no time', 1300, 5, 1, 700, 300, 200, 1, 0 ]);

for my $case (@cases)
{
	my ($name, @evidence) = @$case;
	my $slept = pop @evidence;

	cmp_ok(abs($program->("@evidence") - $slept),
		'<', 0.01, "$name: " . ($slept ? 'slept' : 'did not sleep'));
}

done_testing();
