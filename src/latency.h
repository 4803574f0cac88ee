/*-------------------------------------------------------------------------
 *
 * latency.h
 *		How long commits and flushes took; see latency.c.
 *
 * src/latency.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_LATENCY_H
#define COMMIT_STATS_LATENCY_H

#include "access/xact.h"

#include "histogram.h"

/*
 * What a commit waited for.  Levels of synchronous_commit, without those that
 * asked for a standby when there was none to wait for.
 */
typedef enum WaitLevel
{
	WAIT_NOTHING,				/* asynchronous */
	WAIT_LOCAL,					/* the local flush */
	WAIT_REMOTE_WRITE,			/* ... and a standby that has written it */
	WAIT_REMOTE_FLUSH,			/* ... flushed it: synchronous_commit = on */
	WAIT_REMOTE_APPLY,			/* ... applied it */
	WAIT_NLEVELS
} WaitLevel;

/* Each of these has a histogram of its own. */
typedef enum LatencyKind
{
	LATENCY_ASYNC,
	LATENCY_LEADER,				/* of WAIT_LOCAL, and so on by level */
	LATENCY_FOLLOWER = LATENCY_LEADER + WAIT_REMOTE_APPLY,
	LATENCY_FLUSH = LATENCY_FOLLOWER + WAIT_REMOTE_APPLY,	/* write and sync */
	LATENCY_NKINDS
} LatencyKind;

/* What is added up besides; times in ns. */
typedef enum LatencySum
{
	LATENCY_TIME,				/* all times of a kind */
	STANDBY_TIME_MIN,			/* of these, waited for a standby, at least */
	STANDBY_TIME_MAX,			/* ... and at most */
	LATENCY_NSUMS
} LatencySum;

#define SYNCHRONOUS_COMMIT_NLEVELS	(SYNCHRONOUS_COMMIT_REMOTE_APPLY + 1)

/* All since the last reset; local memory, and what is kept over a restart. */
typedef struct LatencyTotals
{
	uint64		count[LATENCY_NKINDS][HISTOGRAM_NCELLS];
	uint64		sum[LATENCY_NKINDS][LATENCY_NSUMS];

	/* Commits of WAIT_LOCAL by the setting that they had. */
	uint64		local_by_setting[SYNCHRONOUS_COMMIT_NLEVELS];
} LatencyTotals;

/* What one waiting commit took, ns. */
typedef struct CommitLatency
{
	bool		led;
	uint64		time;			/* in all */
	uint64		standby_min;	/* of it, the wait for a standby, at least */
	uint64		standby_max;	/* ... and at most */
} CommitLatency;

extern Size latency_shared_size(int backends);
extern void latency_attach(void *part, bool found);
extern WaitLevel latency_wait_level(void);
extern void latency_count_async(uint64 time);
extern void latency_count_commit(WaitLevel level, const CommitLatency *latency);
extern void latency_count_flush(uint64 time);
extern void latency_add_waited(const LatencyTotals *totals, uint64 *cells);
extern void latency_add_up(LatencyTotals *totals);
extern LatencyTotals *latency_read(void);
extern void latency_reset(void);

/* Over a restart; see keep.c. */
extern Size latency_kept_size(void);
extern bool latency_keep(void *to);
extern void latency_restore(const void *from, Size size);

#endif							/* COMMIT_STATS_LATENCY_H */
