/*-------------------------------------------------------------------------
 *
 * wal_cycles.c
 *		The WAL that transactions wrote, per checkpoint cycle; and what keeps
 *		WAL segments from being recycled.
 *
 *	cycle		the WAL from one checkpoint's redo position to the next one's
 *	slot		what one backend has counted, in all cycles
 *	account		to add the growth of pgWalUsage to the slot
 *	base		the sum of all slots when the present cycle began, or at the
 *				last reset
 *	look		to end the present cycle, if a checkpoint has begun
 *
 * A process accounts when a transaction ends, with all of its WAL.  The
 * background worker looks after each nap, and readers do before they read.  So
 * what is accounted between the begin of a checkpoint and the next look is in
 * the cycle before.  If several checkpoints begin between two looks, the
 * newest begins a cycle.
 *
 * A checkpoint gives the segments that it no longer needs to the WAL to come.
 * It leaves those that a replication slot needs, and the newest ones, of
 * wal_keep_size.  So pg_wal grows to that size first, and until then each
 * segment is made anew.
 *
 * Invariant: what was accounted since the last reset is in one cycle, unless
 * that is not kept any more, and counters only grow.
 *
 * Locking: none for writers.  commit_stats_reset_lock() protects
 * WalCyclesShared.  The sum of all slots is no snapshot: of a transaction that
 * accounts at this moment, one counter may be in it and another not, which
 * then is in the next cycle.  wal_keeper_find() also takes
 * ReplicationSlotControlLock, shared, and within it the spinlock of each
 * entry.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/stat.h>

#include "access/xlog_internal.h"
#include "miscadmin.h"
#include "replication/slot.h"
#include "utils/timestamp.h"

#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "stats/wal_cycles.h"

typedef struct WalCyclesShared
{
	XLogRecPtr	redo;			/* of the present cycle; 0 before any look */
	TimestampTz started_at;
	uint64		base[WAL_NCOUNTERS];
	WalCycles	over;			/* the other cycles */
} WalCyclesShared;

static WalCyclesShared *shared = NULL;
static WalSlot *slots = NULL;

static WalSlot no_slot;
WalSlot    *wal_cycles_mine = &no_slot;
uint64		wal_cycles_origin[WAL_NCOUNTERS] = {0};
int64		wal_cycles_records = 0;

/*---- Slots -------------------------------------------------------*/

/*
 * Others have counted in the slot before.  What this process has written so
 * far and not skipped is still to be accounted.
 */
void
wal_cycles_find_slot(void)
{
	if (wal_cycles_mine != &no_slot)
		return;
	wal_cycles_mine = &slots[MyProcNumber];
	counter_array_read_add(wal_cycles_origin, wal_cycles_mine->counter,
						   WAL_NCOUNTERS);
}

static void
wal_cycles_enter(void)
{
	wal_cycles_find_slot();
	/* a stand-alone backend has no worker */
	if (!IsUnderPostmaster)
		wal_cycles_look();
}

void
wal_cycles_skip(void)
{
	backend_slot_skip_wal();
	for (int c = 0; c < WAL_NCOUNTERS; c++)
		wal_cycles_origin[c] =
			pg_atomic_read_u64(&wal_cycles_mine->counter[c]) - wal_usage(c);
	wal_cycles_records = pgWalUsage.wal_records;
}

static void
add_up_slots(uint64 *sum)
{
	memset(sum, 0, WAL_NCOUNTERS * sizeof(uint64));
	for (int i = 0; i < MaxBackends; i++)
		counter_array_read_add(sum, slots[i].counter, WAL_NCOUNTERS);
}

/*---- Cycles ------------------------------------------------------*/

static void
read_present(WalCycleCopy *cycle)
{
	cycle->redo = shared->redo;
	cycle->next = InvalidXLogRecPtr;
	cycle->started_at = shared->started_at;
	add_up_slots(cycle->value);
	counter_array_subtract(cycle->value, shared->base, WAL_NCOUNTERS);
}

static void
put_first(WalCycles *cycles, const WalCycleCopy *first)
{
	memmove(&cycles->cycle[1], &cycles->cycle[0],
			(WAL_CYCLES_SHOWN - 1) * sizeof(WalCycleCopy));
	cycles->cycle[0] = *first;
	cycles->ncycles = Min(cycles->ncycles + 1, WAL_CYCLES_SHOWN);
}

/* A standby has no cycles of its own. */
static XLogRecPtr
newest_redo(void)
{
	return RecoveryInProgress() ? InvalidXLogRecPtr : GetRedoRecPtr();
}

/*
 * The cycle that begins at "redo" is the present one.  What was accounted
 * before anybody looked is in it, too.
 */
static void
next_cycle(XLogRecPtr redo)
{
	WalCycleCopy present;

	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	if (redo <= shared->redo)
		return;
	read_present(&present);
	if (shared->redo != InvalidXLogRecPtr && present.value[WAL_RECORDS] > 0)
	{
		put_first(&shared->over, &present);
		counter_array_add(shared->base, present.value, WAL_NCOUNTERS);
	}
	shared->redo = redo;
	shared->started_at = GetCurrentTimestamp();
}

