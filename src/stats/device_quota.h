/*-------------------------------------------------------------------------
 *
 * device_quota.h
 *		Does the device limit the flushes in a window of time?  See
 *		device_quota.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_DEVICE_QUOTA_H
#define COMMIT_STATS_DEVICE_QUOTA_H

/* A flush that took very long.  Times in us. */
typedef struct DeviceStall
{
	int			flush;			/* its number, counting all flushes */
	double		ended_at;
	double		length;
	double		wal_end;		/* position in the WAL at its end, bytes; 0:
								 * unknown */
	bool		explained;		/* by something else than a quota */
	bool		of_quota;		/* result: it ended together with a window */
} DeviceStall;

typedef struct DeviceQuota
{
	double		window;			/* us */
	double	   *flushes;		/* in each window whose quota was used up;
								 * sorted, palloc'd */
	int			n;
	double	   *bytes;			/* of WAL, likewise, where it is known */
	int			nbytes;
} DeviceQuota;

/*
 * Finds the quota that explains stalls, which are ordered by time, in windows
 * up to "longest".  Returns false, and no stall is of_quota, if there is none.
 */
extern bool device_quota_find(DeviceStall *stall, int n, double longest,
							  DeviceQuota *quota);

#endif							/* COMMIT_STATS_DEVICE_QUOTA_H */
