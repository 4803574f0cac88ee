/*-------------------------------------------------------------------------
 *
 * adaptive_delay.c
 *		The sleep that commit_stats.adaptive_delay lets leaders take.
 *
 * The spacing is the least time from the end of one WAL flush to the begin of
 * the next.  Each leader of a flush sleeps for what is left of the spacing.
 * spacing.c decides the spacing from two measurements: how long flushes take,
 * which their leaders report, and how long transactions take, from their start
 * to the end of their commit, which each commit adds up.
 *
 * A commit chooses its sleep as it begins, before it knows whether it will
 * lead.  If a process holds WALWriteLock by then, a flush is under way, and
 * the sleep begins as that flush ends: the sleep is the whole spacing.
 * Otherwise the sleep ends when the spacing has passed since the last flush.
 *
 * Invariant: only the length of a sleep changes that the server itself takes
 * before a flush.  No sleep is longer than commit_stats.adaptive_delay_max,
 * nor than it takes the WAL to fill half of wal_buffers: the leader sleeps
 * with WALWriteLock held, for which a backend waits that finds the buffers
 * full.
 *
 * Locking: none that a commit waits for.  A process that has set "learning"
 * uses the Learner; if another one has set it, the leader of a flush does not
 * report.  Readers set "learning" for as long as they copy.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/lwlock.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/guc.h"
#include "base/wal_buffers.h"
#include "control/adaptive_delay.h"
#include "stats/flush_groups.h"

/*
 * Parts of "responses": the sum of them, us, and above it their number.  Both
 * wrap around; the difference of two readings is right for up to 2^20 commits
 * that took up to 2^44 us altogether.
 */
#define RESPONSES_SHIFT	44
#define RESPONSES_SUM	((UINT64CONST(1) << RESPONSES_SHIFT) - 1)

/*
 * adaptive_delay_committed() counts the time before a commit up to this
 * multiple of the usual response, so that a report or a batch that runs for
 * minutes does not hide what commits take.
 */
#define USUAL_MOST		8
#define BEFORE_MOST		1000000 /* us; ... until these are known */

/*
 * Responses are not counted if no flush was reported for so long before: they
 * may be of a time in which other delays took turns.
 */
#define REPORTS_APART	(1 * NS_PER_S)

#define READ_TRIES		1000	/* of a ms each */

/* Used by the process that has set "learning". */
typedef struct Learner
{
	AdaptiveDelayState state;
	uint64		responses;		/* up to which they are counted */
	uint64		ended_at;		/* ns; of the last flush that was reported */
	XLogRecPtr	flushed;		/* the flush pointer then */
	double		most;			/* us; fills half of the WAL buffers */
	double		usual_response; /* us; for which "before_most" was written */
} Learner;

typedef struct AdaptiveDelayShared
{
	/* Written by the process that learns, and only if they change. */
	pg_atomic_uint64 spacing;	/* ns */
	pg_atomic_uint64 before_most;	/* us; of the time before a commit */

	/* Each commit adds to it. */
	char		pad[PG_CACHE_LINE_SIZE];
	pg_atomic_uint64 responses; /* see RESPONSES_SHIFT */

	/*
	 * Written by the leaders of flushes, and by other processes that say so.
	 */
	char		pad2[PG_CACHE_LINE_SIZE];
	pg_atomic_flag learning;
	pg_atomic_uint64 nchanges;
	pg_atomic_uint64 paused_until;	/* ns; a sweep writes it */
	Learner		learner;
} AdaptiveDelayShared;

static AdaptiveDelayShared *shared = NULL;

static inline double
to_us(uint64 ns)
{
	return (double) (int64) ns * (1.0 / NS_PER_US);
}

static inline uint64
to_ns(double us)
{
	return (uint64) (us * NS_PER_US);
}

/* The quota that is believed, flushes/s; 0: none. */
double
adaptive_delay_quota_rate(const Spacing *spacing)
{
	const SpacingQuota *quota = &spacing->quota;

	return quota->believed ? quota->rate * quota->growth * 1e6 : 0;
}

/* Mean response of the challenger, or of the other one; NaN: not measured. */
double
adaptive_delay_response(const SpacingTrial *trial, bool challenger)
{
	const double *slot = &trial->response[challenger ? 0 : 1];

	return isnan(slot[2]) ? slot[0] : (slot[0] + slot[2]) / 2;
}

static void
adaptive_delay_attach(void *head, void *tail, bool found)
{
	shared = head;
	if (found)
		return;

	/* the memory is zeroed, which is what pg_atomic_init_u64() would do */
	pg_atomic_init_flag(&shared->learning);
	spacing_init(&shared->learner.state.spacing, 0);
	pg_atomic_write_u64(&shared->before_most, BEFORE_MOST);
}

const StatsModule adaptive_delay_module = {
	.head_size = sizeof(AdaptiveDelayShared),
	.attach = adaptive_delay_attach,
};

/*----------------------------------------------------------------
 * The commit path
 *----------------------------------------------------------------
 */

