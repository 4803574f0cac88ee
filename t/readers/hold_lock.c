/*-------------------------------------------------------------------------
 *
 * hold_lock.c
 *		Holds the LWLock of readers and resets, for t/readers_lock_held.pl.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "fmgr.h"
#include "storage/lwlock.h"
#include "utils/builtins.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(hold_reset_lock);

#define MAX_SECONDS		90		/* nobody can cancel it */

/*
 * hold_reset_lock(file text, exclusive boolean): hold the lock, like a reset
 * or a slow reader, as long as the file exists, which it makes when it has
 * the lock.
 */
Datum
hold_reset_lock(PG_FUNCTION_ARGS)
{
	LWLock	   *lock = &GetNamedLWLockTranche("commit_stats")[0].lock;
	char	   *path = text_to_cstring(PG_GETARG_TEXT_PP(0));

	LWLockAcquire(lock, PG_GETARG_BOOL(1) ? LW_EXCLUSIVE : LW_SHARED);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	for (int i = 0; i < MAX_SECONDS * 100 && access(path, F_OK) == 0; i++)
		pg_usleep(10000);
	LWLockRelease(lock);
	PG_RETURN_VOID();
}
