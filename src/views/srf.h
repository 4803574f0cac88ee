/*-------------------------------------------------------------------------
 *
 * srf.h
 *		Rows of a set-returning function, built column by column.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SRF_H
#define COMMIT_STATS_SRF_H

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/tuplestore.h"

#include "base/compat.h"
#include "module/shared_memory.h"

#define ROW_MAX_COLUMNS		32

/*
 * The row under construction.  Columns are added in the order in which the SQL
 * script declares them, also those that are null.
 */
typedef struct Row
{
	ReturnSetInfo *result;
	int			n;
	Datum		value[ROW_MAX_COLUMNS];
	bool		isnull[ROW_MAX_COLUMNS];
} Row;

/* To be called first in every function that returns rows. */
static inline void
row_init(FunctionCallInfo fcinfo, Row *row)
{
	shared_memory_require();
	InitMaterializedSRF(fcinfo, 0);
	row->result = (ReturnSetInfo *) fcinfo->resultinfo;
	row->n = 0;
}

static inline void
row_add(Row *row, Datum value, bool isnull)
{
	Assert(row->n < ROW_MAX_COLUMNS);
	row->value[row->n] = value;
	row->isnull[row->n++] = isnull;
}

static inline void
row_nulls(Row *row, int n)
{
	while (n-- > 0)
		row_add(row, (Datum) 0, true);
}

static inline void
row_datum(Row *row, Datum value)
{
	row_add(row, value, false);
}

static inline void
row_int8(Row *row, uint64 value)
{
	row_datum(row, Int64GetDatum((int64) value));
}

static inline void
row_float8(Row *row, double value)
{
	row_datum(row, Float8GetDatum(value));
}

static inline void
row_bool(Row *row, bool value)
{
	row_datum(row, BoolGetDatum(value));
}

static inline void
row_text(Row *row, const char *value)
{
	row_datum(row, CStringGetTextDatum(value));
}

/* For amounts of WAL, in bytes, and counts whose sum may exceed bigint. */
static inline void
row_numeric(Row *row, uint64 value)
{
	row_datum(row, NumericGetDatum(int64_to_numeric((int64) value)));
}

/* An amount that is null if it is not known, which 0 stands for. */
static inline void
row_numeric_or_null(Row *row, uint64 value)
{
	if (value == 0)
		row_nulls(row, 1);
	else
		row_numeric(row, value);
}

/* A counter of ns, in ms. */
static inline void
row_ms(Row *row, uint64 ns)
{
	row_float8(row, (double) ns / NS_PER_MS);
}

/* A number rounded to some decimal digits; NaN becomes null. */
static inline void
row_rounded(Row *row, double value, int digits)
{
	double		factor = pow(10, digits);

	row_add(row, Float8GetDatum(rint(value * factor) / factor), isnan(value));
}

/* A fraction as a percentage. */
static inline void
row_share(Row *row, double fraction, int digits)
{
	row_rounded(row, 100 * fraction, digits);
}

/* The row is complete; the next one begins. */
static inline void
row_put(Row *row)
{
	TupleDesc	desc = row->result->setDesc;

	if (desc->natts != row->n)
		elog(ERROR, "commit_stats: %d columns expected, %d found",
			 row->n, desc->natts);
	tuplestore_putvalues(row->result->setResult, desc, row->value,
						 row->isnull);
	row->n = 0;
}

#endif							/* COMMIT_STATS_SRF_H */
