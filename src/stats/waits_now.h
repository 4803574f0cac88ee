/*-------------------------------------------------------------------------
 *
 * waits_now.h
 *		The commits that have not ended, and what the longest waits for; see
 *		waits_now.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WAITS_NOW_H
#define COMMIT_STATS_WAITS_NOW_H

#include "stats/clients.h"
#include "stats/commit_phase.h"

/* A session and its commit under way; local memory. */
typedef struct WaitingCommit
{
	int			pid;			/* 0: has left meanwhile */
	PhaseReading reading;		/* with in_commit */
	bool		in_commit;
	const char *waiting_for;	/* as in commit_activity; NULL: not known */
	int			blocked_by;		/* pid; 0: nobody, or unknown */
} WaitingCommit;

typedef struct WaitsNow
{
	int			commits;		/* that wait for the same as the longest */
	int			all;
	double		longest;		/* us */
	char	   *what;			/* "standby 'ghost' is not connected" */
} WaitsNow;

/* One for each session, palloc'd. */
extern WaitingCommit *waits_now_read(const ClientSessions *sessions);
extern void waits_now_summarize(const WaitingCommit *waiting, int n,
								WaitsNow *now);

#endif							/* COMMIT_STATS_WAITS_NOW_H */
