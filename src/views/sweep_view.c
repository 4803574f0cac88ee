/*-------------------------------------------------------------------------
 *
 * sweep_view.c
 *		commit_delay_sweep(): arguments become a plan, results become rows.
 *
 * What cannot be measured is refused here, before anything is changed; that
 * there is a load is for sweep.c to see.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "tuning/sweep.h"
#include "tuning/tuning_args.h"
#include "views/delta_columns.h"

PG_FUNCTION_INFO_V1(commit_delay_sweep_1_0);

/*
 * A slot bounds how long commits can be left with a pair whose sweep has died;
 * shorter ones are mostly settling.
 */
#define SLOT_LEAST		(100 * NS_PER_MS)
#define SLOT_MOST		(10 * NS_PER_S)
#define DURATION_MOST	(86400 * NS_PER_S)
#define P99_MOST		(86400 * NS_PER_S)

/* The arguments. */
typedef enum SweepArgument
{
	ARG_DELAYS,
	ARG_SIBLINGS,
	ARG_DURATION,
	ARG_SLOT,
	ARG_MAX_P99
} SweepArgument;

typedef enum SweepColumn
{
	SW_COMMIT_DELAY,
	SW_COMMIT_SIBLINGS,
	SW_ROUNDS,
	SW_COMMITS,
	SW_COMMITS_PER_SECOND,
	SW_COMMITS_PER_SECOND_LOW,
	SW_COMMITS_PER_SECOND_HIGH,
	SW_FLUSHES_PER_SECOND,
	SW_COMMITS_PER_FLUSH,
	SW_DELAY_HIT_FRACTION,
	SW_MEAN,
	SW_P50,
	SW_P95,
	SW_P99,
	SW_IS_BEST,
	SW_REASON,
	SW_NCOLUMNS
} SweepColumn;

StaticAssertDecl(SW_NCOLUMNS <= MAX_COLUMNS, "Row is too short");

static void
plan_rounds(SweepPlan *plan, uint64 duration)
{
	uint64		round = plan->slot * plan->pairs.n;

	plan->rounds = (int) (duration / round);
	if (plan->rounds < SWEEP_MIN_ROUNDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg_plural("\"duration\" is too short for %d pair of commit_delay and commit_siblings",
							   "\"duration\" is too short for %d pairs of commit_delay and commit_siblings",
							   plan->pairs.n, plan->pairs.n),
				 errdetail("Each needs %d slots of %g ms, which makes %g seconds.",
						   SWEEP_MIN_ROUNDS, (double) plan->slot / NS_PER_MS,
						   (double) round * SWEEP_MIN_ROUNDS / NS_PER_S),
				 errhint("Use fewer values, a longer duration or shorter slots.")));
}

static void
make_plan(FunctionCallInfo fcinfo, SweepPlan *plan)
{
	tuning_args_pairs(fcinfo, ARG_DELAYS, ARG_SIBLINGS, &plan->pairs);
	plan->slot = tuning_args_interval(fcinfo, ARG_SLOT, "slot", SLOT_LEAST,
									 SLOT_MOST);
	plan->max_p99 = INFINITY;
	if (!PG_ARGISNULL(ARG_MAX_P99))
		plan->max_p99 = tuning_args_interval(fcinfo, ARG_MAX_P99, "max_p99", 1,
											P99_MOST);
	plan_rounds(plan, tuning_args_interval(fcinfo, ARG_DURATION, "duration", 0,
										  DURATION_MOST));
}

static void
set_result(Row *row, const PairResult *result)
{
	const CounterDelta *total = &result->total;

	set_int8(row, SW_ROUNDS, result->rounds);
	set_int8(row, SW_COMMITS, total->value[SLOT_COMMITS]);
	set_flush_columns(row, SW_FLUSHES_PER_SECOND, total);
	set_latency_columns(row, SW_MEAN, total);
}

static void
set_outcome(Row *row, const DelayOutcome *outcome)
{
	set_int4(row, SW_COMMIT_DELAY, outcome->delay);
	set_int4(row, SW_COMMIT_SIBLINGS, outcome->siblings);
	set_known(row, SW_COMMITS_PER_SECOND, outcome->commits.mean, 1);
	set_known(row, SW_COMMITS_PER_SECOND_LOW, outcome->commits.low, 1);
	set_known(row, SW_COMMITS_PER_SECOND_HIGH, outcome->commits.high, 1);
}

Datum
commit_delay_sweep_1_0(PG_FUNCTION_ARGS)
{
	SweepPlan	plan;
	PairResult *results;
	DelayOutcomes all;
	int			best;

	start_rows(fcinfo);
	make_plan(fcinfo, &plan);
	tuning_args_require("A standby commits nothing.  Sweep on the primary.");
	results = sweep_run(&plan);
	sweep_outcomes(&plan, results, &all);
	best = best_delay(&all, CommitSiblings);
	for (int i = 0; i < all.n; i++)
	{
		Row			row;

		start_row(&row);
		set_outcome(&row, &all.outcome[i]);
		set_result(&row, &results[i]);
		set_bool(&row, SW_IS_BEST, i == best);
		set_datum(&row, SW_REASON,
				  CStringGetTextDatum(best_delay_reason(&all, best, i)));
		put_row(fcinfo, &row, SW_NCOLUMNS);
	}
	return (Datum) 0;
}
