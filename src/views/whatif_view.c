/*-------------------------------------------------------------------------
 *
 * whatif_view.c
 *		commit_delay_whatif(): arguments become pairs, predictions become rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/wait.h"
#include "tuning/tuning_args.h"
#include "views/delta_columns.h"
#include "whatif/whatif.h"
#include "whatif/whatif_choice.h"

PG_FUNCTION_INFO_V1(commit_delay_whatif_1_0);

#define SAMPLE_LEAST	(100 * NS_PER_MS)
#define SAMPLE_MOST		(300 * NS_PER_S)

/* The arguments. */
typedef enum WhatifArgument
{
	ARG_DELAYS,
	ARG_SIBLINGS,
	ARG_SAMPLE
} WhatifArgument;

static void
row_estimate(Row *row, const Estimate *estimate, int digits)
{
	row_rounded(row, estimate->mean, digits);
	row_rounded(row, estimate->low, digits);
	row_rounded(row, estimate->high, digits);
}

static void
row_estimated_share(Row *row, const Estimate *fraction, int digits)
{
	row_share(row, fraction->mean, digits);
	row_share(row, fraction->low, digits);
	row_share(row, fraction->high, digits);
}

static void
row_prediction(Row *row, const Prediction *it)
{
	row_datum(row, Int32GetDatum(it->pair.delay));
	row_datum(row, Int32GetDatum(it->pair.siblings));
	row_estimate(row, &it->commits, 1);
	row_estimate(row, &it->flushes, 1);
	row_estimate(row, &it->group_size, 2);
	row_estimated_share(row, &it->hit_fraction, 1);
	row_estimate(row, &it->mean, 3);
	row_estimate(row, &it->p99, 3);
}

static void
row_measured(Row *row, const CounterDelta *it)
{
	row_rate(row, it, SLOT_COMMITS);
	row_flush_columns(row, it);
	row_mean_latency(row, it);
	row_latency_quantile(row, it, 0.99);
}

/* The predictions in the words of best_delay.c; palloc'd */
static void
predicted_outcomes(const Predictions *all, DelayOutcomes *outcomes)
{
	outcomes->n = all->n;
	outcomes->outcome = palloc0(all->n * sizeof(DelayOutcome));
	outcomes->nrounds = WHATIF_REPLICAS;
	outcomes->resampled = true;
	for (int i = 0; i < all->n; i++)
	{
		const Prediction *it = &all->prediction[i];
		DelayOutcome *outcome = &outcomes->outcome[i];

		outcome->delay = it->pair.delay;
		outcome->siblings = it->pair.siblings;
		outcome->commits = it->commits;
		outcome->rate = it->rate;
		outcome->time = it->time;
		outcome->latency = it->mean.mean;
		outcome->hit_fraction = it->hit_fraction.mean;
	}
}

static PresentSetting
present_setting(const Predictions *all)
{
	const Prediction *it = &all->prediction[all->present];
	const CounterDelta *measured = &all->measured;
	PresentSetting present = {
		.i = all->present,
		.commits = counter_delta_rate(measured, SLOT_COMMITS),
		.mean = counter_delta_mean_latency(measured) / NS_PER_MS,
		.predicted_commits = it->commits,
		.predicted_mean = it->mean,
		.model_error = all->model_error,
	};

	return present;
}

/* The model knows fixed delays only. */
static void
refuse_adaptive_delay(void)
{
	if (delay_override_is_adaptive())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("commit_delay_whatif cannot predict while commit_stats.adaptive_delay is on"),
				 errhint("Use commit_delay_sweep with \"adaptive\" instead.")));
}

Datum
commit_delay_whatif_1_0(PG_FUNCTION_ARGS)
{
	DelayPairs	pairs;
	Predictions *all;
	DelayOutcomes outcomes;
	PresentSetting present;
	uint64		sample;
	int			best;
	Row			row;

	row_init(fcinfo, &row);
	tuning_args_require("A standby commits nothing.  Ask on the primary.");
	refuse_adaptive_delay();
	tuning_args_pairs(fcinfo, ARG_DELAYS, ARG_SIBLINGS, &pairs);
	sample = tuning_args_interval(fcinfo, ARG_SAMPLE, "sample", SAMPLE_LEAST,
								  SAMPLE_MOST);
	wait_require_time(sample);
	all = whatif_run(&pairs, sample);
	predicted_outcomes(all, &outcomes);
	present = present_setting(all);
	best = whatif_choose(&outcomes, &present);
	for (int i = 0; i < all->n; i++)
	{
		row_prediction(&row, &all->prediction[i]);
		row_bool(&row, i == best);
		row_text(&row, whatif_reason(&outcomes, &present, best, i));
		if (i == all->present)
			row_measured(&row, &all->measured);
		else
			row_nulls(&row, 6);
		row_put(&row);
	}
	return (Datum) 0;
}
