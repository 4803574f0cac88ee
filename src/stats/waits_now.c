/*-------------------------------------------------------------------------
 *
 * waits_now.c
 *		The commits that have not ended, and what the longest waits for.
 *
 * Locking: none yet.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "stats/waits_now.h"

WaitingCommit *
waits_now_read(const ClientSessions *sessions)
{
	return palloc0(Max(sessions->n, 1) * sizeof(WaitingCommit));
}

void
waits_now_summarize(const WaitingCommit *waiting, int n, WaitsNow *now)
{
	memset(now, 0, sizeof(WaitsNow));
}
