/*-------------------------------------------------------------------------
 *
 * keep.h
 *		Statistics over a restart; see keep.c.
 *
 * src/keep.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_KEEP_H
#define COMMIT_STATS_KEEP_H

/* The setting commit_stats.save. */
extern bool commit_stats_save;

extern void keep_install_hooks(void);

#endif							/* COMMIT_STATS_KEEP_H */
