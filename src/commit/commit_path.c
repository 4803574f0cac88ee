/*-------------------------------------------------------------------------
 *
 * commit_path.c
 *		The transaction callbacks: observe each commit and count it.
 *
 * The first callback, before the commit record is written, reads the clock,
 * the flush pointer, the siblings and this backend's WAL I/O into "commit".
 * The second, after the flush and the wait for a standby, reads them again.
 * The differences show whether the commit led a flush, followed one, or did
 * not wait.
 *
 * If commit_stats.enabled is off in the first callback, nothing is counted.
 * The second then skips the WAL or, if counting is on again, accounts it.
 *
 * A ProcessUtility hook notes when COMMIT begins, if it is a statement, and
 * marks the backend's slot.  slow_commit.c notes the end, of commits that may
 * be slow.
 *
 * Invariant: the second callback raises no error, as the transaction is
 * durable by then and the server would PANIC.  It does not allocate, do file
 * I/O, or loop without a bound.  It waits for nothing but the LWLock of this
 * backend's own statistics, from PostgreSQL 18 on (flush_detection_errno.c,
 * which has the exceptions).  The first callback may raise an error, allocate,
 * or wait where a process registers or becomes another client (clients.c),
 * where a statement gets a cell (statements.c), where it lists the files that
 * the commit will delete, and in a look-up of flush_detection_errno.c.  The
 * callback of an abort may wait where a statement gets a cell.
 *
 * Exit: CommitTransaction() holds interrupts, so no process exits between the
 * record and the second callback.  One that exits before, by a FATAL error,
 * comes through the callback of an abort, abandon_commit(), and then
 * leave_modules() (shared_memory.c).
 *
 * Locking: commit_stats_clients_lock() where a process registers, becomes
 * another client or gives a statement a cell, and the LWLock of this backend's
 * statistics.  The callbacks write mostly to cache lines of this
 * backend (backend_slots.c, latency.c, wal_cycles.c), and to the ring of
 * flush_ring.h (one atomic addition per commit, one group per flush).
 * GetFlushRecPtr() up to PostgreSQL 16 takes a spinlock; the server does not
 * hold it here.
 *
 * bench/cost counts the instructions of these callbacks.  They are few
 * because of:
 *
 * - statics instead of frames.  Compilers add a stack check to a function
 *	 that passes on the address of a local variable.  Such variables of each
 *	 commit are static, or in "commit".
 * - calls in tail position, which need no frame.
 * - pg_noinline functions for what is rare, so that the common way through
 *	 their callers saves no registers for them.
 * - pg_attribute_always_inline functions with constant arguments ("is_commit"
 *	 and "led"), whose branches the compiler drops.
 * - COMMIT_STATS_HIDDEN variables, read without the dynamic linker's table.
 * - errno instead of a look-up, from 18 on (flush_detection_errno.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/storage.h"
#include "miscadmin.h"
#include "tcop/utility.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/guc.h"
#include "commit/commit.h"
#include "control/adaptive_delay.h"
#include "control/delay_override.h"
#include "module/shared_memory.h"
#include "module/wall_clock.h"
#include "probe/notify_lock.h"
#include "probe/siblings.h"
#include "stats/backend_slots.h"
#include "stats/clients.h"
#include "stats/commit_trace.h"
#include "stats/flush_ring.h"
#include "stats/latency.h"
#include "stats/statements.h"
#include "stats/wal_cycles.h"
#include "stats/watch.h"

static CommitUnderWay commit = {.kind = COMMIT_NOT_COUNTED};

/* This transaction has run COMMIT PREPARED or ROLLBACK PREPARED. */
static bool ended_prepared = false;

/* When the latest commit of this process ended, by the clock; 0: none has. */
static uint64 previous_ended_at = 0;

static ProcessUtility_hook_type next_ProcessUtility = NULL;

/*---- Before the commit record ------------------------------------*/

/*
 * COMMIT or PREPARE TRANSACTION begins: deferred triggers and constraints run,
 * WITH HOLD cursors are filled, and other libraries commit on other servers,
 * before the first callback.
 */
static pg_noinline void
begin_commit_statement(void)
{
	commit.statement_at = clock_now();
	commit.savepoints = GetCurrentTransactionNestLevel() - 1;
	backend_slot_set_begun(commit.statement_at);
	backend_slot_set_committing(commit.statement_at, COMMITTING_BEFORE);
}

/*
 * The commit fails, or is not counted.  After one that counts,
 * suspect_slow_commit() clears the same.
 */
static void
forget_commit(void)
{
	commit.statement_at = 0;
	commit.has_notify = false;
	backend_slot_set_committing(0, 0);
	backend_slot_set_begun(0);
}

/*
 * Register this process, before it counts anything.  May wait and may raise an
 * error.  Returns false if it must not count.  A background process that has
 * not had an id counts, but comes here again.
 */
static pg_noinline bool
register_process(void)
{
	static bool entered = false;

	if (!shared_memory_attached)
		return false;
	if (!entered)
	{
		shared_memory_enter();
		entered = true;
	}
	guc_set_counting(siblings_register_backend());
	return true;
}

