/*-------------------------------------------------------------------------
 *
 * next_flush.c
 *		When the next flush begins with commit_stats.adaptive_delay.
 *
 * The first commit that begins after a flush has begun opens the next flush.
 * It sets the clock to when that flush is due (pacer.h), or later if sessions
 * are about to commit that are worth waiting for (gather.h).  This commit and
 * those that begin until then sleep until the clock's time if they lead.
 *
 * The commit that opened the flush is the first to wait for it, so it probably
 * leads.  It counts the sessions that it waits for.  Each of them counts
 * itself off as its commit begins, and the last one ends the leader's sleep by
 * SIGUSR1, whose handler finds nothing to do.
 *
 * The clock knows by estimate when a flush begins, and by a leader's report
 * when it has ended.  Until the report of the flush before, the opened flush
 * has not begun, so that a flush that takes longer than usual does not make
 * the clock run ahead of the device.  A leader whose flush follows a stall
 * sleeps a whole interval, and not what is left of one.  Some flushes nobody
 * opens: a commit that begins just before its flush may miss that.  They take
 * the next one's place in the clock, as the device counts them, too.
 *
 * Invariant: only the length of a sleep changes that the server itself takes
 * before a flush, and no sleep is longer than commit_stats.adaptive_delay_max,
 * nor than it takes the WAL to fill half of wal_buffers: the leader sleeps
 * with WALWriteLock held, for which a backend waits that finds the buffers
 * full.  A signal goes only to a process whose commit is under way, by its
 * session's "began_at".  Between that look and the signal, the process could
 * only end if it finished its commit and its session; SendProcSignal() takes
 * the same chance.
 *
 * Locking: none.  "opened" is swapped; the commit that has swapped it for a
 * new flush then writes what belongs to that.  Another commit may read the old
 * values meanwhile, and sleeps too long or too short, within the ceiling.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <signal.h>

#include "access/xlog.h"
#include "storage/lock.h"
#include "storage/proc.h"

#include "base/clock.h"
#include "base/compat.h"
#include "control/next_flush.h"
#include "control/pacer.h"
#include "control/session_habits.h"

#define HORIZON_CAP(h)		((h) + (h) / 2) /* longest sleep for others */
#define SLACK				(GATHER_SLACK * NS_PER_US)
#define LATE_MOST			4	/* flush times; then the report is lost */
#define WANTED_MOST			8	/* transactions that sessions wait for; each
								 * is compared with all commits under way */

/* What is known of the flush that was opened last. */
typedef enum FlushState
{
	FLUSH_QUEUED,				/* the flush before has not ended */
	FLUSH_READY,				/* ... has ended */
	FLUSH_OVER					/* it has ended itself */
} FlushState;

#define STATE_BITS			UINT64CONST(3)

/* Times in ns of clock_now(). */
typedef struct NextFlushShared
{
	/* Written by the process that learns: NextFlushPlan. */
	pg_atomic_uint64 interval;
	pg_atomic_uint64 flush_time;
	pg_atomic_uint64 horizon;	/* us */
	pg_atomic_uint32 gathers;

	/*
	 * The flush that was opened last.  "opened" is swapped, and holds a
	 * FlushState and, above its bits, when the flush begins; with FLUSH_OVER,
	 * when it ended.  The commit that opened it writes the others; who else
	 * does stands in parentheses.
	 */
	char		pad[PG_CACHE_LINE_SIZE];
	pg_atomic_uint64 opened;
	pg_atomic_uint64 due;		/* see PacerClock (a leader that stalled, or
								 * whose flush nobody had opened) */
	pg_atomic_uint64 ready_at;	/* the device is idle from then on; when it
								 * is, the leader's report replaces the
								 * estimate */
	pg_atomic_uint32 kind;		/* SleepKind of its leader */
	pg_atomic_uint64 opened_at;
	pg_atomic_uint64 flushed;	/* the flush pointer then */
	pg_atomic_uint64 fills_half;	/* ns in which the WAL fills half of its
									 * buffers; 0: not known */
	pg_atomic_uint32 opener;	/* its process number plus 1; 0: nobody may be
								 * woken (a commit that replaces it, and the
								 * one that wakes it) */
	pg_atomic_uint64 wait;		/* for those sessions once it can begin */
	pg_atomic_uint32 expected;	/* sessions that it waits for */
	pg_atomic_uint32 awaited;	/* ... that are still to come (each of them as
								 * it comes) */
	pg_atomic_uint64 complete;	/* "opened_at" of the latest flush for which
								 * all of them came; the last one writes it */
} NextFlushShared;

