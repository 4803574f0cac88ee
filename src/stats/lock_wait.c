/*-------------------------------------------------------------------------
 *
 * lock_wait.c
 *		The heavyweight lock that another process waits for.
 *
 * The server wakes a waiter when no conflicting lock is held, and none is
 * wanted by a process that has waited longer.  The blocker is a process of the
 * first kind, or else of the second.  A blocker that waits for a lock has a
 * blocker itself; the holder is the one at the end of this chain, if it has
 * one.  watch.c keeps what it has seen for "blocked_by" of commit_slow_log.
 *
 * Locking: the server changes PGPROC.waitLock, and the list of processes that
 * hold or want a lock, under the lock of the partition of its hash table.
 * lock_wait_read() takes that one shared, for one step of the chain at a time.
 * The tag says which partition it is, so it is read before, and compared under
 * the lock: entries of the hash table are used again, but never unmapped.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"

#include "base/compat.h"
#include "probe/notify_lock.h"
#include "stats/commit_phase.h"
#include "stats/lock_wait.h"
#include "stats/sql_value.h"

/* Steps of a chain, or of a deadlock, which is a circle */
#define MAX_STEPS		8

/* Transactions of a session until the COMMIT PREPARED of an earlier one */
#define MAX_BETWEEN		8

/* Under the lock of the partition. */
static PGPROC *
find_blocker(LOCK *lock, PGPROC *waiter)
{
	LOCKMASK	conflicts =
	GetLocksMethodTable(lock)->conflictTab[waiter->waitLockMode];
	uint64		since = pg_atomic_read_u64(&waiter->waitStart);
	PGPROC	   *before = NULL;

	LOCK_HOLDERS(lock, other)
	{
		PGPROC	   *proc = other->tag.myProc;

		if (proc == waiter)
			continue;
		if (other->holdMask & conflicts)
			return proc;
		if (proc->waitLock == lock &&
			(conflicts & LOCKBIT_ON(proc->waitLockMode)) &&
			pg_atomic_read_u64(&proc->waitStart) < since)
			before = proc;
	}
	return before;
}

/* One step of the chain.  False if "waiter" waits for no lock. */
static bool
read_step(PGPROC *waiter, LOCKTAG *tag, PGPROC **blocker)
{
	LOCK	   *lock = *(LOCK *volatile *) &waiter->waitLock;
	LWLock	   *partition;
	bool		found;

	if (lock == NULL)
		return false;
	*tag = lock->tag;
	partition = LockHashPartitionLock(LockTagHashCode(tag));
	LWLockAcquire(partition, LW_SHARED);
	found = waiter->waitLock == lock &&
		memcmp(&lock->tag, tag, sizeof(LOCKTAG)) == 0;
	if (found)
		*blocker = find_blocker(lock, waiter);
	LWLockRelease(partition);
	return found;
}

static bool
is_member(PGPROC *const *chain, int n, const PGPROC *proc)
{
	while (n > 0 && chain[n - 1] != proc)
		n--;
	return n > 0;
}

/*
 * The session that is in COMMIT PREPARED of this transaction, if it is the one
 * that has prepared it, a short time ago; or the transaction itself.
 */
static PGPROC *
find_committer(PGPROC *prepared)
{
	PhaseReading reading;

	for (int i = 0; i < MaxBackends; i++)
	{
		PGPROC	   *proc = &ProcGlobal->allProcs[i];

		/* COMMIT PREPARED has no id of its own */
		if (proc->pid != 0 && PROC_BACKEND(proc) == PROC_BACKEND(prepared) &&
			PROC_LXID(proc) - PROC_LXID(prepared) <= MAX_BETWEEN &&
			!TransactionIdIsValid(proc->xid) &&
			commit_phase_read(proc, PHASE_UNKNOWN, &reading) &&
			reading.phase > PHASE_BEFORE && reading.phase < PHASE_AFTER)
			return proc;
	}
	return prepared;
}

