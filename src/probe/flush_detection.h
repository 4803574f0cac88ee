/*-------------------------------------------------------------------------
 *
 * flush_detection.h
 *		Whether this backend wrote or synced the WAL itself.
 *
 * A commit led a flush if the server counted a WAL sync of this backend
 * between the two callbacks, and else another one carried it:
 * count_logged_commit() (commit_path.c) decides by what
 * flush_detection_since() returns.  Where the write already syncs
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
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"

#include "base/clock.h"
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

/* A flush shows as a sync; else as a write. */
static inline bool
flush_detection_counts_syncs(void)
{
	return enableFsync &&
		wal_sync_method != WAL_SYNC_METHOD_OPEN &&
		wal_sync_method != WAL_SYNC_METHOD_OPEN_DSYNC;
}

#ifdef WAL_IO_IS_BACKEND_STATS

/*---- From PostgreSQL 18 on ---------------------------------------*/

/* What will tell whether a commit has flushed. */
typedef enum FlushWitness
{
	WITNESS_NONE,
	WITNESS_ERRNO,
	WITNESS_ENTRY,				/* this backend's statistics */
	WITNESS_BOTH				/* likewise; errno must say the same */
} FlushWitness;

typedef struct FlushReading
{
	FlushWitness witness;
	int64		buffer_io;		/* if there is a witness */
	/* the rest with WITNESS_ENTRY and WITNESS_BOTH only */
	int64		flushes;		/* in the entry */
	uint64		io_time;		/* ns in the entry */
} FlushReading;

/* OwnFlush.uncertain may be above 0. */
#define FLUSH_DETECTION_ERRS	true

/* A value that errno never has in the server. */
#define ERRNO_UNTOUCHED		(-1)

/* As "buffer_io": there may be I/O that is not of a flush. */
#define BUFFER_IO_UNKNOWN	(-1)

/* Commits until the next look-up; if -n, the next n commits are looked up. */
extern COMMIT_STATS_HIDDEN int flush_detection_unchecked;

/* Flushes of this backend, as this file has judged. */
extern COMMIT_STATS_HIDDEN int64 flush_detection_judged;

extern void flush_detection_look_up(FlushReading *now);
extern void flush_detection_check(FlushReading *now);
extern void flush_detection_find_out(const FlushReading *before, int error,
									 OwnFlush *since);

/*
 * I/O of buffers, which sets errno and is counted in the same entry as that of
 * the WAL.  Each moves one of these counters.
 */
static inline int64
flush_detection_buffer_io(void)
{
	return pgBufferUsage.shared_blks_hit + pgBufferUsage.shared_blks_read +
		pgBufferUsage.shared_blks_written + pgBufferUsage.local_blks_hit +
		pgBufferUsage.local_blks_read + pgBufferUsage.local_blks_written +
		pgWalUsage.wal_buffers_full;
}

static inline void
flush_detection_read_if_cheap(FlushReading *now)
{
	now->witness = WITNESS_NONE;
}

#define flush_detection_read_read_only	flush_detection_read_if_cheap

static inline void
flush_detection_trust_errno(FlushReading *now)
{
	now->witness = WITNESS_ERRNO;
	now->buffer_io = flush_detection_buffer_io();
	errno = ERRNO_UNTOUCHED;
}

static inline void
flush_detection_read(FlushReading *now)
{
	if (unlikely(flush_detection_unchecked <= 0 || track_wal_io_timing))
		flush_detection_check(now);
	else
	{
		flush_detection_unchecked--;
		flush_detection_trust_errno(now);
	}
}

/* Most do not flush, and are worth no look-up, unless a mark was lost. */
static inline void
flush_detection_read_unlogged(FlushReading *now)
{
	if (unlikely(flush_detection_unchecked < 0))
		flush_detection_check(now);
	else
		flush_detection_trust_errno(now);
}

/*
 * A two-phase record reads or writes files, which sets errno.  COMMIT PREPARED
 * reads the WAL, which is I/O in the entry like that of a flush.
 */
static inline void
flush_detection_read_two_phase(FlushReading *now)
{
	flush_detection_look_up(now);
	now->buffer_io = BUFFER_IO_UNKNOWN;
}

/* Returns false if buffers may have set errno, so that it does not tell. */
static inline bool
flush_detection_errno_tells(const FlushReading *before, int error)
{
	return error == ERRNO_UNTOUCHED ||
		(error == 0 && flush_detection_buffer_io() == before->buffer_io);
}

static inline void
flush_detection_forget(void)
{
	if (errno == ERRNO_UNTOUCHED)
		errno = 0;
}

static inline void
flush_detection_since(const FlushReading *before, OwnFlush *since)
{
	int			error = errno;

	flush_detection_forget();
	since->flushes = error == 0;
	since->io_time = 0;
	since->timed = false;
	since->uncertain = 0;
	if (unlikely(before->witness != WITNESS_ERRNO ||
				 !flush_detection_errno_tells(before, error)))
		flush_detection_find_out(before, error, since);
	flush_detection_judged += since->flushes;
}

#else							/* WAL_IO_IS_BACKEND_STATS */

/*---- Up to PostgreSQL 17 -----------------------------------------*/

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
