/*-------------------------------------------------------------------------
 *
 * shared_memory.c
 *		Is there shared memory, how much, and its locks.
 *
 * src/segment.c asks for the one segment and lays it out.
 *
 * Locking: the module owns two LWLocks.  Readers and commit_stats_reset() take
 * commit_stats_reset_lock().  Readers of databases.c, the reset, and each process
 * at its first transaction and at its exit take commit_stats_databases_lock(),
 * which is short.  The commit path of any other transaction takes neither.  The
 * reset takes them in this order.  Each has a gate, a further lock that is held
 * only while the lock itself is waited for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/shared_memory.h"

bool		shared_memory_attached = false;
Size		shared_memory_size = 0;
Size		shared_memory_per_backend = 0;

/*
 * While a lock is held shared, the server grants it to further readers, so a
 * process that wants it exclusively would wait for as long as there is always a
 * reader.  New readers queue on the gate instead, and cannot overtake it.
 */
static void
acquire_through_gate(LWLock *lock, LWLock *gate, LWLockMode mode)
{
	LWLockAcquire(gate, LW_EXCLUSIVE);
	LWLockAcquire(lock, mode);
	LWLockRelease(gate);
}

void
acquire_reset_lock(LWLockMode mode)
{
	acquire_through_gate(commit_stats_reset_lock(),
						 &GetNamedLWLockTranche("commit_stats")[1].lock, mode);
}

void
acquire_databases_lock(LWLockMode mode)
{
	acquire_through_gate(commit_stats_databases_lock(),
						 &GetNamedLWLockTranche("commit_stats")[3].lock, mode);
}

/* The one message of a library that is not preloaded. */
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
