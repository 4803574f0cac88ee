/*-------------------------------------------------------------------------
 *
 * best_delay.c
 *		Prints the choices of src/tuning/best_delay.c, for
 *		t/unit/best_delay.pl.
 *
 * Reads sets of outcomes, each ended by a line with the present
 * commit_siblings, and 1 if the rounds are resampled.  An outcome is a line
 * with commit_delay, commit_siblings, mean time of a commit, share of flushes
 * that slept, its MaxP99State, and the commits/s of each round, "nan" if they
 * are not known.  "500/2.5" is a round in which a mean commit took 2.5 ms and
 * not what it took in all of them.  Answers each set with a line for each
 * outcome, "mean low high is_best reason", and an empty line.  If a set is
 * ended by "predicted", the measured commits/s and mean time of a commit, and
 * the error of the model, its outcomes are predictions, and the first one has
 * the present setting.  "order" with pairs of a time and a cost is answered
 * with the order of these remedies, which count from 1.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include <math.h>

#include "tuning/tuning.h"

#define MAX_OUTCOMES	100
#define MAX_ROUNDS		100

static void
read_rounds(char *words, double latency, double *rate, double *time)
{
	char	   *word = strtok(words, " ");

	for (int i = 0; i < MAX_ROUNDS; i++)
	{
		const char *slash = word == NULL ? NULL : strchr(word, '/');

		rate[i] = word == NULL ? NAN : atof(word);
		time[i] = slash != NULL ? atof(slash + 1) :
			word != NULL ? latency : NAN;
		if (word != NULL)
			word = strtok(NULL, " ");
	}
}

static void
put_row(const DelayOutcome *outcome, bool is_best, const char *reason)
{
	const Estimate *commits = &outcome->commits;

	printf("%.4f %.4f %.4f %d %s\n", commits->mean, commits->low,
		   commits->high, is_best, reason);
}

static void
answer(const DelayOutcomes *all, int present_siblings)
{
	int			best = best_delay(all, present_siblings);

	for (int i = 0; i < all->n; i++)
		put_row(&all->outcome[i], i == best,
				best_delay_reason(all, present_siblings, best, i));
	printf("\n");
}

/* A prediction with bounds of 1.96 times the error */
static Estimate
bounds_of(double value, double error)
{
	Estimate	estimate = {value, value * (1 - 1.96 * error),
	value * (1 + 1.96 * error), 2};

	return estimate;
}

static void
answer_predicted(DelayOutcomes *all, PresentSetting *present)
{
	int			best;

	all->resampled = true;
	for (int i = 0; i < all->n; i++)
	{
		DelayOutcome *it = &all->outcome[i];

		it->commits = bounds_of(it->commits.mean, present->model_error);
		it->latency = bounds_of(it->latency.mean, present->model_error);
	}
	present->unexplained = unexplained(all, present);
	best = best_predicted(all, present);
	for (int i = 0; i < all->n; i++)
		put_row(&all->outcome[i], i == best,
				best_predicted_reason(all, present, best, i));
	printf("\n");
}

static void
put_order(const char *words)
{
	Choice		choice[MAX_OUTCOMES];
	int			n = 0;
	int			length;

	for (; sscanf(words, "%lf %d%n", &choice[n].time, &choice[n].cost, &length) == 2;
		 words += length)
	{
		choice[n].i = n + 1;
		n++;
	}
	order_choices(choice, n);
	for (int i = 0; i < n; i++)
		printf("%d ", choice[i].i);
	printf("\n");
}

int
main(void)
{
	static DelayOutcome outcomes[MAX_OUTCOMES];
	static double rates[MAX_OUTCOMES][MAX_ROUNDS];
	static double times[MAX_OUTCOMES][MAX_ROUNDS];
	DelayOutcomes all = {0, outcomes, MAX_ROUNDS, false};
	char		line[10000];

	while (fgets(line, sizeof(line), stdin) != NULL)
	{
		DelayOutcome *outcome = &outcomes[all.n];
		PresentSetting present = {0};
		int			limit;
		int			present_siblings;
		int			resampled;
		int			length = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%d %d %lf %lf %d%n", &outcome->pair.delay,
				   &outcome->pair.siblings, &outcome->latency.mean,
				   &outcome->hit_fraction, &limit, &length) == 5)
		{
			outcome->limit = limit;
			read_rounds(line + length, outcome->latency.mean, rates[all.n],
						times[all.n]);
			outcome->rate = rates[all.n];
			outcome->time = times[all.n];
			outcome->commits = estimate_rounds(outcome->rate, MAX_ROUNDS);
			all.n++;
		}
		else if (sscanf(line, "%d %d", &present_siblings, &resampled) == 2)
		{
			all.resampled = resampled;
			answer(&all, present_siblings);
			all.n = 0;
		}
		else if (sscanf(line, "predicted %lf %lf %lf", &present.commits,
						&present.latency, &present.model_error) == 3)
		{
			answer_predicted(&all, &present);
			all.n = 0;
		}
		else if (strncmp(line, "order", 5) == 0)
			put_order(line + 5);
	}
	return 0;
}
