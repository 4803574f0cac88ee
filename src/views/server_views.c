/*-------------------------------------------------------------------------
 *
 * server_views.c
 *		Functions behind commit_stats_info, commit_wal_stats,
 *		commit_standby_stats, commit_delay_state, commit_delay_changes and
 *		commit_history, and those that ask for a row of that, or for none.
 *
 * Locking: the first two hold commit_stats_reset_lock(), shared, while they
 * copy, and commit_wal_stats exclusively, for a moment, if it ends a cycle
 * (wal_cycles_look()).  clients.c takes commit_stats_clients_lock() for
 * commit_stats_info, and standby.c takes SyncRepLock for a moment.
 * adaptive_delay_read() copies the state of the adaptive delay under
 * commit_stats_delay_lock(), shared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "utils/pg_lsn.h"

#include "base/guc.h"
#include "control/adaptive_delay.h"
#include "control/delay_override.h"
#include "history/history.h"
#include "module/stats_module.h"
#include "probe/flush_detection.h"
#include "probe/siblings.h"
#include "stats/commit_trace.h"
#include "stats/srf.h"
#include "stats/stall_log.h"
#include "stats/standby.h"
#include "stats/statements.h"
#include "stats/wal_cycles.h"

PG_FUNCTION_INFO_V1(commit_stats_info_1_0);
PG_FUNCTION_INFO_V1(commit_wal_stats_1_0);
PG_FUNCTION_INFO_V1(commit_standby_stats_1_0);
PG_FUNCTION_INFO_V1(commit_delay_state_1_0);
PG_FUNCTION_INFO_V1(commit_delay_changes_1_0);
PG_FUNCTION_INFO_V1(commit_history_1_0);
PG_FUNCTION_INFO_V1(commit_history_close_1_0);
PG_FUNCTION_INFO_V1(commit_history_reset_1_0);

/* How the time of the latest flushes depends on their bytes */
static void
row_fit(Row *row)
{
	FlushTotals *groups = flush_totals_lock_and_read();
	FlushFit	fit;

	LWLockRelease(commit_stats_reset_lock());
	stall_log_fit(groups, &fit);
	if (fit.n == 0)
		return;
	row_rounded(row, "flush_base", fit.base / 1000, 3);
	row_rounded(row, "wal_mb_per_second", fit.rate, 2);
	row_share(row, "bytes_share", fit.share, 1);
}

Datum
commit_stats_info_1_0(PG_FUNCTION_ARGS)
{
	const EntryTableShared *clients = clients_table.shared;
	const EntryTableShared *statements = statements_table.shared;
	uint32		connected;
	int			sweep_pid;
	Row			row;

	row_init(fcinfo, &row);
	sweep_pid = delay_override_holder();
	connected = siblings_connected();

	row_bool(&row, "enabled", commit_stats_enabled);
	row_text(&row, "leader_evidence",
			 flush_detection_counts_syncs() ? "wal_sync" : "wal_write");
	row_text(&row, "delay_evidence",
			 track_wal_io_timing ? "timed" : "untimed");
	row_bool(&row, "siblings_exact", connected <= SIBLINGS_MAX_VISITS + 1);
	row_share(&row, "sibling_count_share",
			  siblings_count_fraction(delay_override_needs_siblings()), 1);
	row_number(&row, "connected_backends", connected);
	row_number(&row, "clients_tracked", clients->nown);
	row_number(&row, "clients_max", commit_stats_max_clients);
	row_number(&row, "clients_evicted", clients->evicted);
	row_number(&row, "statements_tracked", statements->nown);
	row_number(&row, "statements_max", commit_stats_max_statements);
	row_number(&row, "statements_evicted", statements->evicted);
	row_timestamp(&row, "statements_reset", statements->stats_reset);
	row_known_number(&row, "stall_limit", stall_limit_get());
	row_ms(&row, "slow_commit_limit",
		   slow_commit_limit(commit_stats_slow_commit_time));
	row_fit(&row);
	row_known_number(&row, "sweep_pid", sweep_pid);
	if (sweep_pid != 0)
		row_client_of(&row, "sweep_", clients_read_sessions(), sweep_pid,
					  PG_UINT64_MAX);
	row_bool(&row, "capturing", commit_trace_is_on());
	row_number(&row, "shared_memory", shared_memory_size(MaxBackends));
	/* enough backends for the alignment to even out */
	row_number(&row, "memory_per_connection",
			   (shared_memory_size(MaxBackends + 1024) -
				shared_memory_size(MaxBackends)) / 1024);
	row_number(&row, "history_memory", history_module.tail_size(0));
	row_timestamp(&row, "stats_reset", backend_slots_reset_time());
	row_put(&row);
	return (Datum) 0;
}

