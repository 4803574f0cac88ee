/*-------------------------------------------------------------------------
 *
 * persist.h
 *		Statistics over a restart; see persist.c.
 *
 * src/stats/persist.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_PERSIST_H
#define COMMIT_STATS_PERSIST_H

/* The setting commit_stats.save. */
extern bool commit_stats_save;

extern void keep_install_hooks(void);

#endif							/* COMMIT_STATS_PERSIST_H */
