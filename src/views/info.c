/*-------------------------------------------------------------------------
 *
 * info.c
 *		The function behind commit_stats_info.
 *
 * A look adds up nothing over all backends, however many the server allows.
 * It asks the background worker to derive the limits of stall_limit.c, if they
 * are old, and shows those in use now.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/guc.h"
#include "control/delay_override.h"
#include "probe/flush_detection.h"
#include "probe/siblings.h"
#include "stats/backend_slots.h"
#include "stats/commit_trace.h"
#include "stats/stall_limit.h"
#include "views/client_columns.h"

PG_FUNCTION_INFO_V1(commit_stats_info_1_0);

Datum
commit_stats_info_1_0(PG_FUNCTION_ARGS)
{
	uint32		connected;
	int			sweep_pid;
	int			tracked;
	uint64		evicted;
	Row			row;

	row_init(fcinfo, &row);
	stall_limit_refresh();
	connected = siblings_connected();
	sweep_pid = delay_override_holder();
	clients_tracked(&tracked, &evicted);

	row_bool(&row, commit_stats_enabled);
	row_text(&row, flush_detection_counts_syncs() ? "wal_sync" : "wal_write");
	row_text(&row, track_wal_io_timing ? "timed" : "untimed");
	row_bool(&row, connected <= SIBLINGS_MAX_VISITS + 1);
	row_share(&row, siblings_count_fraction(delay_override_needs_siblings()), 1);
	row_int8(&row, connected);
	row_int8(&row, tracked);
	row_int8(&row, commit_stats_max_clients);
	row_int8(&row, evicted);
	row_add(&row, Float8GetDatum((double) stall_limit_get() / NS_PER_MS),
			stall_limit_get() == 0);
	row_add(&row,
			Float8GetDatum((double) slow_commit_limit_get() / NS_PER_MS),
			slow_commit_limit_get() == PG_UINT64_MAX);
	row_add(&row, Int32GetDatum(sweep_pid), sweep_pid == 0);
	row_client_of_session(&row, sweep_pid == 0 ? NULL :
						  clients_read_session(sweep_pid));
	row_bool(&row, commit_trace_is_on());
	row_int8(&row, shared_memory_size);
	row_int8(&row, shared_memory_per_backend);
	row_datum(&row, TimestampTzGetDatum(backend_slots_reset_time()));
	row_put(&row);
	return (Datum) 0;
}
