/*-------------------------------------------------------------------------
 *
 * whatif.h
 *		What another commit_delay would do, without trying it; see whatif.c.
 *		Times are in us.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WHATIF_H
#define COMMIT_STATS_WHATIF_H

#include "base/histogram.h"
#include "stats/commit_trace.h"

/* CPU time of the machine, between two readings. */
typedef struct CpuUsage
{
	int			n;				/* processors; 0: not known */
	double		busy;			/* us, of all processors together */
} CpuUsage;

/* ---- whatif_simulation.c: a load, and the server that it runs on ---- */

/* The values that a sample has of something, to draw from. */
typedef struct Distribution
{
	int			n;				/* 0: the value is always 0 */
	double	   *value;
	int		   *first;			/* block b has the values from first[b] up to,
								 * but not including, first[b + 1]; null:
								 * there are no blocks */
} Distribution;

/* The work of a session from the end of a flush to its next commit. */
typedef struct LoadCycle
{
	double		wake;			/* until its last commit returned */
	double		work;			/* from then, or from the next begin, on */
	bool		prepares;		/* it ends with a PREPARE TRANSACTION */
} LoadCycle;

/*
 * The speed of each of n sessions that work, relative to a session that works
 * alone
 */
static inline double
work_speed(double cores, int n)
{
	return Min(1, cores / n);
}

/* How long leaders sleep, instead of commit_delay */
typedef struct SleepRule
{
	void	   *arg;

	/*
	 * A commit begins, while a client has the WAL write lock or not; returns
	 * the time to sleep if it leads.
	 */
	double		(*commit_begins) (void *arg, double now, bool flushing);

	/*
	 * A flush has ended; "length" is the time of its write and sync, and
	 * "responses" the sum of the times that its commits took from the start
	 * of their transactions.
	 */
	void		(*flush_ended) (void *arg, double now, double length,
								int commits, double responses);
} SleepRule;

/* A load, and the server that it runs on */
typedef struct WhatifLoad
{
	/* The simulation draws one block of the sample after the other. */
	int			nblocks;		/* at least 1 */
	double		block_length;
	int			nchosen;		/* 0: any block */
	const int  *chosen;			/* blocks to draw from */

	/* The clients. */
	int			nclients;
	int			ncycles;
	const LoadCycle *cycle;		/* in order of time */
	const int  *first;			/* cycles of each block, as in Distribution;
								 * never null */
	double		cores;			/* as many clients work without slowing down */
	double		xid_share;		/* of a client's work, at its end, with an xid */
	double		conflict;		/* mean number of locks that a transaction
								 * needs and a given other one holds */
	double		arrivals;		/* transactions per us that begin by
								 * themselves; 0: a client's next transaction
								 * follows its last one */

	/* The WAL and its device. */
	Distribution flush;			/* write and sync */
	double		window;			/* of the device's quota; 0: there is none */
	Distribution quota;			/* flushes in a window */
	Distribution handoff;		/* from the end of a flush to the next one, if
								 * a commit waits for it */
	Distribution slack;			/* time that a sleep takes longer than asked */
	const SleepRule *rule;		/* for sleeps, or null: commit_delay */
} WhatifLoad;

/* What a simulation measured, after its warm-up */
typedef struct WhatifOutcome
{
	double		time;			/* simulated */
	double		commits;
	double		flushes;
	double		hits;			/* flushes whose leader slept */
	double		latency;		/* sum over all commits */
	double		blocked;		/* sum of all waits for locks */
	uint64		cell[HISTOGRAM_NCELLS]; /* latencies */
} WhatifOutcome;

extern void whatif_simulate(const WhatifLoad *load, int delay, int siblings,
							double time, uint64 seed, WhatifOutcome *outcome);
extern void whatif_find_conflict(WhatifLoad *load, int delay, int siblings,
								 double blocked);

/* ---- whatif_sample.c: the flushes of a sample ---- */

/* Blocks of time that a sample is cut into */
#define SAMPLE_BLOCKS		100

/* The commits of a sample.  Doubles are us since its beginning. */
typedef struct SampleCommits
{
	int			n;
	TracedCommit *commit;		/* by time of their beginning */
	double	   *flushed_at;		/* of each: end of its flush */
	uint64		origin;			/* beginning of the sample, ns */
	double		length;			/* of the sample */
} SampleCommits;

/* A commit's place in an order, by a key and a time */
typedef struct CommitPlace
{
	uint32		key;			/* its group, or its session's pid */
	uint64		at;
	int			index;			/* among the commits of the sample */
} CommitPlace;

/* A flush whose leader is in the sample */
typedef struct Flush
{
	double		done_at;		/* comes first, for sample_compare() */
	double		started_at;		/* when its leader began to commit */
	double		io_time;		/* write and sync; with the gap if not timed */
	double		gap;			/* other time since the flush could begin,
								 * without the sleep */
	double		sleep;			/* if the leader slept: its usual length */
	bool		timed;			/* track_wal_io_timing was on */
	bool		waited;			/* its leader waited for the previous flush */
	bool		stalled;		/* a quota made it wait; set last */
	int			block;
} Flush;

/* The flushes of a sample, by time. */
typedef struct SampleFlushes
{
	int			n;
	Flush	   *flush;
} SampleFlushes;

static inline double
sample_time(const SampleCommits *commits, uint64 ns)
{
	return ((double) ns - (double) commits->origin) / 1000.0;
}

static inline int
sample_block(const SampleCommits *commits, double at)
{
	int			block = (int) (at * SAMPLE_BLOCKS / commits->length);

	return Max(0, Min(block, SAMPLE_BLOCKS - 1));
}

extern CommitPlace *sample_order(const SampleCommits *commits, bool by_group);
extern int	sample_compare(const void *a, const void *b);
extern void sample_commits_make(SampleCommits *commits,
								const TracedCommit *commit, int n,
								uint64 started_at, uint64 ended_at);
extern void sample_flushes_make(SampleFlushes *flushes,
								const SampleCommits *commits,
								double usual_slack);
extern void sample_flushes_fill(const SampleFlushes *flushes, WhatifLoad *load);
extern void sample_quota_find(SampleFlushes *flushes, double length,
							  WhatifLoad *load);

/* ---- whatif_fit.c: from a sample to a load ---- */

/* What the sample says besides the load. */
typedef struct FitSummary
{
	int			nflushes;
	double		blocked;		/* sessions that waited for locks, mean */
	double		usually_blocked;	/* ... median over parts of the sample */
} FitSummary;

extern bool whatif_fit(const TracedCommit *commit, int n, uint64 started_at,
					   uint64 ended_at, const double *slack, int nslack,
					   const CpuUsage *cpus, WhatifLoad *load,
					   FitSummary *summary);

#endif							/* COMMIT_STATS_WHATIF_H */
