/*-------------------------------------------------------------------------
 *
 * worker.c
 *		A background worker that writes WAL, for t/changecount_half_done.pl.
 *
 * The worker keeps the server's own handler of SIGTERM, which up to PostgreSQL
 * 18 ends the process at once, wherever it is.  The transaction has no id: the
 * server does not survive a process that ends in the middle of the commit of
 * one that has, nor, with assertions, in the middle of its rollback.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "utils/snapmgr.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(half_done_start);
extern PGDLLEXPORT void half_done_main(Datum main_arg);

void
half_done_main(Datum main_arg)
{
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection("postgres", NULL, 0);
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	SPI_connect();
	SPI_execute("SELECT pg_logical_emit_message(false, '', '')", false, 0);
	SPI_finish();
	PopActiveSnapshot();
	CommitTransactionCommand();
	proc_exit(0);
}

/* Run the worker, and return when it has ended. */
Datum
half_done_start(PG_FUNCTION_ARGS)
{
	BackgroundWorker worker = {0};
	BackgroundWorkerHandle *handle;

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS |
		BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	worker.bgw_notify_pid = MyProcPid;
	strlcpy(worker.bgw_library_name, "module", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "half_done_main", BGW_MAXLEN);
	strlcpy(worker.bgw_name, "half done", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "half done", BGW_MAXLEN);
	if (!RegisterDynamicBackgroundWorker(&worker, &handle))
		elog(ERROR, "no worker can be started");
	if (WaitForBackgroundWorkerShutdown(handle) != BGWH_STOPPED)
		elog(ERROR, "the worker did not end");
	PG_RETURN_VOID();
}
