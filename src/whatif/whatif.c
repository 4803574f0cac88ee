/*-------------------------------------------------------------------------
 *
 * whatif.c
 *		Predicts what each commit_delay would do, without trying it.
 *
 * whatif_run() captures the commits of a sample (commit_trace.c), fits a load
 * to them (whatif_fit.c), and simulates that load with each pair of
 * commit_delay and commit_siblings (whatif_simulation.c).
 *
 * Uncertainty.  WHATIF_REPLICAS simulations of each pair draw blocks of the
 * sample with replacement.  All pairs share the blocks and the seed of each
 * replica, so that chance makes two pairs differ less.  The spread of the
 * replicas is the uncertainty of a short sample.  The sample does not tell
 * exactly when the server counts the siblings, so the bounds include what one
 * sibling more or less would give.  allow_for_model_in_all() adds the error of
 * the model to four of the six quantities.
 *
 * Invariant: nothing is changed.  However this process or function ends,
 * commits are not captured after the end of the sample.
 *
 * Locking: delay_override_lock(), so that no sweep changes what commits do
 * during the sample, and no other process takes the records.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "miscadmin.h"
#include "storage/ipc.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/wait.h"
#include "control/delay_override.h"
#include "probe/cpu_usage.h"
#include "stats/commit_trace.h"
#include "tuning/tuning.h"
#include "views/srf.h"
#include "whatif/whatif.h"

PG_FUNCTION_INFO_V1(commit_delay_whatif_1_0);

/* Simulations of each pair */
#define WHATIF_REPLICAS	8

/* The prediction of one pair; times in ms */
typedef struct Prediction
{
	DelayPair	pair;
	Estimate	commits;		/* per second */
	double		rate[WHATIF_REPLICAS];	/* ... in each replica */
	double		time[WHATIF_REPLICAS];	/* of a commit in each, ms */
	Estimate	flushes;		/* per second */
	Estimate	group_size;		/* commits per flush */
	Estimate	hit_fraction;
	Estimate	mean;			/* time of a commit */
	Estimate	p99;
} Prediction;

/* The predictions of all pairs; palloc'd */
typedef struct Predictions
{
	int			n;
	Prediction *prediction;
	double		model_error;	/* relative standard error */
	int			present;		/* index of the setting during the sample */
	CounterDelta measured;		/* during the sample */
} Predictions;

#define TAKE_EVERY		(20 * NS_PER_MS)
#define PROBE_SLEEP		100		/* us; how much longer will it take? */
#define MAX_PROBES		4096

#define MIN_COMMITS		100		/* fewer say too little */
#define SHIFTED_REPLICAS	2	/* replicas with one sibling more or less */
#define REPLICA_TIME	12e6	/* us to simulate; long enough that chance
								 * matters less than the sample */
#define MAX_COMMITS		2e7		/* in all, without shifted replicas */
#define MODEL_ERROR		0.12	/* relative; the standard error in samples of
								 * 26 loads was 0.11 */
#define LOCKS_ERROR		0.15	/* where sessions wait for locks; 0.12 in
								 * samples of 11 loads, which had no waits for
								 * deadlock_timeout */
#define RUN				5		/* consecutive blocks are chosen together */

/* A sample; local memory */
typedef struct Sample
{
	CommitTrace trace;
	int			nprobes;
	double		probe[MAX_PROBES];	/* us that a sleep took longer than asked */
	CounterDelta measured;
	CpuUsage	cpus;
	WalRoom		room;
} Sample;

/*----------------------------------------------------------------
 * The sample
 *----------------------------------------------------------------
 */

/* An error or exit ends the capture. */
static void
stop_capture(int code, Datum arg)
{
	commit_trace_stop();
}

/*
 * How much longer than asked a sleep takes depends on the system's timers and
 * load.  This process sleeps as a leader would.
 */
static void
probe_sleep(Sample *sample)
{
	uint64		start = clock_now();
	double		slept;

	if (sample->nprobes == MAX_PROBES)
		return;
	pg_usleep(PROBE_SLEEP);
	slept = (double) clock_elapsed(start, clock_now()) / NS_PER_US;
	sample->probe[sample->nprobes++] = Max(slept - PROBE_SLEEP, 0);
}

