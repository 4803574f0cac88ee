/*-------------------------------------------------------------------------
 *
 * experiment.h
 *		What the functions that try values of commit_delay have in common; see
 *		experiment.c.
 *
 * src/experiment.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_EXPERIMENT_H
#define COMMIT_STATS_EXPERIMENT_H

#include "fmgr.h"

#include "delay_pairs.h"

extern void experiment_require(const char *standby_hint);
extern void experiment_pairs(FunctionCallInfo fcinfo, int delays, int siblings,
							 DelayPairs *pairs);
extern uint64 experiment_interval(FunctionCallInfo fcinfo, int argument,
								  const char *name, uint64 least, uint64 most);

#endif							/* COMMIT_STATS_EXPERIMENT_H */
