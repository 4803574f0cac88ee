/* Counters in shared memory: of one writer, and in arrays. */
#ifndef COMMIT_STATS_SHARED_COUNTERS_H
#define COMMIT_STATS_SHARED_COUNTERS_H

#include "port/atomics.h"

/*
 * The counter is atomic so that others read whole 64-bit values on every
 * platform.  There is never a second writer, so adding is a read and a write.
 * Without the volatile access of pg_atomic_write_u64() this can be a single
 * instruction.
 */
static inline void
single_writer_add(pg_atomic_uint64 *counter, uint64 n)
{
#ifdef PG_HAVE_8BYTE_SINGLE_COPY_ATOMICITY
	*(uint64 *) &counter->value += n;
#else
	pg_atomic_write_u64(counter, pg_atomic_read_u64(counter) + n);
#endif
}

/* Arrays of atomic counters, and copies of their values. */
static inline void
counter_array_read(uint64 *value, pg_atomic_uint64 *counter, int n)
{
	for (int i = 0; i < n; i++)
		value[i] = pg_atomic_read_u64(&counter[i]);
}

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

#endif							/* COMMIT_STATS_SHARED_COUNTERS_H */
