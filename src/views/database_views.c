/*-------------------------------------------------------------------------
 *
 * database_views.c
 *		The counts per database become rows.
 *
 * See flush_views.c for the rules of all functions that make rows.  Names of
 * databases are not known here: the SQL view looks them up.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "base/shared_memory.h"
#include "stats/databases.h"
#include "views/srf.h"

PG_FUNCTION_INFO_V1(commit_database_stats_1_0);

typedef enum DatabaseColumn
{
	D_DATID,
	D_KIND,
	D_COMMITS,
	D_COMMITS_ASYNC,
	D_COMMITS_UNLOGGED,
	D_COMMITS_READ_ONLY,
	D_PREPARES,
	D_FLUSHES,
	D_COMMITS_CARRIED,
	D_DELAY_HITS,
	D_DELAY_MISSES,
	D_DELAY_UNCERTAIN,
	D_DELAY_TIME,
	D_COMMIT_TIME,
	D_FLUSH_TIME,
	D_TIMED_FLUSHES,
	D_NCOLUMNS
} DatabaseColumn;

StaticAssertDecl(D_NCOLUMNS <= MAX_COLUMNS, "Row is too short");

/*
 * Sums of fractions of the rows so far.  A row's share of a sum of
 * probabilities is what rounding the sum gains by it: so it is off by less
 * than 1, and the rows add up to what commit_flush_stats shows.
 */
typedef struct FractionSums
{
	uint64		delay_hits;
	uint64		delay_uncertain;
} FractionSums;

static uint64
next_share(uint64 *sum, uint64 fraction)
{
	uint64		before = slot_round_fraction(*sum);

	*sum += fraction;
	return slot_round_fraction(*sum) - before;
}

static void
set_database_delay_columns(Row *row, const uint64 *value, FractionSums *sums)
{
	uint64		hits = next_share(&sums->delay_hits, value[SLOT_DELAY_HITS]);

	/* A leader that counts just now may have been read in between. */
	hits = Min(hits, value[SLOT_DELAYABLE]);
	set_int8(row, D_DELAY_HITS, hits);
	set_int8(row, D_DELAY_MISSES, value[SLOT_DELAYABLE] - hits);
	set_int8(row, D_DELAY_UNCERTAIN,
			 next_share(&sums->delay_uncertain, value[SLOT_DELAY_UNCERTAIN]));
	set_float8(row, D_DELAY_TIME, ns_to_ms(value[SLOT_DELAY_TIME]));
}

static void
set_count_columns(Row *row, const uint64 *value)
{
	set_int8(row, D_COMMITS, value[SLOT_COMMITS]);
	set_int8(row, D_COMMITS_ASYNC, value[SLOT_COMMITS_ASYNC]);
	set_int8(row, D_COMMITS_UNLOGGED, value[SLOT_COMMITS_UNLOGGED]);
	set_int8(row, D_COMMITS_READ_ONLY, value[SLOT_COMMITS_READ_ONLY]);
	set_int8(row, D_PREPARES, value[SLOT_PREPARES]);
	set_int8(row, D_FLUSHES, value[SLOT_FLUSHES]);
	set_int8(row, D_COMMITS_CARRIED, value[SLOT_FOLLOWERS]);
	set_float8(row, D_COMMIT_TIME, ns_to_ms(value[SLOT_COMMIT_TIME]));
	set_float8(row, D_FLUSH_TIME, ns_to_ms(value[SLOT_FLUSH_TIME]));
	set_int8(row, D_TIMED_FLUSHES, value[SLOT_TIMED_FLUSHES]);
}

static const char *
kind_of_entry(int entry)
{
	switch (entry)
	{
		case DATABASE_NONE:
			return "no database";
		case DATABASE_OVERFLOW:
			return "overflow";
		default:
			return "database";
	}
}

/* The entries that belong to no database show once something is counted. */
static bool
is_shown(const DatabaseTotals *totals, int entry)
{
	if (entry < DATABASES_MAX)
		return entry < totals->ntracked;
	for (int c = 0; c < DATABASE_NCOUNTERS; c++)
		if (totals->counts[entry].value[c] > 0)
			return true;
	return false;
}

Datum
commit_database_stats_1_0(PG_FUNCTION_ARGS)
{
	DatabaseTotals *totals;
	FractionSums sums = {0};

	start_rows(fcinfo);
	totals = databases_read();

	for (int entry = 0; entry < DATABASE_NENTRIES; entry++)
	{
		const uint64 *value = totals->counts[entry].value;
		Row			row;

		if (!is_shown(totals, entry))
			continue;
		start_row(&row);
		if (entry < totals->ntracked)
			set_datum(&row, D_DATID, ObjectIdGetDatum(totals->datid[entry]));
		set_datum(&row, D_KIND, CStringGetTextDatum(kind_of_entry(entry)));
		set_count_columns(&row, value);
		set_database_delay_columns(&row, value, &sums);
		put_row(fcinfo, &row, D_NCOLUMNS);
	}
	return (Datum) 0;
}
