/* Texts from queries; see sql_value.c. */
#ifndef COMMIT_STATS_SQL_VALUE_H
#define COMMIT_STATS_SQL_VALUE_H

extern void replace_controls(char *text, char by);
extern char *sql_value(const char *query);
extern char *statement_text(const char *schema, uint64 statement, int width);
extern const char *schema_of(Oid function);

#endif							/* COMMIT_STATS_SQL_VALUE_H */
