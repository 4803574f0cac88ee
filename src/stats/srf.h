/*-------------------------------------------------------------------------
 *
 * srf.h
 *		Rows of a set-returning function, built by column name.
 *
 * A function names each column that it sets.  A column that it does not set is
 * null.  A name that the SQL script does not declare has no effect, so the
 * library serves an older script, and the script may declare columns in any
 * order.
 *
 * What follows from other columns, as shares and means, the views compute in
 * the SQL script, which has commit_database_stats and commit_stats_html().
 *
 * The SQL functions copy shared memory first, and build rows from the copy.
 * Their C names end with the version of the SQL interface, so the library can
 * serve an older one beside a newer one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SRF_H
#define COMMIT_STATS_SRF_H

#include <math.h>

#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/tuplestore.h"

#include "base/compat.h"
#include "module/shared_memory.h"
#include "stats/clients.h"
#include "stats/counter_delta.h"
#include "stats/statements.h"

#define ROW_MAX_COLUMNS		96

/* The row under construction. */
typedef struct Row
{
	ReturnSetInfo *result;
	TupleDesc	desc;
	const char *prefix;			/* of each name that a caller sets */
	int			next;			/* the search for a name begins here */
	Datum		value[ROW_MAX_COLUMNS];
	bool		isnull[ROW_MAX_COLUMNS];
} Row;

/*
 * Every function that returns rows calls this before it reads what the library
 * shares: the call raises an error where the library is not preloaded.
 */
static inline void
row_init(FunctionCallInfo fcinfo, Row *row)
{
	shared_memory_require();
	InitMaterializedSRF(fcinfo, 0);
	row->result = (ReturnSetInfo *) fcinfo->resultinfo;
	row->desc = row->result->setDesc;
	row->prefix = "";
	row->next = 0;
	memset(row->isnull, true, sizeof(row->isnull));
	if (row->desc->natts > ROW_MAX_COLUMNS)
		elog(ERROR, "commit_stats: too many columns: %d", row->desc->natts);
}

static inline void
row_put(Row *row)
{
	CHECK_FOR_INTERRUPTS();
	tuplestore_putvalues(row->result->setResult, row->desc, row->value,
						 row->isnull);
	memset(row->isnull, true, sizeof(row->isnull));
	row->next = 0;
}

/* The place of prefix and name among the columns; -1 if there is none. */
static inline int
row_find(Row *row, const char *name)
{
	size_t		length = strlen(row->prefix);

	for (int i = 0; i < row->desc->natts; i++)
	{
		int			place = (row->next + i) % row->desc->natts;
		const char *column = NameStr(TupleDescAttr(row->desc, place)->attname);

		if (strncmp(column, row->prefix, length) == 0 &&
			strcmp(column + length, name) == 0)
		{
			row->next = place + 1;
			return place;
		}
	}
	return -1;
}

/* A value whose SQL type the column must have. */
static inline void
row_datum(Row *row, const char *name, Oid type, Datum value)
{
	int			place = row_find(row, name);

	if (place < 0)
		return;
	if (TupleDescAttr(row->desc, place)->atttypid != type)
		elog(ERROR, "commit_stats: column \"%s\" has an unexpected type", name);
	row->value[place] = value;
	row->isnull[place] = false;
}

/* Null for InvalidOid. */
static inline void
row_oid(Row *row, const char *name, Oid value)
{
	if (OidIsValid(value))
		row_datum(row, name, OIDOID, ObjectIdGetDatum(value));
}

static inline void
row_float8(Row *row, const char *name, double value)
{
	row_datum(row, name, FLOAT8OID, Float8GetDatum(value));
}

/* To some decimal digits; -0, plus 0, is 0. */
static inline double
round_to(double value, int digits)
{
	double		factor = pow(10, digits);

	return rint(value * factor) / factor + 0.0;
}

/* Rounded; null for NaN. */
static inline void
row_rounded(Row *row, const char *name, double value, int digits)
{
	if (!isnan(value))
		row_float8(row, name, round_to(value, digits));
}

/* A fraction as a percentage; null for NaN. */
static inline void
row_share(Row *row, const char *name, double fraction, int digits)
{
	row_rounded(row, name, 100 * fraction, digits);
}

/* Of times, in ms, those that a function declares; null if there are none. */
static inline void
row_quantiles(Row *row, const uint64 *cells, int digits)
{
	row_rounded(row, "p50", histogram_quantile(cells, 0.5) / NS_PER_MS, digits);
	row_rounded(row, "p95", histogram_quantile(cells, 0.95) / NS_PER_MS, digits);
	row_rounded(row, "p99", histogram_quantile(cells, 0.99) / NS_PER_MS, digits);
	row_rounded(row, "p999", histogram_quantile(cells, 0.999) / NS_PER_MS, digits);
	row_rounded(row, "max", histogram_quantile(cells, 1) / NS_PER_MS, digits);
}

/* Nanoseconds, in ms; null for PG_UINT64_MAX. */
static inline void
row_ms(Row *row, const char *name, uint64 ns)
{
	if (ns != PG_UINT64_MAX)
		row_float8(row, name, (double) ns / NS_PER_MS);
}

static inline void
row_bool(Row *row, const char *name, bool value)
{
	row_datum(row, name, BOOLOID, BoolGetDatum(value));
}

