/*-------------------------------------------------------------------------
 *
 * persist.h
 *		Statistics over a restart; see persist.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_PERSIST_H
#define COMMIT_STATS_PERSIST_H

extern void persist_install_hooks(void);

#endif							/* COMMIT_STATS_PERSIST_H */
