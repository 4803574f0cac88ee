/* The background worker; see worker.c. */
#ifndef COMMIT_STATS_WORKER_H
#define COMMIT_STATS_WORKER_H

extern void worker_register(void);
extern PGDLLEXPORT void commit_stats_worker_main(Datum main_arg);

/* ms until a group or an event counts as complete */
#define SETTLE_TIME		50

/* In slow_logger.c: settles events that are older */
extern void slow_logger_work(void);

#endif							/* COMMIT_STATS_WORKER_H */
