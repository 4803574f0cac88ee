/*-------------------------------------------------------------------------
 *
 * wal_cycles.c
 *		The WAL that transactions wrote, per checkpoint cycle.
 *
 * A cycle is the WAL from one checkpoint's redo position to the next one's.
 * The server counts what each process writes in pgWalUsage.  When a
 * transaction ends, what was added since the last one is accounted to the
 * cycle that is present then, in which its last record is: a transaction that
 * runs across a checkpoint counts in the later cycle with all of its WAL.  The
 * redo position is the copy that this process refreshed when it inserted that
 * record, so nothing is asked of anybody.
 *
 * Each place in the server's process array counts for one cycle, the one it is
 * in.  The first transaction that finds a newer one there folds what the place
 * has counted into the entry of the cycle that it leaves.  A place is not a
 * process: who comes after a backend that has exited goes on from there.  The
 * total of a cycle is its entry and all the places that are still in it.
 *
 * The ring of entries is not in order: a new cycle takes the entry with the
 * smallest redo position.  Everybody chooses by that rule, and positions only
 * grow, so that no cycle ever has two entries.  There are a few more entries
 * than are used, and a place that leaves a cycle which is nearly pushed out
 * forgets it, so that nobody adds to an entry that another process clears.
 *
 * Invariant: what was accounted is counted once, in a place or in an entry,
 * until its cycle leaves the ring.  Counters of a cycle only grow.
 *
 * Locking: none for writers, who never wait.  A place is written by its
 * backend alone; "turns" is odd meanwhile.  Entries are added to atomically,
 * within such a turn.  A reader copies all places, then the entries, and then
 * looks at the places again: if one has changed its cycle, or is about to, it
 * starts over.  So transactions are counted whole.  What a reset remembers is
 * protected by commit_stats_reset_lock().
 *
 * A process that is stopped while it clears an entry, for as long as a whole
 * cycle takes, makes the others forget what they counted in that cycle; one
 * that is stopped while it folds, for as long as WAL_CYCLES_SPARE cycles, adds
 * to a wrong one.  In single-user mode one process does everything, and the
 * WAL of its start-up and of its checkpoints is accounted as well.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "base/changecount.h"
#include "base/compat.h"
#include "base/shared_memory.h"
#include "base/single_writer.h"
#include "stats/wal_cycles.h"

#define WAL_CYCLES_SPARE	4
#define WAL_CYCLES_KEPT		(WAL_CYCLES_SHOWN + WAL_CYCLES_SPARE)
#define MAX_CLAIM_TRIES		4	/* when others claim entries as well */

/* In the redo position of an entry, which is a multiple of 8. */
#define ENTRY_IN_PREPARATION	UINT64CONST(1)

/* What the backend at one place counts; only that backend writes. */
typedef struct WalPlace
{
	pg_atomic_uint64 turns;		/* odd while the rest is being written */
	pg_atomic_uint64 redo;		/* the cycle; 0 before the first one */
	pg_atomic_uint64 counter[WAL_NCOUNTERS];	/* in this cycle */
} WalPlace;

typedef union WalPlaceSlot
{
	WalPlace	place;
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(WalPlace))];
} WalPlaceSlot;

/* What places have counted that have left the cycle. */
typedef struct WalCycle
{
	/*
	 * 0 if the entry was never used.  Claimed with a swap by the first
	 * backend to come to the cycle, who clears the rest and then takes
	 * ENTRY_IN_PREPARATION away.
	 */
	pg_atomic_uint64 redo;
	pg_atomic_uint64 started_at;	/* set by that backend */
	pg_atomic_uint64 counter[WAL_NCOUNTERS];	/* added to atomically */
} WalCycle;

typedef struct WalCyclesShared
{
	WalCycle	ring[WAL_CYCLES_KEPT];

	/*
	 * The cycle that was present at the last reset and what had been counted
	 * in it; protected by commit_stats_reset_lock().
	 */
	XLogRecPtr	base_redo;
	uint64		base[WAL_NCOUNTERS];
} WalCyclesShared;

static WalCyclesShared *shared = NULL;
static WalPlaceSlot *places = NULL; /* MaxBackends of them */

