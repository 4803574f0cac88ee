/*-------------------------------------------------------------------------
 *
 * clients.c
 *		The counts per database, role and application.
 *
 * A backend counts in its slot (backend_slots.c).  A process that registers
 * notes the counters of its slot, and whose they are.  When its role or its
 * application_name has changed, and when it exits, it adds their growth since
 * then to the entry of that client, and starts anew.  A reader adds what the
 * registered processes have counted.
 *
 * Invariant: a process registers before it counts anything and counts nothing
 * once it has left.  Therefore all entries and all registered processes, added
 * up, are what backend_slots.c has in all, counter by counter.
 *
 * Memory is bounded: the first commit_stats.max_clients clients get an entry,
 * which they keep until the next reset.  All others share one per database,
 * and, beyond CLIENT_DATABASES databases, the first entry.  A reset gives the
 * entries to the clients that have a registered process.
 *
 * Locking: commit_stats_clients_lock() protects everything here.  A process
 * holds it shared while it adds to an entry, which is atomic, and to change
 * what is in its own slot; and exclusively while it makes an entry.  Readers
 * hold it exclusively while they copy, so that nothing moves meanwhile; a
 * reset from before it copies the slots until it has changed everything.
 *
 * The first transaction of a client backend is the server's own, before the
 * first command.  So a COMMIT of a client waits for the lock only if it is the
 * first with another role or application_name, or if commit_stats.enabled was
 * off until then.
 *
 * A commit compares the addresses of the settings with those of the commit
 * before.  The server frees the value of SET LOCAL, and what a transaction set
 * that then failed, and may give the same address to the next value.  After
 * such a transaction, therefore, the next commit compares the values.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "common/hashfn.h"
#include "storage/ipc.h"
#include "storage/shmem.h"

#include "base/clock.h"
#include "base/compat.h"
#include "base/counter_array.h"
#include "base/guc.h"
#include "base/shared_memory.h"
#include "stats/clients.h"

/* Entry of a slot without a registered process. */
#define NO_ENTRY		(-1)

/* Entry of clients that have none, of databases that have none. */
#define LAST_RESORT		0

typedef struct ClientEntry
{
	ClientKey	key;
	int			next;			/* entry with the same hash; or NO_ENTRY */
	pg_atomic_uint64 counter[CLIENT_NCOUNTERS]; /* added to atomically */
} ClientEntry;

/* For each backend slot: whose is it? */
typedef struct ClientSlot
{
	ClientKey	key;
	int			entry;			/* where that counts, or NO_ENTRY */
	int			pid;
	uint64		registered_at;	/* clock_now() */
	uint64		since[CLIENT_NCOUNTERS];	/* its counters at registration,
											 * change or reset */
	uint64		connected[CLIENT_NCOUNTERS];	/* ... at registration */
} ClientSlot;

StaticAssertDecl(sizeof(ClientSlot) <= 384, "memory for each connection");

typedef struct ClientsShared
{
	int			nentries;		/* in use, from the front */
	int			nown;			/* of these, of a single client */
} ClientsShared;

const char *clients_application = NULL;
const char *clients_role = NULL;

static ClientsShared *shared = NULL;
static ClientSlot *slots = NULL;
static ClientEntry *entries = NULL;
static int *buckets = NULL;		/* entry, or NO_ENTRY */
static ClientSlot *my_slot = NULL;	/* while this process is registered */

/* The settings from which the client of this process follows. */
static const char *const setting_names[] = {
	"application_name", "role", "session_authorization"
};
static struct config_generic *settings[lengthof(setting_names)];

static int
max_entries(void)
{
	return commit_stats_max_clients + CLIENT_DATABASES + 1;
}

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
					mul_size(max_entries(),
							 sizeof(ClientEntry) + sizeof(int)));
}

/*----------------------------------------------------------------
 * Entries
 *----------------------------------------------------------------
 */

static int *
bucket_of(const ClientKey *key)
{
	uint32		hash = hash_bytes((const unsigned char *) key,
								  sizeof(ClientKey));

	return &buckets[hash % max_entries()];
}

