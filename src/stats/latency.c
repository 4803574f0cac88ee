/*-------------------------------------------------------------------------
 *
 * latency.c
 *		How long commits and flushes took: histograms by level and role.
 *
 * Each backend slot has a histogram for each kind of time.  Ten histograms of
 * 282 cells of 64 bits would take 22 kB for each of max_connections, so a cell
 * has 16 bits.  When one overflows, once in 65,536 commits of about the same
 * duration, its backend carries that number to "overflowed", which all share.
 *
 * Invariant: apart from a carry under way, a count is in a cell or in
 * "overflowed", and the sum of both never decreases (but see changecount.c).
 *
 * Locking: none for writers; they add to "overflowed" atomically.  A reader
 * adds up all slots while no backend carries (see changecount.c).
 * commit_stats_reset_lock() protects "base", which a reset sets and readers
 * subtract.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/changecount.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "stats/latency.h"

#define CELL_OVERFLOW	(PG_UINT16_MAX + 1)

/* LatencyTotals as an array. */
#define NTOTALS			(sizeof(LatencyTotals) / sizeof(uint64))

typedef struct LatencyShared
{
	ChangeCount carries;
	pg_atomic_uint64 overflowed[LATENCY_NKINDS][HISTOGRAM_NCELLS];
	LatencyTotals base;			/* as in backend_slots.c */
} LatencyShared;

const char *const wait_level_names[] = {
	[SYNCHRONOUS_COMMIT_OFF] = "off",
	[SYNCHRONOUS_COMMIT_LOCAL_FLUSH] = "local",
	[SYNCHRONOUS_COMMIT_REMOTE_WRITE] = "remote_write",
	[SYNCHRONOUS_COMMIT_REMOTE_FLUSH] = "on",
	[SYNCHRONOUS_COMMIT_REMOTE_APPLY] = "remote_apply"
};

LatencySlot *latency_mine = NULL;

static LatencyShared *shared = NULL;
static LatencySlot *slots = NULL;
static LatencyTotals *at_reset = NULL;

static void
latency_enter(void)
{
	latency_mine = &slots[MyProcNumber];
}

void
latency_overflow(LatencyKind kind, int cell)
{
	changecount_begin(&shared->carries);
	pg_atomic_fetch_add_u64(&shared->overflowed[kind][cell], CELL_OVERFLOW);
	latency_mine->count[kind][cell] = 0;
	changecount_end(&shared->carries);
}

void
latency_add_waited(const LatencyTotals *totals, uint64 *cells)
{
	for (int kind = LATENCY_LEADER; kind < LATENCY_FLUSH; kind++)
		counter_array_add(cells, totals->count[kind], HISTOGRAM_NCELLS);
}

static void
add_latency_slot(LatencyTotals *totals, LatencySlot *slot)
{
	for (int kind = 0; kind < LATENCY_NKINDS; kind++)
	{
		/* no commit takes 0 ns, and most slots have counted few kinds */
		if (pg_atomic_read_u64(&slot->sum[kind][LATENCY_TIME]) == 0)
			continue;
		for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
			totals->count[kind][cell] += slot->count[kind][cell];
		counter_array_read_add(totals->sum[kind], slot->sum[kind],
							   LATENCY_NSUMS);
	}
	counter_array_read_add(totals->local_by_setting, slot->local_by_setting,
						   SYNCHRONOUS_COMMIT_NLEVELS);
}

void
latency_add_up(LatencyTotals *totals)
{
	for (int passes = 0;; changecount_count_pass(&passes))
	{
		uint64		carries = changecount_wait(&shared->carries);

		memset(totals, 0, sizeof(LatencyTotals));
		for (int kind = 0; kind < LATENCY_NKINDS; kind++)
			counter_array_read(totals->count[kind], shared->overflowed[kind],
							   HISTOGRAM_NCELLS);
		for (int i = 0; i < MaxBackends; i++)
			add_latency_slot(totals, &slots[i]);
		if (changecount_since(&shared->carries, carries) == 0)
			return;
	}
}

static void
latency_save(const void *object, void *to)
{
	latency_add_up(to);
	counter_array_subtract(to, (uint64 *) &shared->base, NTOTALS);
}

LatencyTotals *
latency_read(void)
{
	LatencyTotals *totals = palloc(sizeof(LatencyTotals));

	Assert(LWLockHeldByMe(commit_stats_reset_lock()));

	latency_save(NULL, totals);
	return totals;
}

static void
latency_copy(void)
{
	at_reset = palloc(sizeof(LatencyTotals));
	latency_add_up(at_reset);
}

static void
latency_reset(TimestampTz now)
{
	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	shared->base = *at_reset;
}

static void
latency_restore(void *object, const void *from, Size size)
{
	counter_array_subtract((uint64 *) &shared->base, from, NTOTALS);
}

const StatsModule latency_module = {
	.head_size = sizeof(LatencyShared),
	.slot_size = sizeof(LatencySlot),
	.head = (void **) &shared,
	.tail = (void **) &slots,
	.enter = latency_enter,
	.reset_copy = latency_copy,
	.reset = latency_reset,
	.saved_name = "latency",
	.saved_head_size = sizeof(LatencyTotals),
	.save = latency_save,
	.restore = latency_restore,
};
