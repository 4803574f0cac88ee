/*-------------------------------------------------------------------------
 *
 * whatif_fit.h
 *		From traced commits to a load that can be simulated; see whatif_fit.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WHATIF_FIT_H
#define COMMIT_STATS_WHATIF_FIT_H

#include "probe/cpu_usage.h"
#include "stats/commit_trace.h"
#include "whatif/whatif_simulation.h"

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

#endif							/* COMMIT_STATS_WHATIF_FIT_H */
