/*-------------------------------------------------------------------------
 *
 * pacer.c
 *		Flushes at even distances, for a device with a quota.
 *
 * A volume with a quota serves flushes at full speed until the quota of a
 * window of time is used up, and then stalls until the window ends.  If
 * flushes begin at even distances, just below the rate that the quota allows,
 * none of them stalls.  A leader sleeps until its flush is due, and carries
 * the commits that come meanwhile.
 *
 * Watching.  A flush that takes much longer than the median is a stall.  A
 * quota shows by stalls whose ends are whole numbers of windows apart, with
 * about the same number of flushes between them, and which take a large share
 * of the time.  The rate of the device is that of the windows' middle half.
 *
 * Pacing.  Flushes begin at PACE of the rate.  Nothing shows that the device
 * could do more, so the rate grows, slowly at first, while flushes are held
 * back and none stalls; a stall takes back what flushes did not reach.  The
 * pacer never measures the device while it paces, as that would be its own
 * pace, and slow it down further.  If flushes stall at a rate that has not
 * grown, the pacer first paces further below that rate, and then watches
 * again.
 *
 * Refutation.  If watching leads to the rate at which flushes stalled even so,
 * their cause is no quota of flushes.  The pacer then rests, and for twice as
 * long the next time.
 *
 * So far only t/ and the simulation of a server (whatif_simulation.c) use it.
 *
 * This file is arithmetic.  It uses neither shared memory nor the server, so
 * t/ can compile it alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "control/pacer.h"

#define PACE			0.97	/* of the rate that the device allows */
#define CAREFUL_PACE	0.9		/* where flushes stalled at that pace */
#define STALL_FACTOR	8.0		/* medians that a stall takes at least */
#define STALL_LEAST		5000.0	/* ... and above the median */
#define MEDIAN_STEP		1.05
#define STALLED_LEAST	0.2		/* of the time, with a quota that binds */
#define OFF_WINDOW		0.05	/* mean distance from whole windows */
#define SAME_STALL		20e3	/* no window is shorter */
#define SAME_QUOTA		0.15	/* relative spread of flushes in a window */
#define PATIENCE_LEAST	300e3	/* without a stall, before the rate grows */
#define PATIENCE_MOST	2e6
#define LIMIT_LEAST		0.8		/* of the pace, or it is not the limit */
#define BURST			50e3	/* credit of a device that was idle */
#define UNEXPLAINED_MOST 3		/* stalls at a rate that has not grown */
#define QUIET			1e6		/* without a stall: such stalls are forgotten */
#define SAME_RATE		0.1		/* relative */
#define REST_LEAST		10e6
#define REST_WINDOWS	100		/* at least, as watching takes 8 of them */
#define REST_MOST		640e6

static void
set_mode(Pacer *pacer, PacerMode mode, PacerReason reason, double now)
{
	pacer->mode = mode;
	pacer->reason = reason;
	pacer->since = now;
	pacer->nstalls = 0;
	pacer->unexplained = 0;
}

void
pacer_init(Pacer *pacer, double now)
{
	memset(pacer, 0, sizeof(Pacer));
	pacer->rest = REST_LEAST;
	set_mode(pacer, PACER_WATCHES, PACER_STARTED, now);
}

/* The distance of flushes; 0: the pacer does not pace. */
double
pacer_interval(const Pacer *pacer)
{
	if (pacer->mode != PACER_PACES)
		return 0;
	return 1.0 / ((pacer->careful ? CAREFUL_PACE : PACE) * pacer->rate);
}

/*
 * A commit begins.  How long must it sleep if it leads a flush?  The first one
 * since the latest flush began sets the clock to the next flush, for itself
 * and for those that come until then.  "flush_time" is what a flush usually
 * takes.
 */
double
pacer_sleep(PacerClock *clock, double now, double interval, double flush_time)
{
	if (now >= clock->start)
	{
		clock->busy_until = clock->start + flush_time;
		clock->due = Max(clock->due + interval, now - BURST);
		clock->start = Max(Max(clock->due, now), clock->busy_until);
	}
	return Max(clock->start - Max(now, clock->busy_until), 0);
}

/*----------------------------------------------------------------
 * Watching
 *----------------------------------------------------------------
 */

static PacerStall *
stall_before(Pacer *pacer, int n)
{
	return &pacer->stall[(int) (pacer->nstalls - n) % PACER_STALLS];
}

/*
 * Remember a stall, unless it belongs to the last one.  A quota lets flushes
 * through between two stalls.  A device that does not delays each of them.
 */
static void
add_stall(Pacer *pacer, double now, double length)
{
	PacerStall *stall;

	if (pacer->nstalls > 0 &&
		pacer->nflushes - stall_before(pacer, 1)->nflushes < 2)
		pacer->nstalls = 0;
	if (pacer->nstalls > 0 && now - stall_before(pacer, 1)->ended_at < SAME_STALL)
	{
		stall_before(pacer, 1)->length += length;
		return;
	}
	pacer->nstalls++;
	stall = stall_before(pacer, 1);
	stall->ended_at = now;
	stall->nflushes = pacer->nflushes;
	stall->length = length;
}

static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/*
 * Do the latest stalls show a quota?  Returns its window, or 0, and sets the
 * rate, to which windows in which hardly any session committed must not add.
 */
