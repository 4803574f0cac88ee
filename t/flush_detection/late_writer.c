/*-------------------------------------------------------------------------
 *
 * late_writer.c
 *		A library that writes as a transaction commits; for
 *		t/flush_detection_other_library.pl.
 *
 * Libraries that replicate or distribute write this way.  The server calls
 * callbacks in the reverse order of their registration.  So late_writer, if it
 * is loaded before commit_stats, writes after the callback of commit_stats.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static char *statement = NULL;

static void
write_late(XactEvent event, void *arg)
{
	if (event != XACT_EVENT_PRE_COMMIT || statement == NULL || statement[0] == '\0')
		return;
	PushActiveSnapshot(GetTransactionSnapshot());
	SPI_connect();
	if (SPI_execute(statement, false, 0) < 0)
		elog(ERROR, "could not execute \"%s\"", statement);
	SPI_finish();
	PopActiveSnapshot();
}

void
_PG_init(void)
{
	DefineCustomStringVariable("late_writer.statement",
							   "Is executed before each commit.", NULL,
							   &statement, "", PGC_USERSET, 0, NULL, NULL, NULL);
	RegisterXactCallback(write_late, NULL);
}
