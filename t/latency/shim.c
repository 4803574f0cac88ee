/*-------------------------------------------------------------------------
 *
 * shim.c
 *		Sets the system's time of a server, for t/latency_clock_set.pl.
 *
 * LD_PRELOAD loads the shim into the server.  The environment variable
 * CLOCK_STEP names a file with a 64-bit number of seconds, which all processes
 * add to the time of gettimeofday().  Other clocks go on as they are.
 *
 *-------------------------------------------------------------------------
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static const volatile int64_t *step = NULL;

/* Before the server writes its title over the environment */
__attribute__((constructor)) static void
map_step(void)
{
	const char *path = getenv("CLOCK_STEP");
	int			fd = path == NULL ? -1 : open(path, O_RDONLY);
	void	   *map = fd < 0 ? MAP_FAILED :
	mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	if (map != MAP_FAILED)
		step = map;
}

int
gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	static int	(*real) (struct timeval *restrict, void *restrict);
	int			result;

	if (real == NULL)
		real = dlsym(RTLD_NEXT, "gettimeofday");
	result = real(now, zone);
	if (step != NULL)
		now->tv_sec += *step;
	return result;
}
