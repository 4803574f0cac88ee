/*-------------------------------------------------------------------------
 *
 * whatif_model.c
 *		The arithmetic of commit_delay_whatif() as SQL functions, for the
 *		tests.
 *
 * t/unit/whatif_model.pl compiles this file together with the modules under
 * test, which use neither SQL nor shared memory.  The extension does not
 * contain this file.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "control/adaptive_delay.h"
#include "control/spacing.h"
#include "tuning/tuning.h"
#include "whatif/whatif.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(whatif_model);
PG_FUNCTION_INFO_V1(whatif_learn);
PG_FUNCTION_INFO_V1(whatif_cancelled);
PG_FUNCTION_INFO_V1(whatif_chosen);

static int
read_floats(FunctionCallInfo fcinfo, int argument, double **values)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argument);

	*values = (double *) ARR_DATA_PTR(array);
	return ARR_NDIM(array) == 0 ? 0 : ARR_DIMS(array)[0];
}

static Distribution
one_value(double *value)
{
	Distribution draws = {1, value, NULL};

	return draws;
}

static void
put(FunctionCallInfo fcinfo, const double *values, int n)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum		datums[16];
	bool		nulls[16] = {0};

	for (int i = 0; i < n; i++)
		datums[i] = Float8GetDatum(values[i]);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, datums, nulls);
}

/* Cycles from the arguments of whatif_model() */
static void
read_cycles(FunctionCallInfo fcinfo, WhatifLoad *load)
{
	double	   *work;
	int			nwork = read_floats(fcinfo, 1, &work);
	double	   *wake;
	int			nwake = read_floats(fcinfo, 13, &wake);
	LoadCycle  *cycle = palloc0(nwork * sizeof(LoadCycle));

	for (int i = 0; i < nwork; i++)
	{
		cycle[i].wake = nwake == nwork ? wake[i] : 0;
		cycle[i].work = work[i];
	}
	load->ncycles = nwork;
	load->cycle = cycle;
}

/* A server with commit_stats.adaptive_delay */
typedef struct AdaptiveServer
{
	Spacing		spacing;
	double		ended;			/* the latest flush */
} AdaptiveServer;

static double
adaptive_commit_begins(void *arg, double now, bool flushing)
{
	const AdaptiveServer *server = arg;
	double		spacing = spacing_now(&server->spacing);

	if (spacing == 0)
		return 0;
	return (double) adaptive_delay_sleep((uint64) (spacing * NS_PER_US),
										 (uint64) (now * NS_PER_US), flushing,
										 (uint64) (server->ended * NS_PER_US)) /
		NS_PER_US;
}

static void
adaptive_flush_ended(void *arg, double now, double length, int commits,
					 double responses)
{
	AdaptiveServer *server = arg;

	(void) spacing_flush_ended(&server->spacing, now - length, now);
	(void) spacing_look(&server->spacing, now, commits, responses);
	server->ended = now;
}

static void
simulate_adaptive(WhatifLoad *load, double time, WhatifOutcome *outcome)
{
	AdaptiveServer server = {0};
	const SleepRule rule = {&server, adaptive_commit_begins, adaptive_flush_ended};

	spacing_init(&server.spacing, 0);
	load->rule = &rule;
	whatif_simulate(load, time, 1, outcome);
}

/*
 * whatif_model(clients int, work float8[], flush float8[], handoff float8,
 *				slack float8, cores float8, xid_share float8,
 *				arrivals float8, time_window float8, quota float8,
 *				delay int, siblings int, seconds float8,
 *				wake float8[], conflict float8, adaptive boolean)
 *
 * Every client has the same cycles.  Times in us, arrivals per second.
 * Without "wake" nobody has to wake up.  If "adaptive", a leader sleeps as
 * src/control/adaptive_delay.h and spacing.c say.
 */
