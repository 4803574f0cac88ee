/*-------------------------------------------------------------------------
 *
 * single_writer.h
 *		Counters in shared memory that one backend alone writes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SINGLE_WRITER_H
#define COMMIT_STATS_SINGLE_WRITER_H

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

#endif							/* COMMIT_STATS_SINGLE_WRITER_H */
