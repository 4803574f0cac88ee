/*-------------------------------------------------------------------------
 *
 * best_delay.c
 *		Which commit_delay did best, and why.
 *
 * The rule.  The rate of commits comes first.  But an open load, whose
 * transactions begin by themselves, commits at the rate at which it arrives,
 * whatever the delay, and any load varies.  So all pairs whose distance from
 * the highest rate may be chance are candidates, and the best is the candidate
 * whose commits take the least time.  Candidates within SAME_LATENCY of that
 * fastest one are as good; if its leaders never slept, so are all others whose
 * leaders never slept.  Of these, the smallest delay is the best: it costs the
 * least when the load changes.
 *
 * Chance.  Pairs are compared round by round, since what makes a round better
 * does so for all pairs.  Two pairs differ if the mean of their differences is
 * further from 0 than its error.  The highest of several rates is also the
 * luckiest, so the error is multiplied by sqrt(2).  That is about Tukey's
 * studentized range for five pairs (3.86, against 2.77 for two), or a test
 * whether two independent intervals overlap.
 *
 * This file uses neither SQL nor shared memory, so t/ can compile it alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/guc.h"
#include "tuning/best_delay.h"

#define SAME_LATENCY	1.02	/* no measurement of commits is closer */
#define NEVER_SLEPT		0.005	/* of flushes; hits are classified, not seen */

/*----------------------------------------------------------------
 * Estimates
 *----------------------------------------------------------------
 */

/*
 * The 97.5% quantile of Student's t distribution.  From five degrees of
 * freedom on, the expansion in Abramowitz and Stegun, 26.7.5, is right to
 * 0.1%.
 */
static double
student_t(int degrees)
{
	static const double first[] = {12.7062, 4.3027, 3.1824, 2.7764};
	const double x = 1.959964;
	double		n = degrees;

	if (degrees <= lengthof(first))
		return first[degrees - 1];
	return x + (pow(x, 3) + x) / (4 * n) +
		(5 * pow(x, 5) + 16 * pow(x, 3) + 3 * x) / (96 * n * n) +
		(3 * pow(x, 7) + 19 * pow(x, 5) + 17 * pow(x, 3) - 15 * x) /
		(384 * n * n * n);
}

/* Half of the interval around one of n > 1 values. */
static double
half_interval(int n, double sum, double sum_of_squares)
{
	double		variance = Max(sum_of_squares - sum * sum / n, 0) / (n - 1);

	return student_t(n - 1) * sqrt(variance);
}

/* The mean of a quantity that is never below 0, from n values. */
Estimate
estimate_mean(int n, double sum, double sum_of_squares)
{
	Estimate	estimate = {NAN, NAN, NAN};
	double		half;

	if (n > 0)
		estimate.mean = sum / n;
	if (n > 1)
	{
		half = half_interval(n, sum, sum_of_squares) / sqrt(n);
		estimate.low = Max(estimate.mean - half, 0);
		estimate.high = estimate.mean + half;
	}
	return estimate;
}

/* The same, from the commits/s of rounds. */
Estimate
estimate_rounds(const double *rate, int nrounds)
{
	int			n = 0;
	double		sum = 0;
	double		sum_of_squares = 0;

	for (int i = 0; i < nrounds; i++)
	{
		if (isnan(rate[i]))
			continue;
		n++;
		sum += rate[i];
		sum_of_squares += rate[i] * rate[i];
	}
	return estimate_mean(n, sum, sum_of_squares);
}

/*----------------------------------------------------------------
 * The choice
 *----------------------------------------------------------------
 */

static bool
was_measured(const DelayOutcome *outcome)
{
	return !isnan(outcome->commits.mean);
}

/* Measured and not refused; or measured, if all were refused. */
static bool
is_eligible(const DelayOutcomes *all, int i)
{
	if (!was_measured(&all->outcome[i]))
		return false;
	if (!all->outcome[i].refused)
		return true;
	for (int j = 0; j < all->n; j++)
		if (was_measured(&all->outcome[j]) && !all->outcome[j].refused)
			return false;
	return true;
}

/* The eligible one with the most commits; -1 if there is none. */
static int
most_commits(const DelayOutcomes *all)
{
	int			most = -1;

	for (int i = 0; i < all->n; i++)
		if (is_eligible(all, i) &&
			(most < 0 || all->outcome[i].commits.mean >
			 all->outcome[most].commits.mean))
			most = i;
	return most;
}

/* May the distance from the one with the most commits be chance? */
static bool
is_candidate(const DelayOutcomes *all, int most, int i)
{
	int			n = 0;
	double		sum = 0;
	double		sum_of_squares = 0;
	double		error;

	if (!is_eligible(all, i))
		return false;
	for (int r = 0; r < all->nrounds; r++)
	{
		double		d = all->outcome[most].rate[r] - all->outcome[i].rate[r];

		if (isnan(d))
			continue;
		n++;
		sum += d;
		sum_of_squares += d * d;
	}
	if (i == most || n < 2)
		return true;
	error = half_interval(n, sum, sum_of_squares);
	if (!all->resampled)
		error /= sqrt(n);
	return sum / n <= M_SQRT2 * error;
}

