/*-------------------------------------------------------------------------
 *
 * persist.h
 *		Commit statistics across server restarts; see persist.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_PERSIST_H
#define COMMIT_STATS_PERSIST_H

extern void persist_start(void);

#endif							/* COMMIT_STATS_PERSIST_H */
