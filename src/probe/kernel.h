/* What only the kernel tells; see kernel.c. */
#ifndef COMMIT_STATS_KERNEL_H
#define COMMIT_STATS_KERNEL_H

/* This process and its groups, their statistics, and the block devices */
#define CPU_LIMIT_GROUPS	"/proc/self/cgroup"
#define CPU_LIMIT_MOUNT		"/sys/fs/cgroup"
#define VOLUME_DEVICES		"/sys/dev/block"
#define THIS_PROCESS		"/proc/self"

/*
 * For how long a limit of the CPU has stopped this server since the group
 * exists; returns false if there is no limit
 */
extern bool cpu_throttled_read(const char *groups, const char *mount,
							   uint64 *throttled_ns);

/* The disk of a folder, or its volume, if that is no partition */
typedef struct Volume
{
	uint64		disk;			/* the same for all of its partitions; 0:
								 * unknown */
	char		counts[MAXPGPATH];	/* the file that has them; "": none */
} Volume;

/* Reads, writes, discards since the system started; 0: not known */
typedef struct VolumeCounts
{
	uint64		requests;
	uint64		bytes;
} VolumeCounts;

/* volume_find() waits for a file server that does not answer. */
extern void volume_find(const char *folder, const char *devices, Volume *volume);
extern VolumeCounts volume_read(const Volume *volume);

/* ns for which a process could run, and had no processor; 0: not known */
extern double run_delay_read(const char *process);

/* 'R' if a process runs or could, 'S' if it sleeps, ...; '\0': not known */
extern char process_state(int pid);

#endif							/* COMMIT_STATS_KERNEL_H */
