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

/* This backend's WAL I/O so far, or between two readings. */
typedef struct OwnFlush
{
	int64		flushes;		/* syncs, or writes where these sync */
	uint64		io_time;		/* ns writing and syncing, if timed */
	bool		known;			/* the counters could be read */
} OwnFlush;

extern bool own_flush_counts_syncs(void);
extern OwnFlush own_flush_read(void);
extern OwnFlush own_flush_since(const OwnFlush *before);

#endif							/* COMMIT_STATS_OWN_FLUSH_H */
