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

#include "module/wall_clock.h"

#define MAX_TRIES			4	/* to read a good pair */
#define CLOCK_STEP			1000	/* us; offsets of good pairs differ by
									 * less */

pg_atomic_uint64 *clock_offset_shared = NULL;

/* Also on the commit path.  False if other processes ran in between. */
bool
clock_read_pair(ClockPair *pair)
{
	for (int i = 0; i < MAX_TRIES; i++)
	{
		pair->ns = clock_now();
		pair->at = GetCurrentTimestamp();
		if (clock_elapsed(pair->ns, clock_now()) < CLOCKS_APART)
			return true;
	}
	return false;
}

static int64
offset_of(const ClockPair *pair)
{
	return pair->at - (int64) (pair->ns / NS_PER_US);
}

/* For clock_timestamp_at(). */
int64
clock_offset(void)
{
	uint64		known = pg_atomic_read_u64(clock_offset_shared);
	ClockPair	now;

	if (clock_read_pair(&now) &&
		llabs(offset_of(&now) - (int64) known) > CLOCK_STEP &&
		pg_atomic_compare_exchange_u64(clock_offset_shared, &known,
									   (uint64) offset_of(&now)))
		return offset_of(&now);
	return (int64) known;
}

static void
clock_attach(void *head, void *tail, bool found)
{
	ClockPair	now;

	if (found)
		return;
	(void) clock_read_pair(&now);
	pg_atomic_write_u64(clock_offset_shared, (uint64) offset_of(&now));
}

const StatsModule wall_clock_module = {
	.head_size = sizeof(pg_atomic_uint64),
	.head = (void **) &clock_offset_shared,
	.attach = clock_attach,
};
