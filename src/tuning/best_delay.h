/*-------------------------------------------------------------------------
 *
 * best_delay.h
 *		Which commit_delay did best, and why; see best_delay.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_BEST_DELAY_H
#define COMMIT_STATS_BEST_DELAY_H

/* A mean and its 95% confidence interval. */
typedef struct Estimate
{
	double		mean;			/* NaN: unknown */
	double		low;			/* NaN: one value has no interval */
	double		high;			/* likewise */
} Estimate;

/* What became of a limit for the 99th percentile of commit times? */
typedef enum MaxP99State
{
	WITHIN_LIMIT,				/* or there is none */
	EXCEEDED,
	DELAY_EXCEEDS				/* the delay alone would, so it was not tried */
} MaxP99State;

/* The result of one pair of values. */
typedef struct DelayOutcome
{
	int			delay;			/* commit_delay, us */
	int			siblings;		/* commit_siblings */
	Estimate	commits;		/* per second */
	const double *rate;			/* the same in each round; NaN: unknown */
	const double *time;			/* mean of a commit in each round, ms; NaN:
								 * unknown, or no commits */
	double		latency;		/* mean of a commit, ms; NaN: no commits */
	double		hit_fraction;	/* flushes that slept; NaN: no flushes */
	MaxP99State limit;			/* max_p99 */
} DelayOutcome;

/* The results of all pairs. */
typedef struct DelayOutcomes
{
	int			n;
	DelayOutcome *outcome;
	int			nrounds;
	bool		resampled;		/* rounds are resampled from one sample, so
								 * more of them do not reduce the error */
} DelayOutcomes;

extern Estimate estimate_mean(int n, double sum, double sum_of_squares);
extern Estimate estimate_rounds(const double *rate, int nrounds);
extern int	best_delay_ahead(const DelayOutcomes *all);
extern int	best_delay(const DelayOutcomes *all, int present_siblings);
extern char *best_delay_reason(const DelayOutcomes *all, int present_siblings,
							   int best, int i);

#endif							/* COMMIT_STATS_BEST_DELAY_H */
