/*-------------------------------------------------------------------------
 *
 * adaptive_delay.c
 *		The sleep that commit_stats.adaptive_delay lets leaders take.
 *
 * The leader of a flush sleeps for what is left of the spacing, which
 * spacing.c decides from how long flushes take, which their leaders report,
 * and how long transactions take, from their start to the end of their commit,
 * which each backend adds up in its slot of backend_slots.c.  The background
 * worker runs spacing.c; a leader wakes it as a slot of time ends.
 *
 * A commit chooses its sleep as it begins, before it knows whether it will
 * lead.  If a process holds WALWriteLock by then, a flush is under way, and
 * the sleep begins as that flush ends: the sleep is the whole spacing.
 *
 * A commit with NOTIFY holds a lock for which all others with one wait, so
 * nobody could share its flush.  The server takes that lock after a commit has
 * chosen its sleep.  Instead, the next commit of that session does not sleep:
 * count_commit() of commit_path.c sets adaptive_delay_skip_next.
 * If others wait for a row of the leader, only responses tell.
 *
 * Invariant: only the length of a sleep changes that the server itself takes
 * before a flush, in XLogFlush(): delay_override.h sets CommitDelay to what
 * adaptive_delay_begin() returns.  No sleep is longer than
 * commit_stats.adaptive_delay_max, nor than it takes the WAL to fill half of
 * wal_buffers, as a backend that finds them full waits for WALWriteLock.
 *
 * Locking: commit_stats_delay_lock() protects the Learner, which no commit
 * uses.  Words of AdaptiveDelayShared are atomic.  A leader that is suspended
 * between the claim of its place in the ring of flushes and the write there
 * may leave its flush to the next round of the ring.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xlog.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/lwlock.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "base/guc.h"
#include "base/wal_device.h"
#include "control/adaptive_delay.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "stats/flush_ring.h"
#include "stats/watch.h"

#define FLUSHES_KEPT	1024	/* until the worker has seen them */

/*
 * The time before a commit counts up to this multiple of the usual response,
 * so that a batch that runs for minutes does not hide what commits take.
 */
#define USUAL_MOST		8

/* Protected by commit_stats_delay_lock(). */
typedef struct Learner
{
	AdaptiveDelayState state;
	uint32		flushes;		/* of the ring, up to which they are seen */
	uint64		responses;		/* of all slots, at the last look */
	double		looked_at;		/* us */
	XLogRecPtr	flushed;		/* the flush pointer at the last look */
	double		most;			/* us; fills half of the WAL buffers */
} Learner;

/* A flush, ns of clock_now(). */
typedef struct FlushSeen
{
	pg_atomic_uint64 began_at;	/* and FLUSH_SLEPT */
	pg_atomic_uint64 ended_at;	/* 0: none */
} FlushSeen;

typedef struct AdaptiveDelayShared
{
	/* Leaders claim a place, and write there; the worker empties it. */
	pg_atomic_uint32 nflushes;	/* first, so that it needs no offset */
	FlushSeen	flush[FLUSHES_KEPT];

	/* Written by the process that learns; "look_at" also by leaders.  ns. */
	char		pad[PG_CACHE_LINE_SIZE];
	pg_atomic_uint64 spacing;	/* less SLEEP_SLACK */
	pg_atomic_uint64 before_most;	/* of the time before a commit */
	pg_atomic_uint64 look_at;	/* the flush that ends then wakes it */

	pg_atomic_uint64 paused_until;	/* ns; a sweep writes it */
	Learner		learner;
} AdaptiveDelayShared;

const char *const delay_change_names[] = {
	[SPACING_STARTED] = "start",
	[SPACING_LOST] = "no better",
	[SPACING_ENDED_EARLY] = "much worse",
	[SPACING_INTERRUPTED] = "interrupted",
	[SPACING_ADOPTED] = "better",
	[SPACING_LOAD_CHANGED] = "load changed",
	[SPACING_QUOTA_FOUND] = "quota found",
	[SPACING_QUOTA_CHANGED] = "quota changed",
	[SPACING_QUOTA_GONE] = "quota gone",
	[SPACING_QUOTA_REFUTED] = "quota refuted"
};

