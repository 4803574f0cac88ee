/*-------------------------------------------------------------------------
 *
 * commit_phase.c
 *		What a backend that writes its commit record is seen waiting for, for
 *		t/unit/commit_phase.pl.
 *
 * The arguments are its mark and its wait.  The output is its phase, and
 * "makes room" if it waits for no flush; or "-" if it is in no commit.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "base/compat.h"
#include "stats/backend_slots.h"

static PGPROC procs[1];
static PROC_HDR header =
{
	.allProcs = procs,.allProcCount = 1
};
static LWLockPadded locks[NUM_INDIVIDUAL_LWLOCKS];
static int	tag;

#define checkpointer_proc()	((PGPROC *) NULL)
#define MainLWLockArray		locks
#include "../../src/stats/commit_phase.c"

PROC_HDR   *ProcGlobal = &header;
int			MaxBackends = 1;

uint64
backend_slots_commit_begun(int procno, int *read)
{
	*read = Max(tag, 0);
	return tag < 0 ? 0 : 1000;
}

char
process_state(int pid)
{
	return 'S';
}

bool
notify_lock_is(const LOCKTAG *locktag)
{
	return false;
}

int
main(int argc, char **argv)
{
	PhaseReading reading;

	tag = strcmp(argv[1], "none") == 0 ? -1 :
		strcmp(argv[1], "async") == 0 ? COMMITTING_ASYNC : 0;
	WALWriteLock->tranche = 8;
	procs->xid = 1000;
	procs->delayChkptFlags = DELAY_CHKPT_START;
	procs->lwWaitMode = strcmp(argv[2], "until_free") == 0 ? LW_WAIT_UNTIL_FREE : LW_EXCLUSIVE;
	procs->wait_event_info = strcmp(argv[2], "sync") == 0 ? WAIT_EVENT_WAL_SYNC :
		strcmp(argv[2], "write") == 0 ? WAIT_EVENT_WAL_WRITE :
		PG_WAIT_LWLOCK | WALWriteLock->tranche;
	if (commit_phase_read(procs, PHASE_FLUSH, &reading))
		printf("%s%s", commit_phase_names[reading.phase], reading.unwaited ? ", makes room" : "");
	else
		printf("-");
	return 0;
}
