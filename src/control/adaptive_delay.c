/*-------------------------------------------------------------------------
 *
 * adaptive_delay.c
 *		How long a leader sleeps with commit_stats.adaptive_delay.
 *
 * The first commit that begins after a flush has begun opens the next flush.
 * It sets the clock to when that flush is due (pacer.c), or later if sessions
 * are about to commit that are worth waiting for (gather.c).  This commit and
 * those that begin until then sleep until the clock's time if they lead.
 *
 * The commit that opened the flush is the first to wait for it, so it probably
 * leads.  It counts the sessions that it waits for.  Each of them counts
 * itself off as its commit begins, and the last one ends the leader's sleep by
 * SIGUSR1, whose handler finds nothing to do.
 *
 * Each leader reports its flush, from which pacer.c and gather.c learn.
 *
 * Invariant: only the length of a sleep changes that the server itself takes
 * before a flush, and no sleep is longer than commit_stats.adaptive_delay_max.
 * A signal goes only to a process whose commit is under way, by its session's
 * "began_at".  Between that look and the signal, the process could only end
 * if it finished its commit and its session; SendProcSignal() takes the same
 * chance.
 *
 * Locking: none that a commit waits for.  "start" is swapped; the commit that
 * swapped it writes what belongs to it.  Another commit may read the old
 * values meanwhile, and sleeps a little too long or too short.  A process
 * that has set "learning" uses the Learner; another one that has led a flush
 * meanwhile only counts it.  Readers set "learning" for as long as they copy.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>
#include <signal.h>

#include "miscadmin.h"
#include "port/atomics.h"
#include "port/pg_bitutils.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/timestamp.h"

#include "base/backend_set.h"
#include "base/clock.h"
#include "base/compat.h"
#include "base/guc.h"
#include "base/single_writer.h"
#include "control/adaptive_delay.h"

#define HORIZON_CAP(h)		((h) + (h) / 2) /* longest sleep for others */
#define IDLE_LEAST			(1 * NS_PER_S)	/* then a session is taken off */
#define CYCLE_MOST			(200 * NS_PER_MS)	/* of a busy session */
#define SLOT_LEAST			100e3	/* us; length of a trial's slot */
#define SLOT_HORIZONS		30
#define SLOT_WINDOWS		2
#define READ_TRIES			1000	/* of a ms each */

/* A session; only it writes, except "woken_at". */
typedef struct Session
{
	pg_atomic_uint64 habit;		/* think time and deviation, us */
	pg_atomic_uint64 committed_at;	/* ns; 0: has not committed */
	pg_atomic_uint64 began_at;	/* ns; commit under way; 0: none */
	pg_atomic_uint64 commits;	/* whose cycle is in "cycles" */
	pg_atomic_uint64 cycles;	/* us from commit to commit, added up */
	pg_atomic_uint64 woken_at;	/* ns; written by the process that woke it */
} Session;

typedef union SessionSlot
{
	Session		session;
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(Session))];
} SessionSlot;

/* Used by the process that has set "learning". */
typedef struct Learner
{
	AdaptiveDelayState state;
	bool		stalled;		/* in the present slot of the trial */
	uint64		commits;		/* of the sessions, as that slot began */
	uint64		cycles;
} Learner;

typedef struct AdaptiveDelayShared
{
	/* Written by the process that learns. */
	pg_atomic_uint64 interval;	/* ns from flush to flush; 0: not paced */
	pg_atomic_uint64 flush_time;	/* ns, usual */
	pg_atomic_uint32 gathers;	/* do leaders gather? */
	pg_atomic_uint64 horizon;	/* ns; see learned_horizon() */

	/*
	 * PacerClock, ns of clock_now().  "start" is swapped; the others are
	 * written by the commit that swapped it, which opened a flush.
	 */
	char		pad[PG_CACHE_LINE_SIZE];
	pg_atomic_uint64 start;
	pg_atomic_uint64 due;
	pg_atomic_uint64 busy_until;
	pg_atomic_uint32 kind;		/* SleepKind of its leader */
	pg_atomic_uint64 opened_at;
	pg_atomic_uint32 opener;	/* its process number plus 1; 0: nobody may be
								 * woken */
	pg_atomic_uint64 wait;		/* ns, for those sessions once it can begin */
	pg_atomic_uint32 expected;	/* sessions that it waits for */
	pg_atomic_uint32 awaited;	/* ... that are still to come */
	pg_atomic_uint64 complete;	/* "opened_at" of the latest flush for which
								 * all of them came; the last one writes it */

	char		pad2[PG_CACHE_LINE_SIZE];
	pg_atomic_flag learning;
	pg_atomic_uint32 missed;	/* flushes that ended meanwhile */
	pg_atomic_uint64 nchanges;
	pg_atomic_uint64 paused_until;	/* ns; a sweep writes it */
	Learner		learner;
} AdaptiveDelayShared;

