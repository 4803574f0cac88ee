/*-------------------------------------------------------------------------
 *
 * activity_view.c
 *		Function behind commit_activity.
 *
 * Locking: commit_stats_clients_lock() while the counts are copied.  What a
 * process waits for is read without a lock, as pg_stat_activity does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/proc.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "base/clock.h"
#include "control/delay_override.h"
#include "module/wall_clock.h"
#include "views/client_columns.h"

PG_FUNCTION_INFO_V1(commit_activity_1_0);

/* Class of a wait event, as in wait_event.c of the server */
#define EVENT_CLASS_MASK	0xFF000000

typedef enum CommitWait
{
	WAIT_NONE,					/* or none that is known */
	WAIT_OWN_FLUSH,
	WAIT_OTHER_FLUSH,
	WAIT_DELAY,
	WAIT_STANDBY,
	WAIT_NOTIFY					/* the lock of commits with NOTIFY */
} CommitWait;

/* A session, and the commit that it is in. */
typedef struct Activity
{
	int			pid;			/* 0: has left meanwhile */
	uint64		since;			/* clock_now(); 0: it is in no commit */
	CommitWait	wait;
} Activity;

/* What does a process in its commit wait for? */
static CommitWait
commit_wait(PGPROC *proc)
{
	uint32		info = *(volatile uint32 *) &proc->wait_event_info;
	const char *event = pgstat_get_wait_event(info);

	if (PROC_IS_IN_COMMIT_DELAY(proc))
		return WAIT_DELAY;
	if (info == WAIT_EVENT_SYNC_REP)
		return WAIT_STANDBY;
	/* a commit takes no other lock that it might have to wait for */
	if ((info & EVENT_CLASS_MASK) == PG_WAIT_LOCK)
		return WAIT_NOTIFY;
	if (info == WAIT_EVENT_WAL_SYNC || info == WAIT_EVENT_WAL_WRITE)
		return WAIT_OWN_FLUSH;
	if (event != NULL && strcmp(event, "WALWrite") == 0)
		return WAIT_OTHER_FLUSH;
	return WAIT_NONE;
}

static void
look_at_session(const ClientSession *session, Activity *activity)
{
	PGPROC	   *proc = &ProcGlobal->allProcs[session->procno];

	activity->since = backend_slots_committing_since(session->procno);
	activity->wait = activity->since == 0 ? WAIT_NONE : commit_wait(proc);
	/* the commit may be over, and the session as well */
	if (backend_slots_committing_since(session->procno) != activity->since)
	{
		activity->since = 0;
		activity->wait = WAIT_NONE;
	}
	activity->pid = clients_is_connected(session) ? session->pid : 0;
}

/*
 * Before 19, a leader that sleeps shows no wait event.  If nobody flushes, the
 * commit that began first probably leads.
 */
static void
infer_delay(Activity *activity, int n)
{
	Activity   *first = NULL;

	if (COMMIT_DELAY_SHOWS ||
		(CommitDelay == 0 && pg_atomic_read_u64(delay_override_order) == 0))
		return;
	for (int i = 0; i < n; i++)
	{
		if (activity[i].wait == WAIT_OWN_FLUSH ||
			activity[i].wait == WAIT_DELAY)
			return;
		if (activity[i].since != 0 && activity[i].wait == WAIT_NONE &&
			(first == NULL || activity[i].since < first->since))
			first = &activity[i];
	}
	if (first != NULL)
		first->wait = WAIT_DELAY;
}

/* Columns from "commits" to "wal_bytes" */
static void
row_session_counts(Row *row, const uint64 *value)
{
	row_int8(row, value[SLOT_COMMITS]);
	row_int8(row, value[SLOT_COMMITS_ASYNC]);
	row_int8(row, value[SLOT_COMMITS_UNLOGGED]);
	row_int8(row, value[SLOT_COMMITS_READ_ONLY]);
	row_int8(row, value[SLOT_PREPARES]);
	row_int8(row, value[SLOT_FLUSHES]);
	row_int8(row, value[SLOT_FOLLOWERS]);
	row_ms(row, value[SLOT_COMMIT_TIME]);
	row_numeric(row, value[SLOT_WAL_BYTES]);
}

/* committing_since and waiting_for */
static void
row_activity(Row *row, const Activity *activity)
{
	static const char *const waits[] = {
		NULL, "flush", "another's flush", "delay", "standby", "notify"
	};

	row_add(row, TimestampTzGetDatum(clock_timestamp_at(activity->since,
														clock_offset())),
			activity->since == 0);
	if (activity->wait == WAIT_NONE)
		row_nulls(row, 1);
	else
		row_text(row, waits[activity->wait]);
}

Datum
commit_activity_1_0(PG_FUNCTION_ARGS)
{
	ClientSessions *sessions;
	Activity   *activity;
	Row			row;

	row_init(fcinfo, &row);
	sessions = clients_read_sessions();
	activity = palloc(sessions->n * sizeof(Activity));
	for (int i = 0; i < sessions->n; i++)
		look_at_session(&sessions->session[i], &activity[i]);
	infer_delay(activity, sessions->n);

	for (int i = 0; i < sessions->n; i++)
	{
		const ClientSession *session = &sessions->session[i];

		if (activity[i].pid == 0)
			continue;
		row_datum(&row, Int32GetDatum(activity[i].pid));
		row_client(&row, &session->key);
		row_session_counts(&row, session->value);
		row_activity(&row, &activity[i]);
		row_put(&row);
	}
	return (Datum) 0;
}
