/*-------------------------------------------------------------------------
 *
 * flush_views.c
 *		Functions behind commit_flush_stats, commit_client_stats, the
 *		histograms and commit_flush_log.
 *
 * Like all functions in this folder, these copy first and build rows from the
 * copy.  A function that shows totals holds commit_stats_reset_lock() in
 * shared mode while it copies, so no row mixes counts from before and after a
 * reset.
 *
 * The C names end with the version of the SQL interface that they serve, so
 * the library can keep serving an older one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/pg_lsn.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/guc.h"
#include "module/wall_clock.h"
#include "probe/siblings.h"
#include "stats/counter_delta.h"
#include "stats/flush_totals.h"
#include "views/client_columns.h"

PG_FUNCTION_INFO_V1(commit_flush_stats_1_0);
PG_FUNCTION_INFO_V1(commit_client_stats_1_0);
PG_FUNCTION_INFO_V1(commit_flush_histogram_1_0);
PG_FUNCTION_INFO_V1(commit_sibling_histogram_1_0);
PG_FUNCTION_INFO_V1(commit_flush_log_1_0);

/*----------------------------------------------------------------
 * commit_flush_stats and commit_client_stats
 *----------------------------------------------------------------
 */

/* Columns of both functions, from "commits" to "flushes" */
static void
row_commit_counts(Row *row, const uint64 *value)
{
	row_int8(row, value[SLOT_COMMITS]);
	row_int8(row, value[SLOT_COMMITS_ASYNC]);
	row_int8(row, value[SLOT_COMMITS_UNLOGGED]);
	row_int8(row, value[SLOT_COMMITS_READ_ONLY]);
	row_int8(row, value[SLOT_PREPARES]);
	row_int8(row, value[SLOT_FLUSHES]);
}

/* Columns of both functions, from "delay_hits" to "delay_time" */
static void
row_delay_columns(Row *row, const uint64 *value)
{
	row_int8(row, value[SLOT_DELAY_HITS]);
	row_int8(row, value[SLOT_DELAY_MISSES]);
	row_int8(row, value[SLOT_DELAY_UNCERTAIN]);
	row_ms(row, value[SLOT_DELAY_TIME]);
}

/* Columns of both functions, from "commit_time" to "timed_flushes" */
static void
row_times(Row *row, const uint64 *value)
{
	row_ms(row, value[SLOT_COMMIT_TIME]);
	row_ms(row, value[SLOT_PREPARE_TIME]);
	row_ms(row, value[SLOT_FLUSH_TIME]);
	row_int8(row, value[SLOT_TIMED_FLUSHES]);
}

/* siblings_avg and siblings_max; null before the first flush */
static void
row_siblings(Row *row, const FlushTotals *groups)
{
	uint64		flushes = 0;
	double		sum = 0;
	int			most = 0;

	for (int s = 0; s < groups->ncells; s++)
	{
		uint64		n = flush_total(groups, FLUSHES_BY_SIBLINGS, s);

		flushes += n;
		sum += (double) n * s;
		if (n > 0)
			most = s;
	}
	row_rounded(row, ratio(sum, flushes), 2);
	row_add(row, Int64GetDatum(most), flushes == 0);
}

Datum
commit_flush_stats_1_0(PG_FUNCTION_ARGS)
{
	SlotTotals	slots;
	FlushTotals *groups;
	uint64		unled;
	Row			row;

	row_init(fcinfo, &row);
	groups = flush_totals_lock_and_read();
	backend_slots_read(&slots);
	LWLockRelease(commit_stats_reset_lock());

	unled = flush_total(groups, OVERALL, UNLED_COMMITS);
	row_commit_counts(&row, slots.value);
	row_int8(&row, slots.value[SLOT_FLUSHES_UNCERTAIN]);
	/* the slots were read later, so they include all of the groups */
	row_int8(&row, Max(slots.value[SLOT_FOLLOWERS], unled) - unled);
	row_int8(&row, unled);
	row_delay_columns(&row, slots.value);
	row_int8(&row, slots.value[SLOT_HITS_ADAPTIVE]);
	row_siblings(&row, groups);
	row_times(&row, slots.value);
	row_int8(&row, slots.value[SLOT_SLOW_COMMITS]);
	row_int8(&row, slots.value[SLOT_STALLS]);
	row_ms(&row, slots.value[SLOT_STALL_TIME]);
	row_int8(&row, flush_total(groups, OVERALL, INFERRED_FLUSHES));
	row_int8(&row, slots.value[SLOT_UNRESOLVED_FLUSHES]);
	row_int8(&row, slots.value[SLOT_UNRESOLVED_COMMITS]);
	row_numeric(&row, flush_total(groups, OVERALL, LED_WAL_BYTES));
	row_datum(&row, TimestampTzGetDatum(slots.stats_reset));
	row_put(&row);
	return (Datum) 0;
}

/* Has a client counted anything, or is a session of it connected? */
static bool
is_shown(const ClientTotals *totals, int i)
{
	if (totals->sessions[i] > 0 || !client_is_overflow(&totals->client[i].key))
		return true;
	for (int c = 0; c < CLIENT_NCOUNTERS; c++)
		if (totals->client[i].value[c] > 0)
			return true;
	return false;
}