/* Reads all but the WAL I/O, which the callers have read. */
static inline void
read_before_flush(void)
{
	commit.kind = COMMIT_WAITS;
	if (COMMIT_DELAY_SHOWS)
		siblings_forget_sleep();
	if (siblings_are_cheap() || delay_override_needs_siblings() ||
		siblings_draw())
		commit.siblings = siblings_count();
	else
		commit.siblings = SIBLINGS_NOT_COUNTED;
	commit.started_at = clock_now();
	backend_slot_note_wal();
	backend_slot_set_committing(commit.started_at, 0);
	flush_groups_observe(GetFlushRecPtr(NULL), commit.started_at);
	delay_override_begin(commit.started_at);
	/* a capture may have begun after the siblings were not counted */
	if (unlikely(commit_trace_wanted()) &&
		commit.siblings != SIBLINGS_NOT_COUNTED)
		commit_trace_note(commit.started_at);
}

static pg_noinline void
read_before_wait(void)
{
	flush_detection_read(&commit.before);
	read_before_flush();
}

/*
 * A commit with synchronous_commit = off.  CREATE DATABASE and a few other
 * commands wait nevertheless, which cannot be seen.
 */
static pg_noinline void
read_before_async(void)
{
	static RelFileLocator *files;

	/* a commit that deletes files always waits; the server lists them again */
	if (smgrGetPendingDeletes(true, &files) > 0)
	{
		pfree(files);
		read_before_wait();
		return;
	}
	commit.kind = COMMIT_ASYNC;
	commit.siblings = SIBLINGS_NOT_COUNTED;
	commit.started_at = clock_now();
	backend_slot_set_committing(commit.started_at, COMMITTING_ASYNC);
	flush_detection_read_if_cheap(&commit.before);
}

/*
 * Without an id a transaction writes no commit record; with an id but without
 * WAL, it writes nothing worth waiting for.  A later step may still write WAL:
 * NOTIFY may assign an id, emptying a temporary table logs a lock, and another
 * library may have a callback.  See count_late_commit().
 */
static inline void
read_before_read_only(void)
{
	commit.kind = COMMIT_READ_ONLY;
	commit.wal_records = pgWalUsage.wal_records;
	flush_detection_read_read_only(&commit.before);
}

static pg_noinline void
read_before_unlogged(void)
{
	commit.kind = COMMIT_UNLOGGED;
	commit.wal_records = pgWalUsage.wal_records;
	if (COMMIT_DELAY_SHOWS)
		siblings_forget_sleep();
	commit.started_at = clock_now();
	backend_slot_set_committing(commit.started_at, COMMITTING_ASYNC);
	flush_detection_read_unlogged(&commit.before);
}

static inline void
read_before_commit(void)
{
	if (!TransactionIdIsValid(MyProc->xid))
		read_before_read_only();
	else if (XactLastRecEnd == InvalidXLogRecPtr)
		read_before_unlogged();
	else if (synchronous_commit > SYNCHRONOUS_COMMIT_OFF)
		read_before_wait();
	else
		read_before_async();
}

/*
 * Registers this process, its client and its statement, where they are new.
 * Returns false if this process must not count.
 */
static pg_noinline bool
prepare_to_count(void)
{
	commit.kind = COMMIT_NOT_COUNTED;
	if (!commit_stats_enabled)
	{
		/* until it is on again, addresses may change, and change back */
		clients_look_again();
		forget_commit();
		return false;
	}
	if (!commit_stats_counts_here && !register_process())
		return false;
	if (clients_differ())
		clients_change();
	statements_choose(true);
	return true;
}

/*
 * The first commit of this process, of its client, or after one of another
 * statement; or of a transaction that has ended a prepared one, which is no
 * read-only transaction.
 */
static pg_noinline void
before_changed_commit(void)
{
	bool		is_own = !ended_prepared || TransactionIdIsValid(MyProc->xid);

	ended_prepared = false;
	if (!prepare_to_count())
		return;
	read_before_commit();
	if (!is_own)
		commit.kind = COMMIT_ENDED_PREPARED;
}

/* XACT_EVENT_PRE_COMMIT */
static inline void
before_commit(void)
{
	if (likely(!clients_differ()) && likely(!statements_differ()))
		read_before_commit();
	else
		before_changed_commit();
}

/* XACT_EVENT_PRE_PREPARE, or before COMMIT PREPARED: both always wait. */
static void
before_two_phase(bool is_commit)
{
	/* a standby will refuse it */
	if (prepare_to_count() && !RecoveryInProgress())
	{
		if (is_commit)
			statements_choose_prepared();
		flush_detection_read_two_phase(&commit.before);
		read_before_flush();
	}
}

/*---- After the flush ---------------------------------------------*/

/* Looked up once per commit. */
static const FlushTimes *
flush_times(void)
{
	if (!commit.times_known)
		flush_group_times(commit.group, &commit.times);
	commit.times_known = true;
	return &commit.times;
}

/* A leader slept for "sleep", and at least for "least". */
static inline void
count_own_sleep(bool is_commit, SleepKind kind, uint64 sleep, uint64 least)
{
	commit.delay_known = true;
	commit.sleep_kind = sleep > 0 ? kind : SLEEP_NONE;
	commit.least_sleep = least;
	backend_slot_add(SLOT_DELAY_TIME, sleep);
	if (is_commit)
		latency_count_part(latency_kind(latency_wait_level(), true),
						   LATENCY_DELAY, sleep);
}

