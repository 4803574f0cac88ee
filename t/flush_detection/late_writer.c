/*-------------------------------------------------------------------------
 *
 * late_writer.c
 *		A library that writes as a transaction commits; for
 *		t/053_other_library.pl.
 *
 * Libraries that replicate or distribute do so.  Callbacks are called in the
 * reverse order of their registration, so if this is loaded before commit_stats,
 * it writes after commit_stats has looked.
 *
 * t/other_library/late_writer.c
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