static AdaptiveDelayShared *shared = NULL;
static SessionSlot *sessions = NULL;

/*
 * A backend_set of sessions that commit often.  Any commit may take one off.
 */
static pg_atomic_uint64 *regulars = NULL;

/* The commit under way, if it leads the flush that was opened at this time. */
static AdaptiveSleep planned;
static uint64 planned_flush;

static Size
regulars_size(int backends)
{
	return TYPEALIGN(PG_CACHE_LINE_SIZE,
					 mul_size(backend_set_words(backends), sizeof(uint64)));
}

static Size
adaptive_delay_tail_size(int backends)
{
	return add_size(regulars_size(backends),
					mul_size(backends, sizeof(SessionSlot)));
}

static void
adaptive_delay_attach(void *head, void *tail, bool found)
{
	shared = head;
	regulars = tail;
	sessions = (SessionSlot *) ((char *) tail + regulars_size(MaxBackends));
	if (found)
		return;

	/* the memory is zeroed, which is what pg_atomic_init_u64() would do */
	pg_atomic_init_flag(&shared->learning);
	pacer_init(&shared->learner.state.pacer, 0);
	gather_trial_init(&shared->learner.state.trial);
}

const StatsModule adaptive_delay_module = {
	.head_size = sizeof(AdaptiveDelayShared),
	.tail_size = adaptive_delay_tail_size,
	.attach = adaptive_delay_attach,
};

/* A sweep can try gathering while the setting is off. */
static inline bool
may_gather(void)
{
	return commit_stats_adaptive_delay != ADAPTIVE_DELAY_PACE;
}

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
 * Sessions
 *----------------------------------------------------------------
 */

static inline Session *
session_at(int procno)
{
	return &sessions[procno].session;
}

static inline GatherHabit
habit_of(Session *session)
{
	uint64		word = pg_atomic_read_u64(&session->habit);
	GatherHabit habit = {(uint32) (word >> 32), (uint32) word};

	return habit;
}

/* The first commit of this process: forget the process before it. */
static pg_noinline void
begin_session(Session *me)
{
	pg_atomic_write_u64(&me->habit, 0);
	pg_atomic_write_u64(&me->committed_at, 0);
	pg_atomic_write_u64(&me->began_at, 0);
}

/* A commit begins: how long was it since the last one? */
static void
learn_habit(Session *me, uint64 now)
{
	static bool known = false;
	uint64		committed_at;
	GatherHabit habit;

	if (unlikely(!known))
	{
		begin_session(me);
		known = true;
	}
	committed_at = pg_atomic_read_u64(&me->committed_at);
	if (committed_at != 0)
	{
		habit = habit_of(me);
		gather_learn(&habit, (now - committed_at) / NS_PER_US);
		pg_atomic_write_u64(&me->habit,
							(uint64) habit.think << 32 | habit.deviation);
		if (unlikely(!backend_set_has(regulars, MyProcNumber)))
			backend_set_add(regulars, MyProcNumber);
	}
}

/* Has a session been idle for so long that it need not be visited? */
static bool
take_off_if_idle(int procno, uint64 now)
{
	Session    *session = session_at(procno);

	if (pg_atomic_read_u64(&session->began_at) != 0 ||
		clock_elapsed(pg_atomic_read_u64(&session->committed_at), now) <
		IDLE_LEAST)
		return false;
	backend_set_remove(regulars, procno);
	return true;
}

/*
 * Call "visit" for each session of the bitmap.  Returns false if there are
 * more than ADAPTIVE_DELAY_WAITS_MOST.
 */
typedef void (*SessionVisitor) (int procno, void *context);

static pg_attribute_always_inline bool
visit_sessions(SessionVisitor visit, void *context)
{
	int			nwords = backend_set_words(MaxBackends);
	int			nvisited = 0;

	for (int w = 0; w < nwords; w++)
	{
		uint64		bits = pg_atomic_read_u64(&regulars[w]);

		for (; bits != 0; bits &= bits - 1)
		{
			if (nvisited++ == ADAPTIVE_DELAY_WAITS_MOST)
				return false;
			visit(64 * w + pg_rightmost_one_pos64(bits), context);
		}
	}
	return true;
}

