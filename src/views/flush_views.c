/*-------------------------------------------------------------------------
 *
 * flush_views.c
 *		What is remembered about flushes becomes rows.
 *
 * The SQL-callable functions about flushes, about the module itself and the
 * reset are here; latency_views.c, database_views.c and wal_views.c have the
 * others.  Each copies what it shows first and makes rows of the copy; a
 * function that shows totals holds commit_stats_reset_lock() shared while it
 * copies, so that no row is half before and half after a reset.
 *
 * The C names end with the version of the SQL interface that they serve, so
 * that the library can go on serving an older one.  Column names come from
 * SQL alone; the enums here give the columns their places.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xlog.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/pg_lsn.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/guc.h"
#include "probe/siblings.h"
#include "stats/backend_slots.h"
#include "stats/flush_groups.h"
#include "stats/flush_totals.h"
#include "views/srf.h"

/* The groups since the last reset, all at one moment. */
static FlushTotals *
read_groups(void)
{
	FlushTotals *totals;

	totals = flush_totals_lock_and_read();
	LWLockRelease(commit_stats_reset_lock());
	return totals;
}

/*----------------------------------------------------------------
 * commit_flush_stats
 *----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(commit_flush_stats_1_0);

typedef enum FlushStatsColumn
{
	FS_COMMITS,
	FS_COMMITS_ASYNC,
	FS_COMMITS_UNLOGGED,
	FS_COMMITS_READ_ONLY,
	FS_PREPARES,
	FS_FLUSHES,
	FS_FLUSHES_UNCERTAIN,
	FS_FOLLOWERS,
	FS_COMMITS_WITHOUT_LEADER,
	FS_DELAY_HITS,
	FS_DELAY_MISSES,
	FS_DELAY_UNCERTAIN,
	FS_DELAY_TIME,
	FS_SIBLINGS_AVG,
	FS_SIBLINGS_MAX,
	FS_COMMIT_TIME,
	FS_FLUSH_TIME,
	FS_TIMED_FLUSHES,
	FS_UNRESOLVED_FLUSHES,
	FS_UNRESOLVED_COMMITS,
	FS_WAL_BYTES,
	FS_STATS_RESET,
	FS_NCOLUMNS
} FlushStatsColumn;

StaticAssertDecl(FS_NCOLUMNS <= MAX_COLUMNS, "Row is too short");

/* Columns that are one counter of the slots, or its time in ms. */
static void
set_slot_columns(Row *row, const SlotTotals *slots)
{
	static const struct
	{
		FlushStatsColumn column;
		SlotCounter counter;
		bool		is_time;
	}			map[] = {
		{FS_COMMITS, SLOT_COMMITS, false},
		{FS_COMMITS_ASYNC, SLOT_COMMITS_ASYNC, false},
		{FS_COMMITS_UNLOGGED, SLOT_COMMITS_UNLOGGED, false},
		{FS_COMMITS_READ_ONLY, SLOT_COMMITS_READ_ONLY, false},
		{FS_PREPARES, SLOT_PREPARES, false},
		{FS_FLUSHES, SLOT_FLUSHES, false},
		{FS_FLUSHES_UNCERTAIN, SLOT_FLUSHES_UNCERTAIN, false},
		{FS_DELAY_TIME, SLOT_DELAY_TIME, true},
		{FS_COMMIT_TIME, SLOT_COMMIT_TIME, true},
		{FS_FLUSH_TIME, SLOT_FLUSH_TIME, true},
		{FS_TIMED_FLUSHES, SLOT_TIMED_FLUSHES, false},
		{FS_UNRESOLVED_FLUSHES, SLOT_UNRESOLVED_FLUSHES, false},
		{FS_UNRESOLVED_COMMITS, SLOT_UNRESOLVED_COMMITS, false},
	};

	for (int i = 0; i < lengthof(map); i++)
	{
		uint64		value = slots->value[map[i].counter];

		if (map[i].is_time)
			set_float8(row, map[i].column, ns_to_ms(value));
		else
			set_int8(row, map[i].column, value);
	}
}

