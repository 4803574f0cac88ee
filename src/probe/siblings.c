/*-------------------------------------------------------------------------
 *
 * siblings.c
 *		How many other transactions are active, as the server counts them.
 *
 *	active		has a transaction id, and does not wait for a lock
 *	sibling		another backend whose transaction is active
 *	registered	can have a transaction id: its bit is set in "registered"
 *
 * MinimumActiveBackends() reads a cache line of every other backend before a
 * leader sleeps.  A commit must not: a count visits at most
 * SIBLINGS_MAX_VISITS registered backends.  With no more, the count is the
 * server's at that moment.  With more, a backend visits its neighbours in the
 * process array and scales the count up.
 *
 * A few backends may be anywhere among many places: since PostgreSQL 16, a new
 * backend gets the place that has been free for longest.  So "summary" tells
 * which words of "registered" are not 0, and a count reads no others.
 *
 * If no sleep needs them, and more than SIBLINGS_CHEAP_VISITS others are
 * registered, a random share of the commits counts siblings.  The others
 * report SIBLINGS_NOT_COUNTED.
 *
 * From PostgreSQL 19 on, the PGPROC of a leader shows that it sleeps
 * commit_delay.  A backend that visits it sets the leader's flag in
 * "seen_asleep".  The leader clears the flag before its next commit.
 *
 * Invariant: except while a backend is about to set or clear its bit,
 * "nregistered" is the number of bits in "registered", and "summary" has a bit
 * for each word that is not 0.
 *
 * Locking: none.  A backend sets and clears its own bit, atomically, and sets
 * that of its word.  The last one to leave a word clears the word's bit, and
 * sets it again if another has registered meanwhile.  PGPROC fields are read
 * without a lock, as in the server, so a backend at the edge of a commit may
 * be missed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/ipc.h"
#include "storage/lock.h"

#include "base/changecount.h"
#include "module/stats_module.h"
#include "probe/notify_lock.h"
#include "probe/siblings.h"

typedef struct SiblingsShared
{
	pg_atomic_uint32 nregistered;
	/* bit b of word w: registered[64 * w + b] is not 0 */
	pg_atomic_uint64 summary[FLEXIBLE_ARRAY_MEMBER];
} SiblingsShared;

pg_atomic_uint32 *siblings_nregistered = NULL;

static SiblingsShared *shared = NULL;
static int	nsummary = 0;		/* its words */

/* Behind the summary; bit b of word w: allProcs[64 * w + b] */
static pg_atomic_uint64 *registered = NULL;

/* On cache lines of its own, by index in allProcs. */
static pg_atomic_uint32 *seen_asleep = NULL;

static int
bitmap_words(int bits)
{
	return (bits + 63) / 64;
}

static Size
bitmap_size(int backends)
{
	int			words = bitmap_words(backends);

	return TYPEALIGN(PG_CACHE_LINE_SIZE,
					 offsetof(SiblingsShared, summary) +
					 (bitmap_words(words) + words) * sizeof(pg_atomic_uint64));
}

static Size
siblings_tail_size(int backends)
{
	return add_size(bitmap_size(backends),
					mul_size(backends, sizeof(pg_atomic_uint32)));
}

static void
siblings_attach(void *head, void *tail, bool found)
{
	siblings_nregistered = &shared->nregistered;
	nsummary = bitmap_words(bitmap_words(MaxBackends));
	registered = &shared->summary[nsummary];
	seen_asleep = (pg_atomic_uint32 *)
		((char *) head + bitmap_size(MaxBackends));
}

const StatsModule siblings_module = {
	.tail_size = siblings_tail_size,
	.head = (void **) &shared,
	.attach = siblings_attach,
};

static inline uint64
bit(uint32 n)
{
	return UINT64CONST(1) << (n % 64);
}

static void
unregister_backend(int code, Datum arg)
{
	uint32		mine = (uint32) MyProcNumber / 64;
	pg_atomic_uint64 *summary = &shared->summary[mine / 64];

	if (pg_atomic_fetch_and_u64(&registered[mine], ~bit(MyProcNumber)) ==
		bit(MyProcNumber))
	{
		pg_atomic_fetch_and_u64(summary, ~bit(mine));
		barrier_after_atomic(); /* protocol registered */
		if (pg_atomic_read_u64(&registered[mine]) != 0)
			pg_atomic_fetch_or_u64(summary, bit(mine));
	}
	pg_atomic_fetch_sub_u32(&shared->nregistered, 1);
}

/*
 * Register this backend until it exits.  Called before every commit until it
 * returns true.  A client backend, and a worker with a database, register in
 * the server's own first transaction.  Other processes, most of which never
 * write, do so in the first one that has an id; parallel workers have none.
 */
