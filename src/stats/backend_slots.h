/* What each backend counts alone; see backend_slots.c. */
#ifndef COMMIT_STATS_BACKEND_SLOTS_H
#define COMMIT_STATS_BACKEND_SLOTS_H

#include "access/xlogdefs.h"
#include "datatype/timestamp.h"
#include "executor/instrument.h"

#include "base/compat.h"
#include "base/guc.h"
#include "base/shared_counters.h"

/* The unit of sums of probabilities. */
#define SLOT_FRACTION	1000000

/*
 * The counters of a slot, each with the column of the SQL views that shows it.
 * Times are in nanoseconds, but for SLOT_SESSION_TIME: many sessions may be
 * connected for 584 years together, so it is in microseconds.  Everything else
 * is a number of transactions or flushes.  entry_table.c keeps those before
 * SLOT_UNRESOLVED_FLUSHES for each client and statement.  The counters are
 * saved: a change of this list needs another PERSIST_FORMAT.
 */
#define SLOT_COUNTERS(X) \
	X(SLOT_COMMITS, "commits") /* waited for their flush */ \
	X(SLOT_FLUSHED_BY_OTHERS, "commits_carried") /* of these: did not flush */ \
	X(SLOT_COMMITS_ASYNC, "commits_async") /* did not wait */ \
	X(SLOT_COMMITS_UNLOGGED, "commits_unlogged") /* had nothing to flush */ \
	X(SLOT_COMMITS_READ_ONLY, "commits_read_only") /* no transaction id */ \
	X(SLOT_PREPARES, "prepares") /* PREPARE TRANSACTION */ \
	X(SLOT_PREPARE_TIME, "prepare_time") /* between the callbacks */ \
	X(SLOT_FLUSHES, "flushes") /* led by commits and prepares */ \
	X(SLOT_DELAY_HITS, "delay_hits") /* leader slept */ \
	X(SLOT_DELAY_MISSES, "delay_misses") /* did not, despite commit_delay */ \
	X(SLOT_DELAY_UNCERTAIN, "delay_uncertain") /* expected errors */ \
	X(SLOT_DELAY_TIME, "delay_time") /* leaders slept */ \
	X(SLOT_COMMIT_TIME, "commit_time") /* of SLOT_COMMITS */ \
	X(SLOT_FLUSH_TIME, "flush_time") /* leaders wrote and synced */ \
	X(SLOT_TIMED_FLUSHES, "timed_flushes") /* track_wal_io_timing on */ \
	X(SLOT_WAL_BYTES, "wal_bytes") /* of records of transactions */ \
	X(SLOT_COMMITS_NOTIFY, "commits_notify") /* with NOTIFY */ \
	X(SLOT_SLOW_COMMITS, "slow_commits") /* above slow_commit_time */ \
	X(SLOT_STATEMENTS, "statements") /* that wrote WAL, of commits */ \
	X(SLOT_TRANSACTION_TIME, "transaction_time") /* of commits */ \
	X(SLOT_SESSION_TIME, "session_time") /* until counted; see clients.c */ \
	X(SLOT_UNRESOLVED_FLUSHES, "unresolved_flushes") /* not in groups */ \
	X(SLOT_UNRESOLVED_COMMITS, "unresolved_commits") /* not in groups */ \
	X(SLOT_FLUSHES_UNCERTAIN, "flushes_uncertain") /* expected errors */ \
	X(SLOT_STALLS, "stalls") /* flushes above stall_time */ \
	X(SLOT_STALL_TIME, "stall_time") /* of these */ \
	X(SLOT_HITS_ADAPTIVE, "delay_hits_adaptive")	/* SLEEP_ADAPTIVE */

#define SLOT_COUNTER_NAME(counter, column)		counter,
#define SLOT_COUNTER_COLUMN(counter, column)	column,

typedef enum SlotCounter
{
	SLOT_COUNTERS(SLOT_COUNTER_NAME)
	SLOT_NCOUNTERS
} SlotCounter;

/*
 * The fields of a slot, before its cells: clock_now() at the first callback of
 * the commit under way, with a tag, or 0; clock_now() when a COMMIT statement
 * began that has not ended, or 0; the WAL of the latest transaction that began
 * to wait for its flush; the sums that backend_slot_expect() rounds; what
 * adaptive_delay_committed() adds up; and the number of cells that were ever
 * used.
 */
typedef enum SlotField
{
	SLOT_COMMITTING_SINCE,
	SLOT_COMMIT_BEGUN,
	SLOT_WAL_COMMITTING,
	SLOT_SUM_OF_HITS,
	SLOT_SUM_OF_DOUBTS,
	SLOT_RESPONSES,
	SLOT_CELLS_USED,
	SLOT_NFIELDS
} SlotField;

/* Cells of a slot, if commit_stats.max_statements is not 0. */
#define SLOT_MAX_CELLS		8

/* All slots added up; local memory, and saved across restarts. */
typedef struct SlotTotals
{
	uint64		value[SLOT_NCOUNTERS];
	TimestampTz stats_reset;	/* when counting began */
	XLogRecPtr	wal_reset;		/* the end of WAL then, or when a worker
								 * started first; 0: not known yet;
								 * PG_UINT64_MAX: not known any more */
} SlotTotals;

#define ENOUGH_SLEEPS	20		/* to say what they carried */
#define MOSTLY_ALONE	0.9		/* of the sleeps */