/* Sums of probabilities, rounded to whole flushes. */
static void
set_delay_columns(Row *row, const SlotTotals *slots)
{
	uint64		delayable = slots->value[SLOT_DELAYABLE];
	uint64		hits = slot_delay_hits(slots);

	set_int8(row, FS_DELAY_HITS, hits);
	set_int8(row, FS_DELAY_MISSES, delayable - hits);
	set_int8(row, FS_DELAY_UNCERTAIN,
			 slot_round_fraction(slots->value[SLOT_DELAY_UNCERTAIN]));
}

/*
 * Average, to two digits, and maximum of the siblings; null before the first
 * flush.
 */
static void
set_sibling_columns(Row *row, const FlushTotals *groups)
{
	uint64		flushes = 0;
	double		sum = 0;

	for (int s = 0; s < groups->ncells; s++)
	{
		uint64		n = flush_total(groups, FLUSHES_BY_SIBLINGS, s);

		if (n == 0)
			continue;
		flushes += n;
		sum += (double) n * s;
		set_int8(row, FS_SIBLINGS_MAX, s);
	}
	if (flushes > 0)
		set_float8(row, FS_SIBLINGS_AVG, rint(100.0 * sum / flushes) / 100.0);
}

Datum
commit_flush_stats_1_0(PG_FUNCTION_ARGS)
{
	SlotTotals	slots;
	FlushTotals *groups;
	uint64		unled;
	Row			row;

	start_rows(fcinfo);
	groups = flush_totals_lock_and_read();
	backend_slots_read(&slots);
	LWLockRelease(commit_stats_reset_lock());

	start_row(&row);
	set_slot_columns(&row, &slots);
	set_delay_columns(&row, &slots);
	set_sibling_columns(&row, groups);

	/* The slots were read later, so they know of all that the groups know. */
	unled = flush_total(groups, OVERALL, UNLED_COMMITS);
	set_int8(&row, FS_COMMITS_WITHOUT_LEADER, unled);
	set_int8(&row, FS_FOLLOWERS,
			 Max(slots.value[SLOT_FOLLOWERS], unled) - unled);
	set_numeric(&row, FS_WAL_BYTES,
				flush_total(groups, OVERALL, LED_WAL_BYTES));
	set_datum(&row, FS_STATS_RESET, TimestampTzGetDatum(slots.stats_reset));
	put_row(fcinfo, &row, FS_NCOLUMNS);
	return (Datum) 0;
}

/*----------------------------------------------------------------
 * commit_flush_histogram and commit_sibling_histogram
 *----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(commit_flush_histogram_1_0);
PG_FUNCTION_INFO_V1(commit_sibling_histogram_1_0);

typedef enum HistogramColumn
{
	H_CELL,
	H_FLUSHES,
	H_DELAYED,
	H_COMMITS,
	H_NCOLUMNS
} HistogramColumn;

/* One row for each cell with a flush in it. */
Datum
commit_flush_histogram_1_0(PG_FUNCTION_ARGS)
{
	FlushTotals *groups;

	start_rows(fcinfo);
	groups = read_groups();
	for (int size = 0; size < groups->ncells; size++)
	{
		uint64		flushes = flush_total(groups, FLUSHES_BY_SIZE, size);
		Row			row;

		if (flushes == 0)
			continue;
		start_row(&row);
		set_int8(&row, H_CELL, size);
		set_int8(&row, H_FLUSHES, flushes);
		set_int8(&row, H_DELAYED,
				 flush_total(groups, DELAYED_BY_SIZE, size));
		set_int8(&row, H_COMMITS, flushes * size);
		put_row(fcinfo, &row, H_NCOLUMNS);
	}
	return (Datum) 0;
}