void
wal_cycles_look(void)
{
	XLogRecPtr	redo = newest_redo();

	if (redo <= *(volatile XLogRecPtr *) &shared->redo)
		return;
	shared_memory_acquire(commit_stats_reset_lock(), LW_EXCLUSIVE);
	next_cycle(redo);
	LWLockRelease(commit_stats_reset_lock());
}

/* Forget the older cycles, and what the present one has counted. */
static void
wal_cycles_reset(TimestampTz now)
{
	next_cycle(newest_redo());
	add_up_slots(shared->base);
	shared->over.ncycles = 0;
}

/* The present cycle is there if it has WAL, or there is no other. */
static void
wal_cycles_save(const void *object, void *to)
{
	WalCycles  *cycles = to;
	WalCycleCopy present;

	*cycles = shared->over;
	read_present(&present);
	if (present.redo != InvalidXLogRecPtr &&
		(present.value[WAL_RECORDS] > 0 || cycles->ncycles == 0))
		put_first(cycles, &present);
}

static void
wal_cycles_restore(void *object, const void *from, Size size)
{
	memcpy(&shared->over, from, size);
}

WalCycles *
wal_cycles_read(void)
{
	WalCycles  *cycles = palloc(sizeof(WalCycles));
	XLogRecPtr	next;

	wal_cycles_look();
	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	wal_cycles_save(NULL, cycles);
	next = shared->redo;
	LWLockRelease(commit_stats_reset_lock());

	/* a standby may have cycles of the time before it became one */
	if (next == InvalidXLogRecPtr)
		next = GetRedoRecPtr();
	for (int i = 0; i < cycles->ncycles; i++)
	{
		WalCycleCopy *cycle = &cycles->cycle[i];

		cycle->next = cycle->redo == next ? InvalidXLogRecPtr : next;
		next = cycle->redo;
	}
	return cycles;
}

/*---- What keeps WAL ----------------------------------------------*/

/* The oldest segment of wal_keep_size is gone, or there never was one. */
static bool
size_is_growing(uint64 size)
{
	XLogRecPtr	end = GetXLogInsertRecPtr();
	XLogSegNo	removed = XLogGetLastRemovedSegno();
	XLogSegNo	oldest;
	char		path[MAXPGPATH];
	struct stat status;

	if (end <= size)
		return true;
	XLByteToSeg(end - size, oldest, wal_segment_size);
	/* 0: none since the server started */
	if (removed > 0)
		return removed >= oldest;
	XLogFilePath(path, GetWALInsertionTimeLine(), oldest, wal_segment_size);
	return stat(path, &status) != 0;
}

WalKeeper
wal_keeper_find(Name slot)
{
	uint64		size = (uint64) wal_keep_size_mb * 1024 * 1024;
	XLogRecPtr	missed = InvalidXLogRecPtr;
	WalCycles  *cycles;
	XLogRecPtr	redo;
	XLogRecPtr	least;
	XLogRecPtr	oldest;

	if (RecoveryInProgress())
		return KEEPER_NONE;

	/*
	 * A slot that is less behind, as a logical one often is, lets pg_wal be;
	 * but not one that nobody reads, and that has not moved in a whole cycle.
	 */
	cycles = wal_cycles_read();
	for (int i = cycles->ncycles - 1; i >= 0; i--)
		if (cycles->cycle[i].next != InvalidXLogRecPtr)
			missed = cycles->cycle[i].redo;
	pfree(cycles);
	redo = oldest = GetRedoRecPtr();
	least = redo - Min(Max(Max(size, wal_segment_size),
						   (uint64) max_wal_size_mb * 1024 * 1024), redo);
	LWLockAcquire(ReplicationSlotControlLock, LW_SHARED);
	for (int i = 0; i < REPLICATION_SLOTS; i++)
	{
		ReplicationSlot *entry = &ReplicationSlotCtl->replication_slots[i];
		XLogRecPtr	needs;
		XLogRecPtr	bound;

		if (!entry->in_use)
			continue;
		SpinLockAcquire(&entry->mutex);
		needs = SLOT_IS_INVALID(entry) ? oldest : entry->data.restart_lsn;
		bound = SLOT_IS_READ(entry) ? least : Max(least, missed);
		SpinLockRelease(&entry->mutex);
		if (needs >= Min(bound, oldest))
			continue;
		oldest = needs;
		*slot = entry->data.name;
	}
	LWLockRelease(ReplicationSlotControlLock);
	return oldest < redo ? KEEPER_SLOT :
		size > 0 && size_is_growing(size) ? KEEPER_SIZE : KEEPER_NONE;
}

const StatsModule wal_cycles_module = {
	.head_size = sizeof(WalCyclesShared),
	.slot_size = sizeof(WalSlot),
	.head = (void **) &shared,
	.tail = (void **) &slots,
	.enter = wal_cycles_enter,
	.reset = wal_cycles_reset,
	.saved_name = "wal_cycles",
	.saved_head_size = sizeof(WalCycles),
	.save = wal_cycles_save,
	.restore = wal_cycles_restore,
};
