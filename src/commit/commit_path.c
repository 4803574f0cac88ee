/*-------------------------------------------------------------------------
 *
 * commit_path.c
 *		The callbacks: take the readings around one commit, hand them down.
 *
 * Before the commit record is written we read the clock, the flush pointer,
 * the siblings and this backend's own WAL I/O; after it is flushed we read
 * them again, and the differences say what this commit was: a leader, a
 * follower, or one that did not wait at all.
 *
 * Invariant: between the two callbacks, and in the second one above all,
 * nothing here raises an error, allocates, does I/O, waits, or loops without a
 * bound.  In the second the transaction is durable already: an ERROR there
 * would take the server down with a PANIC.  In the first, a process's first
 * transaction registers it, which may wait for a moment (databases.c).
 *
 * Locking: none but that.  Shared memory is written through backend_slots.c,
 * latency.c and wal_cycles.c (this backend's own cache lines) and flush_ring.h
 * (one atomic addition for a commit, one report for a flush).  GetFlushRecPtr()
 * takes a spinlock for a few instructions up to 16 and reads atomically from 17
 * on; it may be called here because the server is not inside XLogFlush() at
 * that time.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/storage.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "tcop/utility.h"

#include "base/changecount.h"
#include "base/clock.h"
#include "base/compat.h"
#include "base/guc.h"
#include "base/shared_memory.h"
#include "commit/commit_path.h"
#include "commit/flush_logger.h"
#include "control/delay_override.h"
#include "control/sibling_need.h"
#include "probe/delay_classifier.h"
#include "probe/flush_detection.h"
#include "probe/siblings.h"
#include "stats/backend_slots.h"
#include "stats/commit_trace.h"
#include "stats/databases.h"
#include "stats/flush_ring.h"
#include "stats/latency.h"
#include "stats/wal_cycles.h"

/* What a commit that is under way seemed to be before it was. */
typedef enum CommitKind
{
	COMMIT_NOT_COUNTED,
	COMMIT_UNLOGGED,			/* has no id, or wrote no WAL */
	COMMIT_ASYNC,
	COMMIT_WAITS				/* for the flush */
} CommitKind;

/* What was read before the commit that is under way in this backend. */
typedef struct CommitReading
{
	CommitKind	kind;
	uint32		siblings;		/* or SIBLINGS_NOT_COUNTED; if it waits */
	uint64		started_at;		/* 0: not read, as it has no id */
	int64		wal_records;	/* of this process, if it is unlogged; without
								 * one that is worth waiting for */
	OwnFlush	own;
} CommitReading;

static CommitReading reading = {COMMIT_NOT_COUNTED};

/*
 * What this backend did since then, once the commit is done.  Not on the stack,
 * like nothing here whose address is taken: compilers guard the frames of
 * functions that have such a thing.
 */
static OwnFlush own;

static bool start_unknown = false;	/* of the commit that is being counted */

static bool registered = false;	/* everybody knows this process, which has
								 * shared memory then */

static ProcessUtility_hook_type prev_ProcessUtility = NULL;

/*
 * Will this commit delete files of permanent or unlogged relations?  Then it
 * waits for its flush whatever synchronous_commit says.  The server asks the
 * same question, at the same price, a moment later.
 */
static bool
deletes_files(void)
{
	RelFileLocator *files = NULL;
	int			nfiles = smgrGetPendingDeletes(true, &files);

	if (files != NULL)
		pfree(files);
	return nfiles > 0;
}

/* At exit, by whichever way: a FATAL error can come in the middle of counting. */
static void
end_half_done(int code, Datum arg)
{
	changecount_abandon();
	wal_cycles_abandon();
}

/*
 * Make this process known, before it counts anything.  May wait and may raise
 * an error, but only the first time.  Returns false if it must not count.
 */
static pg_noinline bool
arrive(bool has_xid)
{
	static bool arrived = false;

	if (!shared_memory_attached)
		return false;
	if (!arrived)
	{
		databases_register();
		on_shmem_exit(end_half_done, (Datum) 0);
		backend_slots_find_mine();
		latency_find_mine();
		arrived = true;
	}
	registered = siblings_register_backend(has_xid);
	return true;
}

