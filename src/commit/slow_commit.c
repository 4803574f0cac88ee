/*-------------------------------------------------------------------------
 *
 * slow_commit.c
 *		Where the time of a slow commit, or of a stall, went.
 *
 * commit_path.c calls slow_commit_is_slow() for a commit that took longer than
 * commit_stats_slow_threshold, when it has been counted.  Three moments divide
 * the time from the first callback to the second one:
 *
 *	- record:	the server wrote the commit record.  It read the clock just
 *				before, for GetCurrentTransactionStopTimestamp().
 *	- begin:	a process saw the flush pointer at the boundary of the flush
 *				before.  A leader then slept, if it did, and flushed.
 *	- end:		a process saw the flush pointer at the boundary of this flush.
 *				What came later was the wait for a standby.
 *
 * With track_wal_io_timing, the server itself measures how long a leader wrote
 * and synced.
 *
 * A commit with NOTIFY still holds the lock that makes such commits one after
 * the other.  If the session waited for that lock, it started the timeout that
 * looks for deadlocks, and the server still has the time of that start.
 *
 * Invariant: as in commit_path.c, nothing here raises an error, allocates,
 * waits, or loops without a bound.
 *
 * Locking: none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/compat.h"
#include "commit/commit.h"
#include "module/wall_clock.h"
#include "probe/notify_lock.h"
#include "probe/siblings.h"
#include "stats/backend_slots.h"
#include "stats/latency.h"
#include "stats/stall_limit.h"

/*----------------------------------------------------------------
 * Moments
 *----------------------------------------------------------------
 */

/*
 * clock_now() at a time in the past, and not after it: a commit that took less
 * than the microseconds of a TimestampTz show has taken some time.
 */
static uint64
clock_at(TimestampTz then, const ClockPair *now)
{
	uint64		age = (uint64) Max(now->at - then + 1, 0) * NS_PER_US;

	return clock_elapsed(age, now->ns);
}

/* Derived times of a slow commit. */
typedef struct SlowMoments
{
	uint64		notify_time;
	uint64		started_at;		/* if unknown, of its first known wait */
	uint64		begin;			/* the record, or the end of the flush before */
	uint64		end;			/* of the flush, or of the commit */
} SlowMoments;

/* ns that the commit waited for the lock of NOTIFY, before its record. */
static uint64
notify_wait(uint64 started_at, uint64 record_at, const ClockPair *now)
{
	uint64		waits_at = clock_at(get_timeout_start_time(DEADLOCK_TIMEOUT),
									now);

	if (waits_at + 2 * CLOCKS_APART < started_at || waits_at > record_at ||
		!commit_has_notify())
		return 0;
	return clock_elapsed(Max(waits_at, started_at), record_at);
}

/*
 * PREPARE TRANSACTION and COMMIT PREPARED, whose transaction has no id, leave
 * no time of their record behind.
 */
static void
find_moments(const CommitUnderWay *commit, bool is_commit,
			 const ClockPair *now, SlowMoments *moments)
{
	const FlushTimes *times = &commit->times;
	uint64		record_at = commit->started_at;

	if (is_commit && TransactionIdIsValid(GetTopTransactionIdIfAny()))
		record_at = clock_at(GetCurrentTransactionStopTimestamp(), now);
	record_at = Max(Min(record_at, commit->ended_at), commit->started_at);
	moments->notify_time = notify_wait(commit->started_at, record_at, now);
	moments->started_at = commit->start_unknown ?
		clock_elapsed(moments->notify_time, record_at) : commit->started_at;
	moments->begin = Min(Max(record_at, times->previous_seen_at),
						 commit->ended_at);
	moments->end = commit->ended_at;
	if (times->seen_at != 0 && times->seen_at < commit->ended_at)
		moments->end = Max(times->seen_at, moments->begin);
}

/*----------------------------------------------------------------
 * Parts
 *----------------------------------------------------------------
 */

static bool
waits_for_standby(SlowRole role)
{
	return role != SLOW_DID_NOT_WAIT && latency_wait_level() != WAIT_LOCAL;
}

static uint64
zero_if_unknown(uint64 part)
{
	return part == SLOW_UNKNOWN ? 0 : part;
}

/* The time that the session slept itself. */
static uint64
own_delay_time(const CommitUnderWay *commit, SlowRole role)
{
	if (role != SLOW_LED)
		return 0;
	if (commit->start_unknown && CommitDelay > 0)
		return SLOW_UNKNOWN;
	return commit->delay_known ? commit->delay.sleep_time : 0;
}

/*
 * The time of the session's own flush.  Where it was not measured, nothing but
 * its end separates it from the wait for a standby.
 */
