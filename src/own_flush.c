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
 * Up to 17 the pending counters can be read.  From 18 on they cannot.  There
 * the server can be asked to add them to this backend's entry in the shared
 * statistics, as it does by itself about once a second, and the entry can be
 * read; pg_stat_io has counters of its own, so nothing is counted twice.
 * Adding takes ten times as long as anything else that we do for a commit, so
 * it is done once: before.  After the commit it is enough to know whether there
 * is anything to be added again.  If there is, and nothing but a flush can have
 * caused it, there was a flush.
 *
 * Locking: up to 17 none.  From 18 on the LWLock of our own entry is taken,
 * which only readers of pg_stat_get_backend_io() and resets take as well, for
 * as long as it takes to copy 3 kB.
 *
 * Invariant: after the commit nothing here allocates or raises an error.  What
 * could do either is done before, where it does no harm.
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

/* This backend's entry, which the server keeps as long as the process lives. */
static PgStat_EntryRef *entry = NULL;

/*
 * I/O that is counted in the same place as that of the WAL, as far as it is
 * also counted where we can see it: each I/O of a buffer moves one of these.
 */
static int64
buffer_io(void)
{
	return pgBufferUsage.shared_blks_hit + pgBufferUsage.shared_blks_read +
		pgBufferUsage.shared_blks_written + pgBufferUsage.local_blks_hit +
		pgBufferUsage.local_blks_read + pgBufferUsage.local_blks_written +
		pgWalUsage.wal_buffers_full;
}

/*
 * Has any I/O been counted that is not in the entry yet?  The server does not
 * tell, but while we hold the entry's lock ourselves all that a request to add
 * it can do is to answer that there is something it could not add.
 */
static bool
io_is_pending(void)
{
	LWLock	   *lock = &entry->shared_stats->lock;
	bool		pending;

	LWLockAcquire(lock, LW_SHARED);
	pending = pgstat_flush_backend(true, PGSTAT_BACKEND_FLUSH_IO);
	LWLockRelease(lock);
	return pending;
}

/*
 * A reset of the entry can come between any two steps here.  Reading its time
 * first makes sure that what is read afterwards is not older.
 */
static void
read_entry(OwnFlush *now)
{
	const volatile PgStat_Backend *stats =
		&((PgStatShared_Backend *) entry->shared_stats)->stats;
	const volatile PgStat_BktypeIO *io = &stats->io_stats;

	(void) pgstat_flush_backend(false, PGSTAT_BACKEND_FLUSH_IO);
	now->reset_at = stats->stat_reset_timestamp;
	pg_read_barrier();
	if (own_flush_counts_syncs())
		now->flushes = io->counts[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_FSYNC];
	else
		now->flushes = io->counts[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_WRITE] -
			pgWalUsage.wal_buffers_full;
	now->io_time = (uint64) 1000 *
		(io->times[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_WRITE] +
		 io->times[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_FSYNC]);
}

/*
 * To add to the entry the server looks it up each time.  If a look-up has to
 * enlarge the table of entries, it had better be this one than that after the
 * commit.
 */
void
own_flush_read(OwnFlush *now)
{
	memset(now, 0, sizeof(OwnFlush));
	if (unlikely(entry == NULL))
		entry = pgstat_get_entry_ref(PGSTAT_KIND_BACKEND, InvalidOid,
									 MyProcNumber, false, NULL);
	if (entry == NULL)
		return;					/* a process that has no such statistics */
	read_entry(now);
	now->buffer_io = buffer_io();
	now->known = true;
}

/*
 * What was added to the entry since "before" was read.  If it was reset in
 * between, that is all there is in it now.
 */
static void
entry_since(const OwnFlush *before, OwnFlush *since)
{
	read_entry(since);
	if (since->reset_at == before->reset_at &&
		since->flushes >= before->flushes && since->io_time >= before->io_time)
	{
		since->flushes -= before->flushes;
		since->io_time -= before->io_time;
	}
}

/* What this backend did since "before" was read; nothing if that is not known. */
void
own_flush_since(const OwnFlush *before, OwnFlush *since)
{
	bool		flush_only;

	memset(since, 0, sizeof(OwnFlush));
	if (!before->known || !io_is_pending())
		return;
	flush_only = buffer_io() == before->buffer_io;
	if (track_wal_io_timing || !flush_only)
		entry_since(before, since);
	if (flush_only)
		since->flushes = 1;
}

#endif							/* WAL_IO_IS_BACKEND_STATS */
