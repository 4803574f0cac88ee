/* NOTIFY in the commit under way, and its lock; see notify_lock.c. */
#ifndef COMMIT_STATS_NOTIFY_LOCK_H
#define COMMIT_STATS_NOTIFY_LOCK_H

#include "storage/lock.h"

#include "base/compat.h"

/* The locks of this process that are in the same partition as that lock. */
extern COMMIT_STATS_HIDDEN const ProcLocks *notify_lock_neighbors;

/* Commits with NOTIFY, and what they did with the lock; ns */
typedef struct NotifyTotals
{
	uint64		commits;
	uint64		hold_time;		/* to the second callback; from the first one,
								 * or from the record after a wait */
	uint64		flush_time;		/* of this, waited for a flush */
	uint64		write_time;		/* ... up to the record: wrote messages */
} NotifyTotals;

extern bool notify_lock_is(const LOCKTAG *tag);
extern bool notify_lock_is_held(void);
extern uint64 notify_lock_wait(uint64 started_at, uint64 record_at);
extern int	notify_lock_pass_on(const NotifyTotals *commit);
extern void notify_lock_set_listening(bool listens);

/*
 * Readers.  Sessions that may listen in a database, or in any (InvalidOid);
 * since the last reset
 */
extern int	notify_lock_listeners(Oid database);
extern void notify_lock_read(NotifyTotals *totals);

/* Commit path, between the commit record and the release of locks. */
static inline bool
commit_has_notify(void)
{
	return unlikely(!PROC_LOCKS_ARE_EMPTY(notify_lock_neighbors)) &&
		notify_lock_is_held();
}

#endif							/* COMMIT_STATS_NOTIFY_LOCK_H */
