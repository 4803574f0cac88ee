/*-------------------------------------------------------------------------
 *
 * advice.h
 *		From what was counted to what to do about it; see advice.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_ADVICE_H
#define COMMIT_STATS_ADVICE_H

/*
 * The numbers that the report is made of.  Times are in us, as commit_delay is;
 * averages of nothing, and what is not known, are 0.
 */
typedef struct CommitFigures
{
	/* the server as it is now */
	bool		counting;		/* commit_stats.enabled */
	bool		is_standby;
	bool		fsync;
	bool		io_timing;		/* track_wal_io_timing */
	int			delay;			/* commit_delay */
	int			siblings;		/* commit_siblings */
	int			connections;	/* max_connections */

	/* since the last reset */
	double		seconds;
	uint64		commits;		/* that waited */
	uint64		commits_async;
	uint64		commits_read_only;
	uint64		flushes;
	uint64		carried;		/* commits in these flushes */
	uint64		delayable;		/* flushes with commit_delay set */
	uint64		delay_hits;		/* ... whose leader slept */

	/* the newest flushes */
	uint64		recent_flushes;
	uint64		recent_commits; /* in these, and in flushes of others between */
	uint64		recent_carried; /* in these */
	double		recent_seconds; /* from the first to the last */
	double		recent_age;		/* since the last, s */

	/* of a mean commit that waited */
	double		commit_time;
	double		commit_io;		/* wrote and synced itself */
	double		commit_sleep;	/* slept itself */
	double		standby_min;
	double		standby_max;
	double		commit_p50;
	double		commit_p95;
	double		commit_p99;

	/* of a flush */
	uint64		timed_flushes;
	double		flush_time;		/* F0: mean writing and syncing */
	double		flush_time_max; /* what F0 cannot be above, timed or not */
	double		flush_p50;
	double		flush_p99;

	/* siblings that leaders found */
	int			siblings_max;
	int			siblings_half;	/* half of the flushes had at least so many */
	double		company;		/* share of flushes with any */
	double		reach;			/* ... with at least commit_siblings */
} CommitFigures;

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
	ADVICE_ALONE,				/* there is nobody to share a flush with */
	ADVICE_LOWER_SIBLINGS,		/* commit_delay is set but hardly hits */
	ADVICE_STANDBY_FIRST,		/* commits wait for a standby above all */
	ADVICE_TIME_FLUSHES,		/* F0 is not known */
	ADVICE_NOT_THE_DISK,		/* the disk is idle most of the time */
	ADVICE_SWEEP_QUOTA,			/* the device seems to have a write quota */
	ADVICE_LEAVE_ZERO,			/* the load is above lambda* */
	ADVICE_SWEEP_ABOVE,			/* ... although commit_delay is set */
	ADVICE_SWEEP				/* commit_delay may help */
} Advice;

/* With fewer commits than this, no advice. */
#define ADVICE_MIN_COMMITS	500

/* The most delays and numbers of siblings that a sweep is proposed with. */
#define SWEEP_MAX_DELAYS	8
#define SWEEP_MAX_SIBLINGS	2

/* Rates, 1/s; 0 if not known. */
extern bool recent_is_known(const CommitFigures *f);
extern double rate_per_second(double n, double seconds);
extern double load_commits(const CommitFigures *f);
extern double load_flushes(const CommitFigures *f);

/* Rules of thumb: us, 1/s. */
extern double rule_documentation(double flush_time);
extern double rule_square_root(double flush_time, double commits_per_second);
extern double rule_threshold(double flush_time);

extern bool load_is_above_threshold(const CommitFigures *f);
extern double device_busy(const CommitFigures *f);
extern bool device_stalls(const CommitFigures *f);
extern double commit_rest(const CommitFigures *f, double standby);
extern int	delay_obstacles(const CommitFigures *f);
extern int	better_siblings(const CommitFigures *f);
extern Advice advise(const CommitFigures *f);
extern int	sweep_delays(const CommitFigures *f, int *delays);
extern int	sweep_siblings(const CommitFigures *f, int *siblings);

#endif							/* COMMIT_STATS_ADVICE_H */
