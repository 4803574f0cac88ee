/*-------------------------------------------------------------------------
 *
 * whatif.h
 *		What another commit_delay would do, without trying it; see whatif.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WHATIF_H
#define COMMIT_STATS_WHATIF_H

#include "stats/counter_delta.h"
#include "tuning/best_delay.h"
#include "tuning/tuning_args.h"

/* Simulations of each pair */
#define WHATIF_REPLICAS	8

/* The prediction of one pair; times in ms */
typedef struct Prediction
{
	DelayPair	pair;
	Estimate	commits;		/* per second */
	double		rate[WHATIF_REPLICAS];	/* ... in each replica */
	double		time[WHATIF_REPLICAS];	/* of a commit in each, ms */
	Estimate	flushes;		/* per second */
	Estimate	group_size;		/* commits per flush */
	Estimate	hit_fraction;
	Estimate	mean;			/* time of a commit */
	Estimate	p99;
} Prediction;

/* The predictions of all pairs; palloc'd */
typedef struct Predictions
{
	int			n;
	Prediction *prediction;
	double		model_error;	/* relative standard error */
	int			present;		/* index of the setting during the sample */
	CounterDelta measured;		/* during the sample */
} Predictions;

extern Predictions *whatif_run(const DelayPairs *pairs, uint64 length);

#endif							/* COMMIT_STATS_WHATIF_H */
