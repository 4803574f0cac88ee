/* The counts per database, role and application; see clients.c. */
#ifndef COMMIT_STATS_CLIENTS_H
#define COMMIT_STATS_CLIENTS_H

#include "miscadmin.h"
#include "utils/guc.h"

#include "base/compat.h"
#include "base/guc.h"
#include "stats/entry_table.h"

/* Who commits */
typedef struct ClientKey
{
	Oid			datid;			/* InvalidOid: connected to no database */
	Oid			roleid;			/* InvalidOid: of several clients */
	char		application_name[NAMEDATALEN];
} ClientKey;

CHECK_ENTRY_KEY(ClientKey);

/* What a client has counted; a copy, and saved across restarts. */
typedef struct ClientCounts
{
	ClientKey	key;
	uint64		value[CLIENT_NCOUNTERS];
} ClientCounts;

/* A session; a copy. */
typedef struct ClientSession
{
	int			procno;
	int			pid;
	uint64		registered_at;	/* clock_now() */
	ClientKey	key;
	uint64		value[CLIENT_NCOUNTERS];	/* since it connected */
} ClientSession;

/* The registered processes, by pid; palloc'd. */
typedef struct ClientSessions
{
	int			n;
	ClientSession session[FLEXIBLE_ARRAY_MEMBER];
} ClientSessions;

/* The address of "role" at the last commit, as commit_stats_application. */
extern COMMIT_STATS_HIDDEN const char *clients_role;

/* In client_name.c: for _PG_init; NAMEDATALEN bytes, or an error */
extern void client_name_define_settings(void);
extern void client_name_copy(char *name);

/* The commit path: the client may be another; the next commit must compare. */
extern void clients_change(void);

static inline void
clients_look_again(void)
{
	commit_stats_application = NULL;
}

/* NULL if this process is not registered */
extern const ClientKey *clients_mine(void);

extern COMMIT_STATS_HIDDEN EntryTable clients_table;

extern EntryTotals *clients_read(void);

extern ClientSessions *clients_read_sessions(void);

/* True if the session of a copy is still there.  Takes no lock. */
extern bool clients_is_connected(const ClientSession *session);

static inline bool
client_is_overflow(const ClientKey *key)
{
	return !OidIsValid(key->roleid);
}

static inline int
client_compare_pids(const void *a, const void *b)
{
	return ((const ClientSession *) a)->pid - ((const ClientSession *) b)->pid;
}

/*
 * The session that had a pid at a time (clock_now()).  NULL if it has left,
 * also if another process has its pid now: that one has registered later.
 */
static inline const ClientSession *
clients_find_session(const ClientSessions *sessions, int pid, uint64 at)
{
	ClientSession wanted = {.pid = pid};
	const ClientSession *session = bsearch(&wanted, sessions->session,
										   sessions->n, sizeof(ClientSession),
										   client_compare_pids);

	return session != NULL && session->registered_at <= at ? session : NULL;
}

/*
 * Commit path: true if clients_change() must compare before the commit counts,
 * or if nothing may be counted here.  (A second change of application_name in
 * the configuration file may bring the first address back.)
 */
static inline bool
clients_differ(void)
{
	return application_name != commit_stats_application ||
		role_string != clients_role;
}

#endif							/* COMMIT_STATS_CLIENTS_H */
