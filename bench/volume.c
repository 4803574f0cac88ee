/*-------------------------------------------------------------------------
 *
 * volume.c
 *		A volume that queues, stalls or is far away: slow fdatasync(), fsync().
 *
 * Preloaded into the server (LD_PRELOAD).  Several clouds' volumes do not
 * stall when their allowance is used up, but delay each request so that the
 * rate holds: a token bucket.  The file that VOLUME_STATE names is shared by
 * all processes, and bench/volume.sh writes the rate and the size of the
 * bucket into it while the server runs.  It is GCRA (ITU-T I.371): "due" is
 * when the bucket would be full again.
 *
 * Others stall until the next window begins when a window's quota is used up,
 * and a network disk takes its time for each flush, and sometimes much more.
 * "flush_time" makes such a volume; with a rate, what takes longer counts.
 *
 * The server calls fdatasync() for WAL, and fsync() for tables, for a new WAL
 * segment, and in some archive commands.  The latter takes longer, and what
 * comes meanwhile waits for it.
 *
 * What the kernel counts for the disk says nothing of this volume: it has
 * written what "others" say.
 *
 *-------------------------------------------------------------------------
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	volatile uint64_t flush_time;	/* ns, give or take 20%; 0: as the disk */
	volatile uint64_t tail;		/* not 0: 3% take 5 times, 0.3% 20 times as
								 * long */
	volatile uint64_t quota;	/* flushes in a window; 0: no quota */
	volatile uint64_t window;	/* ns */
	volatile uint64_t used;		/* a window's number << 16, plus its flushes */
	volatile uint64_t others;	/* bytes that other programs have written */
} Volume;

static Volume *volume = NULL;
static int	(*real_fdatasync) (int);
static int	(*real_fsync) (int);
static FILE *(*real_fopen) (const char *, const char *);

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

/* Takes a flush of a window's quota.  Returns when it may begin, ns. */
static uint64_t
take_of_window(void)
{
	uint64_t	used = volume->used;
	uint64_t	next;
	uint64_t	at;
	uint64_t	begin;

	do
	{
		at = now();
		next = (at / volume->window) << 16 | 1;
		if (used >> 16 >= next >> 16)
			next = (used & 0xffff) < volume->quota ? used + 1 :
				((used >> 16) + 1) << 16 | 1;
	} while (!__atomic_compare_exchange_n(&volume->used, &used, next, 0,
										  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	begin = (next >> 16) * volume->window;
	return begin > at ? begin : at;
}

/* A random number from 0 to 1 */
static double
draw(void)
{
	static uint64_t state;

	if (state == 0)
		state = now() * 2654435761u + getpid();
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) * (1.0 / 9007199254740992.0);
}

static uint64_t
flush_length(void)
{
	double		chance = volume->tail ? draw() : 1;

	return volume->flush_time * (0.8 + 0.4 * draw()) *
		(chance < 0.003 ? 20 : chance < 0.033 ? 5 : 1);
}

/* Sleeps until then, but no longer than 100 ms after all limits are lifted. */
static int
sync_until(uint64_t then, int (*sync) (int), int fd)
{
	uint64_t	at;
	int			result = sync(fd);

	while ((volume->due != 0 || volume->flush_time > 0) && (at = now()) < then)
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
	uint64_t	then = 0;

	if (volume == NULL)
		return real_fdatasync(fd);
	if (volume->interval > 0)
		then = take(volume->interval);
	if (volume->flush_time > 0)
	{
		uint64_t	begin = volume->quota > 0 ? take_of_window() : now();
		uint64_t	end = begin + flush_length();

		then = end > then ? end : then;
	}
	return sync_until(then, real_fdatasync, fd);
}

/*
 * True for a folder, an empty file, as of the archiver, and for the file that
 * this process has synced last, if it has not changed since: the server syncs
 * a new segment again once it is named.
 */
static int
is_clean(int fd)
{
	static struct stat last;
	struct stat this;
	int			same;

	if (fstat(fd, &this) != 0 || S_ISDIR(this.st_mode) || this.st_size == 0)
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
		return sync_until(take(volume->fsync_time), real_fsync, fd);
	return real_fsync(fd);
}

FILE *
fopen(const char *path, const char *mode)
{
	char		counts[80];
	FILE	   *file;

	/* another library's constructor can be here before volume_start() */
	if (real_fopen == NULL)
		*(void **) &real_fopen = dlsym(RTLD_NEXT, "fopen");
	if (volume == NULL || strncmp(path, "/sys/dev/block/", 15) != 0)
		return real_fopen(path, mode);
	/* reads, and then writes: requests, merged ones, sectors, time */
	snprintf(counts, sizeof(counts), "1 0 8 0 1 0 %llu 0",
			 (unsigned long long) (8 + volume->others / 512));
	file = fmemopen(NULL, sizeof(counts), "w+");
	if (file != NULL)
	{
		fputs(counts, file);
		rewind(file);
	}
	return file;
}
