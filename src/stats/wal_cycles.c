/*-------------------------------------------------------------------------
 *
 * wal_cycles.c
 *		The WAL that transactions wrote, per checkpoint cycle.
 *
 *	cycle		the WAL from one checkpoint's redo position to the next one's
 *	slot		what one backend counts, for one cycle at a time
 *	entry		what slots have counted that have left a cycle
 *	move		of a slot to a newer cycle: its process adds the counts to
 *				the entry of the old cycle, and sets them to zero
 *	account		to add the growth of pgWalUsage to the slot
 *
 * A process accounts when a transaction ends, in the cycle of its last record,
 * with all of its WAL.  The total of a cycle is its entry and the slots that
 * are still in it.
 *
 * A new cycle takes the entry with the smallest redo position, once that is
 * cleared.  All processes choose by that rule, and positions only grow, so no
 * cycle ever has two entries.  WAL_CYCLES_SPARE entries are not shown.  A slot
 * whose cycle is not shown any more drops its counts, so no process adds to an
 * entry that another one clears.
 *
 * Invariant: WAL of a cycle that is shown is counted once, in a slot or in an
 * entry, and counters only grow.  Exceptions: changecount.c has one.  A
 * process that is stopped while it clears an entry, for a whole cycle, clears
 * what others have counted.  A process that is stopped while it adds to an
 * entry, for WAL_CYCLES_SPARE cycles, adds to a wrong one.
 *
 * Locking: none for writers, which never wait.  Only its backend writes a
 * slot, under the slot's change count, so readers get transactions whole.  A
 * slot moves under the change count "moves", adding to entries atomically; a
 * reader copies entries and slots between moves.  commit_stats_reset_lock()
 * protects "base_redo" and "base".
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "base/changecount.h"
#include "base/shared_counters.h"
#include "module/shared_memory.h"
#include "stats/wal_cycles.h"

#define WAL_CYCLES_SPARE	4
#define WAL_CYCLES_KEPT		(WAL_CYCLES_SHOWN + WAL_CYCLES_SPARE)
#define MAX_CLAIM_TRIES		4	/* when others claim entries as well */

typedef struct WalSlot
{
	ChangeCount changes pg_attribute_aligned(PG_CACHE_LINE_SIZE);	/* of the rest */
	pg_atomic_uint64 redo;		/* the cycle; 0 before the first one */
	pg_atomic_uint64 counter[WAL_NCOUNTERS];	/* in this cycle */
} WalSlot;

/* An entry */
typedef struct WalCycle
{
	pg_atomic_uint64 redo;		/* 0 if the entry was never used; swapped */
	pg_atomic_uint64 started_at;
	pg_atomic_uint64 counter[WAL_NCOUNTERS];	/* added to atomically */
} WalCycle;

typedef struct WalCyclesShared
{
	WalCycle	ring[WAL_CYCLES_KEPT];
	ChangeCount moves;
	XLogRecPtr	base_redo;		/* the present cycle at the last reset */
	uint64		base[WAL_NCOUNTERS];	/* what had been counted in it */
} WalCyclesShared;

static WalCyclesShared *shared = NULL;
static WalSlot *slots = NULL;
static WalCycleCopy at_reset;	/* the present cycle, during a reset */

int64		wal_cycles_records = 0;

/*
 * The slot of this process; until it first comes there, one that is in no
 * cycle.  A counter there is what pgWalUsage says now less its origin, so that
 * to account is to write that down.
 */
static WalSlot no_slot;
static WalSlot *my_slot = &no_slot;
static uint64 origin[WAL_NCOUNTERS];

/*---- The ring ----------------------------------------------------*/

