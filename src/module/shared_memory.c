/*-------------------------------------------------------------------------
 *
 * shared_memory.c
 *		State, size and locks of the shared memory segment.
 *
 * src/module/segment.c requests the segment and lays it out.
 *
 * Locking: shared_memory.h says what the two LWLocks protect.  A process that
 * needs both takes commit_stats_reset_lock() first.  On the commit path, only
 * a transaction that registers its process, or is the first of another client
 * (clients.c), takes one of them, commit_stats_clients_lock().
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "module/shared_memory.h"

bool		shared_memory_attached = false;
Size		shared_memory_size = 0;
Size		shared_memory_per_backend = 0;

/*
 * Take one of the locks through its gate, which is the next lock of the
 * tranche.  The server grants a lock that is held shared to further readers,
 * so that a process that waits for it exclusively could starve.  Here such a
 * process holds the gate while it waits, and new readers queue there instead.
 * A reader holds the gate shared, and no longer than it takes to get the lock,
 * so readers keep neither each other nor, for long, such a process waiting.
 */
void
shared_memory_acquire(LWLock *lock, LWLockMode mode)
{
	LWLock	   *gate = &((LWLockPadded *) lock)[1].lock;

	LWLockAcquire(gate, mode);
	LWLockAcquire(lock, mode);
	LWLockRelease(gate);
}

void
shared_memory_report_missing(int elevel)
{
	ereport(elevel,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("commit_stats must be loaded via \"shared_preload_libraries\""),
			 errhint("Add commit_stats to shared_preload_libraries in postgresql.conf and restart the server.  Reloading the configuration is not enough.")));
}

/* For every SQL-callable function. */
void
shared_memory_require(void)
{
	if (!shared_memory_attached)
		shared_memory_report_missing(ERROR);
}
