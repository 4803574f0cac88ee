/*-------------------------------------------------------------------------
 *
 * shared_memory.c
 *		The one shared memory segment: asked for, laid out, attached to.
 *
 * Invariant: the segment is sized and laid out once, when the server starts
 * (or starts again after a crash), by asking each room how much it needs and
 * handing each its part.  What is in a part, and who may write it, is the
 * room's own business.
 *
 * Locking: AddinShmemInitLock while the segment is created.  Besides that the
 * module owns two LWLocks.  Readers and commit_stats_reset() take
 * commit_stats_reset_lock().  Readers of databases.c, the reset, and each process
 * at its first transaction and at its exit take commit_stats_databases_lock(),
 * which is short.  The commit path of any other transaction takes neither.  The
 * reset takes them in this order.  Each has a gate, a further lock that is held
 * only while the lock itself is waited for.
 *
 * src/base/shared_memory.c
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
#include "stats/backend_slots.h"
#include "stats/commit_trace.h"
#include "stats/databases.h"
#include "stats/flush_groups.h"
#include "stats/flush_totals.h"
#include "stats/latency.h"
#include "stats/wal_cycles.h"

/*
 * What a room needs, if so many backends may be there, and how it takes
 * possession of its part.
 */
typedef struct SharedRoom
{
	Size		(*size) (int backends);
	void		(*attach) (void *part, bool found);
} SharedRoom;

bool		shared_memory_attached = false;

static const SharedRoom rooms[] = {
	{siblings_shared_size, siblings_attach},
	{backend_slots_shared_size, backend_slots_attach},
	{commit_trace_shared_size, commit_trace_attach},
	{databases_shared_size, databases_attach},
	{delay_override_shared_size, delay_override_attach},
	{flush_groups_shared_size, flush_groups_attach},
	{flush_logger_shared_size, flush_logger_attach},
	{group_totals_shared_size, group_totals_attach},
	{latency_shared_size, latency_attach},
	{wal_cycles_shared_size, wal_cycles_attach},
};

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

/* Every part begins on a cache line of its own. */
static Size
room_size(const SharedRoom *room, int backends)
{
	return TYPEALIGN(PG_CACHE_LINE_SIZE, room->size(backends));
}

/* Bytes of shared memory for so many backends, with the first part's alignment. */
static Size
size_for_backends(int backends)
{
	Size		size = PG_CACHE_LINE_SIZE;

	for (int i = 0; i < lengthof(rooms); i++)
		size = add_size(size, room_size(&rooms[i], backends));
	return size;
}

/* Bytes of shared memory in all. */
Size
shared_memory_size(void)
{
	return size_for_backends(MaxBackends);
}

/*
 * Bytes that each backend more would add.  What is rounded up evens out over
 * many of them.
 */
Size
shared_memory_per_backend(void)
{
	const int	more = 1024;

	return (size_for_backends(MaxBackends + more) - shared_memory_size()) / more;
}

static void
shared_memory_request(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();

	RequestAddinShmemSpace(shared_memory_size());
	RequestNamedLWLockTranche("commit_stats", 4);
}

static void
shared_memory_startup(void)
{
	char	   *part;
	bool		found;

	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	part = ShmemInitStruct("commit_stats", shared_memory_size(), &found);
	part = (char *) TYPEALIGN(PG_CACHE_LINE_SIZE, part);
	for (int i = 0; i < lengthof(rooms); i++)
	{
		rooms[i].attach(part, found);
		part += room_size(&rooms[i], MaxBackends);
	}
	shared_memory_attached = true;
	LWLockRelease(AddinShmemInitLock);
}

/* For _PG_init, in the postmaster (or a stand-alone backend) only. */
void
shared_memory_install_hooks(void)
{
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = shared_memory_request;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = shared_memory_startup;
}

/*
 * While a lock is held shared, the server grants it to further readers, so a
 * process that wants it exclusively would wait for as long as there is always a
 * reader.  New readers queue on the gate instead, and cannot overtake it.
 */
static void
acquire_through_gate(LWLock *lock, LWLock *gate, LWLockMode mode)
{
	LWLockAcquire(gate, LW_EXCLUSIVE);
	LWLockAcquire(lock, mode);
	LWLockRelease(gate);
}

void
acquire_reset_lock(LWLockMode mode)
{
	acquire_through_gate(commit_stats_reset_lock(),
						 &GetNamedLWLockTranche("commit_stats")[1].lock, mode);
}

void
acquire_databases_lock(LWLockMode mode)
{
	acquire_through_gate(commit_stats_databases_lock(),
						 &GetNamedLWLockTranche("commit_stats")[3].lock, mode);
}

/* The one message of a library that is not preloaded. */
void
shared_memory_report_missing(int elevel)
{
	ereport(elevel,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("commit_stats must be loaded via \"shared_preload_libraries\""),
			 errhint("Add commit_stats to shared_preload_libraries in postgresql.conf and restart the server.  Reloading the configuration is not enough.")));
}

/* For every SQL-callable function. */
void
shared_memory_require(void)
{
	if (!shared_memory_attached)
		shared_memory_report_missing(ERROR);
}