bool
siblings_register_backend(void)
{
	uint32		mine = (uint32) MyProcNumber / 64;
	bool		is_worker = MyBackendType == B_BG_WORKER &&
	OidIsValid(MyDatabaseId) && !IsParallelWorker();

	if (MyBackendType != B_BACKEND && !is_worker && IsUnderPostmaster &&
		!TransactionIdIsValid(MyProc->xid))
		return false;
	Assert(MyProcNumber < MaxBackends);
	on_shmem_exit(unregister_backend, (Datum) 0);
	pg_atomic_fetch_or_u64(&registered[mine], bit(MyProcNumber));
	pg_atomic_fetch_or_u64(&shared->summary[mine / 64], bit(mine));
	pg_atomic_fetch_add_u32(&shared->nregistered, 1);
	return true;
}

/* The same test as in MinimumActiveBackends(). */
static inline bool
is_active(int procno)
{
	PGPROC	   *proc = &ProcGlobal->allProcs[procno];

	if (proc->xid == InvalidTransactionId || proc->pid == 0 ||
		proc->waitLock != NULL)
		return false;
	if (PROC_IS_IN_COMMIT_DELAY(proc) &&
		pg_atomic_read_u32(&seen_asleep[procno]) == 0)
		pg_atomic_write_u32(&seen_asleep[procno], 1);
	return true;
}

/*
 * SELECT FOR UPDATE can wait for a lock without a transaction id.  A session
 * that waits for the lock of NOTIFY commits already; one that waits to extend
 * a table does not wait for a commit.  The memory of a lock stays, so its tag
 * is read as in commit_phase.c.
 */
static bool
is_blocked(int procno)
{
	LOCK	   *lock = *(LOCK *volatile *) &ProcGlobal->allProcs[procno].waitLock;

	return lock != NULL && !notify_lock_is(&lock->tag) &&
		lock->tag.locktag_type != LOCKTAG_RELATION_EXTEND;
}

/*
 * Visit at most "most" other registered backends; count those that pass.  The
 * first word is this backend's own; "summary" is turned accordingly.
 */
static pg_attribute_always_inline uint32
visit(bool (*passes) (int procno), uint32 most, uint32 *nvisited)
{
	uint32		npassed = 0;
	uint32		mine = (uint32) MyProcNumber / 64;
	uint32		turn = mine % 64;
	uint64		not_me = ~bit(MyProcNumber);

	*nvisited = 0;
	for (int i = 0, s = mine / 64; i < nsummary; i++, s++)
	{
		uint64		words;

		if (s == nsummary)
			s = 0;
		words = pg_atomic_read_u64(&shared->summary[s]);
		words = words >> turn | words << (-turn % 64) | (i == 0);
		for (; words != 0; words &= words - 1)
		{
			uint32		word = s * 64 +
			(turn + pg_rightmost_one_pos64(words)) % 64;
			uint64		bits = pg_atomic_read_u64(&registered[word]) & not_me;

			for (; bits != 0; bits &= bits - 1)
			{
				npassed += passes(word * 64 + pg_rightmost_one_pos64(bits));
				if (++*nvisited >= most)
					return npassed;
			}
			not_me = ~UINT64CONST(0);
		}
	}
	return npassed;
}

/* How many of "nothers" registered backends pass, or an estimate. */
static pg_attribute_always_inline uint32
estimate(bool (*passes) (int procno), uint32 nothers)
{
	uint32		nvisited;
	uint32		npassed = visit(passes, Min(nothers, SIBLINGS_MAX_VISITS),
								&nvisited);

	if (nvisited == nothers || nvisited == 0)
		return npassed;
	return (uint32) (((uint64) npassed * nothers + nvisited / 2) / nvisited);
}

uint32
siblings_count_active(uint32 nothers)
{
	return estimate(is_active, nothers);
}

uint32
siblings_estimate(bool (*passes) (int procno))
{
	return estimate(passes, siblings_connected() - 1);
}

/* Backends that wait for a lock that others keep until their commit, or longer */
uint16
siblings_count_blocked(void)
{
	return (uint16) Min(siblings_estimate(is_blocked), PG_UINT16_MAX);
}

void
siblings_forget_sleep(void)
{
	if (pg_atomic_read_u32(&seen_asleep[MyProcNumber]) != 0)
		pg_atomic_write_u32(&seen_asleep[MyProcNumber], 0);
}

bool
siblings_saw_sleep(void)
{
	return COMMIT_DELAY_SHOWS &&
		pg_atomic_read_u32(&seen_asleep[MyProcNumber]) != 0;
}

static uint32
visits(void)
{
	return Min(siblings_connected() - 1, SIBLINGS_MAX_VISITS);
}

bool
siblings_draw(void)
{
	return ((uint64) pg_prng_uint32(&pg_global_prng_state) * visits()) >> 32 <
		SIBLINGS_CHEAP_VISITS;
}

double
siblings_count_fraction(bool needed)
{
	return needed || siblings_are_cheap() ? 1.0 :
		(double) SIBLINGS_CHEAP_VISITS / visits();
}
