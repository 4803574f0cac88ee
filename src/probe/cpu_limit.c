/*-------------------------------------------------------------------------
 *
 * cpu_limit.c
 *		Whether a limit of the CPU stops this server.
 *
 * Linux stops all processes of a control group that has used up its share of
 * the CPU until the period of the limit, usually 100 ms, is over.  A WAL flush
 * that is under way then seems to last that long, and the stalls look like
 * those of a device with a quota.  The kernel counts the periods in which it
 * had to stop a group (cpu.stat).
 *
 * Locking: none.  This file uses neither shared memory nor the server, so t/
 * can compile it alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "probe/cpu_limit.h"

/* The server itself may replace these. */
#undef snprintf

/* The group is stopped if this share of its periods was cut short. */
#define OFTEN			0.05

/* Returns true if the group of this folder was stopped often. */
static bool
group_is_stopped(const char *folder)
{
	char		path[MAXPGPATH];
	char		line[128];
	FILE	   *file;
	double		value;
	double		periods = 0;
	double		stopped = 0;

	snprintf(path, sizeof(path), "%s/cpu.stat", folder);
	file = fopen(path, "r");
	if (file == NULL)
		return false;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		if (sscanf(line, "nr_periods %lf", &value) == 1)
			periods = value;
		else if (sscanf(line, "nr_throttled %lf", &value) == 1)
			stopped = value;
	}
	fclose(file);
	return stopped > OFTEN * periods;
}

/*
 * A group, or one that it is in.  In a container, the path may be that of the
 * host, of which only the last one is mounted.
 */
static bool
path_is_stopped(const char *mount, const char *controller, const char *path)
{
	char		folder[MAXPGPATH];
	size_t		root;

	snprintf(folder, sizeof(folder), "%s%s", mount, controller);
	root = strlen(folder);
	snprintf(folder + root, sizeof(folder) - root, "%s", path);
	for (;;)
	{
		char	   *slash;

		if (group_is_stopped(folder))
			return true;
		slash = strrchr(folder + root, '/');
		if (slash == NULL)
			return false;
		*slash = '\0';
	}
}

/* Returns true if this list of controllers, between commas, has the CPU. */
static bool
has_cpu(const char *controllers)
{
	const char *found = strstr(controllers, "cpu");

	while (found != NULL)
	{
		if ((found == controllers || found[-1] == ',') &&
			(found[3] == '\0' || found[3] == ','))
			return true;
		found = strstr(found + 3, "cpu");
	}
	return false;
}

/*
 * "groups" has lines like "0::/path" (version 2) and "4:cpu,cpuacct:/path"
 * (version 1).  Without that file, as on other systems, nothing is known of a
 * limit.
 */
bool
cpu_limit_stops(const char *groups, const char *mount)
{
	char		line[MAXPGPATH];
	FILE	   *file = fopen(groups, "r");
	bool		stops = false;

	if (file == NULL)
		return false;
	while (!stops && fgets(line, sizeof(line), file) != NULL)
	{
		char	   *controllers = strchr(line, ':');
		char	   *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (path == NULL)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (controllers[1] == '\0')
			stops = path_is_stopped(mount, "", path);
		else if (has_cpu(controllers + 1))
			stops = path_is_stopped(mount, "/cpu", path);
	}
	fclose(file);
	return stops;
}
