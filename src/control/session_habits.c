/*-------------------------------------------------------------------------
 *
 * session_habits.c
 *		When each session commits, in shared memory.
 *
 * Each session has a slot, by its process number, and one bit in a set of
 * those that commit often, so that a visit costs nothing for the others.
 *
 * Locking: none.  A session writes its own slot and sets its own bit; any
 * process may take the bit of an idle session away, and the session sets it
 * again as it commits next.  A session takes its own bit away at exit.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/proc.h"

#include "base/compat.h"
#include "control/session_habits.h"

#define IDLE_LEAST		(1 * NS_PER_S)	/* then a session is taken off */

SessionSlot *session_slots = NULL;
pg_atomic_uint64 *session_regulars = NULL;
Session    *session_mine = NULL;

static Size
regulars_size(int backends)
{
	return TYPEALIGN(PG_CACHE_LINE_SIZE,
					 mul_size(backend_set_words(backends), sizeof(uint64)));
}

static Size
session_habits_tail_size(int backends)
{
	return add_size(regulars_size(backends),
					mul_size(backends, sizeof(SessionSlot)));
}

/* The memory is zeroed, which is what pg_atomic_init_u64() would do. */
static void
session_habits_attach(void *head, void *tail, bool found)
{
	session_regulars = tail;
	session_slots =
		(SessionSlot *) ((char *) tail + regulars_size(MaxBackends));
}

const StatsModule session_habits_module = {
	.tail_size = session_habits_tail_size,
	.attach = session_habits_attach,
};

/*
 * The first commit of this process: forget the process before it, whose bit
 * may be gone.
 */
void
session_begin(void)
{
	session_mine = session_at(MyProcNumber);
	pg_atomic_write_u64(&session_mine->habit, 0);
	pg_atomic_write_u64(&session_mine->committed_at, 0);
	pg_atomic_write_u64(&session_mine->began_at, 0);
	pg_atomic_write_u32(&session_mine->is_regular, 0);
}

/*
 * At exit.  From now on no leader waits for this session, and nobody wakes it:
 * up to PostgreSQL 16 its process id stays in its PGPROC, so that only this
 * slot shows that it has gone.
 */
void
session_leave(void)
{
	if (session_mine == NULL)
		return;
	pg_atomic_write_u64(&session_mine->began_at, 0);
	backend_set_remove(session_regulars, MyProcNumber);
	pg_atomic_write_u32(&session_mine->is_regular, 0);
	session_mine = NULL;
}

/* This session commits often: visit it.  Protocol regular_again. */
void
session_put_on(void)
{
	pg_atomic_write_u32(&session_mine->is_regular, 1);
	backend_set_add(session_regulars, MyProcNumber);
}

/*
 * Has a session been idle for so long that it need not be visited?  One that
 * waits for a lock stays on, as a leader must see whose lock that is.  The bit
 * is taken away first: protocol regular.
 */
bool
session_take_off_if_idle(int procno, uint64 now)
{
	Session    *session = session_at(procno);

	if (session_commits(session) ||
		clock_elapsed(pg_atomic_read_u64(&session->committed_at), now) <
		IDLE_LEAST)
		return false;
	if (ProcGlobal->allProcs[procno].waitLock != NULL)
		return true;
	backend_set_remove(session_regulars, procno);
	pg_atomic_write_u32(&session->is_regular, 0);
	return true;
}
