/* Single commits, recorded for a while, and what they predict; commit_trace.c. */
#ifndef COMMIT_STATS_COMMIT_TRACE_H
#define COMMIT_STATS_COMMIT_TRACE_H

#include "port/atomics.h"

#include "base/compat.h"
#include "probe/flush_detection.h"
#include "stats/clients.h"
#include "stats/flush_ring.h"

#define RANK_BITS	3

/* One commit that waited, or a prepare, as its backend saw it. */
typedef struct TracedCommit
{
	uint64		started_at;		/* ns of clock_now(), before its record */
	uint64		ended_at;		/* ns, after its flush */
	uint32		pid;			/* whose */
	uint32		client;			/* hash of its key */
	uint32		age;			/* us that its transaction had run until then */
	uint32		group;			/* number of its flush group; or invalid */
	uint32		io_time;		/* ns that it wrote and synced, if timed */
	uint32		cpu_time;		/* ns of its backend's CPU time before it,
								 * since the last one in the trace */
	uint32		delay;			/* the commit_delay that it had */
	uint16		threshold;		/* the commit_siblings that it had */
	uint16		siblings;		/* that it saw as it began */
	uint16		blocked;		/* others that waited for a lock then, which
								 * some commit releases */
	uint16		blocked_after;	/* ... and when it was flushed */
	bool		led:1;			/* it flushed */
	bool		timed:1;		/* io_time is known */
	bool		is_commit:1;	/* else it is a PREPARE TRANSACTION */
	bool		has_notify:1;
	bool		applied:1;		/* by a worker of logical replication */
	bool		beside:1;		/* the flush that it led stalled beside
								 * something that no commit changes; by the
								 * process that captured */
	uint8		rank:RANK_BITS; /* of its client in the sample */
	uint8		party:RANK_BITS;	/* ... of its client or statement */
	uint16		wal_pages;		/* of WAL in the flush that it led; 0 if that
								 * is not known */
	uint64		statement;		/* query identifier; 0: unknown */
} TracedCommit;

/* What a capture has taken so far; local memory. */
typedef struct CommitTrace
{
	int			n;
	TracedCommit *commit;		/* in the order in which they ended, nearly */
	uint64		started_at;
	uint64		ended_at;
	uint64		next;			/* record of the ring to take */
	uint64		lost;			/* records that were overwritten too soon */
} CommitTrace;

#define PREDICTION_TEXT		256 /* bytes, with the zero */

/*
 * The newest prediction of commit_remedies(), which the report shows.  Its
 * text is ASCII, as each database may have another encoding.
 */
typedef struct NewestPrediction
{
	TimestampTz made_at;		/* 0: there is none */
	int			seconds;		/* of the sample */
	int			from_delay;		/* commit_delay it began from; -1: adaptive */
	int			from_siblings;
	int			delay;			/* the best fixed pair; 0: no delay is */
	int			siblings;
	bool		none_gains;		/* no delay, adaptive or not, gained anything */
	char		text[PREDICTION_TEXT];	/* the first remedy */
} NewestPrediction;

/* Until when commits are recorded; 0: they are not. */
extern COMMIT_STATS_HIDDEN pg_atomic_uint64 *commit_trace_deadline;

/* The commit under way in this backend is to be recorded. */
extern COMMIT_STATS_HIDDEN bool commit_trace_noted;

/*
 * The process that captures, in delay_override_experiment().  It takes what is
 * new until no more can be kept, which is false, and stops, also at exit.
 */
extern void commit_trace_start(CommitTrace *trace, uint64 deadline);
extern bool commit_trace_take(CommitTrace *trace);
extern void commit_trace_stop(void);
extern bool commit_trace_is_on(void);
extern uint32 commit_trace_hash(const ClientKey *key);

extern void prediction_keep(const NewestPrediction *it);
extern void prediction_read(NewestPrediction *it);

/* Commit path: a commit begins; it is done, and was noted. */
extern void commit_trace_note(uint64 now);
extern void commit_trace_put(uint64 started_at, uint64 ended_at,
							 GroupNumber group, uint32 siblings,
							 const OwnFlush *own, bool is_commit,
							 bool has_notify, uint64 statement);

/* Commit path: true while there is a capture, or if there was one. */
static inline bool
commit_trace_wanted(void)
{
	return pg_atomic_read_u64(commit_trace_deadline) != 0;
}

#endif							/* COMMIT_STATS_COMMIT_TRACE_H */
