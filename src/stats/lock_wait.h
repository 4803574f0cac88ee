/* The heavyweight lock that another process waits for; see lock_wait.c. */
#ifndef COMMIT_STATS_LOCK_WAIT_H
#define COMMIT_STATS_LOCK_WAIT_H

#include "datatype/timestamp.h"
#include "storage/lock.h"
#include "storage/proc.h"

typedef struct LockWait
{
	LOCKTAG		tag;
	TimestampTz since;			/* PGPROC.waitStart; 0: just now */
	int			holder_pid;		/* at the end of the chain, or, of a circle,
								 * the first one; 0: unknown */
	bool		holder_prepared:1;	/* it is a prepared transaction */
	bool		holder_commits:1;	/* it is in a commit */
	bool		holder_idle:1;	/* else: it waits for its client, ... */
	bool		holder_active:1;	/* ... perhaps in a COPY */
	bool		holder_outside:1;	/* whatever it does, in no transaction */
	bool		chained:1;		/* the lock is that of another process, which
								 * waits for the holder */
	bool		circle:1;		/* ... or, at last, for this process or for
								 * itself */
} LockWait;

/* Any process but a committing one: takes one partition lock, shared. */
extern bool lock_wait_read(PGPROC *proc, LockWait *wait);

/* The same, or of both it is not known */
static inline bool
lock_wait_has_same_holder(const LockWait *a, const LockWait *b)
{
	return a->holder_pid == b->holder_pid && a->holder_prepared == b->holder_prepared;
}

/*
 * For the same lock, or holder; prepared transactions count as one.  Of those
 * that wait for a row, only the first one waits for its transaction.
 */
static inline bool
lock_wait_is_same(const LockWait *a, const LockWait *b)
{
	return a->holder_prepared || b->holder_prepared ?
		a->holder_prepared && b->holder_prepared :
		(a->holder_pid != 0 && a->holder_pid == b->holder_pid) ||
		memcmp(&a->tag, &b->tag, sizeof(LOCKTAG)) == 0;
}

/* "relation pg_type, held by pid 4711"; palloc'd, in a transaction. */
extern char *lock_wait_describe(const LockWait *wait);

#endif							/* COMMIT_STATS_LOCK_WAIT_H */