static bool
never_slept(const DelayOutcome *outcome)
{
	return outcome->delay == 0 || !(outcome->hit_fraction >= NEVER_SLEPT);
}

static bool
is_as_good(const DelayOutcome *outcome, const DelayOutcome *fastest)
{
	return outcome->latency <= fastest->latency * SAME_LATENCY ||
		(never_slept(outcome) && never_slept(fastest));
}

/* Which of two that are equally good is preferred? */
static bool
is_smaller(const DelayOutcome *a, const DelayOutcome *b, int present_siblings)
{
	if (a->delay != b->delay)
		return a->delay < b->delay;
	if ((a->siblings == present_siblings) != (b->siblings == present_siblings))
		return a->siblings == present_siblings;
	return a->siblings > b->siblings;	/* sleeps less often */
}

/* The best outcome; -1 if none was measured. */
int
best_delay(const DelayOutcomes *all, int present_siblings)
{
	const DelayOutcome *outcome = all->outcome;
	int			most = most_commits(all);
	int			fastest = most;
	int			best;

	for (int i = 0; i < all->n; i++)
		if (is_candidate(all, most, i) &&
			outcome[i].latency < outcome[fastest].latency)
			fastest = i;
	best = fastest;
	for (int i = 0; i < all->n; i++)
		if (is_candidate(all, most, i) &&
			is_as_good(&outcome[i], &outcome[fastest]) &&
			is_smaller(&outcome[i], &outcome[best], present_siblings))
			best = i;
	return best;
}

/*----------------------------------------------------------------
 * Reasons
 *----------------------------------------------------------------
 */

/* By how many percent does a exceed b? */
static double
percent_more(double a, double b)
{
	return 100.0 * (a / b - 1.0);
}

/* The candidates besides the one with the most commits. */
static int
count_rivals(const DelayOutcomes *all, int most)
{
	int			rivals = 0;

	for (int i = 0; i < all->n; i++)
		if (i != most && is_candidate(all, most, i))
			rivals++;
	return rivals;
}

/* The pair that the gain of the best one is measured against. */
static int
smallest(const DelayOutcomes *all, int present_siblings)
{
	const DelayOutcome *outcome = all->outcome;
	int			least = -1;

	for (int i = 0; i < all->n; i++)
		if (was_measured(&outcome[i]) &&
			(least < 0 ||
			 is_smaller(&outcome[i], &outcome[least], present_siblings)))
			least = i;
	return least;
}

static char *
why_best(const DelayOutcomes *all, int best)
{
	const DelayOutcome *it = &all->outcome[best];
	int			rivals = count_rivals(all, most_commits(all));
	int			least = smallest(all, it->siblings);
	double		gain = percent_more(it->commits.mean,
									all->outcome[least].commits.mean);

	if (it->refused)
		return pstrdup("best of those measured, but all of them exceeded max_p99");
	if (rivals == 0)
		return best == least ? pstrdup("most commits/s") :
			psprintf("most commits/s: %.0f%% more than with commit_delay = %d",
					 gain, all->outcome[least].delay);
	if (never_slept(it))
		return psprintf("no delay gains anything: %d of %d have as many commits/s, as far as can be told",
						rivals + 1, all->n);
	return psprintf("the least time for a commit, of the %d with the most commits/s as far as can be told",
					rivals + 1);
}

static char *
why_not_best(const DelayOutcomes *all, int best, int i)
{
	const DelayOutcome *it = &all->outcome[i];
	int			most = most_commits(all);
	double		more_latency;

	if (!was_measured(it))
		return pstrdup("not measured");
	more_latency = percent_more(it->latency, all->outcome[best].latency);
	if (it->refused && !all->outcome[best].refused)
		return pstrdup("exceeded max_p99");
	if (!is_candidate(all, most, i))
		return psprintf("%.0f%% fewer commits/s than the highest",
						-percent_more(it->commits.mean,
									  all->outcome[most].commits.mean));
	if (never_slept(it) && it->delay > 0)
		return pstrdup(it->delay > COMMIT_DELAY_MAX ? "never slept" :
					   "never slept: fewer than commit_siblings others were active");
	if (more_latency > percent_more(SAME_LATENCY, 1))
		return psprintf("as many commits/s as the best, but a commit takes %.0f%% longer",
						more_latency);
	return pstrdup("as good as the best, which delays less");
}

/* Why an outcome is the best one, or is not; palloc'd. */
char *
best_delay_reason(const DelayOutcomes *all, int best, int i)
{
	return i == best ? why_best(all, best) : why_not_best(all, best, i);
}
