/*-------------------------------------------------------------------------
 *
 * wal_views.c
 *		Checkpoint cycles become rows: commit_wal_stats.
 *
 * As in flush_views.c, what is shared is copied first, with
 * commit_stats_reset_lock() held shared, and rows are made of the copy.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/pg_lsn.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "base/shared_memory.h"
#include "stats/wal_cycles.h"
#include "views/srf.h"

PG_FUNCTION_INFO_V1(commit_wal_stats_1_0);

typedef enum WalStatsColumn
{
	WS_REDO_LSN,
	WS_STARTED_AT,
	WS_FINISHED,
	WS_COMMITS,
	WS_WAL_RECORDS,
	WS_WAL_FPI,
	WS_WAL_BYTES,
	WS_WAL_FPI_BYTES,
	WS_WAL_BYTES_ABORTED,
	WS_WAL_DISTANCE,
	WS_NCOLUMNS
} WalStatsColumn;

StaticAssertDecl(WS_NCOLUMNS <= MAX_COLUMNS, "Row is too short");

static void
set_cycle_columns(Row *row, const WalCycleCopy *cycle)
{
	bool		finished = cycle->next != InvalidXLogRecPtr;
	XLogRecPtr	end = finished ? cycle->next : GetXLogInsertRecPtr();

	set_datum(row, WS_REDO_LSN, LSNGetDatum(cycle->redo));
	set_datum(row, WS_STARTED_AT, TimestampTzGetDatum(cycle->started_at));
	set_bool(row, WS_FINISHED, finished);
	set_numeric(row, WS_WAL_DISTANCE, end - cycle->redo);
}

Datum
commit_wal_stats_1_0(PG_FUNCTION_ARGS)
{
	WalCycles  *cycles;

	start_rows(fcinfo);
	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	cycles = wal_cycles_read();
	LWLockRelease(commit_stats_reset_lock());

	for (int i = 0; i < cycles->ncycles; i++)
	{
		const uint64 *value = cycles->cycle[i].value;
		Row			row;

		start_row(&row);
		set_cycle_columns(&row, &cycles->cycle[i]);
		set_int8(&row, WS_COMMITS, value[WAL_COMMITS]);
		set_int8(&row, WS_WAL_RECORDS, value[WAL_RECORDS]);
		set_int8(&row, WS_WAL_FPI, value[WAL_FPI]);
		set_numeric(&row, WS_WAL_BYTES, value[WAL_BYTES]);
		if (WAL_FPI_BYTES_COUNTED)
			set_numeric(&row, WS_WAL_FPI_BYTES, value[WAL_FPI_BYTES]);
		set_numeric(&row, WS_WAL_BYTES_ABORTED, value[WAL_BYTES_ABORTED]);
		put_row(fcinfo, &row, WS_NCOLUMNS);
	}
	return (Datum) 0;
}