static uint64
own_flush_time(const CommitUnderWay *commit, SlowRole role,
			   const SlowMoments *moments)
{
	uint64		delay_time = own_delay_time(commit, role);

	if (commit->io.timed)
		return commit->io.io_time;
	if (role != SLOW_LED)
		return 0;
	if (waits_for_standby(role) || delay_time == SLOW_UNKNOWN)
		return SLOW_UNKNOWN;
	return clock_elapsed(moments->begin + delay_time, moments->end);
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
divide_commit(const CommitUnderWay *commit, SlowRole role,
			  const SlowMoments *moments, SlowEvent *event)
{
	uint64		left = event->duration;
	uint64		flushed_at;

	event->notify_time = cut_part(moments->notify_time, &left);
	event->delay_time = cut_part(own_delay_time(commit, role), &left);
	event->flush_time = cut_part(own_flush_time(commit, role, moments), &left);
	event->flush_timed = commit->io.timed;
	if (!waits_for_standby(role))
		return;
	flushed_at = moments->begin + zero_if_unknown(event->delay_time) +
		zero_if_unknown(event->flush_time);
	event->standby_max = Min(left, clock_elapsed(flushed_at,
												 commit->ended_at));
	event->standby_min = Min(event->standby_max,
							 clock_elapsed(moments->end, commit->ended_at));
}

/*----------------------------------------------------------------
 * Notes
 *----------------------------------------------------------------
 */

/* Fills in session and time. */
static void
begin_event(SlowEvent *event, const ClockPair *now)
{
	memset(event, 0, sizeof(SlowEvent));
	event->ended_at = now->at;
	event->end = event->noted_at = now->ns;
	event->client = *clients_mine();
	event->pid = MyProcPid;
	event->wal_bytes = backend_slot_uncounted_wal();
	event->group = InvalidGroupNumber;
}

static bool
note_commit(const CommitUnderWay *commit, SlowRole role,
			const SlowMoments *moments, SlowEvent *event)
{
	event->duration = clock_elapsed(moments->started_at, commit->ended_at);
	if (event->duration <= slow_commit_limit_get())
		return false;
	divide_commit(commit, role, moments, event);
	backend_slot_add(SLOT_SLOW_COMMITS, 1);
	slow_log_put(SLOW_COMMIT, event);
	return true;
}

/* The end of the flush that is being noted */
static uint64 flush_ended_at;

static bool
was_committing(int procno)
{
	uint64		since = backend_slots_committing_since(procno);

	return since != 0 && since <= flush_ended_at;
}

static bool
note_stall(const CommitUnderWay *commit, const SlowMoments *moments,
		   SlowEvent *event)
{
	uint64		length = own_flush_time(commit, SLOW_LED, moments);
	FlushTimes	previous = {0};

	event->limit = stall_limit_get();
	if (event->limit == 0 || length == SLOW_UNKNOWN || length <= event->limit)
		return false;

	/*
	 * Another session may have seen the end late, or none may have, while the
	 * leader waited for a standby, so the time of its own I/O tells.
	 */
	flush_ended_at = moments->end;
	if (waits_for_standby(SLOW_LED))
		flush_ended_at = Min(moments->begin + length +
							 zero_if_unknown(own_delay_time(commit, SLOW_LED)),
							 moments->end);
	if (commit->group != InvalidGroupNumber)
		flush_group_times(flush_group_add(commit->group, -1), &previous);
	event->ended_at -= clock_elapsed(flush_ended_at, event->end) / NS_PER_US;
	event->end = flush_ended_at;
	event->duration = length;
	event->since = previous.previous_seen_at;
	backend_slot_add(SLOT_STALLS, 1);
	backend_slot_add(SLOT_STALL_TIME, length);
	event->sessions = 1 + (int) siblings_estimate(was_committing);
	slow_log_put(SLOW_STALL, event);
	return true;
}

bool
slow_commit_is_slow(const CommitUnderWay *commit, SlowRole role,
					bool is_commit)
{
	uint64		elapsed = clock_elapsed(commit->started_at, commit->ended_at);
	uint64		limit = stall_limit_get();

	if (is_commit && elapsed > slow_commit_limit_get())
		return true;
	return role == SLOW_LED && limit > 0 && elapsed > limit;
}

bool
slow_commit_note(const CommitUnderWay *commit, SlowRole role, bool is_commit)
{
	PGPROC	   *checkpointer = checkpointer_proc();
	ClockPair	now;
	SlowMoments moments;
	SlowEvent	event;
	bool		noted = false;

	(void) clock_read_pair(&now);
	find_moments(commit, is_commit, &now, &moments);
	begin_event(&event, &now);
	event.role = role;
	event.group = commit->group;
	event.checkpoint = checkpointer == NULL ? -1 :
		checkpointer->wait_event_info != WAIT_EVENT_CHECKPOINTER_MAIN;
	event.synchronous_commit = synchronous_commit;
	if (is_commit)
		noted = note_commit(commit, role, &moments, &event);
	if (role == SLOW_LED)
		noted |= note_stall(commit, &moments, &event);
	return noted;
}

void
slow_commit_note_writer(void)
{
	TimestampTz began_at = GetCurrentTransactionStartTimestamp();
	ClockPair	now;
	SlowEvent	event;

	/* counting may have been off when the transaction began */
	if (clients_mine() == NULL)
		return;
	(void) clock_read_pair(&now);
	begin_event(&event, &now);
	event.duration = (uint64) Max(now.at - began_at, 0) * NS_PER_US;
	slow_log_put(BULK_WRITER, &event);
}
