/*-------------------------------------------------------------------------
 *
 * databases.h
 *		The counts per database; see databases.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_DATABASES_H
#define COMMIT_STATS_DATABASES_H

#include "base/stats_module.h"
#include "stats/backend_slots.h"

/*
 * Databases that are told apart between two resets.  More than most servers
 * have, and few enough that a new connection finds its own among them by
 * looking at 1 kB.  Together they take 30 kB of shared memory, and each
 * backend slot takes 120 bytes more.
 */
#define DATABASES_MAX		256

/* The entries behind them. */
#define DATABASE_NONE		DATABASES_MAX	/* processes without a database */
#define DATABASE_OVERFLOW	(DATABASES_MAX + 1) /* databases without an entry */
#define DATABASE_NENTRIES	(DATABASES_MAX + 2)

/*
 * The counters of a slot that are kept per database, by their SlotCounter: all
 * but the last ones, which say what the histograms of the whole server lack.
 */
#define DATABASE_NCOUNTERS	SLOT_UNRESOLVED_FLUSHES

typedef struct DatabaseCounts
{
	uint64		value[DATABASE_NCOUNTERS];
} DatabaseCounts;

/* All entries; in shared memory, copied, and saved across restarts. */
typedef struct DatabaseTotals
{
	int			ntracked;		/* entries of databases that are in use */
	Oid			datid[DATABASES_MAX];	/* whose they are */
	DatabaseCounts counts[DATABASE_NENTRIES];
} DatabaseTotals;

extern const StatsModule databases_module;

extern void databases_register(void);
extern DatabaseTotals *databases_read(void);
extern void databases_reset(const SlotCopy *copies);

#endif							/* COMMIT_STATS_DATABASES_H */
