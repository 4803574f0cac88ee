/*-------------------------------------------------------------------------
 *
 * wall_clock.h
 *		Times of day from times of the commit path's clock; see wall_clock.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WALL_CLOCK_H
#define COMMIT_STATS_WALL_CLOCK_H

#include "datatype/timestamp.h"

#include "base/clock.h"
#include "module/stats_module.h"

/* The time of day at "ns"; "offset" is clock_offset(), one for each look. */
static inline TimestampTz
clock_timestamp_at(uint64 ns, int64 offset)
{
	return (TimestampTz) (ns / NS_PER_US) + offset;
}

extern int64 clock_offset(void);

extern const StatsModule wall_clock_module;

#endif							/* COMMIT_STATS_WALL_CLOCK_H */