/*----------------------------------------------------------------
 * The next flush
 *----------------------------------------------------------------
 */

/* What a look at the sessions finds. */
typedef struct Look
{
	GatherFlush flush;
	int			expected;		/* sessions that are coming */
	uint64		latest;			/* ns; when all of them will have come */
	int			nwanted;		/* transactions that sessions wait for */
	TransactionId wanted[ADAPTIVE_DELAY_WAITS_MOST];
	bool		held;			/* ... and one of them is in its commit */
} Look;

/* The id of the transaction for whose end a process waits, if any. */
static TransactionId
blocking_xid(PGPROC *proc)
{
	volatile PGPROC *vproc = proc;
	LOCK	   *lock = vproc->waitLock;

	/* the lock may be freed meanwhile, but its memory stays */
	if (lock == NULL || lock->tag.locktag_type != LOCKTAG_TRANSACTION)
		return InvalidTransactionId;
	return (TransactionId) lock->tag.locktag_field1;
}

static void
look_at(int procno, void *context)
{
	Look	   *look = context;
	Session    *it = session_at(procno);
	GatherSession session;
	TransactionId xid;
	uint64		latest;

	if (procno == MyProcNumber)
		return;
	session.began_at = pg_atomic_read_u64(&it->began_at);
	if (session.began_at == 0 &&
		ProcGlobal->allProcs[procno].waitLock != NULL)
	{
		xid = blocking_xid(&ProcGlobal->allProcs[procno]);
		if (TransactionIdIsValid(xid))
			look->wanted[look->nwanted++] = xid;
		return;
	}
	session.habit = habit_of(it);
	session.committed_at = pg_atomic_read_u64(&it->committed_at);
	latest = gather_expects(&session, &look->flush);
	if (latest != 0)
	{
		look->expected++;
		look->latest = Max(look->latest, latest);
	}
	else
		(void) take_off_if_idle(procno, look->flush.opened_at);
}

/* Is a session that is in its commit waited for by another one? */
static void
look_for_holder(int procno, void *context)
{
	Look	   *look = context;

	if (procno != MyProcNumber &&
		pg_atomic_read_u64(&session_at(procno)->began_at) == 0)
		return;
	for (int i = 0; i < look->nwanted; i++)
		if (look->wanted[i] == ProcGlobal->allProcs[procno].xid)
			look->held = true;
}

/* Does a session wait for a lock that a commit under way releases? */
static bool
holds_up_others(Look *look)
{
	look->held = false;
	look_for_holder(MyProcNumber, look);
	(void) visit_sessions(look_for_holder, look);
	return look->held;
}

/*
 * When will all sessions have come that are worth waiting for?  0: no session
 * is, or one waits for a lock that is released by a commit under way
 * (MariaDB's rule).
 */
static uint64
gather(uint64 busy_until, uint64 now, Look *look)
{
	uint64		horizon = pg_atomic_read_u64(&shared->horizon);

	look->flush.opened_at = now;
	look->flush.ready_at = Max(now, busy_until);
	look->flush.horizon = horizon;
	look->flush.flush_time = pg_atomic_read_u64(&shared->flush_time);
	look->expected = look->nwanted = 0;
	look->latest = 0;
	if (!visit_sessions(look_at, look) ||
		(look->nwanted > 0 && holds_up_others(look)))
		look->expected = 0;
	return look->expected == 0 ? 0 :
		Min(look->latest, look->flush.ready_at + HORIZON_CAP(horizon));
}

/*
 * The first commit since the latest flush has begun: open the next one.
 * "start" is the clock's time, ns.  If another commit does the same, either
 * serves.
 */
