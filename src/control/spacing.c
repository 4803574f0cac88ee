/*-------------------------------------------------------------------------
 *
 * spacing.c
 *		How long after one WAL flush may the next one begin?
 *
 * One variable, the spacing: the least time from the end of a flush to the
 * begin of the next.  A leader sleeps for what is left of it, and carries the
 * commits that come meanwhile.  Two things set it.
 *
 * The floor, from stalls alone.  A volume with a quota serves flushes at full
 * speed until the quota of a window of time is used up, and then stalls until
 * the window ends.  Stalls that are whole windows apart show that quota, and
 * the flushes between them its rate.  Flushes that begin at PACE of this rate
 * do not stall.
 *
 * The response, above the floor.  The mean time from the start of a
 * transaction to the end of its flush tells which of two spacings is better:
 * they take turns in slots of time.  Commits per second would not tell, where
 * clients commit at a given rate.
 *
 * State		Event						Action
 * any			a stall, not on the grid	ignored, but the fourth counts
 * no quota		stalls on a grid			believe a quota; the response
 *											starts over at the floor
 * quota		a stall on the grid			its rate is the largest of the
 *											latest; growth ends
 * quota		none for long, although		the rate grows; if it has grown
 *				the floor holds flushes		GONE times, there is no quota
 * quota		stalls keep REFUTED of		no quota; believe none for a
 *				their share of time			while, twice as long each time
 * resting		slots have ended			try the next challenger
 * resting		UNUSUAL responses, twice	start over
 * trial		responses far above those	end the trial, rest
 *				that are usual
 * trial		the first pair is lost		end the trial, rest
 *				clearly
 * trial		both pairs won, and by		adopt the challenger
 *				ADOPT in all
 * trial		four slots, not won			rest
 *
 * Challengers, in turn: the current spacing times and by "step", rungs of a
 * ladder that are far from it, and none.  While a quota is believed nothing
 * below its floor is tried, as that would stall everybody, and none means the
 * floor.  When all challengers have lost, the step becomes smaller and the
 * rests longer.
 *
 * Invariants: spacing_now() is never below the floor, and learning never makes
 * a stall while a quota is believed.  The rate is never taken from flushes
 * that the floor holds back, or it would slow itself down; only stalls tell
 * it.
 *
 * This file is arithmetic.  It uses neither shared memory nor the server, so
 * t/ can compile it alone.  Locking: the caller excludes others.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "control/spacing.h"

#define STALL_FACTOR	5.0		/* usual flushes that a stall takes at least */
#define STALL_LEAST		1500.0	/* ... and above the usual one */
#define USUAL_STEP		1.02	/* of the running median of flushes */

/* The floor */
#define PACE			0.98	/* of the rate that the device allows */
#define GRID			0.05	/* windows, off a whole number of them */
#define SAME_STALL		2		/* flushes after it: they belong to it */
#define WINDOW_LEAST	15e3
#define DISTANCE_MOST	3e6
#define GROW_WINDOWS	2.0		/* without a stall, before the rate grows */
#define GROW			0.03	/* of the rate; then it doubles */
#define GONE			16.0	/* times the rate: there is no quota */
#define REFUTE_STALLS	12
#define REFUTED			0.5		/* of the time that stalls took before */
#define QUOTA_REST		10e6
#define QUOTA_REST_MOST	300e6

/* The response */
#define SLOT			100e3
#define SLOT_COMMITS	200		/* at least */
#define SLOT_MOST		2.5e6
#define ADOPT			0.03	/* least gain */
#define CLEAR			0.2		/* ends a trial at once */
#define EARLY_FLUSHES	10
#define STEP			1.5
#define SPACING_LEAST	30.0
#define SPACING_MOST	10e3
#define SAME			1.05	/* spacings that do not differ */
#define REST_LEAST		4
#define REST_MOST		256
#define UNUSUAL			0.35	/* relative change of responses */
#define UNUSUAL_SLOTS	2
#define USUAL_WEIGHT	0.2