/* Give a cycle the oldest entry, unless it has one. */
static void
claim_entry(XLogRecPtr redo)
{
	for (int i = 0; i < MAX_CLAIM_TRIES; i++)
	{
		WalCycle   *oldest = NULL;
		uint64		oldest_redo = PG_UINT64_MAX;

		for (int e = 0; e < WAL_CYCLES_KEPT; e++)
		{
			uint64		taken = pg_atomic_read_u64(&shared->ring[e].redo);

			if (taken == redo)
				return;
			if (taken < oldest_redo)
			{
				oldest = &shared->ring[e];
				oldest_redo = taken;
			}
		}
		if (oldest_redo > redo)
			return;
		for (int c = 0; c < WAL_NCOUNTERS; c++)
			pg_atomic_write_u64(&oldest->counter[c], 0);
		pg_atomic_write_u64(&oldest->started_at,
							(uint64) GetCurrentTimestamp());
		if (pg_atomic_compare_exchange_u64(&oldest->redo, &oldest_redo, redo))
			return;
	}
}

/*
 * The entry to add to for a slot that leaves this cycle, or NULL if it is not
 * there, or about to be pushed out.
 */
static WalCycle *
find_cycle_entry(XLogRecPtr redo)
{
	WalCycle   *entry = NULL;
	int			newer = 0;

	if (redo == InvalidXLogRecPtr)
		return NULL;			/* the slot was never used */
	for (int i = 0; i < WAL_CYCLES_KEPT; i++)
	{
		uint64		taken = pg_atomic_read_u64(&shared->ring[i].redo);

		if (taken == redo)
			entry = &shared->ring[i];
		else if (taken > redo)
			newer++;
	}
	return newer < WAL_CYCLES_SHOWN ? entry : NULL;
}

/*---- The commit path ---------------------------------------------*/

/* What pgWalUsage says; 0 for counters that are not from there. */
static inline uint64
usage(WalCounter counter)
{
	switch (counter)
	{
		case WAL_RECORDS:
			return (uint64) pgWalUsage.wal_records;
		case WAL_FPI:
			return (uint64) pgWalUsage.wal_fpi;
		case WAL_BYTES:
			return pgWalUsage.wal_bytes;
		case WAL_FPI_BYTES:
			return WAL_USAGE_FPI_BYTES(pgWalUsage);
		default:
			return 0;
	}
}

static pg_noinline void
move_slot(WalSlot *slot, XLogRecPtr redo)
{
	WalCycle   *left = find_cycle_entry(pg_atomic_read_u64(&slot->redo));

	changecount_begin(&shared->moves);
	for (int c = 0; c < WAL_NCOUNTERS; c++)
	{
		uint64		counted = pg_atomic_read_u64(&slot->counter[c]);

		if (left != NULL)
			pg_atomic_fetch_add_u64(&left->counter[c], (int64) counted);
		pg_atomic_write_u64(&slot->counter[c], 0);
		origin[c] += counted;
	}
	claim_entry(redo);
	pg_atomic_write_u64(&slot->redo, redo);
	changecount_end(&shared->moves);
}

/*
 * Find the slot of this process, where others have counted before.  All that
 * this process has written so far is still to be accounted.
 */
static pg_noinline void
find_wal_slot(void)
{
	my_slot = &slots[MyProcNumber];
	for (int c = 0; c < WAL_NCOUNTERS; c++)
		origin[c] = -pg_atomic_read_u64(&my_slot->counter[c]);
}

static void
wal_cycles_leave(void)
{
	if (!changecount_at_rest(&my_slot->changes))
		changecount_end_single(&my_slot->changes);
}

static pg_attribute_always_inline void
catch_up(WalSlot *slot, WalCounter counter, bool skip)
{
	pg_atomic_uint64 *counted = &slot->counter[counter];

	if (skip)
		origin[counter] = usage(counter) - pg_atomic_read_u64(counted);
	else
		pg_atomic_write_u64(counted, usage(counter) - origin[counter]);
}

static pg_attribute_always_inline void
catch_up_all(WalSlot *slot, bool skip)
{
	catch_up(slot, WAL_RECORDS, skip);
	catch_up(slot, WAL_FPI, skip);
	catch_up(slot, WAL_BYTES, skip);
	if (WAL_FPI_BYTES_COUNTED)
		catch_up(slot, WAL_FPI_BYTES, skip);
	wal_cycles_records = pgWalUsage.wal_records;
}

