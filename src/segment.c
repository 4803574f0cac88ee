/*-------------------------------------------------------------------------
 *
 * segment.c
 *		The one shared memory segment: asked for, laid out, attached to.
 *
 * Invariant: the segment is sized and laid out once, when the server starts
 * (or starts again after a crash), by asking each module how much it needs and
 * handing each its part.  What is in a part, and who may write it, is the
 * module's own business.
 *
 * Locking: AddinShmemInitLock while the segment is created.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/shmem.h"

#include "base/shared_memory.h"
#include "commit/flush_logger.h"
#include "control/delay_override.h"
#include "probe/siblings.h"
#include "segment.h"
#include "stats/backend_slots.h"
#include "stats/commit_trace.h"
#include "stats/databases.h"
#include "stats/flush_groups.h"
#include "stats/flush_totals.h"
#include "stats/latency.h"
#include "stats/wal_cycles.h"

/*
 * What a part needs, if so many backends may be there, and how it takes
 * possession of its part.
 */
typedef struct SharedPart
{
	Size		(*size) (int backends);
	void		(*attach) (void *part, bool found);
} SharedPart;

static const SharedPart parts[] = {
	{siblings_shared_size, siblings_attach},
	{backend_slots_shared_size, backend_slots_attach},
	{commit_trace_shared_size, commit_trace_attach},
	{databases_shared_size, databases_attach},
	{delay_override_shared_size, delay_override_attach},
	{flush_groups_shared_size, flush_groups_attach},
	{flush_logger_shared_size, flush_logger_attach},
	{flush_totals_shared_size, flush_totals_attach},
	{latency_shared_size, latency_attach},
	{wal_cycles_shared_size, wal_cycles_attach},
};

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

/* Every part begins on a cache line of its own. */
static Size
part_size(const SharedPart *part, int backends)
{
	return TYPEALIGN(PG_CACHE_LINE_SIZE, part->size(backends));
}

/* Bytes of shared memory for so many backends, with the first part's alignment. */
static Size
size_for_backends(int backends)
{
	Size		size = PG_CACHE_LINE_SIZE;

	for (int i = 0; i < lengthof(parts); i++)
		size = add_size(size, part_size(&parts[i], backends));
	return size;
}

/* What base/shared_memory.h has of it.  The same in all processes. */
static void
set_sizes(void)
{
	const int	more = 1024;	/* what is rounded up evens out over many */

	shared_memory_size = size_for_backends(MaxBackends);
	shared_memory_per_backend =
		(size_for_backends(MaxBackends + more) - shared_memory_size) / more;
}

static void
segment_request(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();

	RequestAddinShmemSpace(size_for_backends(MaxBackends));
	RequestNamedLWLockTranche("commit_stats", SHARED_MEMORY_LOCKS);
}

static void
segment_startup(void)
{
	char	   *part;
	bool		found;

	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();

	set_sizes();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	part = ShmemInitStruct("commit_stats", shared_memory_size, &found);
	part = (char *) TYPEALIGN(PG_CACHE_LINE_SIZE, part);
	for (int i = 0; i < lengthof(parts); i++)
	{
		parts[i].attach(part, found);
		part += part_size(&parts[i], MaxBackends);
	}
	shared_memory_attached = true;
	LWLockRelease(AddinShmemInitLock);
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
