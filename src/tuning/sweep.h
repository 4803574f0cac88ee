/*-------------------------------------------------------------------------
 *
 * sweep.h
 *		The live experiment; see sweep.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SWEEP_H
#define COMMIT_STATS_SWEEP_H

#include "stats/counter_delta.h"
#include "tuning/best_delay.h"
#include "tuning/delay_pairs.h"

/* Fewer values of a pair do not show how much they vary. */
#define SWEEP_MIN_ROUNDS	3

/* What is wanted. */
typedef struct SweepPlan
{
	DelayPairs	pairs;
	int			rounds;
	uint64		slot;			/* ns from one change to the next */
	double		max_p99;		/* ns; infinity: any */
} SweepPlan;

/* What was measured of one pair. */
typedef struct PairResult
{
	CounterDelta		total;			/* of all slots that count */
	int			rounds;			/* so many of these */
	double	   *rate;			/* commits/s in each round of the plan; NaN:
								 * its slot does not count */
	bool		refused;		/* exceeded max_p99 */
} PairResult;

extern PairResult *sweep_run(const SweepPlan *plan);
extern void sweep_outcomes(const SweepPlan *plan, const PairResult *results,
						   DelayOutcomes *all);

#endif							/* COMMIT_STATS_SWEEP_H */
