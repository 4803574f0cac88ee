/*-------------------------------------------------------------------------
 *
 * slow_logger.h
 *		Slow commits and stalls in the background worker; see slow_logger.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SLOW_LOGGER_H
#define COMMIT_STATS_SLOW_LOGGER_H

extern bool slow_logger_behind(void);
extern int	slow_logger_work(uint64 settle_time);

#endif							/* COMMIT_STATS_SLOW_LOGGER_H */
