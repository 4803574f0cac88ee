/*-------------------------------------------------------------------------
 *
 * period.c
 *		The figures of the report for a period of the history, and
 *		commit_stats_compare(), which compares two.
 *
 * A minute of the history belongs to each period that it overlaps; to compare
 * two, to that which has half of it, or more, if that has any such.  What the
 * history does not know stays 0 or NULL in CommitFigures, so that the report
 * does not say it.
 *
 * A stall has the waits of the commits that its log saw, at most all waits for
 * flushes; without these, its share of the time of flushes.  One in which
 * nobody ran has its share of that phase, and a new segment likewise.
 *
 * Locking: that of stall_log.c; history_sum() copies what is shared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/twophase.h"
#include "access/xlog.h"
#include "utils/rangetypes.h"
#include "utils/timestamp.h"

#include "base/guc.h"
#include "report/report.h"
#include "stats/sql_value.h"
#include "stats/srf.h"
#include "stats/wal_cycles.h"

PG_FUNCTION_INFO_V1(commit_stats_compare_1_0);

/* What the history has, in place of what it has not */
const char *
period_describe_kept(void)
{
	HistorySum *all = palloc(sizeof(HistorySum));

	history_sum(DT_NOBEGIN, DT_NOEND, all);
	if (all->rows == 0)
		return commit_stats_history_minutes + commit_stats_history_hours == 0 ?
			"commit_history has no row: commit_stats.history_minutes and commit_stats.history_hours are 0." :
			RecoveryInProgress() ?
			"commit_history has no row: nothing commits on a standby. Ask its primary." :
			!commit_stats_enabled ?
			"commit_history has no row: commit_stats.enabled is off." :
			!watch_wake_worker() ?
			"commit_history has no row: the background worker of commit_stats does not run (max_worker_processes)." :
			"commit_history has no row yet. Each minute ends with one, and so does SELECT commit_history_close().";
	return psprintf("commit_history has no row of this period (before its minutes, only whole hours of UTC); its rows reach from %s to %s.",
					pstrdup(timestamptz_to_str(all->start)),
					pstrdup(timestamptz_to_str(all->end)));
}

/* False: no row is of [from, to).  Both are DT_NOEND in an empty range. */
static bool
sum_period(const char *name, TimestampTz from, TimestampTz to, HistorySum *sum)
{
	if (from >= to)
		ereport(ERROR,
				errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("commit_stats: the period%s is empty", name),
				from == DT_NOEND ? 0 :
				errdetail("It begins at %s and ends at %s.",
						  pstrdup(timestamptz_to_str(from)),
						  pstrdup(timestamptz_to_str(to))),
				errhint("The period must end after it begins."));
	history_sum(from, to, sum);
	return sum->rows > 0;
}

static void
set_phases_and_stalls(CommitFigures *f, const HistorySum *sum)
{
	double		time = history_commit_time(sum);

	f->phase_mean = ratio_or_zero(time / 1e3, f->commits);
	for (int phase = 0; phase < PHASE_N; phase++)
		f->phase[phase] = ratio_or_zero(sum->phase[phase], time);
	for (int cause = 0; cause < STALL_NCAUSES; cause++)
	{
		StallSum   *stall = &f->stall[cause];

		stall->n = sum->stalls[cause];
		stall->length = ratio_or_zero(sum->stall_time[cause] / 1e3, stall->n);
		stall->share = Min(ratio_or_zero(sum->stall_waits[cause] / 1e3,
										 f->phase_mean * f->commits), 1);
	}
	if (commit_stats_stall_time < 0 &&
		sum->value[SLOT_FLUSHES] >= WAL_DEVICE_SAMPLE &&
		2 * sum->stalls[STALL_UNKNOWN] > sum->value[SLOT_FLUSHES])
		f->flush_slowed = f->stall[STALL_UNKNOWN].length;
}

#define SET_WAIT(wait, time)	f->seen.wait = scale * sum->waits.wait;

/* As if each look had seen as much as the others */
static void
set_seen(CommitFigures *f, const HistorySum *sum)
{
	double		scale = ratio_or_zero(sum->looks, sum->seconds * NS_PER_S);

	f->seen.n = sum->looks;
	WATCH_WAITS(SET_WAIT);
	for (int phase = 0; phase < PHASE_N; phase++)
	{
		f->seen.phase[phase] = scale * sum->waits.phase[phase];
		f->seen.in_commit += f->seen.phase[phase];
	}
	for (int i = 0; i < ACTIVITIES; i++)
		f->seen.activity[i] = rint(scale * sum->waits.activity[i]);
	f->seen_enough = f->seen.in_commit >= HISTORY_SAMPLES;
}

/*
 * Samples tell which flushes waited for a processor.  What of that is more
 * than all flushes without a stall is of stalls whose cause is not known.
 */
