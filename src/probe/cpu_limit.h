/*-------------------------------------------------------------------------
 *
 * cpu_limit.h
 *		Does a limit of the CPU stop this server?  See cpu_limit.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_CPU_LIMIT_H
#define COMMIT_STATS_CPU_LIMIT_H

/* Where Linux says of which groups this process is, and what became of them */
#define CPU_LIMIT_GROUPS	"/proc/self/cgroup"
#define CPU_LIMIT_MOUNT		"/sys/fs/cgroup"

extern bool cpu_limit_stops(const char *groups, const char *mount);

#endif							/* COMMIT_STATS_CPU_LIMIT_H */
