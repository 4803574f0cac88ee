/*
 * When a WAL flush is a stall, which quota explains stalls, and what a byte
 * takes; see wal_device.c.  Times in us.
 */
#ifndef COMMIT_STATS_WAL_DEVICE_H
#define COMMIT_STATS_WAL_DEVICE_H

#include <math.h>

#include "base/guc.h"

/* Flushes needed for a median or a rate */
#define WAL_DEVICE_SAMPLE	100

/* A stall */
typedef struct DeviceStall
{
	int			flush;			/* its number, counting all flushes */
	double		ended_at;
	double		length;
	double		wal_end;		/* WAL position at its end; 0: unknown */
	bool		explained;		/* by something else than a quota */
	bool		of_quota;		/* result: it ended together with a window */
} DeviceStall;

typedef struct DeviceQuota
{
	double		window;
	double	   *flushes;		/* in each window whose quota was used up;
								 * palloc'd */
	int			n;
	double	   *bytes;			/* of WAL, likewise, where it is known */
	int			nbytes;
	bool		of_flushes;		/* with of_bytes: one of both; which does not
								 * show */
	bool		of_bytes;
	double		certainty;		/* 1 if all windows have the same */
} DeviceQuota;

/* Flush time = base + per_byte * bytes */
typedef struct FlushFit
{
	int			n;				/* flushes; 0: too few, or no slope */
	double		base;
	double		per_byte;
	double		share;			/* of flush time that bytes explain */
	double		rate;			/* MB/s */
	double		window;			/* of a quota of bytes, in place of a fit; or
								 * 0 */
} FlushFit;

/* What bytes explain of flush time, if it is most of it; else 0 */
static inline double
fit_main_share(const FlushFit *fit)
{
	return fit->share >= 0.5 ? fit->share : 0;
}

/* What a page of WAL takes; 0: it does not show */
static inline double
fit_page_time(const FlushFit *fit)
{
	return fit->n > 0 ? fit->per_byte * XLOG_BLCKSZ : 0;
}

/*
 * A flush that takes longer than 8 p50, and p50 + STALL_LEAST_MS (guc.h), is a
 * stall.
 *
 * A device that allows 10 flushes in 100 ms, of which they need 20, stalls for
 * 80 ms, or 40 medians.  The flushes of a disk that is merely busy vary by a
 * factor of three.  The adaptive delay and the prediction have the same limit;
 * what counts as a stall is stall_limit_get() (slow_log.c), which asks the
 * setting first.
 */
static inline double
wal_device_stall_limit(double p50)
{
	return Max(8 * p50, p50 + STALL_LEAST_MS * 1000.0);
}

extern bool wal_device_find_quota(DeviceStall *stall, int n, double longest,
								  DeviceQuota *quota);
extern void wal_device_mark_quota(DeviceStall *stall, int n, double window);
extern void wal_device_fit(const double *bytes, const double *time, int n,
						   FlushFit *fit);

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

#endif							/* COMMIT_STATS_WAL_DEVICE_H */