static void
take_processor_stalls(CommitFigures *f)
{
	StallSum   *unknown = &f->stall[STALL_UNKNOWN];
	double		rest = causes_flush_share(f);
	double		taken;

	if (!f->seen_enough || unknown->share == 0)
		return;
	if (watch_is_of_processor(&f->seen))
		f->flush_slowed = 0;
	for (int cause = 0; cause < STALL_NCAUSES; cause++)
		if (cause != STALL_SEGMENT && !stall_is_not_run(f->phase, cause))
			rest -= f->stall[cause].share;
	taken = Min(Max(f->seen.cpu_waits / f->seen.in_commit - Max(rest, 0), 0) /
				unknown->share, 1);
	unknown->share *= 1 - taken;
	unknown->n = (int) rint(unknown->n * (1 - taken));
}

/* Of a stop, sums of some phases have a part; samples tell which. */
static void
take_stops(CommitFigures *f)
{
	static const CommitPhase summed[] = {PHASE_BEFORE, PHASE_RECORD, PHASE_NOTIFY, PHASE_AFTER};
	double		stopped = !f->seen_enough ? 0 :
	ratio_or_zero(f->seen.phase[PHASE_NOT_RUN],
				  f->seen.in_commit - f->seen.phase[PHASE_STANDBY]);

	for (int i = 0; i < lengthof(summed); i++)
	{
		f->phase[PHASE_NOT_RUN] += f->phase[summed[i]] * stopped;
		f->phase[summed[i]] *= 1 - stopped;
	}
}

/* Where most commits did not end, phases are those that samples saw. */
static void
set_hanging(CommitFigures *f, const HistorySum *sum)
{
	f->hanging = history_hanging(sum);
	if (f->hanging == 0)
		return;
	f->phase_mean = NAN;
	for (int phase = 0; phase < PHASE_N; phase++)
		f->phase[phase] = f->seen.phase[phase] / f->seen.in_commit;
	for (int cause = 0; cause < STALL_NCAUSES; cause++)
		f->stall[cause].share *= history_commit_time(sum) /
			(f->hanging * sum->seconds * NS_PER_S);
}

static void
set_period_checkpoints(CommitFigures *f, const HistorySum *sum)
{
	/* a command that fails goes on to fail, but may hang for long before */
	if (1800.0 * sum->archive_failures > sum->seconds && f->archive_fails == NULL)
		f->archive_fails = psprintf("failed %s time%s", format_count(sum->archive_failures),
									sum->archive_failures == 1 ? "" : "s");
	f->keep_size_grows = sum->wal_keeper == KEEPER_SIZE;
	if (sum->wal_keeper == KEEPER_SLOT)
		f->slot = "that was behind then";
	/* the rest of segments that end early is no record */
	f->images = Min(ratio_or_zero((double) sum->wal_fpi * BLCKSZ,
								  Max(sum->value[SLOT_WAL_BYTES], sum->flush_wal)), 1);
	if (sum->checkpoints < MIN_CHECKPOINTS)
		return;
	f->checkpoint_distance = sum->seconds / sum->checkpoints;
	f->checkpoint_wal = (double) sum->value[SLOT_WAL_BYTES] / sum->checkpoints;
}

static void
set_leaders(CommitFigures *f, const HistorySum *sum)
{
	if (sum->top_client_flushes > 0)
	{
		f->top_leader = name_client(&sum->top_client);
		f->top_leader_flushes = Min(ratio_or_zero(sum->top_client_flushes,
												  f->flushes), 1);
	}
	if (sum->top_statement_flushes > 0 &&
		sum->top_statement.statement >= STATEMENT_NREASONS)
	{
		f->statement = name_statement(&sum->top_statement, f->schema);
		f->statement_flushes = Min(ratio_or_zero(sum->top_statement_flushes,
												 f->flushes), 1);
	}
}

/* The client of most WAL, by the transactions of more than 1 MB that are kept */
static void
set_heaviest(CommitFigures *f, const HistorySum *sum)
{
	int			n;
	const LoggedEvent *writers = logged_events_read(BULK_WRITER, &n);
	double		most = sum->value[SLOT_WAL_BYTES] / 2.0;

	for (int i = 0; i < n; i++)
	{
		const ClientKey *client = &writers[i].event.client;
		double		bytes = 0;

		for (int j = 0; j < n; j++)
			if (writers[j].event.ended_at >= sum->start && writers[j].event.ended_at < sum->end &&
				memcmp(&writers[j].event.client, client, sizeof(ClientKey)) == 0)
				bytes += writers[j].event.wal_bytes;
		if (bytes <= most || !OidIsValid(client->roleid))
			continue;
		most = bytes;
		f->heaviest = name_client(client);
		f->heaviest_share = Min(bytes / sum->value[SLOT_WAL_BYTES], 1);
	}
}

/* Of which no slow commit is kept that tells */
static const char *
unknown_lock(void)
{
	return max_prepared_xacts == 0 ? "a lock (which one is not known)" :
		"a lock (which one is not known; pg_prepared_xacts may have its holder)";
}

