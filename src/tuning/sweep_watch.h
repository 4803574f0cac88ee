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

/* What is known of the commits that began in a slot. */
typedef struct WatchedSlot
{
	uint64		began_at;		/* clock_now() */
	int			pair;			/* its index */
	uint64		commits;		/* that ended in this slot */
	uint64		late;			/* took longer than the limit */
	uint64		under_way;		/* of these, not ended */
} WatchedSlot;

/* Local memory. */
typedef struct SweepWatch
{
	double		limit;			/* ns; infinity: nothing is watched */
	int			n;				/* slots so far */
	WatchedSlot *slot;			/* the last one is under way */
	int			oldest;			/* slot with commits that are under_way */
	uint64		end;			/* when the slot under way will end */
	uint64		carried;		/* commits that were under way as it began */
	CounterDelta start;			/* the counters as it began */
	int		   *exceeded;		/* of each pair: number of the slot that
								 * exceeded the limit, from 1; 0: none */
} SweepWatch;

extern void sweep_watch_init(SweepWatch *watch, int npairs, double limit);
extern void sweep_watch_begin(SweepWatch *watch, int pair, uint64 now,
							  uint64 end);
extern bool sweep_watch_until(SweepWatch *watch, uint64 when);
extern bool sweep_watch_settled(SweepWatch *watch, const CounterDelta *delta);
extern const WatchedSlot *sweep_watch_exceeded(const SweepWatch *watch, int pair);

#endif							/* COMMIT_STATS_SWEEP_WATCH_H */
