/*-------------------------------------------------------------------------
 *
 * greedy.c
 *		A library that takes all the shared memory that is left.
 *
 * The server allocates what the preloaded libraries request, and a reserve.  A
 * library that takes more than it requested, as this one does, leaves too
 * little for the libraries after it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "storage/ipc.h"
#include "storage/shmem.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

static void
take_all(void)
{
	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	for (Size size = 1024 * 1024; size >= 1024; size /= 2)
		while (ShmemAllocNoError(size) != NULL)
			;
}

void
_PG_init(void)
{
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = take_all;
}
