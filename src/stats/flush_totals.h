/* How many flush groups of each kind there were; see flush_totals.c. */
#ifndef COMMIT_STATS_FLUSH_TOTALS_H
#define COMMIT_STATS_FLUSH_TOTALS_H

#include "stats/flush_ring.h"

/*
 * Each kind of count has a cell for each size of a group, or number of
 * siblings, below MaxBackends: the launcher of autovacuum commits nothing.
 * OVERALL uses the cells of OverallCount.
 */
typedef enum GroupCountKind
{
	FLUSHES_BY_SIZE,			/* groups with a leader */
	DELAYED_BY_SIZE,			/* ... whose leader slept */
	FLUSHES_BY_SIBLINGS,		/* groups with a leader that counted them */
	DELAYED_BY_SIBLINGS,		/* ... whose leader slept */
	COMMITS_BY_SIBLINGS,		/* commits in these groups */
	OVERALL,
	GROUP_COUNT_KINDS
} GroupCountKind;

typedef enum OverallCount
{
	UNLED_COMMITS,				/* commits in these */
	LED_WAL_BYTES,				/* WAL flushed by groups with a leader */
	INFERRED_FLUSHES,			/* of groups that stand for several */
	OVERALL_COUNTS
} OverallCount;

/* All groups since the last reset; local memory, palloc'd. */
typedef struct FlushTotals
{
	int			ncells;			/* cells of each kind */
	uint64	   *value;			/* kind * ncells + cell */
	int			nrecent;
	FlushGroupCopy *recent;		/* those still in the ring, oldest first */
} FlushTotals;

static inline const uint64 *
flush_total_cells(const FlushTotals *totals, GroupCountKind kind)
{
	return totals->value + kind * totals->ncells;
}

static inline uint64
flush_total(const FlushTotals *totals, GroupCountKind kind, int cell)
{
	return flush_total_cells(totals, kind)[cell];
}

/* Of the cells from "from" on, before "to" */
static inline uint64
flush_total_sum(const FlushTotals *totals, GroupCountKind kind, int from, int to)
{
	uint64		sum = 0;

	for (int cell = from; cell < to; cell++)
		sum += flush_total(totals, kind, cell);
	return sum;
}

extern FlushTotals *flush_totals_lock_and_read(void);

#endif							/* COMMIT_STATS_FLUSH_TOTALS_H */
