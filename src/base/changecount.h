/*-------------------------------------------------------------------------
 *
 * changecount.h
 *		Counts on the move from one place to another; see changecount.c.
 *
 * src/base/changecount.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_CHANGECOUNT_H
#define COMMIT_STATS_CHANGECOUNT_H

#include "port/atomics.h"

#include "base/visibility.h"

#define MOVES_MAX_PASSES	100 /* of a reader that is disturbed */

/* In shared memory; atomic. */
typedef struct Moves
{
	pg_atomic_uint64 begun;
	pg_atomic_uint64 ended;		/* equal to begun when nothing is on the move */
} Moves;

/* What this process moves just now; null if nothing. */
extern HIDDEN Moves *moves_under_way;

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
	moves_under_way = moves;
}

static inline void
moves_end(Moves *moves)
{
	moves_under_way = NULL;
	pg_atomic_fetch_add_u64(&moves->ended, 1);
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

extern void moves_abandon(void);

/* Readers. */
extern bool moves_poll(int *polls);
extern bool moves_try_wait(Moves *moves, uint64 *count);
extern uint64 moves_wait(Moves *moves);
extern void moves_report_stopped(void);
extern void moves_count_pass(int *passes);

#endif							/* COMMIT_STATS_CHANGECOUNT_H */
