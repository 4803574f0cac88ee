/*-------------------------------------------------------------------------
 *
 * full_disk.c
 *		A disk that is full when the statistics are saved.
 *
 * Preloaded into the server (LD_PRELOAD), it lets one call fail that is about
 * the file of kept statistics: the one that the environment variable
 * KEEP_FAILS names.  All other files are as ever.
 *
 * t/keep/full_disk.c
 *
 *-------------------------------------------------------------------------
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT	"commit_stats.stat"

static bool
fails(const char *call)
{
	const char *which = getenv("KEEP_FAILS");

	return which != NULL && strcmp(which, call) == 0;
}

static bool
is_kept(int fd)
{
	char		link[64];
	char		path[PATH_MAX];
	ssize_t		length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return false;
	path[length] = '\0';
	return strstr(path, KEPT) != NULL;
}

/* There is room for some of it. */
ssize_t
write(int fd, const void *from, size_t size)
{
	static ssize_t (*real) (int, const void *, size_t);
	static int	left = 1000;

	if (real == NULL)
		real = dlsym(RTLD_NEXT, "write");
	if (fails("write") && is_kept(fd))
	{
		if (left == 0)
		{
			errno = ENOSPC;
			return -1;
		}
		size = left;
		left = 0;
	}
	return real(fd, from, size);
}

/* Some file systems find out later. */
int
fsync(int fd)
{
	static int	(*real) (int);

	if (real == NULL)
		real = dlsym(RTLD_NEXT, "fsync");
	if (fails("fsync") && is_kept(fd))
	{
		errno = ENOSPC;
		return -1;
	}
	return real(fd);
}

int
close(int fd)
{
	static int	(*real) (int);
	bool		kept = fails("close") && is_kept(fd);

	if (real == NULL)
		real = dlsym(RTLD_NEXT, "close");
	if (real(fd) != 0)
		return -1;
	if (kept)
	{
		errno = ENOSPC;
		return -1;
	}
	return 0;
}

int
rename(const char *from, const char *to)
{
	static int	(*real) (const char *, const char *);

	if (real == NULL)
		real = dlsym(RTLD_NEXT, "rename");
	if (fails("rename") && strstr(to, KEPT) != NULL)
	{
		errno = ENOSPC;
		return -1;
	}
	return real(from, to);
}

/* Not of a full disk, but of a broken one. */
ssize_t
read(int fd, void *to, size_t size)
{
	static ssize_t (*real) (int, void *, size_t);

	if (real == NULL)
		real = dlsym(RTLD_NEXT, "read");
	if (fails("read") && is_kept(fd))
	{
		errno = EIO;
		return -1;
	}
	return real(fd, to, size);
}

int
unlink(const char *path)
{
	static int	(*real) (const char *);

	if (real == NULL)
		real = dlsym(RTLD_NEXT, "unlink");
	if (fails("unlink") && strstr(path, KEPT) != NULL)
	{
		errno = EROFS;
		return -1;
	}
	return real(path);
}
