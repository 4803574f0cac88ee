/*-------------------------------------------------------------------------
 *
 * flush_detection.c
 *		Commits in a simulated server, judged by
 *		src/probe/flush_detection_errno.c, for t/unit/flush_detection.pl.
 *
 * Reads lines "commits flushes errno outside dropped": a number of commits; in
 * each the process syncs the WAL "flushes" times and leaves a value in errno
 * (or "-", what the server leaves); "u" before that: no WAL was written when
 * the commit begins.  Before each, it syncs the WAL
 * "outside" times, and with "dropped" other sessions drop statistics.  Answers
 * each line with the flushes that were found, those that are uncertain, and
 * how often the entry was brought up to date before and after a commit.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "common/pg_prng.h"
#include "pgstat.h"

#include "probe/flush_detection.h"

#ifdef WAL_IO_IS_BACKEND_STATS
#include "utils/pgstat_internal.h"

BufferUsage pgBufferUsage;
WalUsage	pgWalUsage;
bool		enableFsync = true;
bool		track_wal_io_timing = false;
int			wal_sync_method = WAL_SYNC_METHOD_FDATASYNC;
ProcNumber	MyProcNumber = 0;
pg_prng_state pg_global_prng_state;
PgStat_LocalState pgStatLocal;

static PgStat_ShmemControl control;
static PgStatShared_Backend shared_entry;
static PgStat_EntryRef entry_ref;
static int	pending = 0;		/* syncs that are not in the entry yet */
static bool in_commit = false;
static int	reads_before = 0;
static int	reads_after = 0;

/* An interval that does not vary */
uint64
pg_prng_uint64_range(pg_prng_state *state, uint64 rmin, uint64 rmax)
{
	return (rmin + rmax) / 2;
}

PgStat_EntryRef *
pgstat_get_entry_ref(PgStat_Kind kind, Oid dboid, uint64 objid, bool create,
					 bool *created_entry)
{
	return &entry_ref;
}

/* "nowait" is a question, asked while the caller holds the lock. */
bool
pgstat_flush_backend(bool nowait, uint32 flags)
{
	if (nowait)
		return pending > 0;
	if (in_commit)
		reads_after++;
	else
		reads_before++;
	shared_entry.stats.io_stats.counts[IOOBJECT_WAL][IOCONTEXT_NORMAL]
		[IOOP_FSYNC] += pending;
	pending = 0;
	return false;
}

bool
LWLockAcquire(LWLock *lock, LWLockMode mode)
{
	return true;
}

void
LWLockRelease(LWLock *lock)
{
}

static void
commit(int syncs, const char *value, OwnFlush *own)
{
	FlushReading reading;

	in_commit = false;
	if (*value == 'u')
	{
		value++;
		flush_detection_read_unlogged(&reading);
	}
	else
		flush_detection_read(&reading);
	in_commit = true;
	pending += syncs;
	if (syncs > 0)
		errno = 0;
	if (strcmp(value, "-") != 0)
		errno = atoi(value);
	flush_detection_since(&reading, own);
}

int
main(void)
{
	int			commits,
				syncs,
				outside,
				dropped;
	char		value[16];

	pgStatLocal.shmem = &control;
	entry_ref.shared_stats = (PgStatShared_Common *) &shared_entry;
	while (scanf("%d %d %15s %d %d", &commits, &syncs, value, &outside,
				 &dropped) == 5)
	{
		int64		flushes = 0;
		int			uncertain = 0;

		reads_before = reads_after = 0;
		for (int i = 0; i < commits; i++)
		{
			OwnFlush	own;

			pending += outside;
			if (dropped)
				pg_atomic_fetch_add_u64(&control.gc_request_count, 1);
			commit(syncs, value, &own);
			flushes += own.flushes;
			uncertain += own.uncertain;
		}
		printf("%d %d %d %d\n", (int) flushes, uncertain, reads_before,
			   reads_after);
	}
	return 0;
}

#else

int
main(void)
{
	printf("not needed\n");
	return 0;
}

#endif							/* WAL_IO_IS_BACKEND_STATS */
