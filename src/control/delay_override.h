/*
 * Another commit_delay for all commits, for a while; see delay_override.c.
 * Also: must commits count siblings?
 */
#ifndef COMMIT_STATS_DELAY_OVERRIDE_H
#define COMMIT_STATS_DELAY_OVERRIDE_H

#include "port/atomics.h"

#include "base/compat.h"
#include "base/guc.h"
#include "control/adaptive_delay.h"
#include "stats/commit_trace.h"

/* As a "delay": that of adaptive_delay.c. */
#define DELAY_ADAPTIVE		(COMMIT_DELAY_MAX + 1)

/* Values to use instead of the settings of the same names. */
typedef struct DelayPair
{
	int			delay;			/* commit_delay, us, or DELAY_ADAPTIVE */
	int			siblings;		/* commit_siblings */
} DelayPair;

/* The standing order of commit_stats.adaptive_delay; no other is below. */
#define ORDER_ADAPT			1

typedef struct DelayOverrideShared
{
	/*
	 * The order in force or past; 0: none.  Written by the holder of the
	 * lock, and swapped with "standing".
	 */
	pg_atomic_uint64 order;
	pg_atomic_uint32 holder_pid;	/* of a sweep; 0: none */

	/* ORDER_ADAPT or 0; written by worker.c. */
	pg_atomic_uint64 standing;
} DelayOverrideShared;

extern COMMIT_STATS_HIDDEN DelayOverrideShared *delay_override_shared;

/* What the present commit of this backend obeys. */
typedef enum DelayObeyed
{
	OBEYS_SETTINGS,
	OBEYS_PAIR,					/* of a sweep */
	OBEYS_ADAPTIVE
} DelayObeyed;

extern COMMIT_STATS_HIDDEN DelayObeyed delay_override_obeyed;

/* The settings, while it obeys something else. */
extern COMMIT_STATS_HIDDEN DelayPair delay_override_settings;

/* The process that experiments. */
extern void delay_override_experiment(void (*run) (void *), void *arg, bool is_sweep);
extern void delay_override_set(const DelayPair *pair, uint64 deadline);
extern int	delay_override_holder(void);

/* The process that reads commit_stats.adaptive_delay for all. */
extern void delay_override_set_adaptive(bool adaptive);
extern bool delay_override_is_adaptive(void);

/* The commit path. */
extern void delay_override_obey(uint64 order, uint64 now);

/* That commit is done. */
static inline void
delay_override_restore(void)
{
	CommitDelay = delay_override_settings.delay;
	CommitSiblings = delay_override_settings.siblings;
	delay_override_obeyed = OBEYS_SETTINGS;
}

/* A commit is done, or has failed. */
static inline void
delay_override_end(void)
{
	if (unlikely(delay_override_obeyed != OBEYS_SETTINGS))
		delay_override_restore();
}

/* It begins, and obeys something else than the settings. */
static inline void
delay_override_use(int delay, int siblings, DelayObeyed obeyed)
{
	/* each commit ends with a callback; a setting must never get lost */
	delay_override_end();
	delay_override_settings.delay = CommitDelay;
	delay_override_settings.siblings = CommitSiblings;
	CommitDelay = delay;
	CommitSiblings = siblings;
	delay_override_obeyed = obeyed;
}

/*
 * Must each commit count its siblings?  Only if its leader may sleep because
 * of them, or if single commits are recorded or logged.
 */
static inline bool
delay_override_needs_siblings(void)
{
	uint64		order = pg_atomic_read_u64(&delay_override_shared->order);

	return order > ORDER_ADAPT || (order == 0 && CommitDelay > 0) ||
		commit_trace_wanted() || commit_stats_log_flushes;
}

/* A commit is about to write its record. */
static inline void
delay_override_begin(uint64 now)
{
	uint64		order = pg_atomic_read_u64(&delay_override_shared->order);

	if (likely(order == 0))
		return;
	if (order == ORDER_ADAPT)
		delay_override_use(adaptive_delay_begin(now), 0, OBEYS_ADAPTIVE);
	else
		delay_override_obey(order, now);
}

#endif							/* COMMIT_STATS_DELAY_OVERRIDE_H */
