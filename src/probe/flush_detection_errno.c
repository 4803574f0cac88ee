/*-------------------------------------------------------------------------
 *
 * flush_detection_errno.c
 *		Did this backend flush the WAL?  From PostgreSQL 18 on.
 *
 * The server's count of this backend's WAL I/O cannot be read there, and there are
 * two ways to know.
 *
 * Looked up: the server can be asked to add them to this backend's entry in the
 * shared statistics, as it does by itself about once a second, and the entry can
 * be read; pg_stat_io has counters of its own, so nothing is counted twice.
 * After the commit it is enough to know whether there is anything to be added
 * again.  If there is, and nothing but a flush can have caused it, there was a
 * flush.  Adding takes longer than all else that we do for a commit.
 *
 * By errno: just before it writes WAL the server sets errno to 0, so that it can
 * tell a short write from a failed one.  We set it to a value that it never has,
 * and look again after the commit: still there, this backend wrote nothing, and
 * 0, it did.  That misses a flush of what another process has just written
 * without a flush; and takes NOTIFY's write of its queue, or that of an old page of
 * the commit log, for a flush in a commit that led none.  Both are rare: about one
 * commit in CHECK_INTERVAL, by chance, is looked up as well, and where that says
 * something else, or errno neither, the commits that follow are all looked up for
 * a while.
 *
 * Locking: to look up, the LWLock of our own entry, which only readers of
 * pg_stat_get_backend_io() and resets take as well, for as long as it takes to
 * copy 3 kB.
 *
 * Invariant: after the commit nothing here allocates or raises an error.  What
 * could do either is done before, where it does no harm.  Whenever statistics have
 * been dropped somewhere, the next look-up lets go of this process's references
 * to them, which takes locks and raises an error if they are damaged; so if some
 * were dropped during a commit, nothing is looked up after it.  Only a drop that
 * comes between that check and the look-up, some 100 ns, is not noticed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"

#include "base/compat.h"
#include "probe/flush_detection.h"

#ifdef WAL_IO_IS_BACKEND_STATS
#include "utils/pgstat_internal.h"

/*
 * Commits on average from one that is looked up to the next.  Chance decides, so
 * that a session which does the same few things over and over has all of them
 * looked up in time.
 */
#define CHECK_INTERVAL		64
#define COMMITS_IN_DOUBT	10000	/* looked up after an error was found */

/* This backend's entry, which the server keeps as long as the process lives. */
static PgStat_EntryRef *entry = NULL;

/* After a commit of which errno has told, or would have told, nothing or a lie. */
static int	in_doubt = 0;		/* so many more commits */

int			flush_detection_unchecked = 0;

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
	if (flush_detection_counts_syncs())
		now->flushes = io->counts[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_FSYNC];
	else
		now->flushes = io->counts[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_WRITE] -
			pgWalUsage.wal_buffers_full;
	now->io_time = (uint64) 1000 *
		(io->times[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_WRITE] +
		 io->times[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_FSYNC]);
}

/* How often the server has asked backends to let go of dropped statistics. */
static uint64
drops_so_far(void)
{
	return pg_atomic_read_u64(&pgStatLocal.shmem->gc_request_count);
}

/*
 * To add to the entry the server looks it up each time.  If a look-up has to
 * enlarge the table of entries, or to let go of what was dropped, it had better be
 * this one than that after the commit.
 */
void
flush_detection_look_up(OwnFlush *now)
{
	memset(now, 0, sizeof(OwnFlush));
	now->drops = drops_so_far();
	entry = pgstat_get_entry_ref(PGSTAT_KIND_BACKEND, InvalidOid,
								 MyProcNumber, false, NULL);
	now->how = OWN_FLUSH_UNKNOWN;
	if (entry == NULL)
		return;					/* a process that has no such statistics */
	read_entry(now);
	now->buffer_io = flush_detection_buffer_io();
	now->how = OWN_FLUSH_LOOKED_UP;
	errno = ERRNO_UNTOUCHED;
}

/* The same, for a commit of which errno will tell as well. */
void
flush_detection_check(OwnFlush *now)
{
	flush_detection_look_up(now);
	if (now->how == OWN_FLUSH_LOOKED_UP)
		now->how = OWN_FLUSH_CHECKED;
	if (in_doubt > 0)
		in_doubt--;
	else
		flush_detection_unchecked = (int)
			pg_prng_uint64_range(&pg_global_prng_state, 0, 2 * CHECK_INTERVAL);
	errno = ERRNO_UNTOUCHED;
}

/*
 * What was added to the entry since "before" was read.  If it was reset in
 * between, that is all there is in it now.
 */
static void
entry_since(const OwnFlush *before, OwnFlush *since)
{
	OwnFlush	now;

	read_entry(&now);
	since->flushes = now.flushes;
	since->io_time = now.io_time;
	if (now.reset_at == before->reset_at &&
		now.flushes >= before->flushes && now.io_time >= before->io_time)
	{
		since->flushes -= before->flushes;
		since->io_time -= before->io_time;
	}
}

/*
 * What this backend did since it looked up what it had done "before".  If it must
 * not look again, errno, which was "error", has to do.
 */
static void
looked_up_since(const OwnFlush *before, int error, OwnFlush *since)
{
	bool		flush_only;

	if (drops_so_far() != before->drops)
	{
		since->flushes = error == 0;
		since->uncertain = 1;
		since->untimed = true;
		return;
	}
	if (!io_is_pending())
		return;
	flush_only = flush_detection_buffer_io() == before->buffer_io;
	if (track_wal_io_timing || !flush_only)
		entry_since(before, since);
	if (flush_only)
		since->flushes = 1;
}

/*
 * The commits that follow are to be looked up, all of them.  Unless they already
 * were, so many are likely to have been judged wrongly.
 */
static void
doubt(OwnFlush *since, int uncertain)
{
	if (in_doubt == 0)
		since->uncertain += uncertain;
	in_doubt = COMMITS_IN_DOUBT;
	flush_detection_unchecked = 0;
}

/*
 * What this backend did since "before" was read, unless errno alone tells for
 * certain; nothing if that is not known.  "error" is what errno was.
 */
void
flush_detection_find_out(const OwnFlush *before, int error, OwnFlush *since)
{
	switch (before->how)
	{
		case OWN_FLUSH_UNKNOWN:
			since->uncertain = 1;
			break;
		case OWN_FLUSH_BY_ERRNO:
			since->flushes = error == 0;
			doubt(since, 1);
			break;
		case OWN_FLUSH_LOOKED_UP:
			looked_up_since(before, error, since);
			break;
		case OWN_FLUSH_CHECKED:
			looked_up_since(before, error, since);
			if (!flush_detection_shows(before, error))
				doubt(since, 0);
			else if ((error == 0) != (since->flushes > 0))
				doubt(since, track_wal_io_timing ? 0 : CHECK_INTERVAL);
			break;
	}
}

#endif							/* WAL_IO_IS_BACKEND_STATS */
