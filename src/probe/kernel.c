/*-------------------------------------------------------------------------
 *
 * kernel.c
 *		What only the kernel tells: limits of the CPU, what a volume has
 *		read and written, whether a process runs.
 *
 * watch.c calls it and keeps what changed between two looks.  A CPU limit is
 * "throttled" time there (watch_is_throttled()).
 *
 * All of it is in files that Linux makes up.  Where there are none, as on
 * other systems, nothing is known.
 *
 * Linux stops all processes of a control group that has used up its share of
 * the CPU until the period of the limit, usually 100 ms, is over.  A WAL flush
 * that is under way then seems to last that long, and the stalls look like
 * those of a device with a quota.  The kernel counts the periods of a group,
 * and the time that the group was stopped (cpu.stat): in version 1 in ns, in
 * version 2 in us, and in both once for each processor on which it would run.
 * These are mostly at least as many as the limit is worth, or it were not
 * reached; so the time divided by that is about the longest that the group can
 * have stood still.  A group without a limit has no periods.
 *
 * A process is in a group and in each group above it.  In a container, the
 * path of a group may be that of the host, of which only the last folder is
 * mounted.
 *
 * Linux counts what a block device, or a part of it, has read and written: the
 * first number of its "stat" is that of reads, the third of sectors of 512
 * bytes, and the fifth and seventh are those of writes.  To empty the cache of
 * a disk is a write without sectors.  Since Linux 4.18, the twelfth and the
 * fourteenth are those of discards (TRIM).  Partitions share the limits of
 * their disk, so the requests of all of them count.  The disk is the folder
 * above that of a partition.
 * A file system without a block device of its own, such as btrfs, overlayfs or
 * NFS, has a device number that is not among them.
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
#include <unistd.h>

#include "probe/kernel.h"

/* The server itself may replace these. */
#undef snprintf

#define SECTOR				512

/* Of all groups that a process is in. */
typedef struct CpuLimit
{
	bool		has_periods;
	double		throttled;		/* ns */
} CpuLimit;

static FILE *
open_in(const char *folder, const char *name)
{
	char		path[MAXPGPATH];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "r");
}

/* Numbers in a file of the group; returns how many. */
static int
read_numbers(const char *folder, const char *name, double *one, double *two)
{
	FILE	   *file = open_in(folder, name);
	int			n;

	if (file == NULL)
		return 0;
	n = fscanf(file, "%lf %lf", one, two);
	fclose(file);
	return n;
}

/* How many processors the limit of the group is worth, if more than one */
static double
limit_processors(const char *folder)
{
	double		quota;
	double		period;
	double		none;

	if (read_numbers(folder, "cpu.max", &quota, &period) != 2 &&
		(read_numbers(folder, "cpu.cfs_quota_us", &quota, &none) != 1 ||
		 read_numbers(folder, "cpu.cfs_period_us", &period, &none) != 1))
		return 1;
	return period > 0 ? Max(quota / period, 1) : 1;
}

static void
add_group(CpuLimit *limit, const char *folder)
{
	char		line[128];
	FILE	   *file = open_in(folder, "cpu.stat");
	double		ns = 0;
	double		value;

	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		if (sscanf(line, "nr_periods %lf", &value) == 1)
			limit->has_periods |= value > 0;
		else if (sscanf(line, "throttled_time %lf", &value) == 1)
			ns = value;
		else if (sscanf(line, "throttled_usec %lf", &value) == 1)
			ns = value * 1000;
	}
	fclose(file);
	limit->throttled += ns / limit_processors(folder);
}

/* Add a group and those that it is in. */
static void
add_path(CpuLimit *limit, const char *mount, const char *controller,
		 const char *path)
{
	char		folder[MAXPGPATH];
	size_t		root;
	char	   *slash;

	snprintf(folder, sizeof(folder), "%s%s", mount, controller);
	root = strlen(folder);
	/* the root is a group as well, once */
	snprintf(folder + root, sizeof(folder) - root, "%s",
			 strcmp(path, "/") == 0 ? "" : path);
	for (;;)
	{
		add_group(limit, folder);
		slash = strrchr(folder + root, '/');
		if (slash == NULL)
			return;
		*slash = '\0';
	}
}

/*
 * "groups" has lines like "0::/path" (version 2) and "4:cpu,cpuacct:/path"
 * (version 1).
 */
bool
cpu_throttled_read(const char *groups, const char *mount, uint64 *throttled_ns)
{
	char		line[MAXPGPATH];
	char		list[MAXPGPATH + 2];
	FILE	   *file = fopen(groups, "r");
	CpuLimit	limit = {0};

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
	{
		char	   *controllers = strchr(line, ':');
		char	   *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (path == NULL)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		/* a list between commas, which may have the CPU */
		snprintf(list, sizeof(list), ",%s,", controllers + 1);
		if (controllers[1] == '\0')
			add_path(&limit, mount, "", path);
		else if (strstr(list, ",cpu,") != NULL)
			add_path(&limit, mount, "/cpu", path);
	}
	if (file != NULL)
		fclose(file);
	*throttled_ns = (uint64) limit.throttled;
	return limit.has_periods;
}

double
run_delay_read(const char *process)
{
	double		ran;
	double		waited;

	return read_numbers(process, "schedstat", &ran, &waited) == 2 ? waited : 0;
}

void
volume_find(const char *folder, const char *devices, Volume *volume)
{
	struct stat status;
#ifdef __linux__
	char		part[MAXPGPATH];
#endif

	volume->disk = 0;
	volume->counts[0] = '\0';
	if (stat(folder, &status) != 0)
		return;
	volume->disk = status.st_dev;
#ifdef __linux__
	snprintf(part, sizeof(part), "%s/%u:%u/partition", devices,
			 major(status.st_dev), minor(status.st_dev));
	snprintf(volume->counts, sizeof(volume->counts), "%s/%u:%u/%s", devices,
			 major(status.st_dev), minor(status.st_dev),
			 access(part, F_OK) == 0 ? "../stat" : "stat");
	if (stat(volume->counts, &status) == 0)
		volume->disk = status.st_ino;
#endif
}

VolumeCounts
volume_read(const Volume *volume)
{
	VolumeCounts counts = {0};
	FILE	   *file = fopen(volume->counts, "r");
	unsigned long long reads;
	unsigned long long writes;
	unsigned long long read;
	unsigned long long written;
	unsigned long long discards = 0;
	unsigned long long discarded = 0;

	if (file == NULL)
		return counts;
	if (fscanf(file, "%llu %*u %llu %*u %llu %*u %llu %*u %*u %*u %*u %llu %*u %llu",
			   &reads, &read, &writes, &written, &discards, &discarded) >= 4)
	{
		counts.requests = reads + writes + discards;
		counts.bytes = (read + written + discarded) * SECTOR;
	}
	fclose(file);
	return counts;
}

char
process_state(int pid)
{
	char		path[64];
	char		line[128];
	FILE	   *file;
	const char *name_end = NULL;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file == NULL)
		return '\0';
	if (fgets(line, sizeof(line), file) != NULL)
		name_end = strrchr(line, ')');
	fclose(file);
	return name_end != NULL && name_end[1] == ' ' ? name_end[2] : '\0';
}
