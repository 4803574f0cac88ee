/*-------------------------------------------------------------------------
 *
 * tuning_args.h
 *		What the functions that try values of commit_delay have in common; see
 *		tuning_args.c.
 *
 * src/tuning/tuning_args.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_TUNING_ARGS_H
#define COMMIT_STATS_TUNING_ARGS_H

#include "fmgr.h"

#include "tuning/delay_pairs.h"

extern void experiment_require(const char *standby_hint);
extern void experiment_pairs(FunctionCallInfo fcinfo, int delays, int siblings,
							 DelayPairs *pairs);
extern uint64 experiment_interval(FunctionCallInfo fcinfo, int argument,
								  const char *name, uint64 least, uint64 most);

#endif							/* COMMIT_STATS_TUNING_ARGS_H */
