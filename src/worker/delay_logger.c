/*-------------------------------------------------------------------------
 *
 * delay_logger.c
 *		commit_stats.adaptive_delay in the background worker.
 *
 * The worker reads the setting for all processes, when it reads the
 * configuration, lets adaptive_delay.c learn, and writes its decisions to the
 * server log.
 *
 * Locking: none here; functions of adaptive_delay.c take
 * commit_stats_delay_lock().
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/guc.h"
#include "control/adaptive_delay.h"
#include "control/delay_override.h"
#include "worker/worker.h"

#define NOT_FOLLOWED	-1

static int	followed = NOT_FOLLOWED;	/* the setting, as it was last */
static bool logging = false;	/* commit_stats.log_delay_changes, likewise */
static uint64 logged = 0;		/* changes up to this one */

/* The worker has started, or has read the configuration. */
void
delay_logger_follow_setting(void)
{
	if (!logging)
		logged = adaptive_delay_changes();
	logging = commit_stats_log_delay_changes;
	if (commit_stats_adaptive_delay == followed)
	{
		/* commit_stats.adaptive_delay_max may have changed */
		adaptive_delay_settle();
		return;
	}
	followed = commit_stats_adaptive_delay;
	/* a sweep would lose what it measures */
	if (followed && delay_override_holder() != 0)
		followed = NOT_FOLLOWED;
	else if (followed)
		adaptive_delay_restart();
	delay_override_set_adaptive(followed > 0);
}

bool
delay_logger_has_work(void)
{
	return followed == NOT_FOLLOWED ||
		(logging && adaptive_delay_changes() != logged);
}

static void
log_change(const DelayChange *change)
{
	const char *reason = adaptive_delay_change_name(change->what);

	ereport(LOG,
			(errmsg("commit_stats spacing: %.3f ms (%s)",
					change->spacing / 1000, reason),
			 !isnan(change->response) ?
			 errdetail("Transactions took %.3f ms in the mean, and %.3f ms with the spacing before.",
					   change->response / 1000,
					   change->response_before / 1000) :
			 change->flush_rate > 0 ?
			 errdetail("The device seems to allow %.0f flushes per second, in windows of %.0f ms.",
					   change->flush_rate, change->window / 1000) : 0));
}

/* Log the changes since the last call, as far as they are kept. */
static void
log_changes(void)
{
	static AdaptiveDelayState state;

	adaptive_delay_read(&state);
	if (state.nchanges > logged + DELAY_CHANGES_KEPT)
		logged = state.nchanges - DELAY_CHANGES_KEPT;
	for (; logged < state.nchanges; logged++)
		log_change(&state.change[logged % DELAY_CHANGES_KEPT]);
}

/* Each turn of the worker: try again to follow the setting, learn, and log. */
void
delay_logger_work(void)
{
	adaptive_delay_look();
	if (followed == NOT_FOLLOWED)
		delay_logger_follow_setting();
	if (logging && delay_logger_has_work())
		log_changes();
}
