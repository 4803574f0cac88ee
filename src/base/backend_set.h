/*-------------------------------------------------------------------------
 *
 * backend_set.h
 *		A set of backends in shared memory, one bit each.
 *
 * Bit b of word w: allProcs[64 * w + b].
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_BACKEND_SET_H
#define COMMIT_STATS_BACKEND_SET_H

#include "port/atomics.h"

static inline int
backend_set_words(int backends)
{
	return (backends + 63) / 64;
}

static inline void
backend_set_add(pg_atomic_uint64 *set, int procno)
{
	pg_atomic_fetch_or_u64(&set[procno / 64], UINT64CONST(1) << (procno % 64));
}

static inline void
backend_set_remove(pg_atomic_uint64 *set, int procno)
{
	pg_atomic_fetch_and_u64(&set[procno / 64],
							~(UINT64CONST(1) << (procno % 64)));
}

static inline bool
backend_set_has(pg_atomic_uint64 *set, int procno)
{
	return (pg_atomic_read_u64(&set[procno / 64]) >> (procno % 64)) & 1;
}

#endif							/* COMMIT_STATS_BACKEND_SET_H */