/* The entry that this process claims and clears, and for which cycle; or null. */
static WalCycle *preparing = NULL;
static XLogRecPtr preparing_redo = InvalidXLogRecPtr;

int64		wal_cycles_records = 0;

/*
 * The place of this process; until it first comes there, one that is in no cycle.
 * A counter there is what pgWalUsage says now less its origin, so that to account
 * is to write that down.
 */
static WalPlace nowhere;
static WalPlace *my_place = &nowhere;
static uint64 origin[WAL_NCOUNTERS];

#define SHARED_HEAD_SIZE \
	TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(WalCyclesShared))

/*----------------------------------------------------------------
 * Shared memory
 *----------------------------------------------------------------
 */

Size
wal_cycles_shared_size(int backends)
{
	return add_size(SHARED_HEAD_SIZE,
					mul_size(backends, sizeof(WalPlaceSlot)));
}

static void
init_counters(pg_atomic_uint64 *counter)
{
	for (int c = 0; c < WAL_NCOUNTERS; c++)
		pg_atomic_init_u64(&counter[c], 0);
}

void
wal_cycles_attach(void *part, bool found)
{
	shared = part;
	places = (WalPlaceSlot *) ((char *) part + SHARED_HEAD_SIZE);
	if (found)
		return;
	memset(shared, 0, sizeof(WalCyclesShared));
	for (int i = 0; i < WAL_CYCLES_KEPT; i++)
	{
		pg_atomic_init_u64(&shared->ring[i].redo, 0);
		pg_atomic_init_u64(&shared->ring[i].started_at, 0);
		init_counters(shared->ring[i].counter);
	}
	for (int i = 0; i < MaxBackends; i++)
	{
		pg_atomic_init_u64(&places[i].place.turns, 0);
		pg_atomic_init_u64(&places[i].place.redo, 0);
		init_counters(places[i].place.counter);
	}
}

/*----------------------------------------------------------------
 * The ring
 *----------------------------------------------------------------
 */

/* The newest cycle that anybody has come to; 0 if there is none. */
static XLogRecPtr
newest_redo(void)
{
	XLogRecPtr	newest = 0;

	for (int i = 0; i < WAL_CYCLES_KEPT; i++)
		newest = Max(newest, pg_atomic_read_u64(&shared->ring[i].redo));
	return newest & ~ENTRY_IN_PREPARATION;
}

/*
 * Clear an entry that this process has claimed for a cycle, and let others use
 * it.
 */
static void
prepare_entry(WalCycle *entry, XLogRecPtr redo)
{
	for (int c = 0; c < WAL_NCOUNTERS; c++)
		pg_atomic_write_u64(&entry->counter[c], 0);
	pg_atomic_write_u64(&entry->started_at, (uint64) GetCurrentTimestamp());
	pg_write_barrier();
	pg_atomic_write_u64(&entry->redo, redo);
}

/* The first backend that comes to a cycle gives it an entry. */
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

			if ((taken & ~ENTRY_IN_PREPARATION) == redo)
				return;
			if (taken < oldest_redo)
			{
				oldest = &shared->ring[e];
				oldest_redo = taken;
			}
		}
		if (oldest_redo > redo || (oldest_redo & ENTRY_IN_PREPARATION) != 0)
			return;
		preparing = oldest;
		preparing_redo = redo;
		if (pg_atomic_compare_exchange_u64(&oldest->redo, &oldest_redo,
										   redo | ENTRY_IN_PREPARATION))
		{
			prepare_entry(oldest, redo);
			preparing = NULL;
			return;
		}
		preparing = NULL;
	}
}

/*
 * The entry to add to for a place that leaves this cycle, or NULL if it is not
 * there, or about to be pushed out.
 */
