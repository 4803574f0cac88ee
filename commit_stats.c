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
 * The house.  Data goes one way: the commit path observes, slots and groups
 * remember, views read.  Nothing below knows what stands above it.
 *
 *	commit_stats.c			the front door: settings, hooks, _PG_init
 *	src/views.c				what is remembered about flushes becomes rows
 *	src/latency_views.c		... about times
 *	src/database_views.c	... about databases
 *	src/cycle_views.c		... about checkpoint cycles
 *	src/sample.c			the rates of a stretch of time
 *	src/rates.c				... from one look to the next
 *	src/sweep_view.c		what is wanted of a sweep, and what came of it
 *	src/whatif_view.c		what is to be predicted, and what was
 *	src/rows.h				the making of a row
 *	src/tally_rows.h		... of columns that several of these have
 *	src/report.c			everything a person wants to know on one screen of text
 *	src/report_advice.c		... what to do next, in words
 *	src/advice.c			... from numbers to what it says and advises
 *	src/figures.c			... the numbers that it is made of
 *	src/readable.c			... numbers as people read them
 *	src/sweep.c				the live experiment: each commit_delay in turn
 *	src/whatif.c			a prediction of that: watch for a while, then simulate
 *	src/experiment.c		what these two have in common
 *	src/keep.c				statistics over a restart
 *	src/keep_file.c			... the file in which they are meanwhile
 *	src/flush_logger.c		the worker that writes commit_stats.log_flushes
 *	src/commit_path.c		the callbacks: the readings around one commit
 *	src/delay_evidence.c	did the leader sleep?
 *	src/own_flush.c			did this backend flush the WAL itself?
 *	src/siblings.c			how many other transactions are active
 *	src/flush_groups.c		boundaries, groups, their ring
 *	src/flush_ring.h		... and the commit path's way through it
 *	src/group_totals.c		how many groups of each kind there were
 *	src/databases.c			whose commits they were: counts per database
 *	src/backend_slots.c		what each backend counts alone; totals and reset
 *	src/latency.c			how long commits and flushes took
 *	src/wal_cycles.c		the WAL of transactions, per checkpoint cycle
 *	src/tally.c				what was counted in a stretch of time
 *	src/delay_override.c	another commit_delay for a while, for all commits
 *	src/commit_trace.c		single commits, noted down for a while
 *	src/cpu_use.c			how busy the processors are meanwhile
 *	src/whatif_fit.c		what that tells about the load
 *	src/whatif_flushes.c	... and about the flushes that carried them
 *	src/whatif_quota.c		does the device allow only so many flushes?
 *	src/whatif_model.c		a server whose backends commit, simulated
 *	src/delay_pairs.c		values of commit_delay and commit_siblings to try
 *	src/best_delay.c		which of them did best, and why
 *	src/pause.c				functions that take their time
 *	src/histogram.c			cells of a histogram of times, quantiles
 *	src/counters.h			counters that one backend alone writes
 *	src/hidden.h			variables that need not be looked up
 *	src/moves.c				counts on the move, and their readers
 *	src/shared_memory.c		the one segment, laid out for the rooms that use it
 *	src/clock.h				the one clock
 *	src/compat.h			the server's versions
 *
 * What is counted is in doc/reference.md, and how sure each figure is in
 * doc/limits.md.  Each room's head states its invariant and its locking.  The
 * rule above all of them: on the commit path nothing raises an error,
 * allocates, does I/O, waits, or loops without a bound; only the first
 * transaction of a process, to which it is all new, may before its commit
 * record is written.
 *
 * Copyright (c) 2026, the commit_stats authors
 *
 * commit_stats.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/extension.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "src/commit_path.h"
#include "src/flush_groups.h"
#include "src/flush_logger.h"
#include "src/keep.h"
#include "src/shared_memory.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

/*
 * The settings.  Their variables live in the rooms that obey them.
 *
 * "enabled" is for taking the module out of the picture without a restart, to
 * see what it costs or whether it is to blame.  It is the same for all
 * sessions: a flush group with members that do not count themselves would look
 * smaller than it was.
 *
 * "log_flushes" is for looking at single flushes for a while, as one would at
 * log_statement.  It is a superuser's because it can fill the log.
 *
 * "save" is for those who want to begin anew with each start, or whose storage
 * is not to be written to.
 *
 * "flush_log_size" is for those who read commit_flush_log, or log every flush,
 * of a server with thousands of flushes a second.
 */
static void
define_settings(void)
{
	DefineCustomBoolVariable("commit_stats.enabled",
							 "Counts commits and the WAL flushes that they share.",
							 NULL,
							 &commit_stats_enabled,
							 true,
							 PGC_SIGHUP, 0,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("commit_stats.log_flushes",
							 "Logs how many commits each WAL flush carried.",
							 "A flush is logged if this is on in the session that issued it.",
							 &commit_stats_log_flushes,
							 false,
							 PGC_SUSET, 0,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("commit_stats.save",
							 "Saves the statistics of commits over a restart of the server.",
							 NULL,
							 &commit_stats_save,
							 true,
							 PGC_SIGHUP, 0,
							 NULL, NULL, NULL);
	DefineCustomIntVariable("commit_stats.flush_log_size",
							"Sets the number of flushes that commit_flush_log shows.",
							"The next higher power of 2 is used for the shared memory.",
							&flush_log_size,
							FLUSH_LOG_SIZE_DEFAULT,
							FLUSH_LOG_SIZE_MIN, FLUSH_LOG_SIZE_MAX,
							PGC_POSTMASTER, 0,
							NULL, NULL, NULL);
	MarkGUCPrefixReserved("commit_stats");
}

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

	define_settings();
	shared_memory_install_hooks();
	keep_install_hooks();
	commit_path_install_hooks();
	flush_logger_register();
}
