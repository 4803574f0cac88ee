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
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "stats/sql_value.h"

/* In UTF-8, also those above ASCII, of two bytes each */
void
replace_controls(char *text, char by)
{
	bool		utf8 = GetDatabaseEncoding() == PG_UTF8;

	for (unsigned char *c = (unsigned char *) text; *c != '\0'; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = by;
		else if (utf8 && c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
			c[0] = c[1] = by;
}

/* The schema of a function, quoted */
const char *
schema_of(Oid function)
{
	char	   *schema = get_namespace_name(get_func_namespace(function));

	return quote_identifier(schema != NULL ? schema : "public");
}

/*
 * The first column of the first row, palloc'd; null if there is none.  Names
 * and operators are those of pg_catalog, whatever the search_path of a user.
 */
char *
sql_value(const char *query)
{
	MemoryContext caller = CurrentMemoryContext;
	int			settings = NewGUCNestLevel();
	char	   *value = NULL;

	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	if (SPI_execute(query, true, 1) == SPI_OK_SELECT && SPI_processed == 1)
		value = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (value != NULL)
		value = MemoryContextStrdup(caller, value);
	SPI_finish();
	AtEOXact_GUC(true, settings);
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

/* The text that pg_stat_statements has; null if there is none to be read. */
char *
statement_text(const char *schema, uint64 statement, int width)
{
	char	   *text;

	if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS))
		return NULL;
	text = sql_value(psprintf("SELECT query FROM %s.commit_statement_texts()"
							  " WHERE queryid = '" INT64_FORMAT "'",
							  schema, (int64) statement));
	return text == NULL ? NULL : one_line(text, width);
}
