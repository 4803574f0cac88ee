/*-------------------------------------------------------------------------
 *
 * session_habits.h
 *		When each session commits, in shared memory; see session_habits.c.
 *
 * A visitor reads "began_at" and "committed_at" without a barrier, so it may
 * see one of them newer than the other.  A commit that just ended then seems
 * to be under way, or to have ended a cycle ago; one that just began seems to
 * be still to come.  That costs one flush of which the leader sleeps a little
 * too long, within the limits of next_flush.c, or does not wait for this
 * session; or the session is taken off, and sets its bit as it commits next.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SESSION_HABITS_H
#define COMMIT_STATS_SESSION_HABITS_H

#include "miscadmin.h"
#include "port/atomics.h"
#include "port/pg_bitutils.h"

#include "base/backend_set.h"
#include "base/clock.h"
#include "base/single_writer.h"
#include "base/stats_module.h"
#include "base/visibility.h"
#include "control/gather.h"

/* Sessions that one look visits. */
#define SESSION_VISITS_MOST	128

/* From commit to commit, ns; a session with a longer cycle is not busy. */
#define SESSION_CYCLE_MOST	(200 * NS_PER_MS)

/* A session; only it writes, except where it says so. */
typedef struct Session
{
	pg_atomic_uint64 habit;		/* think time and deviation, us */
	pg_atomic_uint64 committed_at;	/* ns; 0: has not committed */
	pg_atomic_uint64 began_at;	/* ns; commit under way; 0: none */
	pg_atomic_uint64 joined;	/* ns; when the flush of that commit, or of
								 * the last one, was opened */
	pg_atomic_uint64 commits;	/* whose cycle is in "cycles"; both go on from
								 * process to process */
	pg_atomic_uint64 cycles;	/* ns from commit to commit, added up */
	pg_atomic_uint64 woken_at;	/* ns; written by the process that woke it */
	uint64		commits_counted;	/* "commits" and "cycles" as the last slot */
	uint64		cycles_counted; /* of a trial ended; of the process that
								 * learns (adaptive_delay.c) */
	pg_atomic_uint32 is_regular;	/* in session_regulars; cleared by the
									 * process that takes it off */
} Session;

typedef union SessionSlot
{
	Session		session;
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(Session))];
} SessionSlot;

extern COMMIT_STATS_HIDDEN SessionSlot *session_slots;

/* A backend_set of the sessions that commit often. */
extern COMMIT_STATS_HIDDEN pg_atomic_uint64 *session_regulars;

extern const StatsModule session_habits_module;

/* That of this process; NULL before its first commit. */
extern COMMIT_STATS_HIDDEN Session *session_mine;

extern void session_begin(void);
extern void session_leave(void);
extern void session_put_on(void);
extern bool session_take_off_if_idle(int procno, uint64 now);

static inline Session *
session_at(int procno)
{
	return &session_slots[procno].session;
}

static inline GatherHabit
session_habit(Session *session)
{
	uint64		word = pg_atomic_read_u64(&session->habit);
	GatherHabit habit = {(uint32) (word >> 32), (uint32) word};

	return habit;
}

/* Is a commit of this session under way? */
static inline bool
session_commits(Session *session)
{
	return pg_atomic_read_u64(&session->began_at) != 0;
}

/*
 * Commit path: a commit begins.  How long was it since the last one, which
 * ended at "committed_at"?
 */
static inline GatherHabit
session_learn_habit(Session *me, uint64 committed_at, uint64 now)
{
	GatherHabit habit = session_habit(me);

	if (unlikely(committed_at == 0))
		return habit;
	gather_learn(&habit, clock_elapsed(committed_at, now) / NS_PER_US);
	pg_atomic_write_u64(&me->habit,
						(uint64) habit.think << 32 | habit.deviation);
	return habit;
}

/* Commit path: a commit is done. */
static inline void
session_committed(Session *me, uint64 now)
{
	uint64		cycle = clock_elapsed(pg_atomic_read_u64(&me->committed_at), now);

	/* since 0 it is longer than that */
	if (cycle < SESSION_CYCLE_MOST)
	{
		single_writer_add(&me->commits, 1);
		single_writer_add(&me->cycles, cycle);
	}
	pg_atomic_write_u64(&me->committed_at, now);
	pg_atomic_write_u64(&me->began_at, 0);
}

/*
 * Call "visit" for each session that commits often.  Returns false if there
 * are more than SESSION_VISITS_MOST.
 */
typedef void (*SessionVisitor) (int procno, void *context);

static pg_attribute_always_inline bool
session_visit_regulars(SessionVisitor visit, void *context)
{
	int			nwords = backend_set_words(MaxBackends);
	int			nvisited = 0;

	for (int w = 0; w < nwords; w++)
	{
		uint64		bits = pg_atomic_read_u64(&session_regulars[w]);

		for (; bits != 0; bits &= bits - 1)
		{
			if (nvisited++ == SESSION_VISITS_MOST)
				return false;
			visit(64 * w + pg_rightmost_one_pos64(bits), context);
		}
	}
	return true;
}

#endif							/* COMMIT_STATS_SESSION_HABITS_H */
