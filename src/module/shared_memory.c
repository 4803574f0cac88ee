/*-------------------------------------------------------------------------
 *
 * shared_memory.c
 *		The shared memory segment, its locks, how a process enters, and a
 *		reset of all modules.
 *
 * The segment is laid out when the server starts, and again after a crash:
 * one part for each module.  A process enters all modules before it counts
 * anything, and leaves them when it exits.
 *
 * Locking: AddinShmemInitLock while a process attaches.  shared_memory.h says
 * what the LWLocks protect.  A process that needs several takes
 * commit_stats_reset_lock() first and commit_stats_delay_lock() last.  On the
 * commit path, only a transaction that registers its process, or is the first
 * of another client (clients.c) or of a statement without a cell
 * (statements.c), takes one of them, commit_stats_clients_lock().
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "base/changecount.h"
#include "module/persist_format.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"

PG_FUNCTION_INFO_V1(commit_stats_reset_1_0);

#define MODULE_ADDRESS(name)	&name##_module,

const StatsModule *const stats_modules[] = {STATS_MODULES(MODULE_ADDRESS) NULL};

bool		shared_memory_attached = false;

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

/* Offset of the tail. */
static Size
head_size(const StatsModule *module)
{
	return TYPEALIGN(PG_CACHE_LINE_SIZE, module->head_size);
}

/* A module's part begins on a cache line of its own. */
static Size
part_size(const StatsModule *module, int backends)
{
	Size		tail_size = mul_size(backends, module->slot_size);

	if (module->tail_size)
		tail_size = module->tail_size(backends);
	return TYPEALIGN(PG_CACHE_LINE_SIZE,
					 add_size(head_size(module), tail_size));
}

/* Size of the segment; includes what aligns the first part. */
Size
shared_memory_size(int backends)
{
	Size		size = PG_CACHE_LINE_SIZE;

	for (int i = 0; stats_modules[i]; i++)
		size = add_size(size, part_size(stats_modules[i], backends));
	return size;
}

static void
segment_request(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();

	RequestAddinShmemSpace(shared_memory_size(MaxBackends));
	RequestNamedLWLockTranche("commit_stats", SHARED_MEMORY_LOCKS);
}

static void
segment_startup(void)
{
	Size		size = shared_memory_size(MaxBackends);
	char	   *part;
	bool		found;

	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	part = ShmemInitStruct("commit_stats", size, &found);
	if (!found)
		memset(part, 0, size);
	part = (char *) TYPEALIGN(PG_CACHE_LINE_SIZE, part);
	for (int i = 0; stats_modules[i]; i++)
	{
		const StatsModule *module = stats_modules[i];

		if (module->head)
			*module->head = part;
		if (module->tail)
			*module->tail = part + head_size(module);
		if (module->attach)
			module->attach(part, part + head_size(module), found);
		part += part_size(module, MaxBackends);
	}
	shared_memory_attached = true;
	LWLockRelease(AddinShmemInitLock);

	if (!IsUnderPostmaster)
		persist_start();
}

/* For _PG_init, in the postmaster (or a stand-alone backend) only. */
void
shared_memory_install_hooks(void)
{
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = segment_request;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = segment_startup;
}

/* At exit; a FATAL error can come in the middle of a change. */
static void
leave_modules(int code, Datum arg)
{
	int			n = lengthof(stats_modules) - 1;	/* without the null */

	changecount_abandon();
	while (--n >= 0)
		if (stats_modules[n]->leave)
			stats_modules[n]->leave();
}

/*
 * Before this process counts anything.  May wait, may raise an error, and then
 * is called again.
 */
void
shared_memory_enter(void)
{
	static bool leaves = false;

	if (!leaves)
		on_shmem_exit(leave_modules, (Datum) 0);
	leaves = true;
	CALL_MODULES(enter, ());
}

/*
 * Take a lock through its gate, the next lock of the tranche.  The server
 * grants a lock that is held shared to further readers, so a process that
 * waits for it exclusively could starve.  Here such a process holds the gate
 * while it waits, and new readers queue there.  A reader holds the gate,
 * shared, no longer than it takes to get the lock.
 */
void
shared_memory_acquire(LWLock *lock, LWLockMode mode)
{
	LWLock	   *gate = &((LWLockPadded *) lock)[1].lock;

	LWLockAcquire(gate, mode);
	LWLockAcquire(lock, mode);
	LWLockRelease(gate);
}

void
shared_memory_report_missing(int elevel)
{
	ereport(elevel,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("commit_stats must be loaded via \"shared_preload_libraries\""),
			 errhint("Add commit_stats to shared_preload_libraries in postgresql.conf and restart the server.  Reloading the configuration is not enough.")));
}

void
shared_memory_require(void)
{
	if (!shared_memory_attached)
		shared_memory_report_missing(ERROR);
}

/*
 * commit_stats_reset(): all modules start from zero.  Counters are never
 * cleared.  A module remembers its totals, and readers subtract them.
 * Backends may count meanwhile: all that a module remembers stems from one
 * copy, as that of backend_slots_copy(), so nothing is lost and nothing counts
 * twice.
 *
 * A reset resets everything or nothing: whatever may raise an error comes
 * before the first change.
 *
 * Other resets and readers of totals wait for the first lock, which no commit
 * takes; for the second one readers of clients.c wait, and processes that
 * register, exit, or become another client.
 */
Datum
commit_stats_reset_1_0(PG_FUNCTION_ARGS)
{
	TimestampTz now;

	shared_memory_require();
	shared_memory_acquire(commit_stats_reset_lock(), LW_EXCLUSIVE);
	CALL_MODULES(reset_prepare, ());
	shared_memory_acquire(commit_stats_clients_lock(), LW_EXCLUSIVE);
	now = GetCurrentTimestamp();
	CALL_MODULES(reset_copy, ());

	/* no error from here on */
	CALL_MODULES(reset, (now));
	LWLockRelease(commit_stats_clients_lock());
	LWLockRelease(commit_stats_reset_lock());
	PG_RETURN_TIMESTAMPTZ(now);
}
