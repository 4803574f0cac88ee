/*-------------------------------------------------------------------------
 *
 * adaptive_delay.c
 *		What commit_stats.adaptive_delay learns from flushes and commits.
 *
 * Each leader reports its flush, from which pacer.c and gather.c learn.  What
 * they decide is the plan by which next_flush.c lets leaders sleep.
 *
 * Locking: none that a commit waits for.  A process that has set "learning"
 * uses the Learner; another one that has led a flush meanwhile only counts
 * it.  Readers set "learning" for as long as they copy.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "port/atomics.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "control/adaptive_delay.h"
#include "control/next_flush.h"
#include "control/session_habits.h"

#define SLOT_LEAST			100e3	/* us; length of a trial's slot */
#define SLOT_HORIZONS		30
#define SLOT_WINDOWS		2
#define READ_TRIES			1000	/* of a ms each */

/* Used by the process that has set "learning". */
typedef struct Learner
{
	AdaptiveDelayState state;
	bool		gathers;		/* are there trials?  Sessions that have not
								 * read the setting may think otherwise */
	bool		stalled;		/* the device did in the present slot of the
								 * trial, or a sweep came between */
} Learner;

typedef struct AdaptiveDelayShared
{
	pg_atomic_flag learning;
	pg_atomic_uint32 missed;	/* flushes that ended meanwhile */
	pg_atomic_uint64 nchanges;
	pg_atomic_uint64 paused_until;	/* ns; a sweep writes it */
	Learner		learner;
} AdaptiveDelayShared;

static AdaptiveDelayShared *shared = NULL;

static void
adaptive_delay_attach(void *head, void *tail, bool found)
{
	shared = head;
	if (found)
		return;

	/* the memory is zeroed, which is what pg_atomic_init_u64() would do */
	pg_atomic_init_flag(&shared->learning);
	pacer_init(&shared->learner.state.pacer, 0);
	gather_trial_init(&shared->learner.state.trial);
}

const StatsModule adaptive_delay_module = {
	.head_size = sizeof(AdaptiveDelayShared),
	.attach = adaptive_delay_attach,
};

static inline double
to_us(uint64 ns)
{
	return (double) (int64) ns / NS_PER_US;
}

static inline uint64
to_ns(double us)
{
	return (uint64) (us * NS_PER_US);
}

/*----------------------------------------------------------------
 * Learning
 *----------------------------------------------------------------
 */

static void
note_change(Learner *learner, bool of_pacer)
{
	AdaptiveDelayState *state = &learner->state;
	DelayChange *change = &state->change[state->nchanges % DELAY_CHANGES_KEPT];
	const Pacer *pacer = &state->pacer;

	change->changed_at = GetCurrentTimestamp();
	change->of_pacer = of_pacer;
	change->mode = of_pacer ? (int) pacer->mode : (int) state->trial.mode;
	change->reason = of_pacer ? (int) pacer->reason :
		(int) state->trial.reason;
	change->rate = pacer->rate * 1e6;
	change->gain = of_pacer ? NAN : state->trial.gain;
	if (of_pacer)
	{
		state->pacing_since = change->changed_at;
		state->began.pacer[pacer->mode]++;
	}
	else
	{
		state->gathering_since = change->changed_at;
		state->began.gather[state->trial.mode]++;
	}
	state->nchanges++;
	pg_atomic_write_u64(&shared->nchanges, state->nchanges);
}

/* The horizon with pacing is no measure of what a flush costs without it. */
static void
note_pacer_change(Learner *learner, PacerMode before)
{
	AdaptiveDelayState *state = &learner->state;
	GatherMode	mode = state->trial.mode;

	note_change(learner, true);
	if (before != PACER_PACES && state->pacer.mode != PACER_PACES)
		return;
	gather_trial_forget(&state->trial);
	if (state->trial.mode != mode)
		note_change(learner, false);
}

/* Sums over the sessions that commit often. */
typedef struct Sums
{
	uint64		now;
	double		horizon;
	int			nsessions;		/* that come within it */
	double		others;			/* see GatherSlot */
	uint64		commits;		/* since the last slot ended */
	uint64		cycles;			/* ... with these, ns */
} Sums;

