/*-------------------------------------------------------------------------
 *
 * report.h
 *		The numbers that the report is made of, and what they mean.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_REPORT_H
#define COMMIT_STATS_REPORT_H

#include "datatype/timestamp.h"

#include "stats/clients.h"
#include "stats/flush_totals.h"

/* Times are in us, as commit_delay is.  What is unknown is 0. */
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
	double		wal_buffers;	/* bytes */
	bool		adaptive;		/* commit_stats.adaptive_delay */

	/* since the last reset */
	TimestampTz stats_reset;
	double		seconds;
	uint64		commits;		/* that waited */
	uint64		commits_async;
	uint64		commits_read_only;
	uint64		prepares;		/* PREPARE TRANSACTION */
	double		prepare_time;	/* of a mean one */
	uint64		flushes;
	uint64		carried;		/* commits in these flushes */
	uint64		delayable;		/* flushes with commit_delay set */
	uint64		delay_hits;		/* ... whose leader slept */
	uint64		hits_adaptive;	/* of these: commit_stats.adaptive_delay */

	/* the newest flushes */
	uint64		recent_flushes;
	uint64		recent_commits; /* in these, and in groups without a leader */
	uint64		recent_carried; /* in these */
	double		recent_seconds; /* from the first to the last */
	double		recent_age;		/* since the last, s */
	uint64		recent_timed;	/* of recent_flushes: were timed */
	double		recent_flush_time;	/* mean writing and syncing of these */

	/* of a mean commit that waited */
	double		commit_time;
	double		commit_io;		/* wrote and synced itself */
	double		commit_sleep;	/* slept itself */
	double		leader_sleep;	/* waited for a leader that slept */
	double		standby_min;
	double		standby_max;
	double		commit_p50;
	double		commit_p95;
	double		commit_p99;

	/* of a flush */
	uint64		timed_flushes;
	double		flush_time;		/* F0: mean writing and syncing */
	double		flush_time_max; /* upper bound of F0, timed or not */
	double		flush_p50;
	double		flush_p99;
	double		flush_wal;		/* WAL that a mean one wrote, bytes */

	/* what makes commits many, or slow */
	uint64		commits_notify;
	uint64		slow_commits;
	uint64		stalls;
	double		stall_time;		/* of all of them */
	double		stall_seconds;	/* the time in which they came */
	int			logged_stalls;	/* in commit_stall_log */
	double		logged_time;	/* of all of them */
	double		checkpoint_time;	/* ... that came during a checkpoint */
	double		writer_time;	/* ... whose WAL is mostly of one transaction
								 * that wrote a lot */
	int			quota_stalls;	/* of these: a quota explains them */
	double		quota_flushes;	/* ... in each window; 0: no quota shows */
	double		quota_window;
	ClientKey	top;			/* the client with the most commits that
								 * waited; if any */
	uint64		top_commits;	/* these */
	uint64		top_all;		/* with those that did not wait */
	uint64		top_flushes;
	double		top_commit_size;	/* mean WAL of a transaction, bytes */
	uint64		overflow_commits;	/* of clients without a row of their own */
	uint64		client_commits; /* of all: see commit_client_stats.share */
	uint64		clients_evicted;

	/* siblings that leaders found */
	int			siblings_max;
	int			siblings_half;	/* half of the flushes had at least these */
	double		concurrency;	/* share of flushes with any */
	double		reach;			/* ... with at least commit_siblings */
} CommitFigures;

static inline double
ratio_or_zero(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

extern FlushTotals *report_data_read(CommitFigures *f);

/* ---- advice.c ---- */

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
	ADVICE_SLEEPS_ALONE,		/* leaders sleep, and no commit comes */
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

/* Times in us, rates per second; 0: unknown.  Shares are from 0 to 1. */
extern bool advice_recent_is_known(const CommitFigures *f);
extern double advice_commit_rate(const CommitFigures *f);
extern double advice_flush_rate(const CommitFigures *f);
extern double advice_square_root_rule(double flush_time, double commit_rate);
extern double advice_threshold(double flush_time);
extern bool advice_is_above_threshold(const CommitFigures *f);
extern double advice_flush_time(const CommitFigures *f);
extern double advice_min_batching(const CommitFigures *f);
extern double advice_max_batching(const CommitFigures *f);
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

#endif							/* COMMIT_STATS_REPORT_H */
