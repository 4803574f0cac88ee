/*-------------------------------------------------------------------------
 *
 * delay_state_view.c
 *		Functions behind commit_delay_state and commit_delay_changes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/guc.h"
#include "control/adaptive_delay.h"
#include "control/delay_override.h"
#include "views/srf.h"

PG_FUNCTION_INFO_V1(commit_delay_state_1_0);
PG_FUNCTION_INFO_V1(commit_delay_changes_1_0);

/* us as ms; null if that is NaN */
static void
row_us(Row *row, double us)
{
	row_rounded(row, us / 1000, 3);
}

/* Columns from "spacing" to "changed_at" */
static void
row_spacing(Row *row, const AdaptiveDelayState *state)
{
	const DelayChange *last;

	row_us(row, state->in_force);
	if (state->nchanges == 0)
	{
		row_nulls(row, 2);
		return;
	}
	last = &state->change[(state->nchanges - 1) % DELAY_CHANGES_KEPT];
	row_text(row, adaptive_delay_change_name(last->what));
	row_datum(row, TimestampTzGetDatum(last->changed_at));
}

/* Columns from "trial" to "kept_response" */
static void
row_trial(Row *row, const Spacing *spacing)
{
	const SpacingTrial *trial = &spacing->trial;

	if (spacing->trials == 0)
	{
		row_nulls(row, 4);
		return;
	}
	row_text(row, trial->running ? "running" :
			 adaptive_delay_change_name(trial->outcome));
	row_us(row, trial->challenger);
	row_us(row, adaptive_delay_response(trial, true));
	row_us(row, adaptive_delay_response(trial, false));
}

/* Columns from "quota_flush_rate" to "flush_time" */
static void
row_device(Row *row, const Spacing *spacing)
{
	const SpacingQuota *quota = &spacing->quota;

	if (quota->believed)
	{
		row_rounded(row, adaptive_delay_quota_rate(spacing), 1);
		row_us(row, quota->window);
		row_us(row, spacing_floor(spacing));
	}
	else
		row_nulls(row, 3);
	row_us(row, spacing->usual > 0 ? spacing->usual : NAN);
}

Datum
commit_delay_state_1_0(PG_FUNCTION_ARGS)
{
	static AdaptiveDelayState state;
	Row			row;

	row_init(fcinfo, &row);
	adaptive_delay_read(&state);
	row_bool(&row, commit_stats_adaptive_delay);
	row_bool(&row, delay_override_is_adaptive() && commit_stats_enabled &&
			 enableFsync);
	row_spacing(&row, &state);
	row_trial(&row, &state.spacing);
	row_device(&row, &state.spacing);
	row_int8(&row, (uint64) state.spacing.trials);
	row_int8(&row, (uint64) state.spacing.adoptions);
	row_int8(&row, (uint64) state.spacing.quotas_found);
	row_int8(&row, (uint64) state.spacing.quotas_refuted);
	row_int8(&row, state.nchanges);
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

		row_int8(&row, i + 1);
		row_datum(&row, TimestampTzGetDatum(change->changed_at));
		row_text(&row, adaptive_delay_change_name(change->what));
		row_us(&row, change->spacing);
		row_us(&row, change->response);
		row_us(&row, change->response_before);
		row_rounded(&row, change->flush_rate > 0 ? change->flush_rate : NAN, 1);
		row_put(&row);
	}
	return (Datum) 0;
}
