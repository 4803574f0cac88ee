/*-------------------------------------------------------------------------
 *
 * whatif_choice.h
 *		Which predicted pair is best; see whatif_choice.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WHATIF_CHOICE_H
#define COMMIT_STATS_WHATIF_CHOICE_H

#include "tuning/best_delay.h"

/* What was measured with the present setting, and what is predicted for it */
typedef struct PresentSetting
{
	int			i;				/* its index among the outcomes */
	double		commits;		/* measured, per second */
	double		mean;			/* measured time of a commit, ms */
	Estimate	predicted_commits;	/* bounds that allow for the model */
	Estimate	predicted_mean;
	double		model_error;	/* relative standard error */
} PresentSetting;

extern int	whatif_choose(const DelayOutcomes *all, const PresentSetting *present);
extern char *whatif_reason(const DelayOutcomes *all,
						   const PresentSetting *present, int best, int i);

#endif							/* COMMIT_STATS_WHATIF_CHOICE_H */
