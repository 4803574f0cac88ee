/*-------------------------------------------------------------------------
 *
 * own_flush.h
 *		Did this backend flush the WAL itself?  See own_flush.c.
 *
 * src/own_flush.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_OWN_FLUSH_H
#define COMMIT_STATS_OWN_FLUSH_H

#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "pgstat.h"

#include "compat.h"

/* This backend's WAL I/O so far, or between two readings. */
typedef struct OwnFlush
{
	int64		flushes;		/* syncs, or writes where these sync; between
								 * two readings 1 can stand for more */
	uint64		io_time;		/* ns writing and syncing, if timed */
#ifdef WAL_IO_IS_BACKEND_STATS
	TimestampTz reset_at;		/* the counters' last reset */
	int64		buffer_io;		/* I/O of buffers so far */
	bool		known;			/* the counters were read */
#else
	int64		writes;			/* so far; "flushes" are syncs then */
#endif
} OwnFlush;

/* Does a flush show as a sync, not as a write? */
static inline bool
own_flush_counts_syncs(void)
{
	return enableFsync &&
		wal_sync_method != WAL_SYNC_METHOD_OPEN &&
		wal_sync_method != WAL_SYNC_METHOD_OPEN_DSYNC;
}

#ifdef WAL_IO_IS_BACKEND_STATS

extern void own_flush_read(OwnFlush *now);
extern void own_flush_since(const OwnFlush *before, OwnFlush *since);

/* Before a commit that will hardly flush: not worth what reading costs. */
static inline void
own_flush_read_if_cheap(OwnFlush *now)
{
	now->known = false;
}

#else

/* Writes that did not only make room in the WAL buffers. */
static inline int64
own_flush_writes(void)
{
	return PendingWalStats.wal_write - PendingWalStats.wal_buffers_full;
}

static inline uint64
own_flush_io_time(void)
{
	return PENDING_WAL_TIME_NS(PendingWalStats.wal_write_time) +
		PENDING_WAL_TIME_NS(PendingWalStats.wal_sync_time);
}

static inline void
own_flush_read(OwnFlush *now)
{
	now->flushes = PendingWalStats.wal_sync;
	now->writes = own_flush_writes();
	if (unlikely(track_wal_io_timing))
		now->io_time = own_flush_io_time();
}

static inline void
own_flush_read_if_cheap(OwnFlush *now)
{
	own_flush_read(now);
}

/* What this backend did since "before" was read. */
static inline void
own_flush_since(const OwnFlush *before, OwnFlush *since)
{
	since->flushes = PendingWalStats.wal_sync - before->flushes;
	if (since->flushes == 0 && unlikely(!own_flush_counts_syncs()))
		since->flushes = own_flush_writes() - before->writes;
	since->io_time = 0;
	if (unlikely(track_wal_io_timing))
		since->io_time = own_flush_io_time() - before->io_time;
}

#endif							/* WAL_IO_IS_BACKEND_STATS */

#endif							/* COMMIT_STATS_OWN_FLUSH_H */
