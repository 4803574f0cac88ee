/* The settings; see guc.c. */
#ifndef COMMIT_STATS_GUC_H
#define COMMIT_STATS_GUC_H

#include "base/compat.h"

/*
 * Settings that size shared memory: a client takes 270 bytes, a statement 210,
 * and a row of the history 3 kB.
 */
#define FLUSH_LOG_SIZE_MIN		128
#define HISTORY_MINUTES_MAX		10080
#define HISTORY_HOURS_MAX		8760

/* commit_stats.slow_commit_time: no commit is slow */
#define SLOW_COMMIT_TIME_NEVER	INT_MAX

/* ms; nothing below this is slow if the setting is -1. */
#define STALL_LEAST_MS			5

/* The ranges that the server's own settings have. */
#define COMMIT_DELAY_MAX		100000	/* us */
#define COMMIT_SIBLINGS_MAX		1000

extern COMMIT_STATS_HIDDEN bool commit_stats_enabled;

/* Enabled, and this process has entered. */
extern COMMIT_STATS_HIDDEN bool commit_stats_counts_here;

/*
 * The address of application_name at the last commit; NULL, which no setting
 * has, if the next commit must look whether and for whom it counts: always
 * while commit_stats_counts_here is false.
 */
extern COMMIT_STATS_HIDDEN const char *commit_stats_application;

extern COMMIT_STATS_HIDDEN bool commit_stats_log_flushes;
extern COMMIT_STATS_HIDDEN bool commit_stats_log_delay_changes;
extern COMMIT_STATS_HIDDEN bool commit_stats_save;
extern COMMIT_STATS_HIDDEN bool commit_stats_adaptive_delay;
extern COMMIT_STATS_HIDDEN int commit_stats_adaptive_delay_max;
extern COMMIT_STATS_HIDDEN int commit_stats_flush_log_size;
extern COMMIT_STATS_HIDDEN int commit_stats_max_clients;
extern COMMIT_STATS_HIDDEN int commit_stats_max_statements;
extern COMMIT_STATS_HIDDEN int commit_stats_history_minutes;
extern COMMIT_STATS_HIDDEN int commit_stats_history_hours;

/* For tests: the calendar clock of the history. */
extern COMMIT_STATS_HIDDEN int commit_stats_history_speed;
extern COMMIT_STATS_HIDDEN double commit_stats_history_start;

extern COMMIT_STATS_HIDDEN int commit_stats_slow_commit_time;
extern COMMIT_STATS_HIDDEN int commit_stats_stall_time;
extern COMMIT_STATS_HIDDEN bool commit_stats_log_slow_commits;

/* ns; what is faster is neither a slow commit nor a stall. */
extern COMMIT_STATS_HIDDEN uint64 commit_stats_slow_threshold;

extern void guc_define(void);
extern bool guc_is_set_elsewhere(const char *name);
extern void guc_set_counting(bool registered);
extern void guc_require_enabled(void);

#endif							/* COMMIT_STATS_GUC_H */
