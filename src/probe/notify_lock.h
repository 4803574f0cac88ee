/*-------------------------------------------------------------------------
 *
 * notify_lock.h
 *		Whether the commit under way has a NOTIFY in it; see notify_lock.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_NOTIFY_LOCK_H
#define COMMIT_STATS_NOTIFY_LOCK_H

#include "base/compat.h"
#include "module/stats_module.h"

/* The locks of this process that are in the same partition as that lock. */
extern COMMIT_STATS_HIDDEN const ProcLocks *notify_lock_neighbors;

extern const StatsModule notify_lock_module;

/* What commits with NOTIFY did with the lock; ns. */
typedef struct NotifyTotals
{
	uint64		commits;
	uint64		hold_time;
	uint64		flush_time;
} NotifyTotals;

extern bool notify_lock_is_held(void);
extern void notify_lock_read(NotifyTotals *totals);
extern int	notify_lock_listeners(Oid database);	/* -1: unknown */

/* Commit path, between the commit record and the release of locks. */
static inline bool
commit_has_notify(void)
{
	return unlikely(!PROC_LOCKS_ARE_EMPTY(notify_lock_neighbors)) &&
		notify_lock_is_held();
}

#endif							/* COMMIT_STATS_NOTIFY_LOCK_H */
