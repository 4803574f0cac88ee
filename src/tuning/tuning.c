/*-------------------------------------------------------------------------
 *
 * tuning.c
 *		What commit_delay_sweep() and commit_delay_whatif() share: arguments,
 *		columns, and a notice about delays that fill the WAL buffers.
 *
 * A session that finds the buffers full waits while a leader sleeps, a bulk
 * load that commits once as well.  Neither a sweep nor a prediction measures
 * that wait.  Both say so before they try such a delay.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/guc.h"
#include "base/wait.h"
#include "base/wal_device.h"
#include "stats/srf.h"
#include "tuning/tuning.h"

#define MAX_PAIRS	1000

/* Raises an error if commit_delay has no effect, or nothing is counted. */
void
tuning_args_require(const char *standby_hint)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("recovery is in progress"),
				 errhint("%s", standby_hint)));
	if (!enableFsync)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("commit_delay has no effect while fsync is off")));
	guc_require_enabled();
	/* a transaction that has an xid is a sibling of every commit */
	if (TransactionIdIsValid(GetTopTransactionIdIfAny()))
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("an experiment with commit_delay would measure its own transaction"),
				 errdetail("The transaction has written, so it counts as a sibling of every commit until it ends."),
				 errhint("Call the function in a transaction of its own.  To keep its rows, use INSERT ... SELECT into a table that exists.")));
}

void
tuning_args_require_value(FunctionCallInfo fcinfo, int argument,
						  const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("\"%s\" must not be null", name)));
}

/* An argument that is a time, in ns. */
uint64
tuning_args_interval(FunctionCallInfo fcinfo, int argument, const char *name,
					 uint64 least, uint64 most)
{
	tuning_args_require_value(fcinfo, argument, name);
	return wait_from_interval(PG_GETARG_INTERVAL_P(argument), name, least,
							  most);
}

/* An argument that is an array of values of a setting, from 0 to "most". */
static const int32 *
array_argument(FunctionCallInfo fcinfo, int argument, const char *name,
			   const char *setting, int most, int *n)
{
	ArrayType  *array;
	const int32 *value;

	tuning_args_require_value(fcinfo, argument, name);
	array = PG_GETARG_ARRAYTYPE_P(argument);
	if (ARR_NDIM(array) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("\"%s\" must be a one-dimensional array with values of %s",
						name, setting)));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("\"%s\" must not contain nulls", name)));
	if (ARR_DIMS(array)[0] > MAX_PAIRS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" has more than %d values", name, MAX_PAIRS)));
	value = (const int32 *) ARR_DATA_PTR(array);
	*n = ARR_DIMS(array)[0];
	for (int i = 0; i < *n; i++)
	{
		if (value[i] < 0 || value[i] > most)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%d in \"%s\" is outside the valid range of %s (0 .. %d)",
							value[i], name, setting, most)));
		for (int j = 0; j < i; j++)
			if (value[j] == value[i])
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("\"%s\" has %d twice", name, value[i])));
	}
	return value;
}

/* Each of delays with each of siblings; null: with that of this session */
DelayPairs
tuning_args_pairs(FunctionCallInfo fcinfo)
{
	DelayPairs	pairs;
	int			ndelays;
	int			nsiblings = 1;
	const int32 *delay = array_argument(fcinfo, 0, "delays", "commit_delay",
										COMMIT_DELAY_MAX, &ndelays);
	const int32 *sibling = PG_ARGISNULL(1) ? &CommitSiblings :
	array_argument(fcinfo, 1, "siblings", "commit_siblings",
				   COMMIT_SIBLINGS_MAX, &nsiblings);

	pairs.n = ndelays * nsiblings;
	if (pairs.n > MAX_PAIRS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"delays\" and \"siblings\" make more than %d pairs",
						MAX_PAIRS)));
	pairs.pair = palloc0((pairs.n + 1) * sizeof(DelayPair));
	for (int i = 0; i < pairs.n; i++)
	{
		pairs.pair[i].delay = delay[i % ndelays];
		pairs.pair[i].siblings = sibling[i / ndelays];
	}
	return pairs;
}

/*
 * A notice if a delay is longer than half of the buffers last, by the WAL
 * written after "from", where it ended at the time "since"
 */
void
wal_room_warn(XLogRecPtr from, uint64 since, const DelayPairs *pairs)
{
	uint64		time = clock_elapsed(since, clock_now());
	double		rate = (double) (GetXLogInsertRecPtr() - from) * NS_PER_S /
	Max(time, 1);
	double		most = wal_buffers_us_until_half_full((double) XLOGbuffers * XLOG_BLCKSZ,
													  rate);
	int			longest = 0;

	for (int i = 0; i < pairs->n; i++)
		if (pairs->pair[i].delay <= COMMIT_DELAY_MAX)
			longest = Max(longest, pairs->pair[i].delay);
	if (longest <= most)
		return;
	ereport(NOTICE,
			(errmsg("a commit_delay above %.0f us lets the WAL fill half of \"wal_buffers\"",
					most),
			 errdetail("The server wrote %.1f MB of WAL a second.  A session that finds the buffers full waits for the leader that sleeps, also if it does not commit, and no figure here includes that.",
					   rate / 1e6),
			 errhint("Do not set longer delays, or increase \"wal_buffers\".")));
}

/* "unit" times an estimate, and its bounds in name + "_low" and "_high" */
void
row_estimate(Row *row, const char *name, const Estimate *it, double unit,
			 int digits)
{
	row_rounded(row, name, unit * it->mean, digits);
	row_rounded(row, psprintf("%s_low", name), unit * it->low, digits);
	row_rounded(row, psprintf("%s_high", name), unit * it->high, digits);
}
