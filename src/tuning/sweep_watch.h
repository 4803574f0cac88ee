/*-------------------------------------------------------------------------
 *
 * sweep_watch.h
 *		Do commits stay within max_p99 during a sweep?  See sweep_watch.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SWEEP_WATCH_H
#define COMMIT_STATS_SWEEP_WATCH_H

#include "stats/counter_delta.h"

/* What is known of the commits that began in the latest slot of a pair. */
typedef struct WatchedSlot
{
	uint64		began_at;		/* clock_now(); 0: there was none */
	uint64		commits;		/* that have ended since, in this slot */
	uint64		late;			/* took longer than the limit */
	uint64		under_way;		/* of these, not ended */
	bool		exceeded;
} WatchedSlot;

/* Local memory. */
typedef struct SweepWatch
{
	double		limit;			/* ns; infinity: nothing is watched */
	int			n;				/* pairs */
	WatchedSlot *slot;			/* of each, and one before the first */
	int			current;		/* the slot under way */
	uint64		end;			/* when it will end */
	uint64		carried;		/* commits that were under way as it began */
	CounterDelta start;			/* the counters as it began */
} SweepWatch;

extern void sweep_watch_init(SweepWatch *watch, int n, double limit);
extern void sweep_watch_begin(SweepWatch *watch, int i, uint64 now, uint64 end);
extern bool sweep_watch_until(SweepWatch *watch, uint64 when);
extern bool sweep_watch_settled(SweepWatch *watch, const CounterDelta *delta);

#endif							/* COMMIT_STATS_SWEEP_WATCH_H */
