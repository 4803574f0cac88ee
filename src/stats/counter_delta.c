/*-------------------------------------------------------------------------
 *
 * counter_delta.c
 *		What was counted in a stretch of time, and the rates of it.
 *
 * The counters only grow, so what happened in a stretch of time is their
 * values at its end less those at its beginning.  A caller takes values that
 * resets do not change, or values since the last reset.
 *
 * Locking: commit_stats_reset_lock(), shared, for values since the last reset.
 * Backends are read one after another while they go on: a stretch is exact but
 * for the commits that end while its values are being read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/clock.h"
#include "base/shared_counters.h"
#include "module/shared_memory.h"
#include "stats/counter_delta.h"

/* A CounterDelta as an array. */
#define NVALUES		(sizeof(CounterDelta) / sizeof(uint64))

static void
set_latency(CounterDelta *delta, LatencyTotals *latency)
{
	memset(delta, 0, sizeof(CounterDelta));
	latency_add_waited(latency, delta->latency);
	memcpy(delta->flush, latency->count[LATENCY_FLUSH], sizeof(delta->flush));
	for (int kind = LATENCY_LEADER; kind < LATENCY_FLUSH; kind++)
		counter_array_add(delta->sum, latency->sum[kind], LATENCY_NSUMS);
	pfree(latency);
}

void
counter_delta_take(CounterDelta *delta)
{
	LatencyTotals *latency = palloc(sizeof(LatencyTotals));

	latency_add_up(latency);
	set_latency(delta, latency);

	/* last, as rates are of these counters and this time */
	delta->time = clock_now();
	backend_slots_add_up(delta->value, SLOT_NCOUNTERS);
}

void
counter_delta_take_since_reset(CounterDelta *delta, SlotTotals *slots)
{
	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	set_latency(delta, latency_read());
	delta->time = clock_now();
	backend_slots_read(slots);
	LWLockRelease(commit_stats_reset_lock());
	memcpy(delta->value, slots->value, sizeof(delta->value));
}

void
counter_delta_subtract(CounterDelta *delta, const CounterDelta *before)
{
	counter_array_subtract((uint64 *) delta, (const uint64 *) before, NVALUES);
}

void
counter_delta_add(CounterDelta *sum, const CounterDelta *delta)
{
	counter_array_add((uint64 *) sum, (const uint64 *) delta, NVALUES);
}
