/*-------------------------------------------------------------------------
 *
 * shim.c
 *		Sends a signal to a process while it moves counts, for
 *		t/changecount_half_done.pl.
 *
 * LD_PRELOAD loads the shim into the server.  commit_stats calls
 * gettimeofday() once while it moves counts, after the first transaction of a
 * checkpoint cycle.  The environment variable HALF_DONE names a file that
 * contains a signal number.  The first process that calls gettimeofday() from
 * commit_stats in a commit while the file exists removes the file and raises
 * the signal.
 *
 *-------------------------------------------------------------------------
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/*
 * Does commit_stats call, directly or through one function of the server, and
 * in a commit?  Its background worker, which never commits, calls as well.
 */
static int
library_calls(void)
{
	void	   *frame[32];
	int			n = backtrace(frame, 32);
	int			calls = 0;
	Dl_info		info;

	for (int i = 0; i < n; i++)
	{
		if (dladdr(frame[i], &info) == 0)
			continue;
		if (i < 4 && info.dli_fname != NULL &&
			strstr(info.dli_fname, "/commit_stats.so") != NULL)
			calls = 1;
		if (calls && info.dli_sname != NULL &&
			strcmp(info.dli_sname, "CommitTransactionCommand") == 0)
			return 1;
	}
	return 0;
}

static void
maybe_raise(void)
{
	const char *path = getenv("HALF_DONE");
	FILE	   *file;
	int			sig = 0;

	if (path == NULL || access(path, R_OK) != 0 || !library_calls())
		return;
	file = fopen(path, "r");
	if (file == NULL)
		return;
	if (fscanf(file, "%d", &sig) != 1)
		sig = 0;
	fclose(file);
	if (unlink(path) == 0 && sig != 0)
		raise(sig);
}

int
gettimeofday(struct timeval *tv, void *tz)
{
	static int	(*real) (struct timeval *, void *) = NULL;

	if (real == NULL)
		real = (int (*) (struct timeval *, void *)) dlsym(RTLD_NEXT, "gettimeofday");
	maybe_raise();
	return real(tv, tz);
}
