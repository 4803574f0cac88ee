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

/* ---- whatif_simulation.c: a load, and the server that it runs on ---- */

/*
 * The values that a sample has of something, to draw from.  Block b has those
 * from first[b] up to, but not including, first[b + 1].
 */
typedef struct Distribution
{
	int			n;				/* 0: the value is always 0 */
	double	   *value;
	int		   *first;			/* null: there are no blocks */
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

/*
 * A load, and the server that it runs on.  whatif_fit() makes one of a sample;
 * a copy with one field changed is another server, or other clients.
 */
typedef struct WhatifLoad
{
	/* The settings. */
	int			delay;
	int			siblings;
	const SleepRule *rule;		/* null: "delay" and "siblings" */

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
	double		quota;			/* flushes in a window */
	Distribution handoff;		/* from the end of a flush to the next one, if
								 * a commit waits for it */
	double		slack;			/* that a sleep takes longer than asked */
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

extern void whatif_simulate(const WhatifLoad *load, double time, uint64 seed,
							WhatifOutcome *outcome);
extern void whatif_find_conflict(WhatifLoad *load, double blocked);

/* ---- whatif_fit.c: from a sample to a load ---- */

/* CPU time of the machine, between two readings. */
typedef struct CpuUsage
{
	int			n;				/* processors; 0: not known */
	double		busy;			/* us, of all processors together */
} CpuUsage;

extern bool whatif_fit(CommitTrace *trace, const CpuUsage *cpus,
					   WhatifLoad *load, double *blocked);

#endif							/* COMMIT_STATS_WHATIF_H */
