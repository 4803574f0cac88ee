/*-------------------------------------------------------------------------
 *
 * latency_views.c
 *		Histograms of times become rows.
 *
 * One function gives a row for each kind of time, with its quantiles, and one a
 * row for each cell of its histogram.  Kinds that did not occur have no rows.  A
 * third one has them all, for programs that watch servers: what is to be seen as
 * growing must have been seen as zero.  As in flush_views.c, what is shown is copied
 * first, under the reset lock.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "storage/lwlock.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "stats/latency.h"
#include "views/srf.h"

static const char *const level_names[] = {
	[WAIT_NOTHING] = "off",
	[WAIT_LOCAL] = "local",
	[WAIT_REMOTE_WRITE] = "remote_write",
	[WAIT_REMOTE_FLUSH] = "on",
	[WAIT_REMOTE_APPLY] = "remote_apply"
};

static const char *const setting_names[] = {
	[SYNCHRONOUS_COMMIT_OFF] = "off",
	[SYNCHRONOUS_COMMIT_LOCAL_FLUSH] = "local",
	[SYNCHRONOUS_COMMIT_REMOTE_WRITE] = "remote_write",
	[SYNCHRONOUS_COMMIT_REMOTE_FLUSH] = "on",
	[SYNCHRONOUS_COMMIT_REMOTE_APPLY] = "remote_apply"
};

StaticAssertDecl(lengthof(level_names) == WAIT_NLEVELS, "a level has no name");
StaticAssertDecl(lengthof(setting_names) == SYNCHRONOUS_COMMIT_NLEVELS,
				 "a setting has no name");

static LatencyTotals *
read_latency(void)
{
	LatencyTotals *totals;

	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	totals = latency_read();
	LWLockRelease(commit_stats_reset_lock());
	return totals;
}

static WaitLevel
kind_level(LatencyKind kind)
{
	if (kind == LATENCY_ASYNC)
		return WAIT_NOTHING;
	if (kind < LATENCY_FOLLOWER)
		return WAIT_LOCAL + (kind - LATENCY_LEADER);
	return WAIT_LOCAL + (kind - LATENCY_FOLLOWER);
}

static uint64
count_all(const uint64 *counts)
{
	uint64		n = 0;

	for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
		n += counts[cell];
	return n;
}

/* The first two columns of all rows: level, null for LATENCY_FLUSH, and role. */
static void
set_kind_columns(Row *row, LatencyKind kind)
{
	const char *role = kind == LATENCY_FLUSH ? "flush" :
		kind == LATENCY_ASYNC ? "asynchronous" :
		kind < LATENCY_FOLLOWER ? "leader" : "follower";

	if (kind != LATENCY_FLUSH)
		set_datum(row, 0, CStringGetTextDatum(level_names[kind_level(kind)]));
	set_datum(row, 1, CStringGetTextDatum(role));
}

/* ms, to the last digit that a clock of ns and cells of 5% let stand */
static void
set_ms(Row *row, int column, double ns)
{
	set_float8(row, column, rint(ns / 10.0) / 100000.0);
}

/*----------------------------------------------------------------
 * commit_latency_stats
 *----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(commit_latency_stats_1_0);

typedef enum LatencyColumn
{
	L_LEVEL,
	L_ROLE,
	L_N,
	L_MEAN,
	L_P50,
	L_P95,
	L_P99,
	L_P999,
	L_MAX,
	L_TIME,
	L_STANDBY_TIME_MIN,
	L_STANDBY_TIME_MAX,
	L_REQUESTED,
	L_NCOLUMNS
} LatencyColumn;

StaticAssertDecl(L_NCOLUMNS <= MAX_COLUMNS, "Row is too short");

static void
set_time_columns(Row *row, const uint64 *counts, uint64 n, uint64 time)
{
	set_int8(row, L_N, n);
	set_ms(row, L_MEAN, (double) time / n);
	set_ms(row, L_P50, histogram_quantile(counts, 0.5));
	set_ms(row, L_P95, histogram_quantile(counts, 0.95));
	set_ms(row, L_P99, histogram_quantile(counts, 0.99));
	set_ms(row, L_P999, histogram_quantile(counts, 0.999));
	set_ms(row, L_MAX, histogram_quantile(counts, 1.0));
	set_float8(row, L_TIME, ns_to_ms(time));
}

/*
 * What synchronous_commit was set to.  Only with the local flush can that be
 * anything else than the level itself; there it is not known by role.
 */
static Datum
requested_settings(WaitLevel level, const LatencyTotals *totals)
{
	Datum		settings[SYNCHRONOUS_COMMIT_NLEVELS];
	int			n = 0;

	if (level != WAIT_LOCAL)
		settings[n++] = CStringGetTextDatum(level_names[level]);
	else
	{
		for (int i = 0; i < SYNCHRONOUS_COMMIT_NLEVELS; i++)
			if (totals->local_by_setting[i] > 0)
				settings[n++] = CStringGetTextDatum(setting_names[i]);
	}
	return PointerGetDatum(construct_array(settings, n, TEXTOID, -1, false,
										   TYPALIGN_INT));
}

static void
set_commit_columns(Row *row, LatencyKind kind, const LatencyTotals *totals)
{
	WaitLevel	level = kind_level(kind);

	if (level > WAIT_LOCAL)
	{
		set_float8(row, L_STANDBY_TIME_MIN,
				   ns_to_ms(totals->sum[kind][STANDBY_TIME_MIN]));
		set_float8(row, L_STANDBY_TIME_MAX,
				   ns_to_ms(totals->sum[kind][STANDBY_TIME_MAX]));
	}
	set_datum(row, L_REQUESTED, requested_settings(level, totals));
}

