/* Least time from the end of a flush to the next; see spacing.c.  Times in us. */
#ifndef COMMIT_STATS_SPACING_H
#define COMMIT_STATS_SPACING_H

#include <math.h>

#define SPACING_STALLS	8		/* the latest, which show a quota */

/*
 * The latest thing that happened; the last five are changes that a person
 * reads, and so is SPACING_ADOPTED.
 */
typedef enum SpacingChange
{
	SPACING_STARTED = 0,
	SPACING_LOST,				/* the challenger was no better */
	SPACING_ENDED_EARLY,		/* ... much worse: its trial was cut short */
	SPACING_INTERRUPTED,		/* the trial was, by something else */
	SPACING_ADOPTED,
	SPACING_LOAD_CHANGED,		/* responses are others than they were */
	SPACING_QUOTA_FOUND,
	SPACING_QUOTA_CHANGED,
	SPACING_QUOTA_GONE,			/* no flush stalls, however fast they come */
	SPACING_QUOTA_REFUTED,		/* the floor did not remove the stalls */
} SpacingChange;

/* What stalls tell about a device's quota. */
typedef struct SpacingQuota
{
	bool		believed;
	double		window;			/* of the quota believed */
	double		rate;			/* flushes per us that it allows */
	double		growth;			/* what is tried, relative to that */
	double		reported;		/* rate at the last SPACING_QUOTA_... */

	double		stalled_at;		/* end of the last stall of the quota */
	double		stall_ended;	/* ... of any stall */
	int			nstalls;
	double		distance[SPACING_STALLS];	/* between stalls, by number */
	double		rates[SPACING_STALLS];	/* ... flushes between them / distance */

	double		lengths;		/* of stalls without a floor, added up */
	double		squares;		/* ... and their squares */

	/* The stretch since the last stall of the quota, or growth */
	double		from;
	double		flushes;
	double		kept;			/* ... whose leader kept to the floor */
	double		held;			/* time in which the floor held them back */

	double		stalled[2];		/* part of the time, without and with a floor */
	int			stalls_held;	/* stalls since growth last began */
	double		rests_until;	/* nothing is believed */
} SpacingQuota;

/* A challenger against the current spacing. */
typedef struct SpacingTrial
{
	bool		running;
	int			slot;			/* of four; the challenger has the even ones */
	double		challenger;		/* spacing */
	double		response[4];	/* mean of each slot; NaN: not measured */
	double		carried[2];		/* sums of commits per flush: challenger,
								 * current */
	SpacingChange outcome;		/* adopted, lost, ended early, interrupted */
} SpacingTrial;

typedef struct Spacing
{
	/* What a person sees; flushes are seldom closer than the floor */
	double		current;		/* what won last; 0: no delay, or the floor */
	SpacingChange change;
	SpacingTrial trial;			/* the latest */
	double		trials;
	double		adoptions;
	double		quotas_found;
	double		quotas_refuted;
	SpacingQuota quota;

	double		usual;			/* length of a flush */
	double		ended;			/* the latest flush */

	/* The slot under way */
	double		slot_began;
	double		flushes;
	double		commits;
	double		responses;		/* sum */

	double		usual_response; /* with "current"; 0: not known */
	int			unusual;		/* slots in succession */
	int			turn;			/* among the challengers */
	int			lost;			/* trials since the last win */
	int			candidates;		/* for the trial under way */
	int			rest;			/* slots until the next trial */
	int			rest_length;	/* after all challengers have lost */
} Spacing;

/* The quota that is believed, flushes/s; 0: none. */
static inline double
spacing_quota_rate(const Spacing *s)
{
	return s->quota.believed ? s->quota.rate * 1e6 : 0;
}

/* Mean response of the challenger, or of the other one; NaN: not measured. */
static inline double
spacing_response(const SpacingTrial *trial, bool challenger)
{
	const double *slot = &trial->response[challenger ? 0 : 1];

	return isnan(slot[2]) ? slot[0] : (slot[0] + slot[2]) / 2;
}

extern void spacing_init(Spacing *spacing, double now);
extern bool spacing_flush_ended(Spacing *spacing, double began, double ended,
								bool slept);
extern bool spacing_look(Spacing *spacing, double now, double commits,
						 double responses);
extern double spacing_next_look(const Spacing *spacing, double now);
extern double spacing_now(const Spacing *spacing);
extern double spacing_floor(const Spacing *spacing);
extern void spacing_settle(Spacing *spacing, double now);

#endif							/* COMMIT_STATS_SPACING_H */
