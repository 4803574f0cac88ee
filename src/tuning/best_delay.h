/*-------------------------------------------------------------------------
 *
 * best_delay.h
 *		Which commit_delay did best, and why; see best_delay.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_BEST_DELAY_H
#define COMMIT_STATS_BEST_DELAY_H

/* A mean and the interval that has the true one with a probability of 95%. */
typedef struct Estimate
{
	double		mean;			/* NaN: nothing is known */
	double		low;			/* NaN: from one value, there is no interval */
	double		high;			/* likewise */
} Estimate;

/* What came of one pair of values. */
typedef struct DelayOutcome
{
	int			delay;			/* commit_delay, us */
	int			siblings;		/* commit_siblings */
	Estimate	commits;		/* per second */
	const double *rate;			/* the same in each round; NaN: not known */
	double		latency;		/* mean time of a commit, ms; NaN: no commits */
	double		hit_fraction;	/* flushes that slept; NaN: no flushes */
	bool		refused;		/* for a p99 above what was allowed */
} DelayOutcome;

/* What came of all of them. */
typedef struct DelayOutcomes
{
	int			n;
	DelayOutcome *outcome;
	int			nrounds;		/* what changes from one to the next changes
								 * for all pairs */
	bool		resampled;		/* these are parts of one sample, and as far
								 * from each other as other samples were */
} DelayOutcomes;

extern Estimate estimate_mean(int n, double sum, double sum_of_squares);
extern Estimate estimate_rounds(const double *rate, int nrounds);
extern int	best_delay(const DelayOutcomes *all, int present_siblings);
extern char *best_delay_reason(const DelayOutcomes *all, int best, int i);

#endif							/* COMMIT_STATS_BEST_DELAY_H */
