/*-------------------------------------------------------------------------
 *
 * flush_detection_errno.c
 *		Whether this backend flushed the WAL, from PostgreSQL 18 on.
 *
 *	entry		this backend's I/O statistics in shared memory, to which the
 *				server adds pending I/O at most once a second
 *	look-up		pgstat_flush_backend() adds pending I/O to the entry before a
 *				commit.  If I/O that only a flush causes is pending after the
 *				commit, the backend flushed.  A look-up takes longer than all
 *				else that this library does for a commit.
 *	mark		errno, set to ERRNO_UNTOUCHED before a commit.  The server sets
 *				it to 0 before it writes WAL, so as to tell a short write from
 *				a failed one.
 *	lost mark	errno has another value, as after a signal that interrupts the
 *				wait for a standby, or after the commit has synced a new table;
 *				or 0, and buffers may have set it
 *
 * A mark misses a flush that only syncs what another process has written, and
 * mistakes for a flush a write of NOTIFY's queue or of an old page of the
 * commit log.  Both are rare.  One commit in CHECK_INTERVAL has a look-up,
 * too.  Where the entry contradicts the mark, the next COMMITS_IN_DOUBT
 * commits are looked up.
 *
 * After a lost mark, the entry is read once.  If it has more flushes than this
 * process judged since the last look-up, this commit flushed.  That is wrong
 * if one of these was outside a commit, or synced twice at the end of a
 * segment; if a mark missed one, the sum becomes right.  A cause may repeat
 * itself, so the next COMMITS_AFTER_LOSS commits are looked up.
 *
 * Invariant: after the commit nothing here allocates or raises an error, with
 * two exceptions.  After a lost mark, the server may enlarge its table of
 * entries (some kB).  After statistics were dropped anywhere, the next look-up
 * releases this process's references to them, which may raise an error; so the
 * entry is not read after a commit if any were dropped since the last look-up,
 * but they may be in the 100 ns between that check and the reading.
 *
 * Locking: a look-up takes the LWLock of this backend's entry, as do readers
 * of pg_stat_get_backend_io() and resets, for as long as a copy of 3 kB takes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/pg_prng.h"

#include "probe/flush_detection.h"

#ifdef WAL_IO_IS_BACKEND_STATS
#include "utils/pgstat_internal.h"

/*
 * Commits between two look-ups, on average.  A random interval makes sure that
 * no commit of a session which repeats the same few is never looked up.
 */
#define CHECK_INTERVAL		64
#define COMMITS_IN_DOUBT	10000	/* errno lies */
#define COMMITS_AFTER_LOSS	4	/* a mark was lost */

int			flush_detection_unchecked = 0;
int64		flush_detection_judged = 0;

/* The server keeps this backend's entry as long as the process lives. */
static PgStat_EntryRef *entry = NULL;

/* As of the last look-up before a commit. */
static uint64 drops_known;		/* drops_so_far() */
static int64 not_judged;		/* flushes in the entry, less those that were
								 * judged */

/*
 * True if I/O was counted that is not in the entry yet.  While this process
 * holds the entry's lock, a request to add the I/O without waiting can only
 * answer that there was something to add.
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

static void
read_entry(FlushReading *now)
{
	const PgStatShared_Backend *shared = (void *) entry->shared_stats;
	const PgStat_BktypeIO *io = &shared->stats.io_stats;

	(void) pgstat_flush_backend(false, PGSTAT_BACKEND_FLUSH_IO);
	if (flush_detection_counts_syncs())
		now->flushes = io->counts[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_FSYNC];
	else
		now->flushes = io->counts[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_WRITE] -
			pgWalUsage.wal_buffers_full;
	now->io_time = (uint64) 1000 *
		(io->times[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_WRITE] +
		 io->times[IOOBJECT_WAL][IOCONTEXT_NORMAL][IOOP_FSYNC]);
}

/* How often the server has told backends to release dropped statistics. */
static uint64
drops_so_far(void)
{
	return pg_atomic_read_u64(&pgStatLocal.shmem->gc_request_count);
}