static NextFlushShared *shared = NULL;

/* The sleep of the commit under way, if it leads. */
static AdaptiveSleep planned;

/* The memory is zeroed, which is what pg_atomic_init_u64() would do. */
static void
next_flush_attach(void *head, void *tail, bool found)
{
	shared = head;
}

const StatsModule next_flush_module = {
	.head_size = sizeof(NextFlushShared),
	.attach = next_flush_attach,
};

/*----------------------------------------------------------------
 * Which sessions are coming?
 *----------------------------------------------------------------
 */

/* What a look at the sessions finds. */
typedef struct Look
{
	GatherFlush flush;
	int			expected;		/* sessions that are coming */
	uint64		latest;			/* ns; when all of them will have come */
	int			nwanted;		/* transactions that sessions wait for */
	TransactionId wanted[WANTED_MOST];
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
		if (TransactionIdIsValid(xid) && look->nwanted < WANTED_MOST)
			look->wanted[look->nwanted++] = xid;
		return;
	}
	session.habit = session_habit(it);
	session.committed_at = pg_atomic_read_u64(&it->committed_at);
	latest = gather_expects(&session, &look->flush);
	if (latest != 0)
	{
		look->expected++;
		look->latest = Max(look->latest, latest);
	}
	else
		(void) session_take_off_if_idle(procno, look->flush.opened_at);
}

/* Is a session that is in its commit waited for by another one? */
static void
look_for_holder(int procno, void *context)
{
	Look	   *look = context;

	if (procno != MyProcNumber && !session_commits(session_at(procno)))
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
	(void) session_visit_regulars(look_for_holder, look);
	return look->held;
}

/*
 * When will all sessions have come that are worth waiting for?  0: no session
 * is, or one waits for a lock that is released by a commit under way
 * (MariaDB's rule).
 */
static uint64
gather(uint64 ready_at, uint64 now, Look *look)
{
	uint64		horizon = pg_atomic_read_u64(&shared->horizon);

	look->flush.opened_at = now;
	look->flush.ready_at = ready_at;
	look->flush.horizon = horizon;
	look->flush.flush_time = pg_atomic_read_u64(&shared->flush_time);
	look->expected = look->nwanted = 0;
	look->latest = 0;
	if (!session_visit_regulars(look_at, look) ||
		(look->nwanted > 0 && holds_up_others(look)))
		look->expected = 0;
	return look->expected == 0 ? 0 :
		Min(look->latest,
			look->flush.ready_at + HORIZON_CAP(horizon) * NS_PER_US);
}

/*----------------------------------------------------------------
 * The next flush
 *----------------------------------------------------------------
 */

static inline FlushState
opened_state(uint64 opened)
{
	return (FlushState) (opened & STATE_BITS);
}

static inline uint64
opened_start(uint64 opened)
{
	return opened & ~STATE_BITS;
}

static inline uint64
opened_word(uint64 start, FlushState state)
{
	return (start & ~STATE_BITS) | state;
}

/* Has the flush that was opened last begun, so that a commit misses it? */
static inline bool
has_begun(uint64 opened, uint64 now)
{
	uint64		start = opened_start(opened);

	if (opened_state(opened) == FLUSH_QUEUED)
		start += LATE_MOST * pg_atomic_read_u64(&shared->flush_time);
	return now >= start;
}

/*
 * The flush before stalls, and nobody knows when it ends.  That is as if it
 * began then: the leader sleeps a whole interval from there.
 */
static void
open_after_stall(PacerClock *clock, uint64 now, uint64 interval,
				 uint64 flush_time)
{
	clock->busy_until = now;
	clock->due = clock->start = now + interval - Min(flush_time, interval);
}

/* At the rate of the WAL since a flush was opened last.  0: not known. */
static uint64
time_to_fill_half(XLogRecPtr flushed, uint64 now)
{
	XLogRecPtr	before = pg_atomic_read_u64(&shared->flushed);
	uint64		time = clock_elapsed(pg_atomic_read_u64(&shared->opened_at),
									 now);

	if (before == InvalidXLogRecPtr || flushed <= before)
		return 0;
	return (uint64) ((double) XLOGbuffers * XLOG_BLCKSZ / 2 * time /
					 (flushed - before)) + 1;
}