/* Readings of a commit that will wait, but for that of its own I/O. */
static inline void
read_before_flush(void)
{
	reading.kind = COMMIT_WAITS;
	siblings_forget_sleep();
	if (siblings_are_cheap() || sibling_need_all() || siblings_draw())
		reading.siblings = siblings_count();
	else
		reading.siblings = SIBLINGS_NOT_COUNTED;
	reading.started_at = clock_now();
	flush_groups_observe(GetFlushRecPtr(NULL), reading.started_at);
	delay_override_begin(reading.started_at);
	commit_trace_begin(reading.started_at);
}

static pg_noinline void
read_before_wait(void)
{
	flush_detection_read(&reading.own);
	read_before_flush();
}

/* Readings of one that will not, as we see it; CREATE DATABASE and a few more do. */
static void
read_before_async(void)
{
	reading.kind = COMMIT_ASYNC;
	reading.siblings = SIBLINGS_NOT_COUNTED;
	reading.started_at = clock_now();
	flush_detection_read_if_cheap(&reading.own);
}

/* With synchronous_commit = off. */
static pg_noinline void
read_before_nonwaiting(void)
{
	if (deletes_files())
		read_before_wait();
	else
		read_before_async();
}

/*
 * Without an id there will be no commit record.  Without WAL so far there will be
 * one, but nothing worth waiting for.  Either can still change: a NOTIFY may cause
 * an id to be assigned; emptying a temporary table logs a lock; and the callback
 * of another library, which is called after ours if it was loaded before us, may
 * write.  See count_late_commit().
 */
static inline void
read_before_unlogged(void)
{
	reading.kind = COMMIT_UNLOGGED;
	reading.wal_records = pgWalUsage.wal_records -
		(XactLastRecEnd != InvalidXLogRecPtr);
	if (TransactionIdIsValid(MyProc->xid))
	{
		siblings_forget_sleep();
		reading.started_at = clock_now();
		flush_detection_read_unlogged(&reading.own);
	}
	else
	{
		reading.started_at = 0;
		flush_detection_read_if_cheap(&reading.own);
	}
}

static inline void
read_before_commit(void)
{
	if (!TransactionIdIsValid(MyProc->xid) ||
		XactLastRecEnd == InvalidXLogRecPtr)
		read_before_unlogged();
	else if (synchronous_commit > SYNCHRONOUS_COMMIT_OFF)
		read_before_wait();
	else
		read_before_nonwaiting();
}

/* The first time. */
static pg_noinline void
arrive_before_commit(void)
{
	if (arrive(TransactionIdIsValid(MyProc->xid)))
		read_before_commit();
}

/*
 * The commit that is under way has failed, or the callback at its end never came:
 * undo what the callback before it has done.
 */
static pg_noinline void
abandon_commit(void)
{
	reading.kind = COMMIT_NOT_COUNTED;
	flush_detection_forget();
	delay_override_end();
	commit_trace_noted = false;
}

/* No commit is under way as one begins, whatever became of the last one. */
static inline void
begin_reading(void)
{
	if (unlikely(reading.kind == COMMIT_WAITS))
		abandon_commit();
	reading.kind = COMMIT_NOT_COUNTED;
}

/*
 * XACT_EVENT_PRE_COMMIT: an error is still harmless.  All calls are the last that
 * is done, so that a transaction which only reads pays for no frame on the stack.
 */
static inline void
before_commit(void)
{
	begin_reading();
	if (!commit_stats_enabled)
		return;
	if (unlikely(!registered))
		arrive_before_commit();
	else
		read_before_commit();
}

/* XACT_EVENT_PRE_PREPARE, or before a COMMIT PREPARED: both always wait. */
static void
before_two_phase(void)
{
	begin_reading();
	/* a standby will refuse it */
	if (commit_stats_enabled && !RecoveryInProgress() &&
		(registered || arrive(true)))
	{
		flush_detection_read_two_phase(&reading.own);
		read_before_flush();
	}
}

/*
 * The siblings of a commit that did not count them, if they are needed after all:
 * it began just before an experiment did, or was not known to be one.
 */
static uint32
siblings_after_all(void)
{
	return reading.siblings == SIBLINGS_NOT_COUNTED ? siblings_count() :
		reading.siblings;
}

