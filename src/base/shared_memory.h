/*-------------------------------------------------------------------------
 *
 * shared_memory.h
 *		The one shared memory segment; see shared_memory.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SHARED_MEMORY_H
#define COMMIT_STATS_SHARED_MEMORY_H

#include "storage/lwlock.h"

/* Serializes statistics resets against readers and against each other. */
#define commit_stats_reset_lock() \
	(&GetNamedLWLockTranche("commit_stats")[0].lock)

/*
 * Serializes processes that begin or end to count against resets and against
 * readers of databases.c.  Of the transactions of a process, only the first takes
 * it.  A process that wants both takes the other one first.
 */
#define commit_stats_databases_lock() \
	(&GetNamedLWLockTranche("commit_stats")[2].lock)

/* The only way to take them; LWLockRelease() gives them back. */
extern void acquire_reset_lock(LWLockMode mode);
extern void acquire_databases_lock(LWLockMode mode);

/* LWLocks: two, and a gate for each. */
#define SHARED_MEMORY_LOCKS		4

/* Is there shared memory in this process?  Only if the library was preloaded. */
extern bool shared_memory_attached;

/* Bytes in all, and those that each backend more would add; set with it. */
extern Size shared_memory_size;
extern Size shared_memory_per_backend;

extern void shared_memory_report_missing(int elevel);
extern void shared_memory_require(void);

#endif							/* COMMIT_STATS_SHARED_MEMORY_H */
