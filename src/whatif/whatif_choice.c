/*-------------------------------------------------------------------------
 *
 * whatif_choice.c
 *		Which predicted pair is best, if the prediction can be believed.
 *
 * The present setting is predicted as all others are, and was measured as
 * well.  If a measured value lies outside the bounds of its prediction, the
 * model lacks something that matters, and no pair is best.
 *
 * Otherwise best_delay.c chooses, and the present setting stands unless the
 * gain is larger than the error of the model: the standard error that is known
 * from other loads, or the error that the present setting shows, if that is
 * larger.  The gain is in commits/s or in the time of a commit.
 *
 * This module knows neither SQL nor shared memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "whatif/whatif_choice.h"

/* A value that is not known contradicts nothing. */
static bool
is_outside(const Estimate *estimate, double value)
{
	return value < estimate->low || value > estimate->high;
}

static double
relative_error(const Estimate *estimate, double measured)
{
	return isnan(measured) ? 0 : fabs(estimate->mean / measured - 1);
}

static double
error_of_commits(const PresentSetting *present)
{
	return Max(present->model_error,
			   relative_error(&present->predicted_commits, present->commits));
}

static double
error_of_mean(const PresentSetting *present)
{
	return Max(present->model_error,
			   relative_error(&present->predicted_mean, present->mean));
}

static bool
is_explained(const PresentSetting *present)
{
	return !is_outside(&present->predicted_commits, present->commits) &&
		!is_outside(&present->predicted_mean, present->mean);
}

/* Is the gain of a pair larger than the error of the model? */
static bool
gain_is_sure(const DelayOutcomes *all, const PresentSetting *present, int i)
{
	const DelayOutcome *it = &all->outcome[i];
	const DelayOutcome *now = &all->outcome[present->i];

	return it->commits.mean > now->commits.mean * (1 + error_of_commits(present)) ||
		it->latency * (1 + error_of_mean(present)) < now->latency;
}

/* The best outcome; -1 if there is none. */
int
whatif_choose(const DelayOutcomes *all, const PresentSetting *present)
{
	int			best;

	if (!is_explained(present))
		return -1;
	best = best_delay(all, all->outcome[present->i].siblings);
	if (best < 0 || gain_is_sure(all, present, best))
		return best;
	return present->i;
}

static char *
why_not_explained(const PresentSetting *present)
{
	if (is_outside(&present->predicted_commits, present->commits))
		return psprintf("the prediction cannot explain the present setting: it says %.0f to %.0f commits/s, and %.0f were measured",
						present->predicted_commits.low,
						present->predicted_commits.high, present->commits);
	return psprintf("the prediction cannot explain the present setting: it says that a commit takes %.3g to %.3g ms, and %.3g ms were measured",
					present->predicted_mean.low, present->predicted_mean.high,
					present->mean);
}

/* The present setting stands, although best_delay.c has chosen another one. */
static char *
why_present(const DelayOutcomes *all, const PresentSetting *present, int i)
{
	const DelayOutcome *it = &all->outcome[i];
	const DelayOutcome *now = &all->outcome[present->i];
	double		error = 100 * error_of_commits(present);

	if (i == present->i)
		return psprintf("set now, and no pair gains more than the prediction may be off, which is %.0f%%",
						error);
	return psprintf("%+.0f%% commits/s and %+.0f%% time of a commit, compared with the present setting; the prediction may be off by %.0f%%",
					100 * (it->commits.mean / now->commits.mean - 1),
					100 * (it->latency / now->latency - 1), error);
}

/* Why an outcome is the best one, or is not; palloc'd. */
char *
whatif_reason(const DelayOutcomes *all, const PresentSetting *present, int best,
			  int i)
{
	int			siblings = all->outcome[present->i].siblings;

	if (!is_explained(present))
		return why_not_explained(present);
	if (best == present->i && best != best_delay(all, siblings))
		return why_present(all, present, i);
	return best_delay_reason(all, siblings, best, i);
}
