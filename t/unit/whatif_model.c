/*-------------------------------------------------------------------------
 *
 * whatif_model.c
 *		The arithmetic of commit_delay_whatif() and commit_remedies() as SQL
 *		functions, for the tests.
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
#include "utils/tuplestore.h"

#include "whatif/whatif.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(whatif_model);
PG_FUNCTION_INFO_V1(whatif_learn);
PG_FUNCTION_INFO_V1(whatif_cancelled);
PG_FUNCTION_INFO_V1(remedy_model);

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
	Distribution draws = {{1, NULL}, value};

	return draws;
}

/* A row; null for NaN */
static void
put(FunctionCallInfo fcinfo, const double *values, int n)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum		datums[16];
	bool		nulls[16];

	for (int i = 0; i < n; i++)
	{
		nulls[i] = isnan(values[i]);
		datums[i] = Float8GetDatum(values[i]);
	}
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, datums, nulls);
}

/* Cycles from the arguments of whatif_model(), all in one block */
static void
read_cycles(FunctionCallInfo fcinfo, WhatifLoad *load)
{
	double	   *work;
	int			nwork = read_floats(fcinfo, 1, &work);
	double	   *wake;
	int			nwake = read_floats(fcinfo, 13, &wake);
	LoadCycle  *cycle = palloc0(nwork * sizeof(LoadCycle));
	WakeUp	   *wakeup = palloc0(nwake * sizeof(WakeUp));

	for (int i = 0; i < nwork; i++)
	{
		cycle[i].work = work[i];
		cycle[i].notifies = PG_GETARG_BOOL(16);
	}
	for (int i = 0; i < nwake; i++)
		wakeup[i] = (WakeUp)
	{
		wake[i], 0, nwake
	};
	load->wakeups.n = nwake;
	load->wakeup = wakeup;
	load->ngroups = 1;
	load->group[0].nclients = load->nclients;
	load->group[0].cycles.n = nwork;
	load->group[0].cycle = cycle;
}

/*
 * whatif_model(), with the arguments that t/unit/whatif_model.pl names: every
 * client has the same cycles.  Times in us, arrivals per second.  The
 * members of a flush wake up after any of "wake"; without it, at once.  If
 * "adaptive", a leader sleeps as src/control/adaptive_delay.h and spacing.c
 * say.
 */
Datum
whatif_model(PG_FUNCTION_ARGS)
{
	WhatifLoad	load = {0};
	WhatifOutcome outcome;
	const TransactionSums *sum = &outcome.others[0];
	double		handoff = PG_GETARG_FLOAT8(3);
	double		result[8];

	InitMaterializedSRF(fcinfo, 0);
	load.nblocks = 1;
	load.block_length = INFINITY;
	load.nclients = PG_GETARG_INT32(0);
	read_cycles(fcinfo, &load);
	load.flush.blocks.n = read_floats(fcinfo, 2, &load.flush.value);
	load.handoff = one_value(&handoff);
	load.slack = PG_GETARG_FLOAT8(4);
	load.cores = PG_GETARG_FLOAT8(5);
	load.xid_share = PG_GETARG_FLOAT8(6);
	load.conflict = PG_GETARG_FLOAT8(14);
	load.group[0].arrivals = PG_GETARG_FLOAT8(7) / 1e6;
	load.window = PG_GETARG_FLOAT8(8);
	load.quota = PG_GETARG_FLOAT8(9);
	load.delay = PG_GETARG_INT32(10);
	load.siblings = PG_GETARG_INT32(11);
	load.adaptive = PG_GETARG_BOOL(15) ? 1e5 : 0;
	whatif_simulate(&load, PG_GETARG_FLOAT8(12) * 1e6, 1, &outcome);
	result[0] = 1e6 * sum->commits / outcome.time;
	result[1] = 1e6 * outcome.flushes / outcome.time;
	result[2] = sum->commits / outcome.flushes;
	result[3] = outcome.hits / outcome.flushes;
	result[4] = sum->latency / sum->commits;
	result[5] = histogram_quantile(sum->cell, 0.99) / 1000;
	result[6] = outcome.blocked / outcome.time;
	result[7] = outcome.endless;
	put(fcinfo, result, 8);
	return (Datum) 0;
}