/*
 * Before a commit.  pgstat_get_entry_ref() does now what the server would else
 * do after the commit: enlarge the table of references, or release those to
 * dropped statistics.
 */
void
flush_detection_look_up(FlushReading *now)
{
	now->witness = WITNESS_NONE;
	drops_known = drops_so_far();
	entry = pgstat_get_entry_ref(PGSTAT_KIND_BACKEND, InvalidOid,
								 MyProcNumber, false, NULL);
	if (entry == NULL)
		return;					/* a process that has no such statistics */
	read_entry(now);
	not_judged = now->flushes - flush_detection_judged;
	now->buffer_io = flush_detection_buffer_io();
	now->witness = WITNESS_ENTRY;
	errno = ERRNO_UNTOUCHED;
}

/* The same, for a commit for which errno tells as well. */
void
flush_detection_check(FlushReading *now)
{
	if (flush_detection_unchecked < 0)
		flush_detection_unchecked++;
	else
		flush_detection_unchecked = (int)
			pg_prng_uint64_range(&pg_global_prng_state, 0, 2 * CHECK_INTERVAL);
	flush_detection_look_up(now);
	if (now->witness == WITNESS_ENTRY)
		now->witness = WITNESS_BOTH;
}

/* If the entry has less now, it was reset, and everything in it is new. */
static void
entry_since(const FlushReading *before, OwnFlush *since)
{
	FlushReading now;

	read_entry(&now);
	since->flushes = now.flushes;
	since->io_time = now.io_time;
	if (now.flushes >= before->flushes && now.io_time >= before->io_time)
	{
		since->flushes -= before->flushes;
		since->io_time -= before->io_time;
	}
}

/* The answer of the entry; or of errno if a look-up might raise an error. */
static void
looked_up_since(const FlushReading *before, OwnFlush *since)
{
	bool		flush_only;

	if (drops_so_far() != drops_known)
	{
		since->uncertain = 1;
		return;
	}
	since->flushes = 0;
	since->timed = track_wal_io_timing;
	if (!io_is_pending())
		return;
	flush_only = flush_detection_buffer_io() == before->buffer_io;
	if (since->timed || !flush_only)
		entry_since(before, since);
	if (flush_only)
		since->flushes = 1;
}

static void
look_up_next(int commits)
{
	flush_detection_unchecked = Min(flush_detection_unchecked, -commits);
}

/* The mark was lost: look for a flush that no commit has explained. */
static void
find_unexplained_flush(OwnFlush *since)
{
	FlushReading now;

	since->flushes = 0;
	if (entry == NULL || drops_so_far() != drops_known)
	{
		since->uncertain = 1;
		return;
	}
	read_entry(&now);
	since->flushes = now.flushes - flush_detection_judged > not_judged;
}

/* The caller has filled "since" with the answer of errno, "error". */
void
flush_detection_find_out(const FlushReading *before, int error,
						 OwnFlush *since)
{
	switch (before->witness)
	{
		case WITNESS_NONE:
			since->flushes = 0;
			since->uncertain = 1;
			break;
		case WITNESS_ERRNO:
			find_unexplained_flush(since);
			look_up_next(COMMITS_AFTER_LOSS);
			break;
		case WITNESS_ENTRY:
			looked_up_since(before, since);
			break;
		case WITNESS_BOTH:
			looked_up_since(before, since);
			if (!flush_detection_errno_tells(before, error))
				look_up_next(COMMITS_AFTER_LOSS);
			else if ((error == 0) != (since->flushes > 0))
			{
				/* errno lies; so it may have, if nothing was looked up */
				if (flush_detection_unchecked >= 0 && !track_wal_io_timing)
					since->uncertain += CHECK_INTERVAL;
				look_up_next(COMMITS_IN_DOUBT);
			}
			break;
	}
}

#endif							/* WAL_IO_IS_BACKEND_STATS */