Datum
commit_client_stats_1_0(PG_FUNCTION_ARGS)
{
	ClientTotals *totals;
	Row			row;

	row_init(fcinfo, &row);
	totals = clients_read();

	for (int i = 0; i < totals->n; i++)
	{
		const uint64 *value = totals->client[i].value;

		if (!is_shown(totals, i))
			continue;
		row_client(&row, &totals->client[i].key);
		row_int8(&row, totals->sessions[i]);
		row_commit_counts(&row, value);
		row_int8(&row, value[SLOT_FOLLOWERS]);
		row_delay_columns(&row, value);
		row_times(&row, value);
		row_numeric(&row, value[SLOT_WAL_BYTES]);
		row_int8(&row, value[SLOT_COMMITS_NOTIFY]);
		row_int8(&row, value[SLOT_SLOW_COMMITS]);
		row_put(&row);
	}
	return (Datum) 0;
}

/*----------------------------------------------------------------
 * commit_flush_histogram and commit_sibling_histogram
 *----------------------------------------------------------------
 */

/* One row for each cell of "kind" that has a flush in it. */
static Datum
flush_histogram(FunctionCallInfo fcinfo, GroupCountKind kind,
				GroupCountKind delayed)
{
	FlushTotals *groups;
	Row			row;

	row_init(fcinfo, &row);
	groups = flush_totals_lock_and_read();
	LWLockRelease(commit_stats_reset_lock());

	for (int cell = 0; cell < groups->ncells; cell++)
	{
		uint64		flushes = flush_total(groups, kind, cell);

		if (flushes == 0)
			continue;
		row_int8(&row, cell);
		row_int8(&row, flushes);
		row_int8(&row, flush_total(groups, delayed, cell));
		row_int8(&row, kind == FLUSHES_BY_SIZE ? flushes * cell :
				 flush_total(groups, COMMITS_BY_SIBLINGS, cell));
		row_put(&row);
	}
	return (Datum) 0;
}

Datum
commit_flush_histogram_1_0(PG_FUNCTION_ARGS)
{
	return flush_histogram(fcinfo, FLUSHES_BY_SIZE, DELAYED_BY_SIZE);
}

Datum
commit_sibling_histogram_1_0(PG_FUNCTION_ARGS)
{
	return flush_histogram(fcinfo, FLUSHES_BY_SIBLINGS, DELAYED_BY_SIBLINGS);
}

/*----------------------------------------------------------------
 * commit_flush_log
 *----------------------------------------------------------------
 */

/* delay_kind; null if the leader did not sleep */
static void
row_sleep(Row *row, const LeaderReport *leader)
{
	if (leader->sleep_kind == SLEEP_NONE)
		row_nulls(row, 1);
	else
		row_text(row, leader->sleep_kind == SLEEP_FIXED ? "fixed" : "adaptive");
}

/*
 * Columns from "siblings" to "leader_pid"; what only a leader reports is null
 * without one.
 */
static void
row_leader_columns(Row *row, const FlushGroupCopy *group)
{
	const LeaderReport *leader = &group->leader;
	bool		unled = group->leader_pid == 0;

	row_add(row, Int64GetDatum(leader->siblings),
			unled || leader->siblings == SIBLINGS_NOT_COUNTED);
	row_add(row, BoolGetDatum(leader->sleep_kind != SLEEP_NONE), unled);
	row_add(row, Float8GetDatum((double) leader->delay_probability /
								REPORTED_CERTAINTY), unled);
	row_add(row, Float8GetDatum(leader->delay_time / 1000.0), unled);
	row_sleep(row, leader);
	row_add(row, Float8GetDatum(leader->flush_time / 1000.0),
			unled || leader->flush_time == FLUSH_NOT_TIMED);
	row_numeric_or_null(row, flush_wal_bytes(group->boundary, group->previous));
	row_add(row, Int32GetDatum(group->leader_pid), unled);
}

Datum
commit_flush_log_1_0(PG_FUNCTION_ARGS)
{
	FlushTotals *groups;
	ClientSessions *sessions;
	int64		offset;
	uint32		before = 0;
	int			oldest;
	Row			row;

	row_init(fcinfo, &row);
	groups = flush_totals_lock_and_read();
	LWLockRelease(commit_stats_reset_lock());

	/* flush_group_active() goes from the oldest to the newest */
	for (int i = 0; i < groups->nrecent; i++)
	{
		FlushGroupCopy *group = &groups->recent[i];

		group->active = flush_group_active(group, &before);
	}
	sessions = clients_read_sessions();
	offset = clock_offset();
	oldest = Max(groups->nrecent - commit_stats_flush_log_size, 0);
	for (int i = groups->nrecent - 1; i >= oldest; i--)
	{
		const FlushGroupCopy *group = &groups->recent[i];

		row_datum(&row, TimestampTzGetDatum(clock_timestamp_at(group->seen_at,
															   offset)));
		row_datum(&row, LSNGetDatum(group->boundary));
		row_int8(&row, group->flushes);
		row_int8(&row, group->commits);
		row_int8(&row, group->active);
		row_leader_columns(&row, group);
		row_client_of(&row, sessions, group->leader_pid, group->seen_at);
		row_text(&row, flush_message(group, group->active));
		row_put(&row);
	}
	return (Datum) 0;
}
