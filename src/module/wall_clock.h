/* Times of day from times of the commit path's clock; see wall_clock.c. */
#ifndef COMMIT_STATS_WALL_CLOCK_H
#define COMMIT_STATS_WALL_CLOCK_H

#include "datatype/timestamp.h"
#include "port/atomics.h"

#include "base/clock.h"

/* The readings of an offset are not farther apart, ns. */
#define CLOCKS_APART		(50 * NS_PER_US)

/* The time of day at "ns"; "offset" is clock_offset(), one for each look. */
static inline TimestampTz
clock_timestamp_at(uint64 ns, int64 offset)
{
	return (TimestampTz) (ns / NS_PER_US) + offset;
}

/* The system's time less clock_now(), us.  In shared memory. */
extern COMMIT_STATS_HIDDEN pg_atomic_uint64 *clock_offset_shared;

/* Commit path: clock_now() at a time of day, to the microsecond. */
static inline uint64
clock_ns_at(TimestampTz at)
{
	return NS_PER_US *
		((uint64) at - pg_atomic_read_u64(clock_offset_shared));
}

extern int64 clock_offset(void);

#endif							/* COMMIT_STATS_WALL_CLOCK_H */
