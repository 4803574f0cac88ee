/*-------------------------------------------------------------------------
 *
 * flush_views.c
 *		Functions behind commit_flush_stats, the histograms and
 *		commit_flush_log.
 *
 * Locking: flush_totals_lock_and_read() returns with commit_stats_reset_lock()
 * held, shared.  A function releases it after its last copy of counts, so
 * these are since one reset.  clients.c takes commit_stats_clients_lock() for
 * the names of leaders.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/pg_lsn.h"

#include "base/guc.h"
#include "module/wall_clock.h"
#include "probe/siblings.h"
#include "stats/flush_totals.h"
#include "stats/srf.h"

PG_FUNCTION_INFO_V1(commit_flush_stats_1_0);
PG_FUNCTION_INFO_V1(commit_flush_histogram_1_0);
PG_FUNCTION_INFO_V1(commit_sibling_histogram_1_0);
PG_FUNCTION_INFO_V1(commit_flush_log_1_0);

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
	row_rounded(row, "siblings_avg", ratio(sum, flushes), 2);
	if (flushes > 0)
		row_number(row, "siblings_max", most);
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

	row_counters(&row, slots.value, SLOT_NCOUNTERS);
	/* the WAL of flushes takes the place of the WAL of transactions */
	row_number(&row, "wal_bytes", flush_total(groups, OVERALL, LED_WAL_BYTES));
	unled = flush_total(groups, OVERALL, UNLED_COMMITS);
	/* the slots were read later, so they include all of the groups */
	row_number(&row, "followers",
			   Max(slots.value[SLOT_FLUSHED_BY_OTHERS], unled) - unled);
	row_number(&row, "commits_without_leader", unled);
	row_siblings(&row, groups);
	row_number(&row, "inferred_flushes",
			   flush_total(groups, OVERALL, INFERRED_FLUSHES));
	row_timestamp(&row, "stats_reset", slots.stats_reset);
	row_put(&row);
	return (Datum) 0;
}

/* One row for each cell of "kind" that has a flush in it. */
static Datum
flush_histogram(FunctionCallInfo fcinfo, GroupCountKind kind,
				GroupCountKind delayed)
{
	bool		by_size = kind == FLUSHES_BY_SIZE;
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
		row_number(&row, by_size ? "commits_in_flush" : "siblings", cell);
		row_number(&row, "flushes", flushes);
		row_number(&row, by_size ? "delayed_flushes" : "delay_hits",
				   flush_total(groups, delayed, cell));
		row_number(&row, "commits", by_size ? flushes * cell :
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

/* What only a leader reports. */
static void
row_leader(Row *row, const FlushGroupCopy *group)
{
	const LeaderReport *leader = &group->leader;
	bool		slept = leader->sleep_kind != SLEEP_NONE;

	if (leader->siblings != SIBLINGS_NOT_COUNTED)
		row_number(row, "siblings", leader->siblings);
	row_bool(row, "delayed", slept);
	row_float8(row, "delay_probability",
			   (double) leader->delay_probability / REPORTED_CERTAINTY);
	row_float8(row, "delay_time", leader->delay_time / 1000.0);
	if (slept)
		row_text(row, "delay_kind",
				 leader->sleep_kind == SLEEP_FIXED ? "fixed" : "adaptive");
	if (leader->flush_time != FLUSH_NOT_TIMED)
		row_float8(row, "flush_time", leader->flush_time / 1000.0);
	row_number(row, "leader_pid", group->leader_pid);
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

		/* a process that is about to fill them in may be held up */
		if (group->seen_at != 0)
			row_timestamp(&row, "flushed_at",
						  clock_timestamp_at(group->seen_at, offset));
		if (group->boundary != InvalidXLogRecPtr)
			row_datum(&row, "flush_lsn", PG_LSNOID,
					  LSNGetDatum(group->boundary));
		row_number(&row, "flushes", group->flushes);
		row_number(&row, "commits", group->commits);
		row_number(&row, "active_transactions", group->active);
		row_known_number(&row, "wal_bytes",
						 flush_wal_bytes(group->boundary, group->previous));
		row_text(&row, "message", flush_message(group, group->active));
		if (group->leader_pid != 0)
			row_leader(&row, group);
		row_client_of(&row, "leader_", sessions, group->leader_pid,
					  group->seen_at);
		row_put(&row);
	}
	return (Datum) 0;
}
