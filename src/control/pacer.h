/*-------------------------------------------------------------------------
 *
 * pacer.h
 *		Flushes at even distances, for a device with a quota; see pacer.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_PACER_H
#define COMMIT_STATS_PACER_H

#include "base/clock.h"

/* Times are in us, but for those of the clock. */

/* Stalls whose distances are compared. */
#define PACER_STALLS	9

typedef enum PacerMode
{
	PACER_WATCHES,				/* for stalls of a quota */
	PACER_PACES,
	PACER_RESTS					/* until "rests_until", after a refutation */
} PacerMode;

/* Why the mode changed last. */
typedef enum PacerReason
{
	PACER_STARTED,				/* the server, or the setting */
	PACER_QUOTA,				/* stalls at even distances */
	PACER_NO_QUOTA,				/* no flush stalled, however the rate grew */
	PACER_STALLED,				/* again: the device has become slower, or
								 * pacing does not help */
	PACER_REFUTED,				/* stalls took as much of the time as before */
	PACER_ALONE,				/* it costs the only session too much */
	PACER_RESTED				/* after one of these two */
} PacerReason;

typedef struct PacerStall
{
	double		ended_at;
	double		nflushes;		/* that had ended by then */
	double		length;
} PacerStall;

typedef struct Pacer
{
	PacerMode	mode;
	PacerReason reason;
	double		since;			/* of the mode */
	double		nflushes;		/* that have ended */
	double		ended_at;		/* the last of them */
	int			leader;			/* its process number */
	int			led;			/* flushes that this process led in succession */
	double		median;			/* time of a flush, about */
	double		nstalls;
	double		stall_length;	/* usual */
	PacerStall	stall[PACER_STALLS];	/* the latest, by number */
	double		window;			/* of the quota found last; 0: none so far */

	double		rate;			/* flushes per us that are tried */
	double		known;			/* rate from which it grows */
	double		before;			/* "known" before growth has raised it; 0: it
								 * has not, or that is proven */
	int			steps;			/* by which the rate has grown from there */
	int			patience;		/* before the first step, see pacer.c */
	int			caution;		/* its least value; above 1, growth was wrong */
	double		stepped_at;		/* last step, or stall */
	double		began_at;		/* nflushes then */

	double		found;			/* rate that watching found */
	double		stalled_at;		/* last stall while pacing */
	int			followed;		/* stalls in succession, whole windows apart */
	double		short_at;		/* a stall shorter than those */
	int			shorts;			/* ... whole windows apart, less others */
	double		stalled;		/* part of the time, of late */
	double		found_stalled;	/* part of the time, before pacing */
	double		last_rate;		/* found before pacing ended in stalls; or 0 */
	double		rest;			/* length of the next rest */
	double		rests_until;
} Pacer;

/* When flushes begin.  Zeroed at first; ns, as whole numbers are quicker. */
typedef struct PacerClock
{
	uint64		due;			/* of the latest flush, at even distances */
	uint64		start;			/* of that flush, which may be later */
	uint64		busy_until;		/* end of the flush before it */
} PacerClock;

#define PACER_BURST		UINT64CONST(50000000)	/* ns; credit of a device that
												 * was idle */

extern void pacer_init(Pacer *pacer, double now);
extern double pacer_interval(const Pacer *pacer);
extern void pacer_settle(Pacer *pacer, double now);
extern bool pacer_is_stall(double median, double length);
extern bool pacer_flush_ended(Pacer *pacer, double now, double length,
							  int leader);

/*
 * The first commit since the latest flush began sets the clock to the next
 * flush, for itself and for those that come until then.  "flush_time" is what
 * a flush usually takes.
 */
static inline void
pacer_open(PacerClock *clock, uint64 now, uint64 interval, uint64 flush_time)
{
	uint64		credit = clock_elapsed(PACER_BURST, now);

	clock->busy_until = clock->start + flush_time;
	/* flushes that began too early, or unopened, cost one interval at most */
	clock->due = Max(Min(clock->due, now + interval) + interval, credit);
	clock->start = Max(Max(clock->due, now), clock->busy_until);
}

#endif							/* COMMIT_STATS_PACER_H */