/* Collect what is known about the flush of group "number". */
static void
collect_evidence(DelayEvidence *evidence, GroupNumber number, uint64 now)
{
	FlushTraces traces = {.previous_siblings_after = -1};

	if (number != InvalidGroupNumber)
		flush_group_traces(number, &traces);
	evidence->delay = CommitDelay;
	evidence->threshold = CommitSiblings;
	evidence->sleep_shows = COMMIT_DELAY_SHOWS;
	evidence->seen_asleep = siblings_saw_sleep();
	evidence->connected = (int) siblings_connected() - 1;
	evidence->siblings_before = (int) siblings_after_all();
	/* they include this backend, unlike the siblings that it counts itself */
	evidence->siblings_previous = traces.previous_siblings_after >= 0 ?
		Max(traces.previous_siblings_after - 1, 0) : -1;
	evidence->started_at = reading.started_at;
	evidence->ended_at = now;
	evidence->previous_seen_at = traces.previous_seen_at;
	evidence->boundary_seen_at = traces.seen_at;
	evidence->timed = flush_detection_timed(&own);
	evidence->io_time = own.io_time;
}

/* Did the leader of this flush sleep?  Count the answer.  With commit_delay set. */
static pg_noinline const DelayVerdict *
judge_delay(GroupNumber number, uint64 now)
{
	static DelayVerdict verdict;
	DelayEvidence evidence;
	double		doubt;

	collect_evidence(&evidence, number, now);
	verdict = delay_classifier_judge(&evidence);
	doubt = Min(verdict.probability, 1.0 - verdict.probability);
	backend_slot_add(SLOT_DELAYABLE, 1);
	backend_slot_add(SLOT_DELAY_HITS, SLOT_FRACTION * verdict.probability);
	backend_slot_add(SLOT_DELAY_UNCERTAIN, SLOT_FRACTION * doubt);
	backend_slot_add(SLOT_DELAY_TIME, verdict.sleep_time);
	return &verdict;
}

/*
 * How long this backend wrote and synced, with track_wal_io_timing.  Returns the
 * same in us.
 */
static pg_noinline uint32
count_flush_time(void)
{
	backend_slot_add(SLOT_TIMED_FLUSHES, 1);
	backend_slot_add(SLOT_FLUSH_TIME, own.io_time);
	latency_count(LATENCY_FLUSH, own.io_time);
	return (uint32) (own.io_time / 1000);
}

/* What the leader of a flush reports; "delay" is null without one. */
static inline void
fill_report(LeaderReport *report, uint32 siblings_after, uint32 flush_time,
			const DelayVerdict *delay)
{
	report->siblings = reading.siblings;
	report->siblings_after = siblings_after;
	report->log_wanted = commit_stats_log_flushes;
	report->flush_time = flush_time;
	report->delayed = false;
	report->delay_probability = 0;
	report->delay_time = 0;
	if (unlikely(delay != NULL))
	{
		report->delayed = delay->slept;
		report->delay_probability =
			(uint16) (delay->probability * REPORTED_CERTAINTY + 0.5);
		report->delay_time = (uint32) (delay->sleep_time / 1000);
	}
}

/* ns that a leader slept for certain, or nearly. */
static uint64
least_sleep(const DelayVerdict *delay)
{
	return delay != NULL && delay->probability > 0.99 ?
		(uint64) CommitDelay * 1000 : 0;
}

/*
 * How long did this commit, now done, wait for a standby?  As soon as the local
 * flush had ended.  That was not before anybody saw the flush pointer still at
 * the boundary before, nor before a leader had spent "own_time" on sleep and
 * I/O; and not after somebody saw the pointer at the boundary of the group.
 */
static pg_noinline void
count_standby_wait(LatencyKind kind, GroupNumber number, uint64 now,
				   uint64 own_time)
{
	uint64		earliest = reading.started_at;
	uint64		latest = now;
	FlushTraces traces = {0};

	if (number != InvalidGroupNumber)
		flush_group_traces(number, &traces);
	earliest = Max(earliest, traces.previous_seen_at) + own_time;
	if (traces.seen_at != 0)
		latest = Min(latest, Max(traces.seen_at, reading.started_at));
	earliest = Min(earliest, latest);
	latency_count_standby(kind, now - latest, now - earliest);
}

