/*-------------------------------------------------------------------------
 *
 * notify_lock.c
 *		Has the commit under way a NOTIFY in it?
 *
 * A transaction with NOTIFY takes a lock before it writes its commit record
 * and holds the lock until it is over (PreCommit_Notify()).  So no two such
 * commits share a flush.
 *
 * The list of a process's locks is divided into partitions.  If the partition
 * of that lock is empty, the lock is not held; this is so for 15 of 16 other
 * transactions.  Otherwise the process's own hash table of locks has the
 * answer.
 *
 * Locking: none.  Another process may move locks of relations into the lists
 * of this process, which can only make a list longer.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_database.h"
#include "storage/lock.h"

#include "probe/notify_lock.h"

const ProcLocks *notify_lock_neighbors = NULL;

static LOCKTAG
notify_lock_tag(void)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, InvalidOid, 0);
	return tag;
}

void
notify_lock_find(void)
{
	LOCKTAG		tag = notify_lock_tag();

	notify_lock_neighbors =
		&MyProc->myProcLocks[LockHashPartition(LockTagHashCode(&tag))];
}

pg_noinline bool
notify_lock_is_held(void)
{
	LOCKTAG		tag = notify_lock_tag();

	return LOCK_HELD_BY_ME(&tag, AccessExclusiveLock);
}
