/*-------------------------------------------------------------------------
 *
 * delay_override.c
 *		Another commit_delay for a while, for all commits, without a trace.
 *
 * CommitDelay and CommitSiblings are variables of each process, which only the
 * leader of a flush reads, inside XLogFlush().  A backend that sets them before
 * its commit record is written and puts them back after the flush, or when the
 * transaction fails, has changed them for that one commit.  No SQL runs in
 * between, so nobody can see other values than the configured ones, and there
 * is no configuration to clean up.
 *
 * Invariant: an order is followed only before its deadline, whatever becomes of
 * the process that gave it; and a backend has the values of its settings
 * whenever it is not between the two callbacks of one commit.
 *
 * Locking: the order is one atomic word, so that a pair never meets another
 * one's deadline.  Who may write it is decided by a heavyweight lock, which the
 * server releases at the end of the transaction, however it ends; it shows in
 * pg_locks as an advisory lock of no database, where no user's lock can be.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lock.h"

#include "base/compat.h"
#include "base/guc.h"
#include "control/delay_override.h"

/*
 * An order: the deadline, the delay and the siblings.  The deadline counts
 * 2^20 ns, about a millisecond, of clock_now(), modulo 2^37 of them, which is
 * four and a half years.
 */
#define SIBLINGS_BITS	10
#define DELAY_BITS		17
#define DEADLINE_SHIFT	(SIBLINGS_BITS + DELAY_BITS)
#define DEADLINE_BITS	(64 - DEADLINE_SHIFT)
#define DEADLINE_UNIT	20		/* log2 ns */
#define LOW_BITS(n)		((UINT64CONST(1) << (n)) - 1)

StaticAssertDecl(COMMIT_SIBLINGS_MAX <= LOW_BITS(SIBLINGS_BITS),
				 "no room for commit_siblings");
StaticAssertDecl(COMMIT_DELAY_MAX <= LOW_BITS(DELAY_BITS),
				 "no room for commit_delay");

typedef struct DelayOverrideShared
{
	pg_atomic_uint64 order;		/* written by the holder of the lock */
	pg_atomic_uint32 holder_pid;	/* likewise; 0: nobody */
} DelayOverrideShared;

pg_atomic_uint64 *delay_override_order = NULL;
bool		delay_override_in_force = false;

static DelayOverrideShared *shared = NULL;
static DelayPair own_settings;	/* while an order is in force */

static void
delay_override_attach(void *head, void *tail, bool found)
{
	shared = head;
	delay_override_order = &shared->order;
	if (found)
		return;
	pg_atomic_init_u64(&shared->order, 0);
	pg_atomic_init_u32(&shared->holder_pid, 0);
}

const StatsModule delay_override_module = {
	.head_size = sizeof(DelayOverrideShared),
	.attach = delay_override_attach,
};

/*----------------------------------------------------------------
 * The commit path
 *----------------------------------------------------------------
 */

/* An order is there: follow it if it is still in time. */
void
delay_override_obey(uint64 order, uint64 now)
{
	uint64		left = ((order >> DEADLINE_SHIFT) - (now >> DEADLINE_UNIT)) &
		LOW_BITS(DEADLINE_BITS);

	Assert(!delay_override_in_force);
	/* past the deadline, the difference has wrapped around */
	if (left == 0 || left > LOW_BITS(DEADLINE_BITS - 1))
		return;
	own_settings.delay = CommitDelay;
	own_settings.siblings = CommitSiblings;
	CommitDelay = (int) ((order >> SIBLINGS_BITS) & LOW_BITS(DELAY_BITS));
	CommitSiblings = (int) (order & LOW_BITS(SIBLINGS_BITS));
	delay_override_in_force = true;
}

void
delay_override_restore(void)
{
	CommitDelay = own_settings.delay;
	CommitSiblings = own_settings.siblings;
	delay_override_in_force = false;
}

/*----------------------------------------------------------------
 * The process that holds the experiment
 *----------------------------------------------------------------
 */

static void
make_lock_tag(LOCKTAG *tag)
{
	/* 1 and 2 in the last field are those of pg_advisory_lock() */
	SET_LOCKTAG_ADVISORY(*tag, InvalidOid, 0, 0, 3);
}

static void
refuse_second_experiment(void)
{
	int			pid = delay_override_holder();

	if (pid == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("another experiment with commit_delay is running"),
				 errdetail("It is commit_delay_whatif, or a sweep that has just begun."),
				 errhint("Wait for it to end.")));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_IN_USE),
			 errmsg("another commit_delay_sweep is running"),
			 errdetail("Process %d runs it.", pid),
			 errhint("Wait for it to end, or cancel it with pg_cancel_backend().")));
}

/*
 * See to it that nobody else gives orders, without giving any; or raise an
 * error.
 */
void
delay_override_lock(void)
{
	LOCKTAG		tag;

	make_lock_tag(&tag);
	if (LockAcquire(&tag, ExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		refuse_second_experiment();
}

/* Take the right to give orders, or raise an error. */
void
delay_override_hold(void)
{
	delay_override_lock();
	pg_atomic_write_u32(&shared->holder_pid, (uint32) MyProcPid);
}

/*
 * Take back whatever was ordered.  May be called while the process exits; the
 * lock goes with the transaction if delay_override_release() is not reached.
 */
void
delay_override_clear(void)
{
	pg_atomic_write_u64(&shared->order, 0);
	pg_atomic_write_u32(&shared->holder_pid, 0);
}

/* After delay_override_lock(). */
void
delay_override_unlock(void)
{
	LOCKTAG		tag;

	make_lock_tag(&tag);
	LockRelease(&tag, ExclusiveLock, false);
}

void
delay_override_release(void)
{
	delay_override_clear();
	delay_override_unlock();
}

/* The process id of who holds the experiment; 0: nobody. */
int
delay_override_holder(void)
{
	return (int) pg_atomic_read_u32(&shared->holder_pid);
}

/* Order all commits to use a pair until the clock shows "deadline". */
void
delay_override_set(const DelayPair *pair, uint64 deadline)
{
	uint64		order = deadline >> DEADLINE_UNIT;

	order = (order << DELAY_BITS) | (uint64) pair->delay;
	order = (order << SIBLINGS_BITS) | (uint64) pair->siblings;
	pg_atomic_write_u64(&shared->order, order);
}
