/*-------------------------------------------------------------------------
 *
 * whatif.c
 *		commit_delay_whatif(): predicts what each commit_delay would do,
 *		without trying it.
 *
 * The function captures the commits of a sample (commit_trace.c), fits a load
 * to them (whatif_fit.c), and simulates that load with each pair of
 * commit_delay and commit_siblings (whatif_simulation.c).
 *
 * Uncertainty.  NREPLICAS simulations of each pair draw blocks of the sample
 * with replacement.  All pairs share the blocks and the seed of each replica,
 * so that chance makes two pairs differ less.  The spread of the replicas is
 * the uncertainty of a short sample.  Bounds also include the error of the
 * model, for the quantities of which that is known.  best_delay.c compares
 * replicas, because the model errs in the same direction for several pairs.
 *
 * Invariant: no setting changes.  However this process or function ends,
 * commits are not captured after the end of the sample.
 *
 * Locking: delay_override_lock(), so that no sweep changes what commits do
 * during the sample, and no other process takes the records.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <unistd.h>

#include <math.h>

#include "common/pg_prng.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/ipc.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/wait.h"
#include "control/delay_override.h"
#include "stats/commit_trace.h"
#include "stats/srf.h"
#include "tuning/tuning.h"
#include "whatif/whatif.h"

PG_FUNCTION_INFO_V1(commit_delay_whatif_1_0);

#define TAKE_EVERY		(20 * NS_PER_MS)
#define PROBE_SLEEP		100		/* us */

#define MIN_COMMITS		100		/* fewer say too little */
#define NREPLICAS		8		/* simulations of each pair */
#define REPLICA_TIME	12e6	/* us to simulate; long enough that chance
								 * matters less than the sample */
#define MAX_COMMITS		2e7		/* in all */
#define MODEL_ERROR		0.12	/* relative; the standard error in samples of
								 * 26 loads was 0.11 */
#define LOCKS_ERROR		0.15	/* where sessions wait for locks; 0.12 in
								 * samples of 11 loads, which had no waits for
								 * deadlock_timeout */
#define RUN				5		/* consecutive blocks are chosen together */

#define MIN_SAMPLE		(100 * NS_PER_MS)
#define MAX_SAMPLE		(300 * NS_PER_S)

typedef enum WhatifArgument
{
	ARG_DELAYS,
	ARG_SIBLINGS,
	ARG_SAMPLE
} WhatifArgument;

/* What is predicted; the error of the model is known of the first four. */
typedef enum Quantity
{
	COMMIT_RATE,				/* per second */
	FLUSH_RATE,
	GROUP_SIZE,					/* commits per flush */
	MEAN_TIME,					/* of a commit, ms */
	HIT_FRACTION,
	P99,						/* ms */
	NQUANTITIES
} Quantity;

/* The prediction of one pair */
typedef struct Prediction
{
	double		value[NQUANTITIES][NREPLICAS];
	Estimate	estimate[NQUANTITIES];
} Prediction;

/* The predictions of all pairs; palloc'd */
typedef struct Predictions
{
	Prediction *prediction;
	DelayOutcomes outcomes;		/* the same, as best_delay.c reads them */
	PresentSetting present;		/* the setting during the sample */
} Predictions;

/* A sample; local memory */
typedef struct Sample
{
	CommitTrace trace;
	int			nprobes;
	double		slack;			/* us that these sleeps took longer than asked */
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

	pg_usleep(PROBE_SLEEP);
	sample->slack += (double) clock_elapsed(start + PROBE_SLEEP * NS_PER_US,
											clock_now()) / NS_PER_US;
	sample->nprobes++;
}

/*
 * CPU time of the machine since boot.  The first line of Linux's /proc/stat
 * has the ticks of all CPUs in each state; in a container it usually shows the
 * whole machine.  On other systems the time is unknown.
 */
