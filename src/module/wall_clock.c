/*-------------------------------------------------------------------------
 *
 * wall_clock.c
 *		Times of day from times of the commit path's clock.
 *
 * The offset is the system's time less clock_now().  It is constant until
 * the system's time is set; on Linux, both clocks are slewed alike.  Two
 * measurements differ, as other processes run in between.  So all processes
 * use one offset, which is replaced when a new one differs by more than
 * CLOCK_STEP; the same moment has the same time in each query.
 *
 * Locking: none; the offset is one atomic word.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "module/stats_module.h"
#include "module/wall_clock.h"

#define MAX_TRIES			4	/* to read both clocks at once */
#define CLOCK_STEP			1000	/* us; two measurements differ by less */

pg_atomic_uint64 *clock_offset_shared = NULL;

/* False if other processes ran in between. */
static bool
read_offset(int64 *offset)
{
	for (int i = 0; i < MAX_TRIES; i++)
	{
		uint64		ns = clock_now();

		*offset = GetCurrentTimestamp() - (int64) (ns / NS_PER_US);
		if (clock_elapsed(ns, clock_now()) < CLOCKS_APART)
			return true;
	}
	return false;
}

/* For clock_timestamp_at(); also on the commit path. */
int64
clock_offset(void)
{
	uint64		known = pg_atomic_read_u64(clock_offset_shared);
	int64		now;

	if (read_offset(&now) && llabs(now - (int64) known) > CLOCK_STEP &&
		pg_atomic_compare_exchange_u64(clock_offset_shared, &known,
									   (uint64) now))
		return now;
	return (int64) known;
}

static void
clock_attach(void *head, void *tail, bool found)
{
	int64		offset;

	if (found)
		return;
	(void) read_offset(&offset);
	pg_atomic_write_u64(clock_offset_shared, (uint64) offset);
}

const StatsModule wall_clock_module = {
	.head_size = sizeof(pg_atomic_uint64),
	.head = (void **) &clock_offset_shared,
	.attach = clock_attach,
};
