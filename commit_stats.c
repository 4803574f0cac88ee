/*-------------------------------------------------------------------------
 *
 * commit_stats.c
 *		How the server's commits share WAL flushes: the front door.
 */
#include "postgres.h"

#include <limits.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "src/commit_path.h"
#include "src/flush_groups.h"
#include "src/flush_logger.h"
#include "src/shared_memory.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static void
define_settings(void)
{
	DefineCustomBoolVariable("commit_stats.enabled",
							 "Counts commits and the flushes that they share.",
							 NULL,
							 &commit_stats_enabled,
							 true,
							 PGC_SIGHUP, 0,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("commit_stats.log_flushes",
							 "Logs how many commits each WAL flush carried.",
							 NULL,
							 &commit_stats_log_flushes,
							 false,
							 PGC_SUSET, 0,
							 NULL, NULL, NULL);
	DefineCustomIntVariable("commit_stats.flush_log_size",
							"Sets how many of the newest flushes are kept.",
							NULL,
							&flush_log_size,
							FLUSH_LOG_SIZE_DEFAULT,
							FLUSH_LOG_SIZE_MIN, FLUSH_LOG_SIZE_MAX,
							PGC_POSTMASTER, 0,
							NULL, NULL, NULL);
	MarkGUCPrefixReserved("commit_stats");
}

void
_PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	define_settings();
	shared_memory_install_hooks();
	commit_path_install_hooks();
	flush_logger_register();
}
