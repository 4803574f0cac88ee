/*-------------------------------------------------------------------------
 *
 * notify_lock.h
 *		Has the commit under way a NOTIFY in it?  See notify_lock.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_NOTIFY_LOCK_H
#define COMMIT_STATS_NOTIFY_LOCK_H

#include "base/compat.h"
#include "base/visibility.h"

/* The locks of this process that are in the same partition as that lock. */
extern COMMIT_STATS_HIDDEN const ProcLocks *notify_lock_neighbors;

/* Once, before the next function. */
extern void notify_lock_find(void);

extern bool notify_lock_is_held(void);

/* Commit path, between the commit record and the release of locks. */
static inline bool
commit_has_notify(void)
{
	return unlikely(!PROC_LOCKS_ARE_EMPTY(notify_lock_neighbors)) &&
		notify_lock_is_held();
}

#endif							/* COMMIT_STATS_NOTIFY_LOCK_H */