Datum
commit_latency_stats_1_0(PG_FUNCTION_ARGS)
{
	LatencyTotals *totals;

	start_rows(fcinfo);
	totals = read_latency();
	for (int kind = 0; kind < LATENCY_NKINDS; kind++)
	{
		uint64		n = count_all(totals->count[kind]);
		Row			row;

		if (n == 0)
			continue;
		start_row(&row);
		set_kind_columns(&row, kind);
		set_time_columns(&row, totals->count[kind], n,
						 totals->sum[kind][LATENCY_TIME]);
		if (kind != LATENCY_FLUSH)
			set_commit_columns(&row, kind, totals);
		put_row(fcinfo, &row, L_NCOLUMNS);
	}
	return (Datum) 0;
}

/*----------------------------------------------------------------
 * commit_latency_histogram
 *----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(commit_latency_histogram_1_0);

typedef enum LatencyCellColumn
{
	LC_LEVEL,
	LC_ROLE,
	LC_LOWER_BOUND,
	LC_UPPER_BOUND,
	LC_N,
	LC_CUMULATIVE,
	LC_NCOLUMNS
} LatencyCellColumn;

StaticAssertDecl(LC_NCOLUMNS <= MAX_COLUMNS, "Row is too short");

/* ns to ms; all bounds are whole numbers of 0.1 ns, and shown as such */
static double
bound_ms(double bound)
{
	return round_to(bound / 1e6, 7);
}

/* All cells, so that the same bounds are there whenever one looks. */
static void
put_cells(FunctionCallInfo fcinfo, LatencyKind kind, const uint64 *counts)
{
	uint64		cumulative = 0;

	for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
	{
		Row			row;

		start_row(&row);
		set_kind_columns(&row, kind);
		set_float8(&row, LC_LOWER_BOUND, bound_ms(histogram_lower_bound(cell)));
		set_float8(&row, LC_UPPER_BOUND, bound_ms(histogram_upper_bound(cell)));
		set_int8(&row, LC_N, counts[cell]);
		cumulative += counts[cell];
		set_int8(&row, LC_CUMULATIVE, cumulative);
		put_row(fcinfo, &row, LC_NCOLUMNS);
	}
}

Datum
commit_latency_histogram_1_0(PG_FUNCTION_ARGS)
{
	LatencyTotals *totals;

	start_rows(fcinfo);
	totals = read_latency();
	for (int kind = 0; kind < LATENCY_NKINDS; kind++)
	{
		if (count_all(totals->count[kind]) > 0)
			put_cells(fcinfo, kind, totals->count[kind]);
	}
	return (Datum) 0;
}

/*----------------------------------------------------------------
 * commit_latency_buckets
 *----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(commit_latency_buckets_1_0);

typedef enum LatencyBucketColumn
{
	LB_LEVEL,
	LB_ROLE,
	LB_BOUNDS,
	LB_CUMULATIVE,
	LB_SUM,
	LB_N,
	LB_NCOLUMNS
} LatencyBucketColumn;

StaticAssertDecl(LB_NCOLUMNS <= MAX_COLUMNS, "Row is too short");

/* The cell that begins with 2^exponent ns. */
#define OCTAVE(exponent) \
	(1 + ((exponent) - HISTOGRAM_FIRST_OCTAVE) * HISTOGRAM_STEPS)

/*
 * Buckets end where cells do, so what is in them is exact.  They are the same on
 * all servers, so that the counts of several can be added up: two in an octave
 * from 33 us to 134 ms, and from there to 8.6 s one in two octaves.
 */
static void
set_bucket_columns(Row *row, const uint64 *counts)
{
	Datum		bounds[HISTOGRAM_NCELLS];
	Datum		cumulative[HISTOGRAM_NCELLS];
	uint64		n = 0;
	int			nbuckets = 0;
	int			cell = 0;
	int			end = OCTAVE(15);

	while (end <= OCTAVE(33))
	{
		while (cell < end)
			n += counts[cell++];
		bounds[nbuckets] = Float8GetDatum(histogram_lower_bound(end) / 1e9);
		cumulative[nbuckets++] = Int64GetDatum((int64) n);
		end += end < OCTAVE(27) ? HISTOGRAM_STEPS / 2 : 2 * HISTOGRAM_STEPS;
	}
	set_datum(row, LB_BOUNDS,
			  PointerGetDatum(construct_array(bounds, nbuckets, FLOAT8OID,
											  sizeof(float8), FLOAT8PASSBYVAL,
											  TYPALIGN_DOUBLE)));
	set_datum(row, LB_CUMULATIVE,
			  PointerGetDatum(construct_array(cumulative, nbuckets, INT8OID,
											  sizeof(int64), FLOAT8PASSBYVAL,
											  TYPALIGN_DOUBLE)));
}

Datum
commit_latency_buckets_1_0(PG_FUNCTION_ARGS)
{
	LatencyTotals *totals;

	start_rows(fcinfo);
	totals = read_latency();
	for (int kind = 0; kind < LATENCY_NKINDS; kind++)
	{
		Row			row;

		start_row(&row);
		set_kind_columns(&row, kind);
		set_bucket_columns(&row, totals->count[kind]);
		set_float8(&row, LB_SUM, totals->sum[kind][LATENCY_TIME] / 1e9);
		set_int8(&row, LB_N, count_all(totals->count[kind]));
		put_row(fcinfo, &row, LB_NCOLUMNS);
	}
	return (Datum) 0;
}
