/*-------------------------------------------------------------------------
 *
 * best_delay.c
 *		Which commit_delay did best, and why.
 *
 * The rule.  Best is the highest number of commits a second.  An open load
 * commits at the rate at which it arrives, whatever the delay, and any load
 * varies; so pairs that are behind by no more than chance may explain are not
 * told apart from the highest, and of these the one whose commits take the least
 * time is best.  Of those that are as good as that one, which are those within
 * SAME_LATENCY of it, and all that never slept if that one never did, the
 * smallest delay is best: it costs the least when the load changes.
 *
 * Chance.  Pairs are compared round by round, since what made one round better
 * than another did so for all of them.  Is the mean of the differences from 0
 * further than its error allows?  The highest of several owes that to luck as
 * well; for this the error counts sqrt(2) times, which is Tukey's studentized
 * range of five pairs (3.86, where one difference has 2.77), and the same as to
 * ask whether two intervals of independent rounds overlap.
 *
 * This room knows neither SQL nor shared memory: it computes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "tuning/best_delay.h"

#define SAME_LATENCY	1.02	/* no measurement of commits is closer */
#define NEVER_SLEPT		0.005	/* of flushes; hits are judged, not counted */

/*----------------------------------------------------------------
 * Estimates
 *----------------------------------------------------------------
 */

/*
 * The 97.5% quantile of Student's t distribution.  From five degrees of freedom
 * on by the expansion in Abramowitz and Stegun, 26.7.5, which is right to 0.1%
 * there.
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

/* The mean of a quantity, none below 0, from n values of it. */
Estimate
estimate_mean(int n, double sum, double sum_of_squares)
{
	Estimate	estimate = {NAN, NAN, NAN};
	double		variance;
	double		half;

	if (n == 0)
		return estimate;
	estimate.mean = sum / n;
	if (n == 1)
		return estimate;
	variance = Max(sum_of_squares - sum * estimate.mean, 0) / (n - 1);
	half = student_t(n - 1) * sqrt(variance / n);
	estimate.low = Max(estimate.mean - half, 0);
	estimate.high = estimate.mean + half;
	return estimate;
}

/* The same from the commits/s of rounds. */
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

/* By how much does one have more than the other, and how wrong may that be? */
static double
difference(const DelayOutcomes *all, int more, int less, double *error)
{
	const double *a = all->outcome[more].rate;
	const double *b = all->outcome[less].rate;
	int			n = 0;
	double		sum = 0;
	double		squares = 0;
	double		variance;

	for (int i = 0; i < all->nrounds; i++)
	{
		if (isnan(a[i]) || isnan(b[i]))
			continue;
		n++;
		sum += a[i] - b[i];
		squares += (a[i] - b[i]) * (a[i] - b[i]);
	}
	*error = INFINITY;
	if (n < 2)
		return 0;
	variance = Max(squares - sum * sum / n, 0) / (n - 1);
	*error = student_t(n - 1) * sqrt(all->resampled ? variance : variance / n);
	return sum / n;
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

/* Not refused, unless all were. */
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

/* Could it have as many commits as the one with the most? */
static bool
is_candidate(const DelayOutcomes *all, int most, int i)
{
	double		error;

	return is_eligible(all, i) &&
		(i == most || difference(all, most, i, &error) <= M_SQRT2 * error);
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

/* Of two that are as good, which to prefer? */
static bool
is_smaller(const DelayOutcome *a, const DelayOutcome *b, int present_siblings)
{
	if (a->delay != b->delay)
		return a->delay < b->delay;
	if ((a->siblings == present_siblings) != (b->siblings == present_siblings))
		return a->siblings == present_siblings;
	return a->siblings > b->siblings;	/* sleeps less often */
}

/* The best of all; -1 if none was measured. */
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
 * In words
 *----------------------------------------------------------------
 */

/* By how many percent is a more than b? */
static double
percent_more(double a, double b)
{
	return 100.0 * (a / b - 1.0);
}

/* How many others could have as many commits as the one with the most? */
static int
count_rivals(const DelayOutcomes *all, int most)
{
	int			rivals = 0;

	for (int i = 0; i < all->n; i++)
		if (i != most && is_candidate(all, most, i))
			rivals++;
	return rivals;
}

/* The pair that costs the least, to say what the best one gains. */
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
		return pstrdup("never slept: fewer than commit_siblings others were active");
	if (more_latency > percent_more(SAME_LATENCY, 1))
		return psprintf("as many commits/s as the best, but a commit takes %.0f%% longer",
						more_latency);
	return pstrdup("as good as the best, which delays less");
}

/* Why is an outcome the best one, or why not?  palloc'd */
char *
best_delay_reason(const DelayOutcomes *all, int best, int i)
{
	return i == best ? why_best(all, best) : why_not_best(all, best, i);
}
