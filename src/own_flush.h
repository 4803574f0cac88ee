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
#endif
	bool		known;			/* the counters could be read */
} OwnFlush;

/*
 * Is reading so cheap that it can be done for commits which hardly ever flush?
 */
#ifdef WAL_IO_IS_BACKEND_STATS
#define OWN_FLUSH_IS_CHEAP	false
#else
#define OWN_FLUSH_IS_CHEAP	true
#endif

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

#else

static inline void
own_flush_read(OwnFlush *now)
{
	if (own_flush_counts_syncs())
		now->flushes = PendingWalStats.wal_sync;
	else
		now->flushes = PendingWalStats.wal_write -
			PendingWalStats.wal_buffers_full;
	now->io_time = 0;
	if (track_wal_io_timing)
		now->io_time = PENDING_WAL_TIME_NS(PendingWalStats.wal_write_time) +
			PENDING_WAL_TIME_NS(PendingWalStats.wal_sync_time);
	now->known = true;
}

/* What this backend did since "before" was read; nothing if that is not known. */
static inline void
own_flush_since(const OwnFlush *before, OwnFlush *since)
{
	own_flush_read(since);
	if (unlikely(!before->known))
	{
		since->flushes = since->io_time = 0;
		return;
	}
	since->flushes -= before->flushes;
	since->io_time -= before->io_time;
}

#endif							/* WAL_IO_IS_BACKEND_STATS */

#endif							/* COMMIT_STATS_OWN_FLUSH_H */