static pg_noinline void
open_flush(uint64 start, uint64 now)
{
	static Look look;
	uint64		interval = pg_atomic_read_u64(&shared->interval);
	uint64		flush_time = pg_atomic_read_u64(&shared->flush_time);
	uint64		latest = 0;
	PacerClock	clock;
	SleepKind	kind;

	clock.start = start;
	clock.due = pg_atomic_read_u64(&shared->due);
	clock.busy_until = pg_atomic_read_u64(&shared->busy_until);
	pacer_open(&clock, now, interval, flush_time);
	look.expected = 0;
	if (pg_atomic_read_u32(&shared->gathers) != 0)
		latest = gather(clock.busy_until, now, &look);
	kind = clock.start == clock.due ? SLEEP_PACED : SLEEP_NONE;
	if (latest > clock.start)
	{
		clock.start = latest;
		kind = SLEEP_GATHERED;
	}
	if (!pg_atomic_compare_exchange_u64(&shared->start, &start, clock.start))
		return;
	pg_atomic_write_u64(&shared->due, clock.due);
	pg_atomic_write_u64(&shared->busy_until, clock.busy_until);
	pg_atomic_write_u32(&shared->kind, kind);
	pg_atomic_write_u64(&shared->opened_at, now);
	if (look.expected > 0)
	{
		pg_atomic_write_u64(&shared->wait, latest - look.flush.ready_at);
		pg_atomic_write_u32(&shared->opener, MyProcNumber + 1);
		pg_atomic_write_u32(&shared->expected, look.expected);
	}
	pg_atomic_write_u32(&shared->awaited, look.expected);
}

/*
 * Is ending the leader's sleep worth it?  The leader may run on the processor
 * of the process that wakes it, whose record then misses the flush (in some
 * 30% of the cases with two processors).
 */
static bool
pays_to_wake(uint64 left)
{
	uint64		waiting = pg_atomic_read_u32(&shared->expected) + 1;

	return COMMIT_DELAY_CAN_BE_WOKEN &&
		left * waiting > pg_atomic_read_u64(&shared->flush_time) / 2;
}

/* When may the next flush begin, if it waits for no session? */
static uint64
earliest_start(void)
{
	uint64		due = pg_atomic_read_u64(&shared->due);

	if (pg_atomic_read_u64(&shared->interval) == 0)
		due = 0;
	return Max(due, pg_atomic_read_u64(&shared->busy_until));
}

/*
 * All sessions have come: end the sleep of the probable leader, if the flush
 * may begin.  Returns true if it was ended.
 */
static pg_noinline bool
wake_leader(uint64 now)
{
	uint32		opener = pg_atomic_exchange_u32(&shared->opener, 0);
	uint64		start = pg_atomic_read_u64(&shared->start);
	Session    *session;
	int			pid;

	if (opener == 0 || now >= start || now < earliest_start())
		return false;
	if (opener == MyProcNumber + 1)
	{
		/* it is this process, which has not begun to sleep */
		pg_atomic_write_u64(&shared->start, now);
		return false;
	}
	session = session_at(opener - 1);
	pid = ProcGlobal->allProcs[opener - 1].pid;
	if (pid == 0 || pg_atomic_read_u64(&session->began_at) == 0 ||
		!pays_to_wake(start - now))
		return false;
	/* commits from now on belong to the next flush */
	pg_atomic_write_u64(&shared->start, now);
	pg_atomic_write_u64(&session->woken_at, now);
	(void) kill(pid, SIGUSR1);
	return true;
}

/* Was this session counted by the commit that opened the next flush? */
static inline bool
was_expected(Session *me)
{
	uint64		opened_at = pg_atomic_read_u64(&shared->opened_at);
	uint64		committed_at = pg_atomic_read_u64(&me->committed_at);

	/* if it committed after that, it was in its commit then */
	return gather_comes(habit_of(me), committed_at,
						Max(opened_at, committed_at),
						pg_atomic_read_u64(&shared->horizon));
}

/* The flush before may have carried the commit that opened this one. */
static void
replace_opener(void)
{
	uint32		opener = pg_atomic_read_u32(&shared->opener);

	if (opener != 0 &&
		pg_atomic_read_u64(&session_at(opener - 1)->began_at) == 0)
		pg_atomic_write_u32(&shared->opener, MyProcNumber + 1);
}

/*
 * A commit that did not open the flush begins: one session fewer to come.
 * Returns true if it was the last one, and has ended the leader's sleep.
 */
static bool
count_off(Session *me, uint64 now)
{
	uint32		awaited = pg_atomic_read_u32(&shared->awaited);

	if (awaited == 0 || !was_expected(me))
		return false;
	replace_opener();
	while (awaited > 0 &&
		   !pg_atomic_compare_exchange_u32(&shared->awaited, &awaited,
										   awaited - 1))
		;
	if (awaited != 1)
		return false;
	pg_atomic_write_u64(&shared->complete,
						pg_atomic_read_u64(&shared->opened_at));
	return wake_leader(now);
}

