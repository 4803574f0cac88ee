/* Change counts for readers that take no lock; see changecount.c. */
#ifndef COMMIT_STATS_CHANGECOUNT_H
#define COMMIT_STATS_CHANGECOUNT_H

#include "port/atomics.h"

#include "base/compat.h"

/*
 * What an atomic operation lacks to be a full barrier.  port/atomics.h says
 * that an addition or a swap is one.  On x86 it is.  On other processors it
 * comes after what was before, but what follows may come before its store: on
 * arm64 without the instructions of ARMv8.1 and on RISC-V (store-conditional),
 * on PowerPC (arch-ppc.h ends with isync).
 *
 * t/memory_model has the protocols; a comment at each barrier names its own.
 */
static inline void
barrier_after_atomic(void)
{
#if defined(__x86_64__) || defined(__i386__)
	pg_compiler_barrier();
#else
	pg_memory_barrier();
#endif
}

#define CHANGECOUNT_MAX_PASSES	100 /* of a reader that is disturbed */

/*
 * In shared memory, atomic: changes under way in the lower bits, of which each
 * backend has one at most, and changes that have ended above them.
 */
typedef struct ChangeCount
{
	pg_atomic_uint64 word;
} ChangeCount;

#define CHANGECOUNT_SHIFT		20
#define CHANGECOUNT_UNDER_WAY	((UINT64CONST(1) << CHANGECOUNT_SHIFT) - 1)

/* Added to the word: one change less is under way, and one more has ended. */
#define CHANGECOUNT_END			CHANGECOUNT_UNDER_WAY

/* What this process changes; null if nothing. */
extern COMMIT_STATS_HIDDEN ChangeCount *changecount_under_way;

extern void changecount_abandon(void);

/*
 * After a FATAL error, the abort of the transaction may begin a change while
 * another one is still under way.
 */
static inline void
changecount_begin(ChangeCount *changes)
{
	changecount_abandon();
	pg_atomic_fetch_add_u64(&changes->word, 1);
	barrier_after_atomic();		/* protocols changecount, reset */
	changecount_under_way = changes;
}

/*
 * Instead of changecount_begin(): begin the change after which "count" have
 * ended.  Returns false if another one is under way, or as many have ended.
 */
static inline bool
changecount_claim(ChangeCount *changes, uint64 count)
{
	uint64		word;

	changecount_abandon();
	word = pg_atomic_read_u64(&changes->word);
	if ((word & CHANGECOUNT_UNDER_WAY) != 0 ||
		word >> CHANGECOUNT_SHIFT >= count ||
		!pg_atomic_compare_exchange_u64(&changes->word, &word, word + 1))
		return false;
	barrier_after_atomic();		/* protocol trace */
	changecount_under_way = changes;
	return true;
}

static inline void
changecount_end(ChangeCount *changes)
{
	changecount_under_way = NULL;
	pg_atomic_fetch_add_u64(&changes->word, CHANGECOUNT_END);
}

/* After changecount_claim(): "count" changes have ended now. */
static inline void
changecount_end_as(ChangeCount *changes, uint64 count)
{
	changecount_under_way = NULL;
	pg_write_barrier();			/* protocol trace */
	pg_atomic_write_u64(&changes->word, count << CHANGECOUNT_SHIFT);
}

/* For readers: the number of changes that began after "before" had ended. */
static inline uint64
changecount_since(ChangeCount *changes, uint64 before)
{
	uint64		word;

	pg_read_barrier();			/* protocols changecount, trace */
	word = pg_atomic_read_u64(&changes->word);
	return (word >> CHANGECOUNT_SHIFT) + (word & CHANGECOUNT_UNDER_WAY) - before;
}

/* Readers. */
extern bool changecount_read(ChangeCount *changes, uint64 *count);
extern uint64 changecount_wait(ChangeCount *changes);
extern void changecount_report_stopped(void);
extern void changecount_count_pass(int *passes);

#endif							/* COMMIT_STATS_CHANGECOUNT_H */
