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
 * latency.c and wal_cycles.c (this backend's own cache lines) and flush_groups.c
 * (one atomic addition for a commit, one report for a flush).  GetFlushRecPtr()
 * takes a spinlock for a few instructions up to 16 and reads atomically from 17
 * on; it may be called here because the server is not inside XLogFlush() at
 * that time.
 *
 * src/commit_path.c
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

#include "backend_slots.h"
#include "clock.h"
#include "commit_path.h"
#include "commit_trace.h"
#include "compat.h"
#include "databases.h"
#include "delay_evidence.h"
#include "delay_override.h"
#include "flush_groups.h"
#include "flush_logger.h"
#include "latency.h"
#include "own_flush.h"
#include "shared_memory.h"
#include "siblings.h"
#include "wal_cycles.h"

bool		commit_stats_enabled = true;
bool		commit_stats_log_flushes = false;

/* What was read before the commit that is under way in this backend. */
typedef struct CommitReading
{
	bool		taken;			/* count this commit when it is done */
	bool		logged;			/* it had a transaction id and wrote WAL */
	bool		waits;			/* it will wait for the flush, as we see it */
	uint32		siblings;		/* 0 unless it waits */
	uint64		started_at;		/* unless it did not log */
	OwnFlush	own;			/* not known unless it logged */
} CommitReading;

static CommitReading reading;

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

/*
 * Make this process known, before it counts anything.  May wait and may raise
 * an error, but only the first time.
 */
static void
arrive(bool has_xid)
{
	static bool arrived = false;

	siblings_register_backend(has_xid);
	if (arrived)
		return;
	databases_arrive();
	backend_slot_find();
	arrived = true;
}

/* Readings of a commit that will wait. */
static void
read_before_wait(void)
{
	reading.waits = true;
	siblings_forget_sleep();
	reading.own = own_flush_read();
	reading.siblings = siblings_count();
	reading.started_at = clock_now();
	flush_groups_observe(GetFlushRecPtr(NULL), reading.started_at);
	delay_override_begin(reading.started_at);
	commit_trace_begin(reading.started_at);
}

/* XACT_EVENT_PRE_COMMIT: an error is still harmless. */
static void
before_commit(void)
{
	bool		has_xid = TransactionIdIsValid(GetTopTransactionIdIfAny());

	reading.taken = commit_stats_enabled && shared_memory_attached;
	if (!reading.taken)
		return;
	arrive(has_xid);

	/*
	 * Without an id there will be no commit record.  Without WAL so far there
	 * will be one, but nothing worth waiting for.  A NOTIFY may yet cause an
	 * id to be assigned; it writes no WAL.
	 */
	reading.logged = has_xid && XactLastRecEnd != InvalidXLogRecPtr;
	reading.waits = false;
	if (!reading.logged)
		return;
	if (synchronous_commit > SYNCHRONOUS_COMMIT_OFF || deletes_files())
		read_before_wait();
	else
	{
		reading.siblings = 0;
		reading.started_at = clock_now();
		/* CREATE DATABASE and a few more wait all the same */
		reading.own.known = false;
		if (OWN_FLUSH_IS_CHEAP)
			reading.own = own_flush_read();
	}
}

/* XACT_EVENT_PRE_PREPARE, or before a COMMIT PREPARED: both always wait. */
static void
before_two_phase(void)
{
	/* a standby will refuse it */
	reading.taken = commit_stats_enabled && shared_memory_attached &&
		!RecoveryInProgress();
	if (!reading.taken)
		return;
	arrive(true);
	reading.logged = true;
	read_before_wait();
}

/* Collect what is known about the flush of group "number". */
static void
collect_evidence(DelayEvidence *evidence, GroupNumber number, uint64 now,
				 const OwnFlush *own)
{
	FlushTraces traces = {.previous_siblings_after = -1};

	if (number != InvalidGroupNumber)
		flush_group_traces(number, &traces);
	evidence->delay = CommitDelay;
	evidence->threshold = CommitSiblings;
	evidence->sleep_shows = COMMIT_DELAY_SHOWS;
	evidence->seen_asleep = siblings_saw_sleep();
	evidence->connected = (int) siblings_connected() - 1;
	evidence->siblings_before = (int) reading.siblings;
	/* they include this backend, unlike the siblings that it counts itself */
	evidence->siblings_previous = traces.previous_siblings_after >= 0 ?
		Max(traces.previous_siblings_after - 1, 0) : -1;
	evidence->started_at = reading.started_at;
	evidence->ended_at = now;
	evidence->previous_seen_at = traces.previous_seen_at;
	evidence->boundary_seen_at = traces.seen_at;
	evidence->timed = track_wal_io_timing;
	evidence->io_time = own->io_time;
}

/* Did the leader of this flush sleep?  Count the answer. */
static DelayVerdict
judge_delay(GroupNumber number, uint64 now, const OwnFlush *own)
{
	DelayEvidence evidence;
	DelayVerdict verdict = {0};
	double		doubt;

	if (own->flushes <= 0 || CommitDelay <= 0 || !enableFsync)
		return verdict;
	collect_evidence(&evidence, number, now, own);
	verdict = delay_evidence_judge(&evidence);
	doubt = Min(verdict.probability, 1.0 - verdict.probability);
	backend_slot_add(SLOT_DELAYABLE, 1);
	backend_slot_add(SLOT_DELAY_HITS, SLOT_FRACTION * verdict.probability);
	backend_slot_add(SLOT_DELAY_UNCERTAIN, SLOT_FRACTION * doubt);
	backend_slot_add(SLOT_DELAY_TIME, verdict.sleep_time);
	return verdict;
}

/* This backend led the flush of group "number". */
static void
count_flush(GroupNumber number, uint32 siblings_after, const OwnFlush *own,
			const DelayVerdict *delay)
{
	LeaderReport report = {0};

	report.siblings = reading.siblings;
	report.siblings_after = siblings_after;
	report.delayed = delay->slept;
	report.delay_probability = (float) delay->probability;
	report.delay_time = (uint32) (delay->sleep_time / 1000);
	report.log_wanted = commit_stats_log_flushes;
	report.timed = track_wal_io_timing;
	backend_slot_add(SLOT_FLUSHES, 1);
	if (report.timed)
	{
		report.flush_time = (uint32) (own->io_time / 1000);
		backend_slot_add(SLOT_TIMED_FLUSHES, 1);
		backend_slot_add(SLOT_FLUSH_TIME, own->io_time);
		latency_count_flush(own->io_time);
	}
	if (number == InvalidGroupNumber || !flush_group_lead(number, &report))
		backend_slot_add(SLOT_UNRESOLVED_FLUSHES, 1);
	else if (report.log_wanted)
		flush_logger_wake();
}

/* ns that a leader slept for certain, or nearly. */
static uint64
least_sleep(const DelayVerdict *delay)
{
	return delay->probability > 0.99 ? (uint64) CommitDelay * 1000 : 0;
}

/*
 * How long did this commit, now done, wait for a standby?  As soon as the local
 * flush had ended.  That was not before anybody saw the flush pointer still at
 * the boundary before, nor before a leader had spent "own_time" on sleep and
 * I/O; and not after somebody saw the pointer at the boundary of the group.
 */
static void
measure_standby_wait(CommitLatency *latency, GroupNumber number, uint64 now,
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
	latency->standby_min = now - latest;
	latency->standby_max = now - earliest;
}

/* This commit, now done, has waited. */
static void
count_latency(GroupNumber number, uint64 now, const OwnFlush *own,
			  const DelayVerdict *delay)
{
	WaitLevel	level = latency_wait_level();
	CommitLatency latency = {0};

	latency.led = own->flushes > 0;
	latency.time = clock_elapsed(reading.started_at, now);
	if (level != WAIT_LOCAL)
		measure_standby_wait(&latency, number, now,
							 own->io_time + least_sleep(delay));
	latency_count_commit(level, &latency);
}

/* A record that ends at "lsn" has been waited for. */
static void
count_waited(XLogRecPtr lsn, bool is_commit, const OwnFlush *own)
{
	XLogRecPtr	flushed = GetFlushRecPtr(NULL);
	uint64		now = clock_now();
	bool		led = own->flushes > 0;
	uint32		siblings_after = 0;
	GroupNumber number;
	DelayVerdict delay;

	flush_groups_observe(flushed, now);
	number = flush_groups_find(lsn);
	if (led)
		siblings_after = siblings_count();
	delay = judge_delay(number, now, own);
	if (is_commit)
	{
		backend_slot_add(SLOT_COMMITS, 1);
		backend_slot_add(SLOT_COMMIT_TIME,
						 clock_elapsed(reading.started_at, now));
		count_latency(number, now, own, &delay);
		if (!led)
			backend_slot_add(SLOT_FOLLOWERS, 1);
		if (number == InvalidGroupNumber ||
			!flush_group_join(number, Max(reading.siblings, siblings_after) + 1))
			backend_slot_add(SLOT_UNRESOLVED_COMMITS, 1);
	}
	else
		backend_slot_add(SLOT_PREPARES, 1);
	if (led)
		count_flush(number, siblings_after, own, &delay);
	if (unlikely(commit_trace_noted))
		commit_trace_put(reading.started_at, now, number, reading.siblings,
						 own);
}

/* XACT_EVENT_COMMIT: the transaction is durable, nothing may fail. */
static void
after_commit(bool has_xid)
{
	OwnFlush	own;

	if (!reading.taken)
		return;
	reading.taken = false;

	if (!has_xid)
	{
		backend_slot_add(SLOT_COMMITS_READ_ONLY, 1);
		return;
	}
	if (!reading.logged)
	{
		backend_slot_add(SLOT_COMMITS_UNLOGGED, 1);
		return;
	}
	own = own_flush_since(&reading.own);
	if (reading.waits || own.flushes > 0)
		count_waited(XactLastCommitEnd, true, &own);
	else
	{
		backend_slot_add(SLOT_COMMITS_ASYNC, 1);
		latency_count_async(clock_elapsed(reading.started_at, clock_now()));
	}
}

/* A two-phase record has been waited for. */
static void
after_two_phase(XLogRecPtr lsn, bool is_commit)
{
	OwnFlush	own;

	if (!reading.taken)
		return;
	reading.taken = false;
	own = own_flush_since(&reading.own);
	count_waited(lsn, is_commit, &own);
}

/*
 * The WAL of the transaction that has just ended.  It is accounted to the last,
 * so that this is in none of the times.
 */
static void
account_wal(WalOutcome outcome)
{
	if (!shared_memory_attached)
		return;
	if (commit_stats_enabled)
		wal_cycles_account(outcome);
	else
		wal_cycles_skip();
}

static void
commit_path_xact_callback(XactEvent event, void *arg)
{
	bool		has_xid;

	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
			before_commit();
			break;
		case XACT_EVENT_COMMIT:
			has_xid = TransactionIdIsValid(GetTopTransactionIdIfAny());
			after_commit(has_xid);
			delay_override_end();
			account_wal(has_xid ? WAL_OF_COMMIT : WAL_OF_OTHER);
			break;
		case XACT_EVENT_PRE_PREPARE:
			before_two_phase();
			break;
		case XACT_EVENT_PREPARE:
			/* XactLastRecEnd is cleared by now; any byte of it will do */
			after_two_phase(ProcLastRecPtr + 1, false);
			delay_override_end();
			account_wal(WAL_OF_OTHER);
			break;
		case XACT_EVENT_ABORT:
			reading.taken = false;
			delay_override_end();
			commit_trace_noted = false;
			account_wal(WAL_OF_ABORT);
			break;
		case XACT_EVENT_PARALLEL_PRE_COMMIT:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PARALLEL_ABORT:

			/*
			 * The leader of the parallel query commits for its workers, and
			 * the server adds their WAL to the leader's.
			 */
			break;
	}
}

