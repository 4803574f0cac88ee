/*
 * The commit under way in this process; see commit_path.c and slow_commit.c.
 */
#ifndef COMMIT_STATS_COMMIT_H
#define COMMIT_STATS_COMMIT_H

#include "access/xact.h"

#include "probe/delay_classifier.h"
#include "probe/flush_detection.h"
#include "stats/flush_ring.h"
#include "stats/latency.h"
#include "stats/slow_log.h"

/* What a commit seemed to be before its record was written. */
typedef enum CommitKind
{
	COMMIT_NOT_COUNTED,
	COMMIT_ENDED_PREPARED,		/* has no id, and ended a prepared one */
	COMMIT_READ_ONLY,			/* has no id */
	COMMIT_UNLOGGED,			/* has an id, but wrote no WAL */
	COMMIT_ASYNC,
	COMMIT_WAITS				/* for its flush */
} CommitKind;

/*
 * A commit, or a PREPARE TRANSACTION.  Times in ns of clock_now().  Each
 * callback leaves what it does not read as an earlier commit left it.
 */
typedef struct CommitUnderWay
{
	/* ProcessUtility reads, of a COMMIT or PREPARE statement: */
	uint64		statement_at;	/* when the statement began; else 0 */
	int			savepoints;		/* with statement_at: open ones, nested */

	/* The first callback reads, if it counts the commit: */
	CommitKind	kind;
	uint32		siblings;		/* if it waits; or SIBLINGS_NOT_COUNTED */
	uint64		started_at;		/* unless it is read-only */
	int64		wal_records;	/* of this process, unless it writes some */
	FlushReading before;

	/* The second callback, if it counts a commit that wrote WAL: */
	OwnFlush	io;
	bool		start_unknown;	/* started_at is derived: start_late() */
	bool		has_notify;		/* statement_at is not 0 then */
	int			notify_pid;		/* with has_notify: had its lock before */
	uint64		ended_at;
	uint64		record_time;	/* to the record, less NOTIFY; 0: unknown */
	uint64		transaction_time;	/* from its start on; 0: unknown */
	GroupNumber group;			/* or InvalidGroupNumber */
	bool		times_known;
	bool		delay_known;	/* of a leader with commit_delay */
	FlushTimes	times;			/* with times_known */
	DelayVerdict delay;			/* with delay_known */
	SleepKind	sleep_kind;		/* likewise */
	uint64		least_sleep;	/* likewise; certain */
} CommitUnderWay;

extern void commit_path_install_hooks(void);

/* When the COMMIT began, as far as it is known. */
static inline uint64
commit_began_at(const CommitUnderWay *commit)
{
	return commit->statement_at != 0 ? commit->statement_at : commit->started_at;
}

/*
 * True for a commit that may have work after its second callback: to delete
 * files (with wal_level = minimal, unknown), or to free the predicate locks of
 * all that ended beside it.
 */
static inline bool
commit_works_afterwards(void)
{
	return (MyXactFlags & XACT_FLAGS_ACQUIREDACCESSEXCLUSIVELOCK) != 0 ||
		XactIsoLevel == XACT_SERIALIZABLE;
}

/*
 * Returns true for a commit that is slow, or may become so after its second
 * callback, and for what may be a stall.
 */
extern bool slow_commit_may_be_slow(const CommitUnderWay *commit, SlowRole role,
									bool is_commit);

/*
 * For those, with times_known, when the mark of the commit is cleared.  "kind"
 * is where it counts.
 */
extern void slow_commit_note(const CommitUnderWay *commit, SlowRole role,
							 bool is_commit, LatencyKind kind);

/* A transaction ends that has written more than BULK_WAL. */
extern void slow_commit_note_writer(void);

#endif							/* COMMIT_STATS_COMMIT_H */
