/*-------------------------------------------------------------------------
 *
 * slow_log.c
 *		The latest slow commits, stalls and bulk writers, and the limits above
 *		which a commit is slow and a WAL flush is a stall.
 *
 * There is a ring of places for each kind of event.  A session whose commit or
 * flush was slow, or whose transaction wrote a lot of WAL, takes the next
 * number and writes what it knows into that number's place.  The background
 * worker adds what became of the flush, once all of its commits are over
 * (slow_logger.c).  Until then, readers find that in flush_ring.c.
 *
 * The limits are commit_stats.stall_time and commit_stats.slow_commit_time
 * or, if -1, wal_device_stall_limit(): eight times the median of all flushes,
 * or of all commits that waited, since the last reset, and 5 ms more than it.
 * Without track_wal_io_timing, the commits of leaders take the place of
 * flushes; these also include their waits for the flush before.
 *
 * If more than 1% of the commits exceed that, the limit for commits is their
 * p99, but not more than UNLEARNED for that reason, so that the log of slow
 * commits keeps the slowest ones for a while.
 *
 * Three tests: commit_stats_slow_threshold (guc.c) lets most commits pass,
 * slow_commit_may_be_slow() says that one may be slow or a stall, and
 * note_commit() and note_stall() of slow_commit.c decide and count.  Of a
 * flush that no commit led, stall_log_note_unled() decides; spacing.c has its
 * own usual flush.
 *
 * Invariant: a reader gets an event whole, or not at all.
 *
 * Locking: none for writers and readers.  Event and outcome of a place each
 * have a change count, which is the number of the event.  A writer drops its
 * event if another one still writes to the place, or has written a later event
 * to it.  A reset holds commit_stats_reset_lock(), and so does, shared, the
 * background worker while it reads the histograms.  It writes each limit as a
 * whole.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "libpq/pqcomm.h"
#include "utils/inet.h"

#include "base/changecount.h"
#include "base/clock.h"
#include "base/guc.h"
#include "base/wal_device.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "stats/latency.h"
#include "stats/slow_log.h"

/*
 * The limit while fewer than WAL_DEVICE_SAMPLE flushes, or commits, are
 * counted, ns: a noticeable delay
 */
#define UNLEARNED			(100 * NS_PER_MS)

/* Flushes that tell whether each takes long, not yet whether one stalls */
#define FEW_FLUSHES			10

/* The limits are derived again after so long, ns */
#define LIMITS_AGE		NS_PER_S

typedef struct SlowPlace
{
	ChangeCount events;			/* ended: the number of "event" */
	SlowEvent	event;			/* by the session that has the number */
	ChangeCount outcomes;		/* likewise of "outcome" */
	SlowOutcome outcome;		/* by the background worker */
} SlowPlace;

typedef struct SlowRing
{
	pg_atomic_uint64 newest;	/* number of the latest event; 0: none */
	pg_atomic_uint64 reset;		/* forgotten up to here; under reset lock */
	pg_atomic_uint64 reset_at;	/* clock_now(), likewise; 0: never */
	pg_atomic_uint64 settled;	/* settled or lost up to here; by the worker */
	SlowPlace	place[SLOW_LOG_KEPT];
} SlowRing;

typedef struct SlowLogShared
{
	/* derived limits, ns */
	pg_atomic_uint64 stall_limit;
	pg_atomic_uint64 commit_limit;

	SlowRing	ring[SLOW_NKINDS] pg_attribute_aligned(PG_CACHE_LINE_SIZE);
} SlowLogShared;

const char *const slow_role_names[] = {
	[SLOW_LED] = "leader",
	[SLOW_FOLLOWED] = "follower",
	[SLOW_DID_NOT_WAIT] = "asynchronous"
};

static SlowLogShared *shared = NULL;

/* The part that no known part is; or SLOW_UNKNOWN. */
static uint64
event_rest(const SlowEvent *event)
{
	if (event->part[PHASE_DELAY] == SLOW_UNKNOWN ||
		event->part[PHASE_FLUSH] == SLOW_UNKNOWN)
		return SLOW_UNKNOWN;
	return clock_elapsed(event->part[PHASE_NOTIFY] + event->part[PHASE_DELAY] +
						 event->part[PHASE_FLUSH] + event->standby_min,
						 event->duration);
}

/* Cut each part to what is left, so that all are the whole. */
void
slow_event_phases(const SlowEvent *event, const SlowOutcome *outcome,
				  uint64 *part)
{
	uint64		left = event->duration;

	memcpy(part, event->part, sizeof(event->part));
	if (event->role == SLOW_FOLLOWED)
		part[PHASE_OTHER_FLUSH] = clock_elapsed(part[PHASE_DELAY],
												part[PHASE_OTHER_FLUSH]);
	part[PHASE_STANDBY] = event->standby_min;
	part[PHASE_NOT_RUN] = outcome->seen.throttled;
	part[PHASE_UNKNOWN] = event->duration;
	for (int i = 0; i < PHASE_N; i++)
	{
		part[i] = part[i] == SLOW_UNKNOWN ? 0 : Min(part[i], left);
		left -= part[i];
	}
}

