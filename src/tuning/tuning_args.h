/*-------------------------------------------------------------------------
 *
 * tuning_args.h
 *		What the functions that try values of commit_delay have in common; see
 *		tuning_args.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_TUNING_ARGS_H
#define COMMIT_STATS_TUNING_ARGS_H

#include "fmgr.h"

#include "tuning/delay_pairs.h"

extern void tuning_args_require(const char *standby_hint);
extern void tuning_args_pairs(FunctionCallInfo fcinfo, int delays, int siblings,
							 DelayPairs *pairs);
extern uint64 tuning_args_interval(FunctionCallInfo fcinfo, int argument,
								  const char *name, uint64 least, uint64 most);

#endif							/* COMMIT_STATS_TUNING_ARGS_H */
