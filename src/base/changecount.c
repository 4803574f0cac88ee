/*-------------------------------------------------------------------------
 *
 * changecount.c
 *		Counts on the move from one place to another.
 *
 * Where the commit path moves counts from a place of their own to a common
 * total, it does so without a lock, in two steps, and for a moment they are in
 * both places or in neither.  The process that moves says when it begins and
 * when it has ended; a reader reads while nothing is on the move, and again if
 * something was meanwhile.  Nobody on the commit path ever waits.
 *
 * Invariant: what has begun ends, unless its process is stopped.  A process that
 * dies of a FATAL error in a signal handler, in the middle of a move (up to 18, a
 * background worker with the server's own handler of SIGTERM), ends it as it
 * exits, unless the signal came between the two instructions that say where it is.
 * What it had not moved by then is lost: 64 groups, or one cell of a histogram, at
 * most.
 *
 * Locking: none.  A reader waits a second at most, and repeats what was
 * disturbed CHANGECOUNT_MAX_PASSES times at most; then it raises an error.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/changecount.h"

/*
 * A move takes well under a microsecond.  After a second, its process must have
 * been stopped in the middle of it.
 */
#define POLL_SLEEP			100 /* us */
#define MAX_POLLS			10000

ChangeCount	   *changecount_under_way = NULL;

/* For a process that exits: end what it has left half done. */
void
changecount_abandon(void)
{
	if (changecount_under_way != NULL)
		changecount_end(changecount_under_way);
}

/* If nothing is on the move, store how many moves there were. */
bool
changecount_read(ChangeCount *moves, uint64 *count)
{
	uint64		ended = pg_atomic_read_u64(&moves->ended);

	pg_read_barrier();
	if (pg_atomic_read_u64(&moves->begun) != ended)
		return false;
	pg_read_barrier();
	*count = ended;
	return true;
}

/*
 * Wait a little; "polls" is how often this was called before.  Returns false if
 * there is nothing to wait for any more.
 */
bool
changecount_poll(int *polls)
{
	if (++*polls > MAX_POLLS)
		return false;
	pg_usleep(POLL_SLEEP);
	return true;
}

/* The error of a reader who has waited in vain. */
void
changecount_report_stopped(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_IN_USE),
			 errmsg("could not read the statistics of commits"),
			 errdetail("A server process has been stopped while it was counting a commit."),
			 errhint("Try again when the process continues.")));
}

/*
 * Wait until nothing is on the move, and return how many moves there were; or
 * raise an error if a process was stopped in the middle of one.
 */
uint64
changecount_wait(ChangeCount *moves)
{
	uint64		count = 0;
	int			polls = 0;

	while (!changecount_read(moves, &count))
		if (!changecount_poll(&polls))
			changecount_report_stopped();
	return count;
}

/* A reader has read something that was on the move, and is about to read again. */
void
changecount_count_pass(int *passes)
{
	if (++*passes == CHANGECOUNT_MAX_PASSES)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("could not read the statistics of commits"),
				 errdetail("They changed while they were read, %d times in a row.",
						   CHANGECOUNT_MAX_PASSES),
				 errhint("Try again.")));
}