pg_atomic_uint64 *adaptive_delay_before_most = NULL;
bool		adaptive_delay_skip_next = false;
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

static void
adaptive_delay_attach(void *head, void *tail, bool found)
{
	shared = head;
	adaptive_delay_before_most = &shared->before_most;
}

const StatsModule adaptive_delay_module = {
	.head_size = sizeof(AdaptiveDelayShared),
	.attach = adaptive_delay_attach,
};

/*---- The commit path ---------------------------------------------*/

/* A commit begins: what will it sleep if it leads, us? */
int
adaptive_delay_begin(uint64 now)
{
	uint64		spacing = pg_atomic_read_u64(&shared->spacing);
	bool		flushing;
	uint64		sleep;

	if (spacing == 0)
		return 0;
	if (unlikely(adaptive_delay_skip_next))
	{
		adaptive_delay_skip_next = false;
		return 0;
	}
	flushing = LWLOCK_IS_HELD(WALWriteLock);
	sleep = adaptive_delay_length(spacing, now, flushing,
								  flushing ? 0 : flush_groups_last_end());
	/* 32 bits, 4 s, divide in fewer instructions */
	return (int) ((uint32) sleep / (uint32) NS_PER_US);
}

/*
 * This process has led a flush.  Returns true if it is to wake the worker for
 * adaptive_delay_look().
 */
bool
adaptive_delay_flushed(uint64 began_at, uint64 ended_at)
{
	AdaptiveDelayShared *words = shared;	/* a barrier would read it again */
	uint32		place = pg_atomic_fetch_add_u32(&words->nflushes, 1);
	FlushSeen  *flush = &words->flush[place % FLUSHES_KEPT];

	pg_atomic_write_u64(&flush->began_at, began_at);
	pg_write_barrier();			/* protocol flush_seen */
	pg_atomic_write_u64(&flush->ended_at, ended_at);
	if (likely(ended_at < pg_atomic_read_u64(&words->look_at)))
		return false;
	/* once, until the worker has looked */
	pg_atomic_write_u64(&words->look_at, PG_UINT64_MAX);
	return true;
}

/*---- The worker --------------------------------------------------*/

/* Leaders keep to the spacing that spacing.c has decided. */
static void
publish(Learner *learner, double now)
{
	AdaptiveDelayState *state = &learner->state;
	Spacing    *spacing = &state->spacing;
	double		usual = spacing->usual_response;

	/* the server lets nobody sleep without fsync */
	state->in_force = !enableFsync ? 0 :
		Min(Min(spacing_now(spacing), learner->most),
			(double) commit_stats_adaptive_delay_max);
	pg_atomic_write_u64(&shared->spacing,
						clock_elapsed(SLEEP_SLACK, to_ns(state->in_force)));
	pg_atomic_write_u64(&shared->before_most,
						usual == 0 ? RESPONSE_MOST :
						Min(to_ns(USUAL_MOST * usual), RESPONSE_MOST));
	pg_atomic_write_u64(&shared->look_at,
						to_ns(spacing_next_look(spacing, now)));
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
	change->response = won ? spacing_response(&spacing->trial, true) : NAN;
	change->response_before = won ?
		spacing_response(&spacing->trial, false) : NAN;
	change->flush_rate = spacing_quota_rate(spacing);
	change->window = spacing->quota.window;
	state->nchanges++;
}

/*
 * Sees the flushes in the ring, but for those that ended while a sweep took
 * turns.  Returns whether there were none of these.
 */