/*
 * The adaptive delay sets commit_siblings to 0, so a leader with a CommitDelay
 * ("delay", ns) has slept for certain.  The time without I/O shows for how
 * long: a sleep takes longer than CommitDelay.  Reports begin and end of the
 * flush.
 */
static pg_noinline void
count_adaptive_flush(bool is_commit, uint64 delay)
{
	uint64		seen_at = flush_group_seen_at(commit.group);
	uint64		previous_seen_at = flush_group_seen_at(commit.group - 1);
	uint64		sleep = delay;
	uint64		flush_began_at = Max(commit.started_at + commit.record_time,
									 previous_seen_at) + delay;
	uint64		ended_at = commit.ended_at;

	/* nobody has seen the end, or a newer group has cleared its place */
	if (unlikely(seen_at < commit.started_at))
		seen_at = 0;
	if (likely(seen_at != 0))
		ended_at = Min(ended_at, seen_at);
	if (unlikely(commit.io.timed) && seen_at != 0)
	{
		uint64		timed_at = clock_elapsed(commit.io.io_time, ended_at);

		if (delay != 0 && latency_wait_level() == WAIT_LOCAL)
			sleep += clock_elapsed(flush_began_at, timed_at);
		flush_began_at = timed_at;
	}
	if (delay != 0)
	{
		flush_began_at |= FLUSH_SLEPT;
		commit.delay.probability = 1.0;
		commit.delay.sleep_time = sleep;
		backend_slot_add(SLOT_DELAY_HITS, 1);
		backend_slot_add(SLOT_HITS_ADAPTIVE, 1);
		count_own_sleep(is_commit, SLEEP_ADAPTIVE, sleep, delay);
	}
	if (adaptive_delay_flushed(flush_began_at, ended_at))
		(void) watch_wake_worker();
}

/* With commit_delay set: the sleep of this leader, if it slept. */
static void
judge_fixed_delay(void)
{
	const FlushTimes *times = flush_times();
	DelayEvidence evidence = {
		.delay = CommitDelay,
		.threshold = CommitSiblings,
		.sleep_shows = COMMIT_DELAY_SHOWS,
		.seen_asleep = siblings_saw_sleep(),
		.connected = (int) siblings_connected() - 1,
		.siblings_before = (int) commit.siblings,
		.siblings_previous = flush_group_siblings_before(commit.group),
		.started_at = commit.started_at,
		.ended_at = commit.ended_at,
		.previous_seen_at = times->previous_seen_at,
		.boundary_seen_at = times->seen_at,
		.timed = commit.io.timed,
		.io_time = commit.io.io_time,
	};
	double		p;

	/* what it did not spend in I/O may be the wait for a standby */
	if (latency_wait_level() != WAIT_LOCAL)
		evidence.timed = false;
	/* a sweep began meanwhile, or the commit seemed to need no flush */
	if (commit.siblings == SIBLINGS_NOT_COUNTED)
		evidence.siblings_before = (int) siblings_count();
	/* they include this backend, unlike those that it counts itself */
	if (evidence.siblings_previous > 0)
		evidence.siblings_previous--;
	commit.delay = delay_classifier_judge(&evidence);
	p = commit.delay.probability;
	backend_slot_add(backend_slot_expect(SLOT_SUM_OF_HITS, p) ?
					 SLOT_DELAY_HITS : SLOT_DELAY_MISSES, 1);
	backend_slot_add(SLOT_DELAY_UNCERTAIN,
					 backend_slot_expect(SLOT_SUM_OF_DOUBTS, Min(p, 1.0 - p)));
}

/* A follower whose leader had not reported when its commit was over. */
static struct
{
	GroupNumber group;			/* or InvalidGroupNumber */
	LatencyKind kind;
	uint64		started_at;
	uint64		ended_at;
}			unreported = {.group = InvalidGroupNumber};

static pg_noinline void
count_reported_sleep(void)
{
	uint64		sleep = flush_group_sleep(unreported.group,
										  unreported.started_at,
										  unreported.ended_at);

	if (sleep == SLEEP_NOT_REPORTED)
		return;
	latency_count_part(unreported.kind, LATENCY_DELAY, sleep);
	unreported.group = InvalidGroupNumber;
}

/*
 * With commit_delay, a follower has waited while its leader slept.  If the
 * leader has not reported yet, the next such commit of this process counts it.
 */
static pg_noinline void
count_leaders_sleep(void)
{
	LatencyKind kind = latency_kind(latency_wait_level(), false);
	uint64		sleep;

	if (unlikely(unreported.group != InvalidGroupNumber))
		count_reported_sleep();
	sleep = flush_group_sleep(commit.group, commit.started_at, commit.ended_at);
	if (likely(sleep != SLEEP_NOT_REPORTED))
	{
		latency_count_part(kind, LATENCY_DELAY, sleep);
		return;
	}
	unreported.group = commit.group;
	unreported.kind = kind;
	unreported.started_at = commit.started_at;
	unreported.ended_at = commit.ended_at;
}

/*
 * A commit with commit_delay, or that obeyed a sweep or the adaptive delay.  A
 * follower has waited for its leader's sleep even if it obeyed an order not to
 * sleep.
 */