static CpuUsage
read_cpu_usage(void)
{
	FILE	   *file = AllocateFile("/proc/stat", "r");
	long		ticks_per_second = sysconf(_SC_CLK_TCK);
	CpuUsage	usage = {0};
	double		user,
				nice,
				system,
				irq,
				softirq;

	if (file == NULL)
		return usage;
	/* idle and iowait are left out */
	if (fscanf(file, "cpu %lf %lf %lf %*f %*f %lf %lf", &user, &nice, &system,
			   &irq, &softirq) == 5 && ticks_per_second > 0)
	{
		usage.n = Max((int) sysconf(_SC_NPROCESSORS_ONLN), 0);
		usage.busy = (user + nice + system + irq + softirq) * 1e6 /
			ticks_per_second;
	}
	FreeFile(file);
	return usage;
}

static void
capture(Sample *sample, uint64 length)
{
	uint64		start = clock_now();
	uint64		deadline = start + length;
	CounterDelta before;
	CpuUsage	cpus;

	wal_room_begin(&sample->room);
	cpus = read_cpu_usage();
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
	sample->cpus = read_cpu_usage();
	sample->cpus.n = Min(sample->cpus.n, cpus.n);
	sample->cpus.busy -= cpus.busy;
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

/* The settings that most commits had; warns if many had others. */
static DelayPair
present_pair(const CommitTrace *trace)
{
	DelayPair	pair = {0};
	int			lead = 0;
	int			others = 0;

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
	for (int i = 0; i < trace->n; i++)
		others += (int) trace->commit[i].delay != pair.delay ||
			trace->commit[i].threshold != pair.siblings;
	if (others > trace->n / 20)
		ereport(WARNING,
				(errmsg("not all commits had the same commit_delay and commit_siblings"),
				 errdetail("%.0f%% had others than %d and %d; the prediction assumes that all had these.",
						   100.0 * others / trace->n, pair.delay,
						   pair.siblings)));
	return pair;
}

/* The model knows how many sessions wait for locks, but not for which ones. */
static bool
check_locks(double blocked, int nclients)
{
	bool		many = blocked > 0.05 * nclients;

	if (many)
		ereport(WARNING,
				(errmsg("sessions wait for each other's locks, %.1f of %d on average",
						blocked, nclients),
				 errdetail("The longer a commit takes, the longer it holds its locks.  The prediction is less certain where rows are hot, and leaves deadlocks out.")));
	return many;
}

/*----------------------------------------------------------------
 * The load
 *----------------------------------------------------------------
 */

static void
report_load(const CommitTrace *trace, const WhatifLoad *load)
{
	double		seconds = (double) clock_elapsed(trace->started_at, trace->ended_at) / NS_PER_S;
	int			prepares = 0;

	for (int i = 0; i < trace->n; i++)
		prepares += !trace->commit[i].is_commit;
	ereport(NOTICE,
			(errmsg("learned from %d commits%s of %d sessions in %.1f s",
					trace->n - prepares,
					prepares > 0 ? psprintf(" and %d prepares", prepares) : "",
					load->nclients, seconds),
			 errdetail("%s%s",
					   load->arrivals > 0 ?
					   psprintf("Transactions begin by themselves, %.0f a second.",
								load->arrivals * 1e6) :
					   "Each session goes on when it has committed.",
					   load->window > 0 ?
					   psprintf("  The device allows %.0f flushes in %.0f ms.",
								load->quota, load->window / 1000) : "")));
}

/* Learns the load, and returns the relative standard error of the model. */
static double
learn_load(Sample *sample, WhatifLoad *load)
{
	CommitTrace *trace = &sample->trace;
	DelayPair	present = present_pair(trace);
	double		blocked;

	memset(load, 0, sizeof(WhatifLoad));
	load->delay = present.delay;
	load->siblings = present.siblings;
	load->slack = sample->slack / sample->nprobes;
	if (!whatif_fit(trace, &sample->cpus, load, &blocked))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there are too few commits to learn from"),
				 errdetail("Of %d commits of %d sessions, %d came after another one of the same session, and %d flushed.",
						   trace->n, load->nclients, load->ncycles,
						   load->flush.n),
				 errhint("Use a longer sample.  Sessions that commit once and end cannot be learned from.")));
	report_load(trace, load);
	return check_locks(blocked, load->nclients) ? LOCKS_ERROR : MODEL_ERROR;
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

