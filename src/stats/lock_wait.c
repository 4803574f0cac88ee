/*-------------------------------------------------------------------------
 *
 * lock_wait.c
 *		The heavyweight lock that another process waits for.
 *
 * Locking: none yet.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "stats/lock_wait.h"

bool
lock_wait_is_notify(const LOCKTAG *tag)
{
	return false;
}

bool
lock_wait_read(PGPROC *proc, LockWait *wait)
{
	return false;
}

char *
lock_wait_describe(const LockWait *wait)
{
	return pstrdup("lock");
}
