/*-------------------------------------------------------------------------
 *
 * siblings.c
 *		How many other transactions are active, as the server counts them.
 *
 * Before a leader sleeps commit_delay, MinimumActiveBackends() counts the
 * other backends that have a transaction id and are not waiting for a lock.
 * It only answers whether there are enough; this room gives the number.
 *
 * The server walks its whole process array, which reads a cache line of every
 * other backend.  A count made at every commit must cost less, and must not
 * grow with max_connections: a bitmap says which backends can have an id at
 * all, and a count visits at most SIBLINGS_MAX_VISITS of them.  Up to that many the
 * result is what the server would count at that moment.  With more, every
 * backend looks at the ones that follow it in the array, and scales up.
 *
 * On many processors, cache lines that others write are what a count costs.  So
 * where no delay can be in force, and more than SIBLINGS_CHEAP_VISITS others are
 * there, only a random share of the commits counts.  The others know nothing,
 * and say so.
 *
 * From 19 on, a leader that sleeps commit_delay shows it in its PGPROC.  A
 * backend that comes across one while counting leaves a note with it, so that
 * the sleeper will know for certain.
 *
 * Locking: none.  The bitmap is changed by atomic operations, when a backend
 * runs its first transaction and when it exits.  As in the server, the PGPROC
 * fields are read without a lock: they are tested for zero only, and a count
 * that is off by one at the edge of a commit is as good as the server's own.
 * A note is a flag of one word, written by whoever sees the sleep and taken
 * away by the sleeper before its next commit.
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
#include "probe/siblings.h"

/*
 * 64 backends a word.  A count reads at most this many words beyond those that
 * hold a visited backend, which bounds it for a large, nearly empty array.
 */
#define MAX_EMPTY_WORDS			64

/* Written only as backends come and go; the notes are on lines of their own. */
typedef struct SiblingsShared
{
	/* Bits set in "connected"; atomic. */
	pg_atomic_uint32 nconnected;

	/*
	 * Bit b of word w: the backend at allProcs[64 * w + b] is there and can
	 * have a transaction id.  Atomic; a backend sets and clears only its own
	 * bit.
	 */
	pg_atomic_uint64 connected[FLEXIBLE_ARRAY_MEMBER];
} SiblingsShared;

pg_atomic_uint32 *siblings_nconnected = NULL;

static SiblingsShared *shared = NULL;

/* For each place in allProcs: was it seen asleep in its present commit? */
static pg_atomic_uint32 *seen_asleep = NULL;
static int	my_procno = -1;		/* this backend's number while registered */

static int
bitmap_words(int backends)
{
	return (backends + 63) / 64;
}

static Size
bitmap_size(int backends)
{
	return TYPEALIGN(PG_CACHE_LINE_SIZE,
					 offsetof(SiblingsShared, connected) +
					 mul_size(bitmap_words(backends), sizeof(pg_atomic_uint64)));
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
	siblings_nconnected = &shared->nconnected;
	seen_asleep = (pg_atomic_uint32 *) ((char *) head + bitmap_size(MaxBackends));
	if (found)
		return;
	pg_atomic_init_u32(&shared->nconnected, 0);
	for (int w = 0; w < bitmap_words(MaxBackends); w++)
		pg_atomic_init_u64(&shared->connected[w], 0);
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
	pg_atomic_fetch_and_u64(&shared->connected[my_procno / 64],
							~(UINT64CONST(1) << (my_procno % 64)));
	pg_atomic_fetch_sub_u32(&shared->nconnected, 1);
	my_procno = -1;
}

/*
 * Show this backend in the bitmap until it exits.  Returns true if it is there;
 * until then this is to be called before every commit, "has_xid" telling whether
 * it will be one.  A client backend is there from the server's own first
 * transaction in it, before the first command; other processes, of which most
 * never write, from the first that they write in.  May raise an error, but only
 * until it has returned true.
 */