/* Of the parts, those that no other column has */
void
slow_event_times(const SlowEvent *event, const uint64 *part,
				 PutTime put, void *to)
{
	put(to, "notify_time", event->part[PHASE_NOTIFY]);
	put(to, "delay_time", event->part[PHASE_DELAY]);
	put(to, "flush_time", event->part[PHASE_FLUSH]);
	put(to, "standby_time_min", event->standby_min);
	put(to, "standby_time_max", event->standby_max);
	put(to, "other_time", event_rest(event));
	for (CommitPhase phase = 0; phase < PHASE_N; phase++)
		if (phase != PHASE_NOTIFY && phase != PHASE_DELAY &&
			phase != PHASE_FLUSH && phase != PHASE_STANDBY)
			put(to, commit_phase_columns[phase], part[phase]);
}

const char *
slow_event_address(const SlowEvent *event)
{
	static char text[64];

	return pg_inet_net_ntop(event->address_family, event->address,
							event->address_family == PGSQL_AF_INET ? 32 : 128,
							text, sizeof(text));
}

/* Most commits waited for a flush that none led; nobody may have seen its end. */
bool
slow_event_waited_for_unled(const SlowEvent *event, const SlowOutcome *outcome)
{
	return event->role == SLOW_LED && event->flush_timed &&
		2 * outcome->seen.outside_waits > outcome->seen.in_commit;
}

/*
 * A follower learns only from its flush how long its leader slept.  A commit
 * after which nobody committed learns from the worker when it had flushed, and
 * waited for a standby.
 */
void
slow_event_add_outcome(SlowEvent *event, const SlowOutcome *outcome)
{
	uint64		since = outcome->waits.standby_since;
	uint64		standby = since == 0 ? 0 :
	Min(clock_elapsed(since + event->part[PHASE_AFTER], event->end),
		event->standby_max);

	if (standby > event->standby_min)
	{
		/* that of a leader ended before its own flush */
		if (event->role == SLOW_FOLLOWED)
			event->part[PHASE_OTHER_FLUSH] =
				clock_elapsed(standby - event->standby_min,
							  event->part[PHASE_OTHER_FLUSH]);
		event->standby_min = standby;
	}
	if (slow_event_waited_for_unled(event, outcome))
	{
		uint64		part[PHASE_N];

		slow_event_phases(event, outcome, part);
		event->part[PHASE_OTHER_FLUSH] += part[PHASE_UNKNOWN];
	}
	if (event->role != SLOW_FOLLOWED)
		return;
	event->part[PHASE_DELAY] = 0;
	event->part[PHASE_DELAY] = Min(outcome->delay_time, event_rest(event));
}

static SlowPlace *
place_of(SlowKind kind, uint64 number)
{
	return &shared->ring[kind].place[number % SLOW_LOG_KEPT];
}

void
slow_log_put(SlowKind kind, const SlowEvent *event)
{
	uint64		number = pg_atomic_fetch_add_u64(&shared->ring[kind].newest, 1) + 1;
	SlowPlace  *place = place_of(kind, number);

	if (!changecount_claim(&place->events, number))
		return;
	place->event = *event;
	changecount_end_as(&place->events, number);
}

uint64
slow_log_newest(SlowKind kind)
{
	return pg_atomic_read_u64(&shared->ring[kind].newest);
}

uint64
slow_log_oldest(SlowKind kind)
{
	uint64		newest = slow_log_newest(kind);
	uint64		gone = newest > SLOW_LOG_KEPT ? newest - SLOW_LOG_KEPT : 0;

	return Max(gone, pg_atomic_read_u64(&shared->ring[kind].reset)) + 1;
}

uint64
slow_log_since(SlowKind kind)
{
	uint64		oldest = slow_log_oldest(kind);
	SlowEvent	event;
	SlowOutcome outcome;

	if (oldest > pg_atomic_read_u64(&shared->ring[kind].reset) + 1 &&
		slow_log_copy(kind, oldest, &event, &outcome))
		return event.end;
	return pg_atomic_read_u64(&shared->ring[kind].reset_at);
}

uint64
slow_log_settled(SlowKind kind, uint64 *lost)
{
	uint64		settled = Max(pg_atomic_read_u64(&shared->ring[kind].settled),
							  pg_atomic_read_u64(&shared->ring[kind].reset));
	uint64		gone = slow_log_oldest(kind) - 1;

	*lost = clock_elapsed(settled, gone);
	return settled + *lost;
}

void
slow_log_set_settled(SlowKind kind, uint64 number)
{
	pg_atomic_write_u64(&shared->ring[kind].settled, number);
}

void
slow_log_put_outcome(SlowKind kind, uint64 number, const SlowOutcome *outcome)
{
	SlowPlace  *place = place_of(kind, number);

	if (!changecount_claim(&place->outcomes, number))
		return;
	place->outcome = *outcome;
	changecount_end_as(&place->outcomes, number);
}

