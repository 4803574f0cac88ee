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
 * the window ends.  Stalls show that quota if they are whole windows apart,
 * with the same number of flushes in each window, and take much of the time.
 * Flushes that begin at a LITTLE less than this rate do not stall.  Stalls
 * much shorter than those of a quota, or off its windows, are hiccups, which
 * tell no rate.
 *
 * The response, above the floor.  Two spacings take turns in slots of time.
 * The mean time from the start of a transaction to the end of its commit tells
 * which is better; commits/s do not, where clients commit at a given rate.
 *
 * State		Event						Action
 * no quota		SPACING_STALLS stalls that	believe a quota; the response
 *				show one (show_quota())		starts over at the floor
 * no quota		stalls that take			no trial, for WATCH_STALLS
 *				STALLED_LEAST of the time
 * quota		a stall, if flushes came	the rate is the largest of those
 *				quicker than the rate, or	since the latest stalls, or since
 *				the floor held them back	the last growth before them
 * quota		no stall in LONGEST, nor in	the rate grows, by twice as much
 *				GROW_WINDOWS more, in		each time, until a stall;
 *				which the floor held		without a floor, there is no quota
 *				flushes back
 * quota		in LONGEST, CLEAR fewer		no floor until a stall
 *				flushes than its rate
 * quota		stalls, also hiccups, that	no quota; believe none for a
 *				keep REFUTED of their		while
 *				share of the time, though
 *				most leaders kept the floor
 * resting		its slots have ended		a trial: challenger, current,
 *											challenger, current
 * resting		responses UNUSUAL twice		start over
 * resting		sleeps carry nobody			start over; only the floor stays
 * trial		worse by CLEAR than usual,	end it; rest, longer each time
 *				or in the first pair		that all challengers have lost
 * trial		better by CLEAR than both	adopt the challenger
 * trial		better in both pairs, and	adopt the challenger
 *				by ADOPT than the usual
 *				and the current one; with
 *				none, better in the sum
 * trial		a longer sleep that carries	end it; rest
 *				no more commits per flush
 * trial		four slots, not better		end it; rest
 *
 * Challengers, in turn: none, the current spacing times and by STEP, and those
 * of a ladder.  While a quota is believed none means the floor, and nothing
 * below that is tried, as it would stall everybody.  A challenger must beat
 * what was usual before its trial, too: where clients commit at a given rate,
 * the backlog that it leaves makes the current one look bad.
 *
 * Invariants: spacing_now() is never below the floor; learning makes no stall
 * while a quota is believed, except the one that ends growth.  The pace of the
 * floor is never taken for the device's rate: the largest of the latest rates
 * counts, and growth tries more.
 *
 * Constants: a remark says what the simulation of 46 loads lost with it halved
 * or doubled: commits/s, mean response of open loads, commits/s with shifts.
 *
 * This file uses neither shared memory nor the server, so t/ can compile it
 * alone.  Locking: the caller excludes others.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/wal_device.h"
#include "control/spacing.h"

#define LITTLE			0.02	/* below the rate the floor keeps; a step of
								 * the running median of flushes; what a stall
								 * takes from the weight of those before.
								 * Doubled, 1.3% on quotas */

/* The floor */
#define GRID			0.05	/* windows: the mean of all stalls but one,
								 * half of any later, or hiccups made 500/s
								 * 230 in 10 s; and a shorter one is a hiccup:
								 * doubled, p99 on quotas up a third */
#define SAME_QUOTA		0.15	/* relative spread of flushes in a window,
								 * which may be one flush; 0.1: 10 of 1 or 2
								 * writes take 11 s, not 1; without one flush,
								 * 20% on btrfs, whose windows have 2 to 6 */
#define STALLED_LEAST	0.2		/* of the time; with 100 to 3000 writes/s it
								 * was 0.34 to 0.98, else up to 0.05 */
#define STALLED_TIME	1e6		/* over which that is a mean */
#define HICCUP			0.5		/* of the mean stall; beside busy processors
								 * hiccups took 4 to 12 ms, stalls 30 to 60 */
#define WATCH_STALLS	20		/* for which trials wait, two may differ, and
								 * no quota is refuted; 12: 2 of 16 halved
								 * quotas were.  If it is, none is believed
								 * while as many of the LONGEST pass */
