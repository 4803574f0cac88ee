/*-------------------------------------------------------------------------
 *
 * device_quota.c
 *		Does the device limit the flushes in a window of time?
 *
 * A volume with a quota serves flushes at full speed until the quota of a
 * window is used up, and then none until the window ends.  So a few flushes
 * take much longer than most, the stalls, and the ends of two stalls are a
 * whole number of windows apart.  device_quota_find() infers window and quota
 * from the stalls.
 *
 * advice_device_stalls() in advice.c recognizes such a device without times:
 * from the mean, the median and the p99 of all flushes.
 *
 * This module knows neither SQL nor shared memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "base/quantile.h"
#include "stats/device_quota.h"

#define WINDOW_LEAST	20000.0 /* us */
#define WINDOW_MOST		2000000.0
#define WINDOW_STEP		1.005
#define MIN_PAIRS		8		/* of stalls in different windows */
#define MAX_STALLS		2000	/* more would take too long */
#define MAX_NEIGHBORS	32		/* after each stall; likewise */
#define MIN_WINDOWS		4
#define REGULAR			0.2
#define IN_PHASE		0.4
#define CLEARLY			2.0		/* the larger of two spreads, in smaller ones */

/*
 * How near are the distances between stalls to whole numbers of windows?  Long
 * stalls weigh more.  Random distances give less than 0.2, exact ones 1 unless
 * windows have several stalls.  Only near neighbors are compared: many
 * stalls in one window would be at all distances.
 */
static double
regularity(const DeviceStall *stall, int n, double window)
{
	double		sum = 0;
	double		weights = 0;
	int			used = 0;

	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < Min(n, i + 1 + MAX_NEIGHBORS); j++)
		{
			double		distance = (stall[j].ended_at - stall[i].ended_at) / window;
			double		weight = stall[i].length * stall[j].length;

			if (distance > 3.5)
				break;
			weights += weight;
			if (distance < 0.5)
				continue;		/* the same window */
			sum += weight * cos(2 * M_PI * distance);
			used++;
		}
	return used < MIN_PAIRS ? 0 : sum / weights;
}

/*
 * Does stall i end together with a window?  Then the stalls around it ended a
 * whole number of windows before or after it.  Long stalls weigh more.
 */
static bool
ends_window(const DeviceStall *stall, int n, int i, double window)
{
	double		sum = 0;
	double		lengths = 0;

	for (int step = -1; step <= 1; step += 2)
		for (int j = i + step; j >= 0 && j < n; j += step)
		{
			double		distance = (stall[j].ended_at - stall[i].ended_at) / window;

			if (fabs(distance) > 3.5)
				break;
			sum += stall[j].length * cos(2 * M_PI * distance);
			lengths += stall[j].length;
		}
	return sum > IN_PHASE * lengths;
}

/* Which flushes had to wait for the end of their window? */
static void
mark_stalls(DeviceStall *stall, int n, double window)
{
	for (int i = 0; i < n; i++)
		stall[i].of_quota = ends_window(stall, n, i, window);
}

static void
unmark_stalls(DeviceStall *stall, int n)
{
	for (int i = 0; i < n; i++)
		stall[i].of_quota = false;
}

/*
 * The number of flushes, and the WAL if known, in each window whose quota was
 * used up.
 */
static void
count_flushes(const DeviceStall *stall, int n, DeviceQuota *quota)
{
	const DeviceStall *last = NULL;

	quota->n = 0;
	quota->nbytes = 0;
	for (int i = 0; i < n; i++)
	{
		if (!stall[i].of_quota)
			continue;
		if (last != NULL &&
			fabs((stall[i].ended_at - last->ended_at) / quota->window - 1) < 0.1)
		{
			quota->flushes[quota->n++] = stall[i].flush - last->flush;
			if (last->wal_end > 0 && stall[i].wal_end > last->wal_end)
				quota->bytes[quota->nbytes++] = stall[i].wal_end - last->wal_end;
		}
		last = &stall[i];
	}
}

/* The distance of the quartiles, in medians. */
static double
spread(double *value, int n)
{
	return (quantile(value, n, 0.75) - quantile(value, n, 0.25)) /
		Max(quantile(value, n, 0.5), 1);
}

/*
 * Does the device limit bytes rather than flushes?  It then allows windows of
 * the same WAL, in flushes that may be few or many.  What has been written of
 * flushes within one block of WAL is that block, so for these the number of
 * flushes is what counts, whatever the device limits.  That number is whole,
 * so a spread below one flush says nothing.
 */
static bool
limits_bytes(DeviceQuota *quota)
{
	double		flushes = quantile(quota->flushes, quota->n, 0.5);
	double		bytes = quantile(quota->bytes, quota->nbytes, 0.5);

	return bytes > flushes * XLOG_BLCKSZ &&
		spread(quota->bytes, quota->nbytes) <= CLEARLY *
		Max(spread(quota->flushes, quota->n), 1 / flushes);
}

/* How much of the time of all stalls is a quota's, and not explained? */
static double
share_of_quota(const DeviceStall *stall, int n, bool unexplained)
{
	double		of_quota = 0;
	double		total = 0;

	for (int i = 0; i < n; i++)
	{
		total += stall[i].length;
		if (stall[i].of_quota && !(unexplained && stall[i].explained))
			of_quota += stall[i].length;
	}
	return total > 0 ? of_quota / total : 0;
}

/*
 * A quota is about the same in each window, and explains most of the stalls.
 * If each flush stalls, the device is slow, not limited.  If something else
 * explains half of the stalls, or bytes are what is limited, the flushes in a
 * window are no quota.
 */
static bool
is_quota(const DeviceStall *stall, int n, DeviceQuota *quota)
{
	double		share = share_of_quota(stall, n, false);

	return quota->n >= MIN_WINDOWS && share > 0.4 &&
		share_of_quota(stall, n, true) > share / 2 &&
		quantile(quota->flushes, quota->n, 0.5) > 1 &&
		spread(quota->flushes, quota->n) < 0.3 && !limits_bytes(quota);
}

/* Is there a quota, with windows of this length? */
static bool
try_window(DeviceStall *stall, int n, double window, DeviceQuota *quota)
{
	quota->window = window;
	mark_stalls(stall, n, window);
	count_flushes(stall, n, quota);
	if (is_quota(stall, n, quota))
		return true;
	unmark_stalls(stall, n);
	return false;
}

/*
 * The longest window that fits, because stalls that fit a window also fit its
 * fractions.
 */
static bool
find_quota_window(DeviceStall *stall, int n, double longest, DeviceQuota *quota)
{
	double		longer = 0;
	double		this = regularity(stall, n, longest);

	for (double w = longest; w >= WINDOW_LEAST; w /= WINDOW_STEP)
	{
		double		shorter = regularity(stall, n, w / WINDOW_STEP);

		CHECK_FOR_INTERRUPTS();
		if (this >= REGULAR && this >= longer && this >= shorter &&
			try_window(stall, n, w, quota))
			return true;
		longer = this;
		this = shorter;
	}
	return false;
}

bool
device_quota_find(DeviceStall *stall, int n, double longest,
				  DeviceQuota *quota)
{
	quota->flushes = palloc(Max(n, 1) * sizeof(double));
	quota->bytes = palloc(Max(n, 1) * sizeof(double));
	quota->n = 0;
	quota->nbytes = 0;
	quota->window = 0;
	unmark_stalls(stall, n);
	return n <= MAX_STALLS &&
		find_quota_window(stall, n, Min(longest, WINDOW_MOST), quota);
}
