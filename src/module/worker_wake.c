/*-------------------------------------------------------------------------
 *
 * worker_wake.c
 *		Waking the background worker, which looks for work after each nap.
 *
 * Locking: none; only the worker writes its process number.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"

#include "base/compat.h"
#include "module/worker_wake.h"

static pg_atomic_uint32 *procno_plus_one = NULL;	/* the worker's, or 0 */

const StatsModule worker_wake_module = {
	.head_size = sizeof(pg_atomic_uint32),
	.head = (void **) &procno_plus_one,
};

/* Also on the commit path.  Returns false if there is no worker. */
bool
worker_wake(void)
{
	uint32		worker = pg_atomic_read_u32(procno_plus_one);

	if (worker != 0)
		SetLatch(&ProcGlobal->allProcs[worker - 1].procLatch);
	return worker != 0;
}

static void
forget_worker(int code, Datum arg)
{
	pg_atomic_write_u32(procno_plus_one, 0);
}

/* This process is the worker, until it exits. */
void
worker_wake_start(void)
{
	on_shmem_exit(forget_worker, (Datum) 0);
	pg_atomic_write_u32(procno_plus_one, MyProcNumber + 1);
}
