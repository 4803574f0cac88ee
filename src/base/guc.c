/*-------------------------------------------------------------------------
 *
 * guc.c
 *		The settings, but for the client's tag and name pattern
 *		(client_name.c).
 *
 * Locking: none.  Each process has its own copy of the variables.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/guc.h"

#include "base/guc.h"

bool		commit_stats_enabled = true;
bool		commit_stats_counts_here = false;
const char *commit_stats_application = NULL;
bool		commit_stats_log_flushes = false;
bool		commit_stats_log_delay_changes = false;
bool		commit_stats_save = true;
bool		commit_stats_adaptive_delay = false;

/* us; on a volume of 50 flushes/s, flushes are 20 ms apart */
int			commit_stats_adaptive_delay_max = 50000;

int			commit_stats_flush_log_size = 2048;
int			commit_stats_max_clients = 1000;
int			commit_stats_max_statements = 5000;
int			commit_stats_history_minutes = 1440;
int			commit_stats_history_hours = 720;
int			commit_stats_history_speed = 1;
double		commit_stats_history_start = 0;
int			commit_stats_slow_commit_time = -1;
int			commit_stats_stall_time = -1;
bool		commit_stats_log_slow_commits = false;
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

/*
 * Each variable has the default of its setting.  "enabled" is the same for all
 * sessions: a flush group would look smaller than it was if some members did
 * not count themselves.  "log_flushes" is for superusers because it can fill
 * the log.
 */
static const struct
{
	const char *name;
	bool	   *variable;
	GucContext	context;
	GucBoolAssignHook assign;
	const char *summary;
	const char *detail;
}			bools[] = {

	{"commit_stats.enabled", &commit_stats_enabled, PGC_SIGHUP, assign_enabled,
	"Collects statistics about commits and the WAL flushes that they share.", NULL},
	{"commit_stats.log_flushes", &commit_stats_log_flushes, PGC_SUSET, NULL,
		"Logs how many commits each WAL flush carried.",
	"A flush is logged if this setting is on in the session that issued the flush."},
	{"commit_stats.save", &commit_stats_save, PGC_SIGHUP, NULL,
	"Saves commit statistics across server restarts.", NULL},
	{"commit_stats.adaptive_delay", &commit_stats_adaptive_delay, PGC_SIGHUP, NULL,
		"Lets leaders sleep before a WAL flush for as long as that helps, instead of commit_delay.",
	"A least time from the end of one WAL flush to the begin of the next is tried, and kept if transactions take less time with it."},
	{"commit_stats.log_delay_changes", &commit_stats_log_delay_changes, PGC_SIGHUP, NULL,
	"Logs what commit_stats.adaptive_delay learns and decides.", NULL},
	{"commit_stats.log_slow_commits", &commit_stats_log_slow_commits, PGC_SIGHUP, NULL,
	"Writes the commits of commit_slow_log to the server log, too.", NULL},
};

/* history_speed and history_start, below, are for tests. */
#define FOR_TESTS	(GUC_NOT_IN_SAMPLE | GUC_NO_SHOW_ALL)

static const struct
{
	const char *name;
	int		   *variable;
	int			least;
	int			most;
	GucContext	context;
	int			flags;
	GucIntAssignHook assign;
	const char *summary;
	const char *detail;
}			ints[] = {

	{"commit_stats.flush_log_size", &commit_stats_flush_log_size,
		FLUSH_LOG_SIZE_MIN, 131072, PGC_POSTMASTER, 0, NULL,
		"Sets the number of flushes that commit_flush_log shows.",
	"Shared memory is allocated for the next higher power of 2."},
	{"commit_stats.max_clients", &commit_stats_max_clients,
		10, 10000, PGC_POSTMASTER, 0, NULL,
		"Sets the number of combinations of database, role and application_name whose commits are counted apart.",
	"All further clients of a database are counted together."},
	{"commit_stats.max_statements", &commit_stats_max_statements,
		0, 50000, PGC_POSTMASTER, 0, NULL,
		"Sets the number of combinations of database, role and statement whose commits are counted apart.",
	"0 counts none apart, and leaves it to others whether query identifiers are computed."},
	{"commit_stats.adaptive_delay_max", &commit_stats_adaptive_delay_max,
		0, COMMIT_DELAY_MAX, PGC_SIGHUP, 0, NULL,
	"Sets the longest sleep that commit_stats.adaptive_delay may choose, in microseconds.", NULL},
	{"commit_stats.slow_commit_time", &commit_stats_slow_commit_time,
		-1, SLOW_COMMIT_TIME_NEVER, PGC_SUSET, GUC_UNIT_MS, assign_slow_commit_time,
		"Sets the time above which a commit is kept in commit_slow_log.",
	"-1 derives it from what is usual on this server; 0 keeps all, and the maximum none."},
	{"commit_stats.stall_time", &commit_stats_stall_time,
		-1, INT_MAX, PGC_SUSET, GUC_UNIT_MS, assign_stall_time,
		"Sets the time above which a WAL flush is kept in commit_stall_log.",
	"-1 derives it from what is usual on this server; 0 keeps none."},
	{"commit_stats.history_minutes", &commit_stats_history_minutes,
		0, HISTORY_MINUTES_MAX, PGC_POSTMASTER, 0, NULL,
	"Sets the number of minutes that commit_history shows.", NULL},
	{"commit_stats.history_hours", &commit_stats_history_hours,
		0, HISTORY_HOURS_MAX, PGC_POSTMASTER, 0, NULL,
	"Sets the number of hours that commit_history shows.", NULL},
	{"commit_stats.history_speed", &commit_stats_history_speed,
		1, 10000, PGC_SIGHUP, FOR_TESTS, NULL,
	"Sets how fast the clock of commit_history goes.", NULL},
};

/* For _PG_init, in the postmaster (or a stand-alone backend) only. */
void
guc_define(void)
{
	for (int i = 0; i < lengthof(bools); i++)
		DefineCustomBoolVariable(bools[i].name, bools[i].summary,
								 bools[i].detail, bools[i].variable,
								 *bools[i].variable, bools[i].context, 0,
								 NULL, bools[i].assign, NULL);
	for (int i = 0; i < lengthof(ints); i++)
		DefineCustomIntVariable(ints[i].name, ints[i].summary, ints[i].detail,
								ints[i].variable, *ints[i].variable,
								ints[i].least, ints[i].most, ints[i].context,
								ints[i].flags, NULL, ints[i].assign, NULL);
	DefineCustomRealVariable("commit_stats.history_start",
							 "Sets the Unix time that the clock of commit_history shows at the start of the server.",
							 NULL,
							 &commit_stats_history_start,
							 0,
							 0, 1e10,
							 PGC_SIGHUP, FOR_TESTS,
							 NULL, NULL, NULL);
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
