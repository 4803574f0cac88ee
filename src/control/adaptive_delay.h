/*
 * The sleep that commit_stats.adaptive_delay lets leaders take; see
 * adaptive_delay.c.  adaptive_delay_length() is its length.
 */
#ifndef COMMIT_STATS_ADAPTIVE_DELAY_H
#define COMMIT_STATS_ADAPTIVE_DELAY_H

#include "datatype/timestamp.h"

#include "base/clock.h"
#include "control/spacing.h"
#include "stats/backend_slots.h"

#define DELAY_CHANGES_KEPT	64	/* the latest ones */

/* By SpacingChange */
extern const char *const delay_change_names[];

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
	uint64		nchanges;		/* since the server started */
	DelayChange change[DELAY_CHANGES_KEPT];
} AdaptiveDelayState;

/*
 * A sleep takes longer than asked for, by the timer slack of Linux (50 us) and
 * a wake-up.
 */
#define SLEEP_SLACK		(55 * NS_PER_US)

/*
 * The rule: how long does a leader sleep whose commit begins now?  "spacing"
 * is less SLEEP_SLACK.  The last flush that was seen ended at "ended_at";
 * "flushing" tells whether another one is under way, at whose end the sleep
 * begins.  All in ns.
 */
static inline uint64
adaptive_delay_length(uint64 spacing, uint64 now, bool flushing,
					  uint64 ended_at)
{
	return flushing ? spacing : clock_elapsed(now, ended_at + spacing);
}

/* A commit that waited had a NOTIFY: this process's next does not sleep. */
extern COMMIT_STATS_HIDDEN bool adaptive_delay_skip_next;

/* The longest time before a commit that counts, ns.  In shared memory. */
extern COMMIT_STATS_HIDDEN pg_atomic_uint64 *adaptive_delay_before_most;

/*
 * Parts of SLOT_RESPONSES: the sum of them, ns, and above it their number.
 * Both wrap around; the difference of two sums of all slots is right for up to
 * 2^18 commits that took up to 2^46 ns altogether.
 */
#define RESPONSES_SHIFT	46
#define RESPONSES_SUM	((UINT64CONST(1) << RESPONSES_SHIFT) - 1)

/* Of a commit, so that the sum fits while a standby keeps many waiting. */
#define RESPONSE_MOST	NS_PER_S

/*
 * Commit path: a commit is done, "elapsed" after it began, and the time of its
 * transaction is known, or 0.
 */
static inline void
adaptive_delay_committed(uint64 elapsed, uint64 transaction_time)
{
	uint64		most = pg_atomic_read_u64(adaptive_delay_before_most);
	uint64		response = Max(elapsed, transaction_time);

	if (unlikely(response > most))
		response = Min(elapsed, RESPONSE_MOST) +
			Min(clock_elapsed(elapsed, transaction_time), most);
	single_writer_add(&backend_slots_fields[SLOT_RESPONSES],
					  (UINT64CONST(1) << RESPONSES_SHIFT) + response);
}

/* Added to the begin of a flush: its leader slept before. */
#define FLUSH_SLEPT		(UINT64CONST(1) << 63)

/* The commit path.  Times in ns. */
extern int	adaptive_delay_begin(uint64 now);
extern bool adaptive_delay_flushed(uint64 began_at, uint64 ended_at);

/* The background worker. */
extern void adaptive_delay_look(void);

/* Other processes. */
extern void adaptive_delay_pause(uint64 until);
extern void adaptive_delay_settle(bool forget);
extern void adaptive_delay_read(AdaptiveDelayState *state);
extern uint64 adaptive_delay_changes(void);

#endif							/* COMMIT_STATS_ADAPTIVE_DELAY_H */
