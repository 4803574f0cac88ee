/*-------------------------------------------------------------------------
 *
 * best_delay.c
 *		Which commit_delay did best, and why.
 *
 *	eligible	a pair with an interval, with commits, and within max_p99
 *	candidate	an eligible pair whose distance from the highest commit rate
 *				may be chance, and that gains something over the smallest pair
 *	smallest	pair: the eligible one with the smallest delay, which is 0 if
 *				that was tried; it stands unless another pair gains
 *	gains		more commits/s; or as many, and less time for each
 *
 * The rule.  The rate of commits comes first.  But an open load, whose
 * transactions begin by themselves, commits at the rate at which it arrives,
 * whatever the delay, and any load varies.  So the best is the candidate whose
 * commits take the least time.  Candidates within SAME_LATENCY of that fastest
 * one are as good; if its leaders never slept, so are all others whose leaders
 * never slept.  Of these, the smallest delay is the best: it costs the least
 * when the load changes.
 *
 * Chance.  Pairs are compared round by round, since what makes a round better
 * does so for all pairs.  Two pairs differ if the mean of their differences is
 * further from 0 than its error.  The highest of several rates is also the
 * luckiest, so the error is multiplied by sqrt(2).  That is about Tukey's
 * studentized range for five pairs (3.86, against 2.77 for two), or a test
 * whether two independent intervals overlap.
 *
 * A prediction also has the present setting, which was measured as well.  If a
 * measured value lies outside the bounds of its prediction, the model lacks
 * something that matters, and no pair is best.  Otherwise the present setting
 * stands unless the gain, in commits/s or in the time of a commit, is larger
 * than the error of the model: the standard error that is known from other
 * loads, or the error that the present setting shows, if that is larger.
 *
 * Locking: none, nor SQL, so t/ can compile this file alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/guc.h"
#include "tuning/tuning.h"

#define SAME_LATENCY	1.02	/* no measurement of commits is closer */
#define NEVER_SLEPT		0.005	/* of flushes; hits are classified, not seen */

/*---- Estimates ---------------------------------------------------*/

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

/*
 * Half of the interval around one of the n > 1 values of a - b; null stands
 * for zeros as b.  Sets the mean.
 */
static double
half_interval(const double *a, const double *b, int nrounds, int *n,
			  double *mean)
{
	double		sum = 0;
	double		squares = 0;

	*n = 0;
	for (int i = 0; i < nrounds; i++)
	{
		double		d = a[i] - (b != NULL ? b[i] : 0);

		if (isnan(d))
			continue;
		(*n)++;
		sum += d;
		squares += d * d;
	}
	*mean = *n > 0 ? sum / *n : NAN;
	return *n < 2 ? NAN : student_t(*n - 1) *
		sqrt(Max(squares - sum * sum / *n, 0) / (*n - 1));
}

/* A quantity that is never below 0, from its values in rounds; NaN: unknown */
Estimate
estimate_rounds(const double *value, int nrounds)
{
	Estimate	estimate = {NAN, NAN, NAN, 0};
	double		half = half_interval(value, NULL, nrounds, &estimate.n,
									 &estimate.mean);

	if (estimate.n > 1)
	{
		half /= sqrt(estimate.n);
		estimate.low = Max(estimate.mean - half, 0);
		estimate.high = estimate.mean + half;
	}
	return estimate;
}

/*---- The choice --------------------------------------------------*/

static bool
is_eligible(const DelayOutcome *outcome)
{
	return outcome->commits.mean > 0 && !isnan(outcome->commits.low) &&
		outcome->limit == WITHIN_LIMIT;
}

/* With the most commits, within max_p99 or of the eligible ones; -1: none */
int
best_delay_most_commits(const DelayOutcomes *all, bool eligible)
{
	int			most = -1;

	for (int i = 0; i < all->n; i++)
	{
		const DelayOutcome *it = &all->outcome[i];

		if (it->commits.mean > 0 && it->limit == WITHIN_LIMIT &&
			(!eligible || is_eligible(it)) &&
			(most < 0 ||
			 it->commits.mean > all->outcome[most].commits.mean))
			most = i;
	}
	return most;
}

/* True if the rounds of one exceed those of another by more than chance */
static bool
exceeds(const DelayOutcomes *all, const double *a, const double *b)
{
	int			n;
	double		mean;
	double		error = half_interval(a, b, all->nrounds, &n, &mean);

	/* the error is NaN if n is below 2 */
	return mean > M_SQRT2 * (error / (all->resampled ? 1 : sqrt(n)));
}

/* True if the distance from the one with the most commits may be chance */
static bool
has_most_commits(const DelayOutcomes *all, int i)
{
	int			most = best_delay_most_commits(all, true);

	return is_eligible(&all->outcome[i]) &&
		!exceeds(all, all->outcome[most].rate, all->outcome[i].rate);
}

