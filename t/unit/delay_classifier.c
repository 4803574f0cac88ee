/*-------------------------------------------------------------------------
 *
 * delay_classifier.c
 *		Prints the verdicts of src/probe/delay_classifier.c, for
 *		t/unit/delay_classifier.pl.
 *
 * Reads lines of evidence, "delay threshold before waited held io timed": the
 * leader's commit_delay and commit_siblings, the siblings that it counted, how
 * long it waited for the flush before, how long it took from then on and how
 * much of that was I/O, in us, and whether I/O was timed.  Answers each with
 * the probability that it slept.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "probe/delay_classifier.h"

int
main(void)
{
	int			delay,
				threshold,
				before,
				timed;
	double		waited,
				held,
				io;

	while (scanf("%d %d %d %lf %lf %lf %d", &delay, &threshold, &before,
				 &waited, &held, &io, &timed) == 7)
	{
		DelayEvidence evidence = {
			.delay = delay,
			.threshold = threshold,
			.connected = 50,
			.siblings_before = before,
			.siblings_previous = -1,
			.started_at = 1000000000,
			.timed = timed != 0,
			.io_time = io * 1000
		};

		evidence.previous_seen_at = evidence.started_at +
			(waited > 0 ? waited * 1000 : -1000000.0);
		evidence.ended_at = evidence.started_at + (waited + held) * 1000;
		evidence.boundary_seen_at = evidence.ended_at;
		printf("%.4f\n", delay_classifier_judge(&evidence).probability);
	}
	return 0;
}
