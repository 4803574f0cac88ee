/* What the functions that try commit_delay, or predict it, share. */
#ifndef COMMIT_STATS_TUNING_H
#define COMMIT_STATS_TUNING_H

#include "access/xlogdefs.h"
#include "fmgr.h"

#include "control/delay_override.h"

/* ---- best_delay.c ---- */

/* A mean and its 95% confidence interval. */
typedef struct Estimate
{
	double		mean;			/* NaN: unknown */
	double		low;			/* NaN: one value has no interval */
	double		high;			/* likewise */
	int			n;				/* values that are known */
} Estimate;

/* Of the limit for the 99th percentile of commit times */
typedef enum MaxP99State
{
	WITHIN_LIMIT,				/* or there is none */
	EXCEEDED,
	DELAY_EXCEEDS				/* the delay alone would, so it was not tried */
} MaxP99State;

/* The result of one pair of values. */
typedef struct DelayOutcome
{
	DelayPair	pair;
	double	   *rate;			/* commits per second in each round; NaN:
								 * unknown */
	double	   *time;			/* mean of a commit in each round, ms; NaN:
								 * unknown, or no commits */
	Estimate	commits;		/* per second */
	Estimate	latency;		/* mean of a commit, ms; NaN: no commits */
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

extern Estimate estimate_rounds(const double *value, int nrounds);
extern int	best_delay_most_commits(const DelayOutcomes *all, bool eligible);
extern int	best_delay(const DelayOutcomes *all, int present_siblings);
extern char *best_delay_reason(const DelayOutcomes *all, int present_siblings,
							   int best, int i);

/* One of several changes; see order_choices() */
typedef struct Choice
{
	int			i;				/* which one */
	double		time;			/* that the change leaves, relative to the
								 * present */
	int			cost;			/* rank of what the change asks for */
} Choice;

#define SAME_TIME	1.05		/* times within this factor are equal */

extern void order_choices(Choice *choice, int n);

/* What was measured with the present setting, whose outcome is predicted */
typedef struct PresentSetting
{
	int			i;				/* its index among the outcomes */
	double		commits;		/* measured, per second */
	double		latency;		/* measured mean of a commit, ms */
	double		model_error;	/* relative standard error, which the bounds
								 * of all outcomes allow for */
	const char *unexplained;	/* why nothing predicted is the best; or null */
} PresentSetting;

extern char *unexplained(const DelayOutcomes *all, const PresentSetting *present);
extern int	best_predicted(const DelayOutcomes *all, const PresentSetting *present);
extern char *best_predicted_reason(const DelayOutcomes *all,
								   const PresentSetting *present, int best, int i);

/* ---- tuning.c ---- */

/* All different and in the ranges; palloc'd, with room for one more */
typedef struct DelayPairs
{
	int			n;				/* at least 1 */
	DelayPair  *pair;
} DelayPairs;

extern void tuning_args_require(const char *standby_hint);
extern void tuning_args_require_value(FunctionCallInfo fcinfo, int argument,
									  const char *name);

#define PAIRS_ARGS	2			/* arguments that tuning_args_pairs() reads */

extern DelayPairs tuning_args_pairs(FunctionCallInfo fcinfo);
extern uint64 tuning_args_interval(FunctionCallInfo fcinfo, int argument,
								   const char *name, uint64 least,
								   uint64 most);

struct Row;

extern void row_estimate(struct Row *row, const char *name,
						 const Estimate *it, double unit, int digits);
extern void wal_room_warn(XLogRecPtr from, uint64 since, const DelayPairs *pairs);

#endif							/* COMMIT_STATS_TUNING_H */
