/*-------------------------------------------------------------------------
 *
 * best_delay.c
 *		Which commit_delay did best, and why.
 *
 * The rule.  Best is the highest number of commits a second.  An open load
 * commits at the rate at which it arrives, whatever the delay, and any load
 * varies; so pairs whose 95% interval reaches that of the highest are not told
 * apart from it, and of these the one whose commits take the least time is
 * best.  Of those that are as good as that one, which are those within
 * SAME_LATENCY of it, and all that never slept if that one never did, the
 * smallest delay is best: it costs the least when the load changes.
 *
 * This room knows neither SQL nor shared memory: it computes.
 *
 * src/best_delay.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "best_delay.h"

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

static double
upper_end(const Estimate *estimate)
{
	return isnan(estimate->high) ? INFINITY : estimate->high;
}

static double
lower_end(const Estimate *estimate)
{
	return isnan(estimate->low) ? 0 : estimate->low;
}

static bool
overlap(const Estimate *a, const Estimate *b)
{
	return lower_end(a) <= upper_end(b) && lower_end(b) <= upper_end(a);
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
is_eligible(const DelayOutcome *outcomes, int n, int i)
{
	if (!was_measured(&outcomes[i]))
		return false;
	if (!outcomes[i].refused)
		return true;
	for (int j = 0; j < n; j++)
		if (was_measured(&outcomes[j]) && !outcomes[j].refused)
			return false;
	return true;
}

/* The eligible one with the most commits; -1 if there is none. */
static int
most_commits(const DelayOutcome *outcomes, int n)
{
	int			most = -1;

	for (int i = 0; i < n; i++)
		if (is_eligible(outcomes, n, i) &&
			(most < 0 ||
			 outcomes[i].commits.mean > outcomes[most].commits.mean))
			most = i;
	return most;
}

/* Could it have as many commits as the one with the most? */
static bool
is_candidate(const DelayOutcome *outcomes, int n, int most, int i)
{
	return is_eligible(outcomes, n, i) &&
		overlap(&outcomes[i].commits, &outcomes[most].commits);
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

/* The best of n outcomes; -1 if none was measured. */
int
best_delay(const DelayOutcome *outcomes, int n, int present_siblings)
{
	int			most = most_commits(outcomes, n);
	int			fastest = most;
	int			best;

	for (int i = 0; i < n; i++)
		if (is_candidate(outcomes, n, most, i) &&
			outcomes[i].latency < outcomes[fastest].latency)
			fastest = i;
	best = fastest;
	for (int i = 0; i < n; i++)
		if (is_candidate(outcomes, n, most, i) &&
			is_as_good(&outcomes[i], &outcomes[fastest]) &&
			is_smaller(&outcomes[i], &outcomes[best], present_siblings))
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
count_rivals(const DelayOutcome *outcomes, int n, int most)
{
	int			rivals = 0;

	for (int i = 0; i < n; i++)
		if (i != most && is_candidate(outcomes, n, most, i))
			rivals++;
	return rivals;
}

/* The pair that costs the least, to say what the best one gains. */
static int
smallest(const DelayOutcome *outcomes, int n, int present_siblings)
{
	int			least = -1;

	for (int i = 0; i < n; i++)
		if (was_measured(&outcomes[i]) &&
			(least < 0 ||
			 is_smaller(&outcomes[i], &outcomes[least], present_siblings)))
			least = i;
	return least;
}

static char *
why_best(const DelayOutcome *outcomes, int n, int best)
{
	int			most = most_commits(outcomes, n);
	int			rivals = count_rivals(outcomes, n, most);
	int			least = smallest(outcomes, n, outcomes[best].siblings);
	double		gain = percent_more(outcomes[best].commits.mean,
									outcomes[least].commits.mean);

	if (outcomes[best].refused)
		return pstrdup("best of those measured, but all of them exceeded max_p99");
	if (rivals == 0)
		return best == least ? pstrdup("most commits/s") :
			psprintf("most commits/s: %.0f%% more than with commit_delay = %d",
					 gain, outcomes[least].delay);
	if (never_slept(&outcomes[best]))
		return psprintf("no delay gains anything: %d of %d have as many commits/s, as far as the intervals tell",
						rivals + 1, n);
	return psprintf("the least time for a commit, of the %d with the most commits/s as far as the intervals tell",
					rivals + 1);
}

static char *
why_not_best(const DelayOutcome *outcomes, int n, int best, int i)
{
	const DelayOutcome *it = &outcomes[i];
	int			most = most_commits(outcomes, n);
	double		more_latency;

	if (!was_measured(it))
		return pstrdup("not measured");
	more_latency = percent_more(it->latency, outcomes[best].latency);
	if (it->refused && !outcomes[best].refused)
		return pstrdup("exceeded max_p99");
	if (!is_candidate(outcomes, n, most, i))
		return psprintf("%.0f%% fewer commits/s than the highest",
						-percent_more(it->commits.mean,
									  outcomes[most].commits.mean));
	if (never_slept(it) && it->delay > 0)
		return pstrdup("never slept: fewer than commit_siblings others were active");
	if (more_latency > percent_more(SAME_LATENCY, 1))
		return psprintf("as many commits/s as the best, but a commit takes %.0f%% longer",
						more_latency);
	return pstrdup("as good as the best, which delays less");
}

/* Why is an outcome the best one, or why not?  palloc'd */
char *
best_delay_reason(const DelayOutcome *outcomes, int n, int best, int i)
{
	return i == best ? why_best(outcomes, n, best) :
		why_not_best(outcomes, n, best, i);
}
