/*-------------------------------------------------------------------------
 *
 * slow_log_view.c
 *		Functions behind commit_slow_log and commit_stall_log.
 *
 * Columns are filled from what slow_commit.c and the worker noted; the column
 * cause is decided here, in slow_cause().
 *
 * Who may read these views sees the rows of all users (see GRANT in
 * commit_stats--1.0.sql), but which statement it was, and the address, only as
 * row_may_show() allows.
 *
 * Locking: none for events (slow_log.c); commit_stats_reset_lock(), shared,
 * for the flush groups beside stalls; commit_stats_clients_lock() for the
 * names of leaders (clients.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "module/shared_memory.h"
#include "stats/latency.h"
#include "stats/srf.h"
#include "stats/stall_log.h"

PG_FUNCTION_INFO_V1(commit_slow_log_1_0);
PG_FUNCTION_INFO_V1(commit_stall_log_1_0);

/* Columns that both views have */
static void
row_event(Row *row, const SlowEvent *event)
{
	row_timestamp(row, "ended_at", event->ended_at);
	if (event->pid != 0)
		row_client(row, "", &event->client);
	if (row_may_show(event->client.roleid))
	{
		if (event->address_family != 0)
			row_datum(row, "client_addr", INETOID,
					  DirectFunctionCall1(inet_in,
										  CStringGetDatum(slow_event_address(event))));
		row_known_number(row, "queryid", event->queryid);
	}
	row_known_number(row, "transaction_time", event->transaction_time);
	row_ms(row, "duration", event->duration);
	if (event->checkpoint >= 0)
		row_bool(row, "checkpoint", event->checkpoint > 0);
}

/*
 * The phase that took longest or, of a flush that stalled, why.  "part" is of
 * no use behind it: columns have both bounds of the wait for a standby.
 */
static const char *
slow_cause(const StallLog *stalls, const LoggedEvent *logged, uint64 flush_time,
		   uint64 *part)
{
	const SlowEvent *event = &logged->event;
	CommitPhase longest = PHASE_UNKNOWN;
	StallCause	cause = STALL_UNKNOWN;

	stall_log_take_standby(stalls, event, &logged->outcome, flush_time, part);
	for (CommitPhase phase = 0; phase < PHASE_UNKNOWN; phase++)
		if (part[phase] > part[longest])
			longest = phase;
	if (longest == PHASE_FLUSH || longest == PHASE_OTHER_FLUSH)
		cause = stall_log_cause_of(stalls, event);
	if (longest == PHASE_OTHER_FLUSH && cause == STALL_UNKNOWN)
		cause = stall_log_cause_of_wait(stalls, logged, part[longest]);
	if (longest == PHASE_SEGMENT)
		cause = STALL_SEGMENT;
	return cause == STALL_UNKNOWN ? commit_phase_names[longest] :
		stall_cause_names[cause];
}

static void
put_time(void *row, const char *column, uint64 ns)
{
	row_ms(row, column, ns);
}

static void
put_slow_commit(Row *row, const LoggedEvent *logged, const StallLog *stalls,
				uint64 flush_time, const ClientSessions *sessions)
{
	const SlowEvent *event = &logged->event;
	const SlowOutcome *outcome = &logged->outcome;
	const CommitWaits *waits = &outcome->waits;
	uint64		part[PHASE_N];

	row_event(row, event);
	row_number(row, "pid", event->pid);
	row_text(row, "synchronous_commit",
			 wait_level_names[event->synchronous_commit]);
	row_text(row, "role", slow_role_names[event->role]);
	if (event->role == SLOW_LED && event->part[PHASE_FLUSH] != SLOW_UNKNOWN)
		row_bool(row, "flush_timed", event->flush_timed);
	slow_event_phases(event, outcome, part);
	slow_event_times(event, part, put_time, row);
	row_text(row, "cause", slow_cause(stalls, logged, flush_time, part));
	if (waits->lock_time > 0)
	{
		row_text(row, "waited_for", lock_wait_describe(&waits->lock));
		row_known_number(row, "blocked_by", waits->lock.holder_pid);
	}
	row_known_number(row, "notify_pid", event->notify_pid);
	row_client_of(row, "notify_", sessions, event->notify_pid, event->end);
	if (waits->blame.name[0] != '\0')
	{
		row_text(row, "standby", waits->blame.name);
		row_text(row, "standby_stage",
				 standby_stage_names[waits->blame.stage]);
	}
	row_known_number(row, "commits_in_flush", outcome->commits);
	row_known_number(row, "leader_pid", outcome->leader_pid);
	if (event->role == SLOW_LED && outcome->leader_pid == event->pid)
		row_client(row, "leader_", &event->client);
	else
		row_client_of(row, "leader_", sessions, outcome->leader_pid,
					  event->end);
	row_known_number(row, "flush_wal_bytes", outcome->wal_bytes);
	row_number(row, "wal_bytes", event->wal_bytes);
	row_put(row);
}

