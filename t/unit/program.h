/*-------------------------------------------------------------------------
 *
 * program.h
 *		postgres.h for the programs of t/unit, which are linked without the
 *		server: they call the C library, not the server's replacements.
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

#include "miscadmin.h"

/* For CHECK_FOR_INTERRUPTS() */
volatile sig_atomic_t InterruptPending = false;

void
ProcessInterrupts(void)
{
}

#ifdef USE_ASSERT_CHECKING
void
ExceptionalCondition(const char *condition, const char *file, int line)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, condition);
	abort();
}
#endif
