/*-------------------------------------------------------------------------
 *
 * cpu_limit.c
 *		Asks src/probe/cpu_limit.c, for t/unit/cpu_limit.pl.
 *
 * The arguments are a file of groups and the folder where they are mounted.
 * The output is 1 if a limit of the CPU stops them, or else 0.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "probe/cpu_limit.h"

/* The server's replacements are not linked here. */
#undef printf

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 1;
	printf("%d\n", cpu_limit_stops(argv[1], argv[2]));
	return 0;
}