/* Returns the mean time of a flush, ns */
static uint64
read_stalls(StallLog *stalls)
{
	FlushTotals *groups = flush_totals_lock_and_read();
	SlotTotals	slots;

	backend_slots_read(&slots);
	stall_log_read(stalls);
	LWLockRelease(commit_stats_reset_lock());
	stall_log_find_causes(stalls, groups);
	return slots.value[SLOT_FLUSH_TIME] / Max(slots.value[SLOT_TIMED_FLUSHES], 1);
}

Datum
commit_slow_log_1_0(PG_FUNCTION_ARGS)
{
	LoggedEvent *logged;
	ClientSessions *sessions;
	StallLog	stalls;
	uint64		flush_time;
	int			n;
	Row			row;

	row_init(fcinfo, &row);
	logged = logged_events_read(SLOW_COMMIT, &n);
	sessions = clients_read_sessions();
	flush_time = read_stalls(&stalls);
	for (int i = n - 1; i >= 0; i--)
		put_slow_commit(&row, &logged[i], &stalls, flush_time, sessions);
	return (Datum) 0;
}

static void
put_stall(Row *row, const StallLog *log, int i)
{
	const LoggedEvent *stall = &log->logged[i];
	const SlowEvent *event = &stall->event;
	const SlowOutcome *outcome = &stall->outcome;
	const SlowEvent *writer = stall->writer;

	row_event(row, event);
	row_bool(row, "flush_timed", event->flush_timed);
	row_ms(row, "stall_limit", event->limit);
	row_known_number(row, "commits", outcome->commits);
	row_number(row, "sessions", event->sessions);
	row_known_number(row, "wal_bytes", outcome->wal_bytes);
	if (event->role == SLOW_LED)
	{
		row_number(row, "leader_pid", event->pid);
		row_number(row, "leader_wal_bytes", event->wal_bytes);
	}
	row_ms(row, "segment_time", event->part[PHASE_SEGMENT]);
	if (writer != NULL)
	{
		row_known_number(row, "writer_pid", Max(writer->pid, 0));
		if (OidIsValid(writer->client.roleid))
			row_client(row, "writer_", &writer->client);
		if (row_may_show(writer->client.roleid))
			row_known_number(row, "writer_queryid", writer->queryid);
		if (stall->writer_share > 0)
			row_share(row, "writer_share", stall->writer_share, 0);
	}
	row_text(row, "cause", stall_cause_names[stall->cause]);
	if (stall->certainty > 0)
		row_rounded(row, "certainty", stall->certainty, 2);
	row_text(row, "checkpoint_phase",
			 stall_log_checkpoint_phase(&outcome->seen));
	if (log->stall[i].of_quota && log->quota_flushes > 0 && log->quota_bytes == 0)
	{
		row_number(row, "quota_flushes", (uint64) log->quota_flushes);
		row_rounded(row, "quota_window", log->quota_window / 1000, 1);
	}
	row_put(row);
}

Datum
commit_stall_log_1_0(PG_FUNCTION_ARGS)
{
	StallLog	log;
	Row			row;

	row_init(fcinfo, &row);
	read_stalls(&log);
	for (int i = log.n - 1; i >= 0; i--)
		put_stall(&row, &log, i);
	return (Datum) 0;
}
