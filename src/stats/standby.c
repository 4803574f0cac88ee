/*-------------------------------------------------------------------------
 *
 * standby.c
 *		Which standby commits wait for, and at which stage it is.
 *
 * Locking: none yet.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "stats/standby.h"

const char *const standby_stage_names[] = {
	[STANDBY_NOT_CONNECTED] = "not connected",
	[STANDBY_NOT_SENT] = "not sent",
	[STANDBY_NOT_WRITTEN] = "not written",
	[STANDBY_NOT_FLUSHED] = "not flushed",
	[STANDBY_NOT_APPLIED] = "not applied"
};

const StatsModule standby_module = {0};

bool
standby_blame(XLogRecPtr lsn, int mode, StandbyBlame *blame)
{
	return false;
}

int
standby_mode(PGPROC *proc)
{
	return -1;
}

void
standby_look(uint64 ns)
{
}

void
standby_count_slow(const StandbyBlame *blame)
{
}

int
standby_read(StandbyCounts *counts)
{
	return 0;
}
