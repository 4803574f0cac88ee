/*-------------------------------------------------------------------------
 *
 * slow_commit.c
 *		Where the time of a slow commit, or of a stall, went.
 *
 * A COMMIT begins in our ProcessUtility hook, which also runs before deferred
 * triggers; without a statement, its begin is the first callback.  It ends
 * when the server resets TopTransactionContext, behind the deletion of files
 * and the signals of NOTIFY.  The second callback calls
 * slow_commit_may_be_slow() for a commit that took long, or may still do so.
 * This file then watches the commit to its end, where note_commit() compares
 * it with the limit of slow_log.c.  Three moments divide the time between
 * the callbacks:
 *
 *	- record:	the server wrote the commit record.  It read the clock just
 *				before, for GetCurrentTransactionStopTimestamp().
 *	- begin:	a process saw the flush pointer at the boundary of the flush
 *				before.  A leader then slept, if it did, and flushed.
 *	- end:		a process saw the flush pointer at the boundary of this flush.
 *				What came later was the wait for a standby, or the commit log.
 *
 * With track_wal_io_timing, the server itself measures how long a leader wrote
 * and synced, but not how long it made a WAL segment: if the flush crosses
 * one, that is what is left of the time from begin to end.
 *
 * Invariant: as in commit_path.c, nothing here raises an error, allocates,
 * waits, or loops without a bound.  A reset callback is a static struct that
 * the server links into its list.
 *
 * Locking: none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "utils/backend_status.h"
#include "utils/inet.h"
#include "utils/memutils.h"

#include "base/clock.h"
#include "base/compat.h"
#include "commit/commit.h"
#include "module/wall_clock.h"
#include "probe/notify_lock.h"
#include "probe/siblings.h"
#include "stats/backend_slots.h"
#include "stats/latency.h"
#include "stats/statements.h"

/* A leader that makes a WAL segment takes longer than that beside I/O; ns */
#define SEGMENT_GAP			NS_PER_MS

/*
 * A commit whose second callback has run, and its derived times.  Of this
 * process alone.
 */
static struct
{
	CommitUnderWay commit;		/* a copy */
	SlowEvent	event;			/* what the second callback tells of it */
	LatencyKind kind;			/* where it counts */
	bool		waits_for_standby;
	bool		crosses_segment;	/* its flush did */
	uint64		limit;			/* of slow commits, ns */
	uint64		delay_time;		/* slept itself, or SLOW_UNKNOWN */
	uint64		flush_time;		/* flushed itself, or SLOW_UNKNOWN */
	uint64		notify_time;
	uint64		record_at;
	uint64		begin;			/* the record, or the end of the flush before */
	uint64		end;			/* of the flush, or of the commit */
}			watched;

/*
 * PREPARE TRANSACTION and COMMIT PREPARED, whose transaction has no id, leave
 * no time of their record behind.
 */
static void
find_moments(bool has_record)
{
	const CommitUnderWay *commit = &watched.commit;
	const FlushTimes *times = &commit->times;
	uint64		record_at = commit->started_at;

	if (has_record)
		record_at = clock_ns_at(GetCurrentTransactionStopTimestamp());
	record_at = Max(Min(record_at, commit->ended_at), commit->started_at);
	watched.record_at = record_at;
	watched.notify_time = commit->has_notify ?
		notify_lock_wait(commit->started_at, record_at) : 0;
	watched.begin = Min(Max(record_at, times->previous_seen_at),
						commit->ended_at);
	watched.end = commit->ended_at;
	if (times->seen_at != 0 && times->seen_at < commit->ended_at)
		watched.end = Max(times->seen_at, watched.begin);
}

/*---- Parts -------------------------------------------------------*/

static uint64
zero_if_unknown(uint64 part)
{
	return part == SLOW_UNKNOWN ? 0 : part;
}

/*
 * The time of the session's own flush.  Where it was not measured, nothing but
 * its end separates it from the wait for a standby.
 */
