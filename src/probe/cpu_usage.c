/*-------------------------------------------------------------------------
 *
 * cpu_usage.c
 *		How busy the machine's processors are, and this process.
 *
 * As Linux tells it, in the first line of /proc/stat: the time of all processors
 * since the machine was started, in ticks, by what they did.  Elsewhere it is not
 * known.  In a container this is the whole machine, whatever share of it the
 * container has.  Of itself a process knows it to the nanosecond.
 *
 * Locking: none; nothing here is shared.
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
	/* without the two in which they were idle */
	if (fscanf(file, "cpu %lf %lf %lf %*f %*f %lf %lf", &user, &nice, &system,
			   &irq, &softirq) == 5 && ticks_per_second > 0)
	{
		now->n = Max((int) sysconf(_SC_NPROCESSORS_ONLN), 0);
		now->busy = (user + nice + system + irq + softirq) * 1e6 /
			ticks_per_second;
	}
	FreeFile(file);
}

/* CPU time of this process so far, ns; 0 if it is not known. */
uint64
cpu_usage_own(void)
{
#ifdef CLOCK_PROCESS_CPUTIME_ID
	struct timespec now;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0)
		return (uint64) now.tv_sec * NS_PER_S + now.tv_nsec;
#endif
	return 0;
}

/* What they did since "before" was read. */
void
cpu_usage_since(const CpuUsage *before, CpuUsage *since)
{
	cpu_usage_read(since);
	since->n = Min(since->n, before->n);
	since->busy -= before->busy;
}
