/*-------------------------------------------------------------------------
 *
 * commit_path.h
 *		The callbacks around one commit; see commit_path.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_COMMIT_PATH_H
#define COMMIT_STATS_COMMIT_PATH_H

extern void commit_path_install_hooks(void);

#endif							/* COMMIT_STATS_COMMIT_PATH_H */