Datum
commit_wal_stats_1_0(PG_FUNCTION_ARGS)
{
	WalCycles  *cycles;
	Row			row;

	row_init(fcinfo, &row);
	cycles = wal_cycles_read();
	for (int i = 0; i < cycles->ncycles; i++)
	{
		const WalCycleCopy *cycle = &cycles->cycle[i];
		bool		finished = cycle->next != InvalidXLogRecPtr;
		XLogRecPtr	end = finished ? cycle->next : GetXLogInsertRecPtr();

		row_datum(&row, "redo_lsn", PG_LSNOID, LSNGetDatum(cycle->redo));
		row_timestamp(&row, "started_at", cycle->started_at);
		row_bool(&row, "finished", finished);
		row_number(&row, "commits", cycle->value[WAL_COMMITS]);
		row_number(&row, "wal_records", cycle->value[WAL_RECORDS]);
		row_number(&row, "wal_fpi", cycle->value[WAL_FPI]);
		row_number(&row, "wal_bytes", cycle->value[WAL_BYTES]);
		if (WAL_FPI_BYTES_COUNTED)
			row_number(&row, "wal_fpi_bytes", cycle->value[WAL_FPI_BYTES]);
		row_number(&row, "wal_bytes_aborted",
				   cycle->value[WAL_BYTES_ABORTED]);
		/* the newest cycle of a former primary ended when that stopped */
		if (i > 0 || !RecoveryInProgress())
			row_number(&row, "wal_distance", end - cycle->redo);
		row_put(&row);
	}
	return (Datum) 0;
}

Datum
commit_standby_stats_1_0(PG_FUNCTION_ARGS)
{
	StandbyCounts counts[STANDBY_MAX];
	uint64		waiting[STANDBY_MAX][STANDBY_NSTAGES] = {0};
	StandbyWaiters waiters[NUM_SYNC_REP_WAIT_MODE];
	TimestampTz since;
	int			n;
	int			nwaiters;
	Row			row;

	row_init(fcinfo, &row);
	n = standby_read(counts, &since);
	nwaiters = standby_waiters(waiters);
	for (int i = 0; i < nwaiters; i++)
	{
		/* perhaps one that the worker has not seen yet */
		StandbyCounts *found = standby_find(counts, &n, waiters[i].blame.name);

		if (found != NULL)
			waiting[found - counts][waiters[i].blame.stage] += waiters[i].commits;
	}

	for (int i = 0; i < n; i++)
		for (int stage = 0; stage < STANDBY_NSTAGES; stage++)
		{
			if (counts[i].wait_time[stage] == 0 &&
				counts[i].slow_commits[stage] == 0 && waiting[i][stage] == 0)
				continue;
			row_text(&row, "standby", counts[i].name);
			row_text(&row, "stage", standby_stage_names[stage]);
			row_ms(&row, "wait_time", counts[i].wait_time[stage]);
			row_number(&row, "slow_commits", counts[i].slow_commits[stage]);
			row_number(&row, "waiting_now", waiting[i][stage]);
			row_timestamp(&row, "counted_since", since);
			row_put(&row);
		}
	return (Datum) 0;
}

/* us as ms; null if that is NaN */
static void
row_us(Row *row, const char *name, double us)
{
	row_rounded(row, name, us / 1000, 3);
}

