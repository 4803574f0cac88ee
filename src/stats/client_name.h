/* The name of the client of this process; see client_name.c. */
#ifndef COMMIT_STATS_CLIENT_NAME_H
#define COMMIT_STATS_CLIENT_NAME_H

/* For _PG_init; "changed" is called when the name may be another. */
extern void client_name_define_settings(void (*changed) (void));

/* At most NAMEDATALEN bytes, with the zero.  May raise an error. */
extern void client_name_copy(char *name);

#endif							/* COMMIT_STATS_CLIENT_NAME_H */
