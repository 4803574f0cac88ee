/*-------------------------------------------------------------------------
 *
 * cpu_usage.h
 *		CPU time of the machine and of this process; see cpu_usage.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_CPU_USAGE_H
#define COMMIT_STATS_CPU_USAGE_H

/* Since the machine was started, or between two readings. */
typedef struct CpuUsage
{
	int			n;				/* processors; 0: not known */
	double		busy;			/* us, of all processors together */
} CpuUsage;

extern void cpu_usage_read(CpuUsage *now);
extern void cpu_usage_since(const CpuUsage *before, CpuUsage *since);
extern uint64 cpu_usage_own(void);

#endif							/* COMMIT_STATS_CPU_USAGE_H */
