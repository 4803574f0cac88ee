/*-------------------------------------------------------------------------
 *
 * delay_pairs.h
 *		Values of commit_delay and commit_siblings to try; see delay_pairs.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_DELAY_PAIRS_H
#define COMMIT_STATS_DELAY_PAIRS_H

#include "utils/array.h"

#include "control/delay_override.h"

/* No two are the same; palloc'd. */
typedef struct DelayPairs
{
	int			n;				/* at least 1 */
	DelayPair  *pair;
} DelayPairs;

extern void delay_pairs_make(DelayPairs *pairs, ArrayType *delays,
							 ArrayType *siblings);

#endif							/* COMMIT_STATS_DELAY_PAIRS_H */
