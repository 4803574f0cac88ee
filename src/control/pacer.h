/*-------------------------------------------------------------------------
 *
 * pacer.h
 *		Flushes at even distances, for a device with a quota; see pacer.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_PACER_H
#define COMMIT_STATS_PACER_H

/* All times are in us. */

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
	PACER_NO_QUOTA,				/* the rate outgrew what the device can do */
	PACER_STALLED,				/* again: the device has become slower */
	PACER_REFUTED,				/* stalls went on at the careful pace */
	PACER_RESTED				/* after a refutation */
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
	double		median;			/* time of a flush, about */
	double		nstalls;
	PacerStall	stall[PACER_STALLS];	/* the latest, by number */
	double		window;			/* usual distance of stalls, while watching */

	double		rate;			/* flushes per us that are tried */
	double		known;			/* highest rate that caused no stall */
	int			steps;			/* by which the rate grew since the last stall */
	double		patience;		/* before the first step */
	double		stepped_at;		/* last step, or stall */
	double		began_at;		/* nflushes then */

	int			unexplained;	/* stalls since, though the rate had not grown */
	double		last_rate;		/* with which pacing ended in stalls; or 0 */
	bool		careful;		/* flushes stalled: pace further below the
								 * rate */
	double		rest;			/* length of the next rest */
	double		rests_until;
} Pacer;

/* When flushes begin.  Zeroed at first. */
typedef struct PacerClock
{
	double		due;			/* of the latest flush, at even distances */
	double		start;			/* of that flush, which may be later */
	double		busy_until;		/* end of the flush before it */
} PacerClock;

extern void pacer_init(Pacer *pacer, double now);
extern double pacer_interval(const Pacer *pacer);
extern double pacer_sleep(PacerClock *clock, double now, double interval,
						  double flush_time);
extern bool pacer_flush_ended(Pacer *pacer, double now, double length);

#endif							/* COMMIT_STATS_PACER_H */
