/*-------------------------------------------------------------------------
 *
 * flush_detection.h
 *		Did this backend write or sync the WAL itself?
 *
 * The server counts WAL I/O in process-local memory before it adds it to the
 * shared statistics.  If the count of syncs grew between the two ends of a commit,
 * this backend led a flush.  Where the write already syncs (wal_sync_method
 * open_sync, open_datasync) or nothing does (fsync = off), the server counts no
 * sync, and the count of writes takes its place, less those that only made room in
 * the WAL buffers.
 *
 * Up to 17 that count can be read, as flush_detection_pending.h does.  From 18 on
 * it cannot; flush_detection_errno.c says how it is known there.  Both have the
 * same functions, of which flush_detection_read() comes before a commit, and
 * flush_detection_since() after it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_FLUSH_DETECTION_H
#define COMMIT_STATS_FLUSH_DETECTION_H

#include "access/xlog.h"
#include "miscadmin.h"

#include "base/compat.h"

/* Does a flush show as a sync, not as a write? */
static inline bool
flush_detection_counts_syncs(void)
{
	return enableFsync &&
		wal_sync_method != WAL_SYNC_METHOD_OPEN &&
		wal_sync_method != WAL_SYNC_METHOD_OPEN_DSYNC;
}

#ifdef WAL_IO_IS_BACKEND_STATS
#include "probe/flush_detection_errno.h"
#else
#include "probe/flush_detection_pending.h"
#endif

#endif							/* COMMIT_STATS_FLUSH_DETECTION_H */