/* The entry of a client, or NO_ENTRY.  Under the lock. */
static int
find_client(const ClientKey *key)
{
	int			entry = *bucket_of(key);

	while (entry != NO_ENTRY &&
		   memcmp(&entries[entry].key, key, sizeof(ClientKey)) != 0)
		entry = entries[entry].next;
	return entry;
}

/* Under the exclusive lock; there is room. */
static int
add_client(const ClientKey *key)
{
	int		   *bucket = bucket_of(key);
	int			entry = shared->nentries++;

	entries[entry].key = *key;
	entries[entry].next = *bucket;
	counter_array_init(entries[entry].counter, CLIENT_NCOUNTERS);
	*bucket = entry;
	return entry;
}

/* Forget all entries. */
static void
clear_clients(void)
{
	ClientKey	last_resort = {0};

	for (int i = 0; i < max_entries(); i++)
		buckets[i] = NO_ENTRY;
	shared->nentries = shared->nown = 0;
	(void) add_client(&last_resort);
}

/* The same as find_client(), but makes one.  Under the exclusive lock. */
static int
find_or_add_client(const ClientKey *key)
{
	ClientKey	overflow = {.datid = key->datid};
	int			entry = find_client(key);

	if (entry != NO_ENTRY)
		return entry;
	if (!client_is_overflow(key) &&
		shared->nown < commit_stats_max_clients)
	{
		shared->nown++;
		return add_client(key);
	}
	entry = find_client(&overflow);
	if (entry != NO_ENTRY)
		return entry;
	if (shared->nentries - shared->nown > CLIENT_DATABASES)
		return LAST_RESORT;
	return add_client(&overflow);
}

static void
clients_attach(void *head, void *tail, bool found)
{
	shared = head;
	slots = tail;
	entries = (ClientEntry *) ((char *) tail + slots_size(MaxBackends));
	buckets = (int *) (entries + max_entries());
	if (found)
		return;
	for (int i = 0; i < MaxBackends; i++)
		slots[i].entry = NO_ENTRY;
	clear_clients();
}

/*----------------------------------------------------------------
 * Processes
 *----------------------------------------------------------------
 */

/* What this process has counted so far belongs to the client that it was. */
static void
settle_slot(const SlotCopy *counted)
{
	ClientEntry *entry = &entries[my_slot->entry];

	for (int c = 0; c < CLIENT_NCOUNTERS; c++)
	{
		uint64		growth = counted->value[c] - my_slot->since[c];

		if (growth != 0)
			pg_atomic_fetch_add_u64(&entry->counter[c], (int64) growth);
	}
	memcpy(my_slot->since, counted->value, sizeof(my_slot->since));
}

/* At exit, when all transactions are over; registering may have failed. */
static void
unregister(int code, Datum arg)
{
	SlotCopy	counted;

	shared_memory_acquire(commit_stats_clients_lock(), LW_SHARED);
	if (my_slot->entry != NO_ENTRY)
	{
		backend_slots_copy_one(MyProcNumber, &counted);
		settle_slot(&counted);
		my_slot->entry = NO_ENTRY;
	}
	LWLockRelease(commit_stats_clients_lock());
	my_slot = NULL;
}

/* Will the settings keep their values at the end of this transaction? */
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
remember_settings(void)
{
	clients_application = settings_stay() ? application_name : NULL;
	clients_role = role_string;
}

static Oid
role_of_process(void)
{
	Oid			roleid;
	int			sec_context;

	GetUserIdAndSecContext(&roleid, &sec_context);
	/* the launcher of autovacuum has none, and its workers have this one */
	return OidIsValid(roleid) ? roleid : BOOTSTRAP_SUPERUSERID;
}

/* Who commits now? */
static void
find_client_of_process(ClientKey *key)
{
	memset(key, 0, sizeof(ClientKey));
	key->datid = MyDatabaseId;
	key->roleid = role_of_process();
	strlcpy(key->application_name, application_name, NAMEDATALEN);
}