/* In the cycle that the slot is in */
static pg_attribute_always_inline void
account(WalSlot *slot, WalOutcome outcome)
{
	if (outcome == WAL_OF_COMMIT)
		single_writer_add(&slot->counter[WAL_COMMITS], 1);
	else if (outcome == WAL_OF_ABORT)
		single_writer_add(&slot->counter[WAL_BYTES_ABORTED],
						  usage(WAL_BYTES) - origin[WAL_BYTES] -
						  pg_atomic_read_u64(&slot->counter[WAL_BYTES]));
	catch_up_all(slot, false);
}

/*
 * The same where this process may have to find its slot first, or move it.
 * Without any insertion of its own, all WAL of this process is that of its
 * parallel workers; then the present cycle must do.
 */
static pg_noinline void
account_elsewhere(XLogRecPtr redo, WalOutcome outcome)
{
	if (redo == InvalidXLogRecPtr)
		redo = GetRedoRecPtr();
	if (my_slot == &no_slot)
		find_wal_slot();
	changecount_begin_single(&my_slot->changes);
	if (redo > pg_atomic_read_u64(&my_slot->redo))
		move_slot(my_slot, redo);
	account(my_slot, outcome);
	changecount_end_single(&my_slot->changes);
}

void
wal_cycles_account_in(XLogRecPtr redo, WalOutcome outcome)
{
	WalSlot    *slot = my_slot;

	/* an invalid position is beyond all others here */
	if (unlikely(redo - 1 >= pg_atomic_read_u64(&slot->redo)))
	{
		account_elsewhere(redo, outcome);
		return;
	}
	changecount_begin_single(&slot->changes);
	account(slot, outcome);
	changecount_end_single(&slot->changes);
}

void
wal_cycles_skip(void)
{
	if (unlikely(my_slot == &no_slot))
		find_wal_slot();
	backend_slot_skip_wal();
	catch_up_all(my_slot, true);
}

/*---- Readers -----------------------------------------------------*/

/* Copy a slot as it was between two transactions. */
static void
copy_wal_slot(WalSlot *slot, WalCycleCopy *copy)
{
	for (int passes = 0;; changecount_count_pass(&passes))
	{
		uint64		changes = changecount_wait(&slot->changes);

		copy->redo = pg_atomic_read_u64(&slot->redo);
		counter_array_read(copy->value, slot->counter, WAL_NCOUNTERS);
		if (changecount_since(&slot->changes, changes) == 0)
			return;
	}
}

/* Returns the number of entries that are in use. */
static int
copy_entries(WalCycleCopy *cycles)
{
	int			n = 0;

	for (int i = 0; i < WAL_CYCLES_KEPT; i++)
	{
		WalCycle   *entry = &shared->ring[i];
		WalCycleCopy *copy = &cycles[n];

		copy->redo = pg_atomic_read_u64(&entry->redo);
		if (copy->redo == 0)
			continue;
		copy->started_at =
			(TimestampTz) pg_atomic_read_u64(&entry->started_at);
		counter_array_read(copy->value, entry->counter, WAL_NCOUNTERS);
		n++;
	}
	return n;
}

static int
newer_first(const void *a, const void *b)
{
	XLogRecPtr	redo_a = ((const WalCycleCopy *) a)->redo;
	XLogRecPtr	redo_b = ((const WalCycleCopy *) b)->redo;

	return redo_a < redo_b ? 1 : redo_a > redo_b ? -1 : 0;
}

/*
 * Totals of all cycles in the ring, newest first, if no slot moves.  "cycles"
 * has WAL_CYCLES_KEPT elements.  Returns the number of cycles.
 */
static int
add_up_cycles(WalCycleCopy *cycles)
{
	int			n = copy_entries(cycles);

	for (int i = 0; i < MaxBackends; i++)
	{
		WalCycleCopy copy;

		copy_wal_slot(&slots[i], &copy);
		for (int k = 0; k < n; k++)
			if (cycles[k].redo == copy.redo)
				counter_array_add(cycles[k].value, copy.value, WAL_NCOUNTERS);
	}
	qsort(cycles, n, sizeof(WalCycleCopy), newer_first);
	return n;
}