static void
capture(Sample *sample, uint64 length)
{
	uint64		start = clock_now();
	uint64		deadline = start + length;
	CounterDelta before;
	CpuUsage	cpus_before;

	wal_room_begin(&sample->room);
	cpu_usage_read(&cpus_before);
	counter_delta_take(&before);
	commit_trace_start(&sample->trace, deadline);
	for (uint64 next = start; clock_now() < deadline;)
	{
		probe_sleep(sample);
		next = Min(Max(next + TAKE_EVERY, clock_now()), deadline);
		wait_until(next);
		if (!commit_trace_take(&sample->trace))
			break;
	}
	commit_trace_stop();
	counter_delta_take(&sample->measured);
	counter_delta_subtract(&sample->measured, &before);
	cpu_usage_since(&cpus_before, &sample->cpus);
}

/* Take the sample.  Raises an error if another process experiments. */
static Sample *
take_sample(uint64 length)
{
	Sample	   *sample = palloc0(sizeof(Sample));

	delay_override_lock();
	PG_ENSURE_ERROR_CLEANUP(stop_capture, (Datum) 0);
	{
		capture(sample, length);
	}
	PG_END_ENSURE_ERROR_CLEANUP(stop_capture, (Datum) 0);
	delay_override_unlock();
	return sample;
}

static void
check_sample(const Sample *sample)
{
	const CommitTrace *trace = &sample->trace;
	double		seconds = (double) clock_elapsed(trace->started_at, trace->ended_at) / NS_PER_S;

	if (trace->n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no load to learn from"),
				 errdetail("In %.1f s no commit that waited for its flush ended, while %d were under way, and " UINT64_FORMAT " did not wait (synchronous_commit = off).",
						   seconds, backend_slots_count_committing(),
						   sample->measured.value[SLOT_COMMITS_ASYNC]),
				 errhint("Call it while the server does its usual work, or with a longer sample if that commits rarely.")));
	if (trace->n < MIN_COMMITS)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there are too few commits to learn from"),
				 errdetail("In %.1f s there were %d; it takes at least %d.",
						   seconds, trace->n, MIN_COMMITS),
				 errhint("Use a longer sample.")));
	if (trace->lost > trace->n / 100)
		ereport(WARNING,
				(errmsg(UINT64_FORMAT " of " UINT64_FORMAT " commits were missed",
						trace->lost, trace->lost + trace->n)));
}

/* The settings that most commits had. */
static DelayPair
present_pair(const CommitTrace *trace)
{
	DelayPair	pair = {0};
	int			lead = 0;

	/* Boyer and Moore's majority vote */
	for (int i = 0; i < trace->n; i++)
	{
		const TracedCommit *commit = &trace->commit[i];

		if (lead == 0)
		{
			pair.delay = (int) commit->delay;
			pair.siblings = commit->threshold;
		}
		lead += (int) commit->delay == pair.delay &&
			commit->threshold == pair.siblings ? 1 : -1;
	}
	return pair;
}

static void
check_settings(const CommitTrace *trace, const DelayPair *present)
{
	int			others = 0;

	for (int i = 0; i < trace->n; i++)
		others += (int) trace->commit[i].delay != present->delay ||
			trace->commit[i].threshold != present->siblings;
	if (others > trace->n / 20)
		ereport(WARNING,
				(errmsg("not all commits had the same commit_delay and commit_siblings"),
				 errdetail("%.0f%% had others than %d and %d; the prediction takes it that all had these.",
						   100.0 * others / trace->n, present->delay,
						   present->siblings)));
}

/* The model knows how many sessions wait for locks, but not for which ones. */
static bool
check_locks(const FitSummary *summary, int nclients)
{
	bool		many = summary->blocked > 0.05 * nclients;

	if (many)
		ereport(WARNING,
				(errmsg("sessions wait for each other's locks, %.1f of %d on average",
						summary->blocked, nclients),
				 errdetail("The longer a commit takes, the longer it holds its locks.  The prediction is less certain where rows are hot, and leaves deadlocks out.")));
	return many;
}