static bool
is_transaction_stmt(const PlannedStmt *pstmt, TransactionStmtKind kind)
{
	return IsA(pstmt->utilityStmt, TransactionStmt) &&
		((TransactionStmt *) pstmt->utilityStmt)->kind == kind;
}

/*
 * COMMIT PREPARED writes and flushes the commit record of the other
 * transaction while it runs, long before its own transaction, which has
 * nothing to commit, comes to the callbacks.  ROLLBACK PREPARED likewise.
 */
static void
commit_path_ProcessUtility(PlannedStmt *pstmt, const char *queryString,
						   bool readOnlyTree, ProcessUtilityContext context,
						   ParamListInfo params, QueryEnvironment *queryEnv,
						   DestReceiver *dest, QueryCompletion *qc)
{
	bool		commits = is_transaction_stmt(pstmt, TRANS_STMT_COMMIT_PREPARED);
	bool		aborts = is_transaction_stmt(pstmt, TRANS_STMT_ROLLBACK_PREPARED);

	if (commits)
		before_two_phase();
	if (prev_ProcessUtility)
		prev_ProcessUtility(pstmt, queryString, readOnlyTree, context,
							params, queryEnv, dest, qc);
	else
		standard_ProcessUtility(pstmt, queryString, readOnlyTree, context,
								params, queryEnv, dest, qc);
	if (commits)
	{
		after_two_phase(XactLastRecEnd, true);
		delay_override_end();
		account_wal(WAL_OF_COMMIT);
	}
	if (aborts)
		account_wal(WAL_OF_ABORT);
}

/* For functions that watch commits for a while. */
void
commit_path_require_enabled(void)
{
	if (!commit_stats_enabled)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("commit_stats is not counting"),
				 errhint("Set \"commit_stats.enabled\" to on and reload the configuration.")));
}

/* For _PG_init. */
void
commit_path_install_hooks(void)
{
	RegisterXactCallback(commit_path_xact_callback, NULL);
	prev_ProcessUtility = ProcessUtility_hook;
	ProcessUtility_hook = commit_path_ProcessUtility;
}