static pg_noinline void
end_delay(uint64 elapsed, bool is_commit, bool led)
{
	uint64		delay = enableFsync ? (uint64) CommitDelay * NS_PER_US : 0;

	if (delay_override_obeyed == OBEYS_ADAPTIVE)
	{
		adaptive_delay_committed(elapsed, commit.transaction_time);
		delay_override_restore();
		if (led)
			count_adaptive_flush(is_commit, delay);
	}
	else if (led && delay > 0 && !commit.start_unknown)
	{
		judge_fixed_delay();
		count_own_sleep(is_commit, SLEEP_FIXED, commit.delay.sleep_time,
						commit.delay.probability > 0.99 ? delay : 0);
	}
	if (!led && is_commit && !commit.start_unknown)
		count_leaders_sleep();
	delay_override_end();
}

/*
 * A commit waited for a standby, too: from the end of the local flush until
 * now.  The flush ended after the flush pointer was seen at the boundary
 * before, plus the time of this backend's sleep and I/O; and before the
 * pointer was seen at the boundary of the group.  A leader that did not sleep
 * began to flush when its record was written, or once the flush before had
 * ended.
 */
static pg_noinline void
count_standby_wait(LatencyKind kind)
{
	const FlushTimes *times = flush_times();
	uint64		earliest = Max(commit.started_at, times->previous_seen_at) +
	commit.io.io_time;
	uint64		latest = commit.ended_at;

	if (commit.delay_known)
		earliest += commit.least_sleep;
	if (times->seen_at != 0)
		latest = Min(latest, Max(times->seen_at, commit.started_at));
	if (commit.io.timed && commit.io.flushes > 0 && !commit.delay_known &&
		!commit.has_notify)
		latest = Min(latest, Max(commit.started_at + commit.record_time,
								 times->previous_seen_at) + commit.io.io_time);
	earliest = Min(earliest, latest);
	latency_count(kind, clock_elapsed(commit.started_at, commit.ended_at));
	latency_count_part(kind, LATENCY_RECORD, commit.record_time);
	latency_count_part(kind, STANDBY_TIME_MIN,
					   clock_elapsed(latest, commit.ended_at));
	latency_count_part(kind, STANDBY_TIME_MAX,
					   clock_elapsed(earliest, commit.ended_at));
}

/* The time from the record to the end of the flush that carried it */
static uint64
flush_time_after(uint64 record_at)
{
	uint64		seen_at = flush_times()->seen_at;

	if (commit.group == InvalidGroupNumber)
		return 0;
	if (commit.io.timed && commit.io.flushes > 0)
		return commit.io.io_time;
	return clock_elapsed(record_at, seen_at == 0 ? commit.ended_at :
						 Min(seen_at, commit.ended_at));
}

/*
 * A commit with NOTIFY, which holds the lock since "held_at".
 * suspect_slow_commit() looks at each of these.
 */
static void
note_notify(uint64 held_at, uint64 record_at)
{
	uint64		hold_time = clock_elapsed(held_at, commit.ended_at);
	static NotifyTotals totals = {.commits = 1};

	totals.hold_time = hold_time;
	totals.flush_time = Min(flush_time_after(record_at), hold_time);
	totals.write_time = clock_elapsed(held_at, record_at);
	commit.has_notify = true;
	/* so that may_be_slow() is true */
	commit.statement_at = commit_began_at(&commit);
	commit.notify_pid = notify_lock_pass_on(&totals);
}

static pg_noinline void
count_notify(LatencyKind kind)
{
	uint64		record_at = commit.started_at + commit.record_time;
	uint64		wait = notify_lock_wait(commit.started_at, record_at);

	backend_slot_add(SLOT_COMMITS_NOTIFY, 1);
	latency_count_part(kind, LATENCY_NOTIFY, wait);
	commit.record_time -= wait;
	/* after a wait, nothing tells when it got the lock, to write messages */
	note_notify(wait == 0 && !commit.start_unknown ? commit.started_at :
				record_at, record_at);
}

/*
 * Some background processes tell no start, or the time was set back.  Several
 * transactions of one statement, or all of a background worker, have the same
 * start; they do not overlap.
 */
static pg_noinline void
bound_transaction_time(uint64 age, TimestampTz stop)
{
	commit.transaction_time = age >= (uint64) stop ? 0 :
		Min(commit.transaction_time,
			clock_elapsed(previous_ended_at, commit.ended_at));
}

/*
 * The time until the server was about to write the commit record, and that of
 * the whole transaction: up to there by the server's timestamps, and from
 * there by the clock.  If the system's time is set, both are wrong by the
 * commit's own time at most, until the worker looks next (watch.c).
 */
static inline void
read_record_time(uint64 elapsed)
{
	TimestampTz stop = GetCurrentTransactionStopTimestamp();
	uint64		age = (uint64) (stop - GetCurrentTransactionStartTimestamp());
	uint64		record_time = clock_elapsed(commit.started_at, clock_ns_at(stop));

	record_time = Min(record_time, elapsed);
	commit.record_time = record_time;
	commit.transaction_time = age * NS_PER_US + (elapsed - record_time);
	if (unlikely(commit.transaction_time > commit.ended_at - previous_ended_at))
		bound_transaction_time(age, stop);
	previous_ended_at = commit.ended_at;
}

