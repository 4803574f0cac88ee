/*-------------------------------------------------------------------------
 *
 * delay_pairs.h
 *		Values of commit_delay and commit_siblings to try; see delay_pairs.c.
 *
 * src/tuning/delay_pairs.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_DELAY_PAIRS_H
#define COMMIT_STATS_DELAY_PAIRS_H

#include "utils/array.h"

/* The ranges that the settings have in the server. */
#define COMMIT_DELAY_MAX		100000	/* us */
#define COMMIT_SIBLINGS_MAX		1000

typedef struct DelayPair
{
	int			delay;			/* commit_delay, us */
	int			siblings;		/* commit_siblings */
} DelayPair;

/* No two are the same; palloc'd. */
typedef struct DelayPairs
{
	int			n;				/* at least 1 */
	DelayPair  *pair;
} DelayPairs;

extern void delay_pairs_make(DelayPairs *pairs, ArrayType *delays,
							 ArrayType *siblings);

#endif							/* COMMIT_STATS_DELAY_PAIRS_H */