/* This commit, now done, has waited. */
static inline void
count_latency(bool led, GroupNumber number, uint64 now, uint64 elapsed,
			  const DelayVerdict *delay)
{
	WaitLevel	level = latency_wait_level();
	LatencyKind kind = latency_kind(level, led);

	latency_count(kind, elapsed);
	if (level == WAIT_LOCAL)
		latency_count_setting();
	else
		count_standby_wait(kind, number, now, own.io_time + least_sleep(delay));
}

/* The group of a commit, or of a flush, is gone, or was not seen at all. */
static pg_noinline void
count_unresolved(int missing)
{
	if (missing & GROUP_OF_COMMIT)
		backend_slot_add(SLOT_UNRESOLVED_COMMITS, 1);
	if (missing & GROUP_OF_LEADER)
		backend_slot_add(SLOT_UNRESOLVED_FLUSHES, 1);
}

/* Some flushes may have been judged wrongly. */
static pg_noinline void
count_uncertain(int flushes)
{
	backend_slot_add(SLOT_FLUSHES_UNCERTAIN, flushes);
}

/* A commit that waited. */
static pg_attribute_always_inline void
count_commit(bool led, GroupNumber number, uint64 now,
			 const DelayVerdict *delay)
{
	uint64		elapsed = now - reading.started_at; /* of a monotonic clock */

	backend_slot_add(SLOT_COMMITS, 1);
	backend_slot_add(SLOT_COMMIT_TIME, elapsed);
	count_latency(led, number, now, elapsed, delay);
	if (!led)
		backend_slot_add(SLOT_FOLLOWERS, 1);
}

/* A flush that this backend led.  Returns how long it took, us. */
static inline uint32
count_flush(void)
{
	backend_slot_add(SLOT_FLUSHES, 1);
	return unlikely(flush_detection_timed(&own)) ? count_flush_time() : FLUSH_NOT_TIMED;
}

/* The group learns of a member, and from its leader all about the flush. */
static pg_attribute_always_inline void
enter_group(GroupNumber number, bool is_commit, bool led,
			uint32 siblings_after, uint32 flush_time,
			const DelayVerdict *delay)
{
	FlushGroup *group = group_slot(number);
	/* 0 if they were not counted */
	uint32		active = Max(reading.siblings, siblings_after) + 1;
	int			missing;

	missing = flush_group_enter(group, number, is_commit, active, led);
	if (unlikely(missing != 0))
		count_unresolved(missing);
	else if (led)
	{
		fill_report(&group->report, siblings_after, flush_time, delay);
		flush_group_reported(group);
	}
}

/* The siblings of a leader whose commit is done, if it counted them before. */
static inline uint32
count_siblings_after(void)
{
	return reading.siblings == SIBLINGS_NOT_COUNTED ?
		SIBLINGS_NOT_COUNTED : siblings_count();
}

/*
 * A record that ends at "lsn" has been waited for, and this backend has flushed it
 * or has not.  Inlined, so that a commit, and a leader, asks nowhere whether it is
 * one.
 */
static pg_attribute_always_inline void
count_waited(XLogRecPtr lsn, bool is_commit, bool led)
{
	XLogRecPtr	flushed = GetFlushRecPtr(NULL);
	uint64		now = clock_now();
	uint32		siblings_after = led ? count_siblings_after() : 0;
	uint32		flush_time = FLUSH_NOT_TIMED;
	const DelayVerdict *delay = NULL;
	GroupNumber number = flush_groups_find(lsn, flushed, now);

	if (led && unlikely(CommitDelay > 0) && enableFsync && !start_unknown)
		delay = judge_delay(number, now);
	if (is_commit)
		count_commit(led, number, now, delay);
	else
		backend_slot_add(SLOT_PREPARES, 1);
	if (led)
		flush_time = count_flush();
	/* After the slot, so that no reset finds more in groups than in slots. */
	enter_group(number, is_commit, led, siblings_after, flush_time, delay);
	if (unlikely(flush_detection_uncertain(&own) != 0))
		count_uncertain(flush_detection_uncertain(&own));
	if (led && unlikely(commit_stats_log_flushes))
		flush_logger_wake();
	if (unlikely(commit_trace_noted))
		commit_trace_put(reading.started_at, now, number, siblings_after_all(),
						 &own);
}

