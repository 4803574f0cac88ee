/*-------------------------------------------------------------------------
 *
 * notify_lock.c
 *		Whether the commit under way has a NOTIFY in it, what such commits did
 *		with their lock, and how many sessions of their database listen.
 *
 * A transaction with NOTIFY takes a lock before it writes its commit record
 * and holds the lock until it is over (PreCommit_Notify()).  So no two such
 * commits share a flush.
 *
 * The list of a process's locks is divided into 16 partitions.  If the
 * partition of that lock is empty, the lock is not held.  Once in 16
 * transactions, its only lock is that of the transaction's own id.  Otherwise
 * the process's own hash table of locks has the answer, after some 200
 * instructions.
 *
 * Locking: that lock protects NotifyShared for writers; a reset and readers
 * take none.  Another process may move fast-path locks of this process into
 * its lists, and nothing else, so the lists have at least the locks that this
 * process has put there itself.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "utils/timeout.h"

#include "base/shared_counters.h"
#include "module/stats_module.h"
#include "module/wall_clock.h"
#include "probe/notify_lock.h"

/* NotifyTotals as an array */
#define NTOTALS		(sizeof(NotifyTotals) / sizeof(uint64))

typedef struct NotifyShared
{
	int			pid;			/* of the latest commit with NOTIFY */
	pg_atomic_uint64 total[NTOTALS];
	uint64		base[NTOTALS];	/* at the last reset */
} NotifyShared;

/* Of "database 0", as PreCommit_Notify() locks it */
static const LOCKTAG notify_lock_tag = {
	.locktag_field2 = DatabaseRelationId,
	.locktag_type = LOCKTAG_OBJECT,
	.locktag_lockmethodid = DEFAULT_LOCKMETHOD
};

const ProcLocks *notify_lock_neighbors = NULL;

static NotifyShared *shared = NULL;

/*
 * By process that has entered: the database in which it may listen, or
 * InvalidOid.
 */
static pg_atomic_uint32 *listening_in = NULL;

/* That of this process, entered or not */
static Oid	my_database = InvalidOid;

bool
notify_lock_is(const LOCKTAG *tag)
{
	return memcmp(tag, &notify_lock_tag, sizeof(LOCKTAG)) == 0;
}

static void
notify_lock_enter(void)
{
	notify_lock_neighbors =
		&MyProc->myProcLocks[LockHashPartition(LockTagHashCode(&notify_lock_tag))];
	pg_atomic_write_u32(&listening_in[MyProcNumber], my_database);
}

static void
notify_lock_leave(void)
{
	pg_atomic_write_u32(&listening_in[MyProcNumber], InvalidOid);
}

static void
notify_lock_reset(TimestampTz now)
{
	counter_array_read(shared->base, shared->total, NTOTALS);
}

const StatsModule notify_lock_module = {
	.head_size = sizeof(NotifyShared),
	.slot_size = sizeof(pg_atomic_uint32),
	.head = (void **) &shared,
	.tail = (void **) &listening_in,
	.enter = notify_lock_enter,
	.leave = notify_lock_leave,
	.reset = notify_lock_reset,
};

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
	return LockHeldByMe(&notify_lock_tag, AccessExclusiveLock, false);
}

/*
 * ns that the commit under way waited for the lock, which it got when it was
 * about to write its record.  A session that waits for a lock starts the
 * timeout that looks for deadlocks, and the server keeps the time of that.
 */
uint64
notify_lock_wait(uint64 started_at, uint64 record_at)
{
	uint64		waits_at = clock_ns_at(get_timeout_start_time(DEADLOCK_TIMEOUT));

	/* the clocks may differ by CLOCKS_APART */
	if (waits_at + 2 * CLOCKS_APART < started_at || waits_at > record_at)
		return 0;
	return clock_elapsed(Max(waits_at, started_at), record_at);
}

/*
 * Count the commit under way, which holds the lock until now.  Returns the
 * process that held it before; 0: unknown.
 */
int
notify_lock_pass_on(const NotifyTotals *commit)
{
	int			before = shared->pid;

	shared->pid = MyProcPid;
	for (int i = 0; i < NTOTALS; i++)
		single_writer_add(&shared->total[i], ((const uint64 *) commit)[i]);
	return before;
}

/* A LISTEN or UNLISTEN may fail: the session counts as one that listens. */
void
notify_lock_set_listening(bool listens)
{
	if (!listens && IsTransactionBlock())
		return;
	my_database = listens ? MyDatabaseId : InvalidOid;
	/* a process that has not entered would not leave, either */
	if (notify_lock_neighbors != NULL)
		pg_atomic_write_u32(&listening_in[MyProcNumber], my_database);
}

int
notify_lock_listeners(Oid database)
{
	int			n = 0;

	for (int i = 0; i < MaxBackends; i++)
	{
		Oid			listens = pg_atomic_read_u32(&listening_in[i]);

		n += OidIsValid(listens) &&
			(listens == database || !OidIsValid(database));
	}
	return n;
}

void
notify_lock_read(NotifyTotals *totals)
{
	counter_array_read((uint64 *) totals, shared->total, NTOTALS);
	counter_array_subtract((uint64 *) totals, shared->base, NTOTALS);
}