/* ns that this process sleeps if it leads, as the clock says. */
static uint64
until_start(uint64 now)
{
	uint64		start = pg_atomic_read_u64(&shared->start);
	uint64		from = Max(now, pg_atomic_read_u64(&shared->busy_until));

	planned.kind = pg_atomic_read_u32(&shared->kind);
	return planned.kind == SLEEP_NONE ? 0 : clock_elapsed(from, start);
}

/*
 * ... if it has woken the leader.  If it misses that flush, it leads the next
 * one, for which the sessions of this flush come back.
 */
static uint64
until_others_return(void)
{
	planned.kind = SLEEP_GATHERED;
	return pg_atomic_read_u64(&shared->wait);
}

/* The same, us, with the ceiling. */
static int
limit_sleep(uint64 ns)
{
	uint64		sleep = ns / NS_PER_US;

	planned_flush = pg_atomic_read_u64(&shared->opened_at);
	planned.end = SLEEP_DUE;
	if (sleep > commit_stats_adaptive_delay_max)
	{
		sleep = commit_stats_adaptive_delay_max;
		planned.end = SLEEP_CEILING;
	}
	return (int) sleep;
}

/* Commit path: a commit begins.  Returns the commit_delay of its leader. */
int
adaptive_delay_begin(uint64 now)
{
	bool		gathers = may_gather();
	Session    *me = session_at(MyProcNumber);
	bool		woke = false;
	uint64		start;

	if (gathers)
		learn_habit(me, now);
	if (pg_atomic_read_u64(&shared->interval) == 0 &&
		pg_atomic_read_u32(&shared->gathers) == 0)
	{
		pg_atomic_write_u64(&me->began_at, now);
		return 0;
	}
	start = pg_atomic_read_u64(&shared->start);
	if (now >= start)
		open_flush(start, now);
	else if (gathers)
		woke = count_off(me, now);
	pg_atomic_write_u64(&me->began_at, now);
	return limit_sleep(woke ? until_others_return() : until_start(now));
}

/*
 * Commit path: how did the sleep of this leader end, which held the lock from
 * "began_at" on?
 */
void
adaptive_delay_slept(uint64 began_at, AdaptiveSleep *sleep)
{
	uint64		woken_at =
	pg_atomic_read_u64(&session_at(MyProcNumber)->woken_at);

	*sleep = planned;
	sleep->woken_at = 0;
	if (woken_at > began_at)
	{
		sleep->end = SLEEP_WOKEN;
		sleep->woken_at = woken_at;
	}
	else if (sleep->kind == SLEEP_GATHERED && sleep->end == SLEEP_DUE &&
			 pg_atomic_read_u64(&shared->complete) == planned_flush)
		sleep->end = SLEEP_ALL_CAME;
}

/* Commit path: a commit with an adaptive delay is done. */
void
adaptive_delay_end(uint64 now)
{
	Session    *me = session_at(MyProcNumber);
	uint64		before = pg_atomic_read_u64(&me->committed_at);

	if (before != 0 && now - before < CYCLE_MOST)
	{
		single_writer_add(&me->commits, 1);
		single_writer_add(&me->cycles, (now - before) / NS_PER_US);
	}
	pg_atomic_write_u64(&me->committed_at, now);
	pg_atomic_write_u64(&me->began_at, 0);
}

