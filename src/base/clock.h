/*-------------------------------------------------------------------------
 *
 * clock.h
 *		The one clock of the commit path.
 *
 * Nanoseconds of the system's monotonic clock, which all processes share.
 * Only differences mean anything.  clock_elapsed() takes each of them: a
 * difference of two uint64 would wrap where the later time comes first, as it
 * may if another process has written one of the two, or if one is an estimate.
 *
 * Times of day are from wall_clock.c; those of the history from history_now()
 * of history.c, whose clock tests set.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_CLOCK_H
#define COMMIT_STATS_CLOCK_H

#include <time.h>

#include "base/compat.h"

static inline uint64
clock_now(void)
{
	static struct timespec now; /* not on the stack; see commit_path.c */

	clock_gettime(PG_INSTR_SYSTEM_CLOCK, &now);
	return (uint64) now.tv_sec * NS_PER_S + (uint64) now.tv_nsec;
}

/*
 * From "start" to "end"; 0 where they come the other way round.  Also "end"
 * less a length of time.
 */
static inline uint64
clock_elapsed(uint64 start, uint64 end)
{
	return end > start ? end - start : 0;
}

#endif							/* COMMIT_STATS_CLOCK_H */