#define HELD			0.5		/* of a distance, or it tells no rate; beside
								 * trials, 156/s fell to 75 in 10 s */
#define LONGEST			3e6		/* a window of 1 s, and two to spare: between
								 * stalls, of a slot (two commits/s), before
								 * growth; halved there, p99 of open loads 8% */
#define GROW_WINDOWS	2.0		/* halved, 1.1% less on quotas */
#define REFUTED			0.5		/* doubled, 17% on hiccups each 200 ms */

/* The response */
#define SLOT			100e3	/* halved, open loads 3%; doubled, shifts 2% */
#define SLOT_COMMITS	200		/* doubled 0.8%, open loads 2.5% */
#define SLOT_FLUSHES	16		/* ends a slot of long flushes; without, 5% in
								 * the first 12 s of these */
#define ADOPT			0.03	/* doubled, 0.5%; also the first growth, 0.3% */
#define CLEAR			0.2		/* doubled, 1%, open loads 2.6%, shifts 3.5%;
								 * also the weight of a slot in what is usual:
								 * halved, open loads 1% */
#define STEP			1.5		/* 2: 1.3%; 1.25: open loads 2.3% */
#define SPACING_MOST	10e3	/* or a flush; halved, 1.2% on quotas */
#define REST_MOST		256		/* 64: trials on plain disks take half longer */
#define UNUSUAL			0.35	/* doubled, open loads 1.8%, shifts 7% */
#define UNUSUAL_SLOTS	2		/* 1: open loads 1.9%; 4: shifts 6% */

/* Spacings to begin with, where a flush takes no longer than SPACING_MOST. */
static const double ladder[] = {1000, 300, 3000, 100};

void
spacing_init(Spacing *s, double now)
{
	memset(s, 0, sizeof(Spacing));
	s->rest_length = (int) lengthof(s->trial.response);
	spacing_settle(s, now);
}

/* The least spacing that the quota allows; 0: any. */
double
spacing_floor(const Spacing *s)
{
	const SpacingQuota *q = &s->quota;

	return q->believed ?
		Max(0.0, 1.0 / ((1 - LITTLE) * q->rate * q->growth) - s->usual) : 0;
}

static bool
is_challenged(const Spacing *s)
{
	return s->trial.running && s->trial.slot % 2 == 0;
}

double
spacing_now(const Spacing *s)
{
	return Max(is_challenged(s) ? s->trial.challenger : s->current,
			   spacing_floor(s));
}

/*---- Slots -------------------------------------------------------*/

static void
begin_slot(Spacing *s, double now)
{
	s->slot_began = now;
	s->flushes = s->commits = s->responses = 0;
}

/* What comes now tells a rate of its own. */
static void
begin_stretch(SpacingQuota *q, double now)
{
	q->from = now;
	q->flushes = q->kept = q->held = 0;
}

static void
interrupt_trial(Spacing *s, double now)
{
	if (s->trial.running)
		s->trial.outcome = SPACING_INTERRUPTED;
	s->trial.running = false;
	begin_slot(s, now);
}

/* A sweep came between. */
void
spacing_settle(Spacing *s, double now)
{
	interrupt_trial(s, now);
	s->quota.stalled_at = s->quota.stall_ended = 0;
	begin_stretch(&s->quota, 0);
	s->ended = now;
}

/* What was measured is void. */
static void
start_over(Spacing *s, double now)
{
	interrupt_trial(s, now);
	s->rest = s->turn = s->lost = s->unusual = 0;
	/* as long as a trial; halved, 0.5%, shifts 2.6% */
	s->rest_length = (int) lengthof(s->trial.response);
	s->usual_response = 0;
}

/*---- The floor ---------------------------------------------------*/

static void
believe(Spacing *s, bool believed, SpacingChange change, double now)
{
	SpacingQuota *q = &s->quota;

	q->believed = believed;
	q->stalls_held = 0;
	q->stalled[true] = 0;
	if (!believed)
		q->nstalls = 0;
	q->growth = 1;
	s->current = 0;
	start_over(s, now);
	s->change = change;
}

