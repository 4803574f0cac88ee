/* What was counted in a stretch of time; see counter_delta.c. */
#ifndef COMMIT_STATS_COUNTER_DELTA_H
#define COMMIT_STATS_COUNTER_DELTA_H

#include <math.h>

#include "stats/backend_slots.h"
#include "stats/latency.h"

/*
 * All counts since the server started or the last reset, or the difference of
 * two such, or a sum of differences; local memory.
 */
typedef struct CounterDelta
{
	uint64		time;			/* ns: of clock_now(), or a difference */
	uint64		value[SLOT_NCOUNTERS];
	uint64		latency[HISTOGRAM_NCELLS];	/* of SLOT_COMMITS */
	uint64		flush[HISTOGRAM_NCELLS];	/* of SLOT_TIMED_FLUSHES */
	uint64		sum[LATENCY_NSUMS]; /* of SLOT_COMMITS */
} CounterDelta;

static inline double
ratio(double numerator, double denominator)
{
	return denominator > 0 ? numerator / denominator : NAN;
}

/* A ratio that can only be above 1 because of how it was measured */
static inline double
fraction(double part, double whole)
{
	double		f = ratio(part, whole);

	return f > 1.0 ? 1.0 : f;	/* NaN stays */
}

/* All counts since the server started, resets or not */
extern void counter_delta_take(CounterDelta *delta);

/* ... since the last reset, with those of slots */
extern void counter_delta_take_since_reset(CounterDelta *delta,
										   SlotTotals *slots);
extern void counter_delta_subtract(CounterDelta *delta, const CounterDelta *before);
extern void counter_delta_add(CounterDelta *sum, const CounterDelta *delta);

/*
 * Rates per second, and times in ns; NaN where there is nothing to divide by.
 * A latency is from the first callback of a commit to the second.
 */
static inline double
counter_delta_rate(const CounterDelta *delta, SlotCounter counter)
{
	return ratio((double) delta->value[counter] * 1e9, delta->time);
}

static inline double
counter_delta_mean_latency(const CounterDelta *delta)
{
	return ratio(delta->value[SLOT_COMMIT_TIME], delta->value[SLOT_COMMITS]);
}

static inline double
counter_delta_mean_flush_time(const CounterDelta *delta)
{
	return ratio(delta->value[SLOT_FLUSH_TIME],
				 delta->value[SLOT_TIMED_FLUSHES]);
}

#endif							/* COMMIT_STATS_COUNTER_DELTA_H */