/* Spacings to begin with; most of the best ones are near the first. */
static const double ladder[] = {1000, 300, 3000, 100};

static void
note(Spacing *s, SpacingChange change, double now)
{
	s->change = change;
	s->changed_at = now;
}

void
spacing_init(Spacing *s, double now)
{
	memset(s, 0, sizeof(Spacing));
	s->quota.rest = QUOTA_REST;
	s->rest_length = REST_LEAST;
	s->since = now;
	for (int i = 0; i < 4; i++)
		s->trial.response[i] = NAN;
	note(s, SPACING_STARTED, now);
	spacing_settle(s, now);
}

bool
spacing_is_stall(double usual, double length)
{
	return length > Max(STALL_FACTOR * usual, usual + STALL_LEAST);
}

/* The least spacing that the quota allows; 0: any. */
double
spacing_floor(const Spacing *s)
{
	return Max(0.0, s->quota.apart - s->usual);
}

double
spacing_now(const Spacing *s)
{
	bool		challenged = s->trial.running && s->trial.slot % 2 == 0;

	return Max(challenged ? s->trial.challenger : s->current, spacing_floor(s));
}

static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/*----------------------------------------------------------------
 * Slots
 *----------------------------------------------------------------
 */

static void
begin_slot(Spacing *s, double now)
{
	s->slot_began = now;
	s->slot_ends = now + SLOT;
	s->flushes = s->commits = s->responses = 0;
}

/* A sweep came between. */
void
spacing_settle(Spacing *s, double now)
{
	s->trial.running = false;
	s->quota.stalled_at = s->quota.stall_ended = 0;
	s->quota.flushes = 0;
	s->ended = now;
	begin_slot(s, now);
}

/* What was measured is void. */
static void
start_over(Spacing *s, double now)
{
	s->trial.running = false;
	s->rest = 0;
	s->rest_length = REST_LEAST;
	s->turn = s->lost = s->unusual = 0;
	s->usual_response = 0;
	begin_slot(s, now);
}

/*----------------------------------------------------------------
 * The floor
 *----------------------------------------------------------------
 */

static void
set_rate(SpacingQuota *q, double growth)
{
	q->growth = growth;
	q->apart = q->believed ? 1.0 / (PACE * q->rate * growth) : 0;
}

static void
believe(Spacing *s, bool believed, SpacingChange change, double now)
{
	SpacingQuota *q = &s->quota;

	q->believed = believed;
	q->stalls_held = 0;
	q->stalled[1] = 0;
	if (!believed)
		q->nstalls = 0;
	set_rate(q, 1.0);
	s->current = 0;
	start_over(s, now);
	note(s, change, now);
}

static void
add_distance(SpacingQuota *q, double distance)
{
	int			n;

	q->distance[q->nstalls % SPACING_STALLS] = distance;
	q->rates[q->nstalls % SPACING_STALLS] = q->flushes / distance;
	q->nstalls++;
	n = Min(q->nstalls, SPACING_STALLS);
	q->rate = 0;
	for (int i = 0; i < n; i++)
		q->rate = Max(q->rate, q->rates[i]);
}

static bool
is_on_grid(double distance, double window)
{
	double		windows = distance / window;

	return windows >= 1 - GRID && fabs(windows - rint(windows)) <= GRID;
}

/* Are the latest stalls whole windows apart?  Sets the window. */
static bool
find_window(SpacingQuota *q)
{
	double		sorted[SPACING_STALLS];

	if (q->nstalls < SPACING_STALLS)
		return false;
	memcpy(sorted, q->distance, sizeof(sorted));
	qsort(sorted, SPACING_STALLS, sizeof(double), compare);
	for (int i = 0; i < SPACING_STALLS; i++)
		if (!is_on_grid(sorted[i], sorted[1]))
			return false;
	if (sorted[1] < WINDOW_LEAST)
		return false;
	q->window = sorted[1];
	return true;
}

/* Has the floor failed to remove stalls? */
static bool
is_refuted(SpacingQuota *q)
{
	return ++q->stalls_held > REFUTE_STALLS &&
		q->stalled[1] > REFUTED * q->stalled[0];
}