/* A commit that waited. */
static pg_attribute_always_inline void
count_commit(bool led, uint64 elapsed)
{
	SyncCommitLevel level;

	backend_slot_add(SLOT_COMMITS, 1);
	backend_slot_add(SLOT_COMMIT_TIME, elapsed);
	backend_slot_add(SLOT_TRANSACTION_TIME, commit.transaction_time);
	backend_slot_add(SLOT_STATEMENTS, statements_now.nwriting);
	if (!led)
		backend_slot_add(SLOT_FLUSHED_BY_OTHERS, 1);
	if (unlikely(commit_has_notify()))
	{
		adaptive_delay_skip_next = true;
		count_notify(latency_kind(latency_wait_level(), led));
	}
	level = latency_wait_level();
	if (likely(level == WAIT_LOCAL))
	{
		latency_count(latency_kind(WAIT_LOCAL, led), elapsed);
		latency_count_part(latency_kind(WAIT_LOCAL, led), LATENCY_RECORD,
						   commit.record_time);
		single_writer_add(&latency_mine->local_by_setting[synchronous_commit], 1);
	}
	else
		count_standby_wait(latency_kind(level, led));
}

/* With track_wal_io_timing. */
static pg_noinline void
count_flush_time(bool is_commit)
{
	backend_slot_add(SLOT_TIMED_FLUSHES, 1);
	backend_slot_add(SLOT_FLUSH_TIME, commit.io.io_time);
	latency_count(LATENCY_FLUSH, commit.io.io_time);
	if (is_commit)
		latency_count_part(latency_kind(latency_wait_level(), true),
						   LATENCY_OWN_FLUSH, commit.io.io_time);
}

static inline void
fill_report(LeaderReport *report, uint32 siblings_after)
{
	report->siblings = commit.siblings;
	report->siblings_after = siblings_after;
	report->flush_time = unlikely(commit.io.timed) ?
		(uint32) (commit.io.io_time / 1000) : FLUSH_NOT_TIMED;
	report->delay_time = 0;
	report->delay_probability = 0;
	report->sleep_kind = SLEEP_NONE;
	report->log_wanted = commit_stats_log_flushes;
	if (unlikely(commit.delay_known))
	{
		report->sleep_kind = commit.sleep_kind;
		report->delay_probability =
			(uint16) (commit.delay.probability * REPORTED_CERTAINTY + 0.5);
		report->delay_time = (uint32) (commit.delay.sleep_time / 1000);
	}
}

/*
 * The group of a commit or of a flush has left the ring, or was never seen; or
 * it has another leader, because nobody saw the end of the first flush.
 */
static pg_noinline void
count_unresolved(int missing, FlushGroup *group)
{
	if (missing == GROUP_OF_LEADER && flush_group_merge(group, commit.group))
		return;
	if (missing & GROUP_OF_COMMIT)
		backend_slot_add(SLOT_UNRESOLVED_COMMITS, 1);
	if (missing & GROUP_OF_LEADER)
		backend_slot_add(SLOT_UNRESOLVED_FLUSHES, 1);
}

/* Enter a member into its group and, if it is the leader, its report. */
static pg_attribute_always_inline void
enter_group(GroupNumber number, bool is_commit, bool led,
			uint32 siblings_after)
{
	FlushGroup *group = group_slot(number);

	/* 0 if one was not counted: SIBLINGS_NOT_COUNTED + 1 */
	uint32		active = Max(commit.siblings, siblings_after) + 1;
	int			missing;

	missing = flush_group_enter(group, number, is_commit, active, led,
								commit.started_at);
	if (unlikely(missing != 0))
		count_unresolved(missing, group);
	else if (led)
	{
		fill_report(&group->report, siblings_after);
		flush_group_reported(group);
	}
}

/*
 * The first, cheapest test of a slow commit; slow_log.c tells of the others.
 * statement_at is mostly 0.
 */
static inline bool
may_be_slow(uint64 elapsed)
{
	return elapsed > commit_stats_slow_threshold || commit.statement_at != 0 ||
		commit_works_afterwards();
}

/*
 * It took longer than commit_stats_slow_threshold, from the first callback or
 * from COMMIT on, or may still do so.  On a slow disk each commit does, so
 * nothing is collected before it is known to be of use.
 */
static pg_noinline void
suspect_slow_commit(SlowRole role, bool is_commit, LatencyKind kind)
{
	uint64		elapsed = clock_elapsed(commit_began_at(&commit),
										commit.ended_at);

	backend_slot_set_committing(0, 0);
	backend_slot_set_begun(0);
	if (kind != LATENCY_OF_NOTHING)
		latency_count_part(kind, LATENCY_BEFORE,
						   clock_elapsed(commit_began_at(&commit),
										 commit.started_at));
	if ((elapsed > commit_stats_slow_threshold || commit.has_notify ||
		 commit_works_afterwards()) &&
		slow_commit_may_be_slow(&commit, role, is_commit))
	{
		(void) flush_times();
		slow_commit_note(&commit, role, is_commit, kind);
	}
	commit.statement_at = 0;
	commit.has_notify = false;
}

/*
 * Count a commit or prepare that waited, and enter it into its flush group.
 * Its record ends at "lsn"; "led": this backend has flushed it; "is_own": it
 * is that of the transaction that ends.
 */
