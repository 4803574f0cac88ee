/*-------------------------------------------------------------------------
 *
 * adaptive_delay.h
 *		The sleep that commit_stats.adaptive_delay lets leaders take; see
 *		adaptive_delay.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_ADAPTIVE_DELAY_H
#define COMMIT_STATS_ADAPTIVE_DELAY_H

#include "datatype/timestamp.h"

#include "base/clock.h"
#include "control/spacing.h"
#include "module/stats_module.h"

/* Changes that are kept. */
#define DELAY_CHANGES_KEPT	64

/* What spacing.c decided, and when. */
typedef struct DelayChange
{
	TimestampTz changed_at;
	SpacingChange what;
	double		spacing;		/* us; from then on */
	double		response;		/* us; of the trial that was won, with the new
								 * spacing; NaN: no trial was */
	double		response_before;	/* ... with the one before */
	double		flush_rate;		/* flushes/s of the quota believed; 0: none */
	double		window;			/* us; ... which the device grants in it */
} DelayChange;

/* What adaptive_delay.c believes; a copy in local memory. */
typedef struct AdaptiveDelayState
{
	Spacing		spacing;
	double		in_force;		/* us; what leaders keep to */
	uint64		nchanges;		/* since the server started; the last ones are
								 * in "change" */
	DelayChange change[DELAY_CHANGES_KEPT];
} AdaptiveDelayState;

/*
 * A sleep takes longer than asked for, by the timer slack of Linux (50 us) and
 * a wake-up.
 */
#define SLEEP_SLACK		(55 * NS_PER_US)

/*
 * The rule: how long does a leader sleep whose commit begins now?  The last
 * flush that was seen ended at "ended_at"; "flushing" tells whether another
 * one is under way, as whose end the sleep begins.  All in ns.
 */
static inline uint64
adaptive_delay_sleep(uint64 spacing, uint64 now, bool flushing,
					 uint64 ended_at)
{
	uint64		sleep = flushing ? spacing :
	clock_elapsed(now, ended_at + spacing);

	return clock_elapsed(SLEEP_SLACK, sleep);
}

extern const StatsModule adaptive_delay_module;

/* The commit path.  Times in ns. */
extern int	adaptive_delay_begin(uint64 now);
extern void adaptive_delay_committed(uint64 elapsed);
extern bool adaptive_delay_flushed(uint64 began_at, uint64 ended_at);

/* The background worker. */
extern void adaptive_delay_look(void);

/* Other processes. */
extern void adaptive_delay_restart(void);
extern void adaptive_delay_pause(uint64 until);
extern void adaptive_delay_settle(void);
extern void adaptive_delay_read(AdaptiveDelayState *state);
extern uint64 adaptive_delay_changes(void);
extern double adaptive_delay_quota_rate(const Spacing *spacing);
extern double adaptive_delay_response(const SpacingTrial *trial,
									  bool challenger);
extern const char *adaptive_delay_change_name(SpacingChange change);

#endif							/* COMMIT_STATS_ADAPTIVE_DELAY_H */
