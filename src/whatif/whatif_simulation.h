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
	double		active;			/* share of the others who had an xid when it
								 * committed, those apart who had committed
								 * before it and waited; negative: not known */
	int			cohort;			/* the first of those that began with the same
								 * flush */
	int			cohort_size;	/* how many these are */
	bool		after_stall;	/* that flush was a stall, or the one before
								 * it */
} LoadCycle;

/*
 * How long the device had nothing to do before a flush.  After a rest it is
 * slower: processors, disks and virtual machines fall asleep.
 */
#define REST_CLASSES	6

static inline int
rest_class(double rest)
{
	return rest < 100 ? 0 : rest < 300 ? 1 : rest < 1000 ? 2 :
		rest < 3000 ? 3 : rest < 10000 ? 4 : 5;
}

/*
 * How many sessions are at work when a flush begins, those apart who are still
 * to wake up.  It needs a processor a few times on its way, and waits for one
 * the longer the more of them want one, too.
 */
#define COMPANY_CLASSES	5

static inline int
concurrency_class(int concurrency, double cores)
{
	return concurrency <= cores ? 0 : concurrency <= 2 * cores ? 1 :
		concurrency <= 4 * cores ? 2 : concurrency <= 8 * cores ? 3 : 4;
}

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
	const LoadCycle *cycle;		/* in order of time: those that began together
								 * are neighbours */
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
	Distribution flush[COMPANY_CLASSES][REST_CLASSES];	/* write and sync */
	double		window;			/* so long ... */
	Distribution quota;			/* ... so many flushes can be made; 0: any */
	double		stall_share;	/* of the flushes, those that no quota and no
								 * rest explains ... */
	Distribution stall;			/* ... how long these took */
	Distribution lead;			/* a commit that nobody was before, flush
								 * apart */
	Distribution handoff;		/* from a flush to the next, if one waits */
	Distribution overtake;		/* from a commit to its flush, before that */
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
