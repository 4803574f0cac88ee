/*-------------------------------------------------------------------------
 *
 * changecount.h
 *		Counts on the move from one place to another; see changecount.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_CHANGECOUNT_H
#define COMMIT_STATS_CHANGECOUNT_H

#include "port/atomics.h"

#include "base/visibility.h"

#define CHANGECOUNT_MAX_PASSES	100 /* of a reader that is disturbed */

/* In shared memory; atomic. */
typedef struct ChangeCount
{
	pg_atomic_uint64 begun;
	pg_atomic_uint64 ended;		/* equal to begun when nothing is on the move */
} ChangeCount;

/* What this process moves just now; null if nothing. */
extern COMMIT_STATS_HIDDEN ChangeCount *changecount_under_way;

static inline void
changecount_init(ChangeCount *moves)
{
	pg_atomic_init_u64(&moves->begun, 0);
	pg_atomic_init_u64(&moves->ended, 0);
}

static inline void
changecount_begin(ChangeCount *moves)
{
	pg_atomic_fetch_add_u64(&moves->begun, 1);
	changecount_under_way = moves;
}

static inline void
changecount_end(ChangeCount *moves)
{
	changecount_under_way = NULL;
	pg_atomic_fetch_add_u64(&moves->ended, 1);
}

/*
 * For readers who must not wait, when there is nobody left to move: is nothing
 * on the move?  If a process was stopped, this stays false.
 */
static inline bool
changecount_at_rest(ChangeCount *moves)
{
	return pg_atomic_read_u64(&moves->begun) ==
		pg_atomic_read_u64(&moves->ended);
}

/* For readers: how many moves began since there had been "before" of them? */
static inline uint64
changecount_since(ChangeCount *moves, uint64 before)
{
	pg_read_barrier();
	return pg_atomic_read_u64(&moves->begun) - before;
}

extern void changecount_abandon(void);

/* Readers. */
extern bool changecount_poll(int *polls);
extern bool changecount_read(ChangeCount *moves, uint64 *count);
extern uint64 changecount_wait(ChangeCount *moves);
extern void changecount_report_stopped(void);
extern void changecount_count_pass(int *passes);

#endif							/* COMMIT_STATS_CHANGECOUNT_H */