Datum
whatif_model(PG_FUNCTION_ARGS)
{
	WhatifLoad	load = {0};
	WhatifOutcome outcome;
	int			first[2] = {0};
	double		handoff = PG_GETARG_FLOAT8(3);
	double		result[7];

	InitMaterializedSRF(fcinfo, 0);
	load.nblocks = 1;
	load.block_length = INFINITY;
	load.nclients = PG_GETARG_INT32(0);
	read_cycles(fcinfo, &load);
	first[1] = load.ncycles;
	load.first = first;
	load.flush.n = read_floats(fcinfo, 2, &load.flush.value);
	load.handoff = one_value(&handoff);
	load.slack = PG_GETARG_FLOAT8(4);
	load.cores = PG_GETARG_FLOAT8(5);
	load.xid_share = PG_GETARG_FLOAT8(6);
	load.conflict = PG_GETARG_FLOAT8(14);
	load.arrivals = PG_GETARG_FLOAT8(7) / 1e6;
	load.window = PG_GETARG_FLOAT8(8);
	load.quota = PG_GETARG_FLOAT8(9);
	load.delay = PG_GETARG_INT32(10);
	load.siblings = PG_GETARG_INT32(11);
	if (PG_GETARG_BOOL(15))
		simulate_adaptive(&load, PG_GETARG_FLOAT8(12) * 1e6, &outcome);
	else
		whatif_simulate(&load, PG_GETARG_FLOAT8(12) * 1e6, 1, &outcome);
	result[0] = 1e6 * outcome.commits / outcome.time;
	result[1] = 1e6 * outcome.flushes / outcome.time;
	result[2] = outcome.commits / outcome.flushes;
	result[3] = outcome.hits / outcome.flushes;
	result[4] = outcome.latency / outcome.commits;
	result[5] = histogram_quantile(outcome.cell, 0.99) / 1000;
	result[6] = outcome.blocked / outcome.time;
	put(fcinfo, result, 7);
	return (Datum) 0;
}

/* A trace from the arguments of whatif_learn(), until its last commit ended */
static CommitTrace
read_trace(FunctionCallInfo fcinfo)
{
	double	   *value;
	double	   *blocked;
	int			nblocked = read_floats(fcinfo, 6, &blocked);
	int			n = read_floats(fcinfo, 0, &value) / 8;
	TracedCommit *commit = palloc0(n * sizeof(TracedCommit));
	CommitTrace trace = {.n = n,.commit = commit};

	for (int i = 0; i < n; i++, value += 8)
	{
		commit[i].pid = fabs(value[0]);
		commit[i].is_commit = value[0] >= 0;
		commit[i].started_at = value[1] * 1000;
		commit[i].ended_at = value[2] * 1000;
		commit[i].group = value[3];
		commit[i].io_time = value[4] * 1000;
		commit[i].led = value[4] > 0;
		commit[i].timed = true;
		commit[i].siblings = value[5];
		commit[i].age = value[6];
		commit[i].delay = value[7];
		commit[i].blocked = nblocked == 2 ? blocked[0] : 0;
		commit[i].blocked_after = nblocked == 2 ? blocked[1] : 0;
		trace.ended_at = Max(trace.ended_at, commit[i].ended_at);
	}
	return trace;
}

/*
 * whatif_learn(trace float8[], delay int, siblings int, seconds float8,
 *				cpus int, busy float8, blocked float8[])
 *
 * The trace has 8 values for each commit: session (negative: a prepare), start
 * and end in us, number of its flush, I/O time in us (0: it did not lead),
 * siblings, age in us, and the commit_delay that it had.  "blocked" has two,
 * or is empty: how many others waited for locks when each commit began and
 * when it was done.
 */
Datum
whatif_learn(PG_FUNCTION_ARGS)
{
	CommitTrace trace = read_trace(fcinfo);
	CpuUsage	cpus = {PG_GETARG_INT32(4), PG_GETARG_FLOAT8(5) * 1e6};
	WhatifLoad	load = {0};
	WhatifOutcome outcome;
	double		result[11] = {0};

	InitMaterializedSRF(fcinfo, 0);
	result[0] = whatif_fit(&trace, &cpus, &load, &result[9]);
	result[1] = load.cores;
	result[2] = load.xid_share;
	result[3] = load.arrivals * 1e6;
	result[4] = load.window;
	result[5] = load.quota;
	if (result[0] != 0)
	{
		result[10] = load.conflict;
		load.delay = PG_GETARG_INT32(1);
		load.siblings = PG_GETARG_INT32(2);
		whatif_simulate(&load, PG_GETARG_FLOAT8(3) * 1e6, 1, &outcome);
		result[6] = 1e6 * outcome.commits / outcome.time;
		result[7] = outcome.latency / outcome.commits;
		for (int i = 0; i < load.ncycles; i++)
			result[8] += (load.cycle[i].wake + load.cycle[i].work) / load.ncycles;
	}
	put(fcinfo, result, 11);
	return (Datum) 0;
}

/* A request to cancel comes with this commit of a simulation. */
#define CANCELLED_COMMIT	100

