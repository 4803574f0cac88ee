/*-------------------------------------------------------------------------
 *
 * delay_changes.h
 *		commit_stats.adaptive_delay in the background worker; see
 *		delay_changes.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_DELAY_CHANGES_H
#define COMMIT_STATS_DELAY_CHANGES_H

extern void delay_changes_follow_setting(void);
extern bool delay_changes_pending(void);
extern void delay_changes_work(void);

#endif							/* COMMIT_STATS_DELAY_CHANGES_H */
