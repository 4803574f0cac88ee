/*
 * What the volume of a folder has written; see volume.c.
 */
#ifndef COMMIT_STATS_VOLUME_H
#define COMMIT_STATS_VOLUME_H

/* The block devices by their numbers, on Linux */
#define VOLUME_DEVICES		"/sys/dev/block"

/* Bytes since the system started; 0: not known */
extern uint64 volume_written(const char *folder, const char *devices);

#endif							/* COMMIT_STATS_VOLUME_H */
