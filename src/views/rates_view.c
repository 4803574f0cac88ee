/*-------------------------------------------------------------------------
 *
 * rates_view.c
 *		commit_stats_sample() and commit_stats_rates(): rates over a time.
 *
 * commit_stats_sample() waits for the time.  commit_stats_rates(), made for
 * \watch, shows what happened since the session called it last or, in its
 * first call and the first one after a reset, since the last reset.  It keeps
 * the last counts in local memory; rolling back does not undo a call.
 *
 * A trend is a text with one character for each of the session's latest calls
 * but those since a reset, newest last.  The height of a character is a call's
 * value over the greatest of the values shown.
 *
 * Locking: counter_delta.c takes commit_stats_reset_lock(), shared, while it
 * reads counts and stats_reset, so both belong to one reset.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/timestamp.h"

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

	row_delta(&row, &delta);
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

/* One value of each of the latest calls, in a ring; NAN: it had none. */
#define TREND_CALLS		60

typedef struct Trend
{
	uint64		ncalls;
	double		value[TREND_CALLS];
} Trend;

static Trend commits_trend;
static Trend p99_trend;

static void
trend_add(Trend *trend, double value)
{
	trend->value[trend->ncalls++ % TREND_CALLS] = value;
}

/*
 * Where client and database have the characters: U+2581 to U+2588, blocks of
 * one to eight eighths.  The lowest stands for less than an eighth as well, a
 * space for no value.
 */
static char *
trend_text(const Trend *trend)
{
	static const char *const ascii[] = {".", ":", "-", "=", "+", "*", "%", "#"};
	static const char *const block[] = {
		"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
		"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"
	};
	bool		utf8 = GetDatabaseEncoding() == PG_UTF8 &&
	pg_get_client_encoding() == PG_UTF8;
	const char *const *step = utf8 ? block : ascii;
	uint64		n = Min(trend->ncalls, TREND_CALLS);
	double		top = 0;
	StringInfoData text;

	for (uint64 i = 0; i < n; i++)
		top = fmax(top, trend->value[i]);
	initStringInfo(&text);
	for (uint64 i = trend->ncalls - n; i < trend->ncalls; i++)
	{
		double		value = trend->value[i % TREND_CALLS];

		appendStringInfoString(&text, isnan(value) ? " " :
							   step[value > 0 ? Min((int) (8 * value / top), 7) : 0]);
	}
	return text.data;
}

Datum
commit_stats_rates_1_0(PG_FUNCTION_ARGS)
{
	RatesCall	now;
	SlotTotals	slots;
	CounterDelta delta;
	XLogRecPtr	begin;			/* the end of WAL then */
	double		wal_rate = NAN;
	bool		first;
	Row			row;

	row_init(fcinfo, &row);
	guc_require_enabled();
	counter_delta_take_since_reset(&now.counts, &slots);
	now.stats_reset = slots.stats_reset;
	now.insert = RecoveryInProgress() ?
		InvalidXLogRecPtr : GetXLogInsertRecPtr();
	delta = now.counts;
	first = now.stats_reset != last.stats_reset;
	if (first)
		/* the calendar clock may have been set back since */
		delta.time = Max(GetCurrentTimestamp() - now.stats_reset, 0) * NS_PER_US;
	else
		counter_delta_subtract(&delta, &last.counts);
	begin = first ? slots.wal_reset : last.insert;
	if (begin != InvalidXLogRecPtr && now.insert >= begin)
		wal_rate = ratio((double) (now.insert - begin) * 1e9, delta.time);

	row_text(&row, "since", first ? "reset" : "last call");
	row_delta(&row, &delta);
	row_rounded(&row, "wal_bytes_per_second", wal_rate, 0);
	if (!first)
	{
		trend_add(&commits_trend, counter_delta_rate(&delta, SLOT_COMMITS));
		trend_add(&p99_trend, histogram_quantile(delta.latency, 0.99));
	}
	last = now;					/* row_put() may raise an error */
	row_text(&row, "commits_trend", trend_text(&commits_trend));
	row_text(&row, "p99_trend", trend_text(&p99_trend));
	row_put(&row);
	return (Datum) 0;
}