/* A commit begins.  Returns its commit_delay if it leads, us. */
int
adaptive_delay_begin(uint64 now)
{
	uint64		spacing = pg_atomic_read_u64(&shared->spacing);
	uint64		sleep;

	if (spacing == 0)
		return 0;
	sleep = adaptive_delay_sleep(spacing, now, LWLOCK_IS_HELD(WALWriteLock),
								 flush_groups_last_end()) / NS_PER_US;
	/* the spacing may have been published before that setting changed */
	return (int) Min(sleep, (uint64) commit_stats_adaptive_delay_max);
}

/* A commit is done, "elapsed" ns after it began. */
void
adaptive_delay_committed(uint64 elapsed)
{
	int64		before = 0;

	/* COMMIT PREPARED runs in a transaction that has not ended */
	if (!IsTransactionState())
		before = GetCurrentTransactionStopTimestamp() -
			GetCurrentTransactionStartTimestamp();
	before = Min(Max(before, 0),
				 (int64) pg_atomic_read_u64(&shared->before_most));
	(void) pg_atomic_fetch_add_u64(&shared->responses,
								   (UINT64CONST(1) << RESPONSES_SHIFT) +
								   (before + elapsed / NS_PER_US));
}

/* Leaders keep to the spacing that spacing.c has decided. */
static void
publish(Learner *learner)
{
	AdaptiveDelayState *state = &learner->state;
	double		usual = state->spacing.usual_response;
	double		in_force = Min(Min(spacing_now(&state->spacing), learner->most),
							   (double) commit_stats_adaptive_delay_max);

	if (in_force != state->in_force)
	{
		state->in_force = in_force;
		pg_atomic_write_u64(&shared->spacing, to_ns(in_force));
	}
	if (usual != learner->usual_response)
	{
		learner->usual_response = usual;
		pg_atomic_write_u64(&shared->before_most, usual == 0 ? BEFORE_MOST :
							(uint64) (USUAL_MOST * usual));
	}
}

static void
note_change(AdaptiveDelayState *state)
{
	DelayChange *change = &state->change[state->nchanges % DELAY_CHANGES_KEPT];
	const Spacing *spacing = &state->spacing;
	bool		won = spacing->change == SPACING_ADOPTED;

	change->changed_at = GetCurrentTimestamp();
	change->what = spacing->change;
	change->spacing = spacing_now(spacing);
	change->response = won ? adaptive_delay_response(&spacing->trial, true) : NAN;
	change->response_before = won ?
		adaptive_delay_response(&spacing->trial, false) : NAN;
	change->flush_rate = adaptive_delay_quota_rate(spacing);
	change->window = spacing->quota.window;
	state->nchanges++;
	pg_atomic_write_u64(&shared->nchanges, state->nchanges);
}

static bool
learn(Learner *learner, uint64 began_at, uint64 ended_at, XLogRecPtr flushed)
{
	Spacing    *spacing = &learner->state.spacing;
	uint64		responses = pg_atomic_read_u64(&shared->responses);
	uint64		elapsed = clock_elapsed(learner->ended_at, ended_at);
	uint64		added = elapsed < REPORTS_APART ?
	responses - learner->responses : 0;
	bool		changed = spacing_flush_ended(spacing, to_us(began_at),
											  to_us(ended_at),
											  (double) (added >> RESPONSES_SHIFT),
											  (double) (added & RESPONSES_SUM));

	learner->most =
		wal_buffers_us_until_half_full((double) XLOGbuffers * XLOG_BLCKSZ,
									   (flushed - learner->flushed) * 1e6 /
									   to_us(elapsed));
	learner->responses = responses;
	learner->ended_at = ended_at;
	learner->flushed = flushed;
	if (changed)
		note_change(&learner->state);
	publish(learner);
	return changed;
}

/*
 * This process has led a flush, up to "flushed".  Returns true if something
 * changed.
 */
bool
adaptive_delay_flushed(uint64 began_at, uint64 ended_at, XLogRecPtr flushed)
{
	bool		changed;

	if (ended_at < pg_atomic_read_u64(&shared->paused_until) ||
		!pg_atomic_test_set_flag(&shared->learning))
		return false;
	changed = learn(&shared->learner, began_at, ended_at, flushed);
	pg_atomic_clear_flag(&shared->learning);
	return changed;
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
 * not set: believe nothing.  Returns false as wait_for_learner() does.
 */
bool
adaptive_delay_restart(void)
{
	Learner    *learner = &shared->learner;

	if (!wait_for_learner())
		return false;
	spacing_init(&learner->state.spacing, to_us(clock_now()));
	learner->responses = pg_atomic_read_u64(&shared->responses);
	publish(learner);
	note_change(&learner->state);
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
	spacing_settle(&learner->state.spacing, to_us(clock_now()));
	publish(learner);
	pg_atomic_clear_flag(&shared->learning);
}

uint64
adaptive_delay_changes(void)
{
	return pg_atomic_read_u64(&shared->nchanges);
}

const char *
adaptive_delay_change_name(SpacingChange change)
{
	static const char *const names[] = {
		"start", "no better", "much worse", "better", "load changed",
		"quota found", "quota changed", "quota gone", "quota refuted"
	};

	return names[change];
}
