/*-------------------------------------------------------------------------
 *
 * commit_path.h
 *		The callbacks around one commit; see commit_path.c.
 *
 * src/commit/commit_path.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_COMMIT_PATH_H
#define COMMIT_STATS_COMMIT_PATH_H

#include "base/visibility.h"

extern HIDDEN bool commit_stats_enabled;
extern HIDDEN bool commit_stats_log_flushes;

extern void commit_path_require_enabled(void);
extern bool commit_path_needs_siblings(void);
extern void commit_path_install_hooks(void);

#endif							/* COMMIT_STATS_COMMIT_PATH_H */