static void
note_wal_rate(uint64 now)
{
	XLogRecPtr	flushed = GetFlushRecPtr(NULL);

	pg_atomic_write_u64(&shared->fills_half, time_to_fill_half(flushed, now));
	pg_atomic_write_u64(&shared->flushed, flushed);
}

/*
 * The first commit since the latest flush has begun: open the next one.  If
 * another commit does the same, either serves.
 */
static inline void
open_flush(uint64 opened, uint64 now)
{
	static Look look;
	uint64		interval = pg_atomic_read_u64(&shared->interval);
	uint64		flush_time = pg_atomic_read_u64(&shared->flush_time);
	bool		idle = opened_state(opened) == FLUSH_OVER;
	uint64		latest = 0;
	uint64		ready_at;
	PacerClock	clock;
	SleepKind	kind;

	clock.start = opened_start(opened);
	clock.due = pg_atomic_read_u64(&shared->due);
	if (interval > 0 && !idle &&
		next_flush_is_stall(clock_elapsed(clock.start, now)))
		open_after_stall(&clock, now, interval, flush_time);
	else
		pacer_open(&clock, now, interval, idle ? 0 : flush_time);
	ready_at = Max(now, clock.busy_until);
	look.expected = 0;
	if (pg_atomic_read_u32(&shared->gathers) != 0)
		latest = gather(ready_at, now, &look);
	kind = clock.start == clock.due ? SLEEP_PACED : SLEEP_NONE;
	if (latest > clock.start)
	{
		clock.start = latest;
		kind = SLEEP_GATHERED;
	}
	if (!pg_atomic_compare_exchange_u64(&shared->opened, &opened,
										opened_word(clock.start, idle ?
													FLUSH_READY :
													FLUSH_QUEUED)))
		return;
	pg_atomic_write_u64(&shared->due, clock.due);
	pg_atomic_write_u64(&shared->ready_at, ready_at);
	pg_atomic_write_u32(&shared->kind, kind);
	note_wal_rate(now);
	pg_atomic_write_u64(&shared->opened_at, now);
	if (look.expected > 0)
	{
		pg_atomic_write_u64(&shared->wait, clock_elapsed(ready_at, latest));
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

/* Is the flush due, if it waits for no session? */
static bool
is_due(uint64 now)
{
	return pg_atomic_read_u64(&shared->interval) == 0 ||
		now >= pg_atomic_read_u64(&shared->due);
}

/*
 * The flush begins: commits from now on belong to the next one.  Returns false
 * if another one has been opened.
 */
static bool
begin_now(uint64 opened, uint64 now)
{
	return pg_atomic_compare_exchange_u64(&shared->opened, &opened,
										  opened_word(now, FLUSH_READY));
}

/*
 * All sessions have come: end the sleep of the probable leader, if the flush
 * may begin.  Returns true if it was ended.
 */
static inline bool
wake_leader(uint64 now)
{
	uint32		opener = pg_atomic_exchange_u32(&shared->opener, 0);
	uint64		opened = pg_atomic_read_u64(&shared->opened);
	Session    *session;
	int			pid;

	if (opener == 0 || opened_state(opened) != FLUSH_READY ||
		now >= opened_start(opened) || !is_due(now))
		return false;
	if (opener == MyProcNumber + 1)
	{
		/* it is this process, which has not begun to sleep */
		(void) begin_now(opened, now);
		return false;
	}
	session = session_at(opener - 1);
	if (!session_commits(session) ||
		!pays_to_wake(clock_elapsed(now, opened_start(opened))))
		return false;
	pg_read_barrier();			/* protocol signal */
	pid = ProcGlobal->allProcs[opener - 1].pid;
	if (pid == 0 || !begin_now(opened, now))
		return false;
	pg_atomic_write_u64(&session->woken_at, now);
	(void) kill(pid, SIGUSR1);
	return true;
}

/* Was this session counted by the commit that opened the next flush? */
static inline bool
was_expected(GatherHabit habit, uint64 committed_at)
{
	uint64		opened_at = pg_atomic_read_u64(&shared->opened_at);

	/* if it committed after that, it was in its commit then */
	return gather_comes(habit, committed_at, Max(opened_at, committed_at),
						pg_atomic_read_u64(&shared->horizon));
}

/* The flush before may have carried the commit that opened this one. */
static void
replace_opener(void)
{
	uint32		opener = pg_atomic_read_u32(&shared->opener);

	if (opener != 0 && !session_commits(session_at(opener - 1)))
		pg_atomic_write_u32(&shared->opener, MyProcNumber + 1);
}

/*
 * A commit that did not open the flush begins: one session fewer to come.
 * Returns true if it was the last one.
 */
static inline bool
count_off(GatherHabit habit, uint64 committed_at)
{
	uint32		awaited = pg_atomic_read_u32(&shared->awaited);

	if (awaited == 0 || !was_expected(habit, committed_at))
		return false;
	replace_opener();
	while (awaited > 0 &&
		   !pg_atomic_compare_exchange_u32(&shared->awaited, &awaited,
										   awaited - 1))
		;
	return awaited == 1;
}

/*
 * ns that this process sleeps if it leads, as the clock says.  A sleep takes
 * SLACK longer.  If that was not taken off, commits that begin meanwhile would
 * open a flush of which nothing is left, as this one carries them.
 */
static uint64
until_start(uint64 now)
{
	uint64		opened = pg_atomic_read_u64(&shared->opened);
	uint64		from = pg_atomic_read_u64(&shared->ready_at);

	planned.kind = pg_atomic_read_u32(&shared->kind);
	if (planned.kind == SLEEP_NONE)
		return 0;
	/* the sleep begins when the flush before has ended */
	if (opened_state(opened) != FLUSH_QUEUED)
		from = Max(now, from);
	return clock_elapsed(from + SLACK, opened_start(opened));
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
	uint64		fills_half = pg_atomic_read_u64(&shared->fills_half);
	uint64		most = commit_stats_adaptive_delay_max;

	pg_atomic_write_u64(&session_mine->joined,
						pg_atomic_read_u64(&shared->opened_at));
	planned.end = SLEEP_DUE;
	if (fills_half != 0)
		most = Min(most, fills_half / NS_PER_US);
	if (sleep > most)
	{
		sleep = most;
		planned.end = SLEEP_CEILING;
	}
	return (int) sleep;
}

/*
 * The rare beginnings of a commit, apart from next_flush_begin(), which then
 * need not save registers for them.
 */
static pg_noinline int
begin_in_new_session(uint64 now)
{
	session_begin();
	return next_flush_begin(now);
}

static pg_noinline int
begin_first(uint64 opened, uint64 now)
{
	open_flush(opened, now);
	return limit_sleep(until_start(now));
}

static pg_noinline int
begin_last(uint64 now)
{
	pg_atomic_write_u64(&shared->complete,
						pg_atomic_read_u64(&shared->opened_at));
	return limit_sleep(wake_leader(now) ? until_others_return() :
					   until_start(now));
}

/* Commit path: a commit begins.  Returns the commit_delay of its leader. */
int
next_flush_begin(uint64 now)
{
	bool		gathers = next_flush_may_gather();
	GatherHabit habit = {0};
	uint64		committed_at;
	uint64		opened;

	if (unlikely(session_mine == NULL))
		return begin_in_new_session(now);
	committed_at = pg_atomic_read_u64(&session_mine->committed_at);
	if (gathers)
		habit = session_learn_habit(session_mine, committed_at, now);
	pg_atomic_write_u64(&session_mine->began_at, now);
	if (pg_atomic_read_u64(&shared->interval) == 0 &&
		pg_atomic_read_u32(&shared->gathers) == 0)
		return 0;
	opened = pg_atomic_read_u64(&shared->opened);
	if (has_begun(opened, now))
		return begin_first(opened, now);
	if (count_off(habit, committed_at))
		return begin_last(now);
	return limit_sleep(until_start(now));
}

/*
 * Commit path: how did the sleep of this leader end, which held the lock from
 * "began_at" on?
 */
void
next_flush_slept(uint64 began_at, AdaptiveSleep *sleep)
{
	uint64		woken_at = pg_atomic_read_u64(&session_mine->woken_at);

	*sleep = planned;
	sleep->woken_at = 0;
	if (woken_at > began_at)
	{
		sleep->end = SLEEP_WOKEN;
		sleep->woken_at = woken_at;
	}
	else if (sleep->kind == SLEEP_GATHERED && sleep->end == SLEEP_DUE &&
			 pg_atomic_read_u64(&shared->complete) ==
			 pg_atomic_read_u64(&session_mine->joined))
		sleep->end = SLEEP_ALL_CAME;
}

/* Commit path: a commit with an adaptive delay is done. */
void
next_flush_end(uint64 now)
{
	session_committed(session_mine, now);
	if (unlikely(pg_atomic_read_u32(&session_mine->is_regular) == 0))
		session_put_on();
}

/* ... has failed. */
void
next_flush_abandon(void)
{
	pg_atomic_write_u64(&session_mine->began_at, 0);
}

/*----------------------------------------------------------------
 * The process that learns
 *----------------------------------------------------------------
 */

void
next_flush_set_plan(const NextFlushPlan *plan)
{
	pg_atomic_write_u64(&shared->interval, plan->interval);
	pg_atomic_write_u64(&shared->flush_time, plan->flush_time);
	pg_atomic_write_u64(&shared->horizon, plan->horizon);
	pg_atomic_write_u32(&shared->gathers, plan->gathers);
}

/* Is a flush that takes "length" ns a stall, by the flush time of the plan? */
bool
next_flush_is_stall(uint64 length)
{
	uint64		flush_time = pg_atomic_read_u64(&shared->flush_time);

	return pacer_is_stall((double) flush_time / NS_PER_US,
						  (double) length / NS_PER_US);
}

static void
not_due_before(uint64 time)
{
	if (pg_atomic_read_u64(&shared->due) < time)
		pg_atomic_write_u64(&shared->due, time);
}

/*
 * Commit path: this process has led a flush, which has ended.  The device is
 * idle, and has no credit if it stalled.
 *
 * A commit that begins just before its flush may miss that, and leads one that
 * nobody has opened.  The device has served that one, too.
 */
void
next_flush_ended(uint64 now, bool stalled)
{
	uint64		opened = pg_atomic_read_u64(&shared->opened);
	uint64		opened_at = pg_atomic_read_u64(&shared->opened_at);
	uint64		ready_at = pg_atomic_read_u64(&shared->ready_at);
	uint64		sleep = clock_elapsed(ready_at, opened_start(opened));
	FlushState	state = opened_state(opened);
	bool		is_last = pg_atomic_read_u64(&session_mine->joined) == opened_at;

	if (stalled)
		not_due_before(now);
	if (state == (is_last ? FLUSH_OVER : FLUSH_READY))
		(void) pg_atomic_fetch_add_u64(&shared->due,
									   pg_atomic_read_u64(&shared->interval));
	else if (is_last)
		(void) pg_atomic_compare_exchange_u64(&shared->opened, &opened,
											  opened_word(now, FLUSH_OVER));
	else if (state == FLUSH_QUEUED &&
			 pg_atomic_compare_exchange_u64(&shared->opened, &opened,
											opened_word(now + sleep,
														FLUSH_READY)))
	{
		pg_atomic_write_u64(&shared->ready_at, now);
		if (stalled)
			not_due_before(now + sleep);
	}
}

/*----------------------------------------------------------------
 * Readers
 *----------------------------------------------------------------
 */

/* What next_flush_waited_for() collects. */
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
		gather_comes(session_habit(session), committed_at,
					 Max(waited->opened_at, committed_at), waited->horizon))
		waited->pid[waited->n++] = pid;
}

/*
 * The processes that the leader of the next flush waits for, about; returns
 * their number.  "pid" has room for SESSION_VISITS_MOST.
 */
int
next_flush_waited_for(int *pid)
{
	WaitedFor	waited = {.pid = pid};

	if (pg_atomic_read_u32(&shared->awaited) == 0 ||
		has_begun(pg_atomic_read_u64(&shared->opened), clock_now()))
		return 0;
	waited.opened_at = pg_atomic_read_u64(&shared->opened_at);
	waited.horizon = pg_atomic_read_u64(&shared->horizon);
	(void) session_visit_regulars(add_if_waited_for, &waited);
	return waited.n;
}
