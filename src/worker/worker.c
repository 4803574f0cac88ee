/*-------------------------------------------------------------------------
 *
 * worker.c
 *		The background worker; "Flushed N out of M commits" in the server log.
 *
 * A commit cannot write to the server log, because an error inside it would
 * be a PANIC.  The background worker does this and all else that is too slow
 * for a commit: it logs flushes, as flush_message() says, and the decisions of
 * the adaptive delay (here), settles slow commits and derives the limits above
 * which they are slow (slow_logger.c), ends checkpoint cycles (wal_cycles.c),
 * reads the setting of the adaptive delay for all processes, and lets
 * adaptive_delay.c learn.
 *
 * It does so after each nap.  While commit_stats.enabled is on, it first looks
 * at the commits under way, as often as the head of watch.c says; and then
 * whether a minute of the history is over (history.c).  A flush group is
 * logged once it is SETTLE_TIME old, as more followers may come until then.
 *
 * What wakes the worker (watch_wake_worker()) brings no look forward, unless a
 * session asks for the end of a minute: leaders wake it as their flush ends,
 * for the adaptive delay, when others do what they rarely do.
 *
 * Locking: commit_stats_reset_lock(), shared, where limits are derived, and
 * exclusively, for a moment, when the worker starts and when a checkpoint
 * cycle ends; adaptive_delay.c takes commit_stats_delay_lock(), and history.c
 * three locks.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "miscadmin.h"
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
#include "control/delay_override.h"
#include "history/history.h"
#include "module/shared_memory.h"
#include "stats/backend_slots.h"
#include "stats/flush_ring.h"
#include "stats/slow_log.h"
#include "stats/wal_cycles.h"
#include "stats/watch.h"
#include "worker/worker.h"

#define QUIET_LOOKS		10

static GroupNumber logged;		/* the last group that is logged, or lost */
static uint64 logged_changes;	/* of the delay, up to this one */

void
worker_register(void)
{
	BackgroundWorker worker = {
		.bgw_name = "commit_stats worker",
		.bgw_type = "commit_stats worker",
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished,
		.bgw_restart_time = 5,
		.bgw_library_name = "commit_stats",
		.bgw_function_name = "commit_stats_worker_main"
	};

	RegisterBackgroundWorker(&worker);
}

/*---- The adaptive delay ------------------------------------------*/

/* The worker has started, or has read the configuration. */
static void
follow_adaptive_delay(void)
{
	bool		begins = commit_stats_adaptive_delay && !delay_override_is_adaptive();

	/* a sweep would lose what it measures; work() tries again */
	if (begins && delay_override_holder() != 0)
		return;
	/* or else commit_stats.adaptive_delay_max may have changed */
	adaptive_delay_settle(begins);
	delay_override_set_adaptive(commit_stats_adaptive_delay);
}

/* Log the changes since the last call, as far as they are kept. */
static void
log_changes(void)
{
	static AdaptiveDelayState state;

	adaptive_delay_read(&state);
	if (state.nchanges > logged_changes + DELAY_CHANGES_KEPT)
		logged_changes = state.nchanges - DELAY_CHANGES_KEPT;
	for (; logged_changes < state.nchanges; logged_changes++)
	{
		const DelayChange *it = &state.change[logged_changes % DELAY_CHANGES_KEPT];

		ereport(LOG,
				(errmsg("commit_stats spacing: %.3f ms (%s)", it->spacing / 1000,
						delay_change_names[it->what]),
				 !isnan(it->response) ?
				 errdetail("Transactions took %.3f ms in the mean, and %.3f ms with the spacing before.",
						   it->response / 1000, it->response_before / 1000) :
				 it->flush_rate > 0 ?
				 errdetail("The device seems to allow %.0f flushes per second, in windows of %.0f ms.",
						   it->flush_rate, it->window / 1000) : 0));
	}
}

/*---- The log of flushes ------------------------------------------*/

