/*-------------------------------------------------------------------------
 *
 * other_library.c
 *		A library that works for a while once a transaction has committed, as
 *		one that keeps an audit log; for t/symptoms/other_library.pl.  With
 *		other_library.in_turn, only one process at a time does; with
 *		other_library.reads, it shows the wait event that Citus does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "utils/guc.h"
#include "utils/wait_event.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

#define TRANCHE		"audit_log"

static int	ms = 0;
static bool in_turn = false;
static bool reads = false;
static shmem_request_hook_type next_shmem_request = NULL;

static void
request_lock(void)
{
	if (next_shmem_request)
		next_shmem_request();
	RequestNamedLWLockTranche(TRANCHE, 1);
}

static void
work(XactEvent event, void *arg)
{
	LWLock	   *lock;

	if (event != XACT_EVENT_COMMIT || ms == 0)
		return;
	lock = &GetNamedLWLockTranche(TRANCHE)->lock;
	if (in_turn)
		LWLockAcquire(lock, LW_EXCLUSIVE);
	if (reads)
		pgstat_report_wait_start(WAIT_EVENT_CLIENT_READ);
	pg_usleep(ms * 1000L);
	pgstat_report_wait_end();
	if (in_turn)
		LWLockRelease(lock);
}

void
_PG_init(void)
{
	DefineCustomIntVariable("other_library.ms", "Is how long it works.", NULL,
							&ms, 0, 0, 60000, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("other_library.in_turn", "One process at a time.",
							 NULL, &in_turn, false, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("other_library.reads", "Its wait has an event.",
							 NULL, &reads, false, PGC_USERSET, 0, NULL, NULL, NULL);
	next_shmem_request = shmem_request_hook;
	shmem_request_hook = request_lock;
	RegisterXactCallback(work, NULL);
}
