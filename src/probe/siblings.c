/*-------------------------------------------------------------------------
 *
 * siblings.c
 *		How many other transactions are active, as the server counts them.
 *
 * Before a leader sleeps commit_delay, MinimumActiveBackends() counts the
 * other backends that have a transaction id and do not wait for a lock.  It
 * answers only whether there are enough; this file counts how many.
 *
 * The server walks its whole process array and so reads a cache line of every
 * other backend.  A count at each commit must cost less, and the cost must
 * not grow with max_connections.  So a bitmap shows which backends can have
 * an id at all, and a count visits at most SIBLINGS_MAX_VISITS of them.  With
 * at most that many, the count is the server's at that moment.  With more, a
 * backend visits those after it in the array and scales the count up.
 *
 * Each visit reads a cache line that another processor may have written.
 * If no leader can sleep, and more than SIBLINGS_CHEAP_VISITS other
 * backends are registered, only a random share of the commits counts
 * siblings; the others report SIBLINGS_NOT_COUNTED.
 *
 * From PostgreSQL 19 on, the PGPROC of a leader shows that it sleeps
 * commit_delay.  A backend that visits it sets the leader's flag in
 * "seen_asleep".  The leader clears the flag before its next commit.
 *
 * Locking: none.  A backend sets its bit by an atomic operation when it
 * registers and clears it when it exits.  As in the server, PGPROC fields
 * are read without a lock, so a backend at the edge of a commit may be
 * missed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/ipc.h"
#include "storage/lock.h"

#include "base/compat.h"
#include "base/shared_counters.h"
#include "probe/siblings.h"

typedef struct SiblingsShared
{
	pg_atomic_uint32 nregistered;	/* bits set in "registered" */

	/*
	 * A backend_set of those that can have a transaction id.  A backend
	 * changes only its own bit.
	 */
	pg_atomic_uint64 registered[FLEXIBLE_ARRAY_MEMBER];
} SiblingsShared;

pg_atomic_uint32 *siblings_nregistered = NULL;

static SiblingsShared *shared = NULL;

/* On cache lines of its own, by index in allProcs. */
static pg_atomic_uint32 *seen_asleep = NULL;

static Size
bitmap_size(int backends)
{
	Size		words = mul_size(backend_set_words(backends),
								 sizeof(pg_atomic_uint64));

	return TYPEALIGN(PG_CACHE_LINE_SIZE,
					 offsetof(SiblingsShared, registered) + words);
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
	shared = head;
	siblings_nregistered = &shared->nregistered;
	seen_asleep = (pg_atomic_uint32 *)
		((char *) head + bitmap_size(MaxBackends));
	if (found)
		return;
	pg_atomic_init_u32(&shared->nregistered, 0);
	for (int w = 0; w < backend_set_words(MaxBackends); w++)
		pg_atomic_init_u64(&shared->registered[w], 0);
	for (int i = 0; i < MaxBackends; i++)
		pg_atomic_init_u32(&seen_asleep[i], 0);
}

const StatsModule siblings_module = {
	.tail_size = siblings_tail_size,
	.attach = siblings_attach,
};

static void
unregister_backend(int code, Datum arg)
{
	backend_set_remove(shared->registered, MyProcNumber);
	pg_atomic_fetch_sub_u32(&shared->nregistered, 1);
}

/*
 * Register this backend until it exits.  Called before every commit until it
 * returns true.  A client backend registers in the server's own first
 * transaction, before any command.  Other processes, most of which never
 * write, register in the first transaction that has an id.  May raise an
 * error.
 */
bool
siblings_register_backend(void)
{
	if (MyBackendType != B_BACKEND && IsUnderPostmaster &&
		!TransactionIdIsValid(MyProc->xid))
		return false;
	Assert(MyProcNumber < MaxBackends);
	on_shmem_exit(unregister_backend, (Datum) 0);
	backend_set_add(shared->registered, MyProcNumber);
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

/* SELECT FOR UPDATE can wait for a lock without a transaction id. */
static inline bool
is_blocked(int procno)
{
	return ProcGlobal->allProcs[procno].waitLock != NULL;
}

/*
 * Visit at most "most" registered backends other than this; count who passes.
 */
static pg_attribute_always_inline uint32
visit(bool (*passes) (int procno), uint32 most, uint32 *nvisited)
{
	uint32		npassed = 0;
	int			nwords = backend_set_words(MaxBackends);
	int			word = MyProcNumber / 64;
	uint64		not_me = ~(UINT64CONST(1) << (MyProcNumber % 64));

	*nvisited = 0;
	for (int i = 0; i < nwords && *nvisited < most; i++)
	{
		uint64		bits = pg_atomic_read_u64(&shared->registered[word]);

		for (bits &= not_me; bits != 0 && *nvisited < most; bits &= bits - 1)
		{
			npassed += passes(word * 64 + pg_rightmost_one_pos64(bits));
			(*nvisited)++;
		}
		not_me = ~UINT64CONST(0);
		if (++word == nwords)
			word = 0;
	}
	return npassed;
}

/* The number of "nothers" registered backends that pass, or an estimate. */
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

/*
 * The number of "nothers" registered backends that are active, or an estimate.
 */
uint32
siblings_count_active(uint32 nothers)
{
	return estimate(is_active, nothers);
}

/* The number of other registered backends that pass, or an estimate. */
uint32
siblings_estimate(bool (*passes) (int procno))
{
	return estimate(passes, siblings_connected() - 1);
}

/* Backends that wait for a lock, of at most SIBLINGS_MAX_VISITS. */
uint8
siblings_count_blocked(void)
{
	uint32		nvisited;

	return (uint8) visit(is_blocked, SIBLINGS_MAX_VISITS, &nvisited);
}

/* Begin a commit in which no backend has seen this one asleep. */
void
siblings_forget_sleep(void)
{
	if (pg_atomic_read_u32(&seen_asleep[MyProcNumber]) != 0)
		pg_atomic_write_u32(&seen_asleep[MyProcNumber], 0);
}

/* Returns true if a backend has seen this one sleep since then. */
bool
siblings_saw_sleep(void)
{
	return COMMIT_DELAY_SHOWS &&
		pg_atomic_read_u32(&seen_asleep[MyProcNumber]) != 0;
}

/* Backends that one count visits. */
static uint32
visits(void)
{
	return Min(siblings_connected() - 1, SIBLINGS_MAX_VISITS);
}

/*
 * Returns true for the commits that count siblings although no delay needs it.
 */
bool
siblings_draw(void)
{
	return ((uint64) pg_prng_uint32(&pg_global_prng_state) * visits()) >> 32 <
		SIBLINGS_CHEAP_VISITS;
}

/* The share of commits that count their siblings: all, if that is needed. */
double
siblings_count_fraction(bool needed)
{
	return needed || siblings_are_cheap() ? 1.0 :
		(double) SIBLINGS_CHEAP_VISITS / visits();
}
