/*-------------------------------------------------------------------------
 *
 * commit_phase.c
 *		The phases of a COMMIT, and which one a backend is in.
 *
 * Locking: none yet.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "stats/commit_phase.h"

const char *const commit_phase_names[] = {
	[PHASE_BEFORE] = "before",
	[PHASE_RECORD] = "record",
	[PHASE_NOTIFY] = "NOTIFY lock",
	[PHASE_DELAY] = "delay",
	[PHASE_FLUSH] = "flush",
	[PHASE_OTHER_FLUSH] = "another's flush",
	[PHASE_SEGMENT] = "new WAL segment",
	[PHASE_STANDBY] = "standby",
	[PHASE_LOG] = "commit log",
	[PHASE_AFTER] = "after",
	[PHASE_NOT_RUN] = "not run",
	[PHASE_UNKNOWN] = "unknown"
};

const char *const commit_phase_columns[] = {
	[PHASE_BEFORE] = "before_time",
	[PHASE_RECORD] = "record_time",
	[PHASE_NOTIFY] = "notify_time",
	[PHASE_DELAY] = "delay_time",
	[PHASE_FLUSH] = "flush_time",
	[PHASE_OTHER_FLUSH] = "others_flush_time",
	[PHASE_SEGMENT] = "segment_time",
	[PHASE_STANDBY] = "standby_time",
	[PHASE_LOG] = "commit_log_time",
	[PHASE_AFTER] = "after_time",
	[PHASE_NOT_RUN] = "not_run_time",
	[PHASE_UNKNOWN] = "unknown_time"
};

StaticAssertDecl(lengthof(commit_phase_names) == PHASE_N &&
				 lengthof(commit_phase_columns) == PHASE_N,
				 "each phase has its names");

PGPROC *
commit_phase_find_flusher(CommitPhase *phase)
{
	*phase = PHASE_UNKNOWN;
	return NULL;
}

bool
commit_phase_read(PGPROC *proc, CommitPhase flusher_phase,
				  PhaseReading *reading)
{
	return false;
}