static bool
see_flushes(Learner *learner, uint64 now)
{
	Spacing    *spacing = &learner->state.spacing;
	uint32		end = pg_atomic_read_u32(&shared->nflushes);
	uint64		paused_until = pg_atomic_read_u64(&shared->paused_until);
	bool		all = true;

	/* the time of a sweep is none in which the floor held flushes back */
	spacing->ended = Max(spacing->ended, to_us(Min(paused_until, now)));
	if (end - learner->flushes > FLUSHES_KEPT)
	{
		/* the worker has lost some */
		spacing_settle(spacing, to_us(now));
		learner->flushes = end - FLUSHES_KEPT;
	}
	while (learner->flushes != end)
	{
		FlushSeen  *flush = &shared->flush[learner->flushes++ % FLUSHES_KEPT];
		uint64		ended_at = pg_atomic_exchange_u64(&flush->ended_at, 0);
		uint64		reported;
		uint64		began_at;

		if (ended_at == 0)
			continue;
		pg_read_barrier();		/* protocol flush_seen */
		reported = pg_atomic_read_u64(&flush->began_at);
		began_at = Min(reported & ~FLUSH_SLEPT, ended_at);
		if (ended_at < paused_until)
			all = false;
		/* what a limit of the CPU stops looks like a stall of a quota */
		else if ((to_us(ended_at - began_at) <=
				  wal_device_stall_limit(spacing->usual) ||
				  !watch_cpu_limited(began_at, ended_at)) &&
				 spacing_flush_ended(spacing, to_us(began_at), to_us(ended_at),
									 (reported & FLUSH_SLEPT) != 0))
			note_change(&learner->state);
	}
	return all;
}

/* Sets "most" from the WAL that was flushed since the last look. */
static void
note_wal(Learner *learner, double now)
{
	XLogRecPtr	flushed = GetFlushRecPtr(NULL);

	learner->most =
		wal_buffers_us_until_half_full((double) XLOGbuffers * XLOG_BLCKSZ,
									   (flushed - learner->flushed) * 1e6 /
									   (now - learner->looked_at));
	learner->flushed = flushed;
	learner->looked_at = now;
}

/* The worker: decide, if flushes have ended since the last call. */
void
adaptive_delay_look(void)
{
	Learner    *learner = &shared->learner;
	Spacing    *spacing = &learner->state.spacing;
	uint64		now;
	uint64		responses;
	uint64		added;

	/* "flushes" may change meanwhile only if all is forgotten */
	if (pg_atomic_read_u32(&shared->nflushes) == learner->flushes)
		return;
	LWLockAcquire(commit_stats_delay_lock(), LW_EXCLUSIVE);
	now = clock_now();
	responses = backend_slots_responses();
	added = see_flushes(learner, now) ? responses - learner->responses : 0;
	if (spacing_look(spacing, spacing->ended,
					 (double) (added >> RESPONSES_SHIFT),
					 to_us(added & RESPONSES_SUM)))
		note_change(&learner->state);
	learner->responses = responses;
	note_wal(learner, to_us(now));
	publish(learner, spacing->ended);
	LWLockRelease(commit_stats_delay_lock());
}

/*---- Other processes ---------------------------------------------*/

void
adaptive_delay_read(AdaptiveDelayState *state)
{
	LWLockAcquire(commit_stats_delay_lock(), LW_SHARED);
	*state = shared->learner.state;
	LWLockRelease(commit_stats_delay_lock());
}

/* Learn nothing until the clock shows "until": other delays take turns. */
void
adaptive_delay_pause(uint64 until)
{
	pg_atomic_write_u64(&shared->paused_until, until);
}

/*
 * Leaders do what is known, and not what was just being tried, as nothing is
 * learned for a while.  With "forget", nothing is known any more.
 */
void
adaptive_delay_settle(bool forget)
{
	Learner    *learner = &shared->learner;
	double		now = to_us(clock_now());

	LWLockAcquire(commit_stats_delay_lock(), LW_EXCLUSIVE);
	if (forget)
	{
		spacing_init(&learner->state.spacing, now);
		learner->flushes = pg_atomic_read_u32(&shared->nflushes);
		learner->responses = backend_slots_responses();
		note_wal(learner, now);
		learner->most = commit_stats_adaptive_delay_max;
		note_change(&learner->state);
	}
	else
		spacing_settle(&learner->state.spacing, now);
	publish(learner, now);
	LWLockRelease(commit_stats_delay_lock());
}

/* The worker: the number of changes, which it makes, but for a restart. */
uint64
adaptive_delay_changes(void)
{
	return shared->learner.state.nchanges;
}
