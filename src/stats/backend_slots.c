/*-------------------------------------------------------------------------
 *
 * backend_slots.c
 *		What each backend counts alone; totals and reset.
 *
 * Invariant: a counter only grows, and only the backend that owns the slot at
 * that time writes it.  A slot belongs to a PGPROC, not to a process: the next
 * backend with that PGPROC counts on from where the last one stopped, so an
 * exiting backend has nothing to add up here.  (clients.c keeps the counts
 * per client.)
 *
 * Locking: none for writers; no two slots share a cache line.  Readers add up
 * all slots.  Each counter is exact, but the sum is no snapshot: a commit that
 * is being counted at that moment may be in one counter and not yet in
 * another.  A reset remembers the totals, and readers subtract them.  "base"
 * and what is beside it are protected by commit_stats_reset_lock(), which
 * callers of backend_slots_read() and a reset hold.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "base/shared_counters.h"
#include "module/shared_memory.h"
#include "stats/backend_slots.h"

typedef union BackendSlot
{
	pg_atomic_uint64 counter[SLOT_NFIELDS];
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE,
							  SLOT_NFIELDS * sizeof(pg_atomic_uint64))];
} BackendSlot;

typedef struct BackendSlotsShared
{
	/*
	 * What readers subtract: totals at the last reset or, until the first
	 * one, what was counted before the server started, negative (modulo
	 * 2^64).
	 */
	uint64		base[SLOT_NCOUNTERS];
	TimestampTz stats_reset;
	XLogRecPtr	wal_reset;		/* or WAL_AT_START */
} BackendSlotsShared;

/*
 * Counting began with this start of the server, at which the end of WAL is not
 * known yet.
 */
#define WAL_AT_START	PG_UINT64_MAX

static pg_atomic_uint64 unread[SLOT_NFIELDS];
pg_atomic_uint64 *backend_slots_mine = unread;
uint64		backend_slots_wal_origin = 0;

static BackendSlotsShared *shared = NULL;
static BackendSlot *slots = NULL;
static SlotCopy *at_reset = NULL;	/* of all slots, during a reset */

static void
backend_slots_attach(void *head, void *tail, bool found)
{
	shared = head;
	slots = tail;
	if (found)
		return;
	shared->stats_reset = GetCurrentTimestamp();
	shared->wal_reset = WAL_AT_START;
	for (int i = 0; i < MaxBackends; i++)
		counter_array_init(slots[i].counter, SLOT_NFIELDS);
}

static void
backend_slots_enter(void)
{
	pg_atomic_uint64 *mine = slots[MyProcNumber].counter;

	/* what has been skipped so far, while counting was off, stays skipped */
	backend_slots_wal_origin += pg_atomic_read_u64(&mine[SLOT_WAL_BYTES]) -
		pg_atomic_read_u64(&unread[SLOT_WAL_BYTES]);
	backend_slots_mine = mine;
	backend_slot_set_committing(0);
}

/* Copy one slot, which has all that was ever counted there, resets or not. */
void
backend_slots_copy_one(int procno, SlotCopy *slot)
{
	counter_array_read(slot->value, slots[procno].counter, SLOT_NCOUNTERS);
}

/* clock_now() when the commit of a backend began that it is in; 0: in none. */
uint64
backend_slots_committing_since(int procno)
{
	return pg_atomic_read_u64(&slots[procno].counter[SLOT_COMMITTING_SINCE]);
}

/* The number of backends in a commit that waits for its flush. */
int
backend_slots_count_committing(void)
{
	int			n = 0;

	for (int i = 0; i < MaxBackends; i++)
		n += backend_slots_committing_since(i) != 0;
	return n;
}

/* Everything since the server started, resets or not. */
void
backend_slots_add_up(uint64 *sum)
{
	memset(sum, 0, SLOT_NCOUNTERS * sizeof(uint64));
	for (int i = 0; i < MaxBackends; i++)
		counter_array_read_add(sum, slots[i].counter, SLOT_NCOUNTERS);
}

static bool
backend_slots_save(void *to)
{
	SlotTotals *totals = to;

	backend_slots_add_up(totals->value);
	counter_array_subtract(totals->value, shared->base, SLOT_NCOUNTERS);
	totals->stats_reset = shared->stats_reset;
	totals->wal_reset = shared->wal_reset == WAL_AT_START ?
		InvalidXLogRecPtr : shared->wal_reset;
	return true;
}

static void
backend_slots_restore(const void *from, Size size)
{
	const SlotTotals *saved = from;

	counter_array_subtract(shared->base, saved->value, SLOT_NCOUNTERS);
	shared->stats_reset = saved->stats_reset;
	shared->wal_reset = saved->wal_reset;
}

/* Totals since the last reset. */
void
backend_slots_read(SlotTotals *totals)
{
	Assert(LWLockHeldByMe(commit_stats_reset_lock()));

	(void) backend_slots_save(totals);
}

/* Without a look at the backends, and without a lock: written as a whole. */
TimestampTz
backend_slots_reset_time(void)
{
	return *(volatile TimestampTz *) &shared->stats_reset;
}

static XLogRecPtr
end_of_wal(void)
{
	return RecoveryInProgress() ? InvalidXLogRecPtr : GetXLogInsertRecPtr();
}

/* For the background worker, which starts when recovery is over. */
void
backend_slots_note_wal_start(void)
{
	shared_memory_acquire(commit_stats_reset_lock(), LW_EXCLUSIVE);
	if (shared->wal_reset == WAL_AT_START)
		shared->wal_reset = end_of_wal();
	LWLockRelease(commit_stats_reset_lock());
}

/* Copy all slots, so that several totals can start from the same numbers. */
static void
backend_slots_copy(void)
{
	at_reset = palloc(mul_size(MaxBackends, sizeof(SlotCopy)));
	for (int i = 0; i < MaxBackends; i++)
		backend_slots_copy_one(i, &at_reset[i]);
}

/* The copy of a slot from which a reset starts. */
const SlotCopy *
backend_slots_at_reset(int procno)
{
	return &at_reset[procno];
}

static void
backend_slots_reset(TimestampTz now)
{
	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	memset(shared->base, 0, sizeof(shared->base));
	for (int i = 0; i < MaxBackends; i++)
		counter_array_add(shared->base, at_reset[i].value, SLOT_NCOUNTERS);
	shared->stats_reset = now;
	shared->wal_reset = end_of_wal();
}

const StatsModule backend_slots_module = {
	.head_size = sizeof(BackendSlotsShared),
	.slot_size = sizeof(BackendSlot),
	.attach = backend_slots_attach,
	.enter = backend_slots_enter,
	.reset_copy = backend_slots_copy,
	.reset = backend_slots_reset,
	.saved_name = "backend_slots",
	.saved_head_size = sizeof(SlotTotals),
	.save = backend_slots_save,
	.restore = backend_slots_restore,
};
