/*-------------------------------------------------------------------------
 *
 * limited_cpu.c
 *		A control group that is a folder, for t/symptoms/limited_cpu.pl.
 *
 * Preloaded into the server (LD_PRELOAD).  Files of the control groups, and
 * /proc/self/cgroup, are those in the folder that CPU_LIMIT_FOLDER names.
 *
 *-------------------------------------------------------------------------
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char groups[] = "/proc/self/cgroup";
static const char mount[] = "/sys/fs/cgroup";

FILE *
fopen(const char *path, const char *mode)
{
	static FILE *(*real) (const char *, const char *) = NULL;
	const char *folder = getenv("CPU_LIMIT_FOLDER");
	char		other[1024];

	if (real == NULL)
		*(void **) &real = dlsym(RTLD_NEXT, "fopen");
	if (folder != NULL && strcmp(path, groups) == 0)
		snprintf(other, sizeof(other), "%s/groups", folder);
	else if (folder != NULL && strncmp(path, mount, strlen(mount)) == 0)
		snprintf(other, sizeof(other), "%s%s", folder, path + strlen(mount));
	else
		return real(path, mode);
	return real(other, mode);
}
