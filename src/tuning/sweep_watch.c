/*-------------------------------------------------------------------------
 *
 * sweep_watch.c
 *		Ends slots of a sweep whose commits exceed max_p99.
 *
 * A slot exceeds the limit if more than 1% of its commits take longer.  That
 * is judged every few milliseconds, from commits that have ended and those
 * under way that have taken longer already.  How many commits the slot will
 * have is extrapolated from those so far.
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
#include "tuning/tuning.h"

#define JUDGE_EVERY		(5 * NS_PER_MS)
#define JUDGE_SHARE		10		/* at most a tenth of the time is for judging */

/* A watch over "npairs" pairs. */
void
sweep_watch_init(SweepWatch *watch, int npairs, double limit)
{
	watch->limit = limit;
	watch->n = 0;
	watch->oldest = 0;
	watch->slot = palloc(sizeof(WatchedSlot));
	watch->exceeded = palloc0((npairs + 1) * sizeof(int));
}

/* A slot begins; the number of pairs stands for the one before the first. */
void
sweep_watch_begin(SweepWatch *watch, int pair, uint64 now, uint64 end)
{
	if (isinf(watch->limit))
		return;
	if (watch->n > 0 && (watch->n & (watch->n - 1)) == 0)
		watch->slot = repalloc(watch->slot, 2 * watch->n * sizeof(WatchedSlot));
	watch->oldest = Min(watch->oldest, watch->n);
	watch->slot[watch->n++] = (WatchedSlot)
	{
		.began_at = now,.pair = pair
	};
	watch->end = end;
	watch->carried = backend_slots_count_committing();
	counter_delta_take(&watch->start);
}

/* The slot in which a commit began; the first, if it began before. */
static int
slot_of(const SweepWatch *watch, uint64 since)
{
	int			slot = watch->n - 1;

	while (slot > 0 && watch->slot[slot].began_at > since)
		slot--;
	return slot;
}

/* Count the commits under way; returns how many there are. */
static uint64
count_under_way(SweepWatch *watch, uint64 now)
{
	uint64		n = 0;

	for (int i = watch->oldest; i < watch->n; i++)
		watch->slot[i].under_way = 0;
	watch->oldest = watch->n - 1;
	for (int i = 0; i < MaxBackends; i++)
	{
		uint64		since = backend_slots_committing_since(i);
		int			slot;

		if (since == 0)
			continue;
		n++;
		if (clock_elapsed(since, now) <= watch->limit)
			continue;
		slot = slot_of(watch, since);
		watch->slot[slot].under_way++;
		watch->oldest = Min(watch->oldest, slot);
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
judge_slot(SweepWatch *watch, int i, uint64 late, double commits)
{
	int		   *exceeded = &watch->exceeded[watch->slot[i].pair];

	watch->slot[i].late = late;
	if (late > 0.01 * commits && *exceeded == 0)
		*exceeded = i + 1;
}

/* Judge the slot under way, and those in which commits under way began. */
static void
judge_slots(SweepWatch *watch, uint64 now)
{
	int			last = watch->n - 1;
	WatchedSlot *current = &watch->slot[last];
	uint64		elapsed = Max(clock_elapsed(current->began_at, now), 1);
	uint64		length = clock_elapsed(current->began_at, watch->end);
	uint64		under_way = count_under_way(watch, now);
	uint64		late;
	CounterDelta delta;

	counter_delta_take(&delta);
	counter_delta_subtract(&delta, &watch->start);
	late = count_late(watch, &delta);
	current->commits = delta.value[SLOT_COMMITS];
	for (int i = watch->oldest; i < last; i++)
		judge_slot(watch, i, watch->slot[i].under_way,
				   watch->slot[i].commits + watch->slot[i].under_way);
	judge_slot(watch, last, current->under_way +
			   Max(late, watch->carried) - watch->carried,
			   (current->commits + under_way) *
			   Max((double) length / elapsed, 1));
}

/* The slot that showed that a pair exceeds the limit; null: none has */
const WatchedSlot *
sweep_watch_exceeded(const SweepWatch *watch, int pair)
{
	int			number = watch->exceeded[pair];

	return number == 0 ? NULL : &watch->slot[number - 1];
}

static bool
is_within(const SweepWatch *watch)
{
	return watch->exceeded[watch->slot[watch->n - 1].pair] == 0;
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

		judge_slots(watch, start);
		if (!is_within(watch))
			return false;
		if (start >= when)
			return true;
		took = clock_elapsed(start, clock_now());
		wait_until(Min(start + took + Max(JUDGE_EVERY, took * JUDGE_SHARE),
					   when));
	}
	wait_until(when);
	return true;
}

/* The same of what the slot under way has counted after its settling. */
bool
sweep_watch_settled(SweepWatch *watch, const CounterDelta *delta)
{
	int			last = watch->n - 1;

	if (isinf(watch->limit))
		return true;
	judge_slot(watch, last,
			   Max(count_late(watch, delta), watch->slot[last].late),
			   delta->value[SLOT_COMMITS]);
	return is_within(watch);
}
