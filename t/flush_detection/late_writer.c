/*-------------------------------------------------------------------------
 *
 * late_writer.c
 *		A library that writes as a transaction commits; for
 *		t/flush_detection_other_library.pl.
 *
 * Libraries that replicate or distribute write this way.  The server calls
 * callbacks in the reverse order of their registration.  So late_writer, if it
 * is loaded before commit_stats, writes after the callback of commit_stats.
 * With late_writer.prepared, it writes before COMMIT PREPARED instead.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "tcop/utility.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static char *statement = NULL;
static bool prepared = false;
static ProcessUtility_hook_type next_ProcessUtility = NULL;

static void
write_now(void)
{
	PushActiveSnapshot(GetTransactionSnapshot());
	SPI_connect();
	if (SPI_execute(statement, false, 0) < 0)
		elog(ERROR, "could not execute \"%s\"", statement);
	SPI_finish();
	PopActiveSnapshot();
}

static void
write_late(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_PRE_COMMIT && statement != NULL &&
		statement[0] != '\0' && !prepared)
		write_now();
}

static void
write_before(PlannedStmt *pstmt, const char *text, bool read_only,
			 ProcessUtilityContext context, ParamListInfo params,
			 QueryEnvironment *env, DestReceiver *dest, QueryCompletion *qc)
{
	if (prepared && IsA(pstmt->utilityStmt, TransactionStmt) &&
		((TransactionStmt *) pstmt->utilityStmt)->kind == TRANS_STMT_COMMIT_PREPARED)
		write_now();
	(next_ProcessUtility ? next_ProcessUtility : standard_ProcessUtility)
		(pstmt, text, read_only, context, params, env, dest, qc);
}

void
_PG_init(void)
{
	DefineCustomStringVariable("late_writer.statement",
							   "Is executed before each commit.", NULL,
							   &statement, "", PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("late_writer.prepared",
							 "Is executed before COMMIT PREPARED instead.", NULL,
							 &prepared, false, PGC_USERSET, 0, NULL, NULL, NULL);
	RegisterXactCallback(write_late, NULL);
	next_ProcessUtility = ProcessUtility_hook;
	ProcessUtility_hook = write_before;
}
