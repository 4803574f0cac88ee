/*
 * sanitizer_memcheck.h
 *
 * Lets AddressSanitizer see into PostgreSQL's memory contexts: stands in for
 * valgrind/memcheck.h in the server that script/prepare-server compiles for
 * script/test-sanitizers.  With USE_VALGRIND the server says by these macros
 * which memory is nobody's.  What is defined AddressSanitizer does not know.
 */
#ifndef SANITIZER_MEMCHECK_H
#define SANITIZER_MEMCHECK_H

#include <sanitizer/asan_interface.h>

#define VALGRIND_MAKE_MEM_NOACCESS(address, size) ASAN_POISON_MEMORY_REGION(address, size)
#define VALGRIND_MAKE_MEM_UNDEFINED(address, size) ASAN_UNPOISON_MEMORY_REGION(address, size)
#define VALGRIND_MAKE_MEM_DEFINED(address, size) ASAN_UNPOISON_MEMORY_REGION(address, size)
#define VALGRIND_CHECK_MEM_IS_DEFINED(address, size) 0
#define VALGRIND_CHECK_MEM_IS_ADDRESSABLE(address, size) 0

#define VALGRIND_CREATE_MEMPOOL(pool, redzone, zeroed) ((void) 0)
#define VALGRIND_DESTROY_MEMPOOL(pool) ((void) 0)
#define VALGRIND_MEMPOOL_ALLOC(pool, address, size) ASAN_UNPOISON_MEMORY_REGION(address, size)
#define VALGRIND_MEMPOOL_FREE(pool, address) ((void) 0)
#define VALGRIND_MEMPOOL_CHANGE(pool, old, address, size) \
	ASAN_UNPOISON_MEMORY_REGION(address, size)
#define VALGRIND_MEMPOOL_TRIM(pool, address, size) ((void) 0)

#define RUNNING_ON_VALGRIND 0
#define VALGRIND_COUNT_ERRORS 0
#define VALGRIND_PRINTF(...) ((void) 0)

#endif							/* SANITIZER_MEMCHECK_H */
