/*-------------------------------------------------------------------------
 *
 * sweep.h
 *		The live experiment; see sweep.c.
 *
 * src/sweep.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SWEEP_H
#define COMMIT_STATS_SWEEP_H

#include "best_delay.h"
#include "delay_pairs.h"
#include "tally.h"

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
	Tally		total;			/* of all slots that count */
	int			rounds;			/* so many of these */
	double		rates;			/* sum of their commits/s */
	double		rates_squared;	/* sum of the squares */
	bool		refused;		/* exceeded max_p99 */
} PairResult;

extern PairResult *sweep_run(const SweepPlan *plan);
extern DelayOutcome *sweep_outcomes(const SweepPlan *plan,
									const PairResult *results);

#endif							/* COMMIT_STATS_SWEEP_H */
