/*-------------------------------------------------------------------------
 *
 * watch.c
 *		What the background worker sees, 20 times a second.
 *
 * Locking: none yet.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "stats/watch.h"

const StatsModule watch_module = {0};

void
watch_look(void)
{
}

bool
watch_is_quiet(void)
{
	return true;
}

bool
watch_find_session(int pid, uint64 from, uint64 to, WatchedSession *session)
{
	memset(session, 0, sizeof(WatchedSession));
	return false;
}

void
watch_sum(uint64 from, uint64 to, WatchSummary *sum)
{
	memset(sum, 0, sizeof(WatchSummary));
}
