/*-------------------------------------------------------------------------
 *
 * commit_phase.c
 *		The phases of a COMMIT, and which one a backend is in.
 *
 * The time of each phase is from the callbacks: of a slow commit in
 * slow_commit.c, and of all, where a sum has it, in commit_path.c.
 *
 *	mark		SLOT_COMMITTING_SINCE of the backend's slot
 *	flusher		the process that writes or syncs WAL, makes a segment, or
 *				sleeps commit_delay before that; it holds WALWriteLock
 *	recording	DELAY_CHKPT_START is set: from the commit record to pg_xact
 *
 * A reader tells the phase from the mark, the wait event and, between the
 * callbacks, from whether the backend is recording and still has its id.  A
 * backend that is recording and has no wait event runs, or could run.  Before
 * 19, a leader that sleeps has no wait event either; then no process shows WAL
 * I/O, WALWriteLock is held, and Linux tells that the leader sleeps.
 *
 * Invariant: a mark that is the same before and after the reading belongs to
 * the COMMIT whose phase was read.
 *
 * Locking: none.  Readers take single words of PGPROCs, as pg_stat_activity
 * does, and look at WALWriteLock without taking it.  The tag of a lock may
 * become that of another lock meanwhile, but its memory stays.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lwlock.h"

#include "base/compat.h"
#include "probe/kernel.h"
#include "probe/notify_lock.h"
#include "stats/backend_slots.h"
#include "stats/commit_phase.h"

#define MAX_TRIES			3	/* to read a COMMIT that does not change */
#define MAX_LEADERS			8	/* that may sleep, of which Linux is asked */

const char *const commit_phase_names[] = {COMMIT_PHASES(COMMIT_PHASE_NAME)};
const char *const commit_phase_columns[] = {COMMIT_PHASES(COMMIT_PHASE_COLUMN)};

/* Truncation, as of ON COMMIT DELETE ROWS, sets DELAY_CHKPT_COMPLETE, too. */
static bool
is_recording(PGPROC *proc)
{
	int			flags = *(volatile int *) &proc->delayChkptFlags;

	return (flags & (DELAY_CHKPT_START | DELAY_CHKPT_COMPLETE)) ==
		DELAY_CHKPT_START;
}

/* What a flusher does; PHASE_UNKNOWN of a process that is none. */
CommitPhase
commit_phase_of_flusher(PGPROC *proc)
{
	switch (wait_event_of(proc))
	{
		case WAIT_EVENT_WAL_WRITE:
		case WAIT_EVENT_WAL_SYNC:
			return PHASE_FLUSH;
		case WAIT_EVENT_WAL_INIT_WRITE:
		case WAIT_EVENT_WAL_INIT_SYNC:
			/* the checkpointer makes segments in advance, without the lock */
			return proc == checkpointer_proc() ? PHASE_UNKNOWN : PHASE_SEGMENT;
		default:
			return PROC_IS_IN_COMMIT_DELAY(proc) ? PHASE_DELAY : PHASE_UNKNOWN;
	}
}

/* The leader that sleeps commit_delay without a wait event, or NULL. */
static PGPROC *
find_sleeper(void)
{
	int			asked = 0;

	if (COMMIT_DELAY_SHOWS || !LWLOCK_IS_HELD(WALWriteLock))
		return NULL;
	for (int i = 0; i < MaxBackends && asked < MAX_LEADERS; i++)
	{
		PGPROC	   *proc = &ProcGlobal->allProcs[i];
		int			pid = proc->pid;

		if (pid == 0 || !is_recording(proc) || wait_event_of(proc) != 0)
			continue;
		asked++;
		if (process_state(pid) == 'S' && is_recording(proc) &&
			wait_event_of(proc) == 0)
			return proc;
	}
	return NULL;
}

PGPROC *
commit_phase_find_flusher(CommitPhase *phase)
{
	PGPROC	   *sleeper;

	for (uint32 i = 0; i < ProcGlobal->allProcCount; i++)
	{
		PGPROC	   *proc = &ProcGlobal->allProcs[i];

		*phase = commit_phase_of_flusher(proc);
		if (*phase != PHASE_UNKNOWN && proc->pid != 0)
			return proc;
	}
	sleeper = find_sleeper();
	*phase = sleeper ? PHASE_DELAY : PHASE_UNKNOWN;
	return sleeper;
}

