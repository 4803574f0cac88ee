/*-------------------------------------------------------------------------
 *
 * cpu_usage.h
 *		How busy the machine's processors are; see cpu_usage.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_CPU_USAGE_H
#define COMMIT_STATS_CPU_USAGE_H

typedef struct CpuUsage
{
	int			n;				/* processors; 0: not known */
	double		busy;			/* us of all together, so far or between two
								 * readings */
} CpuUsage;

extern void cpu_usage_read(CpuUsage *now);
extern uint64 cpu_usage_own(void);
extern void cpu_usage_since(const CpuUsage *before, CpuUsage *since);

#endif							/* COMMIT_STATS_CPU_USAGE_H */
