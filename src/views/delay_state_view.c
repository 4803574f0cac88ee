/*-------------------------------------------------------------------------
 *
 * delay_state_view.c
 *		Functions behind commit_delay_state and commit_delay_changes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/guc.h"
#include "control/adaptive_delay.h"
#include "control/delay_override.h"
#include "control/next_flush.h"
#include "control/session_habits.h"
#include "views/srf.h"

PG_FUNCTION_INFO_V1(commit_delay_state_1_0);
PG_FUNCTION_INFO_V1(commit_delay_changes_1_0);

static void
read_state(AdaptiveDelayState *state)
{
	if (!adaptive_delay_read(state))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("the state of commit_stats.adaptive_delay cannot be read"),
				 errdetail("A process was stopped while it wrote the state.")));
}

/* A time of the pacer. */
static TimestampTz
pacer_timestamp(double us)
{
	return clock_timestamp_at((uint64) us * NS_PER_US, clock_offset());
}

static void
row_since(Row *row, TimestampTz since)
{
	row_add(row, TimestampTzGetDatum(since), since == 0);
}

/* Columns from "pacing" to "flush_time" */
static void
row_pacing(Row *row, const AdaptiveDelayState *state)
{
	const Pacer *pacer = &state->pacer;
	double		interval = pacer_interval(pacer);

	row_text(row, adaptive_delay_mode_name(true, pacer->mode));
	row_text(row, adaptive_delay_reason_name(true, pacer->reason));
	row_since(row, state->pacing_since);
	if (interval == 0)
		row_nulls(row, 5);
	else
	{
		row_rounded(row, pacer->rate * 1e6, 1);
		row_text(row, pacer->steps > 0 ? "no stall" : "stalls");
		row_since(row, pacer_timestamp(pacer->stepped_at));
		row_rounded(row, pacer->window / 1000, 1);
		row_rounded(row, interval / 1000, 3);
	}
	row_rounded(row, pacer->nflushes > 0 ? pacer->median / 1000 : NAN, 3);
}

/* Columns from "gathering" to "gathering_gain" */
static void
row_gathering(Row *row, const AdaptiveDelayState *state)
{
	if (state->gathering_since == 0)
	{
		row_nulls(row, 4);
		return;
	}
	row_text(row, adaptive_delay_mode_name(false, state->trial.mode));
	row_text(row, adaptive_delay_reason_name(false, state->trial.reason));
	row_since(row, state->gathering_since);
	row_rounded(row, state->trial.gain, 3);
}

/* An array of process ids */
static void
row_waited_for(Row *row)
{
	int			pid[SESSION_VISITS_MOST];
	Datum		element[SESSION_VISITS_MOST];
	int			n = next_flush_waited_for(pid);

	for (int i = 0; i < n; i++)
		element[i] = Int32GetDatum(pid[i]);
	row_datum(row, PointerGetDatum(construct_array(element, n, INT4OID,
												   sizeof(int32), true,
												   TYPALIGN_INT)));
}

Datum
commit_delay_state_1_0(PG_FUNCTION_ARGS)
{
	static AdaptiveDelayState state;
	Row			row;

	row_init(fcinfo, &row);
	read_state(&state);
	row_text(&row, GetConfigOption("commit_stats.adaptive_delay", false, false));
	row_bool(&row, delay_override_is_adaptive() && commit_stats_enabled &&
			 enableFsync);
	row_pacing(&row, &state);
	row_gathering(&row, &state);
	row_waited_for(&row);
	row_int8(&row, state.began.pacer[PACER_PACES]);
	row_int8(&row, state.began.pacer[PACER_RESTS]);
	row_int8(&row, state.began.gather[GATHER_TRIES]);
	row_int8(&row, state.began.gather[GATHER_ON]);
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
	read_state(&state);
	first = state.nchanges - Min(state.nchanges, DELAY_CHANGES_KEPT);
	for (uint64 i = first; i < state.nchanges; i++)
	{
		const DelayChange *change = &state.change[i % DELAY_CHANGES_KEPT];

		row_int8(&row, i + 1);
		row_datum(&row, TimestampTzGetDatum(change->changed_at));
		row_text(&row, change->of_pacer ? "pacing" : "gathering");
		row_text(&row, adaptive_delay_mode_name(change->of_pacer,
												change->mode));
		row_text(&row, adaptive_delay_reason_name(change->of_pacer,
												  change->reason));
		row_rounded(&row, change->rate > 0 ? change->rate : NAN, 1);
		row_rounded(&row, change->gain, 3);
		row_put(&row);
	}
	return (Datum) 0;
}
