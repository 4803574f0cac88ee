/*-------------------------------------------------------------------------
 *
 * clients.c
 *		The counts per database, role and application.
 *
 * A client is a database, role and name (client_name.c).  entry_table.c has
 * the counts, and decides whose entry a new client takes; the place of a
 * process is its slot.
 *
 * A commit compares the addresses of the settings with those of the commit
 * before.  The server frees the value of SET LOCAL, and what a failed
 * transaction set, and may give the same address to the next value.  After
 * such a transaction, therefore, the next commit compares the values.
 *
 * Locking: commit_stats_clients_lock(), as in entry_table.c.  A client backend
 * enters in the server's own first transaction.  So a COMMIT waits for the
 * lock only if it is the first with another role or application_name, or if
 * commit_stats.enabled was off until then; and for the copy of each reader
 * that came before it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "utils/memutils.h"

#include "base/clock.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "stats/clients.h"

/* For each backend slot with an entry: its process. */
typedef struct ClientSlot
{
	int			pid;
	uint64		registered_at;	/* clock_now() */
	uint64		timed_at;		/* SLOT_SESSION_TIME counts until then */
	uint64		connected[CLIENT_NCOUNTERS];	/* its counters at
												 * registration */
} ClientSlot;

StaticAssertDecl(sizeof(ClientSlot) + sizeof(EntryPlace) + sizeof(ClientKey) <= 448,
				 "memory for each connection");

const char *clients_role = NULL;

EntryTable	clients_table = {
	.key_size = sizeof(ClientKey),
	.max_keys = &commit_stats_max_clients,
};

static ClientSlot *slots = NULL;
static ClientSlot *my_slot = NULL;	/* while this process is registered */

/* The settings from which the client of this process follows. */
static const char *const setting_names[] = {
	"application_name", "role", "session_authorization"
};
static struct config_generic *settings[lengthof(setting_names)];

static Size
slots_size(int backends)
{
	return TYPEALIGN(PG_CACHE_LINE_SIZE,
					 mul_size(backends, sizeof(ClientSlot)));
}

static Size
clients_tail_size(int backends)
{
	return add_size(slots_size(backends),
					entry_table_size(&clients_table, backends));
}

static void
clients_attach(void *head, void *tail, bool found)
{
	slots = tail;
	entry_table_attach(&clients_table,
					   (char *) tail + slots_size(MaxBackends), found);
}

static bool
is_registered(int procno)
{
	return entry_table_of_place(&clients_table, procno) != NO_ENTRY;
}

static ClientKey *
client_of_slot(int procno)
{
	return (ClientKey *) clients_table.place_keys + procno;
}

/*---- Processes ---------------------------------------------------*/

/* Within a change: the session was connected as its client until now. */
static void
count_session_time(void)
{
	uint64		us = clock_elapsed(my_slot->timed_at, clock_now()) / NS_PER_US;

	backend_slot_add(SLOT_SESSION_TIME, us);
	my_slot->timed_at += us * NS_PER_US;
}

/* When all transactions are over. */
static void
clients_leave(void)
{
	if (my_slot == NULL)
		return;
	shared_memory_acquire(commit_stats_clients_lock(), LW_SHARED);
	if (is_registered(MyProcNumber))
	{
		count_session_time();
		entry_table_move(&clients_table, MyProcNumber, NULL, NO_ENTRY);
	}
	LWLockRelease(commit_stats_clients_lock());
	my_slot = NULL;
}

/* True if the settings keep their values at the end of this transaction. */
static bool
settings_stay(void)
{
	for (int i = 0; i < lengthof(settings); i++)
	{
		const GucStack *stack = settings[i]->stack;

		if (stack != NULL && stack->state != GUC_SET)
			return false;
	}
	return true;
}

static void
find_client_of_process(ClientKey *key)
{
	int			sec_context;

	memset(key, 0, sizeof(ClientKey));
	key->datid = MyDatabaseId;
	GetUserIdAndSecContext(&key->roleid, &sec_context);
	/* the launcher of autovacuum has none, and its workers have this one */
	if (!OidIsValid(key->roleid))
		key->roleid = BOOTSTRAP_SUPERUSERID;
	client_name_copy(key->application_name);
}