/* Skip groups that have left the ring, and log their number if "wanted". */
static void
skip_lost_groups(GroupNumber newest, bool wanted)
{
	int			lost = flush_groups_distance(logged, newest) - flush_groups_kept();

	if (lost <= 0)
		return;
	if (wanted)
		ereport(LOG,
				(errmsg_plural("commit_stats could not log %d flush",
							   "commit_stats could not log %d flushes",
							   lost, lost),
				 errdetail("They left the ring of recent flushes before they could be logged."),
				 errhint("Consider increasing the configuration parameter \"commit_stats.flush_log_size\".")));
	logged = flush_group_add(newest, -flush_groups_kept());
}

static void
log_settled_groups(void)
{
	static uint32 active_before = 0;
	static bool wanted = false; /* by the last leader */
	GroupNumber newest = flush_groups_newest();
	uint64		now = clock_now();

	skip_lost_groups(newest, wanted || commit_stats_log_flushes);
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
			if (group.leader_pid != 0)
				wanted = group.leader.log_wanted;
			if (group.leader_pid != 0 && wanted)
				ereport(LOG,
						(errmsg_internal("%s", flush_message(&group, active))));
		}
		logged = next;
	}
}

/*---- The worker --------------------------------------------------*/

static void
stop_learning(int code, Datum arg)
{
	adaptive_delay_settle(false);
}

/* Sleep for "timeout" ms, or until woken. */
static void
nap(long timeout)
{
	uint64		began_at = clock_now();
	int			events;

	events = WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | WL_TIMEOUT,
					   timeout, PG_WAIT_EXTENSION);
	/* for the next look, of which there is none meanwhile */
	if (commit_stats_enabled)
		watch_note_nap(timeout, clock_elapsed(began_at, clock_now()) / NS_PER_MS);
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
		watch_note_settings();
		follow_adaptive_delay();
	}
}

/* What processes have reported */
static void
work(void)
{
	wal_cycles_look();
	log_settled_groups();
	slow_logger_work();
	adaptive_delay_look();
	if (commit_stats_adaptive_delay != delay_override_is_adaptive())
		follow_adaptive_delay();
	if (!commit_stats_log_delay_changes)
		logged_changes = adaptive_delay_changes();
	else if (adaptive_delay_changes() != logged_changes)
		log_changes();
}

/* ns until the next look, while anything commits */
static uint64
soon(void)
{
	return (WATCH_EVERY_MS + pg_prng_uint64_range(&pg_global_prng_state, 0,
												  WATCH_VARIES_MS)) * NS_PER_MS;
}

void
commit_stats_worker_main(Datum main_arg)
{
	int			quiet = 0;		/* looks in a row at which nothing committed */
	uint64		due = 0;		/* the next look */

	/* missing in a second copy of the library, preloaded under another name */
	shared_memory_require();

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();

	/* no database, but a row in pg_stat_activity */
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);

	/* a reload before there was a handler is lost, and the setting is old */
	ProcessConfigFile(PGC_SIGHUP);

	on_shmem_exit(stop_learning, (Datum) 0);
	backend_slots_note_wal_start();
	logged_changes = adaptive_delay_changes();
	/* what another worker has learned is too old */
	delay_override_set_adaptive(false);
	follow_adaptive_delay();
	logged = flush_groups_newest();
	history_start();
	watch_start();
	MemoryContextSwitchTo(AllocSetContextCreate(TopMemoryContext,
												"commit_stats worker",
												ALLOCSET_SMALL_SIZES));
	for (;;)
	{
		uint64		now = clock_now();
		long		timeout;

		MemoryContextReset(CurrentMemoryContext);
		/* first, as it explains what has been reported */
		if (now >= due || history_is_asked())
		{
			quiet = commit_stats_enabled && watch_look() ? 0 : quiet + 1;
			due = now + (quiet < QUIET_LOOKS ? soon() : WATCH_IDLE_MS * NS_PER_MS);
		}
		slow_log_derive_limits(quiet == 0);
		work();
		timeout = history_look();
		if (commit_stats_enabled || quiet < QUIET_LOOKS)
			timeout = Min(timeout, (due - now + NS_PER_MS - 1) / NS_PER_MS);
		nap(timeout);
	}
}
