/*-------------------------------------------------------------------------
 *
 * backend_slots.h
 *		What each backend counts alone; see backend_slots.c.
 *
 * src/backend_slots.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_BACKEND_SLOTS_H
#define COMMIT_STATS_BACKEND_SLOTS_H

#include "datatype/timestamp.h"

/* The counters of a slot.  Times in nanoseconds, everything else a number. */
typedef enum SlotCounter
{
	SLOT_COMMITS,				/* commits that waited for their flush */
	SLOT_FOLLOWERS,				/* of these, did not flush themselves */
	SLOT_COMMITS_ASYNC,			/* did not wait: synchronous_commit = off */
	SLOT_COMMITS_UNLOGGED,		/* had an id, logged nothing to wait for */
	SLOT_COMMITS_READ_ONLY,		/* had no transaction id */
	SLOT_PREPARES,				/* PREPARE TRANSACTION */
	SLOT_FLUSHES,				/* commits and prepares that led a flush */
	SLOT_DELAY_HITS,			/* led a flush and slept commit_delay */
	SLOT_DELAY_MISSES,			/* commit_delay was set, did not sleep */
	SLOT_DELAY_UNCERTAIN,		/* hits and misses on overlapping evidence */
	SLOT_DELAY_TIME,			/* slept in commit_delay */
	SLOT_COMMIT_TIME,			/* from before to after, of SLOT_COMMITS */
	SLOT_FLUSH_TIME,			/* writing and syncing, of TIMED_FLUSHES */
	SLOT_TIMED_FLUSHES,			/* flushes with track_wal_io_timing */
	SLOT_UNRESOLVED_FLUSHES,	/* led a flush whose boundary nobody saw */
	SLOT_UNRESOLVED_COMMITS,	/* commits whose group was not found */
	SLOT_NCOUNTERS
} SlotCounter;

/* A copy of all slots added up; local memory. */
typedef struct SlotTotals
{
	uint64		value[SLOT_NCOUNTERS];
	TimestampTz stats_reset;	/* when counting began */
} SlotTotals;

extern Size backend_slots_shared_size(void);
extern void backend_slots_attach(void *part, bool found);
extern void backend_slot_add(SlotCounter counter, uint64 n);
extern void backend_slots_read(SlotTotals *totals);
extern void backend_slots_reset(TimestampTz now);

#endif							/* COMMIT_STATS_BACKEND_SLOTS_H */