/* MyDatabaseId has its final value. */
static void
clients_enter(void)
{
	ClientKey	key;
	int			entry;

	Assert(my_slot == NULL && MyProcNumber < MaxBackends);
	Assert(!is_registered(MyProcNumber));
	for (int i = 0; i < lengthof(settings); i++)
		settings[i] = find_option(setting_names[i], false, false, ERROR);
	/* a regular expression may fail, or be cancelled */
	find_client_of_process(&key);
	my_slot = &slots[MyProcNumber];
	entry = entry_table_begin(&clients_table, &key);
	entry_table_move(&clients_table, MyProcNumber, &key, entry);
	my_slot->pid = MyProcPid;
	my_slot->registered_at = my_slot->timed_at = clock_now();
	memcpy(my_slot->connected, clients_table.places[MyProcNumber],
		   sizeof(my_slot->connected));
	LWLockRelease(commit_stats_clients_lock());
}

pg_noinline void
clients_change(void)
{
	/* the context of a procedure lasts for all of its commits */
	MemoryContext before = MemoryContextSwitchTo(CurTransactionContext);
	ClientKey	key;
	int			entry;

	commit_stats_application =
		commit_stats_counts_here && settings_stay() ? application_name : NULL;
	clients_role = role_string;
	find_client_of_process(&key);
	MemoryContextSwitchTo(before);
	if (memcmp(&key, client_of_slot(MyProcNumber), sizeof(key)) == 0)
		return;
	entry = entry_table_begin(&clients_table, &key);
	count_session_time();
	entry_table_move(&clients_table, MyProcNumber, &key, entry);
	LWLockRelease(commit_stats_clients_lock());
}

const ClientKey *
clients_mine(void)
{
	return my_slot == NULL ? NULL : client_of_slot(MyProcNumber);
}

/*---- Readers, restarts and resets --------------------------------*/

/* Not saved: at the end of the server, few still have a process. */
static void
add_session_times(ClientCounts *client)
{
	uint64		now = clock_now();

	for (int i = 0; i < MaxBackends; i++)
	{
		int			entry = entry_table_of_place(&clients_table, i);

		if (entry != NO_ENTRY)
			client[entry].value[SLOT_SESSION_TIME] +=
				clock_elapsed(slots[i].timed_at, now) / NS_PER_US;
	}
}

EntryTotals *
clients_read(void)
{
	EntryTotals *totals = entry_table_lock_and_read(&clients_table);

	add_session_times(totals->client);
	LWLockRelease(commit_stats_clients_lock());
	return totals;
}

ClientSessions *
clients_read_sessions(void)
{
	ClientSessions *sessions = palloc0(offsetof(ClientSessions, session) +
									   MaxBackends * sizeof(ClientSession));

	shared_memory_acquire(commit_stats_clients_lock(), LW_EXCLUSIVE);
	for (int i = 0; i < MaxBackends; i++)
	{
		ClientSession *session = &sessions->session[sessions->n];

		if (!is_registered(i))
			continue;
		session->procno = i;
		session->pid = slots[i].pid;
		session->registered_at = slots[i].registered_at;
		session->key = *client_of_slot(i);
		entry_table_count(&clients_table, i, session->value);
		counter_array_subtract(session->value, slots[i].connected,
							   CLIENT_NCOUNTERS);
		sessions->n++;
	}
	LWLockRelease(commit_stats_clients_lock());
	qsort(sessions->session, sessions->n, sizeof(ClientSession),
		  client_compare_pids);
	return sessions;
}

/* Up to PostgreSQL 16, a PGPROC has the process id of one that has gone. */
bool
clients_is_connected(const ClientSession *session)
{
	volatile ClientSlot *slot = &slots[session->procno];

	return is_registered(session->procno) && slot->pid == session->pid;
}

static void
clients_reset(TimestampTz now)
{
	uint64		timed_at = clock_now();

	entry_table_clear(&clients_table, now);
	for (int i = 0; i < MaxBackends; i++)
		slots[i].timed_at = timed_at;
}

const StatsModule clients_module = {
	.head_size = sizeof(EntryTableShared),
	.head = (void **) &clients_table.shared,
	.tail_size = clients_tail_size,
	.attach = clients_attach,
	.enter = clients_enter,
	.leave = clients_leave,
	.reset = clients_reset,
	.saved_name = "clients",
	.saved_object = &clients_table,
	.saved_size = entry_table_saved_size,
	.save = entry_table_save,
	.fits = entry_table_fits,
	.restore = entry_table_restore,
};
