/*-------------------------------------------------------------------------
 *
 * clock.h
 *		The one clock of the commit path.
 *
 * Nanoseconds of the system's monotonic clock, which all processes share.  Only
 * differences mean anything.
 *
 * src/clock.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_CLOCK_H
#define COMMIT_STATS_CLOCK_H

#include "compat.h"

static inline uint64
clock_now(void)
{
	return system_clock_ns();
}

/* From "start" to "end"; 0 where they come the other way round. */
static inline uint64
clock_elapsed(uint64 start, uint64 end)
{
	return end > start ? end - start : 0;
}

#endif							/* COMMIT_STATS_CLOCK_H */