bool
period_read(CommitFigures *f, Oid function, TimestampTz from, TimestampTz to)
{
	HistorySum *sum = palloc0(sizeof(HistorySum));
	StallLog	stalls;

	memset(f, 0, sizeof(CommitFigures));
	if (!sum_period("", from, to, sum))
		return false;
	f->schema = schema_of(function);
	report_data_set_settings(f);
	f->conf.delay = sum->delay;
	f->conf.siblings = sum->siblings;
	f->adaptive = sum->adaptive;
	f->listeners = -1;
	f->lock[PHASE_BEFORE].name = f->lock[PHASE_RECORD].name = unknown_lock();
	f->period = sum;
	f->asked = TIMESTAMP_NOT_FINITE(from) || TIMESTAMP_NOT_FINITE(to) ? 0 :
		((double) to - from) / 1e6;
	f->stats_reset = sum->start;
	f->seconds = sum->seconds;
	report_data_set_counts(f, sum->value, sum->commits_without_leader,
						   sum->commit_cells, sum->flush_cells);
	f->alone_hits = slots_slept_alone(sum->value);
	f->flush_wal = ratio_or_zero(sum->flush_wal, f->flushes);
	f->wal_rate = ratio_or_zero(sum->value[SLOT_WAL_BYTES], f->seconds);
	f->of_transactions = report_data_commit_share(sum->value,
												  SLOT_TRANSACTION_TIME);
	f->transaction_mean = ratio_or_zero(sum->value[SLOT_TRANSACTION_TIME] / 1e3,
										f->commits + f->prepares);
	set_phases_and_stalls(f, sum);
	set_seen(f, sum);
	take_stops(f);
	set_hanging(f, sum);
	take_processor_stalls(f);
	set_period_checkpoints(f, sum);
	set_leaders(f, sum);
	set_heaviest(f, sum);
	/* slow commits and stalls that are kept know locks, writers and standbys */
	stall_log_read(&stalls);
	stall_log_find_causes(&stalls, NULL);
	report_data_set_slow(f, NULL, &stalls);
	f->write_stalls = stall_log_is_of_write(&stalls, sum->start, sum->end, PG_UINT64_MAX);
	if (f->write_stalls)
		f->flush_slowed = 0;
	report_data_blame_slow(f);
	report_data_blame_list(f);
	return true;
}

/*---- commit_stats_compare() --------------------------------------*/

/* A row that starts at a bound is in the period, or after it. */
static TimestampTz
bound_time(const RangeBound * bound)
{
	return !bound->infinite ? DatumGetTimestampTz(bound->val) :
		bound->lower ? DT_NOBEGIN : DT_NOEND;
}

/* The nearer bound of the row that has this time in it, or the time */
static TimestampTz
nearest_row(TimestampTz time)
{
	HistorySum *row = palloc(sizeof(HistorySum));

	if (TIMESTAMP_NOT_FINITE(time))
		return time;
	history_sum(time, time + 1, row);
	return row->rows == 0 ? time :
		time - row->start < row->end - time ? row->start : row->end;
}

/* The sum of a range, which must have a row with a commit */
static HistorySum *
sum_range(FunctionCallInfo fcinfo, int arg, const char *name)
{
	RangeType  *range = PG_GETARG_RANGE_P(arg);
	HistorySum *sum = palloc0(sizeof(HistorySum));
	RangeBound	lower;
	RangeBound	upper;
	TimestampTz from;
	TimestampTz to;
	bool		empty;

	range_deserialize(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range,
					  &lower, &upper, &empty);
	from = empty ? DT_NOEND : bound_time(&lower);
	to = empty ? DT_NOEND : bound_time(&upper);
	history_sum(nearest_row(from), nearest_row(to), sum);
	if (sum->rows == 0 && !sum_period(psprintf(" \"%s\"", name), from, to, sum))
		ereport(ERROR,
				errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("commit_stats: the history has nothing of \"%s\"", name),
				errhint("%s", period_describe_kept()));
	if (sum->value[SLOT_COMMITS] == 0)
		ereport(ERROR,
				errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("commit_stats: no commit that waits ended in \"%s\"", name),
				errhint("A mean needs at least one commit in each period."));
	return sum;
}

Datum
commit_stats_compare_1_0(PG_FUNCTION_ARGS)
{
	ComparedPart part[COMPARE_MAX_PARTS];
	HistorySum *before;
	HistorySum *after;
	Row			row;
	int			n;

	row_init(fcinfo, &row);
	before = sum_range(fcinfo, 0, "before");
	after = sum_range(fcinfo, 1, "after");
	n = compare_periods(before, after, part);
	for (int i = 0; i < n; i++)
	{
		row_text(&row, "part", part[i].name);
		row_rounded(&row, "mean_before", part[i].before / 1e3, 3);
		row_rounded(&row, "mean_after", part[i].after / 1e3, 3);
		row_rounded(&row, "mean_change", part[i].change / 1e3, 3);
		row_share(&row, "change_share", part[i].share, 1);
		row_text(&row, "sentence", part[i].sentence);
		row_put(&row);
	}
	return (Datum) 0;
}
