/*-------------------------------------------------------------------------
 *
 * standby.h
 *		Which standby commits wait for, and at which stage it is; see
 *		standby.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_STANDBY_H
#define COMMIT_STATS_STANDBY_H

#include "access/xlogdefs.h"
#include "storage/proc.h"

#include "module/stats_module.h"

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
	int			pid;			/* of its walsender; 0: not connected */
} StandbyBlame;

/* What the worker has added up since synchronous_standby_names was set. */
typedef struct StandbyCounts
{
	char		name[NAMEDATALEN];
	uint64		wait_time[STANDBY_NSTAGES]; /* of all commits, ns */
	uint64		slow_commits[STANDBY_NSTAGES];	/* that waited for it */
} StandbyCounts;

#define STANDBY_MAX		32

extern const StatsModule standby_module;

/* Any process, with the position and the mode that a backend waits for. */
extern bool standby_blame(XLogRecPtr lsn, int mode, StandbyBlame *blame);

/* The mode that a backend waits in; -1: it does not wait for a standby. */
extern int	standby_mode(PGPROC *proc);

/* The background worker: the commits that wait now have waited "ns" more. */
extern void standby_look(uint64 ns);
extern void standby_count_slow(const StandbyBlame *blame);

/* Readers; returns their number, 0 if the setting has changed since. */
extern int	standby_read(StandbyCounts *counts);

#endif							/* COMMIT_STATS_STANDBY_H */
