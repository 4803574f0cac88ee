/*-------------------------------------------------------------------------
 *
 * worker.c
 *		The background worker; "Flushed N out of M commits" in the server log.
 *
 * A commit cannot write to the server log, because an error inside it would
 * be a PANIC.  The background worker does this and all else that is too slow
 * for a commit: it logs flushes (here), settles slow commits and derives the
 * limits above which they are slow (slow_logger.c), and follows the setting
 * of the adaptive delay and logs its decisions (delay_logger.c).
 *
 * The worker works after a process has woken it (worker_wake.c): it looks for
 * work every SETTLE_TIME, and stops after QUIET_NAPS that brought none.  A
 * flush group is logged once it is SETTLE_TIME old, as more followers may come
 * until then.  If groups leave the ring before they are logged, the worker
 * logs how many.
 *
 * All the time, the worker looks at the commits under way (watch.c), every
 * WATCH_EVERY_MS or, while nothing commits, WATCH_IDLE_MS.  No commit wakes it
 * for that.  It does not look while commit_stats.enabled is off.
 *
 * Locking: commit_stats_reset_lock(), shared, where limits are derived, and
 * exclusively, for a moment, when the worker starts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/guc.h"
#include "control/adaptive_delay.h"
#include "module/shared_memory.h"
#include "module/worker_wake.h"
#include "stats/backend_slots.h"
#include "stats/flush_ring.h"
#include "stats/watch.h"
#include "worker/worker.h"

#define SETTLE_TIME		50		/* ms until a group counts as complete */
#define QUIET_NAPS		20

static GroupNumber logged;		/* the last group that is logged, or lost */

/* For _PG_init, in the postmaster. */
void
worker_register(void)
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

/*
 * Skip groups that have left the ring.  Logs their number if the worker was
 * "following" the ring.
 */
static void
skip_lost_groups(GroupNumber newest, bool following)
{
	int			lost = flush_groups_distance(logged, newest);

	lost -= flush_groups_kept();
	if (lost <= 0)
		return;
	if (following)
		ereport(LOG,
				(errmsg("commit_stats could not log %d flushes", lost),
				 errdetail("They left the ring of recent flushes before they could be logged."),
				 errhint("Consider increasing the configuration parameter \"commit_stats.flush_log_size\".")));
	logged = flush_group_add(newest, -flush_groups_kept());
}

static bool
is_log_wanted(const FlushGroupCopy *group)
{
	return group->leader_pid != 0 && group->leader.log_wanted;
}

/* Log the settled groups, and return their number. */
static int
log_settled_groups(bool following)
{
	static uint32 active_before = 0;
	GroupNumber newest = flush_groups_newest();
	uint64		now = clock_now();
	int			nlogged = 0;

	skip_lost_groups(newest, following);
	while (logged != newest)
	{
		GroupNumber next = flush_group_add(logged, 1);
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
		logged = next;
	}
	return nlogged;
}

/* Now, or once it has settled */
static bool
has_work(void)
{
	GroupNumber newest = flush_groups_newest();
	FlushGroupCopy group;

	if (delay_logger_has_work() || slow_logger_has_work())
		return true;
	for (GroupNumber number = logged; number != newest;)
	{
		number = flush_group_add(number, 1);
		if (flush_group_copy(number, &group) && is_log_wanted(&group))
			return true;
	}
	return false;
}

static void
stop_learning(int code, Datum arg)
{
	adaptive_delay_settle();
}

/* Until the next look, or until woken: ms, or -1. */
static long
time_to_nap(bool following)
{
	if (following)
		return SETTLE_TIME;
	if (!commit_stats_enabled)
		return -1;
	return watch_is_quiet() ? WATCH_IDLE_MS : WATCH_EVERY_MS;
}

/* Sleep for "timeout" ms, or with -1 until woken.  Returns true if woken. */
static bool
nap(long timeout)
{
	int			events;

	events = WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH |
					   (timeout < 0 ? 0 : WL_TIMEOUT),
					   timeout, PG_WAIT_EXTENSION);
	/* a latch that is set just now wakes from the next nap */
	if (events & WL_LATCH_SET)
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
	return (events & WL_LATCH_SET) != 0;
}

/* Work that a process has reported; true if there was some. */
static bool
work(bool following)
{
	int			n = log_settled_groups(following);

	n += slow_logger_work(SETTLE_TIME * NS_PER_MS);
	delay_logger_work();
	return n > 0;
}

/* The worker, which ends when the server stops. */
void
commit_stats_flush_logger_main(Datum main_arg)
{
	bool		following = false;	/* looks for work after each nap */
	bool		woken = true;
	int			quiet = 0;		/* times in a row that there was no work */

	/* missing in a second copy of the library, preloaded under another name */
	shared_memory_require();

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();

	/* no database, but a row in pg_stat_activity */
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);

	on_shmem_exit(stop_learning, (Datum) 0);
	backend_slots_note_wal_start();
	delay_logger_follow_setting();
	logged = flush_groups_newest();
	worker_wake_start();
	MemoryContextSwitchTo(AllocSetContextCreate(TopMemoryContext,
												"commit_stats worker",
												ALLOCSET_SMALL_SIZES));
	for (;;)
	{
		MemoryContextReset(CurrentMemoryContext);
		if (woken && !following)
			quiet = 0;
		if (following || woken)
		{
			quiet = work(following) ? 0 : quiet + 1;
			following = quiet < QUIET_NAPS || !worker_wake_sleep(has_work);
		}
		if (commit_stats_enabled)
			watch_look();
		woken = nap(time_to_nap(following));
	}
}