/* A commit that did not wait. */
static pg_noinline void
count_async(void)
{
	backend_slot_add(SLOT_COMMITS_ASYNC, 1);
	latency_count(LATENCY_ASYNC, clock_now() - reading.started_at);
	wal_cycles_account(WAL_OF_COMMIT);
}

/* A transaction without an id has committed. */
static inline void
count_read_only(void)
{
	if (reading.kind != COMMIT_NOT_COUNTED)
		backend_slot_add(SLOT_COMMITS_READ_ONLY, 1);
}

/* A two-phase record has been waited for. */
static void
after_two_phase(XLogRecPtr lsn, bool is_commit)
{
	CommitKind	kind = reading.kind;

	reading.kind = COMMIT_NOT_COUNTED;
	if (kind != COMMIT_WAITS)
		return;
	flush_detection_since(&reading.own, &own);
	count_waited(lsn, is_commit, own.flushes > 0);
	delay_override_end();
}

/* There is WAL that was not accounted. */
static pg_noinline void
account_new_wal(WalOutcome outcome)
{
	if (!shared_memory_attached)
		return;
	if (commit_stats_enabled)
		wal_cycles_account(outcome);
	else
		wal_cycles_skip();
}

/*
 * The WAL of the transaction that has just ended.  It is accounted to the last,
 * so that this is in none of the times.  Most of those that only read have
 * written none.
 */
static inline void
account_wal(WalOutcome outcome)
{
	if (wal_cycles_behind())
		account_new_wal(outcome);
}

/* What comes after a commit that waited. */
static inline void
finish_waited_commit(void)
{
	delay_override_end();
	wal_cycles_account(WAL_OF_COMMIT);
}

/*
 * Those that waited for their commit record: it is durable, nothing may fail.  The
 * library is in use, or nothing would have been read before.
 */
static pg_noinline void
count_leader(void)
{
	count_waited(XactLastCommitEnd, true, true);
	finish_waited_commit();
}

static pg_noinline void
count_follower(void)
{
	count_waited(XactLastCommitEnd, true, false);
	finish_waited_commit();
}

/* One that had WAL to wait for. */
static inline void
count_logged_commit(CommitKind kind)
{
	flush_detection_since(&reading.own, &own);
	if (own.flushes > 0)
		count_leader();
	else if (kind == COMMIT_WAITS)
		count_follower();
	else
		count_async();
}

/* The clock of when the client sent the statement that has committed, ns. */
static uint64
statement_start(void)
{
	TimestampTz start = Max(GetCurrentStatementStartTimestamp(),
							GetCurrentTransactionStartTimestamp());
	int64		elapsed = GetCurrentTimestamp() - start;

	return clock_now() - (uint64) Max(elapsed, 0) * 1000;
}

/*
 * One that had none when it was read, but has by now.  If it had no id either, the
 * start of the statement takes the place of its own, and says nothing about a
 * delay.
 */
static pg_noinline void
count_late_commit(void)
{
	reading.siblings = SIBLINGS_NOT_COUNTED;
	start_unknown = reading.started_at == 0;
	if (start_unknown)
		reading.started_at = statement_start();
	count_logged_commit(synchronous_commit > SYNCHRONOUS_COMMIT_OFF ?
						COMMIT_WAITS : COMMIT_ASYNC);
	start_unknown = false;
}

/* Did an unlogged commit write more than its commit record, if that? */
static inline bool
was_logged_late(CommitKind kind, bool has_xid)
{
	return kind == COMMIT_UNLOGGED && has_xid &&
		pgWalUsage.wal_records - reading.wal_records > 1;
}

/* One that had not, and no id unless a NOTIFY wanted one. */
static pg_noinline void
count_other_commit(CommitKind kind)
{
	bool		has_xid = TransactionIdIsValid(GetTopTransactionIdIfAny());

	if (was_logged_late(kind, has_xid))
	{
		count_late_commit();
		return;
	}
	flush_detection_forget();
	if (kind == COMMIT_UNLOGGED)
		backend_slot_add(has_xid ? SLOT_COMMITS_UNLOGGED :
						 SLOT_COMMITS_READ_ONLY, 1);
	account_new_wal(has_xid ? WAL_OF_COMMIT : WAL_OF_OTHER);
}