static void
sort(double *value)
{
	for (int i = 1; i < SPACING_STALLS; i++)
		for (int j = 0; j < i; j++)
		{
			double		less = Min(value[j], value[i]);

			value[i] = Max(value[j], value[i]);
			value[j] = less;
		}
}

static void
add_distance(SpacingQuota *q, double distance)
{
	q->distance[q->nstalls % SPACING_STALLS] = distance;
	q->rates[q->nstalls % SPACING_STALLS] = q->flushes / distance;
	q->nstalls++;
	q->rate = 0;
	for (int i = 0; i < Min(q->nstalls, SPACING_STALLS); i++)
		q->rate = Max(q->rate, q->rates[i]);
}

/*
 * Do the latest stalls show a quota: whole windows apart, but for one, with as
 * many flushes in each, but for two, and much of the time?  Many random ones
 * show one, too: after WATCH_STALLS, none may differ.  Sets window and rate.
 */
static bool
show_quota(SpacingQuota *q)
{
	double		sorted[SPACING_STALLS];
	double		off = 0;
	double		worst = 0;
	int			spare = q->nstalls < WATCH_STALLS ? 1 : 0;

	if (q->nstalls < SPACING_STALLS || q->stalled[false] < STALLED_LEAST)
		return false;
	memcpy(sorted, q->distance, sizeof(sorted));
	sort(sorted);
	q->window = sorted[1];
	for (int i = 0; i < SPACING_STALLS; i++)
	{
		double		windows = q->distance[i] / q->window;
		double		whole = Max(rint(windows), 1);

		off += fabs(windows - whole);
		worst = Max(worst, fabs(windows - whole));
		sorted[i] = q->rates[i] * q->distance[i] / whole;
	}
	sort(sorted);
	if (off - worst > GRID * (SPACING_STALLS - 1) ||
		sorted[SPACING_STALLS - 1 - spare] - sorted[spare] >
		Max(SAME_QUOTA * sorted[SPACING_STALLS / 2], 1.01))
		return false;
	for (int i = 0; i < SPACING_STALLS; i++)
		q->rates[i] = sorted[SPACING_STALLS / 2] / q->window;
	q->rate = q->rates[0];
	return true;
}

/*
 * Is a stall much shorter than those of a quota, or not whole windows after
 * the last one?  With busy processors, some flushes take a few ticks of the
 * scheduler longer.  Many short stalls must not hide a few long ones, so the
 * mean is one over the time stalled.  Nor may one hang, longer than any
 * window, hide them, so it does not count in the mean.  A device that has
 * stalled nothing for a while may begin a window, so the first long stall
 * after growth is anywhere.
 */
static bool
is_hiccup(SpacingQuota *q, double length, double distance)
{
	double		windows = distance / q->window;

	if (q->believed)
		return length < GRID * q->window ||
			(distance <= LONGEST &&
			 (q->growth == 1 || length < STALLED_LEAST * q->window) &&
			 fabs(windows - Max(rint(windows), 1)) > 2 * GRID);
	if (length > LONGEST)
		return true;
	q->lengths = (1 - LITTLE) * q->lengths + length;
	q->squares = (1 - LITTLE) * q->squares + length * length;
	return length * q->lengths < HICCUP * q->squares;
}

static bool
stall_ended(Spacing *s, double length, double now)
{
	SpacingQuota *q = &s->quota;
	double		stretch = now - q->from;
	double		apart = now - q->stall_ended;
	double	   *stalled = &q->stalled[q->believed];
	bool		tells = !q->believed || q->flushes > q->rate * stretch ||
	q->held + length >= HELD * stretch;
	bool		hiccup = is_hiccup(q, length, now - q->stalled_at);

	/* hiccups, and flushes whose ends were seen together, are no stalls */
	if (apart < length / 2 || stretch <= 0 ||
		(hiccup && (!q->believed || length < GRID * q->window)))
		return false;
	*stalled += (*stalled == 0 ? 1 : apart / (apart + STALLED_TIME)) *
		(Min(1.0, (length - s->usual) / apart) - *stalled);
	q->stall_ended = now;
	if (q->believed && 2 * q->kept >= q->flushes &&
		++q->stalls_held > WATCH_STALLS &&
		q->stalled[true] > REFUTED * q->stalled[false])
	{
		/* the floor has failed to remove stalls */
		q->rests_until = now + WATCH_STALLS * LONGEST;
		s->quotas_refuted++;
		believe(s, false, SPACING_QUOTA_REFUTED, now);
		return true;
	}
	if (hiccup)
		return false;
	if (stretch <= LONGEST && tells)
		add_distance(q, stretch);
	else if (!q->believed)
		q->nstalls = 0;
	q->growth = 1;
	q->stalled_at = now;
	begin_stretch(q, now);
	if (q->believed ? fabs(q->rate - q->reported) <= UNUSUAL * q->reported :
		now < q->rests_until || !show_quota(q))
		return false;
	q->reported = q->rate;
	s->change = SPACING_QUOTA_CHANGED;
	if (!q->believed)
	{
		s->quotas_found++;
		believe(s, true, SPACING_QUOTA_FOUND, now);
	}
	return true;
}