/* True if a is preferred to b, which is equally good */
static bool
is_smaller(const DelayPair *a, const DelayPair *b, int present_siblings)
{
	if (a->delay != b->delay)
		return a->delay < b->delay;
	if ((a->siblings == present_siblings) != (b->siblings == present_siblings))
		return a->siblings == present_siblings;
	return a->siblings > b->siblings;	/* sleeps less often */
}

/* The pair that the gain of all others is measured against; -1: none. */
static int
smallest(const DelayOutcomes *all, int present_siblings)
{
	const DelayOutcome *outcome = all->outcome;
	int			least = -1;

	for (int i = 0; i < all->n; i++)
		if (is_eligible(&outcome[i]) &&
			(least < 0 ||
			 is_smaller(&outcome[i].pair, &outcome[least].pair, present_siblings)))
			least = i;
	return least;
}

/* True if a pair is better than the smallest by more than chance explains */
static bool
gains(const DelayOutcomes *all, int least, int i)
{
	const DelayOutcome *it = &all->outcome[i];
	const DelayOutcome *base = &all->outcome[least];

	return exceeds(all, it->rate, base->rate) ||
		(!exceeds(all, base->rate, it->rate) &&
		 exceeds(all, base->time, it->time));
}

/*
 * If the smallest has not the most commits, the one that has gains, so there
 * is a candidate wherever one is eligible.
 */
static bool
is_candidate(const DelayOutcomes *all, int least, int i)
{
	return has_most_commits(all, i) && (i == least || gains(all, least, i));
}

static bool
never_slept(const DelayOutcome *outcome)
{
	return outcome->pair.delay == 0 || !(outcome->hit_fraction >= NEVER_SLEPT);
}

/* The best outcome; -1 if there is none. */
int
best_delay(const DelayOutcomes *all, int present_siblings)
{
	const DelayOutcome *outcome = all->outcome;
	int			least = smallest(all, present_siblings);
	int			fastest = -1;
	int			best;

	for (int i = 0; i < all->n; i++)
		if (is_candidate(all, least, i) &&
			(fastest < 0 || outcome[i].latency.mean < outcome[fastest].latency.mean))
			fastest = i;
	best = fastest;
	for (int i = 0; i < all->n; i++)
		if (is_candidate(all, least, i) &&
			(outcome[i].latency.mean <= outcome[fastest].latency.mean * SAME_LATENCY ||
			 (never_slept(&outcome[i]) && never_slept(&outcome[fastest]))) &&
			is_smaller(&outcome[i].pair, &outcome[best].pair, present_siblings))
			best = i;
	return best;
}

/*---- Reasons -----------------------------------------------------*/

static double
percent_more(double a, double b)
{
	return 100.0 * (a / b - 1.0);
}

static char *
why_best(const DelayOutcomes *all, int least, int best)
{
	const DelayOutcome *it = &all->outcome[best];
	int			n = 0;
	double		gain = percent_more(it->commits.mean,
									all->outcome[least].commits.mean);

	/* the number of those that may have the most commits */
	for (int i = 0; i < all->n; i++)
		n += has_most_commits(all, i);
	if (n == 1)
		return best == least ? pstrdup("most commits/s") :
			psprintf("most commits/s: %.0f%% more than with commit_delay = %d",
					 gain, all->outcome[least].pair.delay);
	if (never_slept(it))
		return psprintf("no delay gains anything: %d of %d have as many commits/s, as far as can be told",
						n, all->n);
	if (best == least)
		return psprintf("no other pair gains anything: %d of %d have as many commits/s, as far as can be told",
						n, all->n);
	return psprintf("the least time for a commit, of the %d with the most commits/s as far as can be told",
					n);
}

/* Why a pair cannot be the best, whatever the others do; null: it can */
static const char *
why_not_eligible(const DelayOutcome *it)
{
	if (it->limit == DELAY_EXCEEDS)
		return "not tried: the delay alone exceeds max_p99";
	if (it->limit == EXCEEDED)
		return "exceeded max_p99";
	if (isnan(it->commits.mean))
		return "not measured";
	if (isnan(it->commits.low))
		return "too few rounds to tell";
	return it->commits.mean > 0 ? NULL : "no commits";
}

static char *
why_not_best(const DelayOutcomes *all, int least, int best, int i)
{
	const DelayOutcome *it = &all->outcome[i];
	double		more_latency = percent_more(it->latency.mean,
											all->outcome[best].latency.mean);

	if (!has_most_commits(all, i))
		return psprintf("%.0f%% fewer commits/s than the highest",
						-percent_more(it->commits.mean,
									  all->outcome[best_delay_most_commits(all, true)].commits.mean));
	if (never_slept(it) && it->pair.delay > 0)
		return pstrdup(it->pair.delay > COMMIT_DELAY_MAX ? "never slept" :
					   "never slept: fewer than commit_siblings others were active");
	/* smaller than the best: too far from the fastest, or it would be best */
	if (more_latency > percent_more(SAME_LATENCY, 1) ||
		(it->pair.delay < all->outcome[best].pair.delay &&
		 is_candidate(all, least, i)))
		return psprintf("as many commits/s as the best, but a commit takes %.1f%% longer",
						more_latency);
	if (!is_candidate(all, least, i))
		return psprintf("chance may explain all that it gains over commit_delay = %d",
						all->outcome[least].pair.delay);
	return pstrdup("as good as the best, which delays less");
}

