/*-------------------------------------------------------------------------
 *
 * own_flush.c
 *		Did this backend write or sync the WAL itself?
 *
 * The only room that knows the server's pending I/O counters.  The server
 * counts WAL I/O in process-local memory before it adds it to the shared
 * statistics.  If the count of syncs grew between the two ends of a commit,
 * this backend led a flush.
 *
 * Where the write already syncs (wal_sync_method open_sync, open_datasync) or
 * nothing does (fsync = off), the server counts no sync, and the count of
 * writes takes its place, less those that only made room in the WAL buffers.
 *
 * Up to 17 the pending counters can be read.  From 18 on they cannot, but the
 * server can be asked to add them to this backend's entry in the shared
 * statistics, which it would do by itself within a second.  The entry can be
 * read, and pg_stat_io has counters of its own, so nothing is counted twice.
 *
 * Locking: up to 17 none.  From 18 on the server takes the LWLock of our own
 * entry, which only readers of pg_stat_get_backend_io() take as well, for as
 * long as it takes to copy 3 kB.  Asking can allocate memory the first time;
 * therefore it is done before the commit, and after it only if it was done
 * before.
 *
 * src/own_flush.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"

#include "compat.h"
#include "own_flush.h"

#ifdef WAL_IO_IS_BACKEND_STATS
#include "utils/pgstat_internal.h"
#endif

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
	OwnFlush	now = {0};

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

/* May raise an error, unless it has been called in this transaction before. */
OwnFlush
own_flush_read(void)
{
	OwnFlush	now = {0};
	PgStat_EntryRef *ref;
	const PgStat_Backend *stats;
	const PgStat_BktypeIO *io;

	(void) pgstat_flush_backend(false, PGSTAT_BACKEND_FLUSH_IO);
	ref = pgstat_get_entry_ref(PGSTAT_KIND_BACKEND, InvalidOid, MyProcNumber,
							   false, NULL);
	if (ref == NULL)
		return now;				/* a process that has no such statistics */
	stats = &((PgStatShared_Backend *) ref->shared_stats)->stats;
	io = &stats->io_stats;
	if (own_flush_counts_syncs())
		now.flushes = io->counts[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_FSYNC];
	else
		now.flushes = io->counts[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_WRITE] -
			pgWalUsage.wal_buffers_full;
	now.io_time = (uint64) 1000 *
		(io->times[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_WRITE] +
		 io->times[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_FSYNC]);
	now.reset_at = stats->stat_reset_timestamp;
	now.known = true;
	return now;
}

#endif

/*
 * What this backend did since "before" was read.  If somebody has reset its
 * entry in between (from 18 on), all that is in it was added by this very call.
 */
OwnFlush
own_flush_since(const OwnFlush *before)
{
	OwnFlush	since = {0};

	if (!before->known)
		return since;
	since = own_flush_read();
	if (since.reset_at == before->reset_at)
	{
		since.flushes -= before->flushes;
		since.io_time -= before->io_time;
	}
	return since;
}
