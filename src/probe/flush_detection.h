/*-------------------------------------------------------------------------
 *
 * flush_detection.h
 *		Did this backend flush the WAL itself?  See flush_detection.c.
 *
 * src/probe/flush_detection.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_FLUSH_DETECTION_H
#define COMMIT_STATS_FLUSH_DETECTION_H

#include "datatype/timestamp.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"

#include "base/compat.h"
#include "base/visibility.h"

#ifdef WAL_IO_IS_BACKEND_STATS

/* How it will be known whether a commit has flushed. */
typedef enum OwnFlushHow
{
	OWN_FLUSH_UNKNOWN,			/* not at all */
	OWN_FLUSH_BY_ERRNO,
	OWN_FLUSH_LOOKED_UP,
	OWN_FLUSH_CHECKED			/* looked up, and is errno right? */
} OwnFlushHow;

#endif

/* This backend's WAL I/O so far, or between two readings. */
typedef struct OwnFlush
{
	int64		flushes;		/* syncs, or writes where these sync; between
								 * two readings 1 can stand for more */
	uint64		io_time;		/* ns writing and syncing, if timed */
#ifdef WAL_IO_IS_BACKEND_STATS
	OwnFlushHow how;
	int			uncertain;		/* between two readings: so many commits of
								 * this backend were judged in doubt */
	bool		untimed;		/* between two readings: io_time is not known,
								 * although it was timed */
	uint64		drops;			/* of statistics so far, if looked up */
	TimestampTz reset_at;		/* the counters' last reset, if looked up */
	int64		buffer_io;		/* I/O of buffers so far */
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

/* No errno, and nothing that a stranger would take for one. */
#define ERRNO_UNTOUCHED		(-1)

/* So many more commits need not be looked up. */
extern HIDDEN int own_flush_unchecked;

extern void own_flush_look_up(OwnFlush *now);
extern void own_flush_check(OwnFlush *now);
extern void own_flush_find_out(const OwnFlush *before, int error,
							   OwnFlush *since);

/*
 * I/O that is counted in the same place as that of the WAL, as far as it is
 * also counted where we can see it: each I/O of a buffer moves one of these.
 */
static inline int64
own_flush_buffer_io(void)
{
	return pgBufferUsage.shared_blks_hit + pgBufferUsage.shared_blks_read +
		pgBufferUsage.shared_blks_written + pgBufferUsage.local_blks_hit +
		pgBufferUsage.local_blks_read + pgBufferUsage.local_blks_written +
		pgWalUsage.wal_buffers_full;
}

/* Before a commit. */
static inline void
own_flush_read(OwnFlush *now)
{
	if (unlikely(own_flush_unchecked <= 0 || track_wal_io_timing))
	{
		own_flush_check(now);
		return;
	}
	own_flush_unchecked--;
	now->how = OWN_FLUSH_BY_ERRNO;
	now->buffer_io = own_flush_buffer_io();
	errno = ERRNO_UNTOUCHED;
}

/* Before a two-phase record, with which files are read and written. */
static inline void
own_flush_read_two_phase(OwnFlush *now)
{
	own_flush_look_up(now);
}

/* Before a commit that will hardly flush: not worth what reading costs. */
static inline void
own_flush_read_if_cheap(OwnFlush *now)
{
	now->how = OWN_FLUSH_UNKNOWN;
}

/*
 * Does errno tell what happened to the WAL since "before" was read?  0 does not
 * where it may come from I/O of a buffer.
 */
static inline bool
own_flush_shows(const OwnFlush *before, int error)
{
	return error == ERRNO_UNTOUCHED ||
		(error == 0 && own_flush_buffer_io() == before->buffer_io);
}

/* It is not asked what this backend did: leave nothing behind. */
static inline void
own_flush_forget(void)
{
	if (errno == ERRNO_UNTOUCHED)
		errno = 0;
}

/* What this backend did since "before" was read. */
static inline void
own_flush_since(const OwnFlush *before, OwnFlush *since)
{
	int			error = errno;

	since->flushes = error == 0;
	since->io_time = 0;
	since->uncertain = 0;
	since->untimed = false;
	if (error == ERRNO_UNTOUCHED)
		errno = 0;				/* leave nothing behind */
	if (unlikely(before->how != OWN_FLUSH_BY_ERRNO ||
				 !own_flush_shows(before, error)))
	{
		since->flushes = 0;
		own_flush_find_out(before, error, since);
	}
}

/* How many flushes may be judged wrongly, as it turned out between two readings. */
static inline int
own_flush_uncertain(const OwnFlush *since)
{
	return since->uncertain;
}

/* Is the time known that writing and syncing took between two readings? */
static inline bool
own_flush_timed(const OwnFlush *since)
{
	return track_wal_io_timing && !since->untimed;
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
own_flush_read_two_phase(OwnFlush *now)
{
	own_flush_read(now);
}

static inline void
own_flush_read_if_cheap(OwnFlush *now)
{
	own_flush_read(now);
}

static inline void
own_flush_forget(void)
{
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

static inline int
own_flush_uncertain(const OwnFlush *since)
{
	return 0;
}

static inline bool
own_flush_timed(const OwnFlush *since)
{
	return track_wal_io_timing;
}

#endif							/* WAL_IO_IS_BACKEND_STATS */

#endif							/* COMMIT_STATS_FLUSH_DETECTION_H */
