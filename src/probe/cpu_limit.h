/*-------------------------------------------------------------------------
 *
 * cpu_limit.h
 *		Whether a limit of the CPU stops this server; see cpu_limit.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_CPU_LIMIT_H
#define COMMIT_STATS_CPU_LIMIT_H

/* The groups of this process, and their statistics, on Linux */
#define CPU_LIMIT_GROUPS	"/proc/self/cgroup"
#define CPU_LIMIT_MOUNT		"/sys/fs/cgroup"

extern bool cpu_limit_stops(const char *groups, const char *mount);

#endif							/* COMMIT_STATS_CPU_LIMIT_H */
