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

#include "executor/instrument.h"

#include "base/visibility.h"

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

/* Commits until the next look-up; if negative, as many are all looked up. */
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

/* Most of these do not flush, and are not worth a look-up. */
static inline void
flush_detection_read_unlogged(FlushReading *now)
{
	if (flush_detection_unchecked > 0)
		flush_detection_trust_errno(now);
	else
		flush_detection_read_if_cheap(now);
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

#endif							/* COMMIT_STATS_FLUSH_DETECTION_ERRNO_H */
