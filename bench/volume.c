/*-------------------------------------------------------------------------
 *
 * volume.c
 *		A volume that queues: fdatasync() at a limited rate, and slow fsync().
 *
 * Preloaded into the server (LD_PRELOAD).  Several clouds' volumes do not
 * stall when their allowance is used up, but delay each request so that the
 * rate holds: a token bucket.  The file that VOLUME_STATE names is shared by
 * all processes, and bench/volume.sh writes the rate and the size of the
 * bucket into it while the server runs.  It is GCRA (ITU-T I.371): "due" is
 * when the bucket would be full again.
 *
 * The server calls fdatasync() for WAL, and fsync() for tables, for a new WAL
 * segment, and in some archive commands.  The latter takes longer, and what
 * comes meanwhile waits for it.
 *
 *-------------------------------------------------------------------------
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct Volume
{
	volatile uint64_t interval; /* ns for one flush; 0: no limit */
	volatile uint64_t bucket;	/* ns; flushes at once, times the interval */
	volatile uint64_t due;		/* ns of the monotonic clock */
	volatile uint64_t fsync_time;	/* ns; 0: as the disk */
} Volume;

static Volume *volume = NULL;
static int	(*real_fdatasync) (int);
static int	(*real_fsync) (int);

__attribute__((constructor))
static void
volume_start(void)
{
	const char *path = getenv("VOLUME_STATE");
	int			fd;
	void	   *memory;

	real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
	real_fsync = dlsym(RTLD_NEXT, "fsync");
	if (path == NULL || (fd = open(path, O_RDWR)) < 0)
		return;
	memory = mmap(NULL, sizeof(Volume), PROT_READ | PROT_WRITE, MAP_SHARED,
				  fd, 0);
	close(fd);
	if (memory != MAP_FAILED)
		volume = memory;
}

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* Takes "length" of the bucket.  Returns when it is there, ns. */
static uint64_t
take(uint64_t length)
{
	uint64_t	due = volume->due;
	uint64_t	then;

	do
	{
		uint64_t	empty = now() - volume->bucket;

		then = (due > empty ? due : empty) + length;
	} while (!__atomic_compare_exchange_n(&volume->due, &due, then, 0,
										  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return then;
}

static int
sync_at_last(int (*sync) (int), int fd, uint64_t length)
{
	uint64_t	then = take(length);
	uint64_t	at;
	int			result = sync(fd);

	/* without a limit, flushes that wait go on within 100 ms */
	while (volume->due != 0 && (at = now()) < then)
	{
		uint64_t	next = then - at > 100000000 ? at + 100000000 : then;
		struct timespec t = {next / 1000000000, next % 1000000000};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
	return result;
}

int
fdatasync(int fd)
{
	if (volume != NULL && volume->interval > 0)
		return sync_at_last(real_fdatasync, fd, volume->interval);
	return real_fdatasync(fd);
}

/*
 * True for a folder, and for the file that this process has synced last, if
 * it has not changed since: the server syncs a new segment again once it is
 * named.
 */
static int
is_clean(int fd)
{
	static struct stat last;
	struct stat this;
	int			same;

	if (fstat(fd, &this) != 0 || S_ISDIR(this.st_mode))
		return 1;
	same = this.st_ino == last.st_ino &&
		this.st_mtim.tv_sec == last.st_mtim.tv_sec &&
		this.st_mtim.tv_nsec == last.st_mtim.tv_nsec;
	last = this;
	return same;
}

int
fsync(int fd)
{
	if (volume != NULL && volume->fsync_time > 0 && !is_clean(fd))
		return sync_at_last(real_fsync, fd, volume->fsync_time);
	return real_fsync(fd);
}