/* Why an outcome is the best one, or is not; palloc'd. */
char *
best_delay_reason(const DelayOutcomes *all, int present_siblings, int best,
				  int i)
{
	const char *never = why_not_eligible(&all->outcome[i]);
	int			least = smallest(all, present_siblings);

	if (never != NULL)
		return pstrdup(never);
	return i == best ? why_best(all, least, best) :
		why_not_best(all, least, best, i);
}

/*---- A prediction, and what was measured with the present setting ---*/

/* A value that is not known contradicts nothing. */
static bool
is_outside(const Estimate *estimate, double value)
{
	return value < estimate->low || value > estimate->high;
}

/* What the prediction cannot explain; null: it explains the present setting */
char *
unexplained(const DelayOutcomes *all, const PresentSetting *present)
{
	const Estimate *commits = &all->outcome[present->i].commits;
	const Estimate *latency = &all->outcome[present->i].latency;

	if (isnan(commits->mean))
		return pstrdup("the prediction cannot explain the present setting: nothing that the sample shows limits the commits");
	if (is_outside(commits, present->commits))
		return psprintf("the prediction cannot explain the present setting: it says %.0f to %.0f commits/s, and %.0f were measured",
						commits->low, commits->high, present->commits);
	if (is_outside(latency, present->latency))
		return psprintf("the prediction cannot explain the present setting: it says that a commit takes %.3g to %.3g ms, and %.3g ms were measured",
						latency->low, latency->high, present->latency);
	return NULL;
}

/* The relative error of the model, or what the present setting shows */
static double
error_of(const PresentSetting *present, double predicted, double measured)
{
	return Max(present->model_error,
			   isnan(measured) ? 0 : fabs(predicted / measured - 1));
}

/* True if the gain of a pair is larger than the error of the model */
static bool
gain_is_sure(const DelayOutcome *it, const DelayOutcome *now,
			 const PresentSetting *present)
{
	return it->commits.mean > now->commits.mean *
		(1 + error_of(present, now->commits.mean, present->commits)) ||
		it->latency.mean *
		(1 + error_of(present, now->latency.mean, present->latency)) <
		now->latency.mean;
}

/* The best outcome; -1 if there is none. */
int
best_predicted(const DelayOutcomes *all, const PresentSetting *present)
{
	const DelayOutcome *now = &all->outcome[present->i];
	int			best;

	if (present->unexplained != NULL)
		return -1;
	best = best_delay(all, now->pair.siblings);
	if (best < 0 || gain_is_sure(&all->outcome[best], now, present))
		return best;
	return present->i;
}

/* The present setting stands, although best_delay() has chosen another one. */
static char *
why_present(const DelayOutcomes *all, const PresentSetting *present, int i)
{
	const DelayOutcome *it = &all->outcome[i];
	const DelayOutcome *now = &all->outcome[present->i];
	double		error = 100 * error_of(present, now->commits.mean,
									   present->commits);

	if (i == present->i)
		return psprintf("set now, and no pair gains more than the prediction may be off, which is %.0f%%",
						error);
	return psprintf("%+.0f%% commits/s and %+.0f%% time of a commit, compared with the present setting; the prediction may be off by %.0f%%",
					percent_more(it->commits.mean, now->commits.mean),
					percent_more(it->latency.mean, now->latency.mean), error);
}

/* Why an outcome is the best one, or is not; palloc'd. */
char *
best_predicted_reason(const DelayOutcomes *all, const PresentSetting *present, int best,
					  int i)
{
	int			siblings = all->outcome[present->i].pair.siblings;

	if (present->unexplained != NULL)
		return pstrdup(present->unexplained);
	if (best == present->i && best != best_delay(all, siblings))
		return why_present(all, present, i);
	return best_delay_reason(all, siblings, best, i);
}

/*---- The order of changes ----------------------------------------*/

/*
 * Sorts by time.  A group begins with the shortest time that is left, and has
 * all times within SAME_TIME of that; in a group, the lowest cost comes first.
 */
void
order_choices(Choice *choice, int n)
{
	double		longest = -1;	/* time of the present group */

	for (Choice *at = choice; at < choice + n; at++)
	{
		Choice		before = *at;
		Choice	   *first = NULL;
		double		shortest = INFINITY;

		for (Choice *it = at; it < choice + n; it++)
			shortest = Min(shortest, it->time);
		if (shortest > longest)
			longest = shortest * SAME_TIME;
		for (Choice *it = at; it < choice + n; it++)
			if (it->time <= longest &&
				(first == NULL || (it->cost != first->cost ? it->cost < first->cost :
								   it->time != first->time ? it->time < first->time :
								   it->i < first->i)))
				first = it;
		*at = *first;
		*first = before;
	}
}
