/*-------------------------------------------------------------------------
 *
 * visibility.h
 *		Variables that the commit path reads without the global offset table.
 *
 * Another library could define a variable of the same name, so compilers read
 * the address of a variable from that table each time, unless its declaration
 * is hidden.  (Since PostgreSQL 16 PGXS passes -fvisibility=hidden, which does
 * not affect extern declarations.)
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
