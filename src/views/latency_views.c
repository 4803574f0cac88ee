/*-------------------------------------------------------------------------
 *
 * latency_views.c
 *		Functions behind commit_latency_stats, commit_latency_histogram and
 *		commit_latency_buckets.
 *
 * A LatencyKind without times has no rows, except in commit_latency_buckets():
 * Prometheus misses a counter's first value.
 *
 * Locking: commit_stats_reset_lock() in shared mode while totals are copied.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "base/clock.h"
#include "stats/latency.h"
#include "stats/srf.h"

PG_FUNCTION_INFO_V1(commit_latency_stats_1_0);
PG_FUNCTION_INFO_V1(commit_latency_histogram_1_0);
PG_FUNCTION_INFO_V1(commit_latency_buckets_1_0);

/* A row, or rows, of one LatencyKind */
typedef void (*PutKind) (Row *row, LatencyKind kind,
						 const LatencyTotals *totals);

static Datum
put_kinds(FunctionCallInfo fcinfo, PutKind put, bool without_times)
{
	LatencyTotals *totals;
	Row			row;

	row_init(fcinfo, &row);
	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	totals = latency_read();
	LWLockRelease(commit_stats_reset_lock());
	for (int kind = 0; kind < LATENCY_NKINDS; kind++)
		if (without_times || histogram_count(totals->count[kind]) > 0)
			put(&row, kind, totals);
	return (Datum) 0;
}

static SyncCommitLevel
kind_level(LatencyKind kind)
{
	if (kind == LATENCY_ASYNC)
		return SYNCHRONOUS_COMMIT_OFF;
	if (kind < LATENCY_FOLLOWER)
		return WAIT_LOCAL + (kind - LATENCY_LEADER);
	return WAIT_LOCAL + (kind - LATENCY_FOLLOWER);
}

static void
row_kind(Row *row, LatencyKind kind)
{
	if (kind != LATENCY_FLUSH)
		row_text(row, "wait_level", wait_level_names[kind_level(kind)]);
	row_text(row, "role", kind == LATENCY_FLUSH ? "flush" :
			 kind == LATENCY_ASYNC ? "asynchronous" :
			 kind < LATENCY_FOLLOWER ? "leader" : "follower");
}

/*
 * The settings of synchronous_commit that these commits had.  Only commits
 * that waited for the local flush alone may have had another one than their
 * level; those are counted by setting, not by role.
 */
static Datum
requested_settings(SyncCommitLevel level, const LatencyTotals *totals)
{
	Datum		settings[SYNCHRONOUS_COMMIT_NLEVELS];
	int			n = 0;

	for (int i = 0; i < lengthof(settings); i++)
		if (level == WAIT_LOCAL ? totals->local_by_setting[i] > 0 : i == level)
			settings[n++] = CStringGetTextDatum(wait_level_names[i]);
	return PointerGetDatum(construct_array(settings, n, TEXTOID, -1, false,
										   TYPALIGN_INT));
}

/* Parts of commit_time, what is outside of it, and the settings */
static void
row_wait(Row *row, LatencyKind kind, const LatencyTotals *totals)
{
	SyncCommitLevel level = kind_level(kind);
	const uint64 *sum = totals->sum[kind];

	row_ms(row, "record_time", sum[LATENCY_RECORD]);
	row_ms(row, "notify_time", sum[LATENCY_NOTIFY]);
	row_ms(row, "before_time", sum[LATENCY_BEFORE]);
	row_ms(row, "after_time", sum[LATENCY_AFTER]);
	if (sum[LATENCY_OWN_FLUSH] > 0)
		row_ms(row, "flush_time", sum[LATENCY_OWN_FLUSH]);
	row_ms(row, "other_time",
		   clock_elapsed(sum[LATENCY_RECORD] + sum[LATENCY_NOTIFY] +
						 sum[LATENCY_DELAY] + sum[LATENCY_OWN_FLUSH] +
						 sum[STANDBY_TIME_MIN], sum[LATENCY_TIME]));
	if (level != SYNCHRONOUS_COMMIT_OFF)
		row_ms(row, "delay_time", sum[LATENCY_DELAY]);
	if (level > WAIT_LOCAL)
	{
		row_ms(row, "standby_time_min", sum[STANDBY_TIME_MIN]);
		row_ms(row, "standby_time_max", sum[STANDBY_TIME_MAX]);
	}
	row_datum(row, "requested", TEXTARRAYOID,
			  requested_settings(level, totals));
}

static void
put_stats(Row *row, LatencyKind kind, const LatencyTotals *totals)
{
	uint64		n = histogram_count(totals->count[kind]);
	uint64		time = totals->sum[kind][LATENCY_TIME];

	row_kind(row, kind);
	row_number(row, "commits", n);
	row_rounded(row, "mean", (double) time / n / NS_PER_MS, 5);
	row_quantiles(row, totals->count[kind], 5);
	row_ms(row, "commit_time", time);
	if (kind != LATENCY_FLUSH)
		row_wait(row, kind, totals);
	row_put(row);
}

Datum
commit_latency_stats_1_0(PG_FUNCTION_ARGS)
{
	return put_kinds(fcinfo, put_stats, false);
}

/* All cells, also the empty ones, so that the bounds are always the same. */
static void
put_cells(Row *row, LatencyKind kind, const LatencyTotals *totals)
{
	const uint64 *counts = totals->count[kind];
	uint64		cumulative = 0;

	for (int cell = 0; cell < HISTOGRAM_NCELLS; cell++)
	{
		cumulative += counts[cell];
		row_kind(row, kind);
		/* in ms; bounds are multiples of 0.1 ns */
		row_rounded(row, "lower_bound", histogram_lower_bound(cell) / 1e6, 7);
		row_rounded(row, "upper_bound", histogram_upper_bound(cell) / 1e6, 7);
		row_number(row, "commits", counts[cell]);
		row_number(row, "cumulative", cumulative);
		row_put(row);
	}
}

Datum
commit_latency_histogram_1_0(PG_FUNCTION_ARGS)
{
	return put_kinds(fcinfo, put_cells, false);
}

/* The cell that begins with 2^exponent ns. */
#define OCTAVE(exponent) \
	(1 + ((exponent) - HISTOGRAM_FIRST_OCTAVE) * HISTOGRAM_STEPS)

/*
 * Buckets end where cells end, so their counts are exact.  All servers have
 * the same buckets, so they can be added up: two in an octave from 33 us to
 * 134 ms, and one in two octaves from there to 8.6 s.
 */
static void
put_buckets(Row *row, LatencyKind kind, const LatencyTotals *totals)
{
	const uint64 *counts = totals->count[kind];
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
	row_kind(row, kind);
	row_datum(row, "le", FLOAT8ARRAYOID,
			  PointerGetDatum(construct_array(bounds, nbuckets, FLOAT8OID,
											  sizeof(float8),
											  FLOAT8PASSBYVAL,
											  TYPALIGN_DOUBLE)));
	row_datum(row, "bucket", INT8ARRAYOID,
			  PointerGetDatum(construct_array(cumulative, nbuckets, INT8OID,
											  sizeof(int64), FLOAT8PASSBYVAL,
											  TYPALIGN_DOUBLE)));
	row_float8(row, "sum", totals->sum[kind][LATENCY_TIME] / 1e9);
	row_number(row, "count", histogram_count(counts));
	row_put(row);
}

Datum
commit_latency_buckets_1_0(PG_FUNCTION_ARGS)
{
	return put_kinds(fcinfo, put_buckets, true);
}
