/*-------------------------------------------------------------------------
 *
 * flush_logger.c
 *		"Flushed N out of M commits" in the server log.
 *
 * The leader of a flush cannot write the message: it is inside its commit,
 * where nothing may fail, and does not know yet how many followers will turn
 * up.  So a background worker writes it, in the order of the flushes, once a
 * group is SETTLE_TIME old.  The worker sleeps until a leader with
 * commit_stats.log_flushes on wakes it, and sleeps again when no such group
 * came for a while.  If groups leave the ring faster than it can log them, it
 * says how many it missed.
 *
 * Locking: none; see the two fields of FlushLoggerShared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/wait_event.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/guc.h"
#include "base/shared_memory.h"
#include "commit/flush_logger.h"
#include "stats/flush_groups.h"

#define SETTLE_TIME		50		/* ms until a group counts as complete */
#define QUIET_NAPS		20		/* looks in vain before it goes to sleep */

typedef struct FlushLoggerShared
{
	/* The worker's process number plus 1, or 0; only the worker writes it. */
	pg_atomic_uint32 procno_plus_one;

	/*
	 * 1 while the worker looks every SETTLE_TIME by itself.  The worker
	 * clears it before it goes to sleep; the leader that sets it wakes the
	 * worker.
	 */
	pg_atomic_uint32 awake;
} FlushLoggerShared;

static FlushLoggerShared *shared = NULL;

static void
flush_logger_attach(void *head, void *tail, bool found)
{
	shared = head;
	if (found)
		return;
	pg_atomic_init_u32(&shared->procno_plus_one, 0);
	pg_atomic_init_u32(&shared->awake, 0);
}

const StatsModule flush_logger_module = {
	.head_size = sizeof(FlushLoggerShared),
	.attach = flush_logger_attach,
};

/* For _PG_init, in the postmaster. */
void
flush_logger_register(void)
{
	BackgroundWorker worker = {0};

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS |
		BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = 5;
	strlcpy(worker.bgw_library_name, "commit_stats", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "commit_stats_flush_logger_main",
			BGW_MAXLEN);
	strlcpy(worker.bgw_name, "commit_stats flush logger", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "commit_stats flush logger", BGW_MAXLEN);
	RegisterBackgroundWorker(&worker);
}

/* Commit path: there is something to log.  A system call a second at most. */
void
flush_logger_wake(void)
{
	uint32		procno_plus_one = pg_atomic_read_u32(&shared->procno_plus_one);

	/* first the report, then the look at "awake"; see fall_asleep() */
	pg_memory_barrier();
	if (procno_plus_one == 0 || pg_atomic_read_u32(&shared->awake) != 0 ||
		pg_atomic_exchange_u32(&shared->awake, 1) != 0)
		return;
	SetLatch(&ProcGlobal->allProcs[procno_plus_one - 1].procLatch);
}

/*
 * Make sure that the group after "logged" is still there to be logged, and
 * complain if it is not although we were "following" the ring.
 */
static GroupNumber
skip_lost_groups(GroupNumber logged, GroupNumber newest, bool following)
{
	int			lost = flush_groups_distance(logged, newest);

	lost -= flush_groups_kept();
	if (lost <= 0)
		return logged;
	if (following)
		ereport(LOG,
				(errmsg("commit_stats could not log %d flushes", lost),
				 errdetail("They left the ring of recent flushes before they could be logged."),
				 errhint("Consider increasing the configuration parameter \"commit_stats.flush_log_size\".")));
	return flush_group_add(newest, -flush_groups_kept());
}

/*
 * Log the settled groups after "*logged" whose leader wanted it, and return
 * their number.
 */
static int
log_settled_groups(GroupNumber *logged, bool following)
{
	static uint32 active_before = 0;
	GroupNumber newest = flush_groups_newest();
	uint64		now = clock_now();
	int			nlogged = 0;

	*logged = skip_lost_groups(*logged, newest, following);
	while (*logged != newest)
	{
		GroupNumber next = flush_group_add(*logged, 1);
		FlushGroupCopy group;
		uint32		active;

		CHECK_FOR_INTERRUPTS();
		if (flush_group_copy(next, &group))
		{
			if (clock_elapsed(group.seen_at, now) < SETTLE_TIME * UINT64CONST(1000000))
				break;
			active = flush_group_active(&group, &active_before);
			if (group.leader_pid != 0 && group.leader.log_wanted)
			{
				ereport(LOG,
						(errmsg_internal(FLUSH_MESSAGE, group.commits, active)));
				nlogged++;
			}
		}
		*logged = next;
	}
	return nlogged;
}

/*
 * Is there anything to log after "logged", settled or not?  Asked after it was
 * announced that the worker goes to sleep: a leader that reported before that
 * may have relied on it being awake.
 */
static bool
anything_to_log(GroupNumber logged)
{
	GroupNumber newest = flush_groups_newest();
	FlushGroupCopy group;

	while (logged != newest)
	{
		logged = flush_group_add(logged, 1);
		if (flush_group_copy(logged, &group) &&
			group.leader_pid != 0 && group.leader.log_wanted)
			return true;
	}
	return false;
}

/*
 * May the worker sleep until it is woken?  From then on leaders will wake it.
 */
static bool
fall_asleep(GroupNumber logged)
{
	pg_atomic_write_u32(&shared->awake, 0);
	pg_memory_barrier();
	if (!anything_to_log(logged))
		return true;
	pg_atomic_write_u32(&shared->awake, 1);
	return false;
}

static void
forget_worker(int code, Datum arg)
{
	pg_atomic_write_u32(&shared->procno_plus_one, 0);
}

/* Sleep for "timeout" ms, or with -1 until somebody wakes us. */
static void
nap(long timeout)
{
	int			events = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH;

	if (timeout >= 0)
		events |= WL_TIMEOUT;
	(void) WaitLatch(MyLatch, events, timeout, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();

	/* Not 0, which would mean that the worker is not wanted any more. */
	if (ShutdownRequestPending)
		proc_exit(1);
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
}

/* The worker.  It ends when the server stops. */
void
commit_stats_flush_logger_main(Datum main_arg)
{
	GroupNumber logged;
	bool		following = false;
	int			quiet = 0;

	/* preloaded under another name, this is a second copy without memory */
	shared_memory_require();

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();

	/* no database, but a place in pg_stat_activity */
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);

	on_shmem_exit(forget_worker, (Datum) 0);
	logged = flush_groups_newest();
	pg_atomic_write_u32(&shared->awake, 1);
	pg_atomic_write_u32(&shared->procno_plus_one, MyProcNumber + 1);

	for (;;)
	{
		if (log_settled_groups(&logged, following) > 0)
			quiet = 0;
		following = ++quiet < QUIET_NAPS || !fall_asleep(logged);
		nap(following ? SETTLE_TIME : -1);
		if (!following)
			quiet = 0;
	}
}
