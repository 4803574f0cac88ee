/*-------------------------------------------------------------------------
 *
 * volume.c
 *		A volume that queues: fdatasync() at a limited rate.
 *
 * Preloaded into the server (LD_PRELOAD).  Several clouds' volumes do not
 * stall when their allowance is used up, but delay each request so that the
 * rate holds: a token bucket.  The file that VOLUME_STATE names is shared by
 * all processes, and bench/volume.sh writes the rate and the size of the
 * bucket into it while the server runs.  It is GCRA (ITU-T I.371): "due" is
 * when the bucket would be full again.
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
#include <time.h>
#include <unistd.h>

typedef struct Volume
{
	volatile uint64_t interval; /* ns for one flush; 0: no limit */
	volatile uint64_t bucket;	/* ns; flushes at once, times the interval */
	volatile uint64_t due;		/* ns of the monotonic clock */
} Volume;

static Volume *volume = NULL;
static int	(*real_fdatasync) (int);

__attribute__((constructor))
static void
volume_start(void)
{
	const char *path = getenv("VOLUME_STATE");
	int			fd;
	void	   *memory;

	real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
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

/* Takes a token.  Returns when it is there, ns. */
static uint64_t
take_token(void)
{
	uint64_t	due = volume->due;
	uint64_t	then;

	do
	{
		uint64_t	empty = now() - volume->bucket;

		then = (due > empty ? due : empty) + volume->interval;
	} while (!__atomic_compare_exchange_n(&volume->due, &due, then, 0,
										  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return then;
}

/* Returns at this time, or up to 100 ms after the limit is gone. */
static void
sleep_until(uint64_t then)
{
	uint64_t	at;

	while (volume->interval > 0 && (at = now()) < then)
	{
		uint64_t	next = then - at > 100000000 ? at + 100000000 : then;
		struct timespec t = {next / 1000000000, next % 1000000000};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
}

int
fdatasync(int fd)
{
	int			result;

	if (volume != NULL && volume->interval > 0)
	{
		uint64_t	then = take_token();

		result = real_fdatasync(fd);
		sleep_until(then);
		return result;
	}
	return real_fdatasync(fd);
}
