/*-------------------------------------------------------------------------
 *
 * gather.c
 *		Which sessions are about to commit, and does waiting for them pay?
 *
 * Habits.  Each session has a usual time from the end of one commit to the
 * begin of the next, a moving average, and a usual deviation from that, as
 * TCP has of round trips (Jacobson, 1988).  The leader of a flush waits for
 * all sessions that come within a horizon, or for none: a wait for some of
 * them costs time and saves no flush.  A session that is late by two
 * deviations is not coming, be it idle, busy with a long statement, or
 * waiting for a lock.
 *
 * A session whose commit is under way as the first commit of the next flush
 * begins belongs to the flush before.  It will come back its think time after
 * the end of that.  Without this rule two sessions take turns for ever, each
 * waiting for the flush of the other.
 *
 * The trial.  No arithmetic knows what a wait costs a busy machine, so the
 * switch measures it: the mean time from commit to commit of a session, in
 * slots with and without gathering, in turn.  Gathering is adopted if it wins
 * by ADOPT in the sum and wins in each half, and is tried again later.
 * Another number of sessions, another horizon, and the begin and the end of
 * pacing call for a new trial.  With clients that commit at a given rate that
 * time does not change, so gathering is never adopted.
 *
 * Both are arithmetic, which uses neither shared memory nor the server, so t/
 * can compile it alone.  Habits are in gather.h, inlined into the commit path.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "control/gather.h"

#define ADOPT			0.03	/* least gain: what trials differ by */
#define TRIAL_SLOTS		4		/* off, on, off, on */
#define REST_LEAST		8		/* slots between trials */
#define REST_MOST		64
#define CHANGED			0.35	/* of sessions or horizon, for a new trial */
#define CHANGED_SLOTS	2		/* ... in succession */
#define SESSIONS_LEAST	2
#define OTHERS_MOST		0.15	/* of all: a wait for some saves no flush */
#define ALONE_SLOTS		4		/* in succession, until gathering ends */

void
gather_trial_init(GatherTrial *trial)
{
	memset(trial, 0, sizeof(GatherTrial));
	trial->gain = NAN;
}

static void
set_trial_mode(GatherTrial *trial, GatherMode mode, GatherReason reason)
{
	trial->mode = mode;
	trial->reason = reason;
	trial->slots = 0;
	trial->changed = trial->alone = 0;
}

static bool
differs(double a, double b)
{
	return fabs(a - b) > CHANGED * b;
}

/* The device is another: what was measured on it, and with it, is void. */
void
gather_trial_forget(GatherTrial *trial)
{
	if (trial->mode != GATHER_TOO_FEW)
		set_trial_mode(trial, GATHER_OFF, GATHER_CHANGED);
	trial->rest = 0;
}

static bool
is_forgotten(const GatherTrial *trial)
{
	return trial->mode == GATHER_OFF && trial->reason == GATHER_CHANGED;
}

/* Is it slower with gathering than it was without, in the trial? */
static bool
is_slower(const GatherTrial *trial, const GatherSlot *slot)
{
	return trial->mode == GATHER_ON && !slot->stalled &&
		slot->cycle > (trial->off[0] + trial->off[1]) / 2;
}

/* Has the load or the device changed since the trial? */
static bool
has_changed(GatherTrial *trial, const GatherSlot *slot)
{
	if (differs(slot->sessions, trial->sessions) ||
		differs(slot->horizon, trial->horizon) || is_slower(trial, slot))
		trial->changed++;
	else
		trial->changed = 0;
	return trial->changed >= CHANGED_SLOTS;
}

static void
begin_trial(GatherTrial *trial, GatherReason reason, const GatherSlot *slot)
{
	set_trial_mode(trial, GATHER_TRIES, reason);
	if (reason != GATHER_AGAIN)
		trial->rest = 0;
	trial->horizon = slot->horizon;
	trial->sessions = slot->sessions;
}

static void
end_trial(GatherTrial *trial)
{
	const double *on = trial->on;
	const double *off = trial->off;

	trial->gain = 1 - (on[0] + on[1]) / (off[0] + off[1]);
	if (trial->gain >= ADOPT && on[0] < off[0] && on[1] < off[1])
	{
		set_trial_mode(trial, GATHER_ON, GATHER_SAVED);
		trial->rest = 0;
		return;
	}
	set_trial_mode(trial, GATHER_OFF, GATHER_SAVED_NOTHING);
	trial->rest = trial->rest == 0 ? REST_LEAST :
		Min(2 * trial->rest, REST_MOST);
}

/* A slot of the trial has ended. */
static void
note_slot(GatherTrial *trial, const GatherSlot *slot)
{
	double	   *cycle = trial->slots % 2 == 1 ? trial->on : trial->off;

	if (slot->stalled || isnan(slot->cycle))
		return;
	cycle[trial->slots / 2] = slot->cycle;
	if (++trial->slots == TRIAL_SLOTS)
		end_trial(trial);
}

/* Do enough sessions come in time for a wait to pay? */
static bool
enough_come(const GatherSlot *slot)
{
	return slot->sessions >= SESSIONS_LEAST &&
		slot->others <= OTHERS_MOST * (slot->sessions + slot->others);
}

static void
note_too_few(GatherTrial *trial)
{
	if (trial->mode != GATHER_TOO_FEW && ++trial->alone >= ALONE_SLOTS)
		set_trial_mode(trial, GATHER_TOO_FEW, GATHER_ALONE);
}

/* A slot has ended.  What does the next one do? */
void
gather_trial_step(GatherTrial *trial, const GatherSlot *slot)
{
	if (!enough_come(slot))
	{
		note_too_few(trial);
		return;
	}
	trial->alone = 0;
	if (trial->mode == GATHER_TOO_FEW)
		begin_trial(trial, GATHER_ENOUGH, slot);
	else if (has_changed(trial, slot))
		begin_trial(trial, GATHER_CHANGED, slot);
	else if (trial->mode == GATHER_TRIES)
		note_slot(trial, slot);
	else if (++trial->slots >=
			 (trial->mode == GATHER_ON ? REST_MOST : trial->rest))
		begin_trial(trial, is_forgotten(trial) ? GATHER_CHANGED : GATHER_AGAIN,
					slot);
}
