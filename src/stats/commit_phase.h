/* The phases of a COMMIT; see commit_phase.c. */
#ifndef COMMIT_STATS_COMMIT_PHASE_H
#define COMMIT_STATS_COMMIT_PHASE_H

#include "storage/lwlock.h"
#include "storage/proc.h"
#include "utils/wait_event.h"

#include "probe/flush_detection.h"

/* In the order of their time: phase, name for people, and column of views. */
#define COMMIT_PHASES(X) \
	X(PHASE_BEFORE, "before", "before_time") /* to the first callback */ \
	X(PHASE_RECORD, "record", "record_time") /* until that is inserted */ \
	X(PHASE_NOTIFY, "NOTIFY lock", "notify_time") /* waits for it */ \
	X(PHASE_DELAY, "delay", "delay_time") /* the leader of its flush sleeps */ \
	X(PHASE_FLUSH, "flush", "flush_time") /* writes or syncs WAL itself */ \
	X(PHASE_OTHER_FLUSH, "another's flush", "others_flush_time") \
	X(PHASE_SEGMENT, "new WAL segment", "segment_time") \
	X(PHASE_STANDBY, "standby", "standby_time") \
	X(PHASE_LOG, "commit log", "commit_log_time") /* ... and ProcArray */ \
	X(PHASE_AFTER, "after", "after_time") /* the second callback */ \
	X(PHASE_NOT_RUN, "not run", "not_run_time") /* without a processor */ \
	X(PHASE_UNKNOWN, "unknown", "unknown_time")

#define COMMIT_PHASE(phase, name, column)			phase,
#define COMMIT_PHASE_NAME(phase, name, column)		name,
#define COMMIT_PHASE_COLUMN(phase, name, column)	column,

typedef enum CommitPhase
{
	COMMIT_PHASES(COMMIT_PHASE)
	PHASE_N
} CommitPhase;

extern const char *const commit_phase_names[];
extern const char *const commit_phase_columns[];

/* A phase takes what it can of the time that is not known. */
static inline void
commit_phase_take(double *phase, CommitPhase taker, double time)
{
	phase[taker] = Min(time, phase[PHASE_UNKNOWN]);
	phase[PHASE_UNKNOWN] -= phase[taker];
}

/* Of any process, without a lock, as pg_stat_activity reads it; 0: none. */
static inline uint32
wait_event_of(PGPROC *proc)
{
	return *(volatile uint32 *) &proc->wait_event_info;
}

static inline uint32
wait_event_class(uint32 event)
{
	return event & 0xFF000000;
}

static inline bool
is_lock_event(uint32 event)
{
	return wait_event_class(event) == PG_WAIT_LOCK;
}

/* In a commit, the server itself reads nothing of its client; Citus does so. */
static inline bool
is_extension_event(uint32 event)
{
	return wait_event_class(event) == PG_WAIT_EXTENSION ||
		event == WAIT_EVENT_CLIENT_READ;
}

/* A process waits until others have inserted, or made room for, their WAL. */
static inline bool
is_insert_event(uint32 event)
{
	return event == (PG_WAIT_LWLOCK | LWTRANCHE_WAL_INSERT) ||
		event == (PG_WAIT_LWLOCK | WALBufMappingLock->tranche);
}

/* A flusher writes WAL, and syncs it later. */
static inline bool
is_write_before_sync(PGPROC *flusher)
{
	return wait_event_of(flusher) == WAIT_EVENT_WAL_WRITE &&
		flush_detection_counts_syncs();
}

/* A backend in its commit; a copy. */
typedef struct PhaseReading
{
	CommitPhase phase;
	uint64		since;			/* clock_now() when its COMMIT began; 0: it
								 * waits for the lock of NOTIFY, or got its id
								 * late and waits for its flush */
	bool		unwaited;		/* it waits for no flush */
} PhaseReading;

/* Any process.  "flusher_phase" is that of the process that writes WAL. */
extern bool commit_phase_read(PGPROC *proc, CommitPhase flusher_phase,
							  PhaseReading *reading);

/* The process that writes or syncs WAL or makes a segment now; or NULL. */
extern PGPROC *commit_phase_find_flusher(CommitPhase *phase);
extern CommitPhase commit_phase_of_flusher(PGPROC *proc);

#endif							/* COMMIT_STATS_COMMIT_PHASE_H */
