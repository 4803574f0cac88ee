/*-------------------------------------------------------------------------
 *
 * cpu_limit.c
 *		Asks src/probe/kernel.c, for t/unit/cpu_limit.pl.
 *
 * The arguments are a file of groups and the folder where they are mounted.
 * The output is 1 if a limit of the CPU stops them often, or else 0, and for
 * how many ns it has stopped them, or "none" if there is no limit.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "probe/kernel.h"

int
main(int argc, char **argv)
{
	uint64		throttled;

	if (argc != 3)
		return 1;
	if (cpu_throttled_read(argv[1], argv[2], &throttled))
		printf("%llu\n", (unsigned long long) throttled);
	else
		printf("none\n");
	return 0;
}
