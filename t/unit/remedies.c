/*-------------------------------------------------------------------------
 *
 * remedies.c
 *		Loads of two clients that commit_remedies() changes, as an SQL
 *		function, for the tests.
 *
 * t/unit/remedies.pl compiles this file together with the simulation, which
 * uses neither SQL nor shared memory.  The extension does not contain this
 * file.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/tuplestore.h"

#include "whatif/whatif.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(remedy_model);

/* What one party did, as a row */
static void
put_party(ReturnSetInfo *rsinfo, const TransactionSums *it,
		  const WhatifOutcome *outcome)
{
	Datum		value[4];
	bool		null[4] = {0};
	double		commits = 0;

	for (int i = 0; i < HISTOGRAM_NCELLS; i++)
		commits += it->cell[i];
	null[1] = commits == 0;
	null[2] = it->commits == 0;
	value[0] = Float8GetDatum(1e6 * it->commits / outcome->time);
	value[1] = Float8GetDatum(it->latency / commits);
	value[2] = Float8GetDatum(it->response / it->commits);
	value[3] = Float8GetDatum(1e6 * outcome->flushes / outcome->time);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, value, null);
}

/*
 * remedy_model(sessions int[], work float8[], notifies int[],
 *				arrivals float8[], flush float8, changed int, batch int,
 *				async boolean, quiet boolean, delay int, factor float8,
 *				less_wal float8, wal float8, pause float8,
 *				wal_quota float8)
 *
 * Each array has a value for each of two parties, 1 and 2.  Each
 * "notifies"-th transaction sends a NOTIFY; 0: none does.  Times in us,
 * arrivals per second; commit_siblings is 1.  A flush of one commit has 50
 * pages of WAL, which take 10 us each, and each more has "wal".  Two pauses
 * come in each second, which take "pause"; the device allows "wal_quota"
 * pages in each 100 ms, if above 0, and then they take no time.  Returns a
 * row for each party: transactions per second, mean latency of the commits
 * that waited or were asynchronous, mean time of a transaction, and flushes
 * per second of the server.
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
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int g = 0; g < 2; g++)
	{
		int			n = Max(notifies[g], 1);
		LoadCycle  *cycle = palloc(n * sizeof(LoadCycle));

		for (int i = 0; i < n; i++)
			cycle[i] = (LoadCycle)
		{
			.work = work[g],.notifies = notifies[g] > 0 && i == 0,.party = g + 1
		};
		load.group[g] = (LoadGroup)
		{
			sessions[g],
			{
				n, NULL
			}, cycle, arrivals[g] / 1e6
		};
	}
	whatif_change_flushes(&load, PG_GETARG_FLOAT8(10), PG_GETARG_FLOAT8(11));
	whatif_simulate(&load, 20e6, 1, &outcome);
	for (int p = 1; p <= 2; p++)
		put_party(rsinfo, &outcome.others[3 - p], &outcome);
	return (Datum) 0;
}
