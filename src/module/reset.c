/*-------------------------------------------------------------------------
 *
 * reset.c
 *		commit_stats_reset().
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
#include "stats/backend_slots.h"
#include "stats/clients.h"
#include "stats/flush_totals.h"
#include "stats/latency.h"
#include "stats/slow_log.h"
#include "stats/stall_limit.h"
#include "stats/wal_cycles.h"

PG_FUNCTION_INFO_V1(commit_stats_reset_1_0);

Datum
commit_stats_reset_1_0(PG_FUNCTION_ARGS)
{
	LatencyTotals *latency = palloc(sizeof(LatencyTotals));
	SlotCopy   *slots;
	WalCycleCopy cycle;
	TimestampTz now;

	shared_memory_require();
	shared_memory_acquire(commit_stats_reset_lock(), LW_EXCLUSIVE);
	/* these may have to wait for a process that is stopped */
	flush_totals_wait();
	wal_cycles_prepare_reset(&cycle);
	shared_memory_acquire(commit_stats_clients_lock(), LW_EXCLUSIVE);
	now = GetCurrentTimestamp();
	/* the slots first: they must have all that the groups have */
	slots = backend_slots_copy();
	latency_add_up(latency);
	flush_totals_reset();

	/* no error from here on */
	backend_slots_reset(slots, now);
	clients_reset(slots);
	latency_reset(latency);
	wal_cycles_reset(&cycle);
	slow_log_reset();
	stall_limit_reset();
	LWLockRelease(commit_stats_clients_lock());
	LWLockRelease(commit_stats_reset_lock());
	PG_RETURN_TIMESTAMPTZ(now);
}
