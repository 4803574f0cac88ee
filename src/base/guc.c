/*-------------------------------------------------------------------------
 *
 * guc.c
 *		The settings.
 *
 * Locking: none.  Each process has its own copy of the variables.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/guc.h"

#include "base/compat.h"
#include "base/guc.h"

bool		commit_stats_enabled = true;
bool		commit_stats_counts_here = false;
bool		commit_stats_log_flushes = false;
bool		commit_stats_log_delay_changes = false;
bool		commit_stats_save = true;
bool		commit_stats_adaptive_delay = false;
int			commit_stats_adaptive_delay_max = ADAPTIVE_DELAY_MAX_DEFAULT;
int			commit_stats_flush_log_size = FLUSH_LOG_SIZE_DEFAULT;
int			commit_stats_max_clients = MAX_CLIENTS_DEFAULT;
int			commit_stats_slow_commit_time = -1;
int			commit_stats_stall_time = -1;
bool		commit_stats_log_slow_commits = false;
uint64		commit_stats_slow_threshold = PG_UINT64_MAX;

static bool is_registered = false;	/* this process, with what it counts in */

/* What is faster is neither, ms. */
static int	slow_commit_threshold = INT_MAX;
static int	stall_threshold = INT_MAX;

/* The settings of the delay that adapts. */
static void
define_adaptive_delay(void)
{
	DefineCustomBoolVariable("commit_stats.adaptive_delay",
							 "Lets leaders sleep before a WAL flush for as long as that helps, instead of commit_delay.",
							 "A least time from the end of one WAL flush to the begin of the next is tried, and kept if transactions take less time with it.",
							 &commit_stats_adaptive_delay,
							 false,
							 PGC_SIGHUP, 0,
							 NULL, NULL, NULL);
	DefineCustomIntVariable("commit_stats.adaptive_delay_max",
							"Sets the longest sleep that commit_stats.adaptive_delay may choose, in microseconds.",
							NULL,
							&commit_stats_adaptive_delay_max,
							ADAPTIVE_DELAY_MAX_DEFAULT,
							0, COMMIT_DELAY_MAX,
							PGC_SIGHUP, 0,
							NULL, NULL, NULL);
	DefineCustomBoolVariable("commit_stats.log_delay_changes",
							 "Logs what commit_stats.adaptive_delay learns and decides.",
							 NULL,
							 &commit_stats_log_delay_changes,
							 false,
							 PGC_SIGHUP, 0,
							 NULL, NULL, NULL);
}

static void
assign_enabled(bool newval, void *extra)
{
	commit_stats_counts_here = newval && is_registered;
}

/* This process has entered and is registered, or not yet. */
void
guc_set_counting(bool registered)
{
	is_registered = registered;
	assign_enabled(commit_stats_enabled, NULL);
}

static void
set_slow_threshold(void)
{
	int			ms = Min(slow_commit_threshold, stall_threshold);

	commit_stats_slow_threshold = ms == INT_MAX ? PG_UINT64_MAX :
		(uint64) ms * NS_PER_MS;
}

static void
assign_slow_commit_time(int newval, void *extra)
{
	slow_commit_threshold = newval < 0 ? STALL_LEAST_MS : newval;
	set_slow_threshold();
}

static void
assign_stall_time(int newval, void *extra)
{
	stall_threshold = newval < 0 ? STALL_LEAST_MS : newval == 0 ? INT_MAX : newval;
	set_slow_threshold();
}

/* The settings of the logs of what was slow. */
static void
define_slow_log(void)
{
	DefineCustomIntVariable("commit_stats.slow_commit_time",
							"Sets the time above which a commit is kept in commit_slow_log.",
							"-1 derives it from what is usual on this server; 0 keeps all, and the maximum none.",
							&commit_stats_slow_commit_time,
							-1,
							-1, SLOW_COMMIT_TIME_NEVER,
							PGC_SUSET, GUC_UNIT_MS,
							NULL, assign_slow_commit_time, NULL);
	DefineCustomIntVariable("commit_stats.stall_time",
							"Sets the time above which a WAL flush is kept in commit_stall_log.",
							"-1 derives it from what is usual on this server; 0 keeps none.",
							&commit_stats_stall_time,
							-1,
							-1, INT_MAX,
							PGC_SUSET, GUC_UNIT_MS,
							NULL, assign_stall_time, NULL);
	DefineCustomBoolVariable("commit_stats.log_slow_commits",
							 "Writes the commits of commit_slow_log to the server log, too.",
							 NULL,
							 &commit_stats_log_slow_commits,
							 false,
							 PGC_SIGHUP, 0,
							 NULL, NULL, NULL);
}

/*
 * For _PG_init, in the postmaster (or a stand-alone backend) only.
 *
 * "enabled" is the same for all sessions: a flush group would look smaller
 * than it was if some members did not count themselves.  "log_flushes" is for
 * superusers because it can fill the log.
 */
void
guc_define(void)
{
	DefineCustomBoolVariable("commit_stats.enabled",
							 "Collects statistics about commits and the WAL flushes that they share.",
							 NULL,
							 &commit_stats_enabled,
							 true,
							 PGC_SIGHUP, 0,
							 NULL, assign_enabled, NULL);
	DefineCustomBoolVariable("commit_stats.log_flushes",
							 "Logs how many commits each WAL flush carried.",
							 "A flush is logged if this setting is on in the session that issued the flush.",
							 &commit_stats_log_flushes,
							 false,
							 PGC_SUSET, 0,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("commit_stats.save",
							 "Saves commit statistics across server restarts.",
							 NULL,
							 &commit_stats_save,
							 true,
							 PGC_SIGHUP, 0,
							 NULL, NULL, NULL);
	DefineCustomIntVariable("commit_stats.flush_log_size",
							"Sets the number of flushes that commit_flush_log shows.",
							"Shared memory is allocated for the next higher power of 2.",
							&commit_stats_flush_log_size,
							FLUSH_LOG_SIZE_DEFAULT,
							FLUSH_LOG_SIZE_MIN, FLUSH_LOG_SIZE_MAX,
							PGC_POSTMASTER, 0,
							NULL, NULL, NULL);
	DefineCustomIntVariable("commit_stats.max_clients",
							"Sets the number of combinations of database, role and application_name whose commits are counted apart.",
							"All further clients of a database are counted together.",
							&commit_stats_max_clients,
							MAX_CLIENTS_DEFAULT,
							MAX_CLIENTS_MIN, MAX_CLIENTS_MAX,
							PGC_POSTMASTER, 0,
							NULL, NULL, NULL);
	define_adaptive_delay();
	define_slow_log();
	MarkGUCPrefixReserved("commit_stats");
}

/* For functions that measure commits. */
void
guc_require_enabled(void)
{
	if (!commit_stats_enabled)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("commit_stats is not counting"),
				 errhint("Set \"commit_stats.enabled\" to on and reload the configuration.")));
}
