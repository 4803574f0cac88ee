/*-------------------------------------------------------------------------
 *
 * wal_buffers.h
 *		How long a leader may sleep before the WAL buffers are full.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WAL_BUFFERS_H
#define COMMIT_STATS_WAL_BUFFERS_H

/*
 * The time, in us, in which "rate" bytes of WAL a second fill half of
 * "buffers" bytes; infinity without WAL.  A leader sleeps with WALWriteLock
 * held, for which a backend waits that finds the buffers full.
 */
static inline double
wal_buffers_us_until_half_full(double buffers, double rate)
{
	return rate > 0 ? buffers / 2 * 1e6 / rate : INFINITY;
}

#endif							/* COMMIT_STATS_WAL_BUFFERS_H */
