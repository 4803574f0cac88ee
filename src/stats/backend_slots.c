/*-------------------------------------------------------------------------
 *
 * backend_slots.c
 *		What each backend counts alone; totals and reset.
 *
 * Invariant: a counter only grows, and only the backend that owns the slot at
 * that time writes it.  A slot belongs to a place in the server's process
 * array, not to a process: the next backend at that place counts on from where
 * the last one stopped, so nothing needs to be folded here when a backend
 * leaves.  (Whose database it was is for databases.c to know.)
 *
 * Locking: none for writers, whose slot shares no cache line with another's.
 * Readers add up all slots; each counter is exact, but the sum is not a
 * snapshot: a commit that is being counted at that moment may be in one
 * counter and not yet in another.  A reset remembers the totals and readers
 * subtract them; "base" and "stats_reset" are protected by
 * commit_stats_reset_lock(), which the functions below expect to be held.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "base/shared_memory.h"
#include "stats/backend_slots.h"

typedef union BackendSlot
{
	pg_atomic_uint64 counter[SLOT_NCOUNTERS];
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE,
							  SLOT_NCOUNTERS * sizeof(pg_atomic_uint64))];
} BackendSlot;

typedef struct BackendSlotsShared
{
	/*
	 * What readers subtract: totals at the last reset or, until the first
	 * one, what was counted before the server started, negative (modulo
	 * 2^64).  Protected by commit_stats_reset_lock().
	 */
	uint64		base[SLOT_NCOUNTERS];
	TimestampTz stats_reset;	/* protected likewise */
} BackendSlotsShared;

pg_atomic_uint64 *my_slot = NULL;

static BackendSlotsShared *shared = NULL;
static BackendSlot *slots = NULL;	/* MaxBackends of them */

#define SHARED_HEAD_SIZE \
	TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(BackendSlotsShared))

Size
backend_slots_shared_size(int backends)
{
	return add_size(SHARED_HEAD_SIZE,
					mul_size(backends, sizeof(BackendSlot)));
}

void
backend_slots_attach(void *part, bool found)
{
	shared = part;
	slots = (BackendSlot *) ((char *) part + SHARED_HEAD_SIZE);
	if (found)
		return;
	memset(shared, 0, sizeof(BackendSlotsShared));
	shared->stats_reset = GetCurrentTimestamp();
	for (int i = 0; i < MaxBackends; i++)
		for (int c = 0; c < SLOT_NCOUNTERS; c++)
			pg_atomic_init_u64(&slots[i].counter[c], 0);
}

/* To be called before anything is counted. */
void
backend_slot_find(void)
{
	my_slot = slots[MyProcNumber].counter;
}

/* All that was ever counted at a place, resets or not. */
void
backend_slot_read(int place, SlotCopy *slot)
{
	for (int c = 0; c < SLOT_NCOUNTERS; c++)
		slot->value[c] = pg_atomic_read_u64(&slots[place].counter[c]);
}

/* The slots of all places, for those who need to begin at the same numbers. */
SlotCopy *
backend_slots_copy(void)
{
	SlotCopy   *copies = palloc(mul_size(MaxBackends, sizeof(SlotCopy)));

	for (int i = 0; i < MaxBackends; i++)
		backend_slot_read(i, &copies[i]);
	return copies;
}

static void
add_slot(uint64 *sum, const SlotCopy *slot)
{
	for (int c = 0; c < SLOT_NCOUNTERS; c++)
		sum[c] += slot->value[c];
}

/* Everything since the server started, resets or not. */
void
backend_slots_add_up(uint64 *sum)
{
	memset(sum, 0, SLOT_NCOUNTERS * sizeof(uint64));
	for (int i = 0; i < MaxBackends; i++)
	{
		SlotCopy	slot;

		backend_slot_read(i, &slot);
		add_slot(sum, &slot);
	}
}

static void
read_totals(SlotTotals *totals)
{
	backend_slots_add_up(totals->value);
	for (int c = 0; c < SLOT_NCOUNTERS; c++)
		totals->value[c] -= shared->base[c];
	totals->stats_reset = shared->stats_reset;
}

/* Totals since the last reset.  Caller holds the reset lock, shared will do. */
void
backend_slots_read(SlotTotals *totals)
{
	Assert(LWLockHeldByMe(commit_stats_reset_lock()));

	read_totals(totals);
}

/*
 * Start from zero, with the slots as the caller has copied them.  Caller holds
 * the reset lock exclusively.
 */
void
backend_slots_reset(const SlotCopy *copies, TimestampTz now)
{
	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	memset(shared->base, 0, sizeof(shared->base));
	for (int i = 0; i < MaxBackends; i++)
		add_slot(shared->base, &copies[i]);
	shared->stats_reset = now;
}

/*----------------------------------------------------------------
 * Over a restart (persist.c), when no other process is there
 *----------------------------------------------------------------
 */

Size
backend_slots_saved_size(void)
{
	return sizeof(SlotTotals);
}

bool
backend_slots_save(void *to)
{
	read_totals(to);
	return true;
}

void
backend_slots_restore(const void *from, Size size)
{
	const SlotTotals *kept = from;

	for (int c = 0; c < SLOT_NCOUNTERS; c++)
		shared->base[c] = -kept->value[c];
	shared->stats_reset = kept->stats_reset;
}