static void
simulate_replica(const WhatifLoad *replica, int r, double time, Prediction *it)
{
	WhatifOutcome outcome;

	wait_check_client();
	whatif_simulate(replica, time, r + 1, &outcome);
	it->value[COMMIT_RATE][r] = 1e6 * outcome.commits / outcome.time;
	it->value[FLUSH_RATE][r] = 1e6 * outcome.flushes / outcome.time;
	it->value[GROUP_SIZE][r] = ratio(outcome.commits, outcome.flushes);
	it->value[MEAN_TIME][r] = ratio(outcome.latency / 1e3, outcome.commits);
	it->value[HIT_FRACTION][r] = ratio(outcome.hits, outcome.flushes);
	it->value[P99][r] = histogram_quantile(outcome.cell, 0.99) / NS_PER_MS;
}

/*
 * Replicas differ as samples do.  So the spread of the replicas, not of their
 * mean, says what another sample would have predicted.  "error" is the model's
 * relative standard error, for bounds that hold the measured value in 95% of
 * all cases.
 */
static Estimate
estimate_replicas(const double *value, double error)
{
	Estimate	estimate = estimate_rounds(value, NREPLICAS);
	int			n = 0;
	double		half;

	if (isnan(estimate.high))
		return estimate;
	for (int r = 0; r < NREPLICAS; r++)
		n += !isnan(value[r]);
	half = hypot((estimate.high - estimate.mean) * sqrt(n),
				 1.96 * error * estimate.mean);
	estimate.low = Max(estimate.mean - half, 0);
	estimate.high = estimate.mean + half;
	return estimate;
}

static void
predict_pair(WhatifLoad *replica, double time, double model_error,
			 Prediction *it, DelayOutcome *outcome)
{
	for (int r = 0; r < NREPLICAS; r++)
	{
		replica[r].delay = outcome->pair.delay;
		replica[r].siblings = outcome->pair.siblings;
		simulate_replica(&replica[r], r, time, it);
	}
	for (int q = 0; q < NQUANTITIES; q++)
		it->estimate[q] = estimate_replicas(it->value[q],
											q <= MEAN_TIME ? model_error : 0);
	if (it->estimate[HIT_FRACTION].high > 1)
		it->estimate[HIT_FRACTION].high = 1;
	outcome->rate = it->value[COMMIT_RATE];
	outcome->time = it->value[MEAN_TIME];
	outcome->commits = it->estimate[COMMIT_RATE];
	outcome->latency = it->estimate[MEAN_TIME];
	outcome->hit_fraction = it->estimate[HIT_FRACTION].mean;
}

static void
predict(const CommitTrace *trace, const WhatifLoad *load, Predictions *all)
{
	DelayOutcomes *outcomes = &all->outcomes;
	WhatifLoad	replica[NREPLICAS];
	double		rate = trace->n * 1000.0 /
	clock_elapsed(trace->started_at, trace->ended_at);
	double		time = MAX_COMMITS / (rate * outcomes->n * NREPLICAS);

	/* so that a prediction takes seconds and not minutes */
	time = Max(Min(REPLICA_TIME, time), REPLICA_TIME / 60);
	for (int r = 0; r < NREPLICAS; r++)
	{
		replica[r] = *load;
		choose_blocks(&replica[r], r + 1);
	}
	all->prediction = palloc(outcomes->n * sizeof(Prediction));
	for (int i = 0; i < outcomes->n; i++)
		predict_pair(replica, time, all->present.model_error,
					 &all->prediction[i], &outcomes->outcome[i]);
}

