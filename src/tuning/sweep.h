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
#include "tuning/tuning_args.h"

/* Fewer rounds do not show how much the figures of a pair vary. */
#define SWEEP_MIN_ROUNDS	3

/* The arguments. */
typedef struct SweepPlan
{
	DelayPairs	pairs;
	int			rounds;
	uint64		slot;			/* ns for one pair */
	double		max_p99;		/* ns; infinity: no limit */
} SweepPlan;

/* What was measured of one pair. */
typedef struct PairResult
{
	CounterDelta total;			/* of all slots that count */
	int			rounds;			/* number of these slots */
	double	   *rate;			/* commits/s in each round of the plan; NaN if
								 * its slot does not count */
	bool		refused;		/* exceeded max_p99 */
} PairResult;

extern PairResult *sweep_run(const SweepPlan *plan);
extern void sweep_outcomes(const SweepPlan *plan, const PairResult *results,
						   DelayOutcomes *all);

#endif							/* COMMIT_STATS_SWEEP_H */
