/*-------------------------------------------------------------------------
 *
 * visibility.h
 *		Variables that the commit path reads where they are.
 *
 * Another library could define a variable of the same name, so compilers look up
 * the address of one in a table of the dynamic linker each time they need it,
 * unless its declaration says that nobody else sees it.  (PGXS hides what is not
 * exported since PostgreSQL 16, but that only marks definitions.)
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_VISIBILITY_H
#define COMMIT_STATS_VISIBILITY_H

#if defined(__GNUC__) && !defined(WIN32)
#define COMMIT_STATS_HIDDEN	__attribute__((visibility("hidden")))
#else
#define COMMIT_STATS_HIDDEN
#endif

#endif							/* COMMIT_STATS_VISIBILITY_H */
