/*-------------------------------------------------------------------------
 *
 * wait.h
 *		Functions that take their time; see wait.c.
 *
 * src/base/wait.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WAIT_H
#define COMMIT_STATS_WAIT_H

#include "datatype/timestamp.h"

extern uint64 pause_from_interval(const Interval *interval, const char *name,
								  uint64 least, uint64 most);
extern void pause_until(uint64 when);
extern void pause_check_client(void);

#endif							/* COMMIT_STATS_WAIT_H */
