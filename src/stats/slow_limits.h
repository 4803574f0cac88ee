/* When a WAL flush is a stall and a commit is slow; see slow_limits.c. */
#ifndef COMMIT_STATS_SLOW_LIMITS_H
#define COMMIT_STATS_SLOW_LIMITS_H

#include "module/stats_module.h"

extern const StatsModule slow_limits_module;

/* Commit path, for a commit that was slow: ns; 0: no flush is a stall. */
extern uint64 stall_limit_get(void);
extern uint64 slow_commit_limit_get(void);	/* ns; PG_UINT64_MAX: never */
extern void slow_limits_refresh(void);

/* ... Refreshes them; true if one of them is below "elapsed", ns. */
extern bool slow_limits_exceeded(uint64 elapsed);

extern void slow_limits_derive(void);

#endif							/* COMMIT_STATS_SLOW_LIMITS_H */