static bool
refute(Spacing *s, double now)
{
	SpacingQuota *q = &s->quota;

	q->rests_until = now + q->rest;
	q->rest = Min(2 * q->rest, QUOTA_REST_MOST);
	s->quotas_refuted++;
	believe(s, false, SPACING_QUOTA_REFUTED, now);
	q->stalled_at = now;
	q->flushes = 0;
	return true;
}

static bool
stall_ended(Spacing *s, double length, double now)
{
	SpacingQuota *q = &s->quota;
	double		distance = now - q->stalled_at;
	double	   *stalled = &q->stalled[q->believed];

	*stalled += 0.25 * (Min(1.0, (length - s->usual) /
							(now - q->stall_ended)) - *stalled);
	q->stall_ended = now;
	q->held = 0;
	q->grow_at = GROW_WINDOWS * q->window;
	if (q->growth > 1)			/* that was the cause */
		q->stalls_held = 0;
	if (q->believed && is_refuted(q))
		return refute(s, now);
	if (q->flushes <= SAME_STALL)
		return false;
	if (distance <= DISTANCE_MOST)
		add_distance(q, distance);
	else if (!q->believed)
		q->nstalls = 0;
	set_rate(q, 1.0);
	q->stalled_at = now;
	q->flushes = 0;
	if (q->believed || now < q->rests_until || !find_window(q))
		return false;
	s->quotas_found++;
	believe(s, true, SPACING_QUOTA_FOUND, now);
	return true;
}

/* No stall, although the floor holds flushes back: is there more? */
static bool
grow(Spacing *s, double began, double now)
{
	SpacingQuota *q = &s->quota;
	double		floor_is = spacing_floor(s);

	if (spacing_now(s) > floor_is || began - s->ended > 1.1 * floor_is + 100)
		return false;
	q->held += now - s->ended;
	if (q->held < q->grow_at)
		return false;
	q->grow_at = q->held + GROW_WINDOWS * q->window;
	if (q->growth > GONE)
	{
		believe(s, false, SPACING_QUOTA_GONE, now);
		return true;
	}
	set_rate(q, 1 + Max(GROW, 2 * (q->growth - 1)));
	return false;
}

/*----------------------------------------------------------------
 * The response
 *----------------------------------------------------------------
 */

static bool
are_same(double a, double b)
{
	return a <= b * SAME && b <= a * SAME;
}

/* Add a challenger to the list of "n", if it is one. */
static int
add_challenger(const Spacing *s, double *list, int n, double spacing)
{
	if (spacing != 0 &&
		(spacing < SPACING_LEAST || spacing > SPACING_MOST ||
		 spacing < SAME * spacing_floor(s)))
		return n;
	if (are_same(spacing, s->current))
		return n;
	for (int i = 0; i < n; i++)
		if (are_same(spacing, list[i]))
			return n;
	list[n] = spacing;
	return n + 1;
}

static bool
choose_challenger(Spacing *s)
{
	double		from = Max(s->current, spacing_floor(s));
	double		list[8];
	int			n = 0;

	n = add_challenger(s, list, n, 0);
	n = add_challenger(s, list, n, from * STEP);
	n = add_challenger(s, list, n, from / STEP);
	for (int i = 0; i < (int) lengthof(ladder); i++)
		n = add_challenger(s, list, n, ladder[i]);
	s->candidates = n;
	if (n == 0)
		return false;
	s->trial.challenger = list[s->turn++ % n];
	return true;
}

static bool
adopt(Spacing *s, double now)
{
	s->current = s->trial.challenger;
	s->since = now;
	s->adoptions++;
	s->trial.running = false;
	s->trial.outcome = SPACING_ADOPTED;
	s->rest = 0;
	s->turn = 1;
	s->lost = s->unusual = 0;
	s->usual_response = s->trial.response[0];
	s->rest_length = REST_LEAST;
	note(s, SPACING_ADOPTED, now);
	return true;
}

