/*-------------------------------------------------------------------------
 *
 * report_data.h
 *		The numbers that the report is made of; see report_data.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_REPORT_DATA_H
#define COMMIT_STATS_REPORT_DATA_H

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

#endif							/* COMMIT_STATS_REPORT_DATA_H */
