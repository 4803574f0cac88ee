/*-------------------------------------------------------------------------
 *
 * cpu_usage.c
 *		CPU time of the machine and of this process.
 *
 * The first line of Linux's /proc/stat has the ticks that all CPUs spent in
 * each state since boot.  On other systems the machine's CPU time is unknown.
 * In a container, /proc/stat usually shows the whole machine.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>
#include <unistd.h>

#include "storage/fd.h"

#include "base/clock.h"
#include "probe/cpu_usage.h"

void
cpu_usage_read(CpuUsage *now)
{
	FILE	   *file = AllocateFile("/proc/stat", "r");
	long		ticks_per_second = sysconf(_SC_CLK_TCK);
	double		user,
				nice,
				system,
				irq,
				softirq;

	now->n = 0;
	now->busy = 0;
	if (file == NULL)
		return;
	/* idle and iowait are left out */
	if (fscanf(file, "cpu %lf %lf %lf %*f %*f %lf %lf", &user, &nice, &system,
			   &irq, &softirq) == 5 && ticks_per_second > 0)
	{
		now->n = Max((int) sysconf(_SC_NPROCESSORS_ONLN), 0);
		now->busy = (user + nice + system + irq + softirq) * 1e6 /
			ticks_per_second;
	}
	FreeFile(file);
}

void
cpu_usage_since(const CpuUsage *before, CpuUsage *since)
{
	cpu_usage_read(since);
	since->n = Min(since->n, before->n);
	since->busy -= before->busy;
}

/* CPU time of this process so far, ns; 0 if it is not known. */
uint64
cpu_usage_own(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
		return 0;
	return (uint64) now.tv_sec * NS_PER_S + now.tv_nsec;
}
