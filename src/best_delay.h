/*-------------------------------------------------------------------------
 *
 * best_delay.h
 *		Which commit_delay did best, and why; see best_delay.c.
 *
 * src/best_delay.h
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
	double		latency;		/* mean time of a commit, ms; NaN: no commits */
	double		hit_fraction;	/* flushes that slept; NaN: no flushes */
	bool		refused;		/* for a p99 above what was allowed */
} DelayOutcome;

extern Estimate estimate_mean(int n, double sum, double sum_of_squares);
extern int	best_delay(const DelayOutcome *outcomes, int n,
					   int present_siblings);
extern char *best_delay_reason(const DelayOutcome *outcomes, int n, int best,
							   int i);

#endif							/* COMMIT_STATS_BEST_DELAY_H */