static bool
lose(Spacing *s, SpacingChange outcome, double now)
{
	int			round = Max(2, s->candidates);

	s->trial.running = false;
	s->trial.outcome = outcome;
	note(s, outcome, now);
	s->rest = Max(1, s->rest_length / round);
	if (++s->lost >= round)
	{
		s->lost = 0;
		s->rest = s->rest_length;
		s->rest_length = Min(2 * s->rest_length, REST_MOST);
	}
	return false;
}

static bool
trial_slot_ended(Spacing *s, double response, double now)
{
	SpacingTrial *t = &s->trial;
	double	   *r = t->response;
	double		challenger,
				current;

	r[t->slot++] = response;
	if (t->slot == 2 && r[0] > r[1] * (1 + CLEAR))
		return lose(s, SPACING_ENDED_EARLY, now);
	if (t->slot == 2 && Min(r[1], s->usual_response) > r[0] * (1 + CLEAR))
		return adopt(s, now);
	if (t->slot < 4)
		return false;
	challenger = r[0] + r[2];
	current = Min(r[1] + r[3], 2 * s->usual_response);
	if (t->challenger == 0 ? challenger < current :
		challenger < (1 - ADOPT) * current && r[0] < r[1] && r[2] < r[3])
		return adopt(s, now);
	return lose(s, SPACING_LOST, now);
}

static bool
rest_slot_ended(Spacing *s, double response, double now)
{
	double		off = response - s->usual_response;

	if (s->usual_response == 0)
		s->usual_response = response;
	else if (fabs(off) <= UNUSUAL * s->usual_response)
	{
		s->unusual = 0;
		s->usual_response += USUAL_WEIGHT * off;
	}
	else if (++s->unusual >= UNUSUAL_SLOTS)
	{
		start_over(s, now);
		s->usual_response = response;
		note(s, SPACING_LOAD_CHANGED, now);
		return true;
	}
	if (s->rest-- > 0 || !choose_challenger(s))
		return false;
	s->trial.running = true;
	s->trial.slot = 0;
	s->trials++;
	for (int i = 0; i < 4; i++)
		s->trial.response[i] = NAN;
	return false;
}

static bool
slot_ended(Spacing *s, double now)
{
	double		response = s->responses / s->commits;
	bool		changed = s->trial.running ?
	trial_slot_ended(s, response, now) : rest_slot_ended(s, response, now);

	begin_slot(s, now);
	return changed;
}

/* Is the challenger so much worse that its slot ends now? */
static bool
is_much_worse(const Spacing *s)
{
	return s->trial.running && s->trial.slot % 2 == 0 &&
		s->flushes >= EARLY_FLUSHES && s->usual_response > 0 &&
		s->responses > (1 + CLEAR) * s->usual_response * s->commits;
}

static bool
is_slot_over(const Spacing *s, double now)
{
	return now >= s->slot_ends && s->flushes >= 2 && s->commits > 0 &&
		(s->commits >= SLOT_COMMITS || now - s->slot_began > SLOT_MOST);
}

/*
 * A flush has ended, and so have "commits" commits since the last call, whose
 * responses sum up to "responses".  Returns whether something has happened
 * that a person reads: Spacing.change.
 */
bool
spacing_flush_ended(Spacing *s, double began, double ended, double commits,
					double responses)
{
	double		length = ended - began;
	bool		changed = false;

	if (s->usual == 0)
		s->usual = length;
	s->usual *= length > s->usual ? USUAL_STEP : 1 / USUAL_STEP;
	s->flushes++;
	s->quota.flushes++;
	s->commits += commits;
	s->responses += responses;
	if (spacing_is_stall(s->usual, length))
		changed = stall_ended(s, length, ended);
	else if (s->quota.believed)
		changed = grow(s, began, ended);
	if (is_much_worse(s))
	{
		lose(s, SPACING_ENDED_EARLY, ended);
		begin_slot(s, ended);
	}
	else if (is_slot_over(s, ended))
		changed |= slot_ended(s, ended);
	s->ended = ended;
	return changed;
}
