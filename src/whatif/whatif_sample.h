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

/* A flush whose leader is in the sample */
typedef struct Flush
{
	double		started_at;		/* when its leader began to commit */
	double		done_at;
	double		io_time;		/* write and sync; with the gap if not timed */
	double		gap;			/* other time since the flush could begin,
								 * without the sleep */
	double		sleep;			/* if the leader slept: its usual length */
	bool		timed;			/* track_wal_io_timing was on */
	bool		waited;			/* its leader waited for the previous flush */
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

extern void sample_commits_make(SampleCommits *commits,
								const TracedCommit *commit, int n,
								uint64 started_at, uint64 ended_at);
extern void sample_flushes_make(SampleFlushes *flushes,
								const SampleCommits *commits,
								double usual_slack);
extern void sample_flushes_fill(const SampleFlushes *flushes, WhatifLoad *load);

#endif							/* COMMIT_STATS_WHATIF_SAMPLE_H */
