/*-------------------------------------------------------------------------
 *
 * wall_clock.c
 *		Times of day from times of the commit path's clock.
 *
 * The offset is the system's time less clock_now().  It is constant until
 * the system's time is set; on Linux, both clocks are slewed alike.  Two
 * measurements of the offset differ, as other processes run between the two
 * readings.  So all processes use one offset, and replace it only when a new
 * one differs by more than CLOCK_STEP; the same moment has the same time in
 * each query.
 *
 * Locking: none; the offset is one atomic word.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/atomics.h"
#include "utils/timestamp.h"

#include "module/wall_clock.h"

/* The readings of a good measurement are not farther apart, ns; tries. */
#define CLOCKS_APART		(50 * NS_PER_US)
#define MAX_TRIES			4

#define CLOCK_STEP			1000	/* us; two good measurements differ by
									 * less */

/* The system's time less clock_now(), us.  In shared memory. */
static pg_atomic_uint64 *clock_offset_shared = NULL;

/* Returns false if other processes came between the readings, each time. */
static bool
read_offset(int64 *offset)
{
	for (int i = 0; i < MAX_TRIES; i++)
	{
		uint64		ns = clock_now();
		TimestampTz at = GetCurrentTimestamp();

		*offset = at - (int64) (ns / NS_PER_US);
		if (clock_elapsed(ns, clock_now()) < CLOCKS_APART)
			return true;
	}
	return false;
}

/* For clock_timestamp_at(). */
int64
clock_offset(void)
{
	uint64		known = pg_atomic_read_u64(clock_offset_shared);
	int64		offset;

	if (read_offset(&offset) && llabs(offset - (int64) known) > CLOCK_STEP &&
		pg_atomic_compare_exchange_u64(clock_offset_shared, &known,
									   (uint64) offset))
		return offset;
	return (int64) known;
}

static void
clock_attach(void *head, void *tail, bool found)
{
	int64		offset;

	clock_offset_shared = head;
	if (found)
		return;
	(void) read_offset(&offset);
	pg_atomic_init_u64(clock_offset_shared, (uint64) offset);
}

const StatsModule wall_clock_module = {
	.head_size = sizeof(pg_atomic_uint64),
	.attach = clock_attach,
};