/* ... has failed. */
void
adaptive_delay_abandon(void)
{
	pg_atomic_write_u64(&session_at(MyProcNumber)->began_at, 0);
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

/* Sums over the sessions that commit often. */
typedef struct Sums
{
	uint64		now;
	double		horizon;
	int			nsessions;		/* that come within it */
	double		others;			/* see GatherSlot */
	uint64		commits;
	uint64		cycles;
} Sums;

static void
add_session(int procno, void *context)
{
	Sums	   *sums = context;
	Session    *session = session_at(procno);
	GatherHabit habit = habit_of(session);

	sums->commits += pg_atomic_read_u64(&session->commits);
	sums->cycles += pg_atomic_read_u64(&session->cycles);
	if (habit.think == 0 || take_off_if_idle(procno, sums->now))
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
	if (!visit_sessions(add_session, &sums))
		sums.nsessions = 0;
	slot.horizon = sums.horizon;
	slot.sessions = sums.nsessions;
	slot.others = sums.others;
	slot.stalled = learner->stalled;
	slot.cycle = NAN;
	/* sessions that were taken off take their sums along */
	if (sums.commits > learner->commits && sums.cycles > learner->cycles)
		slot.cycle = (double) (sums.cycles - learner->cycles) /
			(sums.commits - learner->commits);
	gather_trial_step(trial, &slot);
	learner->commits = sums.commits;
	learner->cycles = sums.cycles;
	learner->stalled = false;
	trial->slot_ends = now + slot_length(pacer, sums.horizon);
	if (trial->mode != mode)
		note_change(learner, false);
}

static void
learn_from_flush(Learner *learner, uint64 now, uint64 length)
{
	Pacer	   *pacer = &learner->state.pacer;
	PacerMode	mode = pacer->mode;
	bool		gathers = may_gather();

	if (pacer_flush_ended(pacer, to_us(now), to_us(length)))
	{
		learner->stalled = true;
		/* the device has no credit */
		if (pg_atomic_read_u64(&shared->due) < now)
			pg_atomic_write_u64(&shared->due, now);
	}
	/* the next leader can begin */
	if (pg_atomic_read_u64(&shared->busy_until) > now)
		pg_atomic_write_u64(&shared->busy_until, now);
	if (pacer->mode != mode)
		note_change(learner, true);
	pg_atomic_write_u64(&shared->flush_time, to_ns(pacer->median));
	pg_atomic_write_u64(&shared->interval, to_ns(pacer_interval(pacer)));
	if (gathers && to_us(now) >= learner->state.trial.slot_ends)
		end_slot(learner, to_us(now));
	pg_atomic_write_u64(&shared->horizon,
						to_ns(learned_horizon(&learner->state)));
	pg_atomic_write_u32(&shared->gathers,
						gathers && gather_trial_on(&learner->state.trial));
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
		return false;
	if (!pg_atomic_test_set_flag(&shared->learning))
	{
		pg_atomic_fetch_add_u32(&shared->missed, 1);
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
 * The setting has changed, or the server has started: believe nothing.
 * Returns false as wait_for_learner() does.
 */
bool
adaptive_delay_restart(void)
{
	AdaptiveDelayState *state = &shared->learner.state;

	if (!wait_for_learner())
		return false;
	pg_atomic_write_u64(&shared->interval, 0);
	pg_atomic_write_u32(&shared->gathers, 0);
	pacer_init(&state->pacer, to_us(clock_now()));
	gather_trial_init(&state->trial);
	state->gathering_since = 0;
	note_change(&shared->learner, true);
	pg_atomic_clear_flag(&shared->learning);
	return true;
}

/* Learn nothing until the clock shows "until": other delays take turns. */
void
adaptive_delay_pause(uint64 until)
{
	pg_atomic_write_u64(&shared->paused_until, until);
}

uint64
adaptive_delay_changes(void)
{
	return pg_atomic_read_u64(&shared->nchanges);
}

/* What adaptive_delay_waited_for() collects. */
typedef struct WaitedFor
{
	uint64		opened_at;
	uint64		horizon;
	int			n;
	int		   *pid;
} WaitedFor;

static void
add_if_waited_for(int procno, void *context)
{
	WaitedFor  *waited = context;
	Session    *session = session_at(procno);
	uint64		committed_at = pg_atomic_read_u64(&session->committed_at);
	uint64		began_at = pg_atomic_read_u64(&session->began_at);
	int			pid = ProcGlobal->allProcs[procno].pid;

	/* a commit that began since then has come; one before it comes back */
	if (began_at < waited->opened_at && pid != 0 &&
		gather_comes(habit_of(session), committed_at,
					 Max(waited->opened_at, committed_at), waited->horizon))
		waited->pid[waited->n++] = pid;
}

/*
 * The processes that the leader of the next flush waits for, about; returns
 * their number.  "pid" has room for ADAPTIVE_DELAY_WAITS_MOST.
 */
int
adaptive_delay_waited_for(int *pid)
{
	WaitedFor	waited = {.pid = pid};

	if (pg_atomic_read_u32(&shared->awaited) == 0 ||
		clock_now() >= pg_atomic_read_u64(&shared->start))
		return 0;
	waited.opened_at = pg_atomic_read_u64(&shared->opened_at);
	waited.horizon = pg_atomic_read_u64(&shared->horizon);
	(void) visit_sessions(add_if_waited_for, &waited);
	return waited.n;
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
		"pacing did not remove the stalls", "rested"
	};
	static const char *const gather[] = {
		"start", "sessions come back soon", "load or device changed",
		"time for another trial", "the trial saved time",
		"the trial saved too little", "too few sessions come back soon"
	};

	return of_pacer ? pacer[reason] : gather[reason];
}
