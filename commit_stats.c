/*-------------------------------------------------------------------------
 *
 * commit_stats.c
 *		How commits share WAL flushes, and what commit_delay does about it.
 *
 * A commit waits until its commit record is on disk.  Commits that run at the
 * same time can share one flush, and commit_delay and commit_siblings control
 * how long a flush waits for more of them.  This module shows, on an
 * unpatched server, how many commits each flush carried, which flushes slept
 * before they began, and how many other transactions were active.
 *
 * Terms:
 *
 *	commit		a transaction with an id that ended by COMMIT; a synchronous
 *				one waited until its commit record was flushed
 *	flush		one write and sync of the WAL that moved the server's flush
 *				pointer; its boundary is the pointer's new value
 *	leader		the commit whose backend issued the flush; a flush of the WAL
 *				writer has none
 *	follower	a commit whose record another process flushed
 *	flush group	the leader and the followers of a flush, its members; N is
 *				their number
 *	siblings	other transactions that have an id and do not wait for a lock,
 *				as the server counts them before it sleeps
 *	M			the transactions that were active around a flush, including
 *				its members
 *	delay hit	a flush whose leader slept before it, whatever set the time
 *	delay miss	a flush whose leader did not, although commit_delay was set, as
 *				too few siblings were active
 *	adaptive delay
 *				a sleep that commit_stats.adaptive_delay computes for each
 *				leader, instead of commit_delay
 *	spacing		the least time from the end of a flush to the begin of the
 *				next, to which the adaptive delay keeps
 *	cycle		the WAL from one checkpoint's redo position to the next one's
 *
 * doc/contributing.md lists the folders of src/: commit observes, stats
 * remembers, views and report read.  doc/reference.md defines every column,
 * doc/limits.md its error.  The head of a file states its invariant and its
 * locking, if any.
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
#include "commit/commit.h"
#include "module/shared_memory.h"
#include "stats/clients.h"
#include "stats/statements.h"
#include "worker/worker.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

/*
 * Without preloading there is no shared memory.  That is no error here, so
 * that the SQL functions can be created; they raise one when called.
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

	client_name_define_settings();
	guc_define();				/* last: no setting can follow */
	shared_memory_install_hooks();
	commit_path_install_hooks();
	statements_install_hooks();
	worker_register();
}
