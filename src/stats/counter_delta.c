/*-------------------------------------------------------------------------
 *
 * counter_delta.c
 *		What was counted in a stretch of time, and the rates of it.
 *
 * The counters only grow, so what happened in a stretch of time is what they
 * say at its end less what they said at its beginning.  They are taken as they
 * are since the server started, so that a reset in between does not matter; or
 * since the last reset, for those who want to know when that was.
 *
 * Locking: none but commit_stats_reset_lock(), shared, for the latter.  The
 * counters of one backend are read while it goes on, and those of the next a
 * moment later: a stretch is exact but for the commits that end while it is
 * being taken.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/clock.h"
#include "base/shared_memory.h"
#include "stats/counter_delta.h"
#include "stats/latency.h"

/* All counts as they are now. */
void
counter_delta_take(CounterDelta *tally)
{
	LatencyTotals *latency = palloc(sizeof(LatencyTotals));

	memset(tally, 0, sizeof(CounterDelta));
	latency_add_up(latency);
	latency_add_waited(latency, tally->latency);
	pfree(latency);

	/* last, as rates are of these counters and this time */
	tally->time = clock_now();
	backend_slots_add_up(tally->value);
}

/*
 * All counts since the last reset, and when that was.  The time is that of the
 * clock as well, as nobody has noted what it showed at the reset.
 */
TimestampTz
counter_delta_take_since_reset(CounterDelta *tally)
{
	LatencyTotals *latency;
	SlotTotals	slots;

	memset(tally, 0, sizeof(CounterDelta));
	acquire_reset_lock(LW_SHARED);
	latency = latency_read();
	tally->time = clock_now();
	backend_slots_read(&slots);
	LWLockRelease(commit_stats_reset_lock());

	latency_add_waited(latency, tally->latency);
	pfree(latency);
	memcpy(tally->value, slots.value, sizeof(tally->value));
	return slots.stats_reset;
}

/* From "before" to "tally": the latter becomes the difference. */
void
counter_delta_subtract(CounterDelta *tally, const CounterDelta *before)
{
	tally->time -= before->time;
	for (int i = 0; i < SLOT_NCOUNTERS; i++)
		tally->value[i] -= before->value[i];
	for (int i = 0; i < HISTOGRAM_NCELLS; i++)
		tally->latency[i] -= before->latency[i];
}

void
counter_delta_add(CounterDelta *sum, const CounterDelta *tally)
{
	sum->time += tally->time;
	for (int i = 0; i < SLOT_NCOUNTERS; i++)
		sum->value[i] += tally->value[i];
	for (int i = 0; i < HISTOGRAM_NCELLS; i++)
		sum->latency[i] += tally->latency[i];
}

/* A ratio that can only be above 1 because of how it was measured. */
static double
fraction(double part, double whole)
{
	double		f = ratio(part, whole);

	return f > 1.0 ? 1.0 : f;	/* NaN stays */
}

/* Of a number: so many a second; of a time: the share of all time. */
double
counter_delta_rate(const CounterDelta *tally, SlotCounter counter)
{
	return ratio((double) tally->value[counter] * 1e9, tally->time);
}

double
counter_delta_commits_per_flush(const CounterDelta *tally)
{
	return ratio(tally->value[SLOT_COMMITS], tally->value[SLOT_FLUSHES]);
}

/* Of all flushes, those whose leader slept. */
double
counter_delta_delay_hit_fraction(const CounterDelta *tally)
{
	double		hits = (double) tally->value[SLOT_DELAY_HITS] / SLOT_FRACTION;

	return fraction(hits, tally->value[SLOT_FLUSHES]);
}

/* ns from before the commit record is written until COMMIT can return */
double
counter_delta_mean_latency(const CounterDelta *tally)
{
	return ratio(tally->value[SLOT_COMMIT_TIME], tally->value[SLOT_COMMITS]);
}

/* ns that a share q of the commits did not exceed */
double
counter_delta_latency_quantile(const CounterDelta *tally, double q)
{
	return histogram_quantile(tally->latency, q);
}

/* ns that a leader wrote and synced, of the flushes that were timed */
double
counter_delta_mean_flush_time(const CounterDelta *tally)
{
	return ratio(tally->value[SLOT_FLUSH_TIME],
				 tally->value[SLOT_TIMED_FLUSHES]);
}

/*
 * The share of the time in which a leader wrote or synced.  Only one can at a
 * time.  Flushes that were not timed are taken to be like the others; NaN if
 * none was timed.
 */
double
counter_delta_wal_busy_fraction(const CounterDelta *tally)
{
	if (tally->value[SLOT_FLUSHES] == 0)
		return 0;
	return fraction(counter_delta_mean_flush_time(tally) * tally->value[SLOT_FLUSHES],
					tally->time);
}
