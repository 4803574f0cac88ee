/*-------------------------------------------------------------------------
 *
 * slow_log_view.c
 *		Functions behind commit_slow_log and commit_stall_log.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/clock.h"
#include "stats/stall_log.h"
#include "stats/wait_level_names.h"
#include "views/client_columns.h"

PG_FUNCTION_INFO_V1(commit_slow_log_1_0);
PG_FUNCTION_INFO_V1(commit_stall_log_1_0);

/*----------------------------------------------------------------
 * commit_slow_log
 *----------------------------------------------------------------
 */

/* A part of a commit's time, in ms */
static void
row_part(Row *row, uint64 part)
{
	if (part == SLOW_UNKNOWN)
		row_nulls(row, 1);
	else
		row_ms(row, part);
}

/* Columns from "pid" to "application_name" */
static void
row_session(Row *row, const SlowEvent *event)
{
	row_datum(row, Int32GetDatum(event->pid));
	row_client(row, &event->client);
}

/* Columns from "notify_time" to "other_time" */
static void
row_parts(Row *row, const SlowEvent *event)
{
	row_part(row, event->notify_time);
	row_part(row, event->delay_time);
	row_part(row, event->flush_time);
	row_add(row, BoolGetDatum(event->flush_timed), event->role != SLOW_LED ||
			event->flush_time == SLOW_UNKNOWN);
	row_ms(row, event->standby_least);
	row_ms(row, event->standby_most);
	row_part(row, slow_event_rest(event));
}

/* The flush: "commits_in_flush" to "flush_wal_bytes"; null if not known */
static void
row_outcome(Row *row, const LoggedEvent *logged,
			const ClientSessions *sessions)
{
	const SlowEvent *event = &logged->event;
	const SlowOutcome *outcome = &logged->outcome;

	row_add(row, Int64GetDatum(outcome->commits), outcome->commits == 0);
	row_add(row, Int32GetDatum(outcome->leader_pid), outcome->leader_pid == 0);
	if (event->role == SLOW_LED && outcome->leader_pid == event->pid)
		row_client(row, &event->client);
	else
		row_client_of(row, sessions, outcome->leader_pid, event->end);
	row_numeric_or_null(row, outcome->wal_bytes);
}

static void
row_checkpoint(Row *row, const SlowEvent *event)
{
	row_add(row, BoolGetDatum(event->checkpoint > 0), event->checkpoint < 0);
}

static void
put_slow_commit(Row *row, const LoggedEvent *logged,
				const ClientSessions *sessions)
{
	const SlowEvent *event = &logged->event;

	row_datum(row, TimestampTzGetDatum(event->ended_at));
	row_session(row, event);
	row_text(row, wait_level_names[event->synchronous_commit]);
	row_text(row, slow_role_names[event->role]);
	row_ms(row, event->duration);
	row_parts(row, event);
	row_outcome(row, logged, sessions);
	row_numeric(row, event->wal_bytes);
	row_checkpoint(row, event);
	row_put(row);
}

Datum
commit_slow_log_1_0(PG_FUNCTION_ARGS)
{
	LoggedEvent *logged;
	ClientSessions *sessions;
	int			n;
	Row			row;

	row_init(fcinfo, &row);
	logged = logged_events_read(SLOW_COMMIT, &n);
	sessions = clients_read_sessions();
	for (int i = n - 1; i >= 0; i--)
		put_slow_commit(&row, &logged[i], sessions);
	return (Datum) 0;
}

/*----------------------------------------------------------------
 * commit_stall_log
 *----------------------------------------------------------------
 */

/* Columns from "writer_pid" to "writer_share" */
static void
row_writer(Row *row, const StallWriter *writer)
{
	if (writer->session == NULL)
	{
		row_nulls(row, 5);
		return;
	}
	row_session(row, writer->session);
	row_share(row, writer->share, 0);
}

/* Columns "quota_flushes" and "quota_window" */
static void
row_quota(Row *row, bool of_quota, const StallLog *log)
{
	if (!of_quota)
	{
		row_nulls(row, 2);
		return;
	}
	row_int8(row, (uint64) log->quota_flushes);
	row_rounded(row, log->quota_window / 1000, 1);
}

static void
put_stall(Row *row, const StallLog *log, int i)
{
	const SlowEvent *event = &log->logged[i].event;
	const SlowOutcome *outcome = &log->logged[i].outcome;

	row_datum(row, TimestampTzGetDatum(event->ended_at));
	row_ms(row, event->duration);
	row_bool(row, event->flush_timed);
	row_ms(row, event->limit);
	row_add(row, Int64GetDatum(outcome->commits), outcome->commits == 0);
	row_int8(row, event->sessions);
	row_numeric_or_null(row, outcome->wal_bytes);
	row_session(row, event);
	row_numeric(row, event->wal_bytes);
	row_writer(row, &log->writer[i]);
	row_checkpoint(row, event);
	row_quota(row, log->stall[i].of_quota, log);
	row_put(row);
}

Datum
commit_stall_log_1_0(PG_FUNCTION_ARGS)
{
	StallLog	log;
	Row			row;

	row_init(fcinfo, &row);
	stall_log_read(&log);
	for (int i = log.n - 1; i >= 0; i--)
		put_stall(&row, &log, i);
	return (Datum) 0;
}