/* Count what a session has committed since the last slot ended. */
static void
add_commits(Session *session, Sums *sums)
{
	uint64		commits = pg_atomic_read_u64(&session->commits);
	uint64		cycles = pg_atomic_read_u64(&session->cycles);

	sums->commits += commits - session->commits_counted;
	sums->cycles += cycles - session->cycles_counted;
	session->commits_counted = commits;
	session->cycles_counted = cycles;
}

static void
add_session(int procno, void *context)
{
	Sums	   *sums = context;
	Session    *session = session_at(procno);
	GatherHabit habit = session_habit(session);

	add_commits(session, sums);
	if (habit.think == 0 || session_take_off_if_idle(procno, sums->now))
		return;
	if (habit.think <= sums->horizon)
		sums->nsessions++;
	else
		sums->others += sums->horizon / habit.think;
}

/*
 * The horizon of a flush: what a flush costs the device, us.  Gathering leaves
 * a token bucket the time to fill, so flushes become quick, as none would be
 * without it: what the trial began with holds until the next one.
 */
static double
learned_horizon(const AdaptiveDelayState *state)
{
	double		interval = pacer_interval(&state->pacer);

	if (interval > 0)
		return interval;
	if (state->trial.mode == GATHER_TRIES || state->trial.mode == GATHER_ON)
		return state->trial.horizon;
	return state->pacer.median;
}

/* us */
static double
slot_length(const Pacer *pacer, double horizon)
{
	double		length = Max(SLOT_LEAST, SLOT_HORIZONS * horizon);

	if (pacer->mode == PACER_PACES)
		length = Max(length, SLOT_WINDOWS * pacer->window);
	return length;
}

/* A slot of the trial has ended: what did it measure? */
static void
end_slot(Learner *learner, double now)
{
	GatherTrial *trial = &learner->state.trial;
	Pacer	   *pacer = &learner->state.pacer;
	GatherMode	mode = trial->mode;
	Sums		sums = {.now = to_ns(now)};
	GatherSlot	slot;

	sums.horizon = learned_horizon(&learner->state);
	if (!session_visit_regulars(add_session, &sums))
		sums.nsessions = 0;
	slot.horizon = sums.horizon;
	slot.sessions = sums.nsessions;
	slot.others = sums.others;
	slot.stalled = learner->stalled;
	slot.cycle = sums.commits > 0 ? to_us(sums.cycles) / sums.commits : NAN;
	gather_trial_step(trial, &slot);
	learner->stalled = false;
	trial->slot_ends = now + slot_length(pacer, sums.horizon);
	if (trial->mode != mode)
		note_change(learner, false);
}

/* What the leaders do from now on. */
static void
publish_plan(const AdaptiveDelayState *state, bool gathers)
{
	NextFlushPlan plan;

	plan.interval = to_ns(pacer_interval(&state->pacer));
	plan.flush_time = to_ns(state->pacer.median);
	plan.horizon = (uint64) learned_horizon(state);
	plan.gathers = gathers;
	next_flush_set_plan(&plan);
}

static void
learn_from_flush(Learner *learner, uint64 now, uint64 length)
{
	Pacer	   *pacer = &learner->state.pacer;
	PacerMode	mode = pacer->mode;
	bool		stalled;

	stalled = pacer_flush_ended(pacer, to_us(now), to_us(length),
								MyProcNumber);
	learner->stalled |= stalled;
	next_flush_ended(now, stalled);
	if (pacer->mode != mode)
		note_pacer_change(learner, mode);
	if (learner->gathers && to_us(now) >= learner->state.trial.slot_ends)
		end_slot(learner, to_us(now));
	publish_plan(&learner->state, gather_trial_on(&learner->state.trial));
}

/*
 * Nothing is learned from a flush, but the clock of the next one goes on.  The
 * median is that of the plan, which needs no flag.
 */
static void
report_flush(uint64 now, uint64 length)
{
	next_flush_ended(now, next_flush_is_stall(length));
}

