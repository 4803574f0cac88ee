/* What made commits slower from one period to another; see compare.c. */
#ifndef COMMIT_STATS_COMPARE_H
#define COMMIT_STATS_COMPARE_H

#include "history/history.h"

/* A part of the mean commit time, in us; NaN where there is none. */
typedef struct ComparedPart
{
	const char *name;
	double		before;
	double		after;
	double		change;			/* after less before */
	double		share;			/* of the change of the whole */
	const char *sentence;
} ComparedPart;

/* The whole, each phase, each cause of stalls, other flushes, settings */
#define COMPARE_MAX_PARTS	(1 + PHASE_N + STALL_NCAUSES + 2 + 3)

/* The whole comes first.  Both periods have commits.  Returns the number. */
extern int	compare_periods(const HistorySum *before, const HistorySum *after,
							ComparedPart *part);

#endif							/* COMMIT_STATS_COMPARE_H */
