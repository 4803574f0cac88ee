/*-------------------------------------------------------------------------
 *
 * full_disk.c
 *		A disk that is full when commit_stats saves its statistics.
 *
 * LD_PRELOAD loads the shim into the server.  The environment variable
 * PERSIST_FAILS names a call, which then fails for the statistics file.  Calls
 * for other files work as usual.
 *
 *-------------------------------------------------------------------------
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATS_FILE	"commit_stats.stat"

static bool
fails(const char *call)
{
	const char *which = getenv("PERSIST_FAILS");

	return which != NULL && strcmp(which, call) == 0;
}

static bool
is_stats_file(int fd)
{
	char		link[64];
	char		path[PATH_MAX];
	ssize_t		length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return false;
	path[length] = '\0';
	return strstr(path, STATS_FILE) != NULL;
}

/* The first 1000 bytes fit. */
ssize_t
write(int fd, const void *from, size_t size)
{
	static ssize_t (*real) (int, const void *, size_t);
	static int	left = 1000;

	if (real == NULL)
		real = dlsym(RTLD_NEXT, "write");
	if (fails("write") && is_stats_file(fd))
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

/* Some file systems report the error here. */
int
fsync(int fd)
{
	static int	(*real) (int);

	if (real == NULL)
		real = dlsym(RTLD_NEXT, "fsync");
	if (fails("fsync") && is_stats_file(fd))
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
	bool		kept = fails("close") && is_stats_file(fd);

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
	if (fails("rename") && strstr(to, STATS_FILE) != NULL)
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
	if (fails("read") && is_stats_file(fd))
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
	if (fails("unlink") && strstr(path, STATS_FILE) != NULL)
	{
		errno = EROFS;
		return -1;
	}
	return real(path);
}

extern void *__libc_malloc(size_t size);

/* While the server exits, there is no memory for the first large thing. */
void *
malloc(size_t size)
{
	static bool failed = false;
	void	   *frame[32];
	Dl_info		info;
	int			n;

	if (size < 32768 || failed || !fails("malloc"))
		return __libc_malloc(size);
	n = backtrace(frame, 32);
	for (int i = 0; i < n && !failed; i++)
		failed = dladdr(frame[i], &info) != 0 && info.dli_sname != NULL &&
			strcmp(info.dli_sname, "shmem_exit") == 0;
	return failed ? NULL : __libc_malloc(size);
}