bool
siblings_register_backend(bool has_xid)
{
	if (my_procno >= 0)
		return true;
	if (!has_xid && MyBackendType != B_BACKEND && IsUnderPostmaster)
		return false;
	Assert(MyProcNumber < MaxBackends);
	on_shmem_exit(unregister_backend, (Datum) 0);
	my_procno = MyProcNumber;
	pg_atomic_fetch_or_u64(&shared->connected[my_procno / 64],
						   UINT64CONST(1) << (my_procno % 64));
	pg_atomic_fetch_add_u32(&shared->nconnected, 1);
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

/* Begin a commit that nobody has seen asleep yet. */
void
siblings_forget_note(void)
{
	if (pg_atomic_read_u32(&seen_asleep[MyProcNumber]) != 0)
		pg_atomic_write_u32(&seen_asleep[MyProcNumber], 0);
}

/* Did anybody see this backend sleep commit_delay in its present commit? */
bool
siblings_saw_sleep(void)
{
	return COMMIT_DELAY_SHOWS &&
		pg_atomic_read_u32(&seen_asleep[MyProcNumber]) != 0;
}

/* How many of so many others are active; an estimate if they are too many. */
uint32
siblings_count_active(uint32 nothers)
{
	uint32		nvisits = Min(nothers, SIBLINGS_MAX_VISITS);
	uint32		visited = 0;
	uint32		active = 0;
	int			nwords = bitmap_words(MaxBackends);
	int			word = MyProcNumber / 64;
	uint64		not_me = ~(UINT64CONST(1) << (MyProcNumber % 64));

	for (int i = 0, empty = 0;
		 visited < nvisits && i < nwords && empty < MAX_EMPTY_WORDS; i++)
	{
		uint64		bits = pg_atomic_read_u64(&shared->connected[word]) & not_me;

		if (bits == 0)
			empty++;
		for (; bits != 0 && visited < nvisits; bits &= bits - 1)
		{
			active += is_active(word * 64 + pg_rightmost_one_pos64(bits));
			visited++;
		}
		not_me = ~UINT64CONST(0);
		if (++word == nwords)
			word = 0;
	}

	if (visited == nothers || visited == 0)
		return active;
	return (uint32) (((uint64) active * nothers + visited / 2) / visited);
}

/* Backends that one count visits. */
static uint32
visits(void)
{
	return Min(siblings_connected() - 1, SIBLINGS_MAX_VISITS);
}

/*
 * Shall this commit count, though not for a delay?  Chance decides, so that what
 * is learned of some commits holds for all, and SIBLINGS_CHEAP_VISITS is the
 * average.
 */
bool
siblings_draw(void)
{
	static uint32 state = 0;	/* Marsaglia's xorshift, never 0 once seeded */

	if (unlikely(state == 0))
		state = pg_prng_uint32(&pg_global_prng_state) | 1;
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return ((uint64) state * visits()) >> 32 < SIBLINGS_CHEAP_VISITS;
}

/* The share of commits that count their siblings. */
double
siblings_count_fraction(bool needed)
{
	return needed || siblings_are_cheap() ? 1.0 :
		(double) SIBLINGS_CHEAP_VISITS / visits();
}

/*
 * Backends that wait for a lock, which makes them no siblings; of at most
 * SIBLINGS_MAX_VISITS.  SELECT FOR UPDATE can wait without a transaction id.
 */
uint8
siblings_count_blocked(void)
{
	int			visited = 0;
	uint8		blocked = 0;

	for (int w = 0; w < bitmap_words(MaxBackends) && visited < SIBLINGS_MAX_VISITS; w++)
	{
		uint64		bits = pg_atomic_read_u64(&shared->connected[w]);

		if (w >= MAX_EMPTY_WORDS && bits == 0)
			break;
		for (; bits != 0 && visited < SIBLINGS_MAX_VISITS; bits &= bits - 1)
		{
			int			procno = w * 64 + pg_rightmost_one_pos64(bits);

			blocked += ProcGlobal->allProcs[procno].waitLock != NULL;
			visited++;
		}
	}
	return blocked;
}
