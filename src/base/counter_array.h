/*-------------------------------------------------------------------------
 *
 * counter_array.h
 *		Arrays of counters: atomic ones, and copies of their values.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_COUNTER_ARRAY_H
#define COMMIT_STATS_COUNTER_ARRAY_H

#include "port/atomics.h"

static inline void
counter_array_init(pg_atomic_uint64 *counter, int n)
{
	for (int i = 0; i < n; i++)
		pg_atomic_init_u64(&counter[i], 0);
}

static inline void
counter_array_read(uint64 *value, pg_atomic_uint64 *counter, int n)
{
	for (int i = 0; i < n; i++)
		value[i] = pg_atomic_read_u64(&counter[i]);
}

/* The same, added to what is there. */
static inline void
counter_array_read_add(uint64 *sum, pg_atomic_uint64 *counter, int n)
{
	for (int i = 0; i < n; i++)
		sum[i] += pg_atomic_read_u64(&counter[i]);
}

static inline void
counter_array_add(uint64 *sum, const uint64 *value, int n)
{
	for (int i = 0; i < n; i++)
		sum[i] += value[i];
}

static inline void
counter_array_subtract(uint64 *value, const uint64 *base, int n)
{
	for (int i = 0; i < n; i++)
		value[i] -= base[i];
}

#endif							/* COMMIT_STATS_COUNTER_ARRAY_H */