/* Of a backend that is recording. */
static CommitPhase
recording_phase(PGPROC *proc, uint32 event, CommitPhase flusher_phase)
{
	if (event == (PG_WAIT_LWLOCK | WALWriteLock->tranche))
		return flusher_phase == PHASE_SEGMENT || flusher_phase == PHASE_DELAY ?
			flusher_phase : PHASE_OTHER_FLUSH;
	if (is_insert_event(event))
		return PHASE_RECORD;
	if (event == 0 && flusher_phase == PHASE_DELAY)
		return PHASE_DELAY;
	return PHASE_LOG;
}

/*
 * It waits for its flush.  One that makes room for WAL takes the lock, and
 * syncs at the end of a segment only.
 */
static bool
waits_for_flush(PGPROC *proc, uint32 event)
{
	return event == WAIT_EVENT_WAL_SYNC || PROC_IS_IN_COMMIT_DELAY(proc) ||
		(event == (PG_WAIT_LWLOCK | WALWriteLock->tranche) &&
		 *(volatile uint8 *) &proc->lwWaitMode == LW_WAIT_UNTIL_FREE);
}

static bool
waits_for_notify(PGPROC *proc, uint32 event)
{
	LOCK	   *lock = *(LOCK *volatile *) &proc->waitLock;

	return is_lock_event(event) && lock != NULL &&
		notify_lock_is(&lock->tag);
}

/* Of a backend between the callbacks. */
static CommitPhase
inner_phase(PGPROC *proc, uint32 event, CommitPhase flusher_phase)
{
	CommitPhase own = commit_phase_of_flusher(proc);

	if (own == PHASE_SEGMENT || own == PHASE_DELAY)
		return own;
	if (event == WAIT_EVENT_SYNC_REP)
		return PHASE_STANDBY;
	if (is_recording(proc))
		return own == PHASE_FLUSH ? own :
			recording_phase(proc, event, flusher_phase);
	if (event == WAIT_EVENT_PROCARRAY_GROUP_UPDATE ||
		event == (PG_WAIT_LWLOCK | ProcArrayLock->tranche))
		return PHASE_LOG;

	/*
	 * In another library's callback, as its transaction has no id any more.
	 * COMMIT PREPARED has none of its own, but its record comes at once.
	 */
	if (!TransactionIdIsValid(*(volatile TransactionId *) &proc->xid))
		return PHASE_LOG;
	return waits_for_notify(proc, event) ? PHASE_NOTIFY : PHASE_RECORD;
}

/*
 * Of a backend that had no id in its first callback, or has not come there.  A
 * NOTIFY, or another library, may give it one later.
 */
static CommitPhase
early_phase(PGPROC *proc, uint32 event, CommitPhase flusher_phase)
{
	if (waits_for_notify(proc, event))
		return PHASE_NOTIFY;
	return event == WAIT_EVENT_SYNC_REP || is_recording(proc) ?
		inner_phase(proc, event, flusher_phase) : PHASE_BEFORE;
}

bool
commit_phase_read(PGPROC *proc, CommitPhase flusher_phase,
				  PhaseReading *reading)
{
	int			procno = (int) (proc - ProcGlobal->allProcs);
	int			tag;
	int			tag_after;

	if (procno >= MaxBackends)
		return false;
	for (int i = 0; i < MAX_TRIES; i++)
	{
		uint32		event;

		reading->since = backend_slots_commit_begun(procno, &tag);
		event = wait_event_of(proc);
		/* emptying a temporary table writes WAL late, after the mark */
		reading->unwaited = tag == COMMITTING_ASYNC &&
			!waits_for_flush(proc, event);
		/* a commit that got its id late has no mark */
		if (reading->since == 0 &&
			!(is_recording(proc) && waits_for_flush(proc, event)))
		{
			reading->phase = PHASE_NOTIFY;
			return waits_for_notify(proc, event);
		}
		reading->phase = tag == COMMITTING_BEFORE ?
			early_phase(proc, event, flusher_phase) :
			tag == COMMITTING_AFTER ? PHASE_AFTER :
			inner_phase(proc, event, flusher_phase);
		if (backend_slots_commit_begun(procno, &tag_after) == reading->since &&
			tag_after == tag)
			return true;
	}
	return false;
}
