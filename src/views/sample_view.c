/*-------------------------------------------------------------------------
 *
 * sample_view.c
 *		commit_stats_sample(): the rates of a stretch of time.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/clock.h"
#include "base/guc.h"
#include "base/wait.h"
#include "views/delta_columns.h"

PG_FUNCTION_INFO_V1(commit_stats_sample_1_0);

#define SAMPLE_LEAST	(10 * NS_PER_MS)
#define SAMPLE_MOST		(86400 * NS_PER_S)

typedef enum SampleColumn
{
	SA_ELAPSED,
	SA_COMMITS,
	SA_COMMITS_PER_SECOND,
	SA_ASYNC_PER_SECOND,
	SA_FLUSHES_PER_SECOND,
	SA_COMMITS_PER_FLUSH,
	SA_DELAY_HIT_FRACTION,
	SA_WAL_BUSY_FRACTION,
	SA_MEAN,
	SA_P50,
	SA_P95,
	SA_P99,
	SA_NCOLUMNS
} SampleColumn;

static void
set_sample(Row *row, const CounterDelta *tally)
{
	set_float8(row, SA_ELAPSED, round_to(tally->time / 1e9, 3));
	set_int8(row, SA_COMMITS, tally->value[SLOT_COMMITS]);
	set_known(row, SA_COMMITS_PER_SECOND, counter_delta_rate(tally, SLOT_COMMITS), 1);
	set_known(row, SA_ASYNC_PER_SECOND,
			  counter_delta_rate(tally, SLOT_COMMITS_ASYNC), 1);
	set_flush_columns(row, SA_FLUSHES_PER_SECOND, tally);
	set_known(row, SA_WAL_BUSY_FRACTION, counter_delta_wal_busy_fraction(tally), 3);
	set_latency_columns(row, SA_MEAN, tally);
}

Datum
commit_stats_sample_1_0(PG_FUNCTION_ARGS)
{
	uint64		length;
	CounterDelta		before;
	CounterDelta		sample;
	Row			row;

	start_rows(fcinfo);
	guc_require_enabled();
	length = wait_from_interval(PG_GETARG_INTERVAL_P(0), "duration",
								 SAMPLE_LEAST, SAMPLE_MOST);
	counter_delta_take(&before);
	wait_until(before.time + length);
	counter_delta_take(&sample);
	counter_delta_subtract(&sample, &before);

	start_row(&row);
	set_sample(&row, &sample);
	put_row(fcinfo, &row, SA_NCOLUMNS);
	return (Datum) 0;
}
