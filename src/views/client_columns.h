/*-------------------------------------------------------------------------
 *
 * client_columns.h
 *		Columns of a client that several functions show.
 *
 * The SQL views look up the names of databases and database roles.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_CLIENT_COLUMNS_H
#define COMMIT_STATS_CLIENT_COLUMNS_H

#include "stats/clients.h"
#include "views/srf.h"

/* datid, roleid and application_name */
static inline void
row_client(Row *row, const ClientKey *key)
{
	bool		overflow = client_is_overflow(key);

	row_add(row, ObjectIdGetDatum(key->datid), !OidIsValid(key->datid));
	row_add(row, ObjectIdGetDatum(key->roleid), overflow);
	if (overflow)
		row_nulls(row, 1);
	else
		row_text(row, key->application_name);
}

/* The same of a session, null if it has left. */
static inline void
row_client_of_session(Row *row, const ClientSession *session)
{
	if (session == NULL)
		row_nulls(row, 3);
	else
		row_client(row, &session->key);
}

/*
 * The same of the process that had a pid at a time (clock_now()); null if
 * there was none, or it has left.
 */
static inline void
row_client_of(Row *row, const ClientSessions *sessions, int pid, uint64 at)
{
	row_client_of_session(row, clients_find_session(sessions, pid, at));
}

#endif							/* COMMIT_STATS_CLIENT_COLUMNS_H */