static uint64
own_flush_time(void)
{
	if (watched.commit.io.timed)
		return watched.commit.io.io_time;
	if (watched.event.role != SLOW_LED)
		return 0;
	if (watched.waits_for_standby || watched.delay_time == SLOW_UNKNOWN)
		return SLOW_UNKNOWN;
	return clock_elapsed(watched.begin + watched.delay_time, watched.end);
}

/*
 * The time in which a leader made a new WAL segment, which is in no time of
 * the server's: what its flush took beside sleep, write and sync.
 */
static uint64
own_segment_time(void)
{
	uint64		gap = clock_elapsed(watched.begin +
									zero_if_unknown(watched.delay_time) +
									zero_if_unknown(watched.flush_time),
									watched.end);

	/* the end of the flush of a lone session shows when the standby answers */
	return watched.crosses_segment && !watched.waits_for_standby &&
		gap >= SEGMENT_GAP ? gap : 0;
}

/* Cut a part to what is left of the whole. */
static uint64
cut_part(uint64 part, uint64 *left)
{
	if (part == SLOW_UNKNOWN)
		return part;
	part = Min(part, *left);
	*left -= part;
	return part;
}

static void
divide_commit(SlowEvent *event)
{
	const CommitUnderWay *commit = &watched.commit;
	uint64	   *part = event->part;
	uint64		left = event->duration;
	uint64		flushed_at;

	event->savepoints = commit->statement_at != 0 ? commit->savepoints : 0;
	part[PHASE_AFTER] = cut_part(clock_elapsed(commit->ended_at, event->end),
								 &left);
	part[PHASE_NOTIFY] = cut_part(watched.notify_time, &left);
	if (part[PHASE_NOTIFY] > 0)
		event->notify_pid = commit->notify_pid;
	part[PHASE_DELAY] = cut_part(watched.delay_time, &left);
	part[PHASE_FLUSH] = cut_part(watched.flush_time, &left);
	event->flush_timed = commit->io.timed;
	part[PHASE_BEFORE] = cut_part(clock_elapsed(commit_began_at(commit),
												commit->started_at), &left);
	part[PHASE_RECORD] = cut_part(clock_elapsed(commit->started_at +
												watched.notify_time,
												watched.record_at), &left);
	/* until its own flush began, or that of another ended */
	if (event->role != SLOW_DID_NOT_WAIT)
		part[PHASE_OTHER_FLUSH] =
			cut_part(clock_elapsed(watched.record_at, event->role == SLOW_LED ?
								   watched.begin : watched.end), &left);
	part[PHASE_SEGMENT] = cut_part(own_segment_time(), &left);
	event->writes_end = watched.end;
	if (!watched.waits_for_standby)
	{
		part[PHASE_LOG] = cut_part(clock_elapsed(watched.end,
												 commit->ended_at), &left);
		return;
	}
	flushed_at = watched.begin + zero_if_unknown(part[PHASE_DELAY]) +
		zero_if_unknown(part[PHASE_FLUSH]);
	/* nobody may have seen for long that the flush of another was over */
	event->standby_max = Min(left + part[PHASE_OTHER_FLUSH],
							 clock_elapsed(flushed_at, commit->ended_at));
	event->standby_min = Min(left, clock_elapsed(watched.end,
												 commit->ended_at));
	event->standby_max = Max(event->standby_min, event->standby_max);
}

/*---- Notes -------------------------------------------------------*/

/* Of a session over a Unix-domain socket, and of other processes, none. */
static void
read_client_address(SlowEvent *event)
{
	const struct sockaddr_storage *peer;

	if (MyBEEntry == NULL)
		return;
	peer = &MyBEEntry->st_clientaddr.addr;
	if (peer->ss_family == AF_INET)
	{
		event->address_family = PGSQL_AF_INET;
		memcpy(event->address, &((const struct sockaddr_in *) peer)->sin_addr,
			   sizeof(struct in_addr));
	}
	else if (peer->ss_family == AF_INET6)
	{
		event->address_family = PGSQL_AF_INET6;
		memcpy(event->address,
			   &((const struct sockaddr_in6 *) peer)->sin6_addr,
			   sizeof(struct in6_addr));
	}
}

