/*-------------------------------------------------------------------------
 *
 * backend_slots.h
 *		What each backend counts alone; see backend_slots.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_BACKEND_SLOTS_H
#define COMMIT_STATS_BACKEND_SLOTS_H

#include "access/xlogdefs.h"
#include "datatype/timestamp.h"
#include "executor/instrument.h"

#include "base/shared_counters.h"
#include "base/visibility.h"
#include "module/stats_module.h"

/* The unit of sums of probabilities. */
#define SLOT_FRACTION	1000000

/*
 * The counters of a slot.  Times are in nanoseconds, everything else is a
 * number of transactions or flushes.  clients.c also has the counters before
 * SLOT_UNRESOLVED_FLUSHES, per client.
 */
typedef enum SlotCounter
{
	SLOT_COMMITS,				/* commits that waited for their flush */
	SLOT_FOLLOWERS,				/* of these, did not flush themselves */
	SLOT_COMMITS_ASYNC,			/* did not wait: synchronous_commit = off */
	SLOT_COMMITS_UNLOGGED,		/* had an id, logged nothing to wait for */
	SLOT_COMMITS_READ_ONLY,		/* had no transaction id */
	SLOT_PREPARES,				/* PREPARE TRANSACTION */
	SLOT_PREPARE_TIME,			/* from before to after, of these */
	SLOT_FLUSHES,				/* commits and prepares that led a flush */
	SLOT_DELAY_HITS,			/* led a flush with commit_delay set, slept */
	SLOT_DELAY_MISSES,			/* ... did not */
	SLOT_DELAY_UNCERTAIN,		/* of both, judged wrongly, as is to be
								 * expected */
	SLOT_DELAY_TIME,			/* slept in commit_delay */
	SLOT_COMMIT_TIME,			/* from before to after, of SLOT_COMMITS */
	SLOT_FLUSH_TIME,			/* writing and syncing, of TIMED_FLUSHES */
	SLOT_TIMED_FLUSHES,			/* flushes with track_wal_io_timing */
	SLOT_WAL_BYTES,				/* of transactions, from their own records */
	SLOT_COMMITS_NOTIFY,		/* of SLOT_COMMITS and SLOT_COMMITS_ASYNC:
								 * with a NOTIFY */
	SLOT_SLOW_COMMITS,			/* of these: commit_stats.slow_commit_time */
	SLOT_UNRESOLVED_FLUSHES,	/* led a flush whose boundary no process saw */
	SLOT_UNRESOLVED_COMMITS,	/* commits whose group was not found */
	SLOT_FLUSHES_UNCERTAIN,		/* flushes judged wrongly, as is to be
								 * expected */
	SLOT_STALLS,				/* flushes: commit_stats.stall_time */
	SLOT_STALL_TIME,			/* ... writing and syncing */
	SLOT_HITS_ADAPTIVE,			/* of SLOT_DELAY_HITS: SLEEP_ADAPTIVE */
	SLOT_NCOUNTERS
} SlotCounter;

/*
 * Behind the counters: clock_now() when the commit under way began that waits
 * for its flush, or 0; and the sums that backend_slot_expect() rounds.
 */
#define SLOT_COMMITTING_SINCE	SLOT_NCOUNTERS
#define SLOT_SUM_OF_HITS		(SLOT_NCOUNTERS + 1)
#define SLOT_SUM_OF_DOUBTS		(SLOT_NCOUNTERS + 2)
#define SLOT_NFIELDS			(SLOT_NCOUNTERS + 3)

/* A copy of one slot; local memory. */
typedef struct SlotCopy
{
	uint64		value[SLOT_NCOUNTERS];
} SlotCopy;

/* All slots added up; local memory, and saved across restarts. */
typedef struct SlotTotals
{
	uint64		value[SLOT_NCOUNTERS];
	TimestampTz stats_reset;	/* when counting began */
	XLogRecPtr	wal_reset;		/* the end of WAL at that time; 0: unknown */
} SlotTotals;

/*
 * The counters of this backend; until backend_slots_find_mine(), counters that
 * nobody reads.
 */
extern COMMIT_STATS_HIDDEN pg_atomic_uint64 *backend_slots_mine;

/* SLOT_WAL_BYTES less what pgWalUsage says. */
extern COMMIT_STATS_HIDDEN uint64 backend_slots_wal_origin;

/* Commit path: count for this backend. */
static inline void
backend_slot_add(SlotCounter counter, uint64 n)
{
	single_writer_add(&backend_slots_mine[counter], n);
}

/*
 * Commit path: add a probability to a sum of this slot.  Does that bring the
 * sum to the next whole number, rounded?  What is counted then never
 * decreases, adds up exactly over slots, clients and databases, and differs
 * from the sum by half at most, per slot.
 */
static inline bool
backend_slot_expect(int sum, double probability)
{
	uint64		before = pg_atomic_read_u64(&backend_slots_mine[sum]) +
	SLOT_FRACTION / 2;
	uint64		added = (uint64) (SLOT_FRACTION * probability);

	single_writer_add(&backend_slots_mine[sum], added);
	return (before + added) / SLOT_FRACTION > before / SLOT_FRACTION;
}

/* Commit path: a commit begins that waits for its flush, or is done (0). */
static inline void
backend_slot_set_committing(uint64 since)
{
	pg_atomic_write_u64(&backend_slots_mine[SLOT_COMMITTING_SINCE], since);
}

/* Commit path: count the WAL that this process has written. */
static inline void
backend_slot_settle_wal(void)
{
	pg_atomic_write_u64(&backend_slots_mine[SLOT_WAL_BYTES],
						pgWalUsage.wal_bytes + backend_slots_wal_origin);
}

/* ... how much of it has not been counted yet? */
static inline uint64
backend_slot_unsettled_wal(void)
{
	return pgWalUsage.wal_bytes + backend_slots_wal_origin -
		pg_atomic_read_u64(&backend_slots_mine[SLOT_WAL_BYTES]);
}

/* ... do not count it. */
static inline void
backend_slot_skip_wal(void)
{
	backend_slots_wal_origin =
		pg_atomic_read_u64(&backend_slots_mine[SLOT_WAL_BYTES]) -
		pgWalUsage.wal_bytes;
}

extern const StatsModule backend_slots_module;

extern void backend_slots_find_mine(void);
extern void backend_slots_copy_one(int procno, SlotCopy *slot);
extern uint64 backend_slots_committing_since(int procno);
extern int	backend_slots_count_committing(void);
extern SlotCopy *backend_slots_copy(void);
extern void backend_slots_add_up(uint64 *sum);
extern void backend_slots_read(SlotTotals *totals);
extern TimestampTz backend_slots_reset_time(void);
extern void backend_slots_note_wal_start(void);
extern void backend_slots_reset(const SlotCopy *copies, TimestampTz now);

#endif							/* COMMIT_STATS_BACKEND_SLOTS_H */
