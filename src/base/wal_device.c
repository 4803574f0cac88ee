/*-------------------------------------------------------------------------
 *
 * wal_device.c
 *		When a WAL flush is a stall, which quota explains stalls, and what a
 *		byte takes.
 *
 *	stall		a flush that takes longer than wal_device_stall_limit()
 *	quota		the number of flushes that a device allows in a window of time
 *
 * A volume with a quota serves flushes at full speed until the quota of a
 * window is used up, and then none until the window ends.  So the ends of two
 * stalls are a whole number of windows apart.  wal_device_find_quota() takes
 * up to a millisecond for 256 stalls, and allocates memory, so a commit must
 * not call it.
 *
 * A device with a limited bandwidth takes longer for more bytes: flush time =
 * base + per_byte * bytes.  wal_device_fit() finds both by least squares.  Its
 * times are often bimodal, as the limiter lets bursts pass, so correlation is
 * low even where bytes are all there is; the share of the mean time that the
 * slope explains is not.  All flushes count: without the largest residuals,
 * the bursts alone would be left.
 *
 * While the adaptive delay is on, spacing.c finds a quota of its own.
 *
 * Locking: none; this file uses neither SQL nor shared memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/histogram.h"
#include "base/wal_device.h"

#define MIN_WINDOW		20000.0 /* us */
#define MAX_WINDOW		2000000.0
#define WINDOW_STEP		1.005
#define WINDOWS			924		/* of these lengths */
#define DISTANCE_CELLS	781		/* from 0.5 to 3.5 windows */
#define MIN_PAIRS		8		/* of stalls in different windows */
#define MAX_STALLS		2000	/* more would take too long */
#define MAX_NEIGHBORS	32		/* after each stall; likewise */
#define MIN_WINDOWS		4
#define REGULAR			0.2
#define IN_PHASE		0.4
#define CLEARLY			2.0		/* the larger of two spreads, in smaller ones */
#define MIN_FIT			30		/* flushes of a fit */
#define FIT_RUN			16		/* flushes that are compared with each other */
#define MIN_SLOPE		4.0		/* of a fit, in standard errors */
#define FIT_BYTES		32768.0 /* mean of its flushes; in small ones, bytes
								 * only tell how many commits have come
								 * meanwhile */
#define MOST_OF_TIME	0.8		/* bytes explain it: the rate is that of sums */

/*
 * The distances between stalls, from half of the shortest window to 3.5 of the
 * longest one.  Cells grow by half a WINDOW_STEP, so the cells of distances
 * from 0.5 to 3.5 windows are DISTANCE_CELLS from cell 2 i on, where i is the
 * number of the window, and the cosine of a cell depends only on its place
 * among these.
 */
typedef struct Distances
{
	double		cosine[DISTANCE_CELLS];
	double		weight[2 * WINDOWS + DISTANCE_CELLS];
	double		weights[2 * WINDOWS + DISTANCE_CELLS];	/* with those before */
	int			pairs[2 * WINDOWS + DISTANCE_CELLS];	/* likewise */
} Distances;

/* The window or cell that is "times" the smallest one, which is 1; or -1 */
static int
window_number(double times, double step)
{
	return times < 1 ? -1 : (int) (log(times) / log(step));
}

/* Long stalls weigh more; what something else explains tells no window. */
static double
weight_of(const DeviceStall *stall)
{
	return stall->explained ? 0 : stall->length;
}