Datum
commit_delay_state_1_0(PG_FUNCTION_ARGS)
{
	static AdaptiveDelayState state;
	const Spacing *spacing = &state.spacing;
	const SpacingTrial *trial = &spacing->trial;
	bool		in_force;
	Row			row;

	row_init(fcinfo, &row);
	adaptive_delay_read(&state);
	in_force = delay_override_is_adaptive() && commit_stats_enabled &&
		enableFsync;
	row_bool(&row, "adaptive_delay", commit_stats_adaptive_delay);
	row_bool(&row, "in_force", in_force);
	row_us(&row, "spacing",
		   in_force || delay_override_holder() != 0 ? state.in_force : 0);
	if (state.nchanges > 0)
	{
		const DelayChange *last =
		&state.change[(state.nchanges - 1) % DELAY_CHANGES_KEPT];

		row_text(&row, "reason", delay_change_names[last->what]);
		row_timestamp(&row, "changed_at", last->changed_at);
	}
	if (spacing->trials > 0)
	{
		row_text(&row, "trial", trial->running ? "running" :
				 delay_change_names[trial->outcome]);
		row_us(&row, "tried_spacing", trial->challenger);
		row_us(&row, "tried_response", spacing_response(trial, true));
		row_us(&row, "kept_response", spacing_response(trial, false));
	}
	if (spacing->quota.believed)
	{
		row_rounded(&row, "quota_flush_rate",
					spacing_quota_rate(spacing), 1);
		row_us(&row, "quota_window", spacing->quota.window);
		row_us(&row, "quota_spacing", spacing_floor(spacing));
	}
	if (spacing->usual > 0)
		row_us(&row, "flush_time", spacing->usual);
	row_number(&row, "trials", (uint64) spacing->trials);
	row_number(&row, "trials_won", (uint64) spacing->adoptions);
	row_number(&row, "quotas_found", (uint64) spacing->quotas_found);
	row_number(&row, "quotas_refuted", (uint64) spacing->quotas_refuted);
	row_number(&row, "changes", state.nchanges);
	row_put(&row);
	return (Datum) 0;
}

Datum
commit_delay_changes_1_0(PG_FUNCTION_ARGS)
{
	static AdaptiveDelayState state;
	uint64		first;
	Row			row;

	row_init(fcinfo, &row);
	adaptive_delay_read(&state);
	first = state.nchanges - Min(state.nchanges, DELAY_CHANGES_KEPT);
	for (uint64 i = first; i < state.nchanges; i++)
	{
		const DelayChange *change = &state.change[i % DELAY_CHANGES_KEPT];

		row_number(&row, "change", i + 1);
		row_timestamp(&row, "changed_at", change->changed_at);
		row_text(&row, "reason", delay_change_names[change->what]);
		row_us(&row, "spacing", change->spacing);
		row_us(&row, "response", change->response);
		row_us(&row, "response_before", change->response_before);
		if (change->flush_rate > 0)
			row_rounded(&row, "quota_flush_rate", change->flush_rate, 1);
		row_put(&row);
	}
	return (Datum) 0;
}

/* Others' names are for pg_read_all_stats, as in commit_statement_stats. */
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
	{
		row_rounded(row, "row_wait_time", sum->waits.blocked_rows / NS_PER_MS, 3);
		row_rounded(row, "lock_wait_time", sum->waits.lock_waits / NS_PER_MS, 3);
		row_rounded(row, "checkpoint_share",
					Min(100 * sum->waits.activity[ACTIVITY_CHECKPOINT] /
						(sum->seconds * NS_PER_S), 100), 1);
	}
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
	HistorySum *sum = palloc(sizeof(HistorySum));
	Row			row;

	row_init(fcinfo, &row);
	for (int i = 0; i < HISTORY_NRINGS; i++)
		for (uint64 n = history_first(i);
			 n <= pg_atomic_read_u64(history_rows[i].newest); n++)
			if (history_copy(i, n, sum))
				put_history_row(&row, i == HISTORY_MINUTES ? "minute" : "hour", sum);
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