/*
 * The floor holds flushes back, and none stalls: is there more?  Flushes that
 * come late, as nobody has committed, try no rate.  A leader that sleeps would
 * have flushed at once, even if it wakes up too late.
 */
static bool
grow(Spacing *s, double began, double now, bool slept)
{
	SpacingQuota *q = &s->quota;
	double		floor_is = spacing_floor(s);
	double		wait = q->growth > 1 ? GROW_WINDOWS * q->window : LONGEST;

	if (spacing_now(s) > floor_is)
		return false;
	if (floor_is > 0 && q->from > 0 && now - q->from > LONGEST &&
		q->flushes < (1 - CLEAR) * q->rate * (now - q->from))
	{
		/* far below the quota: no floor until a flush stalls */
		begin_stretch(q, now);
		q->stalls_held = 0;
		q->growth = 1 / ((1 - LITTLE) * q->rate * s->usual);
		return false;
	}
	if (!slept && began - s->ended > 1.1 * floor_is + 100)
		return false;
	q->held += now - s->ended;
	if (q->held < wait)
		return false;
	if (floor_is == 0)
	{
		believe(s, false, SPACING_QUOTA_GONE, now);
		return true;
	}
	begin_stretch(q, now);
	if (q->growth == 1)
		q->stalls_held = 0;
	q->growth = 1 + Max(ADOPT, 2 * (q->growth - 1));
	return false;
}

/*---- The response ------------------------------------------------*/

/*
 * Add a challenger to the list of "n", if it is one.  Commits wait for half of
 * the spacing, on average, so one above the usual response is hardly better;
 * without that bound, 1% on plain disks, 0.9% on quotas.
 */
static int
add_challenger(const Spacing *s, double *list, int n, double spacing)
{
	if (spacing == s->current || spacing > s->usual_response ||
		spacing > Max(SPACING_MOST, s->usual) ||
		(spacing != 0 && spacing <= spacing_floor(s)))
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
		n = add_challenger(s, list, n, ladder[i] *
						   Max(1, s->usual / SPACING_MOST));
	s->candidates = n;
	if (n == 0)
		return false;
	s->trial.challenger = list[s->turn++ % n];
	return true;
}

