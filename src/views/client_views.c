/*-------------------------------------------------------------------------
 *
 * client_views.c
 *		Functions behind commit_client_stats, commit_statement_stats and
 *		commit_activity.
 *
 * commit_database_stats sums the first of them, in the SQL script.
 *
 * Locking: entry_table.c takes commit_stats_clients_lock() while it copies the
 * counts; see waits_now.c for commit_activity.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "stats/srf.h"
#include "stats/waits_now.h"

PG_FUNCTION_INFO_V1(commit_client_stats_1_0);
PG_FUNCTION_INFO_V1(commit_statement_stats_1_0);
PG_FUNCTION_INFO_V1(commit_activity_1_0);

Datum
commit_client_stats_1_0(PG_FUNCTION_ARGS)
{
	static const uint64 nothing[CLIENT_NCOUNTERS];
	EntryTotals *totals;
	Row			row;

	row_init(fcinfo, &row);
	totals = clients_read();
	for (int i = 0; i < totals->n; i++)
	{
		const ClientCounts *client = &totals->client[i];

		if (totals->places[i] == 0 && client_is_overflow(&client->key) &&
			memcmp(client->value, nothing, sizeof(nothing)) == 0)
			continue;
		row_client(&row, "", &client->key);
		row_number(&row, "sessions", totals->places[i]);
		row_counters(&row, client->value, CLIENT_NCOUNTERS);
		row_put(&row);
	}
	return (Datum) 0;
}

Datum
commit_statement_stats_1_0(PG_FUNCTION_ARGS)
{
	EntryTotals *totals;
	Row			row;

	row_init(fcinfo, &row);
	totals = statements_read();
	for (int i = 0; i < totals->n; i++)
	{
		const StatementCounts *statement = &totals->statement[i];

		/* others have counted quick read-only transactions only */
		if (counted_commits(statement->value) + statement->value[SLOT_FLUSHES] +
			statement->value[SLOT_WAL_BYTES] + statement->value[SLOT_SLOW_COMMITS] == 0)
			continue;
		row_oid(&row, "datid", statement->key.datid);
		row_oid(&row, "roleid", statement->key.roleid);
		if (OidIsValid(statement->key.roleid))
			row_queryid(&row, "", &statement->key);
		else
			row_text(&row, "reason", "overflow");
		row_counters(&row, statement->value, CLIENT_NCOUNTERS);
		row_put(&row);
	}
	return (Datum) 0;
}

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
