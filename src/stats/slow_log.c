/*-------------------------------------------------------------------------
 *
 * slow_log.c
 *		The latest slow commits, stalls and bulk writers.
 *
 * There is a ring of places for each kind of event.  A session whose commit or
 * flush was slow, or whose transaction wrote a lot of WAL, takes the next
 * number and writes what it knows into that number's place.  The background
 * worker adds what became of the flush, once all of its commits are over
 * (slow_logger.c).  Until then, readers find that in flush_ring.c.
 *
 * Invariant: a reader gets an event whole, or not at all.
 *
 * Locking: none for writers and readers.  Event and outcome of a place each
 * have a change count, which is the number of the event.  A writer drops its
 * event if another one still writes to the place, or has written a later event
 * to it.  A reset holds commit_stats_reset_lock().
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "libpq/pqcomm.h"
#include "utils/inet.h"

#include "base/changecount.h"
#include "base/clock.h"
#include "module/shared_memory.h"
#include "stats/slow_log.h"

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
	pg_atomic_uint64 reset;		/* events up to this one are forgotten; under
								 * commit_stats_reset_lock() */
	pg_atomic_uint64 reset_at;	/* clock_now(), likewise; 0: never */
	pg_atomic_uint64 settled;	/* events up to this one are settled, or lost;
								 * by the background worker */
	SlowPlace	place[SLOW_LOG_KEPT];
} SlowRing;

const char *const slow_role_names[] = {"leader", "follower", "asynchronous"};

static SlowRing *rings = NULL;

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
				 SlowTime time[SLOW_NTIMES])
{
	const SlowTime own[] = {
		{"notify_time", event->part[PHASE_NOTIFY]},
		{"delay_time", event->part[PHASE_DELAY]},
		{"flush_time", event->part[PHASE_FLUSH]},
		{"standby_time_min", event->standby_min},
		{"standby_time_max", event->standby_max},
		{"other_time", event_rest(event)}
	};
	int			n = lengthof(own);

	memcpy(time, own, sizeof(own));
	for (CommitPhase phase = 0; phase < PHASE_N; phase++)
		if (phase != PHASE_NOTIFY && phase != PHASE_DELAY &&
			phase != PHASE_FLUSH && phase != PHASE_STANDBY)
		{
			time[n].column = commit_phase_columns[phase];
			time[n++].ns = part[phase];
		}
	Assert(n == SLOW_NTIMES);
}

const char *
slow_event_address(const SlowEvent *event)
{
	static char text[64];

	if (event->address_family == 0)
		return NULL;
	return pg_inet_net_ntop(event->address_family, event->address,
							event->address_family == PGSQL_AF_INET ? 32 : 128,
							text, sizeof(text));
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
	if (event->role != SLOW_FOLLOWED)
		return;
	event->part[PHASE_DELAY] = 0;
	event->part[PHASE_DELAY] = Min(outcome->delay_time, event_rest(event));
}

static SlowPlace *
place_of(SlowKind kind, uint64 number)
{
	return &rings[kind].place[number % SLOW_LOG_KEPT];
}

void
slow_log_put(SlowKind kind, const SlowEvent *event)
{
	uint64		number = pg_atomic_fetch_add_u64(&rings[kind].newest, 1) + 1;
	SlowPlace  *place = place_of(kind, number);

	if (!changecount_claim(&place->events, number))
		return;
	place->event = *event;
	changecount_end_as(&place->events, number);
}

uint64
slow_log_newest(SlowKind kind)
{
	return pg_atomic_read_u64(&rings[kind].newest);
}

uint64
slow_log_oldest(SlowKind kind)
{
	uint64		newest = slow_log_newest(kind);
	uint64		gone = newest > SLOW_LOG_KEPT ? newest - SLOW_LOG_KEPT : 0;

	return Max(gone, pg_atomic_read_u64(&rings[kind].reset)) + 1;
}

uint64
slow_log_since(SlowKind kind)
{
	uint64		oldest = slow_log_oldest(kind);
	SlowEvent	event;
	SlowOutcome outcome;

	if (oldest > pg_atomic_read_u64(&rings[kind].reset) + 1 &&
		slow_log_copy(kind, oldest, &event, &outcome))
		return event.end;
	return pg_atomic_read_u64(&rings[kind].reset_at);
}

uint64
slow_log_settled(SlowKind kind, uint64 *lost)
{
	uint64		settled = Max(pg_atomic_read_u64(&rings[kind].settled),
							  pg_atomic_read_u64(&rings[kind].reset));
	uint64		gone = slow_log_oldest(kind) - 1;

	*lost = clock_elapsed(settled, gone);
	return settled + *lost;
}

void
slow_log_set_settled(SlowKind kind, uint64 number)
{
	pg_atomic_write_u64(&rings[kind].settled, number);
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

static bool
copy_outcome(SlowPlace *place, uint64 number, SlowOutcome *outcome)
{
	uint64		count;

	if (!changecount_read(&place->outcomes, &count) || count != number)
		return false;
	*outcome = place->outcome;
	return changecount_since(&place->outcomes, number) == 0;
}

bool
slow_log_copy(SlowKind kind, uint64 number, SlowEvent *event,
			  SlowOutcome *outcome)
{
	SlowPlace  *place = place_of(kind, number);
	uint64		count;

	if (!changecount_read(&place->events, &count) || count != number)
		return false;
	*event = place->event;
	if (!copy_outcome(place, number, outcome))
		slow_log_look_up(event, outcome);
	slow_event_add_outcome(event, outcome);
	return changecount_since(&place->events, number) == 0;
}

static void
slow_log_reset(TimestampTz now)
{
	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	for (int kind = 0; kind < SLOW_NKINDS; kind++)
	{
		pg_atomic_write_u64(&rings[kind].reset, slow_log_newest(kind));
		pg_atomic_write_u64(&rings[kind].reset_at, clock_now());
	}
}

const StatsModule slow_log_module = {
	.head_size = SLOW_NKINDS * sizeof(SlowRing),
	.head = (void **) &rings,
	.reset = slow_log_reset,
};
