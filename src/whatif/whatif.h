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

/* How often each pair is simulated. */
#define WHATIF_REPLICAS	8

/* What is predicted of one pair; times in ms. */
typedef struct Prediction
{
	DelayPair	pair;
	Estimate	commits;		/* per second */
	double		rate[WHATIF_REPLICAS];	/* ... in each replica */
	Estimate	flushes;		/* per second */
	Estimate	group_size;		/* commits per flush */
	Estimate	hit_fraction;
	Estimate	mean;			/* time of a commit */
	Estimate	p99;
} Prediction;

/* All of it; palloc'd. */
typedef struct Predictions
{
	int			n;
	Prediction *prediction;
	bool		locks;			/* many sessions wait for each other's */
	int			present;		/* which has the settings that commits had */
	CounterDelta measured;		/* what was measured with them */
} Predictions;

extern Predictions *whatif_run(const DelayPairs *pairs, uint64 sample);
extern void whatif_allow_for_model(Predictions *all);

#endif							/* COMMIT_STATS_WHATIF_H */