/* A transaction has committed, and there is WAL to be accounted. */
static pg_noinline void
after_logged_commit(void)
{
	CommitKind	kind = reading.kind;

	reading.kind = COMMIT_NOT_COUNTED;
	if (kind >= COMMIT_ASYNC)
		count_logged_commit(kind);
	else
		count_other_commit(kind);
}

/*
 * XACT_EVENT_COMMIT.  A transaction with an id has just written a commit record,
 * so one that left no WAL to be accounted had none.
 */
static inline void
after_commit(void)
{
	if (wal_cycles_behind())
		after_logged_commit();
	else
		count_read_only();
}

/* What comes less often than once with each transaction. */
static pg_noinline void
after_rare_event(XactEvent event)
{
	if (event == XACT_EVENT_PRE_PREPARE)
		before_two_phase();
	else if (event == XACT_EVENT_PREPARE)
	{
		/* XactLastRecEnd is cleared by now; any byte of it will do */
		after_two_phase(ProcLastRecPtr + 1, false);
		account_wal(WAL_OF_OTHER);
	}
	else if (event == XACT_EVENT_ABORT)
	{
		abandon_commit();
		account_wal(WAL_OF_ABORT);
	}

	/*
	 * Nothing for the workers of a parallel query: its leader commits for
	 * them, and the server adds their WAL to the leader's.
	 */
}

static void
commit_path_xact_callback(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_PRE_COMMIT)
		before_commit();
	else if (event == XACT_EVENT_COMMIT)
		after_commit();
	else
		after_rare_event(event);
}

static bool
is_transaction_stmt(const PlannedStmt *pstmt, TransactionStmtKind kind)
{
	return IsA(pstmt->utilityStmt, TransactionStmt) &&
		((TransactionStmt *) pstmt->utilityStmt)->kind == kind;
}

/* The utility command itself, or the next hook's idea of it. */
static void
process_utility(PlannedStmt *pstmt, const char *queryString,
				bool readOnlyTree, ProcessUtilityContext context,
				ParamListInfo params, QueryEnvironment *queryEnv,
				DestReceiver *dest, QueryCompletion *qc)
{
	if (prev_ProcessUtility)
		prev_ProcessUtility(pstmt, queryString, readOnlyTree, context,
							params, queryEnv, dest, qc);
	else
		standard_ProcessUtility(pstmt, queryString, readOnlyTree, context,
								params, queryEnv, dest, qc);
}

/*
 * COMMIT PREPARED writes and flushes the commit record of the other
 * transaction while it runs, long before its own transaction, which has
 * nothing to commit, comes to the callbacks.  ROLLBACK PREPARED likewise.
 *
 * COMMIT PREPARED that fails after a savepoint aborts a subtransaction only, of
 * which no callback of ours is told.
 */
static void
commit_path_ProcessUtility(PlannedStmt *pstmt, const char *queryString,
						   bool readOnlyTree, ProcessUtilityContext context,
						   ParamListInfo params, QueryEnvironment *queryEnv,
						   DestReceiver *dest, QueryCompletion *qc)
{
	if (!is_transaction_stmt(pstmt, TRANS_STMT_COMMIT_PREPARED))
	{
		process_utility(pstmt, queryString, readOnlyTree, context,
						params, queryEnv, dest, qc);
		if (is_transaction_stmt(pstmt, TRANS_STMT_ROLLBACK_PREPARED))
			account_wal(WAL_OF_ABORT);
		return;
	}
	before_two_phase();
	PG_TRY();
	{
		process_utility(pstmt, queryString, readOnlyTree, context,
						params, queryEnv, dest, qc);
	}
	PG_CATCH();
	{
		abandon_commit();
		PG_RE_THROW();
	}
	PG_END_TRY();
	after_two_phase(XactLastRecEnd, true);
	account_wal(WAL_OF_COMMIT);
}

/* For _PG_init. */
void
commit_path_install_hooks(void)
{
	RegisterXactCallback(commit_path_xact_callback, NULL);
	prev_ProcessUtility = ProcessUtility_hook;
	ProcessUtility_hook = commit_path_ProcessUtility;
}