static pg_attribute_always_inline void
count_waited(XLogRecPtr lsn, bool is_commit, bool led, bool is_own)
{
	XLogRecPtr	flushed = GetFlushRecPtr(NULL);
	uint64		now = clock_now();
	uint64		elapsed = clock_elapsed(commit.started_at, now);
	uint32		siblings_after = 0;
	GroupNumber number;

	if (led)
		siblings_after = commit.siblings == SIBLINGS_NOT_COUNTED ?
			SIBLINGS_NOT_COUNTED : siblings_count();
	commit.ended_at = now;
	commit.group = number = flush_groups_find(lsn, flushed, now);
	commit.times_known = commit.delay_known = false;
	if (is_own)
		read_record_time(elapsed);
	else
		commit.record_time = commit.transaction_time = 0;
	if (unlikely(CommitDelay > 0 ||
				 delay_override_obeyed != OBEYS_SETTINGS))
		end_delay(elapsed, is_commit, led);
	if (is_commit)
		count_commit(led, elapsed);
	else
	{
		backend_slot_add(SLOT_PREPARES, 1);
		backend_slot_add(SLOT_PREPARE_TIME, elapsed);
		backend_slot_add(SLOT_TRANSACTION_TIME,
						 clock_elapsed(clock_ns_at(GetCurrentTransactionStartTimestamp()), now));
	}
	/* the prepared transaction has counted before */
	if (is_commit && !is_own)
		backend_slot_add(SLOT_TRANSACTION_TIME, elapsed);
	if (led)
	{
		backend_slot_add(SLOT_FLUSHES, 1);
		if (unlikely(commit.io.timed))
			count_flush_time(is_commit);
	}
	/* after the slot: a reset must not find more in groups than in slots */
	enter_group(number, is_commit, led, siblings_after);
	if (unlikely(may_be_slow(elapsed)))
		suspect_slow_commit(led ? SLOW_LED : SLOW_FOLLOWED, is_commit,
							is_commit ? latency_kind(latency_wait_level(), led) :
							LATENCY_OF_NOTHING);
	else
		backend_slot_set_committing(0, 0);
	if (FLUSH_DETECTION_ERRS && unlikely(commit.io.uncertain != 0))
		backend_slot_add(SLOT_FLUSHES_UNCERTAIN, commit.io.uncertain);
	if (unlikely(commit_trace_noted))
		commit_trace_put(commit.started_at, commit.ended_at, commit.group,
						 commit.siblings, &commit.io, is_commit,
						 commit_has_notify(), statements_queryid());
}

static inline void
account_transaction(WalOutcome outcome)
{
	if (unlikely(backend_slot_uncounted_wal() > BULK_WAL))
		slow_commit_note_writer();
	statements_forget();
	wal_cycles_account(outcome);
}

/* A commit that waited for no flush ends now; returns its time. */
static inline uint64
unwaited_time(void)
{
	commit.ended_at = clock_now();
	commit.group = InvalidGroupNumber;
	commit.times_known = false;
	return clock_elapsed(commit.started_at, commit.ended_at);
}

static pg_noinline void
count_async(void)
{
	uint64		elapsed = unwaited_time();

	backend_slot_add(SLOT_COMMITS_ASYNC, 1);
	read_record_time(elapsed);
	backend_slot_add(SLOT_TRANSACTION_TIME, commit.transaction_time);
	backend_slot_add(SLOT_STATEMENTS, statements_now.nwriting);
	if (commit_has_notify())
		count_notify(LATENCY_ASYNC);
	latency_count(LATENCY_ASYNC, elapsed);
	latency_count_part(LATENCY_ASYNC, LATENCY_RECORD, commit.record_time);
	if (unlikely(may_be_slow(elapsed)))
		suspect_slow_commit(SLOW_DID_NOT_WAIT, true, LATENCY_ASYNC);
	else
		backend_slot_set_committing(0, 0);
	account_transaction(WAL_OF_COMMIT);
}

static pg_noinline void
count_leader(void)
{
	count_waited(XactLastCommitEnd, true, true, true);
	account_transaction(WAL_OF_COMMIT);
}

static pg_noinline void
count_follower(void)
{
	count_waited(XactLastCommitEnd, true, false, true);
	account_transaction(WAL_OF_COMMIT);
}

/*
 * Account the WAL of a transaction that has ended, if it wrote any.  This
 * comes last, so that it adds to no time that is counted.  Only an abort may
 * wait for a cell.
 */
static pg_noinline void
account_wal(WalOutcome outcome)
{
	if (wal_unaccounted() && shared_memory_attached)
	{
		/* of a prepared transaction statements_choose_prepared() has chosen */
		if (commit_stats_counts_here && !ended_prepared)
			statements_choose(outcome == WAL_OF_ABORT);
		/* it may have come here without shared_memory_enter() */
		wal_cycles_find_slot();
		if (commit_stats_enabled)
			account_transaction(outcome);
		else
			wal_cycles_skip();
	}
	statements_forget();
}

