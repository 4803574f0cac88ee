/*-------------------------------------------------------------------------
 *
 * program.h
 *		postgres.h for the programs of t/unit, which are linked without the
 *		server: they call the C library, not the server's replacements.
 *
 * With PROGRAM_HAS_MEMORY, also the server's functions that src/base calls.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#undef fprintf
#undef printf
#undef qsort
#undef scanf
#undef sscanf
#undef vsnprintf

#ifdef PROGRAM_HAS_MEMORY
#include "miscadmin.h"

volatile sig_atomic_t InterruptPending = false;

void
ProcessInterrupts(void)
{
}

void *
palloc(Size size)
{
	return malloc(size);
}

void
pfree(void *pointer)
{
	free(pointer);
}

void
pg_qsort(void *base, size_t n, size_t size,
		 int (*compare) (const void *, const void *))
{
	qsort(base, n, size, compare);
}
#endif
