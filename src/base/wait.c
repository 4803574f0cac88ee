/*-------------------------------------------------------------------------
 *
 * wait.c
 *		Waiting in functions that measure for a while.
 *
 * Such a function ends when it is cancelled, and within a second after its
 * client has gone, even if client_connection_check_interval is 0.  It refuses
 * to begin if a timeout would end it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/wait.h"

#define CHECK_CLIENT_EVERY	(NS_PER_S / 2)

/* libpq/libpq.h also needs headers of GSSAPI and OpenSSL. */
extern bool pq_check_connection(void);

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

/* Raise an error if this timeout comes in less than "length" ns. */
static void
require_timeout(TimeoutId id, const char *setting, uint64 length)
{
	TimestampTz left;

	if (!get_timeout_active(id))
		return;
	left = get_timeout_finish_time(id) - GetCurrentTimestamp();
	if (left >= (TimestampTz) (length / NS_PER_US))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("\"%s\" would end this before it is done", setting),
			 errdetail("It takes %.1f seconds, and %.1f are left.",
					   (double) length / NS_PER_S,
					   Max(left, 0) / (double) USECS_PER_SEC),
			 errhint("Set \"%s\" to 0 in this session first.", setting)));
}

void
wait_require_time(uint64 length)
{
	require_timeout(STATEMENT_TIMEOUT, "statement_timeout", length);
#ifdef HAVE_TRANSACTION_TIMEOUT
	require_timeout(TRANSACTION_TIMEOUT, "transaction_timeout", length);
#endif
}

/* End the session if its client has gone. */
void
wait_check_client(void)
{
	CHECK_FOR_INTERRUPTS();
	if (MyProcPort == NULL || !WaitEventSetCanReportClosed() ||
		pq_check_connection())
		return;
	ClientConnectionLost = true;
	InterruptPending = true;
	CHECK_FOR_INTERRUPTS();
}

/*
 * Wait until the clock shows "when".  Raises an error if cancelled, and ends
 * the session if its client has gone.
 */
void
wait_until(uint64 when)
{
	static uint64 checked_at = 0;

	for (;;)
	{
		uint64		now = clock_now();
		uint64		until = Min(when, now + CHECK_CLIENT_EVERY);

		/* first, as it may reset the latch */
		if (clock_elapsed(checked_at, now) >= CHECK_CLIENT_EVERY)
		{
			checked_at = now;
			wait_check_client();
		}
		CHECK_FOR_INTERRUPTS();
		if (now >= when)
			return;
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) ((clock_elapsed(now, until) + NS_PER_MS - 1) / NS_PER_MS),
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}