static double
find_quota(Pacer *pacer, double *rate)
{
	double		distance[PACER_STALLS - 1];
	double		sorted[PACER_STALLS - 1];
	double		quota[PACER_STALLS - 1];
	double		window;
	double		nwindows = 0;
	double		time;
	double		off = 0;
	double		length = 0;
	const int	n = PACER_STALLS - 1;

	for (int i = 0; i < n; i++)
	{
		const PacerStall *this = stall_before(pacer, i + 1);

		distance[i] = this->ended_at - stall_before(pacer, i + 2)->ended_at;
		length += this->length;
	}
	memcpy(sorted, distance, sizeof(sorted));
	qsort(sorted, n, sizeof(double), compare);
	window = sorted[n / 4];
	for (int i = 0; i < n; i++)
	{
		double		windows = Max(rint(distance[i] / window), 1);

		off += fabs(distance[i] / window - windows) / n;
		nwindows += windows;
		quota[i] = (stall_before(pacer, i + 1)->nflushes -
					stall_before(pacer, i + 2)->nflushes) / windows;
	}
	qsort(quota, n, sizeof(double), compare);
	time = stall_before(pacer, 1)->ended_at -
		stall_before(pacer, n + 1)->ended_at;
	if (off > OFF_WINDOW || length < STALLED_LEAST * time ||
		quota[3 * n / 4] - quota[n / 4] > SAME_QUOTA * quota[n / 2])
		return 0;
	*rate = 0;
	for (int i = n / 4; i < n - n / 4; i++)
		*rate += quota[i] / (n - 2 * (n / 4)) * nwindows / time;
	return time / nwindows;
}

static void
begin_step(Pacer *pacer, double now)
{
	pacer->stepped_at = now;
	pacer->began_at = pacer->nflushes;
}

/* A stall: pace if it is one of a quota. */
static void
watch(Pacer *pacer, double now)
{
	bool		again;
	double		rate;
	double		window;

	if (pacer->nstalls < PACER_STALLS)
		return;
	window = find_quota(pacer, &rate);
	if (window == 0)
		return;
	pacer->rate = rate;
	again = fabs(pacer->rate / pacer->last_rate - 1) < SAME_RATE;
	if (again && pacer->careful)
	{
		/* even careful pacing has not removed the stalls */
		set_mode(pacer, PACER_RESTS, PACER_REFUTED, now);
		pacer->rests_until = now + Max(pacer->rest, REST_WINDOWS * window);
		pacer->rest = Min(2 * pacer->rest, REST_MOST);
		pacer->last_rate = 0;
		pacer->careful = false;
		return;
	}
	pacer->careful = again;
	set_mode(pacer, PACER_PACES, PACER_QUOTA, now);
	pacer->window = window;
	pacer->known = pacer->rate;
	pacer->patience = PATIENCE_LEAST;
	pacer->steps = 0;
	begin_step(pacer, now);
}

/*----------------------------------------------------------------
 * Pacing
 *----------------------------------------------------------------
 */

/*
 * A stall while pacing.  If the rate had grown, it has grown too far.  Else
 * the device may have become slower, which only watching can tell: what the
 * pacer would measure now is its own pace.
 */
static void
shrink(Pacer *pacer, double now)
{
	if (pacer->steps > 0)
	{
		pacer->patience = pacer->steps > 2 ? PATIENCE_LEAST :
			Min(2 * pacer->patience, PATIENCE_MOST);
		pacer->rate = pacer->known;
		pacer->steps = 0;
	}
	else if (++pacer->unexplained == UNEXPLAINED_MOST)
	{
		if (pacer->careful)
		{
			pacer->last_rate = pacer->rate;
			set_mode(pacer, PACER_WATCHES, PACER_STALLED, now);
			return;
		}
		pacer->careful = true;
		pacer->unexplained = 0;
	}
	begin_step(pacer, now);
}

/* No stall for a while: could the device do more? */
static void
grow(Pacer *pacer, double now)
{
	double		growth = pacer->steps < 2 ? 0.03 : pacer->steps < 5 ? 0.1 : 0.3;
	double		step = 1.5 * pacer->window + 1 / (growth * pacer->rate);
	double		wait = pacer->steps > 0 ? step : Max(pacer->patience, step);
	double		pace = 1 / pacer_interval(pacer);
	double		flushed;

	if (now - pacer->stepped_at < wait)
		return;
	flushed = (pacer->nflushes - pacer->began_at) / (now - pacer->stepped_at);
	pacer->known = Max(pacer->known, Min(flushed, pace));
	if (flushed >= LIMIT_LEAST * pace)
	{
		pacer->rate *= 1 + growth;
		pacer->steps++;
	}
	if (now - pacer->since > QUIET)
		pacer->unexplained = 0;
	begin_step(pacer, now);
	if (pacer_interval(pacer) < pacer->median)
		set_mode(pacer, PACER_WATCHES, PACER_NO_QUOTA, now);
}

/*
 * A flush has ended, which took "length".  Returns true if it was a stall:
 * then the device has no credit, and the clock must be set to now.
 */
bool
pacer_flush_ended(Pacer *pacer, double now, double length)
{
	double		usual = Max(STALL_FACTOR * pacer->median,
							pacer->median + STALL_LEAST);
	bool		stall;

	/* flushes follow each other, whatever their leaders have measured */
	if (pacer->nflushes > 0)
		length = Max(Min(length, now - pacer->ended_at), 0);
	stall = pacer->median > 0 && length > usual;
	pacer->ended_at = now;
	pacer->nflushes++;
	if (pacer->median == 0)
		pacer->median = length;
	pacer->median *= length > pacer->median ? MEDIAN_STEP : 1 / MEDIAN_STEP;
	if (stall)
		add_stall(pacer, now, length);
	switch (pacer->mode)
	{
		case PACER_WATCHES:
			if (stall)
				watch(pacer, now);
			break;
		case PACER_PACES:
			if (stall)
				shrink(pacer, now);
			else
				grow(pacer, now);
			break;
		case PACER_RESTS:
			if (now >= pacer->rests_until)
				set_mode(pacer, PACER_WATCHES, PACER_RESTED, now);
			break;
	}
	return stall;
}