/* PREPARE TRANSACTION or COMMIT PREPARED, whose record ends at "lsn". */
static void
after_two_phase(XLogRecPtr lsn, bool is_commit)
{
	CommitKind	kind = commit.kind;

	commit.kind = COMMIT_NOT_COUNTED;
	if (kind == COMMIT_WAITS)
	{
		flush_detection_since(&commit.before, &commit.io);
		count_waited(lsn, is_commit, commit.io.flushes > 0, false);
	}
	account_wal(is_commit ? WAL_OF_COMMIT : WAL_OF_OTHER);
}

/* No time was read before this commit. */
static pg_noinline void
forget_time(void)
{
	commit.io.timed = false;
	commit.io.io_time = 0;
}

/* A commit that wrote WAL */
static inline void
count_logged_commit(CommitKind kind)
{
	flush_detection_since(&commit.before, &commit.io);
	if (unlikely(commit.start_unknown))
		forget_time();
	if (commit.io.flushes > 0)
		count_leader();
	else if (kind == COMMIT_WAITS)
		count_follower();
	else
		count_async();
}

/*
 * A commit that got its id after the first callback: its wait for the lock of
 * NOTIFY, or its record, replaces the start.  No delay can be judged from it.
 */
static void
start_late(CommitKind kind)
{
	uint64		record_at;
	TimestampTz statement;

	if (kind != COMMIT_READ_ONLY)
		return;
	/* the system's time may have been set since anybody looked */
	(void) clock_offset();
	record_at = Min(clock_ns_at(GetCurrentTransactionStopTimestamp()), clock_now());
	statement = Max(GetCurrentStatementStartTimestamp(),
					GetCurrentTransactionStartTimestamp());
	commit.start_unknown = true;
	commit.started_at = !commit_has_notify() ? record_at :
		clock_elapsed(notify_lock_wait(clock_ns_at(statement), record_at),
					  record_at);
}

/* A commit that got its WAL after the first callback, perhaps also its id. */
static pg_noinline void
count_late_commit(CommitKind kind)
{
	commit.siblings = SIBLINGS_NOT_COUNTED;
	statements_choose(false);
	start_late(kind);
	count_logged_commit(synchronous_commit > SYNCHRONOUS_COMMIT_OFF ?
						COMMIT_WAITS : COMMIT_ASYNC);
	commit.start_unknown = false;
}

/* A commit in no mean belongs to the statement that has written, if any. */
static void
suspect_unwaited(void)
{
	statements_choose_none();
	suspect_slow_commit(SLOW_DID_NOT_WAIT, true, LATENCY_OF_NOTHING);
}

/* A commit without an id.  If its COMMIT was slow, the slow log has it. */
static void
count_read_only(void)
{
	backend_slot_add(SLOT_COMMITS_READ_ONLY, 1);
	if (commit.statement_at == 0)
		return;
	forget_time();
	(void) unwaited_time();
	commit.started_at = commit.ended_at;
	suspect_unwaited();
}

/* It waited for no flush, but can have waited for the lock of NOTIFY. */
static void
count_unlogged(CommitKind kind)
{
	bool		has_notify = commit_has_notify();
	uint64		elapsed;

	backend_slot_add(SLOT_COMMITS_UNLOGGED, 1);
	if (kind == COMMIT_READ_ONLY && commit.statement_at == 0 &&
		likely(!has_notify))
		return;
	start_late(kind);
	forget_time();
	elapsed = unwaited_time();
	if (has_notify)
		note_notify(commit.ended_at, commit.ended_at);
	if (unlikely(may_be_slow(elapsed)))
		suspect_unwaited();
	else
		backend_slot_set_committing(0, 0);
	commit.start_unknown = false;
}

/*
 * True for a commit that waited for more than its commit record.  Without an
 * id, it also waits for records that it wrote before the first callback; those
 * of earlier transactions are accounted.
 */
static inline bool
waits_after_all(CommitKind kind)
{
	return pgWalUsage.wal_records - commit.wal_records > 1 ||
		(kind == COMMIT_READ_ONLY && commit.wal_records != wal_cycles_records);
}

/*
 * A commit that had no id, or no WAL, in the first callback; or that is not
 * counted: account_wal() decides on its WAL.
 */
static pg_noinline void
count_other_commit(CommitKind kind)
{
	bool		has_xid = TransactionIdIsValid(GetTopTransactionIdIfAny());

	/* another library may have written in it since */
	if (kind == COMMIT_ENDED_PREPARED)
		kind = has_xid ? COMMIT_READ_ONLY : COMMIT_NOT_COUNTED;
	if (kind != COMMIT_NOT_COUNTED && has_xid && waits_after_all(kind))
	{
		count_late_commit(kind);
		return;
	}
	flush_detection_forget();
	if (kind != COMMIT_NOT_COUNTED && has_xid)
		count_unlogged(kind);
	else if (kind != COMMIT_NOT_COUNTED)
		count_read_only();
	account_wal(has_xid ? WAL_OF_COMMIT : WAL_OF_OTHER);
}

static pg_noinline void
after_logged_commit(void)
{
	CommitKind	kind = commit.kind;

	commit.kind = COMMIT_NOT_COUNTED;
	if (kind >= COMMIT_ASYNC)
		count_logged_commit(kind);
	else
		count_other_commit(kind);
}

/*
 * XACT_EVENT_COMMIT.  A transaction with an id has written a commit record, so
 * wal_unaccounted() holds.
 */