Datum
commit_sibling_histogram_1_0(PG_FUNCTION_ARGS)
{
	FlushTotals *groups;

	start_rows(fcinfo);
	groups = read_groups();
	for (int s = 0; s < groups->ncells; s++)
	{
		uint64		flushes = flush_total(groups, FLUSHES_BY_SIBLINGS, s);
		Row			row;

		if (flushes == 0)
			continue;
		start_row(&row);
		set_int8(&row, H_CELL, s);
		set_int8(&row, H_FLUSHES, flushes);
		set_int8(&row, H_DELAYED,
				 flush_total(groups, DELAYED_BY_SIBLINGS, s));
		set_int8(&row, H_COMMITS,
				 flush_total(groups, COMMITS_BY_SIBLINGS, s));
		put_row(fcinfo, &row, H_NCOLUMNS);
	}
	return (Datum) 0;
}

/*----------------------------------------------------------------
 * commit_flush_log
 *----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(commit_flush_log_1_0);

typedef enum FlushLogColumn
{
	FL_FLUSHED_AT,
	FL_FLUSH_LSN,
	FL_COMMITS,
	FL_ACTIVE_TRANSACTIONS,
	FL_SIBLINGS,
	FL_DELAYED,
	FL_DELAY_PROBABILITY,
	FL_DELAY_TIME,
	FL_FLUSH_TIME,
	FL_WAL_BYTES,
	FL_LEADER_PID,
	FL_MESSAGE,
	FL_NCOLUMNS
} FlushLogColumn;

/* What only a leader can have told. */
static void
set_leader_columns(Row *row, const FlushGroupCopy *group)
{
	const LeaderReport *leader = &group->leader;

	set_int4(row, FL_LEADER_PID, group->leader_pid);
	if (leader->siblings != SIBLINGS_NOT_COUNTED)
		set_int8(row, FL_SIBLINGS, leader->siblings);
	set_bool(row, FL_DELAYED, leader->delayed);
	set_float8(row, FL_DELAY_PROBABILITY,
			   (double) leader->delay_probability / REPORTED_CERTAINTY);
	set_float8(row, FL_DELAY_TIME, leader->delay_time / 1000.0);
	if (leader->flush_time != FLUSH_NOT_TIMED)
		set_float8(row, FL_FLUSH_TIME, leader->flush_time / 1000.0);
}

/* M of each flush in the log, the oldest first. */
static void
find_active_transactions(FlushTotals *groups)
{
	uint32		before = 0;

	for (int i = 0; i < groups->nrecent; i++)
		groups->recent[i].active = flush_group_active(&groups->recent[i], &before);
}

Datum
commit_flush_log_1_0(PG_FUNCTION_ARGS)
{
	FlushTotals *groups;
	TimestampTz now;
	uint64		now_ns;
	int			oldest;

	start_rows(fcinfo);
	groups = read_groups();
	find_active_transactions(groups);
	now = GetCurrentTimestamp();
	now_ns = clock_now();
	oldest = Max(groups->nrecent - commit_stats_flush_log_size, 0);
	for (int i = groups->nrecent - 1; i >= oldest; i--)
	{
		const FlushGroupCopy *group = &groups->recent[i];
		uint64		wal_bytes;
		Row			row;

		start_row(&row);
		set_datum(&row, FL_FLUSHED_AT,
				  TimestampTzGetDatum(now - (int64) (clock_elapsed(group->seen_at, now_ns) / 1000)));
		set_datum(&row, FL_FLUSH_LSN, LSNGetDatum(group->boundary));
		set_int8(&row, FL_COMMITS, group->commits);
		set_int8(&row, FL_ACTIVE_TRANSACTIONS, group->active);
		if (group->leader_pid != 0)
			set_leader_columns(&row, group);
		wal_bytes = flush_wal_bytes(group->boundary, group->previous);
		if (wal_bytes != 0)
			set_int8(&row, FL_WAL_BYTES, wal_bytes);
		set_datum(&row, FL_MESSAGE,
				  CStringGetTextDatum(psprintf(FLUSH_MESSAGE, group->commits,
											   group->active)));
		put_row(fcinfo, &row, FL_NCOLUMNS);
	}
	return (Datum) 0;
}