/* The same, at one moment, and the present cycle. */
static int
copy_cycles(WalCycleCopy *cycles, XLogRecPtr *present)
{
	for (int passes = 0;; changecount_count_pass(&passes))
	{
		uint64		moves = changecount_wait(&shared->moves);
		int			n = add_up_cycles(cycles);

		if (changecount_since(&shared->moves, moves) > 0)
			continue;

		/*
		 * Perhaps no transaction has come to the present cycle yet.  The
		 * server tells others a moment before it tells GetRedoRecPtr().
		 */
		*present = GetRedoRecPtr();
		if (n > 0)
			*present = Max(*present, cycles[0].redo);
		return n;
	}
}

/*
 * Of "n" cycles, newest first, those that are to be shown and what was counted
 * in them since the last reset; "next" is the present cycle.
 */
static void
since_reset(const WalCycleCopy *all, int n, XLogRecPtr next, WalCycles *result)
{
	result->ncycles = 0;
	for (int i = 0; i < Min(n, WAL_CYCLES_SHOWN); i++)
	{
		WalCycleCopy *cycle = &result->cycle[result->ncycles];

		if (all[i].redo < shared->base_redo)
			break;
		*cycle = all[i];
		cycle->next = next == cycle->redo ? InvalidXLogRecPtr : next;
		next = cycle->redo;
		if (cycle->redo == shared->base_redo)
			counter_array_subtract(cycle->value, shared->base, WAL_NCOUNTERS);
		result->ncycles++;
	}
}

WalCycles *
wal_cycles_read(void)
{
	WalCycles  *result = palloc(sizeof(WalCycles));
	WalCycleCopy all[WAL_CYCLES_KEPT];
	XLogRecPtr	present;
	int			n;

	Assert(LWLockHeldByMe(commit_stats_reset_lock()));

	n = copy_cycles(all, &present);
	since_reset(all, n, present, result);
	return result;
}

static void
wal_cycles_copy(void)
{
	WalCycleCopy all[WAL_CYCLES_KEPT];
	XLogRecPtr	redo;
	int			n = copy_cycles(all, &redo);

	memset(&at_reset, 0, sizeof(WalCycleCopy));
	if (n > 0 && all[0].redo == redo)
		at_reset = all[0];
	at_reset.redo = redo;
}

/* Forget the older cycles, and what the present one has counted. */
static void
wal_cycles_reset(TimestampTz now)
{
	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	shared->base_redo = at_reset.redo;
	memcpy(shared->base, at_reset.value, sizeof(shared->base));
}

static void
wal_cycles_save(const void *object, void *to)
{
	WalCycleCopy all[WAL_CYCLES_KEPT];

	since_reset(all, add_up_cycles(all), InvalidXLogRecPtr, to);
}

/* As if all slots had left the cycles. */
static void
wal_cycles_restore(void *object, const void *from, Size size)
{
	const WalCycles *saved = from;

	for (int i = 0; i < saved->ncycles; i++)
	{
		const WalCycleCopy *cycle = &saved->cycle[i];
		WalCycle   *entry = &shared->ring[i];

		pg_atomic_write_u64(&entry->redo, cycle->redo);
		pg_atomic_write_u64(&entry->started_at, (uint64) cycle->started_at);
		for (int c = 0; c < WAL_NCOUNTERS; c++)
			pg_atomic_write_u64(&entry->counter[c], cycle->value[c]);
	}
}

const StatsModule wal_cycles_module = {
	.head_size = sizeof(WalCyclesShared),
	.slot_size = sizeof(WalSlot),
	.head = (void **) &shared,
	.tail = (void **) &slots,
	.leave = wal_cycles_leave,
	.reset_prepare = wal_cycles_copy,
	.reset = wal_cycles_reset,
	.saved_name = "wal_cycles",
	.saved_head_size = sizeof(WalCycles),
	.save = wal_cycles_save,
	.restore = wal_cycles_restore,
};
