/*-------------------------------------------------------------------------
 *
 * counter_delta.h
 *		What was counted in a stretch of time; see counter_delta.c.
 *
 * src/stats/counter_delta.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_COUNTER_DELTA_H
#define COMMIT_STATS_COUNTER_DELTA_H

#include <math.h>

#include "base/histogram.h"
#include "stats/backend_slots.h"

/*
 * All counts since the server started or the last reset, or the difference of
 * two such, or the sum of several differences; local memory.
 */
typedef struct Tally
{
	uint64		time;			/* ns: of clock_now(), or of the stretches */
	uint64		value[SLOT_NCOUNTERS];
	uint64		latency[HISTOGRAM_NCELLS];	/* of SLOT_COMMITS */
} Tally;

static inline double
ratio(double numerator, double denominator)
{
	return denominator > 0 ? numerator / denominator : NAN;
}

extern void tally_take(Tally *tally);
extern TimestampTz tally_take_since_reset(Tally *tally);
extern void tally_subtract(Tally *tally, const Tally *before);
extern void tally_add(Tally *sum, const Tally *tally);

/* Rates and means; NaN where there is nothing to divide by. */
extern double tally_rate(const Tally *tally, SlotCounter counter);
extern double tally_commits_per_flush(const Tally *tally);
extern double tally_delay_hit_fraction(const Tally *tally);
extern double tally_mean_latency(const Tally *tally);
extern double tally_latency_quantile(const Tally *tally, double q);
extern double tally_mean_flush_time(const Tally *tally);
extern double tally_wal_busy_fraction(const Tally *tally);

#endif							/* COMMIT_STATS_COUNTER_DELTA_H */
