/* Texts from queries; see sql_value.c. */
#ifndef COMMIT_STATS_SQL_VALUE_H
#define COMMIT_STATS_SQL_VALUE_H

extern void replace_controls(char *text, char by);
extern char *sql_value(const char *query);
extern void statement_texts(const char *schema, const uint64 *statement, int n,
							int width, char **text);
extern const char *schema_of(Oid function);

#endif							/* COMMIT_STATS_SQL_VALUE_H */