static bool
client_is_the_same(void)
{
	return role_of_process() == my_slot->key.roleid &&
		strncmp(application_name, my_slot->key.application_name,
				NAMEDATALEN - 1) == 0;
}

/*
 * Find the entry of a client, and return with the lock held.  The lock is
 * taken exclusively if the client has no entry yet.
 */
static int
lock_and_find_entry(const ClientKey *key)
{
	int			entry;

	shared_memory_acquire(commit_stats_clients_lock(), LW_SHARED);
	entry = find_client(key);
	if (entry != NO_ENTRY)
		return entry;
	LWLockRelease(commit_stats_clients_lock());
	shared_memory_acquire(commit_stats_clients_lock(), LW_EXCLUSIVE);
	return find_or_add_client(key);
}

/*
 * Called once, before anything is counted, when MyDatabaseId has its final
 * value.  May wait and may raise an error.
 */
void
clients_register(void)
{
	SlotCopy	counted;
	ClientKey	key;
	int			entry;

	Assert(my_slot == NULL && MyProcNumber < MaxBackends);
	on_shmem_exit(unregister, (Datum) 0);
	my_slot = &slots[MyProcNumber];
	for (int i = 0; i < lengthof(settings); i++)
		settings[i] = find_option(setting_names[i], false, false, ERROR);
	remember_settings();
	find_client_of_process(&key);
	entry = lock_and_find_entry(&key);
	Assert(my_slot->entry == NO_ENTRY);
	my_slot->pid = MyProcPid;
	my_slot->registered_at = clock_now();
	backend_slots_copy_one(MyProcNumber, &counted);
	my_slot->key = key;
	memcpy(my_slot->since, counted.value, sizeof(my_slot->since));
	memcpy(my_slot->connected, counted.value, sizeof(my_slot->connected));
	my_slot->entry = entry;
	LWLockRelease(commit_stats_clients_lock());
}

/* Commit path: the role or the application_name has changed, perhaps. */
pg_noinline void
clients_change(void)
{
	SlotCopy	counted;
	ClientKey	key;
	int			entry;

	remember_settings();
	if (client_is_the_same())
		return;
	find_client_of_process(&key);
	entry = lock_and_find_entry(&key);
	backend_slots_copy_one(MyProcNumber, &counted);
	settle_slot(&counted);
	my_slot->key = key;
	my_slot->entry = entry;
	LWLockRelease(commit_stats_clients_lock());
}

/* The addresses of the settings do not tell whether they have changed. */
void
clients_look_again(void)
{
	clients_application = NULL;
}

/* Whose the commits of this process are; NULL if it is not registered. */
const ClientKey *
clients_mine(void)
{
	return my_slot == NULL ? NULL : &my_slot->key;
}

/*----------------------------------------------------------------
 * Readers, restarts and resets
 *----------------------------------------------------------------
 */

/* Add what the processes have counted that are registered. */
static void
add_slots(ClientCounts *client, int *sessions)
{
	for (int i = 0; i < MaxBackends; i++)
	{
		const ClientSlot *slot = &slots[i];
		SlotCopy	counted;

		if (slot->entry == NO_ENTRY)
			continue;
		backend_slots_copy_one(i, &counted);
		counter_array_add(client[slot->entry].value, counted.value,
						  CLIENT_NCOUNTERS);
		counter_array_subtract(client[slot->entry].value, slot->since,
							   CLIENT_NCOUNTERS);
		if (sessions != NULL)
			sessions[slot->entry]++;
	}
}

static void
copy_clients(ClientCounts *client)
{
	for (int i = 0; i < shared->nentries; i++)
	{
		client[i].key = entries[i].key;
		counter_array_read(client[i].value, entries[i].counter,
						   CLIENT_NCOUNTERS);
	}
}

static Size
clients_saved_size(void)
{
	return shared->nentries * sizeof(ClientCounts);
}

static bool
clients_save(void *to)
{
	copy_clients(to);
	add_slots(to, NULL);
	return true;
}

