/*-------------------------------------------------------------------------
 *
 * wait.c
 *		Waiting in functions that measure for a while.
 *
 * Such a function ends when it is cancelled or its client has gone, even where
 * client_connection_check_interval is 0.
 *
 * Locking: none; nothing here is shared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"

#include "base/clock.h"
#include "base/wait.h"

/* The argument "name" in ns.  It must be between "least" and "most" ns. */
uint64
wait_from_interval(const Interval *interval, const char *name,
				   uint64 least, uint64 most)
{
	double		ns = ((double) interval->day * USECS_PER_DAY +
					  (double) interval->time) * NS_PER_US;

	/* months have no length; infinity has them, too */
	if (interval->month != 0 || ns < least || ns > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" must be between %g and %g seconds", name,
						(double) least / NS_PER_S, (double) most / NS_PER_S)));
	return (uint64) ns;
}

/* Wait until the clock shows "when", or raise an error if cancelled. */
void
wait_until(uint64 when)
{
	for (;;)
	{
		uint64		now = clock_now();

		CHECK_FOR_INTERRUPTS();
		if (now >= when)
			return;
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) ((clock_elapsed(now, when) + NS_PER_MS - 1) / NS_PER_MS),
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

/*
 * End the session if its client has gone.  The server checks that if
 * client_connection_check_interval is set, so set it for a moment.  (The
 * timeout that this may start does nothing when it comes.)
 */
void
wait_check_client(void)
{
	int			nestlevel;

	CHECK_FOR_INTERRUPTS();
	if (MyProcPort == NULL || client_connection_check_interval > 0 ||
		!WaitEventSetCanReportClosed())
		return;
	nestlevel = NewGUCNestLevel();
	(void) set_config_option("client_connection_check_interval", "1s",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	CheckClientConnectionPending = true;
	InterruptPending = true;
	CHECK_FOR_INTERRUPTS();
	AtEOXact_GUC(true, nestlevel);
}