/* Only near neighbors count: many stalls in a window are at all distances. */
static Distances *
find_distances(const DeviceStall *stall, int n)
{
	const int	ncells = lengthof(((Distances *) NULL)->weight);
	const double step = sqrt(WINDOW_STEP);
	Distances  *d = palloc(sizeof(Distances));

	memset(d, 0, sizeof(Distances));
	for (int i = 0; i < DISTANCE_CELLS; i++)
		d->cosine[i] = cos(M_PI * pow(step, i + 0.5));
	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < Min(n, i + 1 + MAX_NEIGHBORS); j++)
		{
			double		distance = stall[j].ended_at - stall[i].ended_at;
			double		weight = weight_of(&stall[i]) * weight_of(&stall[j]);
			int			cell = window_number(distance / (MIN_WINDOW / 2), step);

			if (cell >= ncells)
				break;
			if (weight == 0)
				continue;
			/* the same window, of any length */
			d->weights[Max(cell, 0)] += weight;
			if (cell < 0)
				continue;
			d->weight[cell] += weight;
			d->pairs[cell]++;
		}
	for (int i = 1; i < ncells; i++)
	{
		d->weights[i] += d->weights[i - 1];
		d->pairs[i] += d->pairs[i - 1];
	}
	return d;
}

/*
 * Returns how near the distances between stalls are to whole numbers of
 * windows: less than 0.2 for random distances, 1 for exact ones unless windows
 * have several stalls.
 */
static double
regularity(const Distances *d, int window)
{
	int			first = 2 * window;
	int			last = first + DISTANCE_CELLS - 1;
	double		sum = 0;

	if (window < 0 || d->pairs[last] - (first > 0 ? d->pairs[first - 1] : 0) < MIN_PAIRS)
		return 0;
	for (int i = 0; i < DISTANCE_CELLS; i++)
		sum += d->weight[first + i] * d->cosine[i];
	return sum / d->weights[last];
}

/*
 * True if stall i ends together with a window: the stalls around it, of which
 * long ones weigh more, ended a whole number of windows before or after it.
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
			sum += weight_of(&stall[j]) * cos(2 * M_PI * distance);
			lengths += weight_of(&stall[j]);
		}
	return sum > IN_PHASE * lengths;
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

/* How far the values reach without this share at each end, in medians. */
static double
spread(double *value, int n, double without)
{
	return (quantile(value, n, 1 - without) - quantile(value, n, without)) /
		Max(quantile(value, n, 0.5), 1);
}

/*
 * A device that limits bytes lets the same WAL through in each window, in few
 * or many flushes; one that limits flushes, the same number of these.  Where
 * neither varies clearly more, one of both is limited.
 *
 * Flushes within one block of WAL write that block each time, so for these the
 * number of flushes counts, whatever the device limits.  That number is whole,
 * so a spread below one flush says nothing.
 */
static void
find_limited(DeviceQuota *quota)
{
	double		flushes = quantile(quota->flushes, quota->n, 0.5);
	double		bytes = quantile(quota->bytes, quota->nbytes, 0.5);

	quota->of_bytes = bytes > flushes * XLOG_BLCKSZ &&
		spread(quota->bytes, quota->nbytes, 0.25) <= CLEARLY *
		Max(spread(quota->flushes, quota->n, 0.25), 1 / flushes);
	quota->of_flushes = !quota->of_bytes ||
		spread(quota->flushes, quota->n, 0.1) <= CLEARLY *
		spread(quota->bytes, quota->nbytes, 0.1);
}

/*
 * A quota explains most of the time of all stalls but those that something
 * else explains, and these are not most of what is in time with its windows.
 * Of such a stall, no more than a window may be for the quota.
 */
static bool
explains_stalls(const DeviceStall *stall, int n, double window)
{
	double		total = 0;
	double		of_quota = 0;
	double		unexplained = 0;	/* of these */

	for (int i = 0; i < n; i++)
	{
		double		length = stall[i].explained ?
		Min(stall[i].length, window) : stall[i].length;

		if (stall[i].of_quota || !stall[i].explained)
			total += length;
		if (stall[i].of_quota)
			of_quota += length;
		if (stall[i].of_quota && !stall[i].explained)
			unexplained += length;
	}
	return of_quota > 0.4 * total && unexplained > of_quota / 2;
}

/* Also for older stalls than those in which the window was found */
void
wal_device_mark_quota(DeviceStall *stall, int n, double window)
{
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		stall[i].of_quota = ends_window(stall, n, i, window);
	}
}

