/*-------------------------------------------------------------------------
 *
 * cpu_usage.h
 *		How busy the machine's processors are; see cpu_usage.c.
 *
 * src/probe/cpu_usage.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_CPU_USAGE_H
#define COMMIT_STATS_CPU_USAGE_H

typedef struct CpuUse
{
	int			n;				/* processors; 0: not known */
	double		busy;			/* us of all together, so far or between two
								 * readings */
} CpuUse;

extern void cpu_use_read(CpuUse *now);
extern uint64 cpu_use_own(void);
extern void cpu_use_since(const CpuUse *before, CpuUse *since);

#endif							/* COMMIT_STATS_CPU_USAGE_H */
