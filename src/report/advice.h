/*-------------------------------------------------------------------------
 *
 * advice.h
 *		What the figures of the report mean, and what to do; see advice.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_ADVICE_H
#define COMMIT_STATS_ADVICE_H

#include "report/report_data.h"

/* Why commit_delay cannot do anything; bits. */
typedef enum DelayObstacle
{
	DELAY_IS_ZERO = 1 << 0,
	FSYNC_IS_OFF = 1 << 1,
	SIBLINGS_UNREACHABLE = 1 << 2,	/* more than there are connections */
	SIBLINGS_NEVER_SEEN = 1 << 3,	/* more than any flush has found */
	NOBODY_WAITS = 1 << 4,		/* all commits are asynchronous */
	NEVER_TOGETHER = 1 << 5		/* no flush has found another transaction */
} DelayObstacle;

/* What to do next; the first that applies. */
typedef enum Advice
{
	ADVICE_ENABLE,				/* nothing is being counted */
	ADVICE_ASK_PRIMARY,			/* nothing commits on a standby */
	ADVICE_FSYNC_OFF,			/* nothing waits for the disk */
	ADVICE_ASYNCHRONOUS,		/* no commit waits for anything */
	ADVICE_COME_BACK,			/* too little was counted */
	ADVICE_ADAPTING,			/* commit_stats.adaptive_delay is on */
	ADVICE_ADAPT,				/* alone, on a device with a write quota */
	ADVICE_ALONE,				/* no other commits to share a flush with */
	ADVICE_SLEEPS_ALONE,		/* leaders sleep, and nobody comes meanwhile */
	ADVICE_STANDBY_FIRST,		/* commits wait for a standby above all */
	ADVICE_TRY_ZERO,			/* the disk is idle, and leaders sleep */
	ADVICE_NOT_THE_DISK,		/* the disk is idle most of the time */
	ADVICE_LOWER_SIBLINGS,		/* commit_delay is set but hardly hits */
	ADVICE_TIME_FLUSHES,		/* F0 is unknown */
	ADVICE_SWEEP_QUOTA,			/* the stalls show a write quota */
	ADVICE_STALLS,				/* they do not, so a delay has no reason */
	ADVICE_ONE_BY_ONE,			/* commits never wait for another's flush */
	ADVICE_SWEEP_TURNS,			/* flushes take long without stalls */
	ADVICE_LEAVE_ZERO,			/* the load is above lambda* */
	ADVICE_SWEEP_ABOVE,			/* ... although commit_delay is set */
	ADVICE_SWEEP				/* commit_delay may help */
} Advice;

/* With fewer commits than this, no advice. */
#define ADVICE_MIN_COMMITS	500

/* A proposed sweep has 0, the present delay, these steps, and a rule's. */
#define SWEEP_STEPS			5
#define SWEEP_MAX_DELAYS	(SWEEP_STEPS + 3)
#define SWEEP_MAX_SIBLINGS	2

/* Rates, 1/s; 0 if unknown */
extern bool advice_recent_is_known(const CommitFigures *f);
extern double advice_commit_rate(const CommitFigures *f);
extern double advice_flush_rate(const CommitFigures *f);

/* Rules of thumb: us, 1/s */
extern double advice_square_root_rule(double flush_time, double commit_rate);
extern double advice_threshold(double flush_time);
extern bool advice_is_above_threshold(const CommitFigures *f);

/* us; 0 if unknown */
extern double advice_flush_time(const CommitFigures *f);

/* What would ten commits in one save?  Shares of the flushes, 0 to 1 */
extern double advice_batching_least(const CommitFigures *f);
extern double advice_batching_most(const CommitFigures *f);

extern double advice_device_busy(const CommitFigures *f);
extern bool advice_device_stalls(const CommitFigures *f);
extern bool advice_has_quota(const CommitFigures *f);
extern bool advice_sleeps(const CommitFigures *f);
extern int	advice_obstacles(const CommitFigures *f);
extern int	advice_better_siblings(const CommitFigures *f);
extern double advice_better_reach(const CommitFigures *f);
extern Advice advice_choose(const CommitFigures *f);
extern int	advice_sweep_delays(const CommitFigures *f, int *delays);
extern int	advice_sweep_siblings(const CommitFigures *f, int *siblings);
extern int	advice_sweep_max_p99(const CommitFigures *f);

#endif							/* COMMIT_STATS_ADVICE_H */
