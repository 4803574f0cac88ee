/* The shared memory segment and its locks; see shared_memory.c. */
#ifndef COMMIT_STATS_SHARED_MEMORY_H
#define COMMIT_STATS_SHARED_MEMORY_H

#include "storage/lwlock.h"

/* Two locks, and a gate behind each; and one without. */
#define SHARED_MEMORY_LOCKS		5

/* Serializes resets and ends of checkpoint cycles, also against readers. */
#define commit_stats_reset_lock() \
	(&GetNamedLWLockTranche("commit_stats")[0].lock)

/*
 * Processes that begin or end to count, or to count for another client, hold
 * it shared; a new client, a reset and readers of entry_table.c exclusively.
 */
#define commit_stats_clients_lock() \
	(&GetNamedLWLockTranche("commit_stats")[2].lock)

/* Protects what commit_stats.adaptive_delay has learned. */
#define commit_stats_delay_lock() \
	(&GetNamedLWLockTranche("commit_stats")[4].lock)

/* Instead of LWLockAcquire() for the two with a gate. */
extern void shared_memory_acquire(LWLock *lock, LWLockMode mode);

/* True if the library was preloaded. */
extern bool shared_memory_attached;

extern void shared_memory_install_hooks(void);
extern Size shared_memory_size(int backends);
extern void shared_memory_enter(void);
extern void shared_memory_report_missing(int elevel);
extern void shared_memory_require(void);

#endif							/* COMMIT_STATS_SHARED_MEMORY_H */