/*----------------------------------------------------------------
 * The load
 *----------------------------------------------------------------
 */

/* "%d commits", and how many prepares were among them; palloc'd */
static char *
count_waits(const CommitTrace *trace)
{
	int			prepares = 0;

	for (int i = 0; i < trace->n; i++)
		prepares += !trace->commit[i].is_commit;
	if (prepares == 0)
		return psprintf("%d commits", trace->n);
	return psprintf("%d commits and %d prepares", trace->n - prepares, prepares);
}

static void
report_load(const Sample *sample, const WhatifLoad *load)
{
	const CommitTrace *trace = &sample->trace;
	double		seconds = (double) clock_elapsed(trace->started_at, trace->ended_at) / NS_PER_S;
	double		quota = 0;

	for (int i = 0; i < load->quota.n; i++)
		quota += load->quota.value[i] / load->quota.n;
	ereport(NOTICE,
			(errmsg("learned from %s of %d sessions in %.1f s",
					count_waits(trace), load->nclients, seconds),
			 errdetail("%s%s",
					   load->arrivals > 0 ?
					   psprintf("Transactions begin by themselves, %.0f a second.",
								load->arrivals * 1e6) :
					   "Each session goes on when it has committed.",
					   load->window > 0 ?
					   psprintf("  The device allows %.0f flushes in %.0f ms.",
								quota, load->window / 1000) : "")));
}

static void
learn_load(const Sample *sample, const DelayPair *present, WhatifLoad *load,
		   FitSummary *summary)
{
	const CommitTrace *trace = &sample->trace;

	if (!whatif_fit(trace->commit, trace->n, trace->started_at, trace->ended_at,
					sample->probe, sample->nprobes, &sample->cpus, load, summary))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there are too few commits to learn from"),
				 errdetail("Of %d commits of %d sessions, %d came after another one of the same session, and %d flushed.",
						   trace->n, load->nclients, load->ncycles,
						   summary->nflushes),
				 errhint("Use a longer sample.  Sessions that commit once and end cannot be learned from.")));
	whatif_find_conflict(load, present->delay, present->siblings,
						 summary->usually_blocked);
	report_load(sample, load);
}

/*----------------------------------------------------------------
 * The prediction
 *----------------------------------------------------------------
 */

/* Choose as many blocks as the sample has, with replacement. */
static void
choose_blocks(WhatifLoad *load, uint64 seed)
{
	pg_prng_state random;
	int		   *chosen = palloc(load->nblocks * sizeof(int));

	pg_prng_seed(&random, seed);
	load->nchosen = 0;
	while (load->nchosen + RUN <= load->nblocks)
	{
		int			first = (int) pg_prng_uint64_range(&random, 0,
													   load->nblocks - RUN);

		for (int i = 0; i < RUN; i++)
			chosen[load->nchosen++] = first + i;
	}
	load->chosen = chosen;
}

/* One quantity of one pair, in several replicas */
typedef struct Spread
{
	int			n;
	double		sum;
	double		squares;
} Spread;

static void
add_value(Spread *spread, double value)
{
	if (isnan(value))
		return;
	spread->n++;
	spread->sum += value;
	spread->squares += value * value;
}

/*
 * Replicas differ as samples do.  So the spread of the replicas, not of their
 * mean, says what another sample would have predicted.
 */
static Estimate
spread_estimate(const Spread *spread)
{
	Estimate	estimate = estimate_mean(spread->n, spread->sum, spread->squares);
	double		factor = sqrt(spread->n);

	if (spread->n < 2)
		return estimate;
	estimate.high = estimate.mean + (estimate.high - estimate.mean) * factor;
	estimate.low = Max(2 * estimate.mean - estimate.high, 0);
	return estimate;
}

/* The predicted quantities of a pair, in the order of predict()'s estimates */
#define NQUANTITIES		6

