/* Which standby commits wait for, and at which stage it is; see standby.c. */
#ifndef COMMIT_STATS_STANDBY_H
#define COMMIT_STATS_STANDBY_H

#include "access/xlogdefs.h"
#include "replication/syncrep.h"
#include "storage/proc.h"

typedef enum StandbyStage
{
	STANDBY_NOT_CONNECTED,
	STANDBY_NOT_SENT,
	STANDBY_NOT_WRITTEN,
	STANDBY_NOT_FLUSHED,
	STANDBY_NOT_APPLIED,
	STANDBY_NSTAGES
} StandbyStage;

extern const char *const standby_stage_names[]; /* "not connected", ... */

/* Who keeps a commit waiting. */
typedef struct StandbyBlame
{
	char		name[NAMEDATALEN];
	StandbyStage stage;
	uint64		behind;			/* WAL it lacks, bytes; 0: not connected */
	uint64		before;			/* ... up to the commit, which waits for it */
} StandbyBlame;

/* Commits that wait now, and who is blamed for all of them. */
typedef struct StandbyWaiters
{
	StandbyBlame blame;
	int			commits;
} StandbyWaiters;

/* The newest minute, in parts. */
#define STANDBY_PARTS	6
#define STANDBY_PART	(10 * NS_PER_S)

/* Waits of one part. */
typedef struct StandbyWait
{
	float		time;			/* of all commits, ns */
	float		behind;			/* bytes, times this time */
	float		before;			/* likewise */
} StandbyWait;

/* What the worker has added up since synchronous_standby_names was set. */
typedef struct StandbyCounts
{
	char		name[NAMEDATALEN];
	uint64		wait_time[STANDBY_NSTAGES]; /* of all commits, ns */
	uint64		slow_commits[STANDBY_NSTAGES];	/* that waited for it */
	StandbyWait lately[STANDBY_PARTS][STANDBY_NSTAGES];
} StandbyCounts;

#define STANDBY_MAX		32

/* Any process; false if the backend waits for nobody, or no more */
extern bool standby_blame(PGPROC *proc, StandbyBlame *blame);
extern int	standby_waiters(StandbyWaiters waiters[NUM_SYNC_REP_WAIT_MODE]);

/* The background worker. */
extern void standby_look(uint64 ns);
extern void standby_count_slow(const StandbyBlame *blame, TimestampTz began_at);

/* Readers.  The number is 0 if the setting has changed since. */
extern bool standby_is_listed(const char *name);
extern const char *standby_missing_beside(const char *name);
extern int	standby_read(StandbyCounts counts[STANDBY_MAX], TimestampTz *since);
extern StandbyCounts *standby_find(StandbyCounts *counts, int *n,
								   const char *name);

#endif							/* COMMIT_STATS_STANDBY_H */
