/* Waking the background worker; see worker_wake.c. */
#ifndef COMMIT_STATS_WORKER_WAKE_H
#define COMMIT_STATS_WORKER_WAKE_H

#include "module/stats_module.h"

extern const StatsModule worker_wake_module;

/* Any process */
extern void worker_wake(void);
extern bool worker_wake_now(void);

/* The worker */
extern void worker_wake_start(void);
extern void worker_wake_sleep(void);

#endif							/* COMMIT_STATS_WORKER_WAKE_H */