bool
lock_wait_read(PGPROC *proc, LockWait *wait)
{
	PGPROC	   *chain[MAX_STEPS + 1] = {proc};
	PGPROC	   *holder;
	PGPROC	   *next;
	PhaseReading reading;
	LOCKTAG		tag;

	memset(wait, 0, sizeof(LockWait));
	if (!read_step(proc, &wait->tag, &holder))
		return false;
	wait->since = pg_atomic_read_u64(&proc->waitStart);
	for (int i = 1; i <= MAX_STEPS && holder != NULL && !wait->circle; i++)
	{
		chain[i] = holder;
		if (!read_step(holder, &tag, &next) || next == NULL)
			break;
		wait->circle = is_member(chain, i + 1, next);
		holder = wait->circle ? chain[1] : next;
		wait->chained = true;
	}
	if (holder != NULL && holder->pid == 0)
		holder = find_committer(holder);
	if (holder != NULL)
	{
		wait->holder_pid = holder->pid;
		wait->holder_prepared = holder->pid == 0;
		wait->holder_commits = commit_phase_read(holder, PHASE_UNKNOWN, &reading);
		wait->holder_idle = holder->wait_event_info == WAIT_EVENT_CLIENT_READ &&
			!wait->holder_commits;
		/* as a statement has, and few sessions between two of them */
		wait->holder_active = TransactionIdIsValid(holder->xmin);
		wait->holder_outside = !wait->holder_prepared &&
			!LocalTransactionIdIsValid(PROC_LXID(holder));
	}
	return true;
}

/*
 * The name, if no lock that somebody holds on pg_class is in the way.  Whoever
 * owns the relation has chosen it, and it stands in the report.
 */
static char *
relation_name(Oid database, Oid relation)
{
	char	   *name = NULL;

	if ((database == MyDatabaseId || database == InvalidOid) &&
		ConditionalLockRelationOid(RelationRelationId, AccessShareLock))
	{
		name = get_rel_name(relation);
		UnlockRelationOid(RelationRelationId, AccessShareLock);
	}
	if (name == NULL)
		return psprintf("relation %u of database %u", relation, database);
	replace_controls(name, '?');
	return psprintf("relation %s", name);
}

static char *
describe_tag(const LOCKTAG *tag)
{
	char	   *relation;
	StringInfoData text;

	switch ((LockTagType) tag->locktag_type)
	{
		case LOCKTAG_RELATION:
		case LOCKTAG_RELATION_EXTEND:
		case LOCKTAG_PAGE:
		case LOCKTAG_TUPLE:
			relation = relation_name(tag->locktag_field1, tag->locktag_field2);
			if (tag->locktag_type == LOCKTAG_RELATION)
				return relation;
			return psprintf("%s of %s",
							tag->locktag_type == LOCKTAG_TUPLE ? "row" :
							tag->locktag_type == LOCKTAG_PAGE ? "page" :
							"extension", relation);
		case LOCKTAG_TRANSACTION:
			return psprintf("transaction %u", tag->locktag_field1);
		case LOCKTAG_ADVISORY:
			/* one key of 64 bits, or two */
			if (tag->locktag_field4 == 1)
				return psprintf("advisory lock " INT64_FORMAT,
								(int64) ((uint64) tag->locktag_field2 << 32 |
										 tag->locktag_field3));
			return psprintf("advisory lock %d, %d", (int) tag->locktag_field2,
							(int) tag->locktag_field3);
		default:
			if (notify_lock_is(tag))
				return pstrdup("the lock of NOTIFY");
			initStringInfo(&text);
			DescribeLockTag(&text, tag);
			return text.data;
	}
}

char *
lock_wait_describe(const LockWait *wait)
{
	char	   *what = describe_tag(&wait->tag);

	if (wait->holder_prepared)
		return psprintf("%s, held by a prepared transaction", what);
	if (wait->holder_pid == 0)
		return what;
	return psprintf("%s, held by pid %d%s", what, wait->holder_pid,
					wait->circle ?
					" (a circle of waits, which the server ends after deadlock_timeout)" :
					!wait->holder_idle ? "" :
					wait->holder_active ? " (waits for its client)" :
					wait->holder_outside ? " (idle)" : " (idle in transaction)");
}
