/*-------------------------------------------------------------------------
 *
 * whatif_quota.c
 *		Does the device limit the flushes in a window of time?
 *
 * A volume with a quota serves flushes at full speed until the quota of a
 * window is used up, and then none until the window ends.  So a few flushes
 * take much longer than most, the stalls, and the ends of two stalls are a
 * whole number of windows apart.  quota_find() infers window and quota from
 * the stalls and marks them, so that the distribution of flush times leaves
 * them out.  Other stalls are flush times like any other.
 *
 * advice_device_stalls() in advice.c recognizes such a device for the report:
 * from the mean, the median and the p99 of all flush times.  The report has no
 * times at which flushes ended, and so cannot infer a window.
 *
 * This module knows neither SQL nor shared memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "whatif/whatif_quota.h"

#define WINDOW_LEAST	20000.0 /* us */
#define WINDOW_MOST		2000000.0
#define WINDOW_STEP		1.005
#define MIN_PAIRS		8		/* of stalls in different windows */
#define MAX_STALLS		2000	/* more would take too long */
#define MIN_WINDOWS		4
#define REGULAR			0.2
#define IN_PHASE		0.4

/* A flush that takes longer is a stall. */
static double
stall_limit(const SampleFlushes *flushes)
{
	double	   *value = palloc(flushes->n * sizeof(double));
	double		median;

	for (int i = 0; i < flushes->n; i++)
		value[i] = flushes->flush[i].io_time;
	median = sample_quantile(value, flushes->n, 0.5);
	pfree(value);
	return Max(5 * median, 5000);
}

/* A flush that took very long */
typedef struct Stall
{
	int			flush;
	double		ended_at;
	double		length;
} Stall;

/*
 * How near are the distances between stalls to whole numbers of windows?  Long
 * stalls weigh more.  Random distances give less than 0.2, exact ones 1 unless
 * windows have several stalls.
 */
static double
regularity(const Stall *stall, int n, double window)
{
	double		sum = 0;
	double		weights = 0;
	int			used = 0;

	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n; j++)
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

/* The stalls, by time */
static int
find_stalls(const SampleFlushes *flushes, double limit, Stall *stall)
{
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
 * Does stall i end together with a window?  Then the stalls around it ended a
 * whole number of windows before or after it.  Long stalls weigh more.
 */
static bool
ends_window(const Stall *stall, int n, int i, double window)
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
mark_stalls(SampleFlushes *flushes, const Stall *stall, int n,
			double window)
{
	for (int i = 0; i < n; i++)
		if (ends_window(stall, n, i, window))
			flushes->flush[stall[i].flush].stalled = true;
}

static void
unmark_stalls(SampleFlushes *flushes)
{
	for (int i = 0; i < flushes->n; i++)
		flushes->flush[i].stalled = false;
}

/* The number of flushes in each window whose quota was used up. */
static int
find_quotas(const SampleFlushes *flushes, double window, double *quota)
{
	double		last = -INFINITY;
	int			count = 0;
	int			n = 0;

	for (int i = 0; i < flushes->n; i++)
	{
		const Flush *flush = &flushes->flush[i];

		count++;
		if (!flush->stalled)
			continue;
		if (fabs((flush->done_at - last) / window - 1) < 0.1)
			quota[n++] = count;
		last = flush->done_at;
		count = 0;
	}
	return n;
}

/*
 * A quota is about the same in each window, and explains most of the stalls.
 */
static bool
is_quota(const SampleFlushes *flushes, const Stall *stall, int nstalls,
		 double *quota, int n)
{
	double		explained = 0;
	double		total = 0;
	double		spread = sample_quantile(quota, n, 0.75) - sample_quantile(quota, n, 0.25);

	for (int i = 0; i < nstalls; i++)
	{
		total += stall[i].length;
		if (flushes->flush[stall[i].flush].stalled)
			explained += stall[i].length;
	}
	return n >= MIN_WINDOWS && explained > 0.4 * total &&
		spread < 0.3 * sample_quantile(quota, n, 0.5);
}

/* Is there a quota, with windows of this length? */
static bool
try_window(SampleFlushes *flushes, double window, const Stall *stall, int n)
{
	double	   *quota = palloc(Max(flushes->n, 1) * sizeof(double));
	bool		found;

	mark_stalls(flushes, stall, n, window);
	found = is_quota(flushes, stall, n, quota,
					 find_quotas(flushes, window, quota));
	if (!found)
		unmark_stalls(flushes);
	pfree(quota);
	return found;
}

/*
 * The longest window that fits, because stalls that fit a window also fit its
 * fractions; or 0.
 */
static double
find_window(SampleFlushes *flushes, double length, const Stall *stall, int n)
{
	double		longest = Min(WINDOW_MOST, length / 10);
	double		longer = 0;
	double		this = regularity(stall, n, longest);

	for (double w = longest; w >= WINDOW_LEAST; w /= WINDOW_STEP)
	{
		double		shorter = regularity(stall, n, w / WINDOW_STEP);

		if (this >= REGULAR && this >= longer && this >= shorter &&
			try_window(flushes, w, stall, n))
			return w;
		longer = this;
		this = shorter;
	}
	return 0;
}

/*
 * Marks the flushes that a quota made wait, and sets load->window and
 * load->quota.
 */
void
quota_find(SampleFlushes *flushes, double length, WhatifLoad *load)
{
	Stall	   *stall = palloc(Max(flushes->n, 1) * sizeof(Stall));
	int			n = find_stalls(flushes, stall_limit(flushes), stall);

	if (n <= MAX_STALLS)
		load->window = find_window(flushes, length, stall, n);
	pfree(stall);
	if (load->window == 0)
		return;
	load->quota.value = palloc(flushes->n * sizeof(double));
	load->quota.n = find_quotas(flushes, load->window, load->quota.value);
}