/* Null for NULL. */
static inline void
row_text(Row *row, const char *name, const char *value)
{
	if (value != NULL)
		row_datum(row, name, TEXTOID, CStringGetTextDatum(value));
}

/* Null for 0. */
static inline void
row_timestamp(Row *row, const char *name, TimestampTz value)
{
	if (value != 0)
		row_datum(row, name, TIMESTAMPTZOID, TimestampTzGetDatum(value));
}

/*
 * A number, in the type of its column: integer, bigint, or numeric, which is
 * for WAL in bytes.  A column of type double precision is a time: ns, in ms.
 */
static inline void
row_number(Row *row, const char *name, uint64 value)
{
	int			place = row_find(row, name);

	if (place < 0)
		return;
	row->isnull[place] = false;
	switch (TupleDescAttr(row->desc, place)->atttypid)
	{
		case INT4OID:
			row->value[place] = Int32GetDatum((int32) value);
			break;
		case INT8OID:
			row->value[place] = Int64GetDatum((int64) value);
			break;
		case NUMERICOID:
			row->value[place] = NumericGetDatum(int64_to_numeric((int64) value));
			break;
		case FLOAT8OID:
			row->value[place] = Float8GetDatum((double) value / NS_PER_MS);
			break;
		default:
			elog(ERROR, "commit_stats: column \"%s\" is no number", name);
	}
}

/* Null for 0, which stands for a number that is not known. */
static inline void
row_known_number(Row *row, const char *name, uint64 value)
{
	if (value != 0)
		row_number(row, name, value);
}

/* The first counters of a backend slot, under the names of SLOT_COUNTERS. */
static inline void
row_counters(Row *row, const uint64 *value, int ncounters)
{
	static const char *const name[] = {SLOT_COUNTERS(SLOT_COUNTER_COLUMN)};

	for (int i = 0; i < ncounters; i++)
		if (i == SLOT_SESSION_TIME) /* in us */
			row_float8(row, name[i], value[i] / 1e3);
		else
			row_number(row, name[i], value[i]);
}

/*---- Clients.  The SQL views look up the names of their OIDs -----*/

/* prefix + datid, roleid and application_name; null without a client */
static inline void
row_client(Row *row, const char *prefix, const ClientKey *key)
{
	if (key == NULL)
		return;
	row->prefix = prefix;
	row_oid(row, "datid", key->datid);
	row_oid(row, "roleid", key->roleid);
	if (!client_is_overflow(key))
		row_text(row, "application_name", key->application_name);
	row->prefix = "";
}

/* The client of the process that had a pid at a time (clock_now()). */
static inline void
row_client_of(Row *row, const char *prefix, const ClientSessions *sessions,
			  int pid, uint64 at)
{
	const ClientSession *session = clients_find_session(sessions, pid, at);

	row_client(row, prefix, session == NULL ? NULL : &session->key);
}

/* As in pg_stat_statements */
static inline bool
row_may_show(Oid roleid)
{
	return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
		roleid == GetUserId();
}

/* prefix + queryid, or prefix + reason, which tells why it is null */
static inline void
row_queryid(Row *row, const char *prefix, const StatementKey *key)
{
	static const char *const reasons[] = {STATEMENT_REASONS(STATEMENT_REASON_NAME)};

	row->prefix = prefix;
	if (key->statement < STATEMENT_NREASONS)
		row_text(row, "reason", reasons[key->statement]);
	else if (row_may_show(key->roleid))
		row_number(row, "queryid", key->statement);
	else
		row_text(row, "reason", "insufficient_privilege");
	row->prefix = "";
}

/*---- What was counted in a stretch of time -----------------------*/

/* Numbers, rates per second, times in ms: those that a function declares. */
static inline void
row_delta(Row *row, const CounterDelta *delta)
{
	row_rounded(row, "elapsed", delta->time / 1e9, 3);
	row_number(row, "commits", delta->value[SLOT_COMMITS]);
	row_rounded(row, "commits_per_second",
				counter_delta_rate(delta, SLOT_COMMITS), 1);
	row_rounded(row, "commits_async_per_second",
				counter_delta_rate(delta, SLOT_COMMITS_ASYNC), 1);
	row_rounded(row, "flushes_per_second",
				counter_delta_rate(delta, SLOT_FLUSHES), 1);
	row_rounded(row, "commits_per_flush",
				ratio(delta->value[SLOT_COMMITS], delta->value[SLOT_FLUSHES]),
				2);
	row_share(row, "delay_hit_share",
			  fraction(delta->value[SLOT_DELAY_HITS], delta->value[SLOT_FLUSHES]),
			  1);
	/* flushes that were not timed are taken to be like the others */
	row_share(row, "wal_busy_share", delta->value[SLOT_FLUSHES] == 0 ? 0 :
			  fraction(counter_delta_mean_flush_time(delta) * delta->value[SLOT_FLUSHES],
					   delta->time), 1);
	row_rounded(row, "mean", counter_delta_mean_latency(delta) / NS_PER_MS, 3);
	row_quantiles(row, delta->latency, 3);
	row_rounded(row, "flush_mean",
				counter_delta_mean_flush_time(delta) / NS_PER_MS, 3);
}

#endif							/* COMMIT_STATS_SRF_H */
