/* The background worker; see worker.c. */
#ifndef COMMIT_STATS_WORKER_H
#define COMMIT_STATS_WORKER_H

extern void worker_register(void);
extern PGDLLEXPORT void commit_stats_flush_logger_main(Datum main_arg);

/* In slow_logger.c: settles events that are older, ns; returns how many */
extern int	slow_logger_work(uint64 settle_time);

#endif							/* COMMIT_STATS_WORKER_H */
