/*-------------------------------------------------------------------------
 *
 * sweep_watch.c
 *		Do commits stay within max_p99 during a sweep?
 *
 * A slot exceeds the limit if more than 1% of its commits take longer.  That
 * is judged every few milliseconds: commits that have ended count, and so do
 * those under way that have taken longer already.  How many commits the slot
 * will have is extrapolated from those so far.
 *
 * A commit belongs to the slot in which it began, because it keeps the pair
 * that it began with.  One under way says when it began.  Of those that have
 * ended, as many as were under way at the beginning of the slot are forgiven,
 * until the slot is over: what it counted after its settling is its own.
 *
 * Locking: none.  Counters are read as in counter_delta.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/wait.h"
#include "tuning/sweep_watch.h"

#define LOOK_EVERY		(5 * NS_PER_MS)
#define LOOK_SHARE		10		/* of the time at most one part is for looks */

/* A watch over n pairs, whose first slot is the one before any pair. */
void
sweep_watch_init(SweepWatch *watch, int n, double limit)
{
	watch->limit = limit;
	watch->n = n;
	watch->slot = palloc0((n + 1) * sizeof(WatchedSlot));
}

/* The slot of pair "i" begins; "n" is the one before the first. */
void
sweep_watch_begin(SweepWatch *watch, int i, uint64 now, uint64 end)
{
	if (isinf(watch->limit))
		return;
	watch->current = i;
	watch->end = end;
	watch->slot[i].began_at = now;
	watch->slot[i].commits = 0;
	watch->carried = backend_slots_count_committing();
	counter_delta_take(&watch->start);
}

/* The slot in which a commit began. */
static WatchedSlot *
slot_of(const SweepWatch *watch, uint64 since)
{
	WatchedSlot *latest = &watch->slot[watch->n];

	for (int i = 0; i < watch->n; i++)
		if (watch->slot[i].began_at != 0 && watch->slot[i].began_at <= since &&
			watch->slot[i].began_at > latest->began_at)
			latest = &watch->slot[i];
	return latest;
}

/* Count the commits under way; returns how many there are. */
static uint64
count_under_way(SweepWatch *watch, uint64 now)
{
	uint64		n = 0;

	for (int i = 0; i <= watch->n; i++)
		watch->slot[i].under_way = 0;
	for (int i = 0; i < MaxBackends; i++)
	{
		uint64		since = backend_slots_committing_since(i);

		if (since == 0)
			continue;
		n++;
		if (clock_elapsed(since, now) > watch->limit)
			slot_of(watch, since)->under_way++;
	}
	return n;
}

/* Commits that have ended and took longer than the limit. */
static uint64
count_late(const SweepWatch *watch, const CounterDelta *delta)
{
	uint64		late = 0;

	for (int i = 0; i < HISTOGRAM_NCELLS; i++)
		if (histogram_cell_value(i) > watch->limit)
			late += delta->latency[i];
	return late;
}

static void
judge_slot(WatchedSlot *slot, uint64 late, double commits)
{
	slot->late = late;
	if (late > 0.01 * commits)
		slot->exceeded = true;
}

/* Judge the slot under way, and those in which commits under way began. */
static void
look(SweepWatch *watch, uint64 now)
{
	WatchedSlot *current = &watch->slot[watch->current];
	uint64		elapsed = Max(clock_elapsed(current->began_at, now), 1);
	uint64		length = clock_elapsed(current->began_at, watch->end);
	uint64		under_way = count_under_way(watch, now);
	uint64		late;
	CounterDelta delta;

	counter_delta_take(&delta);
	counter_delta_subtract(&delta, &watch->start);
	current->commits = delta.value[SLOT_COMMITS];
	late = count_late(watch, &delta);
	late = late > watch->carried ? late - watch->carried : 0;
	for (int i = 0; i <= watch->n; i++)
	{
		WatchedSlot *slot = &watch->slot[i];

		if (slot == current)
			judge_slot(slot, late + slot->under_way, (slot->commits + under_way) *
					   Max((double) length / elapsed, 1));
		else if (slot->under_way > 0)
			judge_slot(slot, slot->under_way, slot->commits + slot->under_way);
	}
}

/*
 * Wait until the clock shows "when".  Returns false as soon as the slot under
 * way exceeds the limit.
 */
bool
sweep_watch_until(SweepWatch *watch, uint64 when)
{
	while (!isinf(watch->limit))
	{
		uint64		start = clock_now();
		uint64		took;

		look(watch, start);
		if (watch->slot[watch->current].exceeded)
			return false;
		if (start >= when)
			return true;
		took = clock_elapsed(start, clock_now());
		wait_until(Min(start + took + Max(LOOK_EVERY, took * LOOK_SHARE),
					   when));
	}
	wait_until(when);
	return true;
}

/* The same of what the slot under way has counted after its settling. */
bool
sweep_watch_settled(SweepWatch *watch, const CounterDelta *delta)
{
	WatchedSlot *slot = &watch->slot[watch->current];

	if (!isinf(watch->limit))
		judge_slot(slot, Max(count_late(watch, delta), slot->late),
				   delta->value[SLOT_COMMITS]);
	return !slot->exceeded;
}
