/*-------------------------------------------------------------------------
 *
 * flush_detection_pending.h
 *		Flush detection up to PostgreSQL 17, by the server's pending counters.
 *
 * Included by flush_detection.h only.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_FLUSH_DETECTION_PENDING_H
#define COMMIT_STATS_FLUSH_DETECTION_PENDING_H

#include "pgstat.h"

#include "base/compat.h"

/* This backend's WAL I/O so far, or between two readings. */
typedef struct OwnFlush
{
	int64		flushes;		/* syncs, or writes where these sync; between
								 * two readings 1 can stand for more */
	uint64		io_time;		/* ns writing and syncing, if timed */
	int64		writes;			/* so far; "flushes" are syncs then */
} OwnFlush;

/* Writes that did not only make room in the WAL buffers. */
static inline int64
flush_detection_writes(void)
{
	return PendingWalStats.wal_write - PendingWalStats.wal_buffers_full;
}

static inline uint64
flush_detection_io_time(void)
{
	return PENDING_WAL_TIME_NS(PendingWalStats.wal_write_time) +
		PENDING_WAL_TIME_NS(PendingWalStats.wal_sync_time);
}

static inline void
flush_detection_read(OwnFlush *now)
{
	now->flushes = PendingWalStats.wal_sync;
	now->writes = flush_detection_writes();
	if (unlikely(track_wal_io_timing))
		now->io_time = flush_detection_io_time();
}

static inline void
flush_detection_read_unlogged(OwnFlush *now)
{
	flush_detection_read(now);
}

static inline void
flush_detection_read_two_phase(OwnFlush *now)
{
	flush_detection_read(now);
}

static inline void
flush_detection_read_if_cheap(OwnFlush *now)
{
	flush_detection_read(now);
}

static inline void
flush_detection_forget(void)
{
}

/* What this backend did since "before" was read. */
static inline void
flush_detection_since(const OwnFlush *before, OwnFlush *since)
{
	since->flushes = PendingWalStats.wal_sync - before->flushes;
	if (since->flushes == 0 && unlikely(!flush_detection_counts_syncs()))
		since->flushes = flush_detection_writes() - before->writes;
	since->io_time = 0;
	if (unlikely(track_wal_io_timing))
		since->io_time = flush_detection_io_time() - before->io_time;
}

static inline int
flush_detection_uncertain(const OwnFlush *since)
{
	return 0;
}

static inline bool
flush_detection_timed(const OwnFlush *since)
{
	return track_wal_io_timing;
}

#endif							/* COMMIT_STATS_FLUSH_DETECTION_PENDING_H */
