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

/* The same moment by both clocks. */
typedef struct ClockPair
{
	uint64		ns;				/* clock_now() */
	TimestampTz at;
} ClockPair;

/* The readings of a good pair are not farther apart, ns. */
#define CLOCKS_APART		(50 * NS_PER_US)

/* The time of day at "ns"; "offset" is clock_offset(), one for each look. */
static inline TimestampTz
clock_timestamp_at(uint64 ns, int64 offset)
{
	return (TimestampTz) (ns / NS_PER_US) + offset;
}

extern bool clock_read_pair(ClockPair *pair);
extern int64 clock_offset(void);

extern const StatsModule wall_clock_module;

#endif							/* COMMIT_STATS_WALL_CLOCK_H */
