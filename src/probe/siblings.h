/*-------------------------------------------------------------------------
 *
 * siblings.h
 *		How many other transactions are active; see siblings.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SIBLINGS_H
#define COMMIT_STATS_SIBLINGS_H

#include "port/atomics.h"

#include "base/compat.h"
#include "base/stats_module.h"
#include "base/visibility.h"

/* The most backends that one count looks at; with more it is an estimate. */
#define SIBLINGS_MAX_VISITS		64

/*
 * Backends that a commit looks at on average where no delay depends on how many
 * are active.  Each is a cache line that another processor may have written.  A
 * leader counts twice, so no commit looks at more than twice as many on average.
 */
#define SIBLINGS_CHEAP_VISITS	8

/* Instead of a number of siblings.  More than any, and one more is 0. */
#define SIBLINGS_NOT_COUNTED	PG_UINT32_MAX

extern const StatsModule siblings_module;

extern bool siblings_register_backend(bool has_xid);
extern uint32 siblings_count_active(uint32 nothers);
extern uint8 siblings_count_blocked(void);
extern bool siblings_draw(void);
extern double siblings_count_fraction(bool needed);
extern void siblings_forget_note(void);
extern bool siblings_saw_sleep(void);

/* Backends that can hold a transaction id at all; in shared memory. */
extern COMMIT_STATS_HIDDEN pg_atomic_uint32 *siblings_nconnected;

/* Their number, this one included. */
static inline uint32
siblings_connected(void)
{
	return pg_atomic_read_u32(siblings_nconnected);
}

/*
 * The number of siblings of this backend's transaction, at this moment; an
 * estimate where more than SIBLINGS_MAX_VISITS others are connected.
 */
static inline uint32
siblings_count(void)
{
	uint32		connected = siblings_connected();

	return connected > 1 ? siblings_count_active(connected - 1) : 0;
}

/* Are there so few that each commit counts them, whatever for? */
static inline bool
siblings_are_cheap(void)
{
	return siblings_connected() <= SIBLINGS_CHEAP_VISITS + 1;
}

/* Begin a commit that nobody has seen asleep yet. */
static inline void
siblings_forget_sleep(void)
{
	if (COMMIT_DELAY_SHOWS)
		siblings_forget_note();
}

#endif							/* COMMIT_STATS_SIBLINGS_H */
