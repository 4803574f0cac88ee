/*
 * For how long a limit of the CPU has stopped this server; see cpu_limit.c.
 */
#ifndef COMMIT_STATS_CPU_LIMIT_H
#define COMMIT_STATS_CPU_LIMIT_H

/* The groups of this process, and their statistics, on Linux */
#define CPU_LIMIT_GROUPS	"/proc/self/cgroup"
#define CPU_LIMIT_MOUNT		"/sys/fs/cgroup"

/* Since the group exists; returns false if there is no limit */
extern bool cpu_limit_read(const char *groups, const char *mount,
						   uint64 *throttled_ns);

#endif							/* COMMIT_STATS_CPU_LIMIT_H */
