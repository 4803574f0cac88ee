/*-------------------------------------------------------------------------
 *
 * whatif_view.c
 *		commit_delay_whatif(): arguments become pairs, predictions become rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "base/compat.h"
#include "tuning/tuning_args.h"
#include "views/delta_columns.h"
#include "whatif/whatif.h"

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

/* An estimate takes three columns: itself, low and high. */
typedef enum WhatifColumn
{
	WI_COMMIT_DELAY,
	WI_COMMIT_SIBLINGS,
	WI_COMMITS_PER_SECOND,
	WI_FLUSHES_PER_SECOND = WI_COMMITS_PER_SECOND + 3,
	WI_COMMITS_PER_FLUSH = WI_FLUSHES_PER_SECOND + 3,
	WI_DELAY_HIT_FRACTION = WI_COMMITS_PER_FLUSH + 3,
	WI_MEAN = WI_DELAY_HIT_FRACTION + 3,
	WI_P99 = WI_MEAN + 3,
	WI_IS_BEST = WI_P99 + 3,
	WI_REASON,
	WI_MEASURED_COMMITS_PER_SECOND,
	WI_MEASURED_FLUSHES_PER_SECOND,
	WI_MEASURED_COMMITS_PER_FLUSH,
	WI_MEASURED_DELAY_HIT_FRACTION,
	WI_MEASURED_MEAN,
	WI_MEASURED_P99,
	WI_NCOLUMNS
} WhatifColumn;

StaticAssertDecl(WI_NCOLUMNS <= MAX_COLUMNS, "Row is too short");

static void
set_estimate(Row *row, int column, const Estimate *estimate, int digits)
{
	set_known(row, column, estimate->mean, digits);
	set_known(row, column + 1, estimate->low, digits);
	set_known(row, column + 2, estimate->high, digits);
}

static void
set_prediction(Row *row, const Prediction *it)
{
	set_int4(row, WI_COMMIT_DELAY, it->pair.delay);
	set_int4(row, WI_COMMIT_SIBLINGS, it->pair.siblings);
	set_estimate(row, WI_COMMITS_PER_SECOND, &it->commits, 1);
	set_estimate(row, WI_FLUSHES_PER_SECOND, &it->flushes, 1);
	set_estimate(row, WI_COMMITS_PER_FLUSH, &it->group_size, 2);
	set_estimate(row, WI_DELAY_HIT_FRACTION, &it->hit_fraction, 3);
	set_estimate(row, WI_MEAN, &it->mean, 3);
	set_estimate(row, WI_P99, &it->p99, 3);
}

static void
set_measured(Row *row, const CounterDelta *it)
{
	set_known(row, WI_MEASURED_COMMITS_PER_SECOND,
			  counter_delta_rate(it, SLOT_COMMITS), 1);
	set_flush_columns(row, WI_MEASURED_FLUSHES_PER_SECOND, it);
	set_known(row, WI_MEASURED_MEAN, counter_delta_mean_latency(it) / NS_PER_MS, 3);
	set_latency_quantile(row, WI_MEASURED_P99, it, 0.99);
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
		outcome->latency = it->mean.mean;
		outcome->hit_fraction = it->hit_fraction.mean;
	}
}

Datum
commit_delay_whatif_1_0(PG_FUNCTION_ARGS)
{
	DelayPairs	pairs;
	Predictions *all;
	DelayOutcomes outcomes;
	uint64		sample;
	int			best;

	start_rows(fcinfo);
	tuning_args_require("A standby commits nothing.  Ask on the primary.");
	tuning_args_pairs(fcinfo, ARG_DELAYS, ARG_SIBLINGS, &pairs);
	sample = tuning_args_interval(fcinfo, ARG_SAMPLE, "sample", SAMPLE_LEAST,
								 SAMPLE_MOST);
	all = whatif_run(&pairs, sample);
	predicted_outcomes(all, &outcomes);
	best = best_delay(&outcomes, all->prediction[all->present].pair.siblings);
	whatif_allow_for_model(all);
	for (int i = 0; i < all->n; i++)
	{
		Row			row;

		start_row(&row);
		set_prediction(&row, &all->prediction[i]);
		if (i == all->present)
			set_measured(&row, &all->measured);
		set_bool(&row, WI_IS_BEST, i == best);
		set_datum(&row, WI_REASON,
				  CStringGetTextDatum(best_delay_reason(&outcomes, best, i)));
		put_row(fcinfo, &row, WI_NCOLUMNS);
	}
	return (Datum) 0;
}
