/*-------------------------------------------------------------------------
 *
 * segment.h
 *		The one shared memory segment; see segment.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SEGMENT_H
#define COMMIT_STATS_SEGMENT_H

extern void segment_install_hooks(void);

#endif							/* COMMIT_STATS_SEGMENT_H */