static WalCycle *
find_cycle_entry(XLogRecPtr redo)
{
	WalCycle   *entry = NULL;
	int			newer = 0;

	if (redo == InvalidXLogRecPtr)
		return NULL;			/* the place was never used */
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

/*----------------------------------------------------------------
 * The commit path
 *----------------------------------------------------------------
 */

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

/* Leave the cycle that this place is in, and start with this one. */
static pg_noinline void
change_cycle(WalPlace *place, XLogRecPtr redo)
{
	WalCycle   *left = find_cycle_entry(pg_atomic_read_u64(&place->redo));

	for (int c = 0; c < WAL_NCOUNTERS; c++)
	{
		uint64		counted = pg_atomic_read_u64(&place->counter[c]);

		if (left != NULL)
			pg_atomic_fetch_add_u64(&left->counter[c], (int64) counted);
		pg_atomic_write_u64(&place->counter[c], 0);
		origin[c] += counted;
	}
	claim_entry(redo);
	pg_atomic_write_u64(&place->redo, redo);
}

/*
 * Come to the place of this process, where others have counted before.  All that
 * it has written so far is still to be accounted.
 */
static pg_noinline void
take_wal_place(void)
{
	my_place = &places[MyProcNumber].place;
	for (int c = 0; c < WAL_NCOUNTERS; c++)
		origin[c] = -pg_atomic_read_u64(&my_place->counter[c]);
}

/*
 * From here on the rest of this place is being written ...  A process that died of
 * a FATAL error in a signal handler may have left an odd number behind.
 */
static inline void
begin_turn(WalPlace *place)
{
	pg_atomic_write_u64(&place->turns, pg_atomic_read_u64(&place->turns) | 1);
	pg_write_barrier();
}

/* ... until here. */
static inline void
end_turn(WalPlace *place)
{
	pg_write_barrier();
	single_writer_add(&place->turns, 1);
}

/* For a process that exits: end what it has left half done. */
void
wal_cycles_abandon(void)
{
	if (preparing != NULL && pg_atomic_read_u64(&preparing->redo) ==
		(preparing_redo | ENTRY_IN_PREPARATION))
		prepare_entry(preparing, preparing_redo);
	if (pg_atomic_read_u64(&my_place->turns) % 2 != 0)
		end_turn(my_place);
}

/* Bring a counter of this place to what the server has counted. */
static inline void
settle(WalPlace *place, WalCounter counter)
{
	pg_atomic_write_u64(&place->counter[counter],
						usage(counter) - origin[counter]);
}

/* Leave a counter of this place as it is, whatever the server has counted. */
static inline void
skip(WalPlace *place, WalCounter counter)
{
	origin[counter] = usage(counter) -
		pg_atomic_read_u64(&place->counter[counter]);
}

/* Account the WAL in the cycle that the place is in. */
static pg_attribute_always_inline void
account(WalPlace *place, WalOutcome outcome)
{
	if (outcome == WAL_OF_COMMIT)
		single_writer_add(&place->counter[WAL_COMMITS], 1);
	else if (outcome == WAL_OF_ABORT)
		single_writer_add(&place->counter[WAL_BYTES_ABORTED],
					usage(WAL_BYTES) - origin[WAL_BYTES] -
					pg_atomic_read_u64(&place->counter[WAL_BYTES]));
	settle(place, WAL_RECORDS);
	settle(place, WAL_FPI);
	settle(place, WAL_BYTES);
	if (WAL_FPI_BYTES_COUNTED)
		settle(place, WAL_FPI_BYTES);
}

/*
 * The same where this process may have to come to its place first, or the place to
 * another cycle.  Without any insertion of its own, all WAL of this process is that
 * of its parallel workers; then the newest cycle that others have found must do.
 */
static pg_noinline void
account_elsewhere(XLogRecPtr redo, WalOutcome outcome)
{
	if (redo == InvalidXLogRecPtr)
		redo = newest_redo();
	if (redo == InvalidXLogRecPtr)
		return;					/* the next time will do */
	if (my_place == &nowhere)
		take_wal_place();
	begin_turn(my_place);
	if (redo > pg_atomic_read_u64(&my_place->redo))
		change_cycle(my_place, redo);
	account(my_place, outcome);
	end_turn(my_place);
	wal_cycles_records = pgWalUsage.wal_records;
}

/* Account the WAL that this process has written since the last time. */
void
wal_cycles_account_in(XLogRecPtr redo, WalOutcome outcome)
{
	WalPlace   *place = my_place;

	/* an invalid position is beyond all others here */
	if (unlikely(redo - 1 >= pg_atomic_read_u64(&place->redo)))
	{
		account_elsewhere(redo, outcome);
		return;
	}
	begin_turn(place);
	account(place, outcome);
	end_turn(place);
	wal_cycles_records = pgWalUsage.wal_records;
}

/* What was written up to now shall not be accounted. */
void
wal_cycles_skip(void)
{
	if (unlikely(my_place == &nowhere))
		take_wal_place();
	skip(my_place, WAL_RECORDS);
	skip(my_place, WAL_FPI);
	skip(my_place, WAL_BYTES);
	if (WAL_FPI_BYTES_COUNTED)
		skip(my_place, WAL_FPI_BYTES);
	wal_cycles_records = pgWalUsage.wal_records;
}

/*----------------------------------------------------------------
 * Readers
 *----------------------------------------------------------------
 */

/* Wait until the backend at this place is not writing; it takes no time. */
static uint64
wait_for_turn(WalPlace *place)
{
	uint64		turns;
	int			polls = 0;

	do
	{
		turns = pg_atomic_read_u64(&place->turns);
		pg_read_barrier();
		if (turns % 2 == 0)
			return turns;
	} while (changecount_poll(&polls));
	changecount_report_stopped();
	return turns;				/* not reached */
}

/* Copy what a place has counted and in which cycle, at one moment. */
static void
copy_place(WalPlace *place, WalCycleCopy *copy)
{
	for (int passes = 0;; changecount_count_pass(&passes))
	{
		uint64		turns = wait_for_turn(place);

		copy->redo = pg_atomic_read_u64(&place->redo);
		for (int c = 0; c < WAL_NCOUNTERS; c++)
			copy->value[c] = pg_atomic_read_u64(&place->counter[c]);
		pg_read_barrier();
		if (pg_atomic_read_u64(&place->turns) == turns)
			return;
	}
}

/* Is each place still in the cycle that the copy says, and not leaving it? */
static bool
places_are_in(const WalCycleCopy *copies)
{
	for (int i = 0; i < MaxBackends; i++)
	{
		WalPlace   *place = &places[i].place;

		/* a turn that begins after this has not folded before it */
		(void) wait_for_turn(place);
		if (pg_atomic_read_u64(&place->redo) != copies[i].redo)
			return false;
	}
	return true;
}

/* Copy the entries that are in use; returns their number. */
static int
copy_entries(WalCycleCopy *copies)
{
	int			n = 0;

	for (int i = 0; i < WAL_CYCLES_KEPT; i++)
	{
		WalCycle   *entry = &shared->ring[i];
		WalCycleCopy *copy = &copies[n];

		copy->redo = pg_atomic_read_u64(&entry->redo);
		if (copy->redo == 0 || (copy->redo & ENTRY_IN_PREPARATION) != 0)
			continue;
		pg_read_barrier();
		copy->started_at =
			(TimestampTz) pg_atomic_read_u64(&entry->started_at);
		for (int c = 0; c < WAL_NCOUNTERS; c++)
			copy->value[c] = pg_atomic_read_u64(&entry->counter[c]);
		pg_read_barrier();
		if (pg_atomic_read_u64(&entry->redo) == copy->redo)
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

/* Add what was counted at a place to the cycle that it is in. */
static void
add_wal_place(WalCycleCopy *cycles, int n, const WalCycleCopy *in_place)
{
	for (int k = 0; k < n; k++)
		if (cycles[k].redo == in_place->redo)
			for (int c = 0; c < WAL_NCOUNTERS; c++)
				cycles[k].value[c] += in_place->value[c];
}

/*
 * Totals of all cycles in the ring, newest first, as they were at one moment;
 * "cycles" has room for WAL_CYCLES_KEPT of them.  Returns their number.
 */
static int
copy_cycles(WalCycleCopy *cycles)
{
	WalCycleCopy *in_places = palloc(MaxBackends * sizeof(WalCycleCopy));
	int			n;

	for (int passes = 0;; changecount_count_pass(&passes))
	{
		for (int i = 0; i < MaxBackends; i++)
			copy_place(&places[i].place, &in_places[i]);
		n = copy_entries(cycles);
		pg_read_barrier();
		if (places_are_in(in_places))
			break;
	}

	for (int i = 0; i < MaxBackends; i++)
		add_wal_place(cycles, n, &in_places[i]);
	pfree(in_places);
	qsort(cycles, n, sizeof(WalCycleCopy), newer_first);
	return n;
}

/*
 * The present cycle, be it that no transaction has come to it yet.  The server
 * tells the others a moment before it tells whoever asks.
 */
static XLogRecPtr
server_redo(XLogRecPtr newest)
{
	return Max(GetRedoRecPtr(), newest);
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
			for (int c = 0; c < WAL_NCOUNTERS; c++)
				cycle->value[c] -= shared->base[c];
		result->ncycles++;
	}
}

/* The cycles since the last reset.  Caller holds the reset lock, shared. */
WalCycles *
wal_cycles_read(void)
{
	WalCycles  *result = palloc(sizeof(WalCycles));
	WalCycleCopy all[WAL_CYCLES_KEPT];
	int			n;

	Assert(LWLockHeldByMe(commit_stats_reset_lock()));

	n = copy_cycles(all);
	since_reset(all, n,
				n > 0 ? server_redo(all[0].redo) : InvalidXLogRecPtr, result);
	return result;
}

/* The present cycle and what was counted in it so far, for a reset. */
void
wal_cycles_prepare_reset(WalCycleCopy *present)
{
	WalCycleCopy all[WAL_CYCLES_KEPT];
	int			n = copy_cycles(all);

	memset(present, 0, sizeof(WalCycleCopy));
	if (n > 0)
		*present = all[0];
	present->redo = server_redo(present->redo);
	if (n > 0 && present->redo != all[0].redo)
		memset(present->value, 0, sizeof(present->value));
}

/*
 * Forget all cycles but the present one, and what was counted in that so far.
 * Caller holds the reset lock exclusively.
 */
void
wal_cycles_reset(const WalCycleCopy *present)
{
	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	shared->base_redo = present->redo;
	memcpy(shared->base, present->value, sizeof(shared->base));
}

/*----------------------------------------------------------------
 * Over a restart (persist.c), when no other process is there
 *----------------------------------------------------------------
 */

Size
wal_cycles_saved_size(void)
{
	return sizeof(WalCycles);
}

bool
wal_cycles_save(void *to)
{
	WalCycleCopy all[WAL_CYCLES_KEPT];
	int			n = copy_entries(all);

	for (int i = 0; i < MaxBackends; i++)
	{
		WalPlace   *place = &places[i].place;
		WalCycleCopy copy;

		if (pg_atomic_read_u64(&place->turns) % 2 != 0)
			return false;
		copy_place(place, &copy);
		add_wal_place(all, n, &copy);
	}
	qsort(all, n, sizeof(WalCycleCopy), newer_first);
	since_reset(all, n, InvalidXLogRecPtr, to);
	return true;
}

/* Could these positions have come from the ring? */
bool
wal_cycles_saved_fits(const void *from, Size size)
{
	const WalCycles *kept = from;

	if (size != sizeof(WalCycles) ||
		kept->ncycles < 0 || kept->ncycles > WAL_CYCLES_SHOWN)
		return false;
	for (int i = 0; i < kept->ncycles; i++)
	{
		XLogRecPtr	redo = kept->cycle[i].redo;

		if (redo == InvalidXLogRecPtr || (redo & ENTRY_IN_PREPARATION) != 0 ||
			(i > 0 && redo >= kept->cycle[i - 1].redo))
			return false;
	}
	return true;
}

/* Cycles go on as if all places had left them. */
void
wal_cycles_restore(const void *from, Size size)
{
	const WalCycles *kept = from;

	for (int i = 0; i < kept->ncycles; i++)
	{
		const WalCycleCopy *cycle = &kept->cycle[i];
		WalCycle   *entry = &shared->ring[i];

		pg_atomic_write_u64(&entry->started_at, (uint64) cycle->started_at);
		for (int c = 0; c < WAL_NCOUNTERS; c++)
			pg_atomic_write_u64(&entry->counter[c], cycle->value[c]);
		pg_atomic_write_u64(&entry->redo, cycle->redo);
	}
}
