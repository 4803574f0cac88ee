/*-------------------------------------------------------------------------
 *
 * segment.c
 *		The shared memory segment: requested, laid out, attached to.
 *
 * The segment is laid out when the server starts, and again after a crash:
 * each module says how much it needs and initializes its own part.
 *
 * Locking: AddinShmemInitLock while a process attaches.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/shmem.h"

#include "module/persist.h"
#include "module/segment.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"

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
static Size
segment_size(int backends)
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

	RequestAddinShmemSpace(segment_size(MaxBackends));
	RequestNamedLWLockTranche("commit_stats", SHARED_MEMORY_LOCKS);
}

static void
segment_startup(void)
{
	const int	more = 1024;	/* enough for the alignment to even out */
	char	   *part;
	bool		found;

	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();

	shared_memory_size = segment_size(MaxBackends);
	shared_memory_per_backend =
		(segment_size(MaxBackends + more) - shared_memory_size) / more;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	part = ShmemInitStruct("commit_stats", shared_memory_size, &found);
	if (!found)
		memset(part, 0, shared_memory_size);
	part = (char *) TYPEALIGN(PG_CACHE_LINE_SIZE, part);
	for (int i = 0; stats_modules[i]; i++)
	{
		stats_modules[i]->attach(part, part + head_size(stats_modules[i]), found);
		part += part_size(stats_modules[i], MaxBackends);
	}
	shared_memory_attached = true;
	LWLockRelease(AddinShmemInitLock);

	if (!IsUnderPostmaster)
		persist_start();
}

/* For _PG_init, in the postmaster (or a stand-alone backend) only. */
void
segment_install_hooks(void)
{
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = segment_request;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = segment_startup;
}
