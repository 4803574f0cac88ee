/*-------------------------------------------------------------------------
 *
 * backend_slots.h
 *		What each backend counts alone; see backend_slots.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_BACKEND_SLOTS_H
#define COMMIT_STATS_BACKEND_SLOTS_H

#include "datatype/timestamp.h"

#include "base/single_writer.h"
#include "base/visibility.h"

/* Counters of probabilities count in these units. */
#define SLOT_FRACTION	1000000

static inline uint64
slot_round_fraction(uint64 sum)
{
	return (sum + SLOT_FRACTION / 2) / SLOT_FRACTION;
}

/*
 * The counters of a slot.  Times are in nanoseconds, everything else is a
 * number of transactions or flushes.  Those before the unresolved ones are
 * also kept per database (databases.c).
 */
typedef enum SlotCounter
{
	SLOT_COMMITS,				/* commits that waited for their flush */
	SLOT_FOLLOWERS,				/* of these, did not flush themselves */
	SLOT_COMMITS_ASYNC,			/* did not wait: synchronous_commit = off */
	SLOT_COMMITS_UNLOGGED,		/* had an id, logged nothing to wait for */
	SLOT_COMMITS_READ_ONLY,		/* had no transaction id */
	SLOT_PREPARES,				/* PREPARE TRANSACTION */
	SLOT_FLUSHES,				/* commits and prepares that led a flush */
	SLOT_DELAYABLE,				/* led a flush with commit_delay set */
	SLOT_DELAY_HITS,			/* of these, slept; times SLOT_FRACTION */
	SLOT_DELAY_UNCERTAIN,		/* of these, judged wrongly, as is to be
								 * expected; times SLOT_FRACTION */
	SLOT_DELAY_TIME,			/* slept in commit_delay */
	SLOT_COMMIT_TIME,			/* from before to after, of SLOT_COMMITS */
	SLOT_FLUSH_TIME,			/* writing and syncing, of TIMED_FLUSHES */
	SLOT_TIMED_FLUSHES,			/* flushes with track_wal_io_timing */
	SLOT_UNRESOLVED_FLUSHES,	/* led a flush whose boundary nobody saw */
	SLOT_UNRESOLVED_COMMITS,	/* commits whose group was not found */
	SLOT_FLUSHES_UNCERTAIN,		/* flushes judged wrongly, as is to be
								 * expected */
	SLOT_NCOUNTERS
} SlotCounter;

/* A copy of one slot; local memory. */
typedef struct SlotCopy
{
	uint64		value[SLOT_NCOUNTERS];
} SlotCopy;

/* A copy of all slots added up; local memory, and what is kept over a restart. */
typedef struct SlotTotals
{
	uint64		value[SLOT_NCOUNTERS];
	TimestampTz stats_reset;	/* when counting began */
} SlotTotals;

/* Flushes that slept: a sum of probabilities, to whole flushes. */
static inline uint64
slot_delay_hits(const SlotTotals *totals)
{
	return Min(slot_round_fraction(totals->value[SLOT_DELAY_HITS]),
			   totals->value[SLOT_DELAYABLE]);
}

/* The counters of this backend; null until backend_slot_find(). */
extern COMMIT_STATS_HIDDEN pg_atomic_uint64 *my_slot;

/* Commit path: count for this backend, which alone writes its slot. */
static inline void
backend_slot_add(SlotCounter counter, uint64 n)
{
	single_writer_add(&my_slot[counter], n);
}

extern Size backend_slots_shared_size(int backends);
extern void backend_slots_attach(void *part, bool found);
extern void backend_slot_find(void);
extern void backend_slot_read(int place, SlotCopy *slot);
extern SlotCopy *backend_slots_copy(void);
extern void backend_slots_add_up(uint64 *sum);
extern void backend_slots_read(SlotTotals *totals);
extern void backend_slots_reset(const SlotCopy *copies, TimestampTz now);

/* Over a restart; see persist.c. */
extern Size backend_slots_saved_size(void);
extern bool backend_slots_save(void *to);
extern void backend_slots_restore(const void *from, Size size);

#endif							/* COMMIT_STATS_BACKEND_SLOTS_H */
