/*-------------------------------------------------------------------------
 *
 * latency.c
 *		How long commits and flushes took: histograms by level and role.
 *
 * Every place in the server's process array has a histogram for each kind of
 * time, which only the backend at that place adds to.  As in backend_slots.c,
 * the next backend goes on where the last one stopped.
 *
 * Ten histograms of 282 cells are 22 kB for each of max_connections if a cell
 * has 64 bits.  So it has 16, and when it overflows, which is once in 65,536
 * commits of about the same duration, its backend carries that number over to
 * a total that all share.
 *
 * Invariant: apart from a carry under way, a count is in a cell or in the
 * total, and never decreases in sum.
 *
 * Locking: none for writers; the total is added to atomically.  A reader adds
 * up all places while nothing is carried (see changecount.c).  "base", which a reset
 * sets and readers subtract, is protected by commit_stats_reset_lock().
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "replication/walsender.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "base/changecount.h"
#include "base/compat.h"
#include "base/shared_memory.h"
#include "base/single_writer.h"
#include "stats/latency.h"

#define CELL_OVERFLOW	(PG_UINT16_MAX + 1)

#define SLOT_SIZE	TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(LatencySlot))

typedef struct LatencyShared
{
	ChangeCount		carries;

	/* Overflows of all places; added to atomically. */
	pg_atomic_uint64 carried[LATENCY_NKINDS][HISTOGRAM_NCELLS];

	/*
	 * What readers subtract, as in backend_slots.c; protected by
	 * commit_stats_reset_lock().
	 */
	LatencyTotals base;
} LatencyShared;

LatencySlot *my_latency = NULL;

static LatencyShared *shared = NULL;
static char *slots = NULL;		/* MaxBackends of SLOT_SIZE */

#define SHARED_HEAD_SIZE	TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(LatencyShared))

static inline LatencySlot *
slot_at(int place)
{
	return (LatencySlot *) (slots + place * SLOT_SIZE);
}

Size
latency_shared_size(int backends)
{
	return add_size(SHARED_HEAD_SIZE, mul_size(backends, SLOT_SIZE));
}

static void
init_slot(LatencySlot *slot)
{
	memset(slot, 0, sizeof(LatencySlot));
	for (int kind = 0; kind < LATENCY_NKINDS; kind++)
		for (int i = 0; i < LATENCY_NSUMS; i++)
			pg_atomic_init_u64(&slot->sum[kind][i], 0);
	for (int i = 0; i < SYNCHRONOUS_COMMIT_NLEVELS; i++)
		pg_atomic_init_u64(&slot->local_by_setting[i], 0);
}

void
latency_attach(void *part, bool found)
{
	shared = part;
	slots = (char *) part + SHARED_HEAD_SIZE;
	if (found)
		return;
	memset(&shared->base, 0, sizeof(shared->base));
	changecount_init(&shared->carries);
	for (int kind = 0; kind < LATENCY_NKINDS; kind++)
		for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
			pg_atomic_init_u64(&shared->carried[kind][cell], 0);
	for (int i = 0; i < MaxBackends; i++)
		init_slot(slot_at(i));
}

/*----------------------------------------------------------------
 * The commit path
 *----------------------------------------------------------------
 */

/* To be called before anything is counted. */
void
latency_find_slot(void)
{
	my_latency = slot_at(MyProcNumber);
}

/*
 * What does a commit wait for that asks for a standby, if any has a name?  The
 * server decides by the same settings; only if synchronous_standby_names is being
 * changed at this very moment may it have come to another answer.
 */
WaitLevel
latency_standby_level(void)
{
	if (max_wal_senders == 0)
		return WAIT_LOCAL;
	switch (synchronous_commit)
	{
		case SYNCHRONOUS_COMMIT_REMOTE_WRITE:
			return WAIT_REMOTE_WRITE;
		case SYNCHRONOUS_COMMIT_REMOTE_APPLY:
			return WAIT_REMOTE_APPLY;
		default:
			return WAIT_REMOTE_FLUSH;
	}
}

