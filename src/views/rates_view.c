/*-------------------------------------------------------------------------
 *
 * rates_view.c
 *		commit_stats_rates(): the rates since this session looked last.
 *
 * Made for \watch: each call shows what happened since the one before.  The
 * first call of a session shows everything since the last reset, and so does
 * the first after a reset, whoever did it, as the counts of the last look are
 * no longer part of what is counted.
 *
 * A look is no part of a transaction: rolling back does not undo it.
 *
 * Locking: the last look is in local memory.  The counts are read under
 * commit_stats_reset_lock(), shared, so they belong to the reset that they are
 * said to.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "base/guc.h"
#include "views/delta_columns.h"

PG_FUNCTION_INFO_V1(commit_stats_rates_1_0);

#define BYTES_PER_MB	(1024.0 * 1024.0)

typedef enum RatesColumn
{
	RA_SINCE,
	RA_ELAPSED,
	RA_COMMITS,
	RA_ASYNC,
	RA_FLUSHES,
	RA_COMMITS_PER_FLUSH,
	RA_DELAYED,
	RA_MEAN,
	RA_P99,
	RA_MEAN_FLUSH,
	RA_WAL,
	RA_NCOLUMNS
} RatesColumn;

/* What a session saw when it looked. */
typedef struct Look
{
	CounterDelta		tally;			/* since stats_reset */
	TimestampTz stats_reset;	/* 0: never looked */
	XLogRecPtr	insert;			/* end of the WAL; invalid on a standby */
} Look;

static Look last;

static void
take_look(Look *look)
{
	look->stats_reset = counter_delta_take_since_reset(&look->tally);
	look->insert = RecoveryInProgress() ?
		InvalidXLogRecPtr : GetXLogInsertRecPtr();
}

/* In ns, by the server's calendar clock, which may have been set meanwhile. */
static uint64
time_since(TimestampTz start)
{
	return Max(GetCurrentTimestamp() - start, 0) * NS_PER_US;
}

static void
set_rates(Row *row, const CounterDelta *tally)
{
	set_float8(row, RA_ELAPSED, round_to(tally->time / 1e9, 3));
	set_known(row, RA_COMMITS, counter_delta_rate(tally, SLOT_COMMITS), 1);
	set_known(row, RA_ASYNC, counter_delta_rate(tally, SLOT_COMMITS_ASYNC), 1);
	set_flush_columns(row, RA_FLUSHES, tally);
	set_known(row, RA_MEAN, counter_delta_mean_latency(tally) / NS_PER_MS, 3);
	set_latency_quantile(row, RA_P99, tally, 0.99);
	set_known(row, RA_MEAN_FLUSH, counter_delta_mean_flush_time(tally) / NS_PER_MS, 3);
}

static void
set_wal(Row *row, uint64 bytes, uint64 time)
{
	set_known(row, RA_WAL, ratio(bytes / BYTES_PER_MB, time / 1e9), 3);
}

Datum
commit_stats_rates_1_0(PG_FUNCTION_ARGS)
{
	Look		now;
	CounterDelta		tally;
	Row			row;

	start_rows(fcinfo);
	guc_require_enabled();
	take_look(&now);
	tally = now.tally;

	start_row(&row);
	if (now.stats_reset != last.stats_reset)
	{
		tally.time = time_since(now.stats_reset);
		set_datum(&row, RA_SINCE, CStringGetTextDatum("reset"));
	}
	else
	{
		counter_delta_subtract(&tally, &last.tally);
		set_datum(&row, RA_SINCE, CStringGetTextDatum("look"));
		if (last.insert != InvalidXLogRecPtr && now.insert != InvalidXLogRecPtr)
			set_wal(&row, now.insert - last.insert, tally.time);
	}
	set_rates(&row, &tally);
	put_row(fcinfo, &row, RA_NCOLUMNS);
	last = now;
	return (Datum) 0;
}
