/*-------------------------------------------------------------------------
 *
 * stall_limit.c
 *		The limits above which a WAL flush is a stall and a commit is slow.
 *
 * The limits are commit_stats.stall_time and commit_stats.slow_commit_time or,
 * if -1, wal_device_stall_limit() of the median of all flushes, or of all
 * commits that waited, since the last reset.  Without track_wal_io_timing, the
 * commits of leaders take the place of flushes; these also include their waits
 * for the flush before.
 *
 * If more than 1% of the commits exceed that, the limit for commits is their
 * p99, but not more than UNLEARNED for that reason, so that the log of slow
 * commits keeps the slowest ones for a while.
 *
 * Locking: commit_stats_reset_lock(), shared, while the histograms are read.
 * A process that derives a limit writes it down as a whole.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/atomics.h"

#include "base/clock.h"
#include "base/guc.h"
#include "base/wal_device.h"
#include "module/shared_memory.h"
#include "module/worker_wake.h"
#include "stats/latency.h"
#include "stats/stall_limit.h"

/*
 * The limit while fewer than WAL_DEVICE_SAMPLE flushes, or commits, are
 * counted, ns: a noticeable delay
 */
#define UNLEARNED			(100 * NS_PER_MS)

/* The limit is derived again after so long, if a flush may be a stall; ns */
#define STALL_LIMIT_AGE		NS_PER_S

typedef struct StallLimitShared
{
	pg_atomic_uint64 derived;	/* with commit_stats.stall_time = -1; ns */
	pg_atomic_uint64 derived_commit;	/* with commit_stats.slow_commit_time
										 * = -1; ns */
	pg_atomic_uint64 derived_at;	/* clock_now() */
	pg_atomic_uint32 asked;		/* a process has found the limits too old */
} StallLimitShared;

static StallLimitShared *shared = NULL;

/* What is usual has to be learned anew. */
static void
stall_limit_reset(TimestampTz now)
{
	pg_atomic_write_u64(&shared->derived, UNLEARNED);
	pg_atomic_write_u64(&shared->derived_commit, UNLEARNED);
	pg_atomic_write_u64(&shared->derived_at, 0);
}

static void
stall_limit_attach(void *head, void *tail, bool found)
{
	shared = head;
	if (!found)
		stall_limit_reset(0);
}

const StatsModule stall_limit_module = {
	.head_size = sizeof(StallLimitShared),
	.attach = stall_limit_attach,
	.reset = stall_limit_reset,
};

uint64
stall_limit_get(void)
{
	if (commit_stats_stall_time >= 0)
		return (uint64) commit_stats_stall_time * NS_PER_MS;
	return pg_atomic_read_u64(&shared->derived);
}

uint64
slow_commit_limit_get(void)
{
	if (commit_stats_slow_commit_time == SLOW_COMMIT_TIME_NEVER)
		return PG_UINT64_MAX;
	if (commit_stats_slow_commit_time >= 0)
		return (uint64) commit_stats_slow_commit_time * NS_PER_MS;
	return pg_atomic_read_u64(&shared->derived_commit);
}

/* True if this process has a limit that is derived, and that is too old. */
static bool
is_old(void)
{
	uint64		derived_at = pg_atomic_read_u64(&shared->derived_at);

	return (commit_stats_stall_time < 0 ||
			commit_stats_slow_commit_time < 0) &&
		(derived_at == 0 ||
		 clock_elapsed(derived_at, clock_now()) > STALL_LIMIT_AGE);
}

/* If so, have the background worker derive it. */
void
stall_limit_refresh(void)
{
	if (!is_old())
		return;
	pg_atomic_write_u32(&shared->asked, 1);
	worker_wake();
}

/* True if a process has asked; its commit_stats.stall_time may differ. */
bool
stall_limit_is_asked_for(void)
{
	return pg_atomic_read_u32(&shared->asked) != 0;
}

static uint64
sum_of(const uint64 *counts)
{
	uint64		total = 0;

	for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
		total += counts[cell];
	return total;
}

/* From the histogram of flushes, or of commits; ns */
static uint64
limit_of_flushes(const uint64 *counts)
{
	double		p50 = histogram_quantile(counts, 0.5) / NS_PER_US;

	return (uint64) (wal_device_stall_limit(p50) * NS_PER_US);
}

static uint64
limit_of_commits(const uint64 *counts)
{
	uint64		limit = limit_of_flushes(counts);
	uint64		p99 = (uint64) histogram_quantile(counts, 0.99);

	return Max(limit, Min(p99, UNLEARNED));
}

static void
derive_from(const LatencyTotals *totals)
{
	const uint64 *flushes = totals->count[LATENCY_FLUSH];
	uint64		waited[HISTOGRAM_NCELLS] = {0};

	latency_add_waited(totals, waited);
	if (sum_of(flushes) < WAL_DEVICE_SAMPLE)
		flushes = totals->count[LATENCY_LEADER];
	pg_atomic_write_u64(&shared->derived, sum_of(flushes) < WAL_DEVICE_SAMPLE ?
						UNLEARNED : limit_of_flushes(flushes));
	pg_atomic_write_u64(&shared->derived_commit,
						sum_of(waited) < WAL_DEVICE_SAMPLE ?
						UNLEARNED : limit_of_commits(waited));
}

/* In the background worker: this reads what all backends have counted. */
void
stall_limit_derive(void)
{
	LatencyTotals *totals;

	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	totals = latency_read();
	LWLockRelease(commit_stats_reset_lock());
	derive_from(totals);
	pfree(totals);
	pg_atomic_write_u64(&shared->derived_at, clock_now());
	pg_atomic_write_u32(&shared->asked, 0);
}
