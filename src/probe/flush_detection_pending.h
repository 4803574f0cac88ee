/*-------------------------------------------------------------------------
 *
 * flush_detection_pending.h
 *		Flush detection up to PostgreSQL 17, by PendingWalStats.
 *
 * Included by flush_detection.h only.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_FLUSH_DETECTION_PENDING_H
#define COMMIT_STATS_FLUSH_DETECTION_PENDING_H

#include "pgstat.h"

#include "base/clock.h"
#include "base/compat.h"

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

#endif							/* COMMIT_STATS_FLUSH_DETECTION_PENDING_H */
