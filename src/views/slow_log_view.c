/*-------------------------------------------------------------------------
 *
 * slow_log_view.c
 *		Functions behind commit_slow_log and commit_stall_log.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/clock.h"
#include "base/quantile.h"
#include "stats/device_quota.h"
#include "stats/slow_log.h"
#include "views/client_columns.h"
#include "stats/wait_level_names.h"

PG_FUNCTION_INFO_V1(commit_slow_log_1_0);
PG_FUNCTION_INFO_V1(commit_stall_log_1_0);

#define LONGEST_WINDOW	2e6		/* of a quota, us */
#define QUOTA_STALLS	256		/* that are searched for it */

/* An event, and what became of its flush; a copy. */
typedef struct LoggedEvent
{
	SlowEvent	event;
	SlowOutcome outcome;
} LoggedEvent;

static int
compare_times(const void *a, const void *b)
{
	uint64		x = ((const LoggedEvent *) a)->event.end;
	uint64		y = ((const LoggedEvent *) b)->event.end;

	return (x > y) - (x < y);
}

/* The events of a kind that are there, oldest first; palloc'd. */
static LoggedEvent *
read_events(SlowKind kind, int *n)
{
	LoggedEvent *logged = palloc(SLOW_LOG_KEPT * sizeof(LoggedEvent));
	uint64		newest = slow_log_newest(kind);

	*n = 0;
	for (uint64 number = slow_log_oldest(kind);
		 number <= newest && *n < SLOW_LOG_KEPT; number++)
		if (slow_log_copy(kind, number, &logged[*n].event,
						  &logged[*n].outcome))
			(*n)++;
	qsort(logged, *n, sizeof(LoggedEvent), compare_times);
	return logged;
}

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
	logged = read_events(SLOW_COMMIT, &n);
	sessions = clients_read_sessions();
	for (int i = n - 1; i >= 0; i--)
		put_slow_commit(&row, &logged[i], sessions);
	return (Datum) 0;
}

/*----------------------------------------------------------------
 * commit_stall_log
 *----------------------------------------------------------------
 */

/*
 * How many flushes came from one event to another?  Group numbers come again
 * after GROUP_NUMBER_MASK; two leaders may have noted them in another order.
 */
static int
flushes_between(const SlowEvent *one, const SlowEvent *other)
{
	int			distance;

	if (one->group == InvalidGroupNumber || other->group == InvalidGroupNumber)
		return 0;
	distance = flush_groups_distance(one->group, other->group);
	return distance > (int) (GROUP_NUMBER_MASK / 2) ? 0 : distance;
}

/* Do the latest stalls show a quota?  Returns all of them. */
static DeviceStall *
infer_quota(const LoggedEvent *logged, int n, DeviceQuota *quota)
{
	DeviceStall *stall = palloc0(Max(n, 1) * sizeof(DeviceStall));
	int			first = Max(n - QUOTA_STALLS, 0);
	int			flush = 0;

	for (int i = first; i < n; i++)
	{
		const SlowEvent *event = &logged[i].event;

		if (i > first)
			flush += flushes_between(&logged[i - 1].event, event);
		stall[i].flush = flush;
		stall[i].ended_at = (double) event->end / NS_PER_US;
		stall[i].length = (double) event->duration / NS_PER_US;
	}
	(void) device_quota_find(stall + first, n - first, LONGEST_WINDOW, quota);
	return stall;
}

/*
 * How much WAL of a flush is probably of a bulk writer?  As if the transaction
 * had written evenly.  Bytes.
 */
static double
wal_in_flush(const SlowEvent *writer, const SlowEvent *stall)
{
	uint64		until = clock_elapsed(stall->duration, stall->end);
	uint64		began_at = clock_elapsed(writer->duration, writer->end);
	uint64		overlap = clock_elapsed(Max(began_at, stall->since),
										Min(writer->end, until));

	return (double) writer->wal_bytes * overlap / Max(writer->duration, 1);
}

/* Whose WAL was most of a flush? */
typedef struct Writer
{
	const SlowEvent *session;	/* NULL: nobody's, or not known */
	double		share;			/* of the WAL, estimated; 0 to 1 */
} Writer;

/* The leader for certain, or a transaction that was running then. */
static Writer
find_writer(const LoggedEvent *stall, const LoggedEvent *writers, int n)
{
	Writer		writer = {&stall->event, stall->event.wal_bytes};

	if (stall->outcome.wal_bytes == 0)
		return (Writer)
	{
		NULL, 0
	};
	for (int i = 0; i < n && stall->event.since != 0; i++)
	{
		double		bytes = wal_in_flush(&writers[i].event, &stall->event);

		if (bytes > writer.share)
		{
			writer.session = &writers[i].event;
			writer.share = bytes;
		}
	}
	writer.share = Min(writer.share / stall->outcome.wal_bytes, 1.0);
	if (writer.share < 0.5)
		writer.session = NULL;
	return writer;
}

/* Columns from "writer_pid" to "writer_share" */
static void
row_writer(Row *row, const Writer *writer)
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
row_quota(Row *row, bool of_quota, const DeviceQuota *quota)
{
	if (!of_quota)
	{
		row_nulls(row, 2);
		return;
	}
	row_int8(row, (uint64) quantile(quota->flushes, quota->n, 0.5));
	row_rounded(row, quota->window / 1000, 1);
}

static void
put_stall(Row *row, const LoggedEvent *stall, const Writer *writer,
		  bool of_quota, const DeviceQuota *quota)
{
	const SlowEvent *event = &stall->event;
	const SlowOutcome *outcome = &stall->outcome;

	row_datum(row, TimestampTzGetDatum(event->ended_at));
	row_ms(row, event->duration);
	row_bool(row, event->flush_timed);
	row_ms(row, event->limit);
	row_add(row, Int64GetDatum(outcome->commits), outcome->commits == 0);
	row_int8(row, event->sessions);
	row_numeric_or_null(row, outcome->wal_bytes);
	row_session(row, event);
	row_numeric(row, event->wal_bytes);
	row_writer(row, writer);
	row_checkpoint(row, event);
	row_quota(row, of_quota, quota);
	row_put(row);
}

Datum
commit_stall_log_1_0(PG_FUNCTION_ARGS)
{
	LoggedEvent *logged;
	LoggedEvent *writers;
	DeviceStall *stall;
	DeviceQuota quota;
	int			n;
	int			nwriters;
	Row			row;

	row_init(fcinfo, &row);
	logged = read_events(SLOW_FLUSH, &n);
	writers = read_events(BULK_WRITER, &nwriters);
	stall = infer_quota(logged, n, &quota);
	for (int i = n - 1; i >= 0; i--)
	{
		Writer		writer = find_writer(&logged[i], writers, nwriters);

		put_stall(&row, &logged[i], &writer, stall[i].of_quota, &quota);
	}
	return (Datum) 0;
}