static void
outcome_values(const WhatifOutcome *outcome, double *value)
{
	value[0] = 1e6 * outcome->commits / outcome->time;
	value[1] = 1e6 * outcome->flushes / outcome->time;
	value[2] = ratio(outcome->commits, outcome->flushes);
	value[3] = ratio(outcome->hits, outcome->flushes);
	value[4] = ratio(outcome->latency / 1e3, outcome->commits);
	value[5] = histogram_quantile(outcome->cell, 0.99) / NS_PER_MS;
}

/*
 * Simulate replicas "from" up to, but not including, "to"; "prediction", if
 * not null, gets the commits/s and the mean time of a commit of each.
 */
static void
simulate_replicas(const WhatifLoad *replica, int from, int to,
				  const DelayPair *pair, double time, Spread *spread,
				  Prediction *prediction)
{
	for (int r = from; r < to; r++)
	{
		WhatifOutcome outcome;
		double		value[NQUANTITIES];

		wait_check_client();
		whatif_simulate(&replica[r], pair->delay, pair->siblings, time, r + 1,
						&outcome);
		outcome_values(&outcome, value);
		for (int q = 0; q < NQUANTITIES; q++)
			add_value(&spread[q], value[q]);
		if (prediction == NULL)
			continue;
		prediction->rate[r] = value[0];
		prediction->time[r] = value[4];
	}
}

/*
 * Widen the bounds to include what "more" siblings would give; "here" is what
 * the same replicas gave for the pair itself.
 */
static void
allow_for_siblings(const WhatifLoad *replica, const DelayPair *pair, int more,
				   double time, const Spread *here,
				   Estimate *const *estimate)
{
	DelayPair	shifted = *pair;
	Spread		there[NQUANTITIES] = {0};

	shifted.siblings -= more;
	simulate_replicas(replica, 0, SHIFTED_REPLICAS, &shifted, time, there, NULL);
	for (int q = 0; q < NQUANTITIES; q++)
	{
		double		value = estimate[q]->mean + there[q].sum / there[q].n -
		here[q].sum / here[q].n;

		if (isnan(value))
			continue;
		estimate[q]->low = Max(Min(estimate[q]->low, value), 0);
		estimate[q]->high = Max(estimate[q]->high, value);
	}
}

static void
predict(const WhatifLoad *replica, double time, Prediction *prediction)
{
	Estimate   *const estimate[NQUANTITIES] = {
		&prediction->commits, &prediction->flushes, &prediction->group_size,
		&prediction->hit_fraction, &prediction->mean, &prediction->p99
	};
	Spread		spread[NQUANTITIES] = {0};
	Spread		here[NQUANTITIES];

	simulate_replicas(replica, 0, SHIFTED_REPLICAS, &prediction->pair, time,
					  spread, prediction);
	memcpy(here, spread, sizeof(here));
	simulate_replicas(replica, SHIFTED_REPLICAS, WHATIF_REPLICAS, &prediction->pair,
					  time, spread, prediction);
	for (int q = 0; q < NQUANTITIES; q++)
		*estimate[q] = spread_estimate(&spread[q]);
	if (prediction->pair.delay > 0 && prediction->pair.siblings > 0)
		for (int more = -1; more <= 1; more += 2)
			allow_for_siblings(replica, &prediction->pair, more, time, here,
							   estimate);
	prediction->hit_fraction.high = Min(prediction->hit_fraction.high, 1);
}

/* us to simulate, so that a prediction takes seconds and not minutes */
static double
replica_time(const Sample *sample, int npairs)
{
	double		rate = (double) sample->trace.n /
	clock_elapsed(sample->trace.started_at, sample->trace.ended_at) * 1000;
	double		affordable = MAX_COMMITS / (rate * npairs * WHATIF_REPLICAS);

	return Max(Min(REPLICA_TIME, affordable), REPLICA_TIME / 60);
}

static void
predict_all(const Sample *sample, const WhatifLoad *load, Predictions *all)
{
	WhatifLoad	replica[WHATIF_REPLICAS];
	double		time = replica_time(sample, all->n);

	for (int r = 0; r < WHATIF_REPLICAS; r++)
	{
		replica[r] = *load;
		choose_blocks(&replica[r], r + 1);
	}
	for (int i = 0; i < all->n; i++)
		predict(replica, time, &all->prediction[i]);
}

