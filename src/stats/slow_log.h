/* The latest slow commits, stalls and bulk writers; see slow_log.c. */
#ifndef COMMIT_STATS_SLOW_LOG_H
#define COMMIT_STATS_SLOW_LOG_H

#include "datatype/timestamp.h"

#include "stats/clients.h"
#include "stats/flush_ring.h"
#include "stats/watch.h"

/* Events that are kept, of each kind. */
#define SLOW_LOG_KEPT		512

/* As a time: it cannot be known. */
#define SLOW_UNKNOWN		PG_UINT64_MAX

typedef enum SlowKind
{
	SLOW_COMMIT,
	SLOW_STALL,
	BULK_WRITER,				/* a transaction with a lot of WAL */
	SLOW_NKINDS
} SlowKind;

/* What a session had to do with the flush of its commit. */
typedef enum SlowRole
{
	SLOW_LED,
	SLOW_FOLLOWED,
	SLOW_DID_NOT_WAIT			/* asynchronous */
} SlowRole;

/* By SlowRole */
extern const char *const slow_role_names[];

/* WAL of a transaction that is a lot, bytes. */
#define BULK_WAL			(1024 * 1024)

/*
 * A slow commit; a stall, by the session that led the flush; or a bulk writer.
 * Times are in ns, or SLOW_UNKNOWN.  Written by that session, once.
 */
typedef struct SlowEvent
{
	uint64		end;			/* clock_now() */
	TimestampTz ended_at;		/* the same time */
	uint64		noted_at;		/* ... when its commit was over */
	uint64		duration;		/* of the commit, flush or bulk transaction */
	ClientKey	client;
	int			pid;
	int			procno;			/* index in allProcs */
	SlowRole	role;
	int			checkpoint;		/* was one running at the end? -1: unknown */
	GroupNumber group;			/* or InvalidGroupNumber */
	uint64		wal_bytes;		/* of the transaction */
	uint64		transaction_time;	/* from its start on; 0: unknown */
	uint64		queryid;		/* of its statement; 0: none is known */
	int			address_family; /* of the client, as in inet; 0: it has none */
	unsigned char address[16];

	/* Of a commit. */
	int			synchronous_commit; /* SyncCommitLevel */
	bool		serializable;	/* has predicate locks */
	bool		temporary;		/* has used temporary tables */
	bool		flush_timed;	/* flush_time was measured, not inferred */
	int			savepoints;		/* that it ends in PHASE_BEFORE, nested */
	uint64		part[PHASE_NOT_RUN];	/* see slow_event_add_outcome() */
	uint64		standby_min;	/* in place of part[PHASE_STANDBY] */
	uint64		standby_max;
	uint64		writes_end;		/* clock_now() when its flush was over */
	int			notify_pid;		/* had the lock of NOTIFY before; 0: unknown */

	/* Of a stall. */
	int			sessions;		/* in their commit as the flush ended */
	uint64		limit;			/* a flush that takes longer is a stall */
	uint64		since;			/* clock_now() when the flush before began,
								 * which lacks its WAL; 0: unknown */
} SlowEvent;

/* What became of its flush.  Written by the background worker, a bit later. */
typedef struct SlowOutcome
{
	uint32		commits;		/* in the group; 0: unknown */
	int			leader_pid;		/* 0: no leader, or unknown */
	uint64		wal_bytes;		/* 0: unknown */
	XLogRecPtr	boundary;		/* the flush pointer at its end; 0: unknown */
	uint64		delay_time;		/* of a follower's wait, its leader slept, ns */
	WatchSummary seen;			/* from the begin of the wait to its end */
	CommitWaits waits;
	float		ratio[ACTIVITIES];	/* see stall_log.c; 0: not known */
} SlowOutcome;

/*
 * The limits, ns; above 0, a flush that takes longer is a stall; no commit is
 * slow at PG_UINT64_MAX.
 */
extern uint64 stall_limit_get(void);
extern uint64 slow_commit_limit(int setting);
extern void slow_log_derive_limits(bool committed);

/* The parts of a slow commit, which add up to its duration, by CommitPhase; ns */
extern void slow_event_phases(const SlowEvent *event,
							  const SlowOutcome *outcome, uint64 *part);

/* Put the columns with the times of a slow commit; SLOW_UNKNOWN: null */
typedef void (*PutTime) (void *to, const char *column, uint64 ns);

extern void slow_event_times(const SlowEvent *event, const uint64 *part,
							 PutTime put, void *to);

/* The address of a client that has one */
extern const char *slow_event_address(const SlowEvent *event);

/* Events are numbered from 1 on.  The oldest may still be there. */
extern uint64 slow_log_newest(SlowKind kind);
extern uint64 slow_log_oldest(SlowKind kind);

/* From this clock_now() on, all are kept */
extern uint64 slow_log_since(SlowKind kind);

extern void slow_log_put(SlowKind kind, const SlowEvent *event);

/* What the ring of groups has of the flush at present */
extern void slow_log_look_up(const SlowEvent *event, SlowOutcome *outcome);
extern void slow_event_add_outcome(SlowEvent *event,
								   const SlowOutcome *outcome);
extern bool slow_event_waited_for_unled(const SlowEvent *event,
										const SlowOutcome *outcome);

/* The background worker */
extern void slow_log_put_outcome(SlowKind kind, uint64 number,
								 const SlowOutcome *outcome);
extern uint64 slow_log_settled(SlowKind kind, uint64 *lost);
extern void slow_log_set_settled(SlowKind kind, uint64 number);

/* Readers.  Returns false if the event is gone, or not there yet. */
extern bool slow_log_copy(SlowKind kind, uint64 number, SlowEvent *event,
						  SlowOutcome *outcome);

#endif							/* COMMIT_STATS_SLOW_LOG_H */
