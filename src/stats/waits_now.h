/* The commits that have not ended, and their waits; see waits_now.c. */
#ifndef COMMIT_STATS_WAITS_NOW_H
#define COMMIT_STATS_WAITS_NOW_H

#include "stats/clients.h"
#include "stats/commit_phase.h"
#include "stats/lock_wait.h"
#include "stats/standby.h"

/* A session and its commit under way; local memory. */
typedef struct WaitingCommit
{
	int			pid;			/* 0: has left meanwhile */
	bool		in_commit;

	/* If it is in a commit: */
	PhaseReading reading;
	TimestampTz since;			/* when its COMMIT began */
	const char *waiting_for;	/* as in commit_activity; NULL: not known */
	char	   *detail;			/* "for the flush of pid 812" */
	int			blocked_by;		/* pid, for a lock that of the end of the
								 * chain; 0: nobody, or unknown */
	LockWait	lock;			/* if has_lock; also outside of a commit */
	bool		has_lock;
	bool		in_extension;	/* perhaps for another commit of this server */
	StandbyBlame blame;			/* name "": it waits for no standby */
} WaitingCommit;

typedef struct WaitsNow
{
	int			commits;		/* that wait for the same */
	int			all;			/* under way */
	double		longest;		/* us, of these; 0: less than WAITS_NOW_LONG */
	char	   *what;			/* "for the flush of pid 812"; or NULL */
	CommitPhase phase;			/* that they are in */
	bool		beside_sync;	/* for a flush, and a checkpoint syncs */
	StandbyBlame blame;			/* as above */
	bool		locked;			/* for this lock, not that of NOTIFY ... */
	CommitPhase lock_phase;		/* ... in this one */
	LockWait	lock;
	int			blocked;		/* sessions in no commit that wait for a lock
								 * of another one; 0 unless one for
								 * WAITS_NOW_LONG */
	double		blocked_for;	/* us, the longest of these */
	LockWait	blocked_by;		/* this lock */
} WaitsNow;

/* A commit hangs if it has lasted for so long, us; the report says "1 s". */
#define WAITS_NOW_LONG	USECS_PER_SEC

/* One for each session, palloc'd; in a transaction. */
extern WaitingCommit *waits_now_read(const ClientSessions *sessions);
extern void waits_now_summarize(const WaitingCommit *waiting, int n,
								WaitsNow *now);

#endif							/* COMMIT_STATS_WAITS_NOW_H */
