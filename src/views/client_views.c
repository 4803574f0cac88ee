/*-------------------------------------------------------------------------
 *
 * client_views.c
 *		Functions behind commit_client_stats and commit_activity.
 *
 * Locking: clients.c takes commit_stats_clients_lock() while it copies the
 * counts.  commit_activity reads what a process waits for without a lock, as
 * pg_stat_activity does.
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
#include "stats/srf.h"

PG_FUNCTION_INFO_V1(commit_client_stats_1_0);
PG_FUNCTION_INFO_V1(commit_activity_1_0);

/*----------------------------------------------------------------
 * commit_client_stats
 *----------------------------------------------------------------
 */

/* True for a client that counted anything or has a session. */
static bool
is_shown(const ClientTotals *totals, int i)
{
	if (totals->sessions[i] > 0 || !client_is_overflow(&totals->client[i].key))
		return true;
	for (int c = 0; c < CLIENT_NCOUNTERS; c++)
		if (totals->client[i].value[c] > 0)
			return true;
	return false;
}

Datum
commit_client_stats_1_0(PG_FUNCTION_ARGS)
{
	ClientTotals *totals;
	Row			row;

	row_init(fcinfo, &row);
	totals = clients_read();
	for (int i = 0; i < totals->n; i++)
	{
		if (!is_shown(totals, i))
			continue;
		row_client(&row, "", &totals->client[i].key);
		row_number(&row, "sessions", totals->sessions[i]);
		row_counters(&row, totals->client[i].value, CLIENT_NCOUNTERS);
		row_put(&row);
	}
	return (Datum) 0;
}

/*----------------------------------------------------------------
 * commit_activity
 *----------------------------------------------------------------
 */

/* Class of a wait event, as in wait_event.c of the server */
#define EVENT_CLASS_MASK	0xFF000000

/* Values of waiting_for that infer_delay() compares */
static const char own_flush[] = "flush";
static const char own_delay[] = "delay";

/* A session and its commit under way. */
typedef struct Activity
{
	int			pid;			/* 0: has left meanwhile */
	uint64		since;			/* clock_now(); 0: it is in no commit */
	const char *wait;			/* NULL: for nothing that is known */
} Activity;

/* What a process in its commit waits for, by its wait event. */
static const char *
commit_wait(PGPROC *proc)
{
	uint32		info = *(volatile uint32 *) &proc->wait_event_info;
	const char *event = pgstat_get_wait_event(info);

	if (PROC_IS_IN_COMMIT_DELAY(proc))
		return own_delay;
	if (info == WAIT_EVENT_SYNC_REP)
		return "standby";
	/* a commit takes no other lock that it might have to wait for */
	if ((info & EVENT_CLASS_MASK) == PG_WAIT_LOCK)
		return "notify";
	if (info == WAIT_EVENT_WAL_SYNC || info == WAIT_EVENT_WAL_WRITE)
		return own_flush;
	if (event != NULL && strcmp(event, "WALWrite") == 0)
		return "another's flush";
	return NULL;
}

static void
read_session(const ClientSession *session, Activity *activity)
{
	PGPROC	   *proc = &ProcGlobal->allProcs[session->procno];

	activity->since = backend_slots_committing_since(session->procno);
	activity->wait = activity->since == 0 ? NULL : commit_wait(proc);
	/* the commit may be over, and the session as well */
	if (backend_slots_committing_since(session->procno) != activity->since)
	{
		activity->since = 0;
		activity->wait = NULL;
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
		if (activity[i].wait == own_flush ||
			activity[i].wait == own_delay)
			return;
		if (activity[i].since != 0 && activity[i].wait == NULL &&
			(first == NULL || activity[i].since < first->since))
			first = &activity[i];
	}
	if (first != NULL)
		first->wait = own_delay;
}

Datum
commit_activity_1_0(PG_FUNCTION_ARGS)
{
	ClientSessions *sessions;
	Activity   *activity;
	int64		offset;
	Row			row;

	row_init(fcinfo, &row);
	offset = clock_offset();
	sessions = clients_read_sessions();
	activity = palloc(sessions->n * sizeof(Activity));
	for (int i = 0; i < sessions->n; i++)
		read_session(&sessions->session[i], &activity[i]);
	infer_delay(activity, sessions->n);

	for (int i = 0; i < sessions->n; i++)
	{
		const ClientSession *session = &sessions->session[i];

		if (activity[i].pid == 0)
			continue;
		row_number(&row, "pid", activity[i].pid);
		row_client(&row, "", &session->key);
		row_counters(&row, session->value, CLIENT_NCOUNTERS);
		if (activity[i].since != 0)
			row_timestamp(&row, "committing_since",
						  clock_timestamp_at(activity[i].since, offset));
		row_text(&row, "waiting_for", activity[i].wait);
		row_put(&row);
	}
	return (Datum) 0;
}
