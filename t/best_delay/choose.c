/*-------------------------------------------------------------------------
 *
 * choose.c
 *		What does src/best_delay.c choose?  For t/025_best_delay.pl.
 *
 * Reads sets of outcomes, each ended by a line with the present
 * commit_siblings.  An outcome is a line with commit_delay, commit_siblings,
 * mean time of a commit, share of flushes that slept, 1 if it was refused, and
 * the commits/s of each round.  Answers each set with a line for each outcome,
 * "mean low high is_best reason", and an empty line.
 *
 * t/best_delay/choose.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "../../src/best_delay.h"

/* The server's own are not to be had without a server. */
#undef printf
#undef vsnprintf

#define MAX_OUTCOMES	100

char *
psprintf(const char *fmt,...)
{
	char	   *s = malloc(1000);
	va_list		args;

	va_start(args, fmt);
	vsnprintf(s, 1000, fmt, args);
	va_end(args);
	return s;
}

char *
pstrdup(const char *in)
{
	return strdup(in);
}

static Estimate
read_rounds(char *words)
{
	int			n = 0;
	double		sum = 0;
	double		sum_of_squares = 0;
	char	   *word;

	for (word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
	{
		double		rate = atof(word);

		n++;
		sum += rate;
		sum_of_squares += rate * rate;
	}
	return estimate_mean(n, sum, sum_of_squares);
}

static void
answer(const DelayOutcome *outcomes, int n, int present_siblings)
{
	int			best = best_delay(outcomes, n, present_siblings);

	for (int i = 0; i < n; i++)
		printf("%.4f %.4f %.4f %d %s\n", outcomes[i].commits.mean,
			   outcomes[i].commits.low, outcomes[i].commits.high, i == best,
			   best_delay_reason(outcomes, n, best, i));
	printf("\n");
}

int
main(void)
{
	static DelayOutcome outcomes[MAX_OUTCOMES];
	int			n = 0;
	char		line[10000];

	while (fgets(line, sizeof(line), stdin) != NULL)
	{
		DelayOutcome *outcome = &outcomes[n];
		int			refused;
		int			length = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%d %d %lf %lf %d%n", &outcome->delay,
				   &outcome->siblings, &outcome->latency,
				   &outcome->hit_fraction, &refused, &length) == 5)
		{
			outcome->refused = refused;
			outcome->commits = read_rounds(line + length);
			n++;
		}
		else
		{
			answer(outcomes, n, atoi(line));
			n = 0;
		}
	}
	return 0;
}
