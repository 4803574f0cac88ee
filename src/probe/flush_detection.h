/*-------------------------------------------------------------------------
 *
 * flush_detection.h
 *		Whether this backend wrote or synced the WAL itself.
 *
 * A commit led a flush if the server counted a WAL sync of this backend
 * between the two callbacks of commit_path.c.  Where the write already syncs
 * (wal_sync_method open_sync, open_datasync) or nothing does (fsync = off),
 * the server counts no sync.  There a write takes its place, unless it only
 * made room in the WAL buffers.
 *
 * Up to PostgreSQL 17 these counts are variables of the process, which this
 * file reads.  From 18 on these variables are static; see
 * flush_detection_errno.c.  Both define FlushReading and
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
	int			uncertain;		/* expected number of this backend's commits
								 * judged wrongly; 0 up to 17 */
} OwnFlush;

/* Returns true if a flush shows as a sync, false if as a write. */
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
#include "pgstat.h"

#include "base/clock.h"

/* The server's counters of this process. */
typedef struct FlushReading
{
	int64		buffers_full;
	int64		writes;
	int64		syncs;
	uint64		io_time;		/* ns; only with track_wal_io_timing */
} FlushReading;

static inline uint64
flush_detection_io_time(void)
{
	return PENDING_WAL_TIME_NS(PendingWalStats.wal_write_time) +
		PENDING_WAL_TIME_NS(PendingWalStats.wal_sync_time);
}

/* Without the time, which is then unknown for the commit. */
static inline void
flush_detection_read_read_only(FlushReading *now)
{
	now->buffers_full = PendingWalStats.wal_buffers_full;
	now->writes = PendingWalStats.wal_write;
	now->syncs = PendingWalStats.wal_sync;
}

static inline void
flush_detection_read(FlushReading *now)
{
	flush_detection_read_read_only(now);
	if (unlikely(track_wal_io_timing))
		now->io_time = flush_detection_io_time();
}

/* OwnFlush.uncertain stays 0. */
#define FLUSH_DETECTION_ERRS	false

#define flush_detection_read_two_phase	flush_detection_read
#define flush_detection_read_unlogged	flush_detection_read
#define flush_detection_read_if_cheap	flush_detection_read
#define flush_detection_forget()		((void) 0)

static inline void
flush_detection_since(const FlushReading *before, OwnFlush *since)
{
	since->flushes = PendingWalStats.wal_sync - before->syncs;
	if (since->flushes == 0 && unlikely(!flush_detection_counts_syncs()))
		/* writes that did not only make room in the WAL buffers */
		since->flushes = PendingWalStats.wal_write - before->writes -
			(PendingWalStats.wal_buffers_full - before->buffers_full);
	since->io_time = 0;
	since->timed = track_wal_io_timing;
	if (unlikely(since->timed))
		since->io_time = clock_elapsed(before->io_time,
									   flush_detection_io_time());
}

#endif							/* WAL_IO_IS_BACKEND_STATS */

#endif							/* COMMIT_STATS_FLUSH_DETECTION_H */
