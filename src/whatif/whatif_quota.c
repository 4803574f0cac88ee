/*-------------------------------------------------------------------------
 *
 * whatif_quota.c
 *		The quota of the device in a sample of flushes.
 *
 * quota_find() marks the flushes that waited for the next window of the quota,
 * so that the distribution of flush times leaves them out.  Other stalls are
 * flush times like any other.
 *
 * This module knows neither SQL nor shared memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/histogram.h"
#include "base/wal_device.h"
#include "whatif/whatif_quota.h"

/* A flush that takes longer is a stall. */
static double
longest_usual_flush(const SampleFlushes *flushes)
{
	double	   *value = palloc(flushes->n * sizeof(double));
	double		median;

	for (int i = 0; i < flushes->n; i++)
		value[i] = flushes->flush[i].io_time;
	median = quantile(value, flushes->n, 0.5);
	pfree(value);
	return wal_device_stall_limit(median);
}

/* The stalls, by time */
static int
find_stalls(const SampleFlushes *flushes, DeviceStall *stall)
{
	double		limit = longest_usual_flush(flushes);
	int			n = 0;

	for (int i = 0; i < flushes->n; i++)
		if (flushes->flush[i].io_time > limit)
		{
			stall[n].flush = i;
			stall[n].ended_at = flushes->flush[i].done_at;
			stall[n++].length = flushes->flush[i].io_time;
		}
	return n;
}

/*
 * Marks the flushes that a quota made wait, and sets load->window and
 * load->quota.
 */
void
quota_find(SampleFlushes *flushes, double length, WhatifLoad *load)
{
	DeviceStall *stall = palloc0(Max(flushes->n, 1) * sizeof(DeviceStall));
	int			n = find_stalls(flushes, stall);
	DeviceQuota quota;

	if (wal_device_find_quota(stall, n, length / 10, &quota))
	{
		for (int i = 0; i < n; i++)
			flushes->flush[stall[i].flush].stalled = stall[i].of_quota;
		load->window = quota.window;
		load->quota.value = quota.flushes;
		load->quota.n = quota.n;
	}
	pfree(stall);
}