/* A trace from the arguments of whatif_learn(), until its last commit ended */
static CommitTrace
read_trace(FunctionCallInfo fcinfo)
{
	double	   *value;
	double	   *blocked;
	int			nblocked = read_floats(fcinfo, 6, &blocked);
	double	   *pages;
	int			npages = read_floats(fcinfo, 7, &pages);
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
		commit[i].timed = value[7] >= 0;
		commit[i].siblings = value[5];
		commit[i].age = value[6];
		/* of these us; while other programs are busy, its client has the rest */
		commit[i].cpu_time = value[6] * (PG_GETARG_FLOAT8(5) < 0 ? 100 : 1000);
		commit[i].delay = fabs(value[7]);
		commit[i].threshold = PG_GETARG_INT32(2);
		commit[i].wal_pages = npages > 0 ? fabs(pages[commit[i].group % npages]) : 0;
		commit[i].beside = npages > 0 && pages[commit[i].group % npages] < 0;
		commit[i].blocked = nblocked == 2 ? blocked[0] : 0;
		commit[i].blocked_after = nblocked == 2 ? blocked[1] : 0;
		trace.ended_at = Max(trace.ended_at, commit[i].ended_at);
	}
	return trace;
}

/*
 * whatif_learn(), likewise
 *
 * The trace has 8 values for each commit: session (negative: a prepare), start
 * and end in us, number of its flush, I/O time in us (0: it did not lead),
 * siblings, age in us, and the commit_delay that it had (negative: its I/O was
 * not timed).  "blocked" has two, or is empty: how many others waited for
 * locks when each commit began and when it was done.  "pages" are of WAL in
 * each flush, again and again; negative: it stalled beside something else.
 * "busy" are seconds; negative: sessions computed for a tenth of their age.
 */
Datum
whatif_learn(PG_FUNCTION_ARGS)
{
	CommitTrace trace = read_trace(fcinfo);
	CpuUsage	cpus = {PG_GETARG_INT32(4), fabs(PG_GETARG_FLOAT8(5)) * 1e6};
	WhatifLoad	load = {0};
	WhatifOutcome outcome;
	const TransactionSums *sum = &outcome.others[0];
	double		result[14] = {0};

	InitMaterializedSRF(fcinfo, 0);
	result[0] = whatif_fit(&trace, &cpus, &load, &result[9]);
	result[1] = load.cores;
	result[2] = load.xid_share;
	result[3] = load.group[0].arrivals * 1e6;
	result[4] = load.window;
	result[5] = load.quota;
	result[11] = load.of_wal;
	result[12] = load.pause.blocks.n;
	result[13] = load.pause.blocks.n > 0 ? load.pause.value[0] : 0;
	if (result[0] != 0)
	{
		result[10] = load.conflict;
		load.delay = PG_GETARG_INT32(1);
		load.siblings = PG_GETARG_INT32(2);
		whatif_simulate(&load, PG_GETARG_FLOAT8(3) * 1e6, 1, &outcome);
		result[6] = 1e6 * sum->commits / outcome.time;
		result[7] = sum->latency / sum->commits;
		for (int i = 0; i < load.group[0].cycles.n; i++)
			result[8] += load.group[0].cycle[i].work / load.group[0].cycles.n;
		for (int i = 0; i < load.wakeups.n; i++)
			result[8] += load.wakeup[i].time / load.wakeups.n;
	}
	put(fcinfo, result, 14);
	return (Datum) 0;
}

/* A session that commits for a second; the request came before */
static void
simulate_cancelled(void)
{
	LoadCycle	cycle = {.work = 100};
	double		flush = 100;
	WhatifLoad	load = {.nblocks = 1,.block_length = INFINITY,.nclients = 1,
		.ngroups = 1,.group = {{1, {1, NULL}, &cycle, 0}},.cores = 1,
	.flush = one_value(&flush)};
	WhatifOutcome outcome;

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
	(void) whatif_fit(&trace, &cpus, &load, &blocked);
}

/*
 * whatif_cancelled(learn boolean) returns boolean: does a simulation, or a
 * fit, obey a request to cancel that came before?
 */
