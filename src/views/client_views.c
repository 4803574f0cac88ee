/*-------------------------------------------------------------------------
 *
 * client_views.c
 *		Functions behind commit_client_stats and commit_activity.
 *
 * Locking: clients.c takes commit_stats_clients_lock() while it copies the
 * counts; see waits_now.c for commit_activity.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "stats/srf.h"
#include "stats/waits_now.h"

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

Datum
commit_activity_1_0(PG_FUNCTION_ARGS)
{
	ClientSessions *sessions;
	WaitingCommit *waiting;
	Row			row;

	row_init(fcinfo, &row);
	sessions = clients_read_sessions();
	waiting = waits_now_read(sessions);
	for (int i = 0; i < sessions->n; i++)
	{
		const ClientSession *session = &sessions->session[i];

		if (waiting[i].pid == 0)
			continue;
		row_number(&row, "pid", session->pid);
		row_client(&row, "", &session->key);
		row_counters(&row, session->value, CLIENT_NCOUNTERS);
		if (waiting[i].in_commit)
		{
			row_timestamp(&row, "committing_since", waiting[i].since);
			row_text(&row, "waiting_for", waiting[i].waiting_for);
			row_text(&row, "phase",
					 commit_phase_names[waiting[i].reading.phase]);
			row_text(&row, "detail", waiting[i].detail);
			if (waiting[i].blocked_by != 0)
				row_number(&row, "blocked_by", waiting[i].blocked_by);
		}
		row_put(&row);
	}
	return (Datum) 0;
}