static bool
clients_fits(const void *from, Size size)
{
	const ClientCounts *saved = from;

	if (size == 0 || size % sizeof(ClientCounts) != 0)
		return false;
	for (Size i = 0; i < size / sizeof(ClientCounts); i++)
		if (memchr(saved[i].key.application_name, '\0', NAMEDATALEN) == NULL)
			return false;
	return true;
}

/* commit_stats.max_clients may have become smaller. */
static void
clients_restore(const void *from, Size size)
{
	const ClientCounts *saved = from;

	for (Size i = 0; i < size / sizeof(ClientCounts); i++)
	{
		ClientEntry *entry = &entries[find_or_add_client(&saved[i].key)];

		for (int c = 0; c < CLIENT_NCOUNTERS; c++)
			pg_atomic_fetch_add_u64(&entry->counter[c],
									(int64) saved[i].value[c]);
	}
}

const StatsModule clients_module = {
	.head_size = sizeof(ClientsShared),
	.tail_size = clients_tail_size,
	.attach = clients_attach,
	.saved_size = clients_saved_size,
	.save = clients_save,
	.fits = clients_fits,
	.restore = clients_restore,
};

/* Totals since the last reset; palloc'd. */
ClientTotals *
clients_read(void)
{
	ClientTotals *totals = palloc(sizeof(ClientTotals));

	/* no error under the lock */
	totals->sessions = palloc0(max_entries() * sizeof(int));
	totals->client = palloc(max_entries() * sizeof(ClientCounts));
	shared_memory_acquire(commit_stats_clients_lock(), LW_EXCLUSIVE);
	totals->n = shared->nentries;
	copy_clients(totals->client);
	add_slots(totals->client, totals->sessions);
	LWLockRelease(commit_stats_clients_lock());
	return totals;
}

/* Clients with an entry of their own. */
int
clients_tracked(void)
{
	int			tracked;

	shared_memory_acquire(commit_stats_clients_lock(), LW_SHARED);
	tracked = shared->nown;
	LWLockRelease(commit_stats_clients_lock());
	return tracked;
}

ClientSessions *
clients_read_sessions(void)
{
	ClientSessions *sessions = palloc(offsetof(ClientSessions, session) +
									  MaxBackends * sizeof(ClientSession));

	sessions->n = 0;
	shared_memory_acquire(commit_stats_clients_lock(), LW_EXCLUSIVE);
	for (int i = 0; i < MaxBackends; i++)
	{
		ClientSession *session = &sessions->session[sessions->n];
		SlotCopy	counted;

		if (slots[i].entry == NO_ENTRY)
			continue;
		backend_slots_copy_one(i, &counted);
		session->procno = i;
		session->pid = slots[i].pid;
		session->registered_at = slots[i].registered_at;
		session->key = slots[i].key;
		memcpy(session->value, counted.value, sizeof(session->value));
		counter_array_subtract(session->value, slots[i].connected,
							   CLIENT_NCOUNTERS);
		sessions->n++;
	}
	LWLockRelease(commit_stats_clients_lock());
	qsort(sessions->session, sessions->n, sizeof(ClientSession),
		  client_compare_pids);
	return sessions;
}

/*
 * Is a session, of which this is a copy, still there?  Its slot tells, without
 * a lock: up to PostgreSQL 16 a PGPROC has the process id of one that has
 * gone.
 */
bool
clients_is_connected(const ClientSession *session)
{
	volatile ClientSlot *slot = &slots[session->procno];

	return slot->entry != NO_ENTRY && slot->pid == session->pid;
}

/*
 * Start from zero, with the slots as they were copied: all other totals start
 * from the same copies.  The caller has held the lock since before it copied
 * them.
 */
void
clients_reset(const SlotCopy *copies)
{
	Assert(LWLockHeldByMeInMode(commit_stats_clients_lock(), LW_EXCLUSIVE));

	clear_clients();
	for (int i = 0; i < MaxBackends; i++)
	{
		ClientSlot *slot = &slots[i];

		if (slot->entry == NO_ENTRY)
			continue;
		memcpy(slot->since, copies[i].value, sizeof(slot->since));
		slot->entry = find_or_add_client(&slot->key);
	}
}
