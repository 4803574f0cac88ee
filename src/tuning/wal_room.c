/*-------------------------------------------------------------------------
 *
 * wal_room.c
 *		Which delays are long enough to fill the WAL buffers?
 *
 * A session that finds the buffers full waits while a leader sleeps, a bulk
 * load that commits once as well.  Neither a sweep nor a prediction measures
 * that wait.  Both say so before they try such a delay.
 *
 * Locking: none; nothing here is shared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xlog.h"

#include "base/clock.h"
#include "base/guc.h"
#include "base/wal_buffers.h"
#include "tuning/wal_room.h"

/* Begin to measure how much WAL the server writes. */
void
wal_room_begin(WalRoom *begin)
{
	begin->lsn = GetXLogInsertRecPtr();
	begin->at = clock_now();
}

/* Bytes/s since then */
static double
wal_rate(const WalRoom *begin)
{
	uint64		time = clock_elapsed(begin->at, clock_now());

	return (double) (GetXLogInsertRecPtr() - begin->lsn) * NS_PER_S /
		Max(time, 1);
}

/* A notice if a delay is longer than half of the buffers last. */
void
wal_room_warn(const WalRoom *begin, const DelayPairs *pairs)
{
	double		rate = wal_rate(begin);
	double		most = wal_buffers_us_until_half_full((double) XLOGbuffers * XLOG_BLCKSZ,
													  rate);
	int			longest = 0;

	for (int i = 0; i < pairs->n; i++)
		if (pairs->pair[i].delay <= COMMIT_DELAY_MAX)
			longest = Max(longest, pairs->pair[i].delay);
	if (longest <= most)
		return;
	ereport(NOTICE,
			(errmsg("a commit_delay above %.0f us lets the WAL fill half of \"wal_buffers\"",
					most),
			 errdetail("The server wrote %.1f MB of WAL a second.  A session that finds the buffers full waits for the leader that sleeps, also if it does not commit, and no figure here includes that.",
					   rate / 1e6),
			 errhint("Leave out longer delays, or increase \"wal_buffers\".")));
}
