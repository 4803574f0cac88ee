/*-------------------------------------------------------------------------
 *
 * stats_module.h
 *		What a module registers, once.
 *
 * A module is a C file under src/ with state of its own that lives as long as
 * the server or a process.  It defines one StatsModule, NAME_module, of which
 * all fields are optional, and has a line in STATS_MODULES.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_STATS_MODULE_H
#define COMMIT_STATS_STATS_MODULE_H

#include "datatype/timestamp.h"
#include "port/atomics.h"

#if defined(PG_HAVE_ATOMIC_U32_SIMULATION) || defined(PG_HAVE_ATOMIC_U64_SIMULATION)
#error "commit_stats needs a platform with atomic operations on 64 bits"
#endif

typedef struct StatsModule
{
	/*
	 * The module's part of the segment, in bytes: a head, and behind it, from
	 * a cache line of its own, a tail.  The tail is one slot for each of
	 * MaxBackends, or what the module computes itself.  "head" and "tail" are
	 * variables to point there.  The memory is zeroed, as are atomic
	 * variables in it; "attach" initializes what is not 0, unless the part
	 * was found.
	 */
	Size		head_size;
	Size		slot_size;
	Size		(*tail_size) (int backends);
	void	  **head;
	void	  **tail;
	void		(*attach) (void *head, void *tail, bool found);

	/*
	 * "enter" prepares a process before it counts anything, in the order of
	 * the list; it may wait and may raise an error.  "leave" runs when the
	 * process exits, in reverse order, even if "enter" has failed.
	 */
	void		(*enter) (void);
	void		(*leave) (void);

	/*
	 * The steps of a reset; each is done by all modules before the next one
	 * begins.  The first runs under the reset lock, the others under the
	 * clients lock as well.  Only the first two may raise an error: the first
	 * waits until counts that are under way are in the totals, the second
	 * copies what is forgotten.
	 */
	void		(*reset_prepare) (void);
	void		(*reset_copy) (void);
	void		(*reset) (TimestampTz now);

	/*
	 * The module's part of the saved file, if it has a name, with the sizes
	 * that it has now: a head and a slot for each of MaxBackends, or what
	 * "saved_size" returns.  "save" fills zeroed memory.  "fits" tells
	 * whether "restore" can use a part of this size; without "fits", the size
	 * must be the same.  All get "saved_object". saved_definitions() of
	 * script/generate lists the types that are saved.
	 */
	const char *saved_name;
	void	   *saved_object;
	Size		saved_head_size;
	Size		saved_slot_size;
	Size		(*saved_size) (const void *object);
	void		(*save) (const void *object, void *to);
	bool		(*fits) (const void *object, Size size);
	void		(*restore) (void *object, const void *from, Size size);

	/*
	 * In the postmaster: saved parts have been restored, or refused; the
	 * server has been shut down, with commit_stats.save on.
	 */
	void		(*started) (void);
	void		(*ended) (void);
} StatsModule;

/*
 * The modules.  Three places in the order matter:
 *
 *	clients			before statements, whose keys have a client's role
 *	backend_slots	before flush_totals: a commit is counted in its slot and
 *					then in its group, so a copy of the slots must not have a
 *					commit that the groups, copied later, have not
 *	flush_totals	last of those with "reset_copy", as its copy is the first
 *					change that others see
 */
#define STATS_MODULES(X) \
	X(adaptive_delay) \
	X(siblings) \
	X(backend_slots) \
	X(clients) \
	X(statements) \
	X(wall_clock) \
	X(commit_trace) \
	X(delay_override) \
	X(flush_ring) \
	X(latency) \
	X(notify_lock) \
	X(slow_log) \
	X(standby) \
	X(history) \
	X(wal_cycles) \
	X(watch) \
	X(flush_totals)

#define STATS_MODULE_DECLARE(name)	extern const StatsModule name##_module;

STATS_MODULES(STATS_MODULE_DECLARE)

/* All of them, then null */
extern const StatsModule *const stats_modules[];

/* Call a function of each that has it, in their order. */
#define CALL_MODULES(function, arguments) \
	for (int i = 0; stats_modules[i]; i++) \
		if (stats_modules[i]->function) \
			stats_modules[i]->function arguments

#endif							/* COMMIT_STATS_STATS_MODULE_H */
