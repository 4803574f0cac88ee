/*-------------------------------------------------------------------------
 *
 * wal_views.c
 *		The function behind commit_wal_stats: checkpoint cycles.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "utils/pg_lsn.h"
#include "utils/timestamp.h"

#include "stats/wal_cycles.h"
#include "views/srf.h"

PG_FUNCTION_INFO_V1(commit_wal_stats_1_0);

Datum
commit_wal_stats_1_0(PG_FUNCTION_ARGS)
{
	WalCycles  *cycles;
	Row			row;

	row_init(fcinfo, &row);
	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	cycles = wal_cycles_read();
	LWLockRelease(commit_stats_reset_lock());

	for (int i = 0; i < cycles->ncycles; i++)
	{
		const WalCycleCopy *cycle = &cycles->cycle[i];
		bool		finished = cycle->next != InvalidXLogRecPtr;
		XLogRecPtr	end = finished ? cycle->next : GetXLogInsertRecPtr();

		row_datum(&row, LSNGetDatum(cycle->redo));
		row_datum(&row, TimestampTzGetDatum(cycle->started_at));
		row_bool(&row, finished);
		row_int8(&row, cycle->value[WAL_COMMITS]);
		row_int8(&row, cycle->value[WAL_RECORDS]);
		row_int8(&row, cycle->value[WAL_FPI]);
		row_numeric(&row, cycle->value[WAL_BYTES]);
		if (WAL_FPI_BYTES_COUNTED)
			row_numeric(&row, cycle->value[WAL_FPI_BYTES]);
		else
			row_nulls(&row, 1);
		row_numeric(&row, cycle->value[WAL_BYTES_ABORTED]);
		row_numeric(&row, end - cycle->redo);
		row_put(&row);
	}
	return (Datum) 0;
}
