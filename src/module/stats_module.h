/*-------------------------------------------------------------------------
 *
 * stats_module.h
 *		What segment.c and persist.c know of a module.
 *
 * A module is a C file under src/ with a part of the shared memory segment.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_STATS_MODULE_H
#define COMMIT_STATS_STATS_MODULE_H

typedef struct StatsModule
{
	/*
	 * The module's part of the segment, in bytes: a head, and behind it, from
	 * a cache line of its own, a tail.  The tail is one slot for each of
	 * MaxBackends, or what the module computes itself.  "attach" initializes
	 * the part, which is zeroed, unless it was found.
	 */
	Size		head_size;
	Size		slot_size;
	Size		(*tail_size) (int backends);
	void		(*attach) (void *head, void *tail, bool found);

	/*
	 * The module's part of the saved file, with the sizes that it has now: a
	 * head and a slot for each of MaxBackends, or what "saved_size" says.
	 * "save" fills zeroed memory, or returns false if a process was stopped
	 * while it counted.  "fits" tells whether "restore" can use what stands
	 * in a file, which may be nonsense; without "fits", the size must be the
	 * same. A type that is saved must be listed in saved_definitions() of
	 * script/check.
	 */
	Size		saved_head_size;
	Size		saved_slot_size;
	Size		(*saved_size) (void);
	bool		(*save) (void *to);
	bool		(*fits) (const void *from, Size size);
	void		(*restore) (const void *from, Size size);
} StatsModule;

/* All modules, and null; see modules.c. */
extern const StatsModule *const stats_modules[];

#endif							/* COMMIT_STATS_STATS_MODULE_H */