/* Fills in session, statement and time. */
static void
begin_event(SlowEvent *event)
{
	event->end = event->noted_at = clock_now();
	event->ended_at = clock_timestamp_at(event->end, clock_offset());
	event->client = *clients_mine();
	event->pid = MyProcPid;
	event->procno = MyProcNumber;
	event->queryid = statements_queryid();
	read_client_address(event);
}

/* What a commit and a stall have */
static SlowEvent
watched_event(void)
{
	SlowEvent	event = watched.event;

	begin_event(&event);
	if (event.transaction_time != 0)
		event.transaction_time += clock_elapsed(watched.commit.ended_at,
												event.end);
	return event;
}

static void
note_commit(void)
{
	SlowEvent	event = watched_event();

	event.duration = clock_elapsed(commit_began_at(&watched.commit), event.end);
	if (event.duration <= watched.limit)
		return;
	divide_commit(&event);
	backend_slot_add(SLOT_SLOW_COMMITS, 1);
	slow_log_put(SLOW_COMMIT, &event);
}

/* The end of the flush that is being noted */
static uint64 flush_ended_at;

static bool
was_committing(int procno)
{
	uint64		since = backend_slots_committing_since(procno);

	return since != 0 && since <= flush_ended_at;
}

static void
note_stall(void)
{
	const CommitUnderWay *commit = &watched.commit;
	FlushTimes	previous = {0};
	SlowEvent	event = watched_event();
	uint64		length = watched.flush_time;

	event.limit = stall_limit_get();
	if (length == SLOW_UNKNOWN)
		return;
	event.part[PHASE_SEGMENT] = own_segment_time();
	length += event.part[PHASE_SEGMENT];
	if (length <= event.limit)
		return;

	/*
	 * Another session may have seen the end late, or none may have, while the
	 * leader waited for a standby, so the time of its own I/O tells.
	 */
	flush_ended_at = watched.end;
	if (watched.waits_for_standby)
		flush_ended_at = Min(watched.begin + length +
							 zero_if_unknown(watched.delay_time), watched.end);
	if (commit->group != InvalidGroupNumber)
		flush_group_times(flush_group_add(commit->group, -1), &previous);
	event.flush_timed = commit->io.timed;
	event.ended_at -= clock_elapsed(flush_ended_at, event.end) / NS_PER_US;
	event.end = flush_ended_at;
	event.duration = length;
	event.since = previous.previous_seen_at;
	backend_slot_add(SLOT_STALLS, 1);
	backend_slot_add(SLOT_STALL_TIME, length);
	event.sessions = 1 + (int) siblings_estimate(was_committing);
	slow_log_put(SLOW_STALL, &event);
}

/*---- The second callback, and the end ----------------------------*/

static bool
may_be_stall(const CommitUnderWay *commit, SlowRole role)
{
	uint64		limit = stall_limit_get();

	return role == SLOW_LED && limit > 0 &&
		clock_elapsed(commit->started_at, commit->ended_at) > limit;
}

bool
slow_commit_may_be_slow(const CommitUnderWay *commit, SlowRole role,
						bool is_commit)
{
	uint64		limit = slow_commit_limit(commit_stats_slow_commit_time);

	if (is_commit && limit != PG_UINT64_MAX &&
		(commit->has_notify || commit_works_afterwards() ||
		 clock_elapsed(commit_began_at(commit), commit->ended_at) > limit))
		return true;
	return may_be_stall(commit, role);
}

/*
 * True if a flush has made, or only opened, another WAL segment: the first
 * byte behind "previous" or a later one is the first of a segment.
 */
static bool
crosses_segment(GroupNumber group)
{
	FlushGroupCopy copy;

	return flush_group_copy(group, &copy) &&
		copy.boundary > copy.previous && copy.previous != InvalidXLogRecPtr &&
		(copy.boundary - 1) / wal_segment_size !=
		(copy.previous - 1) / wal_segment_size;
}

