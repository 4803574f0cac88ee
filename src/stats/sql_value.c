/*-------------------------------------------------------------------------
 *
 * sql_value.c
 *		Texts from queries: of statements, or from the catalogs.
 *
 * Who may see the text of a statement is decided here.  Functions that build
 * text call this, and no commit does.  A text of a user stands on one line, so
 * that it cannot begin a line of a report.
 *
 * Locking: none, but what the query takes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "stats/sql_value.h"

void
replace_controls(char *text, char by)
{
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char) *c < ' ' || *c == 0x7f)
			*c = by;
}

/* The schema of a function, quoted */
const char *
schema_of(Oid function)
{
	char	   *schema = get_namespace_name(get_func_namespace(function));

	return quote_identifier(schema != NULL ? schema : "public");
}

/* The first column of the first row, palloc'd; null if there is none. */
char *
sql_value(const char *query)
{
	MemoryContext caller = CurrentMemoryContext;
	char	   *value = NULL;

	SPI_connect();
	if (SPI_execute(query, true, 1) == SPI_OK_SELECT && SPI_processed == 1)
		value = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (value != NULL)
		value = MemoryContextStrdup(caller, value);
	SPI_finish();
	return value;
}

/* A text of a user, on one line, cut to "width" bytes */
static char *
one_line(char *text, int width)
{
	int			length = strlen(text);

	replace_controls(text, ' ');
	return length <= width ? text :
		psprintf("%.*s...", pg_mbcliplen(text, length, width - 3), text);
}

/*
 * Sets the texts that pg_stat_statements has of n statements, whose file it
 * reads once; null if there is none, or if this role must not read them.
 */
void
statement_texts(const char *schema, const uint64 *statement, int n, int width,
				char **text)
{
	MemoryContext caller = CurrentMemoryContext;
	StringInfoData query;

	memset(text, 0, n * sizeof(char *));
	if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS))
		return;
	initStringInfo(&query);
	for (int i = 0; i < n; i++)
		appendStringInfo(&query, "%s" INT64_FORMAT, i > 0 ? "," : "",
						 (int64) statement[i]);
	SPI_connect();
	if (SPI_execute(psprintf("SELECT queryid, query FROM %s.commit_statement_texts()"
							 " WHERE queryid OPERATOR(pg_catalog.=) ANY ('{%s}')",
							 schema, query.data), true, 0) == SPI_OK_SELECT)
		for (int i = 0; i < n; i++)
			for (uint64 row = 0; row < SPI_processed && text[i] == NULL; row++)
			{
				HeapTuple	tuple = SPI_tuptable->vals[row];
				bool		null;

				if ((uint64) DatumGetInt64(SPI_getbinval(tuple, SPI_tuptable->tupdesc, 1, &null)) ==
					statement[i])
					text[i] = SPI_getvalue(tuple, SPI_tuptable->tupdesc, 2);
				if (text[i] != NULL)
					text[i] = MemoryContextStrdup(caller, text[i]);
			}
	SPI_finish();
	for (int i = 0; i < n; i++)
		if (text[i] != NULL)
			text[i] = one_line(text[i], width);
}
