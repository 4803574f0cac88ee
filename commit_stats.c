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
 *	src/views/flush_views.c				what is remembered about flushes becomes rows
 *	src/views/latency_views.c		... about times
 *	src/views/database_views.c	... about databases
 *	src/views/wal_views.c		... about checkpoint cycles
 *	src/views/sample_view.c			the rates of a stretch of time
 *	src/views/rates_view.c				... from one look to the next
 *	src/views/sweep_view.c		what is wanted of a sweep, and what came of it
 *	src/views/whatif_view.c		what is to be predicted, and what was
 *	src/views/srf.h				the making of a row
 *	src/views/delta_columns.h		... of columns that several of these have
 *	src/report/report.c			everything a person wants to know on one screen of text
 *	src/report/report_advice.c		... what to do next, in words
 *	src/report/advice.c			... from numbers to what it says and advises
 *	src/report/report_data.c			... the numbers that it is made of
 *	src/report/report_format.c			... numbers as people read them
 *	src/tuning/sweep.c				the live experiment: each commit_delay in turn
 *	src/whatif/whatif.c			a prediction of that: watch for a while, then simulate
 *	src/tuning/tuning_args.c		what these two have in common
 *	src/stats/persist.c				statistics over a restart
 *	src/stats/persist_file.c			... the file in which they are meanwhile
 *	src/commit/flush_logger.c		the worker that writes commit_stats.log_flushes
 *	src/commit/commit_path.c		the callbacks: the readings around one commit
 *	src/probe/delay_classifier.c	did the leader sleep?
 *	src/probe/flush_detection.c			did this backend flush the WAL itself?
 *	src/probe/siblings.c			how many other transactions are active
 *	src/stats/flush_groups.c		boundaries, groups, their ring
 *	src/stats/flush_ring.h		... and the commit path's way through it
 *	src/stats/flush_totals.c		how many groups of each kind there were
 *	src/stats/databases.c			whose commits they were: counts per database
 *	src/stats/backend_slots.c		what each backend counts alone; totals and reset
 *	src/stats/latency.c			how long commits and flushes took
 *	src/stats/wal_cycles.c		the WAL of transactions, per checkpoint cycle
 *	src/stats/counter_delta.c				what was counted in a stretch of time
 *	src/control/delay_override.c	another commit_delay for a while, for all commits
 *	src/stats/commit_trace.c		single commits, noted down for a while
 *	src/probe/cpu_usage.c			how busy the processors are meanwhile
 *	src/whatif/whatif_fit.c		what that tells about the load
 *	src/whatif/whatif_sample.c	... and about the flushes that carried them
 *	src/whatif/whatif_quota.c		does the device allow only so many flushes?
 *	src/whatif/whatif_simulation.c		a server whose backends commit, simulated
 *	src/tuning/delay_pairs.c		values of commit_delay and commit_siblings to try
 *	src/tuning/best_delay.c		which of them did best, and why
 *	src/base/wait.c				functions that take their time
 *	src/base/histogram.c			cells of a histogram of times, quantiles
 *	src/base/single_writer.h			counters that one backend alone writes
 *	src/base/visibility.h			variables that need not be looked up
 *	src/base/changecount.c				counts on the move, and their readers
 *	src/base/shared_memory.c		the one segment, laid out for the rooms that use it
 *	src/base/clock.h				the one clock
 *	src/base/compat.h			the server's versions
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

#include "base/shared_memory.h"
#include "commit/commit_path.h"
#include "commit/flush_logger.h"
#include "stats/flush_groups.h"
#include "stats/persist.h"

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