/*
 * Commit path: this process has led a flush, which took "length" ns.  Returns
 * true if a mode has changed.
 */
bool
adaptive_delay_flushed(uint64 now, uint64 length)
{
	uint64		nchanges = adaptive_delay_changes();

	if (now < pg_atomic_read_u64(&shared->paused_until))
	{
		report_flush(now, length);
		return false;
	}
	if (!pg_atomic_test_set_flag(&shared->learning))
	{
		pg_atomic_fetch_add_u32(&shared->missed, 1);
		report_flush(now, length);
		return false;
	}
	shared->learner.state.pacer.nflushes +=
		pg_atomic_exchange_u32(&shared->missed, 0);
	learn_from_flush(&shared->learner, now, length);
	pg_atomic_clear_flag(&shared->learning);
	return adaptive_delay_changes() != nchanges;
}

/*----------------------------------------------------------------
 * Other processes
 *----------------------------------------------------------------
 */

/* Returns false if a process was stopped while it learned. */
static bool
wait_for_learner(void)
{
	for (int i = 0; i < READ_TRIES; i++)
	{
		if (pg_atomic_test_set_flag(&shared->learning))
			return true;
		CHECK_FOR_INTERRUPTS();
		pg_usleep(1000);
	}
	return false;
}

/* Copies the state; returns false as wait_for_learner() does. */
bool
adaptive_delay_read(AdaptiveDelayState *state)
{
	if (!wait_for_learner())
		return false;
	*state = shared->learner.state;
	pg_atomic_clear_flag(&shared->learning);
	return true;
}

/*
 * The setting has changed, the server has started, or a sweep tries what is
 * not set: believe nothing.  "gathers": may leaders gather, too?  Returns
 * false as wait_for_learner() does.
 */
bool
adaptive_delay_restart(bool gathers)
{
	Learner    *learner = &shared->learner;

	if (!wait_for_learner())
		return false;
	learner->gathers = gathers;
	pacer_init(&learner->state.pacer, to_us(clock_now()));
	gather_trial_init(&learner->state.trial);
	publish_plan(&learner->state, false);
	learner->state.gathering_since = 0;
	note_change(learner, true);
	pg_atomic_clear_flag(&shared->learning);
	return true;
}

/* Learn nothing until the clock shows "until": other delays take turns. */
void
adaptive_delay_pause(uint64 until)
{
	pg_atomic_write_u64(&shared->paused_until, until);
}

/*
 * Nothing is learned for a while: leaders do what is known, and not what was
 * just being tried; unless a process was stopped while it learned.
 */
void
adaptive_delay_settle(void)
{
	Learner    *learner = &shared->learner;

	if (!wait_for_learner())
		return;
	pacer_settle(&learner->state.pacer, to_us(clock_now()));
	/* the slot of the trial will have been that of other delays */
	learner->stalled = true;
	publish_plan(&learner->state, learner->state.trial.mode == GATHER_ON);
	pg_atomic_clear_flag(&shared->learning);
}

uint64
adaptive_delay_changes(void)
{
	return pg_atomic_read_u64(&shared->nchanges);
}

const char *
adaptive_delay_mode_name(bool of_pacer, int mode)
{
	static const char *const pacer[] = {"watching", "pacing", "resting"};
	static const char *const gather[] = {
		"too few sessions", "trial", "on", "off"
	};

	return of_pacer ? pacer[mode] : gather[mode];
}

/* Of a PacerReason, or a GatherReason. */
const char *
adaptive_delay_reason_name(bool of_pacer, int reason)
{
	static const char *const pacer[] = {
		"start", "quota found", "no quota any more", "stalls while pacing",
		"pacing did not remove the stalls",
		"pacing costs the only session too much", "rested"
	};
	static const char *const gather[] = {
		"start", "sessions come back soon", "load or device changed",
		"time for another trial", "the trial saved time",
		"the trial saved too little", "too few sessions come back soon"
	};

	return of_pacer ? pacer[reason] : gather[reason];
}
