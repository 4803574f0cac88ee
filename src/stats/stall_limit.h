/* When a WAL flush is a stall and a commit is slow; see stall_limit.c. */
#ifndef COMMIT_STATS_STALL_LIMIT_H
#define COMMIT_STATS_STALL_LIMIT_H

#include "module/stats_module.h"

extern const StatsModule stall_limit_module;

/* Commit path, for a commit that was slow: ns; 0: no flush is a stall. */
extern uint64 stall_limit_get(void);
extern uint64 slow_commit_limit_get(void);	/* ns; PG_UINT64_MAX: never */
extern void stall_limit_refresh(void);

/* ... Refreshes them; true if one of them is below "elapsed", ns. */
extern bool stall_limit_exceeded(uint64 elapsed);

extern void stall_limit_derive(void);

#endif							/* COMMIT_STATS_STALL_LIMIT_H */
