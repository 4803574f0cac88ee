/*-------------------------------------------------------------------------
 *
 * volume.c
 *		What the volume of a folder has written, whoever wrote it.
 *
 * Linux counts the sectors that a block device, or a part of it, has written:
 * the seventh number of its "stat", of 512 bytes each.  A file system without
 * a block device of its own, such as btrfs, overlayfs or NFS, has a device
 * number that is not among them.
 *
 * Locking: none.  This file uses neither shared memory nor the server, so t/
 * can compile it alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

#include "probe/volume.h"

/* The server itself may replace these. */
#undef snprintf

#define SECTOR				512

uint64
volume_written(const char *folder, const char *devices)
{
	unsigned long long sectors = 0;
#ifdef __linux__
	char		path[MAXPGPATH];
	struct stat status;
	FILE	   *file;

	if (stat(folder, &status) != 0)
		return 0;
	snprintf(path, sizeof(path), "%s/%u:%u/stat", devices,
			 major(status.st_dev), minor(status.st_dev));
	file = fopen(path, "r");
	if (file == NULL)
		return 0;
	if (fscanf(file, "%*u %*u %*u %*u %*u %*u %llu", &sectors) != 1)
		sectors = 0;
	fclose(file);
#endif
	return sectors * SECTOR;
}
