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
 * could do more, so the rate grows for a moment while flushes are held back.
 * A stall ends that, and its length tells the quota: the rest of the window
 * was enough for it.  If the device had kept some quota, that is too much, and
 * another stall a few whole windows later takes it back.  A stall a few whole
 * windows after another, and that one after a third, tells as much if the rate
 * has not changed meanwhile: the device allows less than before, the rest of
 * the time since the stall before.  Any other stall is a hiccup.  Stalls that
 * take a small part of a window are hiccups, too, as with busy processors
 * flushes are late that often; but if they keep coming whole windows apart,
 * the rate is a little too high.  The pacer never takes its own pace for the
 * device's rate, and would slow itself down further if it did.  If no flush
 * stalls however the rate grows, it watches again; after ten windows, in which
 * other writes may have come between, also at half of the rate that watching
 * found, or if stalls take half of the time that they took before.  A quota
 * that comes back has the same windows, so fewer stalls show it.
 *
 * Caution.  A device may keep what it did not need of its quota, and then do
 * more for a moment.  If two stalls show that the known rate is there again
 * just after growth had found no quota, the pacer waits longer before it
 * grows.
 *
 * Refutation.  If watching then finds the same rate, and pacing had not halved
 * the time that stalls take, their cause is no quota of flushes.  The pacer
 * rests, and for twice as long the next time.
 *
 * Alone.  Even distances save a session that commits alone no flush, only the
 * stalls.  On some file systems a flush that is spaced from the one before
 * takes more writes, and so more of a quota of writes.  With a single session,
 * the pacer watches again at ALONE_LEAST of the rate, and rests if watching
 * finds the same rate as before, until another session leads a flush.
 *
 * This file is arithmetic.  It uses neither shared memory nor the server, so
 * t/ can compile it alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "control/pacer.h"

#define PACE			0.98	/* of the rate that the device allows */
#define STALL_FACTOR	8.0		/* medians that a stall takes at least */
#define STALL_LEAST		5000.0	/* ... and above the median */
#define STALL_WEIGHT	8
#define HICCUP			0.4		/* of the usual length of a stall */
#define MEDIAN_STEP		1.05
#define STALLED_LEAST	0.2		/* of the time, with a quota that binds */
#define STALLED_AGAIN	0.1		/* ... that is known from before */
#define OFF_WINDOW		0.05	/* mean distance from whole windows */
#define SAME_STALL		20e3	/* no window is shorter */
#define SAME_QUOTA		0.15	/* relative spread of flushes in a window */
#define KNOWN_STALLS	4		/* that show a quota whose window is known */
#define PATIENCE		300e3	/* before the rate grows */
#define PATIENCE_FLUSHES 100	/* ... at least, as one of them will stall */
#define PATIENCE_TIMES	16		/* that, after growth in vain */
#define PATIENCE_MOST	300e3	/* for each flush that a window allows */
#define GROWN			1.05	/* of the known rate, or growth was in vain */
#define CAUTION_MOST	16		/* times PATIENCE */
#define SOON_AGAIN		20		/* windows until the known rate is there again */
#define STEP_WINDOWS	2.2		/* length of a step: one may be partly over,
								 * and the next one must show a stall */
#define LAST_WINDOWS	4.4		/* ... of the last one: a device may have kept
								 * a window's quota */
#define LIMIT_LEAST		0.85	/* of the pace, or it is not the limit */
#define LONG_STALL		0.1		/* windows; less than the first step causes */
#define SOON			5		/* windows, at most, between stalls that show
								 * the quota */
#define NEAR_WINDOW		0.1		/* off a whole number of them */
#define SHORT_NEAR		0.05	/* ... for short stalls */
#define SHORT_STALLS	3		/* short stalls near a whole number of
								 * windows, less others, that lower the rate */
#define RECENT			10		/* windows of which "stalled" is a mean */
#define REFUTED			0.5		/* of the time that stalls took before pacing */
#define SHRINK_MOST		0.9		/* at once */
#define SHRUNK_LEAST	0.5		/* of the rate that watching found */
#define ALONE_LEAST		0.8		/* ... with a single session: what a p99 of a
								 * thirtieth may cost it */
#define ALONE_FLUSHES	100		/* led in succession; with two sessions, one
								 * may lead some */
#define SAME_RATE		0.1		/* relative */
#define REST_LEAST		10e6
#define REST_WINDOWS	100		/* at least, as watching takes 8 of them */
#define REST_MOST		640e6

/* Steps by which the rate grows. */
static const double growth[] = {0.15, 0.3};

