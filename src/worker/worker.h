/* The background worker; see worker.c. */
#ifndef COMMIT_STATS_WORKER_H
#define COMMIT_STATS_WORKER_H

extern void worker_register(void);
extern PGDLLEXPORT void commit_stats_flush_logger_main(Datum main_arg);

/*
 * slow_logger.c settles the events that are older than settle_time, in ns, and
 * returns their number.
 */
extern int	slow_logger_work(uint64 settle_time);

#endif							/* COMMIT_STATS_WORKER_H */
