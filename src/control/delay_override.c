/*-------------------------------------------------------------------------
 *
 * delay_override.c
 *		Another commit_delay for all commits, for a while.
 *
 * CommitDelay and CommitSiblings are variables of each process.  The server
 * reads them in XLogFlush(), in the leader of a flush.  A backend that sets
 * them before it writes its commit record, and restores them after the flush
 * or when the transaction fails, has changed them for that one commit.  No
 * statement runs in between, so SHOW displays the configured values.
 *
 * A sweep gives an order; all backends obey it.  The standing order of
 * commit_stats.adaptive_delay is in force while no other is.
 *
 * Invariant: a backend obeys an order only if its commit begins before the
 * order's deadline, even if the process that gave the order has died.
 *
 * Locking: one atomic word holds an order's commit_delay, commit_siblings and
 * deadline, so a backend never mixes two orders.  The process that writes the
 * word holds the heavyweight lock of delay_override_experiment(), until the
 * end of its transaction at the latest.  pg_locks shows an advisory lock of
 * database 0, which SQL functions cannot take.  A single process (worker.c)
 * writes the standing order, without that lock.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lock.h"

#include "control/delay_override.h"
#include "module/stats_module.h"

/*
 * The fields of an order, from its lowest bit: siblings, delay, deadline.
 * The deadline is clock_now() in units of 2^20 ns, about a millisecond,
 * modulo 2^37, which is four and a half years.
 */
#define SIBLINGS_BITS	10
#define DELAY_BITS		17
#define DEADLINE_SHIFT	(SIBLINGS_BITS + DELAY_BITS)
#define DEADLINE_BITS	(64 - DEADLINE_SHIFT)
#define DEADLINE_UNIT	20		/* log2 ns */
#define LOW_BITS(n)		((UINT64CONST(1) << (n)) - 1)

StaticAssertDecl(COMMIT_SIBLINGS_MAX <= LOW_BITS(SIBLINGS_BITS),
				 "too few bits for commit_siblings");
StaticAssertDecl(DELAY_ADAPTIVE <= LOW_BITS(DELAY_BITS),
				 "too few bits for commit_delay");

DelayOverrideShared *delay_override_shared = NULL;
DelayObeyed delay_override_obeyed = OBEYS_SETTINGS;
DelayPair	delay_override_settings;

const StatsModule delay_override_module = {
	.head_size = sizeof(DelayOverrideShared),
	.head = (void **) &delay_override_shared,
};

/*---- The commit path ---------------------------------------------*/

/* Follow an order of a sweep unless its deadline has passed. */
void
delay_override_obey(uint64 order, uint64 now)
{
	int			delay = (int) ((order >> SIBLINGS_BITS) & LOW_BITS(DELAY_BITS));
	uint64		left = ((order >> DEADLINE_SHIFT) - (now >> DEADLINE_UNIT)) &
	LOW_BITS(DEADLINE_BITS);

	/* past the deadline, the difference has wrapped around */
	if (left == 0 || left > LOW_BITS(DEADLINE_BITS - 1))
		return;
	if (delay == DELAY_ADAPTIVE)
		delay_override_use(adaptive_delay_begin(now), 0, OBEYS_ADAPTIVE);
	else
		delay_override_use(delay, (int) (order & LOW_BITS(SIBLINGS_BITS)),
						   OBEYS_PAIR);
}

/*---- The process that experiments --------------------------------*/

/* However it ends: withdraw the order, the process id and the capture. */
static void
end_experiment(int code, Datum arg)
{
	uint64		standing;

	commit_trace_stop();
	/* the standing order may change at the same time */
	do
	{
		standing = pg_atomic_read_u64(&delay_override_shared->standing);
		pg_atomic_exchange_u64(&delay_override_shared->order, standing);
		pg_memory_barrier();	/* protocol override */
	} while (standing != pg_atomic_read_u64(&delay_override_shared->standing));
	pg_atomic_write_u32(&delay_override_shared->holder_pid, 0);
}

/*
 * Run an experiment, or raise an error if another one is running.  A sweep
 * shows its process id, and gives orders.
 */
void
delay_override_experiment(void (*run) (void *), void *arg, bool is_sweep)
{
	LOCKTAG		tag;
	int			pid;

	/* pg_advisory_lock() has 1 or 2 in the last field */
	SET_LOCKTAG_ADVISORY(tag, InvalidOid, 0, 0, 3);
	if (LockAcquire(&tag, ExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
	{
		pid = delay_override_holder();
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 pid == 0 ?
				 errmsg("another experiment with commit_delay is running") :
				 errmsg("another commit_delay_sweep is running"),
				 pid == 0 ?
				 errdetail("It is commit_delay_whatif, commit_remedies, or a commit_delay_sweep that has just begun.  Its process has the advisory lock of database 0 in pg_locks.") :
				 errdetail("Process %d runs it.", pid),
				 errhint("Wait for it to end, or cancel it with pg_cancel_backend().")));
	}
	PG_ENSURE_ERROR_CLEANUP(end_experiment, (Datum) 0);
	{
		if (is_sweep)
			pg_atomic_write_u32(&delay_override_shared->holder_pid, (uint32) MyProcPid);
		run(arg);
	}
	PG_END_ENSURE_ERROR_CLEANUP(end_experiment, (Datum) 0);
	end_experiment(0, (Datum) 0);
	LockRelease(&tag, ExclusiveLock, false);
}

/* Order all commits to use a pair until the clock shows "deadline". */
void
delay_override_set(const DelayPair *pair, uint64 deadline)
{
	/* above ORDER_ADAPT, also every few years when the field would be 0 */
	uint64		order = Max((deadline >> DEADLINE_UNIT) &
							LOW_BITS(DEADLINE_BITS), 1);

	order = (order << DELAY_BITS) | (uint64) pair->delay;
	order = (order << SIBLINGS_BITS) | (uint64) pair->siblings;
	pg_atomic_write_u64(&delay_override_shared->order, order);
}

/* The process id of the sweep that is running; 0: none. */
int
delay_override_holder(void)
{
	return (int) pg_atomic_read_u32(&delay_override_shared->holder_pid);
}

/*---- The process that reads the setting for all ------------------*/

/* Follow commit_stats.adaptive_delay while there is no sweep, or do not. */
void
delay_override_set_adaptive(bool adaptive)
{
	uint64		standing = adaptive ? ORDER_ADAPT : 0;
	uint64		before = pg_atomic_exchange_u64(&delay_override_shared->standing, standing);

	pg_memory_barrier();		/* protocol override */

	/* fails if a sweep has given an order; it will leave the standing one */
	(void) pg_atomic_compare_exchange_u64(&delay_override_shared->order, &before, standing);
}

/* Do commits obey the setting, apart from a sweep? */
bool
delay_override_is_adaptive(void)
{
	return pg_atomic_read_u64(&delay_override_shared->standing) != 0;
}