/* One outcome for each pair, and in any case one for the present setting */
static void
make_outcomes(const DelayPairs *pairs, const WhatifLoad *load,
			  Predictions *all)
{
	DelayOutcomes *outcomes = &all->outcomes;
	DelayPair	present = {load->delay, load->siblings};

	outcomes->outcome = palloc0((pairs->n + 1) * sizeof(DelayOutcome));
	outcomes->nrounds = NREPLICAS;
	outcomes->resampled = true;
	all->present.i = pairs->n;
	for (int i = 0; i < pairs->n; i++)
	{
		outcomes->outcome[i].pair = pairs->pair[i];
		if (pairs->pair[i].delay == present.delay &&
			pairs->pair[i].siblings == present.siblings)
			all->present.i = i;
	}
	outcomes->outcome[all->present.i].pair = present;
	outcomes->n = Max(pairs->n, all->present.i + 1);
}

/* Predicts each pair from a sample. */
static void
predict_pairs(const DelayPairs *pairs, Sample *sample, Predictions *all)
{
	const CounterDelta *measured = &sample->measured;
	WhatifLoad	load;

	check_sample(sample);
	wal_room_warn(&sample->room, pairs);
	all->present.model_error = learn_load(sample, &load);
	all->present.commits = counter_delta_rate(measured, SLOT_COMMITS);
	all->present.latency = counter_delta_mean_latency(measured) / NS_PER_MS;
	make_outcomes(pairs, &load, all);
	predict(&sample->trace, &load, all);
}

/*----------------------------------------------------------------
 * From arguments to pairs, from predictions to rows
 *----------------------------------------------------------------
 */

static void
row_predicted(Row *row, const char *name, const Prediction *it, Quantity q,
			  int digits)
{
	const Estimate *estimate = &it->estimate[q];
	double		unit = q == HIT_FRACTION ? 100 : 1;

	row_estimate(row, name, unit * estimate->mean, unit * estimate->low,
				 unit * estimate->high, digits);
}

static void
row_prediction(Row *row, const DelayPair *pair, const Prediction *it)
{
	row_number(row, "commit_delay", pair->delay);
	row_number(row, "commit_siblings", pair->siblings);
	row_predicted(row, "commits_per_second", it, COMMIT_RATE, 1);
	row_predicted(row, "flushes_per_second", it, FLUSH_RATE, 1);
	row_predicted(row, "commits_per_flush", it, GROUP_SIZE, 2);
	row_predicted(row, "delay_hit_share", it, HIT_FRACTION, 1);
	row_predicted(row, "mean", it, MEAN_TIME, 3);
	row_predicted(row, "p99", it, P99, 3);
}

Datum
commit_delay_whatif_1_0(PG_FUNCTION_ARGS)
{
	DelayPairs	pairs;
	Predictions all;
	uint64		length;
	Sample	   *sample;
	int			best;
	Row			row;

	row_init(fcinfo, &row);
	tuning_args_require("A standby commits nothing.  Ask on the primary.");
	if (delay_override_is_adaptive())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("commit_delay_whatif cannot predict while commit_stats.adaptive_delay is on"),
				 errhint("Use commit_delay_sweep with \"adaptive\" instead.")));
	tuning_args_pairs(fcinfo, ARG_DELAYS, ARG_SIBLINGS, &pairs);
	length = tuning_args_interval(fcinfo, ARG_SAMPLE, "sample", MIN_SAMPLE,
								  MAX_SAMPLE);
	wait_require_time(length);
	sample = take_sample(length);
	predict_pairs(&pairs, sample, &all);
	best = best_predicted(&all.outcomes, &all.present);
	for (int i = 0; i < all.outcomes.n; i++)
	{
		row_prediction(&row, &all.outcomes.outcome[i].pair, &all.prediction[i]);
		row_bool(&row, "is_best", i == best);
		row_text(&row, "reason",
				 best_predicted_reason(&all.outcomes, &all.present, best, i));
		if (i == all.present.i)
		{
			row.prefix = "measured_";
			row_rates(&row, &sample->measured);
			row_latency(&row, &sample->measured);
			row.prefix = "";
		}
		row_put(&row);
	}
	return (Datum) 0;
}
