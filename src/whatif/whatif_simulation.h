/*-------------------------------------------------------------------------
 *
 * whatif_simulation.h
 *		A server whose backends commit, simulated; see whatif_simulation.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WHATIF_SIMULATION_H
#define COMMIT_STATS_WHATIF_SIMULATION_H

#include "base/histogram.h"

/* All times are in us. */

/* Values that were seen, to draw from. */
typedef struct Distribution
{
	int			n;				/* 0: the value is always 0 */
	double	   *value;
	int		   *first;			/* those of block b: from first[b] on, up to
								 * first[b + 1], not included; null: there are
								 * no blocks */
} Distribution;

/* What a client did from the end of one flush to its next commit. */
typedef struct LoadCycle
{
	double		wake;			/* work until it knew that it had committed */
	double		work;			/* work from then on, with a CPU to itself */
} LoadCycle;

/*
 * How fast each of n sessions at work gets along, with so many cores.  After a
 * flush half of one is lost for a while: of one all of the time would slow
 * down those who come first more than was ever seen.
 */
static inline double
work_speed(double cores, int n, bool after_flush)
{
	if (after_flush)
		cores -= Min(0.5, cores / 4);
	return Min(1, cores / n);
}

/* A load, and the server that it runs on. */
typedef struct WhatifLoad
{
	/* The stretches of time that it was seen in, to be replayed. */
	int			nblocks;		/* at least 1 */
	double		block_length;
	int			nreplay;		/* 0: any block is as good as any other */
	const int  *replay;			/* blocks to choose from */

	/* The clients. */
	int			nclients;
	int			ncycles;
	const LoadCycle *cycle;		/* in order of time */
	const int  *first;			/* those of each block, as in Distribution;
								 * never null */
	double		cores;			/* that many can work without slowing down */
	double		flush_cost;		/* half of one is lost for so long after a
								 * flush */
	double		xid_share;		/* last part of its work with an xid */
	double		conflict;		/* how often a transaction needs a lock that a
								 * given other one holds; 0: never */
	double		arrivals;		/* transactions a us that begin by themselves;
								 * 0: each client goes on when it can */

	/* The WAL. */
	Distribution flush;			/* write and sync */
	double		window;			/* so long ... */
	Distribution quota;			/* ... so many flushes can be made; 0: any */
	Distribution handoff;		/* from a flush to the next, if one waits */
	Distribution slack;			/* that a sleep takes longer than asked */
} WhatifLoad;

/* What came of it. */
typedef struct WhatifOutcome
{
	double		time;			/* simulated */
	double		commits;
	double		flushes;
	double		hits;			/* flushes that slept */
	double		latency;		/* of all commits together */
	double		blocked;		/* waiting for locks, of all together */
	uint64		cell[HISTOGRAM_NCELLS]; /* latencies */
} WhatifOutcome;

extern void whatif_simulate(const WhatifLoad *load, int delay, int siblings,
							double time, uint64 seed, WhatifOutcome *outcome);
extern void whatif_find_conflict(WhatifLoad *load, int delay, int siblings,
								 double blocked);

#endif							/* COMMIT_STATS_WHATIF_SIMULATION_H */
