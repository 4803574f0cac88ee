/*-------------------------------------------------------------------------
 *
 * info.c
 *		commit_stats_info, and commit_stats_reset().
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "base/guc.h"
#include "control/delay_override.h"
#include "probe/flush_detection.h"
#include "probe/siblings.h"
#include "stats/backend_slots.h"
#include "stats/commit_trace.h"
#include "stats/databases.h"
#include "stats/flush_totals.h"
#include "stats/latency.h"
#include "stats/wal_cycles.h"
#include "views/srf.h"

PG_FUNCTION_INFO_V1(commit_stats_info_1_0);
PG_FUNCTION_INFO_V1(commit_stats_reset_1_0);

typedef enum InfoColumn
{
	I_ENABLED,
	I_LEADER_EVIDENCE,
	I_DELAY_EVIDENCE,
	I_SIBLINGS_EXACT,
	I_SIBLING_COUNT_FRACTION,
	I_CONNECTED_BACKENDS,
	I_DATABASES_TRACKED,
	I_DATABASES_MAX,
	I_SWEEP_PID,
	I_CAPTURING,
	I_SHARED_MEMORY,
	I_MEMORY_PER_CONNECTION,
	I_STATS_RESET,
	I_NCOLUMNS
} InfoColumn;

Datum
commit_stats_info_1_0(PG_FUNCTION_ARGS)
{
	uint32		connected;
	int			databases;
	int			sweep_pid;
	SlotTotals	slots;
	Row			row;

	start_rows(fcinfo);
	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	backend_slots_read(&slots);
	LWLockRelease(commit_stats_reset_lock());
	databases = databases_read()->ntracked;
	connected = siblings_connected();
	sweep_pid = delay_override_holder();

	start_row(&row);
	set_bool(&row, I_ENABLED, commit_stats_enabled);
	set_datum(&row, I_LEADER_EVIDENCE,
			  CStringGetTextDatum(flush_detection_counts_syncs() ? "wal_sync" : "wal_write"));
	set_datum(&row, I_DELAY_EVIDENCE,
			  CStringGetTextDatum(track_wal_io_timing ? "timed" : "untimed"));
	set_bool(&row, I_SIBLINGS_EXACT, connected <= SIBLINGS_MAX_VISITS + 1);
	set_float8(&row, I_SIBLING_COUNT_FRACTION,
			   round_to(siblings_count_fraction(delay_override_needs_siblings()),
						3));
	set_int8(&row, I_CONNECTED_BACKENDS, connected);
	set_int8(&row, I_DATABASES_TRACKED, databases);
	set_int8(&row, I_DATABASES_MAX, DATABASES_MAX);
	if (sweep_pid != 0)
		set_int4(&row, I_SWEEP_PID, sweep_pid);
	set_bool(&row, I_CAPTURING, commit_trace_is_on());
	set_int8(&row, I_SHARED_MEMORY, shared_memory_size);
	set_int8(&row, I_MEMORY_PER_CONNECTION, shared_memory_per_backend);
	set_datum(&row, I_STATS_RESET, TimestampTzGetDatum(slots.stats_reset));
	put_row(fcinfo, &row, I_NCOLUMNS);
	return (Datum) 0;
}

/*
 * All or nothing: what may raise an error comes first, and only then anything is
 * changed.
 */
Datum
commit_stats_reset_1_0(PG_FUNCTION_ARGS)
{
	LatencyTotals *latency = palloc(sizeof(LatencyTotals));
	SlotCopy   *slots;
	WalCycleCopy cycle;
	TimestampTz now;

	shared_memory_require();
	shared_memory_acquire(commit_stats_reset_lock(), LW_EXCLUSIVE);
	/* what may have to wait for a process that is stopped */
	flush_totals_wait();
	wal_cycles_prepare_reset(&cycle);
	shared_memory_acquire(commit_stats_databases_lock(), LW_EXCLUSIVE);
	now = GetCurrentTimestamp();
	/* The slots first: they must know of all that the groups know. */
	slots = backend_slots_copy();
	latency_add_up(latency);
	flush_totals_reset();

	/* nothing from here on raises an error */
	backend_slots_reset(slots, now);
	databases_reset(slots);
	latency_reset(latency);
	wal_cycles_reset(&cycle);
	LWLockRelease(commit_stats_databases_lock());
	LWLockRelease(commit_stats_reset_lock());
	PG_RETURN_TIMESTAMPTZ(now);
}
