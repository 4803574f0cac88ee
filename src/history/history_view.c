/*-------------------------------------------------------------------------
 *
 * history_view.c
 *		Functions behind commit_history, commit_history_close() and
 *		commit_history_reset().
 *
 * The names of others' clients and the identifiers of their statements are for
 * pg_read_all_stats, as in commit_statement_stats.
 *
 * Locking: none; see history.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "history/history.h"
#include "stats/srf.h"

PG_FUNCTION_INFO_V1(commit_history_1_0);
PG_FUNCTION_INFO_V1(commit_history_close_1_0);
PG_FUNCTION_INFO_V1(commit_history_reset_1_0);

static void
row_leaders(Row *row, const HistorySum *sum)
{
	if (row_may_show(sum->top_client.roleid) && sum->top_client_flushes > 0)
		row_client(row, "top_", &sum->top_client);
	row_known_number(row, "top_client_flushes", sum->top_client_flushes);
	if (sum->top_statement_flushes > 0)
		row_queryid(row, "top_", &sum->top_statement);
	row_known_number(row, "top_statement_flushes", sum->top_statement_flushes);
}

static void
row_times(Row *row, const HistorySum *sum)
{
	static const char *const stall_columns[] = {STALL_CAUSES(STALL_CAUSE_COLUMN)};

	row->prefix = "commit_";
	row_quantiles(row, sum->commit_cells, 3);
	row->prefix = "flush_";
	row_quantiles(row, sum->flush_cells, 3);
	row->prefix = "";
	for (int i = 0; i < STALL_NCAUSES; i++)
		row_float8(row, stall_columns[i], sum->stall_time[i] / NS_PER_MS);
	for (int i = 0; i < PHASE_N; i++)
	{
		/* another column has the name that commit_slow_log has for these */
		row->prefix = i == PHASE_DELAY || i == PHASE_FLUSH ? "phase_" : "";
		if (sum->divided || !history_is_sampled(i))
			row_float8(row, commit_phase_columns[i], sum->phase[i] / NS_PER_MS);
	}
	row->prefix = "";
}

static void
put_history_row(Row *row, const char *resolution, const HistorySum *sum)
{
	row_text(row, "resolution", resolution);
	row_timestamp(row, "period_start", sum->start);
	row_timestamp(row, "period_end", sum->end);
	row_rounded(row, "seconds", sum->seconds, 3);
	row_bool(row, "after_gap", sum->gaps > 0);
	row_counters(row, sum->value, SLOT_NCOUNTERS);
	row_number(row, "commits_without_leader", sum->commits_without_leader);
	row_times(row, sum);
	row_number(row, "wal_fpi", sum->wal_fpi);
	row_number(row, "checkpoints", sum->checkpoints);
	row_number(row, "archive_failures", sum->archive_failures);
	if (sum->seen > 0)
		row_rounded(row, "checkpoint_share",
					Min(100 * sum->waits.activity[ACTIVITY_CHECKPOINT] /
						(sum->seconds * NS_PER_S), 100), 1);
	row_number(row, "commit_delay", sum->delay);
	row_number(row, "commit_siblings", sum->siblings);
	row_bool(row, "adaptive_delay", sum->adaptive);
	if (sum->adaptive)
		row_float8(row, "spacing", sum->spacing / NS_PER_MS);
	row_leaders(row, sum);
	row_put(row);
}

Datum
commit_history_1_0(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"minute", "hour"};
	HistorySum *sum = palloc(sizeof(HistorySum));
	Row			row;

	row_init(fcinfo, &row);
	for (int i = 0; i < HISTORY_NRINGS; i++)
		for (uint64 n = history_first(i);
			 n <= pg_atomic_read_u64(history_rows[i].newest); n++)
			if (history_copy(i, n, sum))
				put_history_row(&row, names[i], sum);
	return (Datum) 0;
}

Datum
commit_history_close_1_0(PG_FUNCTION_ARGS)
{
	shared_memory_require();
	PG_RETURN_TIMESTAMPTZ(history_ask(HISTORY_CLOSE));
}

Datum
commit_history_reset_1_0(PG_FUNCTION_ARGS)
{
	shared_memory_require();
	PG_RETURN_TIMESTAMPTZ(history_ask(HISTORY_EMPTY));
}
