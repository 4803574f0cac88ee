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

#endif							/* COMMIT_STATS_CLIENT_COLUMNS_H */
