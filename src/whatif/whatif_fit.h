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
#include "whatif/whatif_quota.h"
#include "whatif/whatif_simulation.h"

typedef struct WhatifFit WhatifFit;

/* What a fit found, besides the load; for those who want to know. */
typedef struct FitSummary
{
	int			nclients;
	int			nflushes;
	double		slope;			/* of the time to the next commit over the
								 * time that a commit took */
	bool		open;
	double		idle;			/* mean, us */
	double		work;			/* mean, us */
	double		blocked;		/* sessions that waited for locks, mean */
	double		usually_blocked;	/* ... median over parts of the sample */
	QuotaFound	quota;
} FitSummary;

extern WhatifFit *whatif_fit_prepare(const TracedCommit *commit, int n,
									 uint64 started_at, uint64 ended_at,
									 const double *slack, int nslack,
									 const CpuUsage *cpus);
extern bool whatif_fit_load(WhatifFit *fit, WhatifLoad *load);
extern const FitSummary *whatif_fit_summary(const WhatifFit *fit);

#endif							/* COMMIT_STATS_WHATIF_FIT_H */