static inline void
after_commit(void)
{
	if (wal_unaccounted() || unlikely(commit.statement_at != 0))
		after_logged_commit();
	else if (commit.kind == COMMIT_READ_ONLY)
	{
		backend_slot_add(SLOT_COMMITS_READ_ONLY, 1);
		/* it may have had a NOTIFY, in a savepoint that was rolled back */
		statements_now.nwriting = 0;
	}
}

static pg_noinline void
abandon_commit(void)
{
	commit.kind = COMMIT_NOT_COUNTED;
	ended_prepared = false;
	forget_commit();
	clients_look_again();
	flush_detection_forget();
	delay_override_end();
	commit_trace_noted = false;
}

/*
 * The events of parallel workers are ignored: the leader of a parallel query
 * commits for its workers, and the server adds their WAL to the leader's.
 */
static pg_noinline void
rare_event(XactEvent event)
{
	switch (event)
	{
		case XACT_EVENT_PRE_PREPARE:
			before_two_phase(false);
			break;
		case XACT_EVENT_PREPARE:
			/* XactLastRecEnd is 0 by now; any byte of the record will do */
			after_two_phase(ProcLastRecPtr + 1, false);
			break;
		case XACT_EVENT_ABORT:
			abandon_commit();
			account_wal(WAL_OF_ABORT);
			break;
		default:
			break;
	}
}

static void
commit_path_xact_callback(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_PRE_COMMIT)
		before_commit();
	else if (event == XACT_EVENT_COMMIT)
		after_commit();
	else
		rare_event(event);
}

/* Other than by SET ROLE */
static bool
changes_user(Node *stmt)
{
	if (IsA(stmt, DiscardStmt))
		return ((DiscardStmt *) stmt)->target == DISCARD_ALL;
	return IsA(stmt, VariableSetStmt) &&
		((VariableSetStmt *) stmt)->name != NULL &&
		strcmp(((VariableSetStmt *) stmt)->name, "session_authorization") == 0;
}

/*
 * This session begins or ends to listen, if "stmt" does not fail.  A block may
 * execute it, and roll it back.
 */
static inline void
note_listening(Node *stmt, bool is_top)
{
	if (IsA(stmt, ListenStmt))
		notify_lock_set_listening(true);
	else if (((IsA(stmt, UnlistenStmt) &&
			   ((UnlistenStmt *) stmt)->conditionname == NULL) ||
			  (IsA(stmt, DiscardStmt) &&
			   ((DiscardStmt *) stmt)->target == DISCARD_ALL)) && is_top)
		notify_lock_set_listening(false);
}

/*
 * COMMIT PREPARED and ROLLBACK PREPARED write the record of the other
 * transaction while they run.  The callbacks come later, for their own
 * transaction, which has nothing to commit: clients_look_again() leads the
 * first callback to before_changed_commit(), so that other commits need not
 * look at ended_prepared.
 *
 * In a subtransaction COMMIT PREPARED fails, and no callback follows that
 * could abandon the commit.
 */
static void
commit_path_ProcessUtility(PlannedStmt *pstmt, const char *queryString,
						   bool readOnlyTree, ProcessUtilityContext context,
						   ParamListInfo params, QueryEnvironment *queryEnv,
						   DestReceiver *dest, QueryCompletion *qc)
{
	/* pstmt may be freed while it is executed */
	int			kind = IsA(pstmt->utilityStmt, TransactionStmt) ?
	(int) ((TransactionStmt *) pstmt->utilityStmt)->kind : -1;
	bool		commits = kind == TRANS_STMT_COMMIT_PREPARED &&
	!IsSubTransaction();
	bool		aborts = kind == TRANS_STMT_ROLLBACK_PREPARED &&
	!IsSubTransaction();
	bool		changes = changes_user(pstmt->utilityStmt);
	bool		notifies = IsA(pstmt->utilityStmt, NotifyStmt);

	note_listening(pstmt->utilityStmt, context == PROCESS_UTILITY_TOPLEVEL);
	if (commits)
		before_two_phase(true);
	else if ((kind == TRANS_STMT_COMMIT ||
			  (kind == TRANS_STMT_PREPARE && !RecoveryInProgress())) &&
			 commit_stats_counts_here && !IsAbortedTransactionBlockState())
		begin_commit_statement();
	if (aborts && commit_stats_counts_here)
		statements_choose_prepared();
	statements_begin_utility(pstmt, context == PROCESS_UTILITY_TOPLEVEL);
	ended_prepared = (commits || aborts) && commit_stats_enabled;
	next_ProcessUtility(pstmt, queryString, readOnlyTree, context,
						params, queryEnv, dest, qc);
	if (commits)
		after_two_phase(XactLastRecEnd, true);
	else if (aborts)
		account_wal(WAL_OF_ABORT);
	statements_end_utility(notifies, kind >= 0);
	if (changes || ended_prepared)
		clients_look_again();
}

/* For _PG_init. */
void
commit_path_install_hooks(void)
{
	RegisterXactCallback(commit_path_xact_callback, NULL);
	next_ProcessUtility = ProcessUtility_hook ? ProcessUtility_hook :
		standard_ProcessUtility;
	ProcessUtility_hook = commit_path_ProcessUtility;
}