/* A cell of this backend is full, and its time is one more. */
void
latency_carry(LatencyKind kind, int cell)
{
	changecount_begin(&shared->carries);
	pg_atomic_fetch_add_u64(&shared->carried[kind][cell], CELL_OVERFLOW);
	my_latency->count[kind][cell] = 0;
	changecount_end(&shared->carries);
}

/*----------------------------------------------------------------
 * Readers
 *----------------------------------------------------------------
 */

static void
add_latency_slot(LatencyTotals *totals, LatencySlot *slot)
{
	for (int kind = 0; kind < LATENCY_NKINDS; kind++)
	{
		for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
			totals->count[kind][cell] += slot->count[kind][cell];
		for (int i = 0; i < LATENCY_NSUMS; i++)
			totals->sum[kind][i] += pg_atomic_read_u64(&slot->sum[kind][i]);
	}
	for (int i = 0; i < SYNCHRONOUS_COMMIT_NLEVELS; i++)
		totals->local_by_setting[i] +=
			pg_atomic_read_u64(&slot->local_by_setting[i]);
}

/* Add the commits that waited, whatever for and in whatever role. */
void
latency_add_waited(const LatencyTotals *totals, uint64 *cells)
{
	for (int kind = LATENCY_LEADER; kind < LATENCY_FLUSH; kind++)
		for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
			cells[cell] += totals->count[kind][cell];
}

/* Everything since the server started, resets or not. */
void
latency_add_up(LatencyTotals *totals)
{
	for (int passes = 0;; changecount_count_pass(&passes))
	{
		uint64		carries = changecount_wait(&shared->carries);

		memset(totals, 0, sizeof(LatencyTotals));
		for (int kind = 0; kind < LATENCY_NKINDS; kind++)
			for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
				totals->count[kind][cell] =
					pg_atomic_read_u64(&shared->carried[kind][cell]);
		for (int i = 0; i < MaxBackends; i++)
			add_latency_slot(totals, slot_at(i));
		if (changecount_since(&shared->carries, carries) == 0)
			return;
	}
}

static void
subtract(LatencyTotals *totals, const LatencyTotals *base)
{
	for (int kind = 0; kind < LATENCY_NKINDS; kind++)
	{
		for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
			totals->count[kind][cell] -= base->count[kind][cell];
		for (int i = 0; i < LATENCY_NSUMS; i++)
			totals->sum[kind][i] -= base->sum[kind][i];
	}
	for (int i = 0; i < SYNCHRONOUS_COMMIT_NLEVELS; i++)
		totals->local_by_setting[i] -= base->local_by_setting[i];
}

/*
 * Everything since the last reset; palloc'd.  Caller holds the reset lock,
 * shared will do.
 */
LatencyTotals *
latency_read(void)
{
	LatencyTotals *totals = palloc(sizeof(LatencyTotals));

	Assert(LWLockHeldByMe(commit_stats_reset_lock()));

	latency_add_up(totals);
	subtract(totals, &shared->base);
	return totals;
}

/*
 * Start from zero, with the counts as the caller has added them up.  Caller holds
 * the reset lock exclusively.
 */
void
latency_reset(const LatencyTotals *now)
{
	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	shared->base = *now;
}

/*----------------------------------------------------------------
 * Over a restart (persist.c), when no other process is there
 *----------------------------------------------------------------
 */

Size
latency_saved_size(void)
{
	return sizeof(LatencyTotals);
}

bool
latency_save(void *to)
{
	if (!changecount_at_rest(&shared->carries))
		return false;
	latency_add_up(to);
	subtract(to, &shared->base);
	return true;
}

/* What readers subtract from nothing is what was kept, negative. */
void
latency_restore(const void *from, Size size)
{
	memset(&shared->base, 0, sizeof(shared->base));
	subtract(&shared->base, from);
}
