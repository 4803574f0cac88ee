/*-------------------------------------------------------------------------
 *
 * sweep_view.c
 *		commit_delay_sweep(): from arguments to a plan, from results to rows.
 *
 * The arguments are checked here, before anything changes; sweep.c checks the
 * load.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "utils/timestamp.h"

#include "base/wait.h"
#include "tuning/sweep.h"
#include "tuning/tuning_args.h"
#include "views/delta_columns.h"

PG_FUNCTION_INFO_V1(commit_delay_sweep_1_0);

/*
 * Commits may keep a pair for one slot after its sweep has died, so slots have
 * a maximum.  Shorter ones than the minimum would be mostly settling.
 */
#define SLOT_MIN		(100 * NS_PER_MS)
#define SLOT_MAX		(10 * NS_PER_S)
#define DURATION_MAX	(86400 * NS_PER_S)
#define P99_MAX		(86400 * NS_PER_S)

/* The arguments. */
typedef enum SweepArgument
{
	ARG_DELAYS,
	ARG_SIBLINGS,
	ARG_DURATION,
	ARG_SLOT,
	ARG_MAX_P99,
	ARG_ADAPTIVE
} SweepArgument;

static void
plan_rounds(SweepPlan *plan, uint64 duration)
{
	int			tried = 0;
	uint64		round;

	for (int i = 0; i < plan->pairs.n; i++)
		tried += !sweep_delay_exceeds(plan, &plan->pairs.pair[i]);
	if (tried == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("each of \"delays\" alone exceeds \"max_p99\""),
				 errhint("Add 0 to \"delays\".")));
	round = plan->slot * tried;
	plan->rounds = (int) (duration / round);
	if (plan->rounds < SWEEP_MIN_ROUNDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg_plural("\"duration\" is too short for %d pair of commit_delay and commit_siblings",
							   "\"duration\" is too short for %d pairs of commit_delay and commit_siblings",
							   tried, tried),
				 errdetail("Each needs %d slots of %g ms, which makes %g seconds.",
						   SWEEP_MIN_ROUNDS, (double) plan->slot / NS_PER_MS,
						   (double) round * SWEEP_MIN_ROUNDS / NS_PER_S),
				 errhint("Use fewer values, a longer duration or shorter slots.")));
}

static void
make_plan(FunctionCallInfo fcinfo, SweepPlan *plan)
{
	tuning_args_pairs(fcinfo, ARG_DELAYS, ARG_SIBLINGS, &plan->pairs);
	if (PG_ARGISNULL(ARG_ADAPTIVE))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("\"adaptive\" must not be null")));
	if (PG_GETARG_BOOL(ARG_ADAPTIVE))
		tuning_args_add_adaptive(&plan->pairs);
	plan->slot = tuning_args_interval(fcinfo, ARG_SLOT, "slot", SLOT_MIN,
									  SLOT_MAX);
	plan->max_p99 = INFINITY;
	if (!PG_ARGISNULL(ARG_MAX_P99))
		plan->max_p99 = tuning_args_interval(fcinfo, ARG_MAX_P99, "max_p99", 1,
											 P99_MAX);
	plan_rounds(plan, tuning_args_interval(fcinfo, ARG_DURATION, "duration", 0,
										   DURATION_MAX));
}

Datum
commit_delay_sweep_1_0(PG_FUNCTION_ARGS)
{
	SweepPlan	plan;
	PairResult *results;
	DelayOutcomes all;
	int			best;
	Row			row;

	row_init(fcinfo, &row);
	make_plan(fcinfo, &plan);
	tuning_args_require("A standby commits nothing.  Sweep on the primary.");
	wait_require_time(sweep_length(&plan));
	results = sweep_run(&plan);
	sweep_outcomes(&plan, results, &all);
	best = best_delay(&all, CommitSiblings);
	for (int i = 0; i < all.n; i++)
	{
		const DelayOutcome *outcome = &all.outcome[i];
		const CounterDelta *total = &results[i].total;

		bool		adapts = outcome->delay == DELAY_ADAPTIVE;

		row_add(&row, Int32GetDatum(outcome->delay), adapts);
		row_add(&row, Int32GetDatum(outcome->siblings), adapts);
		row_int8(&row, results[i].rounds);
		row_int8(&row, total->value[SLOT_COMMITS]);
		row_rounded(&row, outcome->commits.mean, 1);
		row_rounded(&row, outcome->commits.low, 1);
		row_rounded(&row, outcome->commits.high, 1);
		row_flush_columns(&row, total);
		row_latency_columns(&row, total);
		row_bool(&row, i == best);
		row_text(&row, best_delay_reason(&all, CommitSiblings, best, i));
		row_put(&row);
	}
	return (Datum) 0;
}
