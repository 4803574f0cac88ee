/*-------------------------------------------------------------------------
 *
 * guc.c
 *		The settings, but for the client's tag and name pattern
 *		(client_name.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/guc.h"

#include "base/guc.h"

#define DEFINE_BOOL(variable, name, default, ...)	bool variable = default;
#define DEFINE_INT(variable, name, default, ...)	int variable = default;

GUC_BOOLS(DEFINE_BOOL)
GUC_INTS(DEFINE_INT)
bool		commit_stats_counts_here = false;
const char *commit_stats_application = NULL;
uint64		commit_stats_slow_threshold = PG_UINT64_MAX;

static bool is_registered = false;	/* this process, with what it counts in */

static void
assign_enabled(bool newval, void *extra)
{
	commit_stats_counts_here = newval && is_registered;
	commit_stats_application = NULL;
}

/*
 * Roles, databases, sessions or the command line come before the files of the
 * configuration, and ALTER SYSTEM.
 */
bool
guc_is_set_elsewhere(const char *name)
{
	return find_option(name, false, false, ERROR)->source > PGC_S_FILE;
}

/* This process has entered and is registered, or not yet. */
void
guc_set_counting(bool registered)
{
	is_registered = registered;
	assign_enabled(commit_stats_enabled, NULL);
}

/* From both settings, of which one is about to change */
static void
set_slow_threshold(int slow_commit_time, int stall_time)
{
	int			ms = Min(slow_commit_time < 0 ? STALL_LEAST_MS : slow_commit_time,
						 stall_time < 0 ? STALL_LEAST_MS :
						 stall_time == 0 ? INT_MAX : stall_time);

	commit_stats_slow_threshold = ms == INT_MAX ? PG_UINT64_MAX :
		(uint64) ms * NS_PER_MS;
}

static void
assign_slow_commit_time(int newval, void *extra)
{
	set_slow_threshold(newval, commit_stats_stall_time);
}

static void
assign_stall_time(int newval, void *extra)
{
	set_slow_threshold(commit_stats_slow_commit_time, newval);
}

#define REGISTER_BOOL(variable, name, default, context, assign, summary, detail) \
	DefineCustomBoolVariable(name, summary, detail, &variable, default, \
							 context, 0, NULL, assign, NULL);
#define REGISTER_INT(variable, name, default, least, most, context, flags, assign, summary, detail) \
	DefineCustomIntVariable(name, summary, detail, &variable, default, least, \
							most, context, flags, NULL, assign, NULL);

/* For _PG_init, in the postmaster (or a stand-alone backend) only. */
void
guc_define(void)
{
	GUC_BOOLS(REGISTER_BOOL);
	GUC_INTS(REGISTER_INT);
	MarkGUCPrefixReserved("commit_stats");
}

void
guc_require_enabled(void)
{
	if (!commit_stats_enabled)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("commit_stats is not counting"),
				 errhint("Set \"commit_stats.enabled\" to on and reload the configuration.")));
}
