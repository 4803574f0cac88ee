/*-------------------------------------------------------------------------
 *
 * flush_logger.c
 *		"Flushed N out of M commits" in the server log.
 *
 * The leader of a flush cannot write the message: an error inside its commit
 * would be a PANIC, and more followers may still come.  A background worker
 * writes it, in the order of the flushes, once a group is SETTLE_TIME old.
 * The worker sleeps until a leader with commit_stats.log_flushes wakes it,
 * then looks at the ring every SETTLE_TIME, and sleeps again after QUIET_NAPS
 * looks at which there was nothing to log.  If groups leave the ring before
 * they are logged, the worker logs how many.
 *
 * The worker does the same for the decisions of commit_stats.adaptive_delay
 * (delay_logger.c), and for slow commits (slow_logger.c), and derives the
 * limits of stall_limit.c.
 *
 * Locking: none; see FlushLoggerShared.
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
#include "control/adaptive_delay.h"
#include "module/shared_memory.h"
#include "stats/backend_slots.h"
#include "stats/flush_groups.h"
#include "stats/stall_limit.h"
#include "worker/delay_logger.h"
#include "worker/flush_logger.h"
#include "worker/slow_logger.h"

#define SETTLE_TIME		50		/* ms until a group counts as complete */
#define QUIET_NAPS		20

typedef struct FlushLoggerShared
{
	/* The worker's process number plus 1, or 0; only the worker writes it. */
	pg_atomic_uint32 procno_plus_one;

	/*
	 * 1 while the worker looks every SETTLE_TIME.  The worker clears it
	 * before it sleeps; a leader that sets it wakes the worker.
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

/* Commit path: there is something to log.  At most a system call a second. */
void
flush_logger_wake(void)
{
	uint32		procno_plus_one = pg_atomic_read_u32(&shared->procno_plus_one);

	/* the report comes before the look at "awake"; see fall_asleep() */
	pg_memory_barrier();		/* protocol wake */
	if (procno_plus_one == 0 || pg_atomic_read_u32(&shared->awake) != 0 ||
		pg_atomic_exchange_u32(&shared->awake, 1) != 0)
		return;
	SetLatch(&ProcGlobal->allProcs[procno_plus_one - 1].procLatch);
}

/* Commit path: the adaptive delay has something to decide. */
void
flush_logger_wake_now(void)
{
	uint32		procno_plus_one = pg_atomic_read_u32(&shared->procno_plus_one);

	if (procno_plus_one != 0)
		SetLatch(&ProcGlobal->allProcs[procno_plus_one - 1].procLatch);
}

/*
 * The last group that is logged or has left the ring.  Logs the number of the
 * latter if the worker was "following" the ring.
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

/* Does the leader of a group, if it has reported, want a message? */
static bool
is_log_wanted(const FlushGroupCopy *group)
{
	return group->leader_pid != 0 && group->leader.log_wanted;
}

/* Log the settled groups after "*logged", and return their number. */
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
			if (clock_elapsed(group.seen_at, now) < SETTLE_TIME * NS_PER_MS)
				break;
			active = flush_group_active(&group, &active_before);
			if (is_log_wanted(&group))
			{
				char	   *message = flush_message(&group, active);

				ereport(LOG, (errmsg_internal("%s", message)));
				pfree(message);
				nlogged++;
			}
		}
		*logged = next;
	}
	return nlogged;
}

/* Is there anything to log after "logged", settled or not? */
static bool
anything_to_log(GroupNumber logged)
{
	GroupNumber newest = flush_groups_newest();
	FlushGroupCopy group;

	if (delay_logger_pending() || slow_logger_behind())
		return true;
	while (logged != newest)
	{
		logged = flush_group_add(logged, 1);
		if (flush_group_copy(logged, &group) && is_log_wanted(&group))
			return true;
	}
	return false;
}

/*
 * May the worker sleep until it is woken?  A leader that found "awake" set has
 * reported before, so the look after clearing it finds that report.
 */
static bool
fall_asleep(GroupNumber logged)
{
	pg_atomic_write_u32(&shared->awake, 0);
	pg_memory_barrier();		/* protocol wake */
	if (!anything_to_log(logged))
		return true;
	pg_atomic_write_u32(&shared->awake, 1);
	return false;
}

static void
forget_worker(int code, Datum arg)
{
	adaptive_delay_settle();
	pg_atomic_write_u32(&shared->procno_plus_one, 0);
	stall_limit_set_worker(0);
}

/* Sleep for "timeout" ms, or with -1 until woken. */
static void
nap(long timeout)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH |
					 (timeout < 0 ? 0 : WL_TIMEOUT),
					 timeout, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();

	/* 0 would mean that the worker need not be started again */
	if (ShutdownRequestPending)
		proc_exit(1);
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
		delay_logger_follow_setting();
	}
}

/* The worker, which ends when the server stops. */
void
commit_stats_flush_logger_main(Datum main_arg)
{
	GroupNumber logged;
	bool		following = false;
	int			quiet = 0;

	/* missing in a second copy of the library, preloaded under another name */
	shared_memory_require();

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();

	/* no database, but a row in pg_stat_activity */
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);

	on_shmem_exit(forget_worker, (Datum) 0);
	backend_slots_note_wal_start();
	delay_logger_follow_setting();
	logged = flush_groups_newest();
	pg_atomic_write_u32(&shared->awake, 1);
	pg_atomic_write_u32(&shared->procno_plus_one, MyProcNumber + 1);
	stall_limit_set_worker(MyProcNumber + 1);

	for (;;)
	{
		if (log_settled_groups(&logged, following) > 0)
			quiet = 0;
		if (slow_logger_work(SETTLE_TIME * NS_PER_MS) > 0)
			quiet = 0;
		delay_logger_work();
		following = ++quiet < QUIET_NAPS || !fall_asleep(logged);
		nap(following ? SETTLE_TIME : -1);
		if (!following)
			quiet = 0;
	}
}
