/*-------------------------------------------------------------------------
 *
 * slow_limits.c
 *		The limits above which a WAL flush is a stall and a commit is slow.
 *
 * The limits are commit_stats.stall_time and commit_stats.slow_commit_time
 * or, if -1, wal_device_stall_limit(): eight times the median of all flushes,
 * or of all commits that waited, since the last reset, and 5 ms more than it.
 * Without track_wal_io_timing, the commits of leaders take the place of
 * flushes; these also include their waits for the flush before.
 *
 * If more than 1% of the commits exceed that, the limit for commits is their
 * p99, but not more than UNLEARNED for that reason, so that the log of slow
 * commits keeps the slowest ones for a while.
 *
 * Three tests: commit_stats_slow_threshold (guc.c) lets most commits pass,
 * slow_commit_may_be_slow() says that one may be slow or a stall, and
 * note_commit() and note_stall() of slow_commit.c decide and count.  Of a
 * flush that no commit led, stall_log_note_unled() decides; spacing.c has its
 * own usual flush.
 *
 * Locking: commit_stats_reset_lock(), shared, while the background worker
 * reads the histograms.  It writes each limit as a whole.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/atomics.h"

#include "base/clock.h"
#include "base/guc.h"
#include "base/wal_device.h"
#include "module/shared_memory.h"
#include "stats/latency.h"
#include "stats/slow_log.h"

/*
 * The limit while fewer than WAL_DEVICE_SAMPLE flushes, or commits, are
 * counted, ns: a noticeable delay
 */
#define UNLEARNED			(100 * NS_PER_MS)

/* The limits are derived again after so long, ns */
#define LIMITS_AGE		NS_PER_S

typedef struct SlowLimitsShared
{
	pg_atomic_uint64 derived;	/* of flushes, ns */
	pg_atomic_uint64 derived_commit;	/* of commits, ns */
} SlowLimitsShared;

static SlowLimitsShared *shared = NULL;

/* What is usual has to be learned anew. */
static void
slow_limits_reset(TimestampTz now)
{
	pg_atomic_write_u64(&shared->derived, UNLEARNED);
	pg_atomic_write_u64(&shared->derived_commit, UNLEARNED);
}

static void
slow_limits_attach(void *head, void *tail, bool found)
{
	if (!found)
		slow_limits_reset(0);
}

const StatsModule slow_limits_module = {
	.head_size = sizeof(SlowLimitsShared),
	.head = (void **) &shared,
	.attach = slow_limits_attach,
	.reset = slow_limits_reset,
};

uint64
stall_limit_get(void)
{
	if (commit_stats_stall_time >= 0)
		return (uint64) commit_stats_stall_time * NS_PER_MS;
	return pg_atomic_read_u64(&shared->derived);
}

/* ... with this value of commit_stats.slow_commit_time */
uint64
slow_commit_limit_of(int setting)
{
	if (setting == SLOW_COMMIT_TIME_NEVER)
		return PG_UINT64_MAX;
	if (setting >= 0)
		return (uint64) setting * NS_PER_MS;
	return pg_atomic_read_u64(&shared->derived_commit);
}

uint64
slow_commit_limit_get(void)
{
	return slow_commit_limit_of(commit_stats_slow_commit_time);
}

/* wal_device_stall_limit() of a histogram of flushes, or of commits; ns */
static uint64
limit_of(const uint64 *counts)
{
	double		p50 = histogram_quantile(counts, 0.5) / NS_PER_US;

	if (histogram_count(counts) < WAL_DEVICE_SAMPLE)
		return UNLEARNED;
	return (uint64) (wal_device_stall_limit(p50) * NS_PER_US);
}

/*
 * In the background worker, as this reads what all have counted; only if
 * something "committed" since the limits were derived.
 */
void
slow_limits_derive(bool committed)
{
	static uint64 derived_at = 0;
	static bool old = true;
	LatencyTotals *totals;
	const uint64 *flushes;
	uint64		waited[HISTOGRAM_NCELLS] = {0};
	uint64		limit;

	old |= committed;
	if (!old || clock_elapsed(derived_at, clock_now()) < LIMITS_AGE)
		return;
	old = false;
	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	totals = latency_read();
	LWLockRelease(commit_stats_reset_lock());

	flushes = totals->count[LATENCY_FLUSH];
	if (histogram_count(flushes) < WAL_DEVICE_SAMPLE)
		flushes = totals->count[LATENCY_LEADER];
	pg_atomic_write_u64(&shared->derived, limit_of(flushes));
	latency_add_waited(totals, waited);
	limit = limit_of(waited);
	if (limit < UNLEARNED)
		limit = Max(limit, Min((uint64) histogram_quantile(waited, 0.99),
							   UNLEARNED));
	pg_atomic_write_u64(&shared->derived_commit, limit);
	pfree(totals);
	derived_at = clock_now();
}
