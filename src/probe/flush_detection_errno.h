/*-------------------------------------------------------------------------
 *
 * flush_detection_errno.h
 *		Flush detection from PostgreSQL 18 on; see flush_detection_errno.c.
 *
 * Included by flush_detection.h only.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_FLUSH_DETECTION_ERRNO_H
#define COMMIT_STATS_FLUSH_DETECTION_ERRNO_H

#include "datatype/timestamp.h"
#include "executor/instrument.h"
#include "pgstat.h"

#include "base/compat.h"
#include "base/visibility.h"

/* How it will be known whether a commit has flushed. */
typedef enum OwnFlushHow
{
	OWN_FLUSH_UNKNOWN,			/* not at all */
	OWN_FLUSH_BY_ERRNO,
	OWN_FLUSH_LOOKED_UP,
	OWN_FLUSH_CHECKED			/* looked up, and is errno right? */
} OwnFlushHow;

/* This backend's WAL I/O so far, or between two readings. */
typedef struct OwnFlush
{
	int64		flushes;		/* syncs, or writes where these sync; between
								 * two readings 1 can stand for more */
	uint64		io_time;		/* ns writing and syncing, if timed */
	OwnFlushHow how;
	int			uncertain;		/* between two readings: so many commits of
								 * this backend were judged in doubt */
	bool		untimed;		/* between two readings: io_time is not known,
								 * although it was timed */
	uint64		drops;			/* of statistics so far, if looked up */
	TimestampTz reset_at;		/* the counters' last reset, if looked up */
	int64		buffer_io;		/* I/O of buffers so far */
} OwnFlush;

/* No errno, and nothing that a stranger would take for one. */
#define ERRNO_UNTOUCHED		(-1)

/* So many more commits need not be looked up. */
extern COMMIT_STATS_HIDDEN int flush_detection_unchecked;

extern void flush_detection_look_up(OwnFlush *now);
extern void flush_detection_check(OwnFlush *now);
extern void flush_detection_find_out(const OwnFlush *before, int error,
							   OwnFlush *since);

/*
 * I/O that is counted in the same place as that of the WAL, as far as it is
 * also counted where we can see it: each I/O of a buffer moves one of these.
 */
static inline int64
flush_detection_buffer_io(void)
{
	return pgBufferUsage.shared_blks_hit + pgBufferUsage.shared_blks_read +
		pgBufferUsage.shared_blks_written + pgBufferUsage.local_blks_hit +
		pgBufferUsage.local_blks_read + pgBufferUsage.local_blks_written +
		pgWalUsage.wal_buffers_full;
}

/* Before a commit. */
static inline void
flush_detection_read(OwnFlush *now)
{
	if (unlikely(flush_detection_unchecked <= 0 || track_wal_io_timing))
	{
		flush_detection_check(now);
		return;
	}
	flush_detection_unchecked--;
	now->how = OWN_FLUSH_BY_ERRNO;
	now->buffer_io = flush_detection_buffer_io();
	errno = ERRNO_UNTOUCHED;
}

/*
 * Before a commit that has nothing to wait for, as it seems.  It is not looked up;
 * while errno is in doubt, or to be checked, nothing is known.
 */
static inline void
flush_detection_read_unlogged(OwnFlush *now)
{
	now->how = OWN_FLUSH_UNKNOWN;
	if (flush_detection_unchecked <= 0)
		return;
	now->how = OWN_FLUSH_BY_ERRNO;
	now->buffer_io = flush_detection_buffer_io();
	errno = ERRNO_UNTOUCHED;
}

/* Before a two-phase record, with which files are read and written. */
static inline void
flush_detection_read_two_phase(OwnFlush *now)
{
	flush_detection_look_up(now);
}

/* Before a commit that will hardly flush: not worth what reading costs. */
static inline void
flush_detection_read_if_cheap(OwnFlush *now)
{
	now->how = OWN_FLUSH_UNKNOWN;
}

/*
 * Does errno tell what happened to the WAL since "before" was read?  0 does not
 * where it may come from I/O of a buffer.
 */
static inline bool
flush_detection_shows(const OwnFlush *before, int error)
{
	return error == ERRNO_UNTOUCHED ||
		(error == 0 && flush_detection_buffer_io() == before->buffer_io);
}

/* It is not asked what this backend did: leave nothing behind. */
static inline void
flush_detection_forget(void)
{
	if (errno == ERRNO_UNTOUCHED)
		errno = 0;
}

/* What this backend did since "before" was read. */
static inline void
flush_detection_since(const OwnFlush *before, OwnFlush *since)
{
	int			error = errno;

	since->flushes = error == 0;
	since->io_time = 0;
	since->uncertain = 0;
	since->untimed = before->how == OWN_FLUSH_BY_ERRNO;
	if (error == ERRNO_UNTOUCHED)
		errno = 0;				/* leave nothing behind */
	if (unlikely(before->how != OWN_FLUSH_BY_ERRNO ||
				 !flush_detection_shows(before, error)))
	{
		since->flushes = 0;
		flush_detection_find_out(before, error, since);
	}
}

/* How many flushes may be judged wrongly, as it turned out between two readings. */
static inline int
flush_detection_uncertain(const OwnFlush *since)
{
	return since->uncertain;
}

/* Is the time known that writing and syncing took between two readings? */
static inline bool
flush_detection_timed(const OwnFlush *since)
{
	return track_wal_io_timing && !since->untimed;
}

#endif							/* COMMIT_STATS_FLUSH_DETECTION_ERRNO_H */
