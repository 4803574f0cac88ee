/* How long commits and flushes took; see latency.c. */
#ifndef COMMIT_STATS_LATENCY_H
#define COMMIT_STATS_LATENCY_H

#include "access/xact.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"

#include "base/compat.h"
#include "base/histogram.h"
#include "base/shared_counters.h"

/*
 * What a commit waited for: the level of synchronous_commit, or WAIT_LOCAL if
 * there was no standby to wait for.
 */
#define WAIT_LOCAL		SYNCHRONOUS_COMMIT_LOCAL_FLUSH

extern const char *const wait_level_names[];

/* Each of these has a histogram of its own. */
typedef enum LatencyKind
{
	LATENCY_ASYNC,
	LATENCY_LEADER,				/* of WAIT_LOCAL, and so on by level */
	LATENCY_FOLLOWER = LATENCY_LEADER + SYNCHRONOUS_COMMIT_REMOTE_APPLY,
	/* write and sync */
	LATENCY_FLUSH = LATENCY_FOLLOWER + SYNCHRONOUS_COMMIT_REMOTE_APPLY,
	LATENCY_NKINDS
} LatencyKind;

StaticAssertDecl(WAIT_LOCAL == 1, "levels from there on have a LatencyKind");

/* Sums of times, ns. */
typedef enum LatencySum
{
	LATENCY_TIME,				/* all times of a kind */
	LATENCY_DELAY,				/* of these, the leader of the flush slept */
	STANDBY_TIME_MIN,			/* of these, waited for a standby, at least */
	STANDBY_TIME_MAX,			/* ... and at most */
	LATENCY_RECORD,				/* of these, to the commit record, less NOTIFY */
	LATENCY_NOTIFY,				/* of these, waited for the lock of NOTIFY */
	LATENCY_OWN_FLUSH,			/* of these, wrote and synced, if timed */
	LATENCY_BEFORE,				/* beside these, from COMMIT statements on */
	LATENCY_AFTER,				/* behind the second callback, if watched */
	LATENCY_NSUMS
} LatencySum;

#define SYNCHRONOUS_COMMIT_NLEVELS	(SYNCHRONOUS_COMMIT_REMOTE_APPLY + 1)

/* All since the last reset; local memory, and saved across restarts. */
typedef struct LatencyTotals
{
	uint64		count[LATENCY_NKINDS][HISTOGRAM_NCELLS];
	uint64		sum[LATENCY_NKINDS][LATENCY_NSUMS];

	/* Commits of WAIT_LOCAL by the setting that they had. */
	uint64		local_by_setting[SYNCHRONOUS_COMMIT_NLEVELS];
} LatencyTotals;

/*
 * What one backend has counted; written by it alone.  Reading and writing 16
 * bits is atomic everywhere.
 */
typedef struct LatencySlot
{
	pg_atomic_uint64 sum[LATENCY_NKINDS][LATENCY_NSUMS] pg_attribute_aligned(PG_CACHE_LINE_SIZE);
	pg_atomic_uint64 local_by_setting[SYNCHRONOUS_COMMIT_NLEVELS];
	volatile uint16 count[LATENCY_NKINDS][HISTOGRAM_NCELLS];
} LatencySlot;

/* That of this backend; null until it enters. */
extern COMMIT_STATS_HIDDEN LatencySlot *latency_mine;

extern void latency_overflow(LatencyKind kind, int cell);

/* Everything since the server started; or since the last reset, palloc'd */
extern void latency_add_up(LatencyTotals *totals);
extern LatencyTotals *latency_read(void);

/* Adds the commits that waited, of all levels and roles, to "cells". */
extern void latency_add_waited(const LatencyTotals *totals, uint64 *cells);

/*
 * Commit path: what a commit of this backend waits for.  The server decides by
 * the same settings, and differs only if synchronous_standby_names is changed
 * at this moment.
 */
static inline SyncCommitLevel
latency_wait_level(void)
{
	if (synchronous_commit <= SYNCHRONOUS_COMMIT_LOCAL_FLUSH ||
		SyncRepStandbyNames == NULL || likely(SyncRepStandbyNames[0] == '\0') ||
		max_wal_senders == 0)
		return WAIT_LOCAL;
	return synchronous_commit;
}

/* As a LatencyKind: the commit is in no histogram. */
#define LATENCY_OF_NOTHING	LATENCY_NKINDS

static inline LatencyKind
latency_kind(SyncCommitLevel level, bool led)
{
	return (led ? LATENCY_LEADER : LATENCY_FOLLOWER) + (level - WAIT_LOCAL);
}

static inline void
latency_count(LatencyKind kind, uint64 time)
{
	LatencySlot *slot = latency_mine;
	int			cell = histogram_cell(time);
	uint16		count = slot->count[kind][cell];

	if (unlikely(count == PG_UINT16_MAX))
		latency_overflow(kind, cell);
	else
		slot->count[kind][cell] = count + 1;
	single_writer_add(&slot->sum[kind][LATENCY_TIME], time);
}

/* Add a part of a commit, or what is outside of the callbacks, ns. */
static inline void
latency_count_part(LatencyKind kind, LatencySum part, uint64 time)
{
	single_writer_add(&latency_mine->sum[kind][part], time);
}

#endif							/* COMMIT_STATS_LATENCY_H */
