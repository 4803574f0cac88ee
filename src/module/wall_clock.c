/*-------------------------------------------------------------------------
 *
 * wall_clock.c
 *		Times of the commit path's clock, as people read them.
 *
 * The system's time and clock_now() are some constant apart, until somebody
 * sets the system's time.  (Both are slewed alike, on Linux.)  A fresh pair of
 * readings for each look would give the same moment another time at each look,
 * as other processes run between the two readings.  So all processes use one
 * pair, and replace it only when a new one differs by more than CLOCK_STEP.
 *
 * Locking: none; the one word is swapped.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/atomics.h"
#include "utils/timestamp.h"

#include "module/wall_clock.h"

/* The most that the readings of a pair may be apart, ns, and tries. */
#define CLOCKS_APART		(50 * NS_PER_US)
#define MAX_LOOKS			4

#define CLOCK_STEP			1000	/* us; more than two good pairs differ by */

/* The system's time less clock_now(), us.  In shared memory. */
static pg_atomic_uint64 *clock_offset_shared = NULL;

/* Returns false if other processes came between the readings, each time. */
static bool
read_offset(int64 *offset)
{
	for (int i = 0; i < MAX_LOOKS; i++)
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
