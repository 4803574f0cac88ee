/* The events of slow_log.c in order, and why stalls came; see stall_log.c. */
#ifndef COMMIT_STATS_STALL_LOG_H
#define COMMIT_STATS_STALL_LOG_H

#include "base/wal_device.h"
#include "stats/flush_totals.h"
#include "stats/slow_log.h"

/* Why a flush stalled: cause, name, column of views. */
#define STALL_CAUSES(X) \
	X(STALL_SEGMENT, "new segment", "segment_stall_time") \
	X(STALL_CPU_LIMIT, "CPU limit", "cpu_limit_stall_time") \
	X(STALL_PAUSE, "pause", "pause_stall_time") /* of the machine */ \
	X(STALL_CHECKPOINT, "checkpoint", "checkpoint_stall_time") \
	X(STALL_ARCHIVER, "archiver", "archiver_stall_time") \
	X(STALL_BULK_WAL, "bulk WAL", "bulk_wal_stall_time") /* another's */ \
	X(STALL_BYTES, "bytes", "bytes_stall_time") \
	X(STALL_OTHERS, "other I/O", "other_io_stall_time") \
	X(STALL_QUOTA, "quota", "quota_stall_time") \
	X(STALL_UNKNOWN, "unknown", "unknown_stall_time")

#define STALL_CAUSE(cause, name, column)		cause,
#define STALL_CAUSE_NAME(cause, name, column)	name,
#define STALL_CAUSE_COLUMN(cause, name, column)	column,

typedef enum StallCause
{
	STALL_CAUSES(STALL_CAUSE)
	STALL_NCAUSES
} StallCause;

extern const char *const stall_cause_names[];

/* Something else made it come, at that time, whatever commits do. */
static inline bool
stall_is_beside(StallCause cause)
{
	return cause != STALL_BYTES && cause != STALL_QUOTA && cause != STALL_UNKNOWN;
}

/* An event, and what became of its flush; a copy. */
typedef struct LoggedEvent
{
	SlowEvent	event;
	SlowOutcome outcome;

	/* Of a stall: */
	const SlowEvent *writer;	/* the session whose WAL was most of the
								 * flush; NULL: none, or not known; pid 0: one
								 * of several */
	double		writer_share;	/* of the WAL, about; 0: it was seen running */
	StallCause	cause;
	double		certainty;		/* 0 to 1 */
} LoggedEvent;

/* All stalls that are kept, oldest first; palloc'd. */
typedef struct StallLog
{
	int			n;
	LoggedEvent *logged;
	DeviceStall *stall;			/* each, and whether a quota explains it */
	double		quota_flushes;	/* in each window; 0: no quota of flushes */
	double		quota_bytes;	/* above 0: or of these, which does not show */
	double		quota_window;	/* us */
	double		quota_certainty;
	bool		short_writes;	/* the short ones are in the write of WAL */
	float		ratio[ACTIVITIES];	/* of present stalls; see SlowOutcome */
	uint64		present;		/* clock_now() from which they are */
	double		flushed_rate;	/* bytes/us since then, at least; 0: not known */
	FlushFit	fit;			/* of the latest flushes; or a byte quota */
} StallLog;

/* The events of a kind that are there, oldest first; palloc'd */
extern LoggedEvent *logged_events_read(SlowKind kind, int *n);

/* The stalls and their writers */
extern void stall_log_read(StallLog *log);

/*
 * The cause of each, the quota included.  The latest flushes tell what bytes
 * take; NULL: those of the time are gone.
 */
extern void stall_log_find_causes(StallLog *log, const FlushTotals *groups);

/* The background worker: notes the ratios of this time */
extern void stall_log_note_ratios(SlowOutcome *outcome);

/* The background worker: a stall that no commit led, if it was one */
extern void stall_log_note_unled(const SlowEvent *follower,
								 const SlowOutcome *outcome);

/*
 * Of stalls of unknown cause that ended in a time, and are no longer (ns),
 * most looks saw a write of WAL, not its sync.
 */
extern bool stall_log_is_of_write(const StallLog *log, TimestampTz from,
								  TimestampTz end, uint64 longest);

/* How the time of the latest flushes depends on their bytes */
extern void stall_log_fit(const FlushTotals *groups, FlushFit *fit);

/* Commits that waited for the flush, on average */
extern double stall_log_waiters(const LoggedEvent *stall);

/*
 * Of a wait that ended with a standby, its begin is what is not known: the
 * flush before it took as long as a mean one (ns), but for stalls.  A flush of
 * the commit itself that was not timed stays unknown.
 */
extern void stall_log_take_standby(const StallLog *log, const SlowEvent *commit,
								   const SlowOutcome *outcome,
								   uint64 flush_time, uint64 *part);

/* Why the flush that a slow commit waited for stalled, if it did */
extern StallCause stall_log_cause_of(const StallLog *log,
									 const SlowEvent *commit);

/*
 * ... in such a wait (ns), if the log lacks it: neither did a commit lead it
 * nor did it carry a slow one, as may be one of the WAL writer
 */
extern StallCause stall_log_cause_of_wait(const StallLog *log,
										  const LoggedEvent *commit,
										  uint64 wait);

/* That of a checkpoint in half of the looks; or NULL */
extern const char *stall_log_checkpoint_phase(const WatchSummary *seen);

#endif							/* COMMIT_STATS_STALL_LOG_H */
