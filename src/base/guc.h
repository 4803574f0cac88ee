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

/*
 * Variable, name, default, context, assign hook, summary and detail.
 * "enabled" is the same for all sessions: a flush group would look smaller
 * than it was if some members did not count themselves.  "log_flushes" is for
 * superusers because it can fill the log.
 */
#define GUC_BOOLS(X) \
	X(commit_stats_enabled, "commit_stats.enabled", true, PGC_SIGHUP, assign_enabled, \
	  "Collects statistics about commits and the WAL flushes that they share.", NULL) \
	X(commit_stats_log_flushes, "commit_stats.log_flushes", false, PGC_SUSET, NULL, \
	  "Logs how many commits each WAL flush carried.", \
	  "A flush is logged if this setting is on in the session that issued the flush.") \
	X(commit_stats_save, "commit_stats.save", true, PGC_SIGHUP, NULL, \
	  "Saves commit statistics across server restarts.", NULL) \
	X(commit_stats_adaptive_delay, "commit_stats.adaptive_delay", false, PGC_SIGHUP, NULL, \
	  "Lets leaders sleep before a WAL flush for as long as that helps, instead of commit_delay.", \
	  "A least time from the end of one WAL flush to the begin of the next is tried, and kept if transactions take less time with it.") \
	X(commit_stats_log_delay_changes, "commit_stats.log_delay_changes", false, PGC_SIGHUP, NULL, \
	  "Logs what commit_stats.adaptive_delay learns and decides.", NULL) \
	X(commit_stats_log_slow_commits, "commit_stats.log_slow_commits", false, PGC_SIGHUP, NULL, \
	  "Writes the commits of commit_slow_log to the server log, too.", NULL)

/* Those of the calendar clock of the history */
#define GUC_FOR_TESTS	(GUC_NOT_IN_SAMPLE | GUC_NO_SHOW_ALL)

/*
 * Likewise, with bounds behind the default and flags behind the context.  On a
 * volume of 50 flushes/s, flushes are 20 ms apart.
 */
#define GUC_INTS(X) \
	X(commit_stats_flush_log_size, "commit_stats.flush_log_size", 2048, \
	  FLUSH_LOG_SIZE_MIN, 131072, PGC_POSTMASTER, 0, NULL, \
	  "Sets the number of flushes that commit_flush_log shows.", \
	  "Shared memory is allocated for the next higher power of 2.") \
	X(commit_stats_max_clients, "commit_stats.max_clients", 1000, 10, 10000, PGC_POSTMASTER, 0, NULL, \
	  "Sets the number of combinations of database, role and application_name whose commits are counted apart.", \
	  "Beyond that, unconnected ones without a commit for longest are counted together, by database.") \
	X(commit_stats_max_statements, "commit_stats.max_statements", 5000, 0, 50000, PGC_POSTMASTER, 0, NULL, \
	  "Sets the number of combinations of database, role and statement whose commits are counted apart.", \
	  "0 counts none apart, and leaves it to others whether query identifiers are computed.") \
	X(commit_stats_adaptive_delay_max, "commit_stats.adaptive_delay_max", 50000, 0, COMMIT_DELAY_MAX, PGC_SIGHUP, 0, NULL, \
	  "Sets the longest sleep that commit_stats.adaptive_delay may choose, in microseconds.", NULL) \
	X(commit_stats_slow_commit_time, "commit_stats.slow_commit_time", -1, \
	  -1, SLOW_COMMIT_TIME_NEVER, PGC_SUSET, GUC_UNIT_MS, assign_slow_commit_time, \
	  "Sets the time above which a commit is kept in commit_slow_log.", \
	  "-1 derives it from what is usual on this server; 0 keeps all, and the maximum none.") \
	X(commit_stats_stall_time, "commit_stats.stall_time", -1, \
	  -1, INT_MAX, PGC_SUSET, GUC_UNIT_MS, assign_stall_time, \
	  "Sets the time above which a WAL flush is kept in commit_stall_log.", \
	  "-1 derives it from what is usual on this server; 0 keeps none.") \
	X(commit_stats_history_minutes, "commit_stats.history_minutes", 1440, \
	  0, HISTORY_MINUTES_MAX, PGC_POSTMASTER, 0, NULL, \
	  "Sets the number of minutes that commit_history shows.", NULL) \
	X(commit_stats_history_hours, "commit_stats.history_hours", 720, \
	  0, HISTORY_HOURS_MAX, PGC_POSTMASTER, 0, NULL, \
	  "Sets the number of hours that commit_history shows.", NULL) \
	X(commit_stats_history_start, "commit_stats.history_start", 0, 0, INT_MAX, PGC_SIGHUP, GUC_FOR_TESTS, NULL, \
	  "Sets the Unix time that the clock of commit_history shows at the start of the server.", NULL) \
	X(commit_stats_history_speed, "commit_stats.history_speed", 1, 1, 10000, PGC_SIGHUP, GUC_FOR_TESTS, NULL, \
	  "Sets how fast the clock of commit_history goes.", NULL)

#define GUC_DECLARE_BOOL(variable, ...) extern COMMIT_STATS_HIDDEN bool variable;
#define GUC_DECLARE_INT(variable, ...) extern COMMIT_STATS_HIDDEN int variable;

GUC_BOOLS(GUC_DECLARE_BOOL)
GUC_INTS(GUC_DECLARE_INT)

/* Enabled, and this process has entered. */
extern COMMIT_STATS_HIDDEN bool commit_stats_counts_here;

/*
 * The address of application_name at the last commit; NULL, which no setting
 * has, if the next commit must look whether and for whom it counts: always
 * while commit_stats_counts_here is false.
 */
extern COMMIT_STATS_HIDDEN const char *commit_stats_application;

/* ns; what is faster is neither a slow commit nor a stall. */
extern COMMIT_STATS_HIDDEN uint64 commit_stats_slow_threshold;

extern void guc_define(void);
extern bool guc_is_set_elsewhere(const char *name);
extern void guc_set_counting(bool registered);
extern void guc_require_enabled(void);

#endif							/* COMMIT_STATS_GUC_H */
