/*-------------------------------------------------------------------------
 *
 * tuning_args.h
 *		Arguments of the functions that try commit_delay; see tuning_args.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_TUNING_ARGS_H
#define COMMIT_STATS_TUNING_ARGS_H

#include "fmgr.h"

#include "control/delay_override.h"

/* Pairs to try, all different and in the ranges of the settings; palloc'd. */
typedef struct DelayPairs
{
	int			n;				/* at least 1 */
	DelayPair  *pair;
} DelayPairs;

extern void tuning_args_require(const char *standby_hint);
extern void tuning_args_pairs(FunctionCallInfo fcinfo, int delays,
							  int siblings, DelayPairs *pairs);
extern void tuning_args_add_adaptive(DelayPairs *pairs);
extern uint64 tuning_args_interval(FunctionCallInfo fcinfo, int argument,
								   const char *name, uint64 least,
								   uint64 most);

#endif							/* COMMIT_STATS_TUNING_ARGS_H */
