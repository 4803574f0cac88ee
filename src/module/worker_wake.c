/*-------------------------------------------------------------------------
 *
 * worker_wake.c
 *		Waking the background worker.
 *
 * While the worker is awake, it looks for work all the time, and nobody needs
 * to wake it.  It clears "awake" before its last looks for work.  A process
 * that has work for it first reports that work, where the worker looks, and
 * then reads "awake".
 *
 * Invariant: a later look of the worker sees a report, or the reporting
 * process wakes it.
 *
 * Locking: none; see t/memory_model/wake.protocol.
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

typedef struct WorkerWakeShared
{
	/* The worker's process number plus 1, or 0; only the worker writes it. */
	pg_atomic_uint32 procno_plus_one;

	/* Cleared by the worker; the process that sets it wakes the worker. */
	pg_atomic_uint32 awake;
} WorkerWakeShared;

static WorkerWakeShared *shared = NULL;

const StatsModule worker_wake_module = {
	.head_size = sizeof(WorkerWakeShared),
	.head = (void **) &shared,
};

static void
set_latch(uint32 procno_plus_one)
{
	SetLatch(&ProcGlobal->allProcs[procno_plus_one - 1].procLatch);
}

/*
 * Also on the commit path: the worker has something to do.  At most a system
 * call a second.
 */
void
worker_wake(void)
{
	uint32		procno_plus_one = pg_atomic_read_u32(&shared->procno_plus_one);

	/* the report comes before the look at "awake" */
	pg_memory_barrier();		/* protocol wake */
	if (procno_plus_one == 0 || pg_atomic_read_u32(&shared->awake) != 0 ||
		pg_atomic_exchange_u32(&shared->awake, 1) != 0)
		return;
	set_latch(procno_plus_one);
}

/*
 * Also on the commit path: it has so now, not when it looks next.  A system
 * call, unless it runs.  Returns false if there is no worker.
 */
bool
worker_wake_now(void)
{
	uint32		procno_plus_one = pg_atomic_read_u32(&shared->procno_plus_one);

	if (procno_plus_one != 0)
		set_latch(procno_plus_one);
	return procno_plus_one != 0;
}

static void
forget_worker(int code, Datum arg)
{
	pg_atomic_write_u32(&shared->procno_plus_one, 0);
}

/* This process is the worker, until it exits. */
void
worker_wake_start(void)
{
	on_shmem_exit(forget_worker, (Datum) 0);
	pg_atomic_write_u32(&shared->awake, 1);
	pg_atomic_write_u32(&shared->procno_plus_one, MyProcNumber + 1);
}

/* The worker will soon look for work only if it is woken. */
void
worker_wake_sleep(void)
{
	pg_atomic_write_u32(&shared->awake, 0);
	pg_memory_barrier();		/* protocol wake */
}
