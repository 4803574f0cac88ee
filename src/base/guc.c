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

#include "base/guc.h"

bool		commit_stats_enabled = true;
bool		commit_stats_log_flushes = false;
bool		commit_stats_save = true;
int			commit_stats_flush_log_size = FLUSH_LOG_SIZE_DEFAULT;

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
							 NULL, NULL, NULL);
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
