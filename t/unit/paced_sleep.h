/*-------------------------------------------------------------------------
 *
 * paced_sleep.h
 *		How long a leader sleeps by the clock of src/control/pacer.h, for
 *		programs of t/unit that simulate one commit after another.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PACED_SLEEP_H
#define PACED_SLEEP_H

#include "control/pacer.h"

/* All times are in us. */
static double
paced_sleep(PacerClock *clock, double now, double interval, double flush_time)
{
	uint64		ns = (uint64) (now * 1000);

	if (ns >= clock->start)
		pacer_open(clock, ns, (uint64) (interval * 1000),
				   (uint64) (flush_time * 1000));
	return Max((double) clock->start - (double) Max(ns, clock->busy_until),
			   0) / 1000;
}

#endif							/* PACED_SLEEP_H */
