/*-------------------------------------------------------------------------
 *
 * delay_logger.h
 *		commit_stats.adaptive_delay in the background worker; see
 *		delay_logger.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_DELAY_LOGGER_H
#define COMMIT_STATS_DELAY_LOGGER_H

extern void delay_logger_follow_setting(void);
extern bool delay_logger_pending(void);
extern void delay_logger_work(void);

#endif							/* COMMIT_STATS_DELAY_LOGGER_H */