/* Files are deleted, notifications sent, locks released: COMMIT is over. */
static void
end_watched_commit(void *arg)
{
	uint64		now = clock_now();

	if (watched.kind != LATENCY_OF_NOTHING)
		latency_count_part(watched.kind, LATENCY_AFTER,
						   clock_elapsed(watched.commit.ended_at, now));
	if (clock_elapsed(commit_began_at(&watched.commit), now) > watched.limit)
		note_commit();
	backend_slot_set_committing(0, 0);
	backend_slot_set_begun(0);
}

void
slow_commit_note(const CommitUnderWay *commit, SlowRole role, bool is_commit,
				 LatencyKind kind)
{
	static MemoryContextCallback at_end =
	{
		.func = end_watched_commit
	};

	/* COMMIT PREPARED, in a transaction that goes on, has another's record */
	bool		has_record = is_commit && !IsTransactionState() &&
	TransactionIdIsValid(GetTopTransactionIdIfAny());
	PGPROC	   *checkpointer = checkpointer_proc();

	/* what does not last until the end of the transaction */
	watched.commit = *commit;
	watched.event = (SlowEvent)
	{
		.role = role,
			.group = commit->group,
			.serializable = XactIsoLevel == XACT_SERIALIZABLE,
			.temporary = (MyXactFlags & XACT_FLAGS_ACCESSEDTEMPNAMESPACE) != 0,
			.synchronous_commit = synchronous_commit,
			.wal_bytes = backend_slot_uncounted_wal(),
		/* others wrote no WAL, and have left that of an earlier commit */
			.transaction_time = kind == LATENCY_OF_NOTHING ? 0 :
			commit->transaction_time,
			.checkpoint = checkpointer == NULL ? -1 :
			checkpointer->wait_event_info != WAIT_EVENT_CHECKPOINTER_MAIN,
	};
	watched.kind = kind;
	watched.limit = slow_commit_limit(commit_stats_slow_commit_time);
	watched.waits_for_standby = role != SLOW_DID_NOT_WAIT &&
		latency_wait_level() != WAIT_LOCAL;
	watched.crosses_segment = role == SLOW_LED &&
		crosses_segment(commit->group);
	watched.delay_time = 0;
	if (role == SLOW_LED && commit->start_unknown && CommitDelay > 0)
		watched.delay_time = SLOW_UNKNOWN;
	else if (role == SLOW_LED && commit->delay_known)
		watched.delay_time = commit->delay.sleep_time;
	find_moments(has_record);
	watched.flush_time = own_flush_time();

	if (may_be_stall(commit, role))
		note_stall();
	if (has_record)
	{
		/* in XACT_EVENT_COMMIT; the context's callbacks are called once */
		backend_slot_set_begun(commit_began_at(commit));
		backend_slot_set_committing(commit->ended_at, COMMITTING_AFTER);
		MemoryContextRegisterResetCallback(TopTransactionContext, &at_end);
	}
	else if (is_commit)
		note_commit();
}

/* It wrote until its record: the flush that followed had no more of its WAL. */
void
slow_commit_note_writer(void)
{
	TimestampTz began_at = GetCurrentTransactionStartTimestamp();
	SlowEvent	event = {.group = InvalidGroupNumber};

	/* counting may have been off when the transaction began */
	if (clients_mine() == NULL)
		return;
	begin_event(&event);
	if (MyProc->statusFlags & PROC_IS_AUTOVACUUM)
		event.pid = WATCH_AUTOVACUUM;	/* as while it ran */
	event.wal_bytes = backend_slot_uncounted_wal();
	/* COMMIT PREPARED ends another transaction than its own */
	if (!IsTransactionState())
	{
		TimestampTz record_at = GetCurrentTransactionStopTimestamp();

		event.end = Min(event.end, clock_ns_at(record_at));
		event.ended_at = Min(event.ended_at, record_at);
	}
	event.duration = event.transaction_time =
		(uint64) Max(event.ended_at - began_at, 0) * NS_PER_US;
	slow_log_put(BULK_WRITER, &event);
}
