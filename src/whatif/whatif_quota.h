/*-------------------------------------------------------------------------
 *
 * whatif_quota.h
 *		Does the device allow only so many flushes?  See whatif_quota.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WHATIF_QUOTA_H
#define COMMIT_STATS_WHATIF_QUOTA_H

#include "whatif/whatif_sample.h"

/* What was found.  Times in us. */
typedef struct QuotaFound
{
	double		window;			/* 0: there is no quota */
	double		regularity;		/* of the stalls, up to 1 */
	double		stall_limit;	/* flushes longer than that are stalls */
	int			nstalls;
} QuotaFound;

extern void quota_find(SampleFlushes *flushes, double length, QuotaFound *found);
extern void quota_fill(const SampleFlushes *flushes, const QuotaFound *found,
					   WhatifLoad *load);

#endif							/* COMMIT_STATS_WHATIF_QUOTA_H */
