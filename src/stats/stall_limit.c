/*-------------------------------------------------------------------------
 *
 * stall_limit.c
 *		How long may a WAL flush take until it is a stall?
 *
 * As long as commit_stats.stall_time says or, with -1, STALL_MEDIANS times as
 * long as is usual here, and STALL_LEAST_MS longer than that.  The median of
 * all flushes since the last reset is what is usual; without
 * track_wal_io_timing, the median of the commits of leaders takes its place,
 * which also has their waits for the flush before.
 *
 * Locking: none.  A process that derives the limit writes it down as a whole.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/atomics.h"

#include "base/clock.h"
#include "base/guc.h"
#include "base/shared_memory.h"
#include "stats/latency.h"
#include "stats/stall_limit.h"

/*
 * A device that allows 10 flushes in 100 ms, of which they need 20, stalls for
 * 80 ms, or 40 medians.  The flushes of a disk that is merely busy vary by a
 * factor of three.
 */
#define STALL_MEDIANS		8

/* Until so many flushes are counted, the median is not known ... */
#define STALL_SAMPLE		100
/* ... and this is the limit, ns. */
#define STALL_UNLEARNED		(100 * NS_PER_MS)

/* The limit is derived again after so long, if a flush may be a stall; ns */
#define STALL_LIMIT_AGE		NS_PER_S

typedef struct StallLimitShared
{
	pg_atomic_uint64 derived;	/* with commit_stats.stall_time = -1; ns */
	pg_atomic_uint64 derived_at;	/* clock_now() */
	pg_atomic_uint32 asked;		/* somebody waits for a new limit */
} StallLimitShared;

static StallLimitShared *shared = NULL;

/* What is usual has to be learned anew. */
void
stall_limit_reset(void)
{
	pg_atomic_write_u64(&shared->derived, STALL_UNLEARNED);
	pg_atomic_write_u64(&shared->derived_at, 0);
}

static void
stall_limit_attach(void *head, void *tail, bool found)
{
	shared = head;
	if (!found)
		stall_limit_reset();
}

const StatsModule stall_limit_module = {
	.head_size = sizeof(StallLimitShared),
	.attach = stall_limit_attach,
};

uint64
stall_limit_get(void)
{
	if (commit_stats_stall_time >= 0)
		return (uint64) commit_stats_stall_time * NS_PER_MS;
	return pg_atomic_read_u64(&shared->derived);
}

/* Does this process derive the limit, and is that too old? */
bool
stall_limit_is_old(void)
{
	uint64		derived_at = pg_atomic_read_u64(&shared->derived_at);

	return commit_stats_stall_time < 0 &&
		(derived_at == 0 ||
		 clock_elapsed(derived_at, clock_now()) > STALL_LIMIT_AGE);
}

/* If it is, ask the background worker to derive it.  Returns true then. */
bool
stall_limit_ask(void)
{
	if (!stall_limit_is_old())
		return false;
	pg_atomic_write_u32(&shared->asked, 1);
	return true;
}

/*
 * Has a process asked for it?  Its commit_stats.stall_time need not be ours.
 */
bool
stall_limit_is_asked_for(void)
{
	return pg_atomic_read_u32(&shared->asked) != 0;
}

/* The median of a histogram in ns, or 0 if it has too little. */
static uint64
known_median(const uint64 *counts)
{
	uint64		total = 0;

	for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
		total += counts[cell];
	return total < STALL_SAMPLE ? 0 : (uint64) histogram_quantile(counts, 0.5);
}

void
stall_limit_derive(void)
{
	uint64		limit = STALL_UNLEARNED;
	LatencyTotals *totals;
	uint64		median;

	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	totals = latency_read();
	LWLockRelease(commit_stats_reset_lock());
	median = known_median(totals->count[LATENCY_FLUSH]);
	if (median == 0)
		median = known_median(totals->count[LATENCY_LEADER]);
	if (median > 0)
		limit = Max(STALL_MEDIANS * median,
					median + STALL_LEAST_MS * NS_PER_MS);
	pfree(totals);
	pg_atomic_write_u64(&shared->derived, limit);
	pg_atomic_write_u64(&shared->derived_at, clock_now());
	pg_atomic_write_u32(&shared->asked, 0);
}
