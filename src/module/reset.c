/*-------------------------------------------------------------------------
 *
 * reset.c
 *		commit_stats_reset(): all modules start from zero.
 *
 * Counters are never cleared.  A module remembers its totals, and readers
 * subtract them.  Backends may count meanwhile: all that a module remembers
 * stems from one copy, as that of backend_slots_copy(), so nothing is lost and
 * nothing counts twice.
 *
 * Invariant: a reset resets everything or nothing.  Whatever may raise an
 * error comes before the first change.
 *
 * Locking: commit_stats_reset_lock() exclusively, so other resets and readers
 * of totals wait; commits do not take it.  Then commit_stats_clients_lock()
 * exclusively, for which readers of clients.c wait, and processes that
 * register, exit, or become another client.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/timestamp.h"

#include "module/shared_memory.h"
#include "module/stats_module.h"

PG_FUNCTION_INFO_V1(commit_stats_reset_1_0);

Datum
commit_stats_reset_1_0(PG_FUNCTION_ARGS)
{
	TimestampTz now;

	shared_memory_require();
	shared_memory_acquire(commit_stats_reset_lock(), LW_EXCLUSIVE);
	CALL_MODULES(reset_prepare, ());
	shared_memory_acquire(commit_stats_clients_lock(), LW_EXCLUSIVE);
	now = GetCurrentTimestamp();
	CALL_MODULES(reset_copy, ());

	/* no error from here on */
	CALL_MODULES(reset, (now));
	LWLockRelease(commit_stats_clients_lock());
	LWLockRelease(commit_stats_reset_lock());
	PG_RETURN_TIMESTAMPTZ(now);
}
