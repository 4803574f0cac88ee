/*-------------------------------------------------------------------------
 *
 * full_disk.c
 *		A disk that is full when commit_stats saves its statistics.
 *
 * LD_PRELOAD loads the shim into the server.  The environment variable
 * PERSIST_FAILS names a folder.  A call fails for the statistics file while
 * there is a file of its name.  Calls for other files work as usual.
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
	int			save_errno = errno;
	char		path[PATH_MAX];
	bool		result;

	snprintf(path, sizeof(path), "%s/%s", getenv("PERSIST_FAILS"), call);
	result = access(path, F_OK) == 0;
	errno = save_errno;
	return result;
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

/* The C library's own function of this name */
#define REAL(name) \
	({ \
		static __typeof__(&name) real = NULL; \
		if (real == NULL) \
			real = dlsym(RTLD_NEXT, #name); \
		real; \
	})

static int
fail(int error)
{
	errno = error;
	return -1;
}

/* The first 1000 bytes fit. */
size_t
fwrite(const void *from, size_t size, size_t n, FILE *file)
{
	if (!fails("write") || !is_stats_file(fileno(file)))
		return REAL(fwrite) (from, size, n, file);
	(void) REAL(fwrite) (from, 1, 1000, file);
	errno = ENOSPC;
	return 0;
}

/* Some file systems report the error here. */
int
fsync(int fd)
{
	if (fails("fsync") && is_stats_file(fd))
		return fail(ENOSPC);
	return REAL(fsync) (fd);
}

int
fclose(FILE *file)
{
	bool		kept = fails("close") && is_stats_file(fileno(file));

	if (REAL(fclose) (file) != 0)
		return -1;
	return kept ? fail(ENOSPC) : 0;
}

int
rename(const char *from, const char *to)
{
	if (fails("rename") && strstr(to, STATS_FILE) != NULL)
		return fail(ENOSPC);
	return REAL(rename) (from, to);
}

/* Not of a full disk, but of a broken one. */
ssize_t
read(int fd, void *to, size_t size)
{
	if (fails("read") && is_stats_file(fd))
		return fail(EIO);
	return REAL(read) (fd, to, size);
}

int
unlink(const char *path)
{
	if (fails("unlink") && strstr(path, STATS_FILE) != NULL)
		return fail(EROFS);
	return REAL(unlink) (path);
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
