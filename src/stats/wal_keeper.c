/*-------------------------------------------------------------------------
 *
 * wal_keeper.c
 *		What keeps WAL segments from being recycled.
 *
 * A checkpoint gives the segments that it no longer needs to the WAL to come.
 * It leaves those that a replication slot needs, and the newest ones, of
 * wal_keep_size.  So pg_wal grows to that size first, and until then each
 * segment is made anew.
 *
 * Locking: ReplicationSlotControlLock, shared, and within it the spinlock of
 * each entry.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/stat.h>

#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "replication/slot.h"

#include "base/compat.h"
#include "stats/wal_keeper.h"

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
	XLogRecPtr	redo;
	XLogRecPtr	least;
	XLogRecPtr	oldest;

	if (RecoveryInProgress())
		return KEEPER_NONE;

	redo = GetRedoRecPtr();
	/* without it, the last checkpoint would have recycled a segment more */
	least = oldest = redo - Min(Max(size, wal_segment_size), redo);
	LWLockAcquire(ReplicationSlotControlLock, LW_SHARED);
	for (int i = 0; i < REPLICATION_SLOTS; i++)
	{
		ReplicationSlot *entry = &ReplicationSlotCtl->replication_slots[i];
		XLogRecPtr	needs;

		if (!entry->in_use)
			continue;
		SpinLockAcquire(&entry->mutex);
		needs = SLOT_IS_INVALID(entry) ? oldest : entry->data.restart_lsn;
		SpinLockRelease(&entry->mutex);
		if (needs >= oldest)
			continue;
		oldest = needs;
		*slot = entry->data.name;
	}
	LWLockRelease(ReplicationSlotControlLock);
	return oldest < least ? KEEPER_SLOT :
		size > 0 && size_is_growing(size) ? KEEPER_SIZE : KEEPER_NONE;
}
