/* Waking the background worker; see worker_wake.c. */
#ifndef COMMIT_STATS_WORKER_WAKE_H
#define COMMIT_STATS_WORKER_WAKE_H

#include "module/stats_module.h"

extern const StatsModule worker_wake_module;

extern bool worker_wake(void);
extern void worker_wake_start(void);

#endif							/* COMMIT_STATS_WORKER_WAKE_H */