/*
 * Of the sleeps of commit_delay, those that carried no other commit, at least:
 * each flush has its leader's commit or prepare; 0: few sleeps
 */
static inline double
slots_slept_alone(const uint64 *value)
{
	double		sleeps = (double) value[SLOT_DELAY_HITS] - value[SLOT_HITS_ADAPTIVE];
	double		others = (double) value[SLOT_COMMITS] + value[SLOT_PREPARES] - value[SLOT_FLUSHES];

	return sleeps < ENOUGH_SLEEPS ? 0 : Max(1 - Max(others, 0) / sleeps, 0);
}

/*
 * The fields of this backend, and the counters of its present cell; until it
 * enters, what nobody reads.
 */
extern COMMIT_STATS_HIDDEN pg_atomic_uint64 *backend_slots_fields;
extern COMMIT_STATS_HIDDEN pg_atomic_uint64 *backend_slots_mine;

/* SLOT_WAL_BYTES less what pgWalUsage says. */
extern COMMIT_STATS_HIDDEN uint64 backend_slots_wal_origin;

static inline void
backend_slot_add(SlotCounter counter, uint64 n)
{
	single_writer_add(&backend_slots_mine[counter], n);
}

/*
 * Commit path: add a probability to a sum of this slot.  Returns true if that
 * brings the sum to the next whole number, rounded.  What is counted then
 * never decreases, adds up exactly over slots, clients and databases, and
 * differs from the sum by half at most, per slot.
 */
static inline bool
backend_slot_expect(SlotField sum, double probability)
{
	uint64		before = pg_atomic_read_u64(&backend_slots_fields[sum]) +
	SLOT_FRACTION / 2;
	uint64		added = (uint64) (SLOT_FRACTION * probability);

	single_writer_add(&backend_slots_fields[sum], added);
	return (before + added) / SLOT_FRACTION > before / SLOT_FRACTION;
}

/*
 * The lowest bits of SLOT_COMMITTING_SINCE: the COMMIT is before its first
 * callback, after its second one, or between them and waits for no flush.  0:
 * it is between them, and waits for its flush.
 */
#define COMMITTING_BEFORE	1
#define COMMITTING_AFTER	2
#define COMMITTING_ASYNC	3
#define COMMITTING_TAGS		3

/* Commit path: a commit begins, or is in another phase; or is done (0, 0). */
static inline void
backend_slot_set_committing(uint64 since, int tag)
{
	pg_atomic_write_u64(&backend_slots_fields[SLOT_COMMITTING_SINCE],
						(since & ~(uint64) COMMITTING_TAGS) | tag);
}

/* ... its COMMIT statement begins, or is done (0). */
static inline void
backend_slot_set_begun(uint64 at)
{
	pg_atomic_write_u64(&backend_slots_fields[SLOT_COMMIT_BEGUN], at);
}

/* Commit path: count the WAL that this process has written. */
static inline void
backend_slot_count_wal(void)
{
	pg_atomic_write_u64(&backend_slots_mine[SLOT_WAL_BYTES],
						pgWalUsage.wal_bytes + backend_slots_wal_origin);
}

/* ... the part of it that has not been counted yet. */
static inline uint64
backend_slot_uncounted_wal(void)
{
	return pgWalUsage.wal_bytes + backend_slots_wal_origin -
		pg_atomic_read_u64(&backend_slots_mine[SLOT_WAL_BYTES]);
}

/* ... show it, while a commit waits for its flush. */
static inline void
backend_slot_note_wal(void)
{
	pg_atomic_write_u64(&backend_slots_fields[SLOT_WAL_COMMITTING],
						backend_slot_uncounted_wal());
}

/* ... do not count it. */
static inline void
backend_slot_skip_wal(void)
{
	backend_slots_wal_origin =
		pg_atomic_read_u64(&backend_slots_mine[SLOT_WAL_BYTES]) -
		pgWalUsage.wal_bytes;
}

static inline int
backend_slots_ncells(void)
{
	return commit_stats_max_statements > 0 ? SLOT_MAX_CELLS : 1;
}

extern void backend_slots_use_cell(int cell);

/* All that was ever counted in some cells of a slot, or in all, resets or not */
extern void backend_slots_copy_cells(int first, int ncells, uint64 *value,
									 int ncounters);
extern void backend_slots_add_up(uint64 *sum, int ncounters);
extern uint64 backend_slots_responses(void);

/*
 * clock_now() when a backend began the COMMIT that it is in, or its first
 * callback without a statement; 0: it is in none
 */
extern uint64 backend_slots_commit_begun(int procno, int *tag);

/* ... at the first callback of a commit that waits, between the callbacks */
extern uint64 backend_slots_committing_since(int procno);

/* Backends for which that was before this time; the WAL of all of them */
extern int	backend_slots_count_committing(uint64 before);
extern uint64 backend_slots_wal_committing(void);

/* A reset copies all cells; all totals start from that */
extern void backend_slots_copy(void);
extern void backend_slots_at_reset(int first, int ncells, uint64 *value,
								   int ncounters);

/* Totals since the last reset; its time alone, without a lock */
extern void backend_slots_read(SlotTotals *totals);
extern TimestampTz backend_slots_reset_time(void);

/* The background worker, which starts when recovery is over */
extern void backend_slots_note_wal_start(void);

#endif							/* COMMIT_STATS_BACKEND_SLOTS_H */
