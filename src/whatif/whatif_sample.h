/*-------------------------------------------------------------------------
 *
 * whatif_sample.h
 *		The flushes of a sample; see whatif_sample.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WHATIF_SAMPLE_H
#define COMMIT_STATS_WHATIF_SAMPLE_H

#include "stats/commit_trace.h"
#include "whatif/whatif_simulation.h"

/* A sample is cut into so many blocks of time. */
#define SAMPLE_BLOCKS		100

/* The commits of a sample.  All times in us from its beginning. */
typedef struct SampleCommits
{
	int			n;
	TracedCommit *commit;		/* by time of their beginning */
	double	   *flushed_at;		/* of each: when its flush was done */
	uint64		origin;			/* beginning of the sample, ns */
	double		length;			/* of the sample */
} SampleCommits;

/* A flush that was led by a commit. */
typedef struct Flush
{
	double		started_at;		/* when its leader began to commit */
	double		done_at;
	double		io_time;		/* all the time since it could begin, if not
								 * timed */
	double		gap;			/* from when it could begin to its I/O,
								 * without sleep */
	double		sleep;			/* that it could have slept, and the usual
								 * slack */
	bool		timed;			/* io_time is that of its write and sync */
	bool		waited;			/* for the flush before it */
	bool		stalled;		/* a quota made it wait; set by whatif_quota.c */
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

/*
 * The value that a share q does not exceed, 0 if there is none.  Sorts them.
 */
extern double sample_quantile(double *value, int n, double q);

extern void sample_commits_make(SampleCommits *commits,
								const TracedCommit *commit, int n,
								uint64 started_at, uint64 ended_at);
extern void sample_flushes_make(SampleFlushes *flushes,
								const SampleCommits *commits,
								double usual_slack);
extern void sample_flushes_fill(const SampleFlushes *flushes, WhatifLoad *load);

#endif							/* COMMIT_STATS_WHATIF_SAMPLE_H */
