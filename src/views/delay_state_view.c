/*-------------------------------------------------------------------------
 *
 * delay_state_view.c
 *		Functions behind commit_delay_state and commit_delay_changes.
 *
 * Locking: adaptive_delay_read() copies the state under
 * commit_stats_delay_lock(), shared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/guc.h"
#include "control/adaptive_delay.h"
#include "control/delay_override.h"
#include "stats/srf.h"

PG_FUNCTION_INFO_V1(commit_delay_state_1_0);
PG_FUNCTION_INFO_V1(commit_delay_changes_1_0);

/* us as ms; null if that is NaN */
static void
row_us(Row *row, const char *name, double us)
{
	row_rounded(row, name, us / 1000, 3);
}

Datum
commit_delay_state_1_0(PG_FUNCTION_ARGS)
{
	static AdaptiveDelayState state;
	const Spacing *spacing = &state.spacing;
	const SpacingTrial *trial = &spacing->trial;
	Row			row;

	row_init(fcinfo, &row);
	adaptive_delay_read(&state);
	row_bool(&row, "adaptive_delay", commit_stats_adaptive_delay);
	row_bool(&row, "in_force", delay_override_is_adaptive() &&
			 commit_stats_enabled && enableFsync);
	row_us(&row, "spacing", state.in_force);
	if (state.nchanges > 0)
	{
		const DelayChange *last =
		&state.change[(state.nchanges - 1) % DELAY_CHANGES_KEPT];

		row_text(&row, "reason", adaptive_delay_change_name(last->what));
		row_timestamp(&row, "changed_at", last->changed_at);
	}
	if (spacing->trials > 0)
	{
		row_text(&row, "trial", trial->running ? "running" :
				 adaptive_delay_change_name(trial->outcome));
		row_us(&row, "tried_spacing", trial->challenger);
		row_us(&row, "tried_response", spacing_response(trial, true));
		row_us(&row, "kept_response", spacing_response(trial, false));
	}
	if (spacing->quota.believed)
	{
		row_rounded(&row, "quota_flush_rate",
					spacing_quota_rate(spacing), 1);
		row_us(&row, "quota_window", spacing->quota.window);
		row_us(&row, "quota_spacing", spacing_floor(spacing));
	}
	if (spacing->usual > 0)
		row_us(&row, "flush_time", spacing->usual);
	row_number(&row, "trials", (uint64) spacing->trials);
	row_number(&row, "trials_won", (uint64) spacing->adoptions);
	row_number(&row, "quotas_found", (uint64) spacing->quotas_found);
	row_number(&row, "quotas_refuted", (uint64) spacing->quotas_refuted);
	row_number(&row, "changes", state.nchanges);
	row_put(&row);
	return (Datum) 0;
}

Datum
commit_delay_changes_1_0(PG_FUNCTION_ARGS)
{
	static AdaptiveDelayState state;
	uint64		first;
	Row			row;

	row_init(fcinfo, &row);
	adaptive_delay_read(&state);
	first = state.nchanges - Min(state.nchanges, DELAY_CHANGES_KEPT);
	for (uint64 i = first; i < state.nchanges; i++)
	{
		const DelayChange *change = &state.change[i % DELAY_CHANGES_KEPT];

		row_number(&row, "change", i + 1);
		row_timestamp(&row, "changed_at", change->changed_at);
		row_text(&row, "reason", adaptive_delay_change_name(change->what));
		row_us(&row, "spacing", change->spacing);
		row_us(&row, "response", change->response);
		row_us(&row, "response_before", change->response_before);
		if (change->flush_rate > 0)
			row_rounded(&row, "quota_flush_rate", change->flush_rate, 1);
		row_put(&row);
	}
	return (Datum) 0;
}
