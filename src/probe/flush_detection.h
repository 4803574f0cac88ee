/*-------------------------------------------------------------------------
 *
 * flush_detection.h
 *		Did this backend write or sync the WAL itself?
 *
 * A commit led a flush if the server counted a WAL sync of this backend
 * between the two callbacks of commit_path.c.  Where the write already syncs
 * (wal_sync_method open_sync, open_datasync) or nothing does (fsync = off),
 * the server counts no sync.  There a write takes its place, unless it only
 * made room in the WAL buffers.
 *
 * Up to PostgreSQL 17 these counts are variables of the process, which
 * flush_detection_pending.h reads.  From 18 on these variables are static; see
 * flush_detection_errno.c.  Both headers define FlushReading and
 *
 *	flush_detection_read()			 before a commit that waits for its flush
 *	flush_detection_read_two_phase() before PREPARE or COMMIT PREPARED
 *	flush_detection_read_unlogged()	 before a commit with an id but no WAL
 *	flush_detection_read_read_only() before a commit without an id; reads no
 *									 times, and may read nothing
 *	flush_detection_read_if_cheap()	 before any other commit; may read nothing
 *	flush_detection_since()			 after the commit
 *	flush_detection_forget()		 instead, if the answer is not wanted
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_FLUSH_DETECTION_H
#define COMMIT_STATS_FLUSH_DETECTION_H

#include "access/xlog.h"
#include "miscadmin.h"

#include "base/compat.h"

/* This backend's WAL I/O during one commit. */
typedef struct OwnFlush
{
	int64		flushes;		/* syncs, or writes instead; from 18 on, 1 can
								 * stand for more */
	uint64		io_time;		/* ns writing and syncing, if timed */
	bool		timed;			/* track_wal_io_timing, and io_time is known */
	int			uncertain;		/* commits of this backend, as many as were
								 * probably judged wrongly; 0 up to 17 */
} OwnFlush;

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
