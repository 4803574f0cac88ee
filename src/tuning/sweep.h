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

/* Would a commit that slept take longer than max_p99 for the sleep alone? */
static inline bool
sweep_delay_exceeds(const SweepPlan *plan, const DelayPair *pair)
{
	return pair->delay <= COMMIT_DELAY_MAX &&
		pair->delay * (double) NS_PER_US >= plan->max_p99;
}

/* What was measured of one pair. */
typedef struct PairResult
{
	CounterDelta total;			/* of all slots that count */
	int			rounds;			/* number of these slots */
	double	   *rate;			/* commits/s in each round of the plan; NaN if
								 * its slot does not count */
	double	   *time;			/* mean of a commit in each, ms; NaN also if
								 * there was none */
	MaxP99State limit;			/* max_p99 */
} PairResult;

extern uint64 sweep_length(const SweepPlan *plan);
extern PairResult *sweep_run(const SweepPlan *plan);
extern void sweep_outcomes(const SweepPlan *plan, const PairResult *results,
						   DelayOutcomes *all);

#endif							/* COMMIT_STATS_SWEEP_H */
