/*-------------------------------------------------------------------------
 *
 * volume.c
 *		Asks src/probe/kernel.c, for t/unit/volume.pl.
 *
 * The arguments are a folder, and that of the devices.  The output is what the
 * volume of the first has read and written, in bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "probe/kernel.h"

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 1;
	printf("%llu\n", (unsigned long long) volume_moved(argv[1], argv[2]));
	return 0;
}
