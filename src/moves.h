/*-------------------------------------------------------------------------
 *
 * moves.h
 *		Counts on the move from one place to another.
 *
 * Where the commit path moves counts from a place of their own to a common
 * total, it does so without a lock, in two steps, and for a moment they are in
 * both places or in neither.  Whoever moves says when it begins and when it has
 * ended; whoever reads does so while nothing is on the move, and again if
 * something was meanwhile.  Nobody on the commit path ever waits.
 *
 * src/moves.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_MOVES_H
#define COMMIT_STATS_MOVES_H

#include "port/atomics.h"

/* In shared memory; atomic. */
typedef struct Moves
{
	pg_atomic_uint64 begun;
	pg_atomic_uint64 ended;		/* equal to begun when nothing is on the move */
} Moves;

/*
 * A move takes well under a microsecond.  After a second, its process must have
 * been stopped in the middle of it.
 */
#define MOVES_POLL			100 /* us */
#define MOVES_MAX_POLLS		10000

static inline void
moves_init(Moves *moves)
{
	pg_atomic_init_u64(&moves->begun, 0);
	pg_atomic_init_u64(&moves->ended, 0);
}

static inline void
moves_begin(Moves *moves)
{
	pg_atomic_fetch_add_u64(&moves->begun, 1);
}

static inline void
moves_end(Moves *moves)
{
	pg_atomic_fetch_add_u64(&moves->ended, 1);
}

/* For readers: wait a little; "polls" is how often they did before. */
static inline void
moves_pause(int *polls)
{
	if (++*polls > MOVES_MAX_POLLS)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("could not read the statistics of commits"),
				 errdetail("A server process has been stopped while it was counting a commit."),
				 errhint("Try again when the process continues.")));
	pg_usleep(MOVES_POLL);
}

/*
 * For readers: wait until nothing is on the move, and return how many moves
 * there were.
 */
static inline uint64
moves_wait(Moves *moves)
{
	for (int polls = 0;; moves_pause(&polls))
	{
		uint64		ended = pg_atomic_read_u64(&moves->ended);

		pg_read_barrier();
		if (pg_atomic_read_u64(&moves->begun) == ended)
		{
			pg_read_barrier();
			return ended;
		}
	}
}

/*
 * For readers who must not wait, when there is nobody left to move: is nothing
 * on the move?  If a process was stopped, this stays false.
 */
static inline bool
moves_at_rest(Moves *moves)
{
	return pg_atomic_read_u64(&moves->begun) ==
		pg_atomic_read_u64(&moves->ended);
}

/* For readers: how many moves began since there had been "before" of them? */
static inline uint64
moves_since(Moves *moves, uint64 before)
{
	pg_read_barrier();
	return pg_atomic_read_u64(&moves->begun) - before;
}

#endif							/* COMMIT_STATS_MOVES_H */
