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

/* What a program is asked: its first argument, and who answers the others */
typedef struct Question
{
	const char *name;
	void		(*print) (char **argument);
} Question;

static inline int
answer_question(const Question *question, int n, char **argument)
{
	for (int i = 0; i < n; i++)
		if (strcmp(argument[1], question[i].name) == 0)
		{
			question[i].print(argument + 2);
			return 0;
		}
	return 1;
}

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
