/*-------------------------------------------------------------------------
 *
 * notify_lock.c
 *		Whether the commit under way has a NOTIFY in it.
 *
 * A transaction with NOTIFY takes a lock before it writes its commit record
 * and holds the lock until it is over (PreCommit_Notify()).  So no two such
 * commits share a flush.
 *
 * The list of a process's locks is divided into 16 partitions.  If the
 * partition of that lock is empty, the lock is not held.  Where it is not, its
 * only lock is mostly that of the transaction's own id, which falls into each
 * partition once in 16 transactions.  Otherwise the process's own hash table
 * of locks has the answer, after some 200 instructions.
 *
 * Locking: none.  Another process may move locks of relations into the lists
 * of this process, and nothing else, so the lists have at least the locks that
 * this process has put there itself.
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

static void
notify_lock_enter(void)
{
	LOCKTAG		tag = notify_lock_tag();

	notify_lock_neighbors =
		&MyProc->myProcLocks[LockHashPartition(LockTagHashCode(&tag))];
}

const StatsModule notify_lock_module = {
	.enter = notify_lock_enter,
};

/* The hash table of this process knows; a frame, hence not inlined. */
static pg_noinline bool
look_up_notify_lock(void)
{
	LOCKTAG		tag = notify_lock_tag();

	return LOCK_HELD_BY_ME(&tag, AccessExclusiveLock);
}

/*
 * The only lock of a list cannot be another than that of NOTIFY, if this
 * process holds that.  Of a lock that another process moves there just now,
 * not everything may be visible yet, but what is there is null or a lock.
 */
bool
notify_lock_is_held(void)
{
	const ProcLockLink *first = PROC_LOCKS_FIRST(notify_lock_neighbors);
	const LOCK *only;

	if (first == PROC_LOCKS_LAST(notify_lock_neighbors))
	{
		only = ((const PROCLOCK *) ((const char *) first -
									offsetof(PROCLOCK, procLink)))->tag.myLock;
		if (only != NULL && only->tag.locktag_type == LOCKTAG_TRANSACTION)
			return false;
	}
	return look_up_notify_lock();
}

void
notify_lock_read(NotifyTotals *totals)
{
	memset(totals, 0, sizeof(NotifyTotals));
}

int
notify_lock_listeners(Oid database)
{
	return -1;
}
