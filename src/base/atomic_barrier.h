/*-------------------------------------------------------------------------
 *
 * atomic_barrier.h
 *		What an atomic operation lacks to be a full barrier.
 *
 * port/atomics.h says that an addition or a swap is a full barrier.  On x86 it
 * is.  On other processors it comes after what was before, but what follows
 * may come before its store: on arm64 without the instructions of ARMv8.1 and
 * on RISC-V (store-conditional), on PowerPC (arch-ppc.h ends with isync).
 *
 * t/memory_model has the protocols for which that matters, and the others; a
 * comment at each barrier names the protocol.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_ATOMIC_BARRIER_H
#define COMMIT_STATS_ATOMIC_BARRIER_H

#include "port/atomics.h"

static inline void
barrier_after_atomic(void)
{
#if defined(__x86_64__) || defined(__i386__)
	pg_compiler_barrier();
#else
	pg_memory_barrier();
#endif
}

#endif							/* COMMIT_STATS_ATOMIC_BARRIER_H */
