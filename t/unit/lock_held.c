/*-------------------------------------------------------------------------
 *
 * lock_held.c
 *		LWLOCK_IS_HELD() of src/base/compat.h as an SQL function, for
 *		t/unit/lock_held.pl.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "storage/lwlock.h"
#include "utils/builtins.h"

#include "base/compat.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(lock_held);

/* Is WALWriteLock held: before, while, and after this process holds it? */
Datum
lock_held(PG_FUNCTION_ARGS)
{
	LWLockMode	mode = PG_GETARG_BOOL(0) ? LW_EXCLUSIVE : LW_SHARED;
	bool		before = LWLOCK_IS_HELD(WALWriteLock);
	bool		held;

	LWLockAcquire(WALWriteLock, mode);
	held = LWLOCK_IS_HELD(WALWriteLock);
	LWLockRelease(WALWriteLock);
	PG_RETURN_TEXT_P(cstring_to_text(psprintf("%d %d %d", before, held,
											  LWLOCK_IS_HELD(WALWriteLock))));
}
