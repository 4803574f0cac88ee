/*-------------------------------------------------------------------------
 *
 * slow_commit.c
 *		Where the time of a slow commit, or of a stall, went.
 *
 * commit_path.c calls slow_commit_is_slow() for a commit that took longer than
 * commit_stats_slow_floor, when it has been counted.  The time from the first
 * callback to the second one is divided at moments that the session knows or
 * that the ring of flush groups shows:
 *
 *	- record:	the server takes the time just before it writes the commit
 *				record, which GetCurrentTransactionStopTimestamp() returns.
 *	- begin:	the flush pointer was seen at the boundary of the flush before;
 *				a leader then slept, if it did, and flushed.
 *	- end:		the flush pointer was seen at the boundary of this flush; what
 *				came later was the wait for a standby.
 *
 * With track_wal_io_timing, the server itself measures how long a leader wrote
 * and synced.
 *
 * A commit with NOTIFY still holds the lock that makes such commits one after
 * the other.  If the session waited for it, it started the timeout that looks
 * for deadlocks, and the time of that start is still there.
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
#include "commit/slow_commit.h"
#include "probe/notify_lock.h"
#include "probe/siblings.h"
#include "stats/backend_slots.h"
#include "stats/stall_limit.h"

/*----------------------------------------------------------------
 * Moments
 *----------------------------------------------------------------
 */

/* The most that the clocks may be apart, ns, and looks until they are not. */
#define CLOCKS_APART		(50 * NS_PER_US)
#define MAX_LOOKS			4

/* The same moment by both clocks. */
typedef struct Moment
{
	uint64		ns;				/* clock_now() */
	TimestampTz at;
} Moment;

/* Another process may get the processor between the two looks. */
static Moment
present(void)
{
	Moment		now;

	for (int i = 0; i < MAX_LOOKS; i++)
	{
		now.ns = clock_now();
		now.at = GetCurrentTimestamp();
		if (clock_elapsed(now.ns, clock_now()) < CLOCKS_APART)
			break;
	}
	return now;
}

/*
 * clock_now() at a time in the past, and not after it: a commit that took less
 * than the microseconds of a TimestampTz show has taken some time.
 */
static uint64
clock_at(TimestampTz then, const Moment *now)
{
	uint64		age = (uint64) Max(now->at - then + 1, 0) * NS_PER_US;

	return clock_elapsed(age, now->ns);
}

/* What is known about a slow commit beside what it was called with. */
typedef struct SlowMoments
{
	uint64		notify_time;
	uint64		started_at;		/* if unknown, of its first known wait */
	uint64		record_at;
	uint64		begin;			/* the flush before had ended */
	uint64		end;			/* the flush had ended */
	bool		seen_by_other;	/* "end" is not the end of this commit */
} SlowMoments;

/* How long did the commit wait for the lock of NOTIFY, before its record? */
static uint64
notify_wait(uint64 started_at, uint64 record_at, const Moment *now)
{
	uint64		waits_at = clock_at(get_timeout_start_time(DEADLOCK_TIMEOUT),
									now);

	if (waits_at + 2 * CLOCKS_APART < started_at || waits_at > record_at ||
		!commit_has_notify())
		return 0;
	return clock_elapsed(Max(waits_at, started_at), record_at);
}

/*
 * When the server was about to write the commit record.  PREPARE TRANSACTION
 * and COMMIT PREPARED, whose transaction has no id, do not leave that behind.
 */
static uint64
record_time(const SlowReading *reading, const Moment *now)
{
	uint64		record_at = reading->started_at;

	if (reading->is_commit &&
		TransactionIdIsValid(GetTopTransactionIdIfAny()))
		record_at = clock_at(GetCurrentTransactionStopTimestamp(), now);
	return Max(Min(record_at, reading->ended_at), reading->started_at);
}

static void
find_moments(const SlowReading *reading, const Moment *now,
			 SlowMoments *moments)
{
	FlushTraces traces = {0};

	if (reading->group != InvalidGroupNumber)
		flush_group_traces(reading->group, &traces);
	moments->record_at = record_time(reading, now);
	moments->notify_time = notify_wait(reading->started_at, moments->record_at,
									   now);
	moments->started_at = reading->start_unknown ?
		clock_elapsed(moments->notify_time, moments->record_at) :
		reading->started_at;
	moments->begin = Max(moments->record_at, traces.previous_seen_at);
	moments->begin = Min(moments->begin, reading->ended_at);
	moments->seen_by_other = traces.seen_at != 0 &&
		traces.seen_at < reading->ended_at;
	moments->end = moments->seen_by_other ?
		Max(traces.seen_at, moments->begin) : reading->ended_at;
}

/*----------------------------------------------------------------
 * Parts
 *----------------------------------------------------------------
 */

/*
 * The time of the session's own flush.  Where it was not measured, nothing but
 * its end separates it from the wait for a standby.
 */
static uint64
own_flush_time(const SlowReading *reading, const SlowMoments *moments,
			   uint64 delay_time)
{
	if (reading->own->timed)
		return reading->own->io_time;
	if (reading->role != SLOW_LED)
		return 0;
	if (reading->waits_for_standby || delay_time == SLOW_UNKNOWN)
		return SLOW_UNKNOWN;
	return clock_elapsed(moments->begin + delay_time, moments->end);
}

static uint64
own_delay_time(const SlowReading *reading)
{
	if (reading->role != SLOW_LED)
		return 0;
	if (reading->delay != NULL)
		return reading->delay->sleep_time;
	return reading->start_unknown && CommitDelay > 0 ? SLOW_UNKNOWN : 0;
}

