/*-------------------------------------------------------------------------
 *
 * next_flush.h
 *		When the next flush begins with commit_stats.adaptive_delay; see
 *		next_flush.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_NEXT_FLUSH_H
#define COMMIT_STATS_NEXT_FLUSH_H

#include "base/guc.h"
#include "base/stats_module.h"
#include "stats/flush_groups.h"

/* What the process that learns lets the other ones do.  Times in ns. */
typedef struct NextFlushPlan
{
	uint64		interval;		/* from flush to flush; 0: not paced */
	uint64		flush_time;		/* usual */
	uint64		horizon;		/* us; see GatherFlush */
	bool		gathers;		/* do leaders wait for sessions? */
} NextFlushPlan;

/* The sleep of a leader. */
typedef struct AdaptiveSleep
{
	SleepKind	kind;
	SleepEnd	end;
	uint64		woken_at;		/* ns; 0: it was not */
} AdaptiveSleep;

extern const StatsModule next_flush_module;

/* The commit path. */
extern int	next_flush_begin(uint64 now);
extern void next_flush_slept(uint64 began_at, AdaptiveSleep *sleep);
extern void next_flush_end(uint64 now);
extern void next_flush_abandon(void);

/* The process that learns. */
extern void next_flush_set_plan(const NextFlushPlan *plan);
extern void next_flush_ended(uint64 now, bool stalled);

extern bool next_flush_is_stall(uint64 length);

/* Other processes. */
extern int	next_flush_waited_for(int *pid);

/* A sweep can try gathering while the setting is off. */
static inline bool
next_flush_may_gather(void)
{
	return commit_stats_adaptive_delay != ADAPTIVE_DELAY_PACE;
}

#endif							/* COMMIT_STATS_NEXT_FLUSH_H */
