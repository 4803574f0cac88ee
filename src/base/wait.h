/* Waiting in functions that measure for a while; see wait.c. */
#ifndef COMMIT_STATS_WAIT_H
#define COMMIT_STATS_WAIT_H

#include "datatype/timestamp.h"

extern uint64 wait_from_interval(const Interval *interval, const char *name,
								 uint64 least, uint64 most);
extern void wait_require_time(uint64 length);
extern void wait_until(uint64 when);
extern void wait_check_client(void);

#endif							/* COMMIT_STATS_WAIT_H */
