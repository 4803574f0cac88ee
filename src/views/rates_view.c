/*-------------------------------------------------------------------------
 *
 * rates_view.c
 *		commit_stats_sample() and commit_stats_rates(): rates over a time.
 *
 * commit_stats_sample() waits for the time.  commit_stats_rates(), made for
 * \watch, shows what happened since the session called it last.  A
 * session's first call, and its first call after a reset, shows everything
 * since the last reset.  Rolling back does not undo a call.
 *
 * commit_stats_rates() keeps the last counts in local memory.  It reads counts
 * and stats_reset under commit_stats_reset_lock(), shared, so both belong to
 * one reset.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/guc.h"
#include "base/wait.h"
#include "stats/srf.h"

PG_FUNCTION_INFO_V1(commit_stats_sample_1_0);
PG_FUNCTION_INFO_V1(commit_stats_rates_1_0);

#define SAMPLE_MIN		(10 * NS_PER_MS)
#define SAMPLE_MAX		(86400 * NS_PER_S)

Datum
commit_stats_sample_1_0(PG_FUNCTION_ARGS)
{
	uint64		length;
	CounterDelta before;
	CounterDelta delta;
	Row			row;

	row_init(fcinfo, &row);
	guc_require_enabled();
	length = wait_from_interval(PG_GETARG_INTERVAL_P(0), "duration",
								SAMPLE_MIN, SAMPLE_MAX);
	wait_require_time(length);
	counter_delta_take(&before);
	wait_until(before.time + length);
	counter_delta_take(&delta);
	counter_delta_subtract(&delta, &before);

	row_rounded(&row, "elapsed", delta.time / 1e9, 3);
	row_number(&row, "commits", delta.value[SLOT_COMMITS]);
	row_rates(&row, &delta);
	row_share(&row, "wal_busy_share",
			  counter_delta_wal_busy_fraction(&delta), 1);
	row_latency(&row, &delta);
	row_put(&row);
	return (Datum) 0;
}

/* What the last call of commit_stats_rates() in this session read. */
typedef struct RatesCall
{
	CounterDelta counts;		/* since stats_reset */
	TimestampTz stats_reset;	/* 0: there was no call */
	XLogRecPtr	insert;			/* end of WAL; invalid in recovery */
} RatesCall;

static RatesCall last;

/* In ns.  The calendar clock may have been set back since. */
static uint64
time_since(TimestampTz start)
{
	return Max(GetCurrentTimestamp() - start, 0) * NS_PER_US;
}

Datum
commit_stats_rates_1_0(PG_FUNCTION_ARGS)
{
	RatesCall	now;
	CounterDelta delta;
	XLogRecPtr	begin;			/* the end of WAL then */
	double		wal_rate = NAN;
	bool		first;
	Row			row;

	row_init(fcinfo, &row);
	guc_require_enabled();
	now.stats_reset = counter_delta_take_since_reset(&now.counts, &begin);
	now.insert = RecoveryInProgress() ?
		InvalidXLogRecPtr : GetXLogInsertRecPtr();
	delta = now.counts;
	first = now.stats_reset != last.stats_reset;
	if (first)
		delta.time = time_since(now.stats_reset);
	else
	{
		counter_delta_subtract(&delta, &last.counts);
		begin = last.insert;
	}
	if (begin != InvalidXLogRecPtr && now.insert >= begin)
		wal_rate = ratio((double) (now.insert - begin) * 1e9, delta.time);

	row_text(&row, "since", first ? "reset" : "last call");
	row_rounded(&row, "elapsed", delta.time / 1e9, 3);
	row_rates(&row, &delta);
	row_latency(&row, &delta);
	row_rounded(&row, "flush_mean",
				counter_delta_mean_flush_time(&delta) / NS_PER_MS, 3);
	row_rounded(&row, "wal_bytes_per_second", wal_rate, 0);
	row_put(&row);
	last = now;
	return (Datum) 0;
}
