/*-------------------------------------------------------------------------
 *
 * kernel.c
 *		Asks src/probe/kernel.c, for t/unit/kernel.pl.
 *
 * The first argument tells what the others are, and what is printed:
 *
 *		limit	a file of groups, and the folder where they are mounted: for
 *				how many ns a limit of the CPU has stopped these; or "none",
 *				if there is no limit
 *		volume	a folder, and that of the devices: requests and bytes of its
 *				volume
 *		delay	the folder of a process, and anything: ns of its run delay
 *		disk	likewise: the number of its disk
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "probe/kernel.h"

int
main(int argc, char **argv)
{
	Volume		volume;
	VolumeCounts counts;
	uint64		throttled;

	if (argc != 4)
		return 1;
	volume_find(argv[2], argv[3], &volume);
	if (strcmp(argv[1], "volume") == 0)
	{
		counts = volume_read(&volume);
		printf("%llu %llu\n", (unsigned long long) counts.requests,
			   (unsigned long long) counts.bytes);
	}
	else if (strcmp(argv[1], "disk") == 0)
		printf("%llu\n", (unsigned long long) volume.disk);
	else if (strcmp(argv[1], "delay") == 0)
		printf("%.0f\n", run_delay_read(argv[2]));
	else if (cpu_throttled_read(argv[2], argv[3], &throttled))
		printf("%llu\n", (unsigned long long) throttled);
	else
		printf("none\n");
	return 0;
}
