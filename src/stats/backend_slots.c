/*-------------------------------------------------------------------------
 *
 * backend_slots.c
 *		What each backend counts alone; totals and reset.
 *
 *	slot		the counters of one backend, on cache lines of their own
 *	owner		the backend whose PGPROC has the slot's number
 *	base		what readers subtract: the sum of all slots at the last reset
 *				or, until the first one, what was counted before the server
 *				started, negative (modulo 2^64)
 *
 * A slot belongs to a PGPROC, not to a process: the next owner counts on from
 * where the last one stopped.
 *
 * Invariant: a counter only grows, and only the owner of the slot writes it.
 *
 * Locking: none for writers.  Readers add up all slots.  Each counter is
 * exact, but the sum is no snapshot: a commit that is being counted at that
 * moment may be in one counter and not yet in another.
 * commit_stats_reset_lock() protects BackendSlotsShared; callers of
 * backend_slots_read() and a reset hold it.
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
	uint64		base[SLOT_NCOUNTERS];
	TimestampTz stats_reset;
	XLogRecPtr	wal_reset;		/* or WAL_AT_START */
} BackendSlotsShared;

/* Counting began with the server, when the end of WAL was not known yet. */
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
	backend_slot_set_begun(0);
}

void
backend_slots_copy_one(int procno, SlotCopy *slot)
{
	counter_array_read(slot->value, slots[procno].counter, SLOT_NCOUNTERS);
}

/* In the middle of a commit, SLOT_COMMIT_BEGUN may be older or newer. */
uint64
backend_slots_commit_begun(int procno, int *tag)
{
	pg_atomic_uint64 *counter = slots[procno].counter;
	uint64		since = pg_atomic_read_u64(&counter[SLOT_COMMITTING_SINCE]);
	uint64		begun = pg_atomic_read_u64(&counter[SLOT_COMMIT_BEGUN]);

	*tag = (int) (since & COMMITTING_TAGS);
	since &= ~(uint64) COMMITTING_TAGS;
	return begun == 0 ? since : Min(begun, since);
}

uint64
backend_slots_committing_since(int procno)
{
	pg_atomic_uint64 *counter = slots[procno].counter;
	uint64		since = pg_atomic_read_u64(&counter[SLOT_COMMITTING_SINCE]);

	return (since & COMMITTING_TAGS) == 0 ? since : 0;
}

int
backend_slots_count_committing(void)
{
	int			n = 0;

	for (int i = 0; i < MaxBackends; i++)
		n += backend_slots_committing_since(i) != 0;
	return n;
}

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

void
backend_slots_read(SlotTotals *totals)
{
	Assert(LWLockHeldByMe(commit_stats_reset_lock()));

	(void) backend_slots_save(totals);
}

/* Takes no lock: written as a whole. */
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

static void
backend_slots_copy(void)
{
	at_reset = palloc(mul_size(MaxBackends, sizeof(SlotCopy)));
	for (int i = 0; i < MaxBackends; i++)
		backend_slots_copy_one(i, &at_reset[i]);
}

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
