/* How many other transactions are active; see siblings.c. */
#ifndef COMMIT_STATS_SIBLINGS_H
#define COMMIT_STATS_SIBLINGS_H

#include "port/atomics.h"

#include "base/compat.h"

/* Backends that a count visits at most; with more it is an estimate. */
#define SIBLINGS_MAX_VISITS		64

/* Visits of a commit on average, if no delay depends on its siblings. */
#define SIBLINGS_CHEAP_VISITS	8

/* Instead of a number of siblings: more than any, and one more is 0. */
#define SIBLINGS_NOT_COUNTED	PG_UINT32_MAX

/* In shared memory. */
extern COMMIT_STATS_HIDDEN pg_atomic_uint32 *siblings_nregistered;

extern bool siblings_register_backend(void);

/* The number of other registered backends that pass, or an estimate. */
extern uint32 siblings_estimate(bool (*passes) (int procno));
extern uint32 siblings_count_active(uint32 nothers);
extern uint16 siblings_count_blocked(void);

/* True for a commit that counts siblings although no delay needs them. */
extern bool siblings_draw(void);

/* The share of commits that count siblings, which a delay needs or not. */
extern double siblings_count_fraction(bool needed);

/* A commit begins; a backend has seen this one asleep since then. */
extern void siblings_forget_sleep(void);
extern bool siblings_saw_sleep(void);

/* Registered backends, this one included. */
static inline uint32
siblings_connected(void)
{
	return pg_atomic_read_u32(siblings_nregistered);
}

/* Siblings of this backend's transaction, or an estimate of their number. */
static inline uint32
siblings_count(void)
{
	uint32		connected = siblings_connected();

	return connected > 1 ? siblings_count_active(connected - 1) : 0;
}

/* True for so few backends that each commit can count its siblings. */
static inline bool
siblings_are_cheap(void)
{
	return siblings_connected() <= SIBLINGS_CHEAP_VISITS + 1;
}

#endif							/* COMMIT_STATS_SIBLINGS_H */
