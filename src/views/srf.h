/*-------------------------------------------------------------------------
 *
 * srf.h
 *		Rows of a set-returning function, made column by column.
 *
 * What the files that make rows have in common.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SRF_H
#define COMMIT_STATS_SRF_H

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "utils/numeric.h"
#include "utils/tuplestore.h"

#include "base/shared_memory.h"

#define MAX_COLUMNS		32

/* The row under construction. */
typedef struct Row
{
	Datum		values[MAX_COLUMNS];
	bool		nulls[MAX_COLUMNS];
} Row;

static inline void
set_int8(Row *row, int column, uint64 value)
{
	row->values[column] = Int64GetDatum((int64) value);
	row->nulls[column] = false;
}

static inline void
set_int4(Row *row, int column, int value)
{
	row->values[column] = Int32GetDatum(value);
	row->nulls[column] = false;
}

static inline void
set_float8(Row *row, int column, double value)
{
	row->values[column] = Float8GetDatum(value);
	row->nulls[column] = false;
}

static inline void
set_bool(Row *row, int column, bool value)
{
	row->values[column] = BoolGetDatum(value);
	row->nulls[column] = false;
}

static inline void
set_datum(Row *row, int column, Datum value)
{
	row->values[column] = value;
	row->nulls[column] = false;
}

/* For numbers that may grow beyond bigint where they are added up. */
static inline void
set_numeric(Row *row, int column, uint64 value)
{
	set_datum(row, column, NumericGetDatum(int64_to_numeric((int64) value)));
}

/* All columns null until they are set. */
static inline void
start_row(Row *row)
{
	memset(row->nulls, true, sizeof(row->nulls));
}

static inline void
put_row(FunctionCallInfo fcinfo, Row *row, int ncolumns)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	if (rsinfo->setDesc->natts != ncolumns)
		elog(ERROR, "commit_stats: %d columns expected, %d found",
			 ncolumns, rsinfo->setDesc->natts);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc,
						 row->values, row->nulls);
}

/* For the functions that return a set or one row, before anything else. */
static inline void
start_rows(FunctionCallInfo fcinfo)
{
	shared_memory_require();
	InitMaterializedSRF(fcinfo, 0);
}

static inline double
round_to(double value, int digits)
{
	double		factor = pow(10, digits);

	return rint(value * factor) / factor;
}

/* To so many digits; null if it is NaN. */
static inline void
set_known(Row *row, int column, double value, int digits)
{
	if (!isnan(value))
		set_float8(row, column, round_to(value, digits));
}

static inline double
ns_to_ms(uint64 ns)
{
	return (double) ns / 1000000.0;
}

#endif							/* COMMIT_STATS_SRF_H */