/* Numbers of groups come again, but not within one look of the worker. */
void
slow_log_look_up(const SlowEvent *event, SlowOutcome *outcome)
{
	FlushGroupCopy group;

	memset(outcome, 0, sizeof(SlowOutcome));
	if (!flush_group_copy(event->group, &group) ||
		group.seen_at > event->noted_at)
		return;

	/* A second leader's flush has merged with another one. */
	if (event->role == SLOW_LED && group.leader_pid != event->pid)
		return;
	outcome->commits = group.commits;
	outcome->leader_pid = group.leader_pid;
	outcome->wal_bytes = flush_wal_bytes(group.boundary, group.previous);
	outcome->boundary = group.boundary;
	if (event->role == SLOW_FOLLOWED)
		outcome->delay_time =
			flush_sleep_in_wait(event->group, group.seen_at, &group.leader,
								event->end - event->duration +
								event->part[PHASE_BEFORE]);
}

/* What a change count says is of this number; false: it is not, or no more */
static bool
copy_of_number(ChangeCount *changes, uint64 number, void *to,
			   const void *from, Size size)
{
	uint64		count;

	if (!changecount_read(changes, &count) || count != number)
		return false;
	memcpy(to, from, size);
	return changecount_since(changes, number) == 0;
}

bool
slow_log_copy(SlowKind kind, uint64 number, SlowEvent *event,
			  SlowOutcome *outcome)
{
	SlowPlace  *place = place_of(kind, number);

	if (!copy_of_number(&place->events, number, event, &place->event,
						sizeof(SlowEvent)))
		return false;
	if (!copy_of_number(&place->outcomes, number, outcome, &place->outcome,
						sizeof(SlowOutcome)))
		slow_log_look_up(event, outcome);
	slow_event_add_outcome(event, outcome);
	return true;
}

/*---- Limits ------------------------------------------------------*/

uint64
stall_limit_get(void)
{
	if (commit_stats_stall_time >= 0)
		return (uint64) commit_stats_stall_time * NS_PER_MS;
	return pg_atomic_read_u64(&shared->stall_limit);
}

/* ... with this value of commit_stats.slow_commit_time */
uint64
slow_commit_limit(int setting)
{
	if (setting == SLOW_COMMIT_TIME_NEVER)
		return PG_UINT64_MAX;
	if (setting >= 0)
		return (uint64) setting * NS_PER_MS;
	return pg_atomic_read_u64(&shared->commit_limit);
}

/*
 * wal_device_stall_limit() of a histogram of flushes, or of commits; ns.  From
 * "few" on, they may make it longer than UNLEARNED.
 */
static uint64
limit_of(const uint64 *counts, uint64 few)
{
	double		p50 = histogram_quantile(counts, 0.5) / NS_PER_US;
	uint64		limit;

	if (histogram_count(counts) < few)
		return UNLEARNED;
	limit = (uint64) (wal_device_stall_limit(p50) * NS_PER_US);
	return histogram_count(counts) < WAL_DEVICE_SAMPLE ? Max(limit, UNLEARNED) : limit;
}

/*
 * In the background worker, as this reads what all have counted; only if
 * something "committed" since the limits were derived.
 */
void
slow_log_derive_limits(bool committed)
{
	static uint64 derived_at = 0;
	static bool old = true;
	LatencyTotals *totals;
	const uint64 *flushes;
	uint64		waited[HISTOGRAM_NCELLS] = {0};
	uint64		limit;

	old |= committed;
	if (!old || clock_elapsed(derived_at, clock_now()) < LIMITS_AGE)
		return;
	old = false;
	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	totals = latency_read();
	LWLockRelease(commit_stats_reset_lock());

	flushes = totals->count[LATENCY_FLUSH];
	if (histogram_count(flushes) <
		Min(WAL_DEVICE_SAMPLE, histogram_count(totals->count[LATENCY_LEADER])))
		flushes = totals->count[LATENCY_LEADER];
	pg_atomic_write_u64(&shared->stall_limit, limit_of(flushes, FEW_FLUSHES));
	latency_add_waited(totals, waited);
	limit = limit_of(waited, WAL_DEVICE_SAMPLE);
	if (limit < UNLEARNED)
		limit = Max(limit, Min((uint64) histogram_quantile(waited, 0.99),
							   UNLEARNED));
	pg_atomic_write_u64(&shared->commit_limit, limit);
	derived_at = clock_now();
}

/* What is usual has to be learned anew. */
static void
forget_limits(void)
{
	pg_atomic_write_u64(&shared->stall_limit, UNLEARNED);
	pg_atomic_write_u64(&shared->commit_limit, UNLEARNED);
}

static void
slow_log_attach(void *head, void *tail, bool found)
{
	if (!found)
		forget_limits();
}

static void
slow_log_reset(TimestampTz now)
{
	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	for (int kind = 0; kind < SLOW_NKINDS; kind++)
	{
		pg_atomic_write_u64(&shared->ring[kind].reset, slow_log_newest(kind));
		pg_atomic_write_u64(&shared->ring[kind].reset_at, clock_now());
	}
	forget_limits();
}

const StatsModule slow_log_module = {
	.head_size = sizeof(SlowLogShared),
	.head = (void **) &shared,
	.attach = slow_log_attach,
	.reset = slow_log_reset,
};