/* One prediction for each pair, and in any case one for the present setting */
static void
make_predictions(const DelayPairs *pairs, const DelayPair *present,
				 Predictions *all)
{
	all->prediction = palloc0((pairs->n + 1) * sizeof(Prediction));
	all->present = -1;
	for (all->n = 0; all->n < pairs->n; all->n++)
	{
		const DelayPair *pair = &pairs->pair[all->n];

		all->prediction[all->n].pair = *pair;
		if (pair->delay == present->delay && pair->siblings == present->siblings)
			all->present = all->n;
	}
	if (all->present >= 0)
		return;
	all->present = all->n;
	all->prediction[all->n++].pair = *present;
}

/*
 * Widen bounds that allow for chance, so that they also allow for the error of
 * the model and hold the measured value in 95% of all cases.
 */
static void
allow_for_model(Estimate *estimate, double error)
{
	double		model = 1.96 * error * estimate->mean;

	if (isnan(estimate->low))
		return;
	estimate->low = estimate->mean - hypot(estimate->mean - estimate->low, model);
	estimate->low = Max(estimate->low, 0);
	estimate->high = estimate->mean + hypot(estimate->high - estimate->mean, model);
}

/*
 * Widen the bounds of the quantities whose model error is known.  The choice
 * of the best pair compares replicas, because the model errs in the same
 * direction for several pairs.
 */
static void
allow_for_model_in_all(Predictions *all)
{
	for (int i = 0; i < all->n; i++)
	{
		allow_for_model(&all->prediction[i].commits, all->model_error);
		allow_for_model(&all->prediction[i].flushes, all->model_error);
		allow_for_model(&all->prediction[i].group_size, all->model_error);
		allow_for_model(&all->prediction[i].mean, all->model_error);
	}
}

/* Take a sample of "length" ns, and predict each pair. */
static Predictions *
whatif_run(const DelayPairs *pairs, uint64 length)
{
	Predictions *all = palloc0(sizeof(Predictions));
	Sample	   *sample = take_sample(length);
	WhatifLoad	load;
	FitSummary	summary;
	DelayPair	present;

	check_sample(sample);
	wal_room_warn(&sample->room, pairs);
	present = present_pair(&sample->trace);
	check_settings(&sample->trace, &present);
	make_predictions(pairs, &present, all);
	all->measured = sample->measured;
	learn_load(sample, &present, &load, &summary);
	all->model_error = check_locks(&summary, load.nclients) ?
		LOCKS_ERROR : MODEL_ERROR;
	predict_all(sample, &load, all);
	allow_for_model_in_all(all);
	return all;
}

/*----------------------------------------------------------------
 * From arguments to pairs, from predictions to rows
 *----------------------------------------------------------------
 */

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
row_predicted(Row *row, const char *name, const Estimate *it, double unit,
			  int digits)
{
	row_estimate(row, name, unit * it->mean, unit * it->low, unit * it->high,
				 digits);
}

static void
row_prediction(Row *row, const Prediction *it)
{
	row_number(row, "commit_delay", it->pair.delay);
	row_number(row, "commit_siblings", it->pair.siblings);
	row_predicted(row, "commits_per_second", &it->commits, 1, 1);
	row_predicted(row, "flushes_per_second", &it->flushes, 1, 1);
	row_predicted(row, "commits_per_flush", &it->group_size, 1, 2);
	row_predicted(row, "delay_hit_share", &it->hit_fraction, 100, 1);
	row_predicted(row, "mean", &it->mean, 1, 3);
	row_predicted(row, "p99", &it->p99, 1, 3);
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
	best = best_predicted(&outcomes, &present);
	for (int i = 0; i < all->n; i++)
	{
		row_prediction(&row, &all->prediction[i]);
		row_bool(&row, "is_best", i == best);
		row_text(&row, "reason",
				 best_predicted_reason(&outcomes, &present, best, i));
		if (i == all->present)
		{
			row.prefix = "measured_";
			row_rates(&row, &all->measured);
			row_latency(&row, &all->measured);
			row.prefix = "";
		}
		row_put(&row);
	}
	return (Datum) 0;
}
