/*-------------------------------------------------------------------------
 *
 * worker.h
 *		The background worker; see worker.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WORKER_H
#define COMMIT_STATS_WORKER_H

extern void worker_register(void);
extern PGDLLEXPORT void commit_stats_flush_logger_main(Datum main_arg);

/*
 * slow_logger.c: true if there is work, now or once it has settled; settle
 * what is "settle_time" ns old, and return the number of events
 */
extern bool slow_logger_has_work(void);
extern int	slow_logger_work(uint64 settle_time);

/* delay_logger.c */
extern void delay_logger_follow_setting(void);
extern bool delay_logger_has_work(void);
extern void delay_logger_work(void);

#endif							/* COMMIT_STATS_WORKER_H */
