/*-------------------------------------------------------------------------
 *
 * volume.c
 *		Asks src/probe/kernel.c, for t/unit/volume.pl.
 *
 * The arguments are a folder, and that of the devices.  The output is what the
 * volume of the first has read and written: requests, bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "probe/kernel.h"

int
main(int argc, char **argv)
{
	VolumeCounts counts;

	if (argc != 3)
		return 1;
	counts = volume_read(argv[1], argv[2]);
	printf("%llu %llu\n", (unsigned long long) counts.requests,
		   (unsigned long long) counts.bytes);
	return 0;
}