/*
 * A quota is about the same in each window.  If each flush stalls, the device
 * is slow, not limited.
 */
static bool
is_quota(DeviceStall *stall, int n, double window, DeviceQuota *quota)
{
	quota->window = window;
	wal_device_mark_quota(stall, n, window);
	count_flushes(stall, n, quota);
	find_limited(quota);
	quota->certainty = 1 - (quota->of_bytes ?
							spread(quota->bytes, quota->nbytes, 0.25) :
							spread(quota->flushes, quota->n, 0.25));
	return quota->n >= MIN_WINDOWS && explains_stalls(stall, n, window) &&
		quantile(quota->flushes, quota->n, 0.5) > 1 &&
		quota->certainty > 0.7;
}

/*
 * Finds the quota that explains stalls, which are ordered by time, in windows
 * up to "longest".  Returns false, and no stall is of_quota, if there is none.
 * Stalls that fit a window also fit its fractions, so the longest one counts.
 * Of many stalls, the newest ones tell.
 */
bool
wal_device_find_quota(DeviceStall *stall, int n, double longest,
					  DeviceQuota *quota)
{
	int			first = Max(n - MAX_STALLS, 0);
	Distances  *d = find_distances(stall + first, n - first);
	double		longer = 0;

	quota->flushes = palloc(Max(n, 1) * sizeof(double));
	quota->bytes = palloc(Max(n, 1) * sizeof(double));
	quota->n = quota->nbytes = 0;
	for (int i = window_number(Min(longest, MAX_WINDOW) / MIN_WINDOW, WINDOW_STEP);
		 i >= 0; i--)
	{
		double		this = regularity(d, i);

		CHECK_FOR_INTERRUPTS();
		if (this >= REGULAR && this >= longer && this >= regularity(d, i - 1) &&
			is_quota(stall + first, n - first,
					 MIN_WINDOW * pow(WINDOW_STEP, i), quota))
		{
			wal_device_mark_quota(stall, n, quota->window);
			return true;
		}
		longer = this;
	}
	for (int i = 0; i < n; i++)
		stall[i].of_quota = false;
	return false;
}

/* The mean of the run of FIT_RUN values that "i" is in */
static double
run_mean(const double *value, int n, int i)
{
	int			first = i - i % FIT_RUN;
	int			end = Min(first + FIT_RUN, n);
	double		sum = 0;

	for (int j = first; j < end; j++)
		sum += value[j];
	return sum / (end - first);
}

/*
 * The fit has n = 0 if flushes are small, or if its slope may be chance.  Only
 * flushes of one run are compared: where something slows all flushes down for
 * a while, more commits gather meanwhile, and more bytes.  "share" is that of
 * the mean time; more than all of it shows a base below 0, which is taken for
 * 0.
 */
void
wal_device_fit(const double *bytes, const double *time, int n, FlushFit *fit)
{
	double		mean_bytes = 0;
	double		mean_time = 0;
	double		xx = 0;
	double		xy = 0;
	double		yy = 0;
	double		slope;

	memset(fit, 0, sizeof(FlushFit));
	for (int i = 0; i < n; i++)
	{
		double		x = bytes[i] - run_mean(bytes, n, i);
		double		y = time[i] - run_mean(time, n, i);

		mean_bytes += bytes[i] / n;
		mean_time += time[i] / n;
		xx += x * x;
		xy += x * y;
		yy += y * y;
	}
	if (n < MIN_FIT || mean_bytes < FIT_BYTES || xy <= 0)
		return;
	slope = xy / xx;
	if (slope < MIN_SLOPE * sqrt(Max(yy - slope * xy, 0) / (n - 2) / xx))
		return;
	fit->n = n;
	fit->per_byte = slope;
	fit->base = Max(mean_time - slope * mean_bytes, 0);
	fit->share = Min(slope * mean_bytes / mean_time, 1);
	fit->rate = fit->share >= MOST_OF_TIME ? mean_bytes / mean_time : 1 / slope;
}
