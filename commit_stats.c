/*-------------------------------------------------------------------------
 *
 * commit_stats.c
 *		How commits share WAL flushes, and what commit_delay does about it.
 *
 * A commit waits until its commit record is on disk.  Commits that run at the
 * same time can share one flush, and commit_delay and commit_siblings say how
 * hard the server tries.  This module shows what comes of it on a server that
 * is not patched: how many commits each flush carried, which flushes slept
 * before they began, and how many other transactions were active.
 *
 * The words, which are used in the same sense everywhere:
 *
 *	commit		a transaction with an id whose commit record had to be flushed
 *				before COMMIT returned; an asynchronous commit did not wait
 *	flush		one write and sync of the WAL that moved the server's flush
 *				pointer; its boundary is where the pointer came to stand
 *	leader		the committing backend that issued the flush
 *	follower	a commit that the flush of another carried along
 *	flush group	leader and followers; its size is N, the commits in flush
 *	siblings	other transactions that have an id and do not wait for a lock,
 *				counted as the server does before it sleeps
 *	M			the transactions that were active around a flush
 *	delay hit	a flush whose leader slept commit_delay
 *	delay miss	one that did not although commit_delay was set, as too few
 *				siblings were active
 *	cycle		the WAL from one checkpoint's redo position to the next one's
 *
 * Data goes one way: the commit path observes, slots and groups remember, views
 * read.  The folders of src/ (doc/contributing.md says which may include which):
 *
 *	base		what everything stands on
 *	probe		what one commit sees of the server
 *	stats		what is remembered, in shared memory and over a restart
 *	control		what is changed for one commit
 *	commit		the callbacks, in commit_path.c; the worker that logs flushes
 *	tuning		the live experiment, sweep.c
 *	whatif		the prediction, whatif.c
 *	report		one screen of text, report.c
 *	views		rows of the SQL functions
 *
 * What is counted is in doc/reference.md, and how sure each figure is in
 * doc/limits.md.  Each file's head states its invariant and its locking.  The
 * rule above all of them: on the commit path nothing raises an error,
 * allocates, does I/O, waits, or loops without a bound; only the first
 * transaction of a process, which makes the process known, may before its commit
 * record is written.
 *
 * Copyright (c) 2026, the commit_stats authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/extension.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "base/guc.h"
#include "base/shared_memory.h"
#include "commit/commit_path.h"
#include "commit/flush_logger.h"
#include "segment.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

/*
 * Without preloading there is no shared memory and nothing to hook into.  That
 * is no error here: the SQL functions can still be created, and say themselves
 * what is missing when they are called.  Whoever creates them is told already.
 */
void
_PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
	{
		if (creating_extension)
			shared_memory_report_missing(WARNING);
		return;
	}

	guc_define();
	segment_install_hooks();
	commit_path_install_hooks();
	flush_logger_register();
}
