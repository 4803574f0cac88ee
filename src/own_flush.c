/*-------------------------------------------------------------------------
 *
 * own_flush.c
 *		Did this backend write or sync the WAL itself?
 *
 * The only room that knows the server's pending I/O counters.  The server
 * counts WAL I/O per process before it adds it to the shared statistics, and
 * it does that between transactions only.  So if the count of syncs grew
 * between the two ends of a commit, this backend led a flush.
 *
 * Where the write already syncs (wal_sync_method open_sync, open_datasync) or
 * nothing does (fsync = off), the server counts no sync, and the count of
 * writes takes its place, less those that only made room in the WAL buffers.
 *
 * Locking: none up to 17, where the counters are process-local variables.
 *
 * src/own_flush.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"

#include "compat.h"
#include "own_flush.h"

/* Does a flush show as a sync, not as a write? */
bool
own_flush_counts_syncs(void)
{
	return enableFsync &&
		wal_sync_method != WAL_SYNC_METHOD_OPEN &&
		wal_sync_method != WAL_SYNC_METHOD_OPEN_DSYNC;
}

#ifndef WAL_IO_IS_BACKEND_STATS

OwnFlush
own_flush_read(void)
{
	OwnFlush	now;

	if (own_flush_counts_syncs())
		now.flushes = PendingWalStats.wal_sync;
	else
		now.flushes = PendingWalStats.wal_write -
			PendingWalStats.wal_buffers_full;
	now.io_time = PENDING_WAL_TIME_NS(PendingWalStats.wal_write_time) +
		PENDING_WAL_TIME_NS(PendingWalStats.wal_sync_time);
	now.known = true;
	return now;
}

#else

/* The counters became private: every reading says that it does not know. */
OwnFlush
own_flush_read(void)
{
	OwnFlush	now = {0};

	return now;
}

#endif

/* What this backend did since "before" was read. */
OwnFlush
own_flush_since(const OwnFlush *before)
{
	OwnFlush	since = own_flush_read();

	since.known = since.known && before->known;
	since.flushes = since.known ? since.flushes - before->flushes : 0;
	since.io_time -= before->io_time;
	return since;
}
