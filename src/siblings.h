/*-------------------------------------------------------------------------
 *
 * siblings.h
 *		How many other transactions are active; see siblings.c.
 *
 * src/siblings.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SIBLINGS_H
#define COMMIT_STATS_SIBLINGS_H

#include "compat.h"

/* The most backends that one count looks at; with more it is an estimate. */
#define SIBLINGS_MAX_VISITS		64

extern Size siblings_shared_size(int backends);
extern void siblings_attach(void *part, bool found);
extern bool siblings_register_backend(bool has_xid);
extern uint32 siblings_count(void);
extern uint32 siblings_count_blocked(void);
extern uint32 siblings_connected(void);
extern void siblings_forget_note(void);
extern bool siblings_saw_sleep(void);

/* Begin a commit that nobody has seen asleep yet. */
static inline void
siblings_forget_sleep(void)
{
	if (COMMIT_DELAY_SHOWS)
		siblings_forget_note();
}

#endif							/* COMMIT_STATS_SIBLINGS_H */
