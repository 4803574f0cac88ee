/*-------------------------------------------------------------------------
 *
 * adaptive_delay.h
 *		What commit_stats.adaptive_delay learns; see adaptive_delay.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_ADAPTIVE_DELAY_H
#define COMMIT_STATS_ADAPTIVE_DELAY_H

#include "datatype/timestamp.h"

#include "base/stats_module.h"
#include "control/gather.h"
#include "control/pacer.h"

/* Changes of a mode that are kept. */
#define DELAY_CHANGES_KEPT	64

/* A change of a PacerMode or of a GatherMode. */
typedef struct DelayChange
{
	TimestampTz changed_at;
	bool		of_pacer;
	int			mode;			/* the new one */
	int			reason;			/* PacerReason or GatherReason */
	double		rate;			/* flushes/s last believed; 0: none */
	double		gain;			/* of gathering; NaN: not known */
} DelayChange;

/* How often each mode began. */
typedef struct DelayModeCounts
{
	uint64		pacer[PACER_RESTS + 1];
	uint64		gather[GATHER_OFF + 1];
} DelayModeCounts;

/* What adaptive_delay.c believes; a copy in local memory. */
typedef struct AdaptiveDelayState
{
	Pacer		pacer;
	GatherTrial trial;
	TimestampTz pacing_since;	/* its mode; 0: the setting was never on */
	TimestampTz gathering_since;
	DelayModeCounts began;
	uint64		nchanges;		/* so far; the last ones are in "change" */
	DelayChange change[DELAY_CHANGES_KEPT];
} AdaptiveDelayState;

extern const StatsModule adaptive_delay_module;

/* The commit path. */
extern bool adaptive_delay_flushed(uint64 now, uint64 length);

/* Other processes. */
extern bool adaptive_delay_restart(bool gathers);
extern void adaptive_delay_pause(uint64 until);
extern void adaptive_delay_settle(void);
extern bool adaptive_delay_read(AdaptiveDelayState *state);
extern uint64 adaptive_delay_changes(void);
extern const char *adaptive_delay_mode_name(bool of_pacer, int mode);
extern const char *adaptive_delay_reason_name(bool of_pacer, int reason);

#endif							/* COMMIT_STATS_ADAPTIVE_DELAY_H */