/* Returns whether the challenger is adopted. */
static bool
end_trial(Spacing *s, SpacingChange outcome)
{
	int			round = Max(2, s->candidates);

	s->trial.running = false;
	s->trial.outcome = s->change = outcome;
	if (outcome == SPACING_ADOPTED)
	{
		s->current = s->trial.challenger;
		s->usual_response = s->trial.response[0];
		s->adoptions++;
		s->turn = 1;
		s->rest = s->lost = s->unusual = 0;
		return true;
	}
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
trial_slot_ended(Spacing *s, double response)
{
	SpacingTrial *t = &s->trial;
	double	   *r = t->response;
	double		challenger,
				current;

	t->carried[t->slot % 2] += s->commits / s->flushes;
	r[t->slot++] = response;
	if (t->slot == 2 && r[0] > r[1] * (1 + CLEAR))
		return end_trial(s, SPACING_ENDED_EARLY);
	/* a longer sleep that carries no more is better by chance */
	if (t->slot % 2 == 0 && t->challenger > s->current &&
		t->carried[0] < (1 + ADOPT) * t->carried[1])
		return end_trial(s, SPACING_LOST);
	if (t->slot == 2 && Min(r[1], s->usual_response) > r[0] * (1 + CLEAR))
		return end_trial(s, SPACING_ADOPTED);
	if (t->slot < 4)
		return false;
	challenger = r[0] + r[2];
	current = Min(r[1] + r[3], 2 * s->usual_response);
	return end_trial(s, (t->challenger == 0 ? challenger < current :
						 challenger < (1 - ADOPT) * current &&
						 r[0] < r[1] && r[2] < r[3]) ?
					 SPACING_ADOPTED : SPACING_LOST);
}

static bool
rest_slot_ended(Spacing *s, double response, double now)
{
	const SpacingQuota *q = &s->quota;
	double		off = response - s->usual_response;

	if (s->current > 0 && s->commits < (1 + ADOPT) * s->flushes)
	{
		start_over(s, now);
		s->current = 0;
		s->change = SPACING_LOAD_CHANGED;
		return true;
	}
	if (s->usual_response == 0)
		s->usual_response = response;
	else if (fabs(off) <= UNUSUAL * s->usual_response)
	{
		s->unusual = 0;
		s->usual_response += CLEAR * off;
	}
	else if (++s->unusual >= UNUSUAL_SLOTS)
	{
		start_over(s, now);
		s->usual_response = response;
		s->change = SPACING_LOAD_CHANGED;
		return true;
	}
	/* a trial would blur what stalls show that may be those of a quota */
	if (!q->believed && now >= q->rests_until &&
		q->stalled[false] >= STALLED_LEAST && q->nstalls < WATCH_STALLS &&
		now - q->stall_ended < STALLED_TIME)
		return false;
	if (s->rest-- > 0 || !choose_challenger(s))
		return false;
	s->trial.running = true;
	s->trial.slot = 0;
	s->trial.carried[0] = s->trial.carried[1] = 0;
	s->trials++;
	for (int i = 0; i < 4; i++)
		s->trial.response[i] = NAN;
	return false;
}

/*
 * Since the last call, "commits" commits have ended, whose responses sum up to
 * "responses".  Returns whether something has happened that a person reads:
 * Spacing.change.
 */
bool
spacing_look(Spacing *s, double now, double commits, double responses)
{
	bool		changed;

	s->commits += commits;
	s->responses += responses;
	/* a challenger may be so much worse that its slot ends now */
	if (is_challenged(s) && s->flushes >= 2 &&
		s->usual_response > 0 &&
		s->responses > (1 + CLEAR) * s->usual_response * s->commits)
	{
		s->trial.response[s->trial.slot] = s->responses / s->commits;
		changed = end_trial(s, SPACING_ENDED_EARLY);
	}
	else if (now < s->slot_began + SLOT || s->flushes < 2 || s->commits == 0 ||
			 (s->commits < SLOT_COMMITS && now - s->slot_began <= LONGEST &&
			  (s->usual <= SPACING_MOST || s->flushes < SLOT_FLUSHES)))
		return false;
	else
		changed = s->trial.running ?
			trial_slot_ended(s, s->responses / s->commits) :
			rest_slot_ended(s, s->responses / s->commits, now);
	begin_slot(s, now);
	return changed;
}

/*
 * When is the next call of spacing_look() worth something?  What is worse by
 * CLEAR shows in that part of a slot; at its end, open loads 1.4%, shifts 2%.
 */
double
spacing_next_look(const Spacing *s, double now)
{
	return Max(now + CLEAR * SLOT, is_challenged(s) ? 0 : s->slot_began + SLOT);
}

/*
 * A flush has ended, whose leader "slept" or not.  Returns as spacing_look()
 * does.
 */
bool
spacing_flush_ended(Spacing *s, double began, double ended, bool slept)
{
	double		length = ended - began;
	bool		changed = false;

	if (s->usual == 0)
		s->usual = length;
	s->usual *= length > s->usual ? 1 + LITTLE : 1 / (1 + LITTLE);
	s->flushes++;
	s->quota.flushes++;
	s->quota.kept += began - s->ended > 0.9 * spacing_floor(s) - 100;
	if (length > wal_device_stall_limit(s->usual))
		changed = stall_ended(s, length, ended);
	else if (s->quota.believed)
		changed = grow(s, began, ended, slept);
	s->ended = ended;
	return changed;
}
