/*-------------------------------------------------------------------------
 *
 * commit_phase.h
 *		The phases of a COMMIT, and which one a backend is in; see
 *		commit_phase.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_COMMIT_PHASE_H
#define COMMIT_STATS_COMMIT_PHASE_H

#include "storage/proc.h"
#include "utils/wait_event.h"

/* In the order of their time. */
typedef enum CommitPhase
{
	PHASE_BEFORE,				/* from COMMIT to the first callback */
	PHASE_RECORD,				/* until the commit record is inserted */
	PHASE_NOTIFY,				/* waits for the lock of NOTIFY */
	PHASE_DELAY,				/* the leader of its flush sleeps */
	PHASE_FLUSH,				/* writes or syncs WAL itself */
	PHASE_OTHER_FLUSH,			/* waits for the flush of another process */
	PHASE_SEGMENT,				/* a new WAL segment is being made */
	PHASE_STANDBY,
	PHASE_LOG,					/* pg_xact, and leaving the ProcArray */
	PHASE_AFTER,				/* after the second callback */
	PHASE_NOT_RUN,				/* ready, and without a processor */
	PHASE_UNKNOWN,
	PHASE_N
} CommitPhase;

extern const char *const commit_phase_names[];	/* for people */
extern const char *const commit_phase_columns[];	/* in the SQL views */

/* Of any process, without a lock, as pg_stat_activity reads it; 0: none. */
static inline uint32
wait_event_of(PGPROC *proc)
{
	return *(volatile uint32 *) &proc->wait_event_info;
}

/* The class of a wait event is its first byte. */
static inline bool
is_lock_event(uint32 event)
{
	return (event & 0xFF000000) == PG_WAIT_LOCK;
}

/* A backend in its commit; a copy. */
typedef struct PhaseReading
{
	CommitPhase phase;
	uint64		since;			/* clock_now() when its COMMIT began; 0: it
								 * only waits for the lock of NOTIFY */
} PhaseReading;

/* Any process.  "flusher_phase" is that of the process that writes WAL. */
extern bool commit_phase_read(PGPROC *proc, CommitPhase flusher_phase,
							  PhaseReading *reading);

/* The process that writes or syncs WAL or makes a segment now; or NULL. */
extern PGPROC *commit_phase_find_flusher(CommitPhase *phase);

#endif							/* COMMIT_STATS_COMMIT_PHASE_H */