Datum
whatif_cancelled(PG_FUNCTION_ARGS)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool result = false;

	InterruptPending = QueryCancelPending = true;
	PG_TRY();
	{
		if (PG_GETARG_BOOL(0))
			learn_cancelled();
		else
			simulate_cancelled();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
		result = true;
	}
	PG_END_TRY();
	InterruptPending = QueryCancelPending = false;
	PG_RETURN_BOOL(result);
}

/* Cycles of a party: each "notifies"-th transaction sends a NOTIFY; 0: none */
static LoadCycle *
party_cycles(int party, double work, int notifies)
{
	int			n = Max(notifies, 1);
	LoadCycle  *cycle = palloc(n * sizeof(LoadCycle));

	for (int i = 0; i < n; i++)
		cycle[i] = (LoadCycle)
	{
		.work = work,.notifies = notifies > 0 && i == 0,.party = party
	};
	return cycle;
}

/*
 * remedy_model(), likewise
 *
 * Each array has a value for each of two parties, 1 and 2.  Each
 * "notifies"-th transaction sends a NOTIFY; 0: none does.  Times in us,
 * arrivals per second; commit_siblings is 1.  A flush of one commit has 50
 * pages of WAL, which take 10 us each, and each more has "wal".  Two pauses
 * come in each second, which take "pause"; the device allows "wal_quota"
 * pages in each 100 ms, if above 0, and then they take no time; WAL buffers
 * have 200.  Returns a row for each party: transactions per second, mean
 * latency of the commits that waited (null: none did), mean time of a
 * transaction, and flushes per second of the server.
 */
Datum
remedy_model(PG_FUNCTION_ARGS)
{
	const int32 *sessions = (int32 *) ARR_DATA_PTR(PG_GETARG_ARRAYTYPE_P(0));
	const double *work = (double *) ARR_DATA_PTR(PG_GETARG_ARRAYTYPE_P(1));
	const int32 *notifies = (int32 *) ARR_DATA_PTR(PG_GETARG_ARRAYTYPE_P(2));
	const double *arrivals = (double *) ARR_DATA_PTR(PG_GETARG_ARRAYTYPE_P(3));
	double		flush = PG_GETARG_FLOAT8(4);
	double		pause[2] = {PG_GETARG_FLOAT8(13) / 2, PG_GETARG_FLOAT8(13) / 2};
	double		wal_quota = PG_GETARG_FLOAT8(14);
	int			pauses[] = {0, pause[0] > 0 ? 2 : 0};
	const double pages = 50;
	const int	carried = 1;
	WhatifLoad	load = {
		.nblocks = 1,
		.block_length = pause[0] > 0 ? 1e6 : INFINITY,
		.ngroups = 2,
		.nclients = sessions[0] + sessions[1],
		.cores = 1000,
		.flush = {{1, NULL}, &flush},
		.pages = &pages,
		.carried = &carried,
		.page_time = wal_quota > 0 ? 0 : 10,
		.wal = PG_GETARG_FLOAT8(12),
		.room = 200,
		.pause = {{pauses[1], pauses}, pause},
		.window = wal_quota > 0 ? 100e3 : 0,
		.quota = wal_quota,
		.of_wal = true,
		.changed = PG_GETARG_INT32(5),
		.batch = PG_GETARG_INT32(6),
		.async = PG_GETARG_BOOL(7),
		.quiet = PG_GETARG_BOOL(8),
		.delay = PG_GETARG_INT32(9),
		.siblings = 1
	};
	WhatifOutcome outcome;

	InitMaterializedSRF(fcinfo, 0);
	for (int g = 0; g < 2; g++)
	{
		load.group[g] = (LoadGroup)
		{
			sessions[g],
			{
				Max(notifies[g], 1), NULL
			}, party_cycles(g + 1, work[g], notifies[g]), arrivals[g] / 1e6
		};
	}
	whatif_change_flushes(&load, PG_GETARG_FLOAT8(10), PG_GETARG_FLOAT8(11));
	whatif_simulate(&load, 20e6, 1, &outcome);
	for (int p = 1; p <= 2; p++)
	{
		const TransactionSums *it = &outcome.others[3 - p];
		const double result[] = {
			1e6 * it->commits / outcome.time, it->latency / histogram_count(it->cell),
			it->response / it->commits, 1e6 * outcome.flushes / outcome.time
		};

		put(fcinfo, result, lengthof(result));
	}
	return (Datum) 0;
}