static uint64
known(uint64 part)
{
	return part == SLOW_UNKNOWN ? 0 : part;
}

/* Cut a part to what is left of the whole. */
static void
cut_part(uint64 *part, uint64 *left)
{
	if (*part == SLOW_UNKNOWN)
		return;
	*part = Min(*part, *left);
	*left -= *part;
}

static void
divide_commit(const SlowReading *reading, const SlowMoments *moments,
			  SlowEvent *event)
{
	uint64		left = event->duration;

	event->notify_time = moments->notify_time;
	event->delay_time = own_delay_time(reading);
	event->flush_time = own_flush_time(reading, moments, event->delay_time);
	event->flush_timed = reading->own->timed;
	cut_part(&event->notify_time, &left);
	cut_part(&event->delay_time, &left);
	cut_part(&event->flush_time, &left);
	event->standby_least = event->standby_most = 0;
	if (reading->waits_for_standby)
	{
		event->standby_most =
			Min(left, clock_elapsed(moments->begin +
									known(event->delay_time) +
									known(event->flush_time),
									reading->ended_at));
		event->standby_least = Min(event->standby_most,
								   clock_elapsed(moments->end,
												 reading->ended_at));
	}
}

/*----------------------------------------------------------------
 * Notes
 *----------------------------------------------------------------
 */

/* Of this session, now. */
static void
begin_event(SlowEvent *event, const Moment *now)
{
	memset(event, 0, sizeof(SlowEvent));
	event->ended_at = now->at;
	event->end = event->noted_at = now->ns;
	event->client = *clients_mine();
	event->pid = MyProcPid;
	event->wal_bytes = backend_slot_unsettled_wal();
	event->group = InvalidGroupNumber;
}

static void
describe_event(const SlowReading *reading, const Moment *now,
			   SlowEvent *event)
{
	PGPROC	   *checkpointer = checkpointer_proc();

	begin_event(event, now);
	event->role = reading->role;
	event->group = reading->group;
	event->checkpoint = checkpointer == NULL ? -1 :
		checkpointer->wait_event_info != WAIT_EVENT_CHECKPOINTER_MAIN;
	event->synchronous_commit = synchronous_commit;
}

static bool
note_commit(const SlowReading *reading, const SlowMoments *moments,
			SlowEvent *event)
{
	event->duration = clock_elapsed(moments->started_at, reading->ended_at);
	if (!reading->is_commit || event->duration <= slow_commit_limit_get())
		return false;
	divide_commit(reading, moments, event);
	backend_slot_add(SLOT_SLOW_COMMITS, 1);
	slow_log_put(SLOW_COMMIT, event);
	return true;
}

/* When the flush before that of a group had begun; 0: unknown */
static uint64
begin_of_previous(GroupNumber group)
{
	FlushTraces traces = {0};

	if (group != InvalidGroupNumber)
		flush_group_traces(flush_group_add(group, -1), &traces);
	return traces.previous_seen_at;
}

/* The end of the flush that is being noted */
static uint64 flush_ended_at;

static bool
was_committing(int procno)
{
	uint64		since = backend_slots_committing_since(procno);

	return since != 0 && since <= flush_ended_at;
}

/*
 * When a stall ended.  If the leader then waited for a standby, another
 * session may have seen that late, or none, so the time of its own I/O tells.
 */
static uint64
flush_end(const SlowReading *reading, const SlowMoments *moments,
		  uint64 length)
{
	if (!reading->waits_for_standby)
		return moments->end;
	return Min(moments->begin + known(own_delay_time(reading)) + length,
			   moments->end);
}

static bool
note_stall(const SlowReading *reading, const SlowMoments *moments,
		   SlowEvent *event)
{
	uint64		length = own_flush_time(reading, moments,
										own_delay_time(reading));

	event->limit = stall_limit_get();
	if (reading->role != SLOW_LED || event->limit == 0 ||
		length == SLOW_UNKNOWN || length <= event->limit)
		return false;
	flush_ended_at = flush_end(reading, moments, length);
	event->ended_at -= clock_elapsed(flush_ended_at, event->end) / NS_PER_US;
	event->end = flush_ended_at;
	event->duration = length;
	event->since = begin_of_previous(reading->group);
	backend_slot_add(SLOT_STALLS, 1);
	backend_slot_add(SLOT_STALL_TIME, length);
	event->sessions = 1 + (int) siblings_estimate(was_committing);
	slow_log_put(SLOW_FLUSH, event);
	return true;
}

bool
slow_commit_is_slow(SlowRole role, bool is_commit, uint64 elapsed)
{
	uint64		limit = stall_limit_get();

	if (is_commit && elapsed > slow_commit_limit_get())
		return true;
	return role == SLOW_LED && limit > 0 && elapsed > limit;
}

bool
slow_commit_note(const SlowReading *reading)
{
	SlowMoments moments;
	SlowEvent	event;
	Moment		now;
	bool		noted;

	now = present();
	find_moments(reading, &now, &moments);
	describe_event(reading, &now, &event);
	noted = note_commit(reading, &moments, &event);
	noted |= note_stall(reading, &moments, &event);
	return noted;
}

void
slow_commit_note_writer(void)
{
	TimestampTz began_at = GetCurrentTransactionStartTimestamp();
	Moment		now = present();
	SlowEvent	event;

	/* counting may have been off when the transaction began */
	if (clients_mine() == NULL)
		return;
	begin_event(&event, &now);
	event.duration = (uint64) Max(now.at - began_at, 0) * NS_PER_US;
	slow_log_put(BULK_WRITER, &event);
}