static double
count_and_cancel(void *arg, double now, bool flushing)
{
	if (++*(int *) arg == CANCELLED_COMMIT)
		InterruptPending = QueryCancelPending = true;
	return 0;
}

static void
ignore_flush(void *arg, double now, double length, int commits,
			 double responses)
{
}

/* 100 sessions that commit for a second, in which the request comes */
static void
simulate_cancelled(int *commits)
{
	const SleepRule rule = {commits, count_and_cancel, ignore_flush};
	LoadCycle	cycle = {0, 100};
	int			first[2] = {0, 1};
	double		flush = 100;
	WhatifLoad	load = {0};
	WhatifOutcome outcome;

	load.nblocks = load.ncycles = 1;
	load.block_length = INFINITY;
	load.nclients = 100;
	load.cycle = &cycle;
	load.first = first;
	load.cores = 100;
	load.flush = one_value(&flush);
	load.rule = &rule;
	whatif_simulate(&load, 1e6, 1, &outcome);
}

/* 1000 commits, and the request came before */
static void
learn_cancelled(void)
{
	TracedCommit *commit = palloc0(1000 * sizeof(TracedCommit));
	CommitTrace trace = {.n = 1000,.commit = commit,.ended_at = 1000 * 1000};
	CpuUsage	cpus = {0};
	WhatifLoad	load = {0};
	double		blocked;

	for (int i = 0; i < 1000; i++)
	{
		commit[i].started_at = i * 1000;
		commit[i].ended_at = commit[i].started_at + 1000;
	}
	InterruptPending = QueryCancelPending = true;
	(void) whatif_fit(&trace, &cpus, &load, &blocked);
}

/*
 * whatif_cancelled(learn boolean) returns integer
 *
 * Commits that began before a simulation, or a fit, obeyed a request to
 * cancel; -1 if it did not.
 */
Datum
whatif_cancelled(PG_FUNCTION_ARGS)
{
	MemoryContext context = CurrentMemoryContext;
	int			commits = 0;
	volatile int result = -1;

	PG_TRY();
	{
		if (PG_GETARG_BOOL(0))
			learn_cancelled();
		else
			simulate_cancelled(&commits);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
		result = commits;
	}
	PG_END_TRY();
	InterruptPending = QueryCancelPending = false;
	PG_RETURN_INT32(result);
}

/* A prediction with bounds of 1.96 times the error */
static Estimate
bounds_of(double value, double error)
{
	Estimate	estimate = {value, value * (1 - 1.96 * error),
	value * (1 + 1.96 * error)};

	return estimate;
}

/*
 * whatif_chosen(measured_commits float8, measured_mean float8,
 *				 error float8, delays int[], commits float8[],
 *				 mean float8[]) returns setof text
 *
 * The first pair is the present setting.  Every replica of a pair says the
 * same.  Returns "is_best reason" for each pair.
 */
Datum
whatif_chosen(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int32	   *delay = (int32 *) ARR_DATA_PTR(PG_GETARG_ARRAYTYPE_P(3));
	double	   *commits;
	double	   *mean;
	int			n = read_floats(fcinfo, 4, &commits);
	DelayOutcomes all = {n, palloc0(n * sizeof(DelayOutcome)), 2, true};
	PresentSetting present = {
		.commits = PG_GETARG_FLOAT8(0),
		.latency = PG_GETARG_FLOAT8(1),
		.model_error = PG_GETARG_FLOAT8(2)
	};
	int			best;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	(void) read_floats(fcinfo, 5, &mean);
	for (int i = 0; i < n; i++)
	{
		DelayOutcome *it = &all.outcome[i];
		double	   *same = palloc(4 * sizeof(double));

		same[0] = same[1] = commits[i];
		same[2] = same[3] = mean[i];
		it->pair.delay = delay[i];
		it->pair.siblings = 5;
		it->rate = same;
		it->time = same + 2;
		it->commits = bounds_of(commits[i], present.model_error);
		it->latency = bounds_of(mean[i], present.model_error);
		it->hit_fraction = delay[i] > 0;
	}
	best = best_predicted(&all, &present);
	for (int i = 0; i < n; i++)
	{
		char	   *row = psprintf("%d %s", i == best,
								   best_predicted_reason(&all, &present, best, i));
		Datum		datum = CStringGetTextDatum(row);
		bool		null = false;

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &datum, &null);
	}
	return (Datum) 0;
}
