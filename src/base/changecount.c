/*-------------------------------------------------------------------------
 *
 * changecount.c
 *		Change counts for readers that take no lock.
 *
 * As with st_changecount in backend_status.h, a writer marks where a change of
 * several values begins and ends.  A reader copies the values while no change
 * is under way, and copies them again if one began meanwhile.  Writers never
 * wait.  Unlike st_changecount, several processes may change the same values
 * at once, each of them by atomic operations, or one process claims them and
 * the others give up.
 *
 * Invariant: a change that has begun ends, unless its process is suspended.
 * One exception: a FATAL error in a signal handler can end a process in the
 * middle of a change (up to 18: a background worker with the server's own
 * handler of SIGTERM).  leave_modules() in shared_memory.c then ends the
 * change at exit, except if the signal came between the instructions that
 * begin or end it: then readers raise an error until the server restarts, and
 * a claimed record of a capture gets no other commit.  The exit loses counts
 * that were not yet moved: at most those of FOLD_BATCH flush groups, or of one
 * latency cell.
 *
 * Locking: none.  A reader waits up to a second for a change to end, and
 * copies up to CHANGECOUNT_MAX_PASSES times, with pauses that add up to a
 * second; then it raises an error.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "postmaster/postmaster.h"

#include "base/changecount.h"

StaticAssertDecl(MAX_BACKENDS <= CHANGECOUNT_UNDER_WAY,
				 "too few bits for changes under way");

/* If a change takes a second, its process must have been stopped. */
#define POLL_SLEEP			100 /* us */
#define MAX_POLLS			10000

#define PASS_SLEEP			200 /* us, times the number of passes */

ChangeCount *changecount_under_way = NULL;

/* End the change that this process has begun and will not end, if any. */
void
changecount_abandon(void)
{
	if (changecount_under_way != NULL)
		changecount_end(changecount_under_way);
}

/* If no change is under way, store how many have ended. */
bool
changecount_read(ChangeCount *changes, uint64 *count)
{
	uint64		word = pg_atomic_read_u64(&changes->word);

	pg_read_barrier();			/* protocols changecount, trace */
	*count = word >> CHANGECOUNT_SHIFT;
	return (word & CHANGECOUNT_UNDER_WAY) == 0;
}

void
changecount_report_stopped(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_IN_USE),
			 errmsg("could not read commit statistics"),
			 errdetail("A server process has been stopped while it was counting a commit."),
			 errhint("Try again when the process continues.")));
}

/* Wait until no change is under way, and return how many have ended. */
uint64
changecount_wait(ChangeCount *changes)
{
	uint64		count;

	for (int polls = 1; !changecount_read(changes, &count); polls++)
	{
		if (polls > MAX_POLLS)
			changecount_report_stopped();
		pg_usleep(POLL_SLEEP);
	}
	return count;
}

void
changecount_count_pass(int *passes)
{
	if (++*passes == CHANGECOUNT_MAX_PASSES)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("could not read commit statistics"),
				 errdetail("They changed while they were read, %d times in a row.",
						   CHANGECOUNT_MAX_PASSES),
				 errhint("Try again.")));
	pg_usleep(PASS_SLEEP * *passes);
}
