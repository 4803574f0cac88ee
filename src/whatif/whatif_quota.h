/*-------------------------------------------------------------------------
 *
 * whatif_quota.h
 *		Does the device limit the flushes?  See whatif_quota.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WHATIF_QUOTA_H
#define COMMIT_STATS_WHATIF_QUOTA_H

#include "whatif/whatif_sample.h"

extern void quota_find(SampleFlushes *flushes, double length,
					   WhatifLoad *load);

#endif							/* COMMIT_STATS_WHATIF_QUOTA_H */