static void
set_mode(Pacer *pacer, PacerMode mode, PacerReason reason, double now)
{
	pacer->mode = mode;
	pacer->reason = reason;
	pacer->since = now;
	pacer->nstalls = 0;
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
	return 1.0 / (PACE * pacer->rate);
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

/* A much shorter stall than usual is a hiccup between those of a quota. */
static bool
is_hiccup(Pacer *pacer, double length)
{
	pacer->stall_length += (length - pacer->stall_length) / STALL_WEIGHT;
	return length < HICCUP * pacer->stall_length;
}

/*
 * Remember a stall, unless it belongs to the last one.  A quota lets flushes
 * through between two stalls.  A device that lets none through is just slow.
 */
static void
add_stall(Pacer *pacer, double now, double length)
{
	PacerStall *stall;

	if (is_hiccup(pacer, length))
		return;
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
find_quota(Pacer *pacer, double *rate, double *stalled)
{
	double		distance[PACER_STALLS - 1];
	double		sorted[PACER_STALLS - 1];
	double		quota[PACER_STALLS - 1];
	double		window;
	double		nwindows = 0;
	double		time;
	double		off = 0;
	double		worst = 0;
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

		off += fabs(distance[i] / window - windows);
		worst = Max(worst, fabs(distance[i] / window - windows));
		nwindows += windows;
		quota[i] = (stall_before(pacer, i + 1)->nflushes -
					stall_before(pacer, i + 2)->nflushes) / windows;
	}
	qsort(quota, n, sizeof(double), compare);
	time = stall_before(pacer, 1)->ended_at -
		stall_before(pacer, n + 1)->ended_at;
	/* one of the stalls may be a hiccup */
	*stalled = length / time;
	if ((off - worst) / (n - 1) > OFF_WINDOW || *stalled < STALLED_LEAST ||
		quota[3 * n / 4] - quota[n / 4] > SAME_QUOTA * quota[n / 2])
		return 0;
	*rate = 0;
	for (int i = n / 4; i < n - n / 4; i++)
		*rate += quota[i] / (n - 2 * (n / 4)) * nwindows / time;
	return time / nwindows;
}

static bool
is_alone(const Pacer *pacer)
{
	return pacer->led >= ALONE_FLUSHES;
}

static void
begin_step(Pacer *pacer, double now)
{
	pacer->stepped_at = now;
	pacer->began_at = pacer->nflushes;
}

/* Is a stall one window after another, or a few? */
static bool
follows_window(const Pacer *pacer, double distance, double near)
{
	double		windows = distance / pacer->window;

	return windows > 1 - near && windows < SOON + near &&
		fabs(windows - rint(windows)) < near;
}

/* The same, by "n" stalls, of a quota whose window is known from before. */
static double
find_known_quota(Pacer *pacer, int n, double *rate, double *stalled)
{
	const PacerStall *last = stall_before(pacer, 1);
	const PacerStall *first = stall_before(pacer, n);
	double		time = last->ended_at - first->ended_at;
	double		nwindows = 0;
	double		least = INFINITY;
	double		most = 0;
	double		length = 0;

	for (int i = 1; i < n; i++)
	{
		const PacerStall *this = stall_before(pacer, i);
		const PacerStall *before = stall_before(pacer, i + 1);
		double		distance = this->ended_at - before->ended_at;
		double		windows = rint(distance / pacer->window);
		double		quota = (this->nflushes - before->nflushes) / windows;

		if (!follows_window(pacer, distance, NEAR_WINDOW))
			return 0;
		nwindows += windows;
		least = Min(least, quota);
		most = Max(most, quota);
		length += this->length;
	}
	*stalled = length / time;
	*rate = (last->nflushes - first->nflushes) / time;
	if (*stalled < STALLED_AGAIN || most - least > SAME_QUOTA * most + 1)
		return 0;
	return time / nwindows;
}

/*
 * Growth has just found no quota.  Is the known one there again?  Returns its
 * window, or 0.  Two stalls measure the rate less well than it was known.
 */
static double
find_again(Pacer *pacer, double *rate, double *stalled, double now)
{
	double		window;

	if (pacer->reason != PACER_NO_QUOTA || pacer->nstalls < 2 ||
		now - pacer->since > SOON_AGAIN * pacer->window)
		return 0;
	window = find_known_quota(pacer, 2, rate, stalled);
	if (window == 0 || fabs(*rate / pacer->known - 1) > SAME_QUOTA)
		return 0;
	*rate = pacer->known;
	return window;
}

/* Did pacing cost the only session too much? */
static bool
costs_too_much(const Pacer *pacer)
{
	return is_alone(pacer) && pacer->rate < ALONE_LEAST * pacer->last_rate;
}

static void
rest(Pacer *pacer, PacerReason reason, double window, double now)
{
	set_mode(pacer, PACER_RESTS, reason, now);
	pacer->rests_until = now + Max(pacer->rest, REST_WINDOWS * window);
	pacer->rest = Min(2 * pacer->rest, REST_MOST);
	pacer->window = reason == PACER_REFUTED ? 0 : window;
	pacer->last_rate = 0;
}

/* The device is as it was before pacing ended.  Was pacing worth it? */
static bool
ends_in_rest(Pacer *pacer, double window, double stalled, double now)
{
	if (costs_too_much(pacer))
		rest(pacer, PACER_ALONE, window, now);
	else if (pacer->stalled > REFUTED * stalled)
		rest(pacer, PACER_REFUTED, window, now);
	return pacer->mode == PACER_RESTS;
}

/* A stall: pace if it is one of a quota. */
static void
watch(Pacer *pacer, double now, double length)
{
	double		rate;
	double		stalled;
	double		window;
	bool		again;

	add_stall(pacer, now, length);
	window = find_again(pacer, &rate, &stalled, now);
	again = window > 0;
	if (window == 0 && pacer->window > 0 && pacer->nstalls >= KNOWN_STALLS)
		window = find_known_quota(pacer, KNOWN_STALLS, &rate, &stalled);
	if (window == 0 && pacer->nstalls >= PACER_STALLS)
		window = find_quota(pacer, &rate, &stalled);
	if (window == 0)
		return;
	if (fabs(rate / pacer->last_rate - 1) < SAME_RATE &&
		ends_in_rest(pacer, window, stalled, now))
		return;
	pacer->caution = again ? Min(2 * pacer->caution, CAUTION_MOST) : 1;
	set_mode(pacer, PACER_PACES, PACER_QUOTA, now);
	pacer->window = window;
	pacer->rate = pacer->known = pacer->found = rate;
	pacer->last_rate = 0;
	pacer->stalled_at = now;
	pacer->stalled = 0;
	pacer->found_stalled = stalled;
	pacer->patience = pacer->caution;
	pacer->steps = 0;
	pacer->followed = 0;
	pacer->shorts = 0;
	pacer->before = 0;
	begin_step(pacer, now);
}

/*----------------------------------------------------------------
 * Pacing
 *----------------------------------------------------------------
 */

/* Growth was in vain. */
static void
be_patient(Pacer *pacer)
{
	pacer->patience = Min(2 * pacer->patience, PATIENCE_TIMES * pacer->caution);
}

/* The device had kept some quota, so the stall that ended growth was short. */
static void
take_growth_back(Pacer *pacer, double now)
{
	pacer->known = pacer->before;
	pacer->before = 0;
	pacer->followed = 0;
	be_patient(pacer);
	pacer_settle(pacer, now);
}

/*
 * A stall has shown the quota: what it left of the pace.  After growth, that
 * is a little too much, as the stall began with a flush that came too early.
 */
static void
end_step(Pacer *pacer, double now, double length)
{
	double		time = pacer->steps > 0 ? pacer->window : now - pacer->stalled_at;
	double		left = 1 - Min(length / time, SHRINK_MOST);

	pacer->rate *= PACE * left;
	if (pacer->steps > 0)
	{
		pacer->rate *= PACE;
		if (pacer->rate > GROWN * pacer->known)
			pacer->before = pacer->known;
		else
		{
			pacer->rate = pacer->known;
			be_patient(pacer);
		}
	}
	pacer->known = pacer->rate;
	pacer->steps = 0;
	pacer->followed = 0;
	begin_step(pacer, now);
}

/* A short stall: a hiccup, or a sign that the rate is a little too high. */
static void
note_short_stall(Pacer *pacer, double now)
{
	double		since = now - pacer->short_at;

	if (follows_window(pacer, since, SHORT_NEAR))
	{
		pacer->short_at = now;
		pacer->shorts++;
	}
	else if (since > SOON * pacer->window)
	{
		pacer->short_at = now;
		pacer->shorts = 0;
	}
	else
		pacer->shorts = Max(pacer->shorts - 1, 0);
	if (pacer->shorts < SHORT_STALLS || pacer->steps > 0)
		return;
	pacer->known *= PACE;
	pacer->before = 0;
	pacer->shorts = 0;
	be_patient(pacer);
	pacer_settle(pacer, now);
}

/*
 * A stall while pacing: the rate has grown too far, or the device has become
 * slower, or it was a hiccup.
 */
static void
shrink(Pacer *pacer, double now, double length)
{
	double		since = now - pacer->stalled_at;
	double		recent = RECENT * pacer->window;
	double		least = is_alone(pacer) ? ALONE_LEAST : SHRUNK_LEAST;

	if (length < LONG_STALL * pacer->window)
	{
		note_short_stall(pacer, now);
		return;
	}
	pacer->stalled = pacer->stalled * exp(-since / recent) + length / recent;
	pacer->followed = follows_window(pacer, since, NEAR_WINDOW) ?
		pacer->followed + 1 : 0;
	if (pacer->followed >= 1 && pacer->before > 0)
		take_growth_back(pacer, now);
	else if (pacer->steps > 0 || pacer->followed >= 2)
		end_step(pacer, now, length);
	pacer->stalled_at = now;
	if (now - pacer->since < recent && !is_alone(pacer))
	{
		/* too soon to tell; other writes may have come between */
		pacer->rate = Max(pacer->rate, least * pacer->found);
		pacer->known = pacer->rate;
	}
	else if (pacer->rate < least * pacer->found ||
			 (now - pacer->since > 2 * recent &&
			  pacer->stalled > REFUTED * pacer->found_stalled))
	{
		pacer->last_rate = pacer->found;
		set_mode(pacer, PACER_WATCHES, PACER_STALLED, now);
	}
}

/* For how long does the rate stay as it is? */
static double
step_length(const Pacer *pacer)
{
	double		least = STEP_WINDOWS * pacer->window;
	double		patience = Max(PATIENCE, PATIENCE_FLUSHES / pacer->rate);
	double		quota = pacer->rate * pacer->window;

	if (pacer->steps == lengthof(growth))
		return LAST_WINDOWS * pacer->window;
	if (pacer->steps > 0)
		return least;

	/*
	 * where a window has few flushes, such a stall is hardly longer than the
	 * distance between them
	 */
	return Max(least, Min(pacer->patience * patience,
						  pacer->caution * PATIENCE_MOST * quota));
}

/*
 * Could the device do more?  Only a higher rate can tell.  If no flush stalls
 * after the last step, a look without pacing tells sooner than further steps.
 */
static void
grow(Pacer *pacer, double now)
{
	double		pace = 1 / pacer_interval(pacer);
	double		flushed;

	if (now - pacer->stepped_at < step_length(pacer))
		return;
	flushed = (pacer->nflushes - pacer->began_at) / (now - pacer->stepped_at);
	if (flushed < LIMIT_LEAST * pace)
	{
		/* the sessions are the limit */
		pacer_settle(pacer, now);
		return;
	}
	if (pacer->steps == lengthof(growth))
	{
		pacer->rest = REST_LEAST;
		set_mode(pacer, PACER_WATCHES, PACER_NO_QUOTA, now);
		return;
	}
	begin_step(pacer, now);
	if (pacer->before > 0)
		pacer->patience = pacer->caution;	/* growth was right */
	pacer->before = 0;
	pacer->rate *= 1 + growth[pacer->steps++];
}

/* Back to the known rate: what is tried just now has shown nothing. */
void
pacer_settle(Pacer *pacer, double now)
{
	pacer->rate = pacer->known;
	pacer->steps = 0;
	begin_step(pacer, now);
}

/* Is a flush that took "length" a stall?  "median" is what flushes take. */
bool
pacer_is_stall(double median, double length)
{
	return median > 0 && length > Max(STALL_FACTOR * median,
									  median + STALL_LEAST);
}

/*
 * A flush of "leader" has ended, which took "length".  Returns true if it was
 * a stall: then the device has no credit, and the clock must be set to now.
 */
bool
pacer_flush_ended(Pacer *pacer, double now, double length, int leader)
{
	bool		stall;

	/* flushes follow each other, whatever their leaders have measured */
	if (pacer->nflushes > 0)
		length = Max(Min(length, now - pacer->ended_at), 0);
	stall = pacer_is_stall(pacer->median, length);
	pacer->ended_at = now;
	pacer->nflushes++;
	pacer->led = leader == pacer->leader ? pacer->led + 1 : 1;
	pacer->leader = leader;
	if (pacer->median == 0)
		pacer->median = length;
	pacer->median *= length > pacer->median ? MEDIAN_STEP : 1 / MEDIAN_STEP;
	switch (pacer->mode)
	{
		case PACER_WATCHES:
			if (stall)
				watch(pacer, now, length);
			break;
		case PACER_PACES:
			if (stall)
				shrink(pacer, now, length);
			else
				grow(pacer, now);
			break;
		case PACER_RESTS:
			if (now >= pacer->rests_until ||
				(pacer->reason == PACER_ALONE && !is_alone(pacer)))
				set_mode(pacer, PACER_WATCHES, PACER_RESTED, now);
			break;
	}
	return stall;
}
