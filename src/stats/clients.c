/*-------------------------------------------------------------------------
 *
 * clients.c
 *		The counts per database, role and application.
 *
 * A client is a database, role and application_name.  A backend counts in its
 * slot (backend_slots.c).  A process notes the counters of its slot when it
 * enters.  When its client changes, and when it exits, it adds their growth
 * to the entry of its client.  A reader adds the growth of the processes that
 * have entered.
 *
 * Invariant: all entries and the growth of all processes, added up, equal the
 * sum of all slots, counter by counter.  A process enters before it counts
 * anything and counts nothing after it has left.
 *
 * Memory is bounded: commit_stats.max_clients clients have an entry.  A new
 * client takes the entry of the client that has not committed for longest and
 * has no process.  The counts of that client go into the overflow entry of its
 * database or, beyond CLIENT_DATABASES databases, into OVERFLOW_ENTRY.  A role
 * holds at most half of the entries: its new clients take the entries of its
 * own.  A client that finds no entry to take counts in the overflow entry.  A
 * process notes when it last committed as it leaves its client, not at each
 * commit.  A reset gives the entries to the clients that have a process.
 *
 * Locking: commit_stats_clients_lock() protects everything here.  A process
 * holds it shared while it adds to an entry, which is atomic, and changes its
 * own slot; and exclusively while it makes an entry, which takes one pass over
 * "uses".  A reader holds it shared while it copies, and copies again if
 * "moves" shows that a process has moved counts meanwhile; after SHARED_PASSES
 * copies, it holds the lock exclusively.  A reset holds it exclusively
 * throughout.
 *
 * A client backend enters in the server's own first transaction, before any
 * command.  So a COMMIT waits for the lock only if it is the first with
 * another role or application_name, or if commit_stats.enabled was off until
 * then.  It waits for one copy of a reader at most, as readers let others pass
 * between two copies.
 *
 * A commit compares the addresses of the settings with those of the commit
 * before.  The server frees the value of SET LOCAL, and what a failed
 * transaction set, and may give the same address to the next value.  After
 * such a transaction, therefore, the next commit compares the values.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "common/hashfn.h"
#include "storage/ipc.h"
#include "storage/shmem.h"

#include "base/changecount.h"
#include "base/clock.h"
#include "base/compat.h"
#include "base/guc.h"
#include "base/shared_counters.h"
#include "module/shared_memory.h"
#include "stats/clients.h"

#define NO_ENTRY		(-1)	/* of a slot without a registered process */
#define OVERFLOW_ENTRY	0		/* of clients in databases without an entry */
#define SHARED_PASSES	3		/* of a reader, before it locks others out */

typedef struct ClientEntry
{
	ClientKey	key;
	int			next;			/* entry with the same hash; or NO_ENTRY */
	pg_atomic_uint64 counter[CLIENT_NCOUNTERS]; /* added to atomically */
} ClientEntry;

/*
 * Of each entry, what decides who may take it: dense, for one pass over all.
 */
typedef struct ClientUse
{
	pg_atomic_uint64 used_at;	/* clock_now(); 0: has not committed */
	pg_atomic_uint32 sessions;	/* registered processes */
	Oid			roleid;			/* InvalidOid: of several clients */
} ClientUse;

/* For each backend slot: the client for which it counts. */
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
	int			nclients;		/* of these, of a single client */
	uint64		evicted;		/* clients that lost their entry */
	ChangeCount moves;			/* of counts from slots to entries */
} ClientsShared;

const char *clients_application = NULL;
const char *clients_role = NULL;

static ClientsShared *shared = NULL;
static ClientSlot *slots = NULL;
static ClientEntry *entries = NULL;
static ClientUse *uses = NULL;
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
							 sizeof(ClientEntry) + sizeof(ClientUse) +
							 sizeof(int)));
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

/* The entry of a client, or NO_ENTRY. */
static int
find_client(const ClientKey *key)
{
	int			entry = *bucket_of(key);

	while (entry != NO_ENTRY &&
		   memcmp(&entries[entry].key, key, sizeof(ClientKey)) != 0)
		entry = entries[entry].next;
	return entry;
}

/* This and what follows, up to find_or_add_client(): exclusive lock. */
static int
give_entry(int entry, const ClientKey *key)
{
	int		   *bucket = bucket_of(key);

	entries[entry].key = *key;
	entries[entry].next = *bucket;
	counter_array_init(entries[entry].counter, CLIENT_NCOUNTERS);
	pg_atomic_init_u64(&uses[entry].used_at, 0);
	pg_atomic_init_u32(&uses[entry].sessions, 0);
	uses[entry].roleid = key->roleid;
	*bucket = entry;
	return entry;
}

static void
clear_clients(void)
{
	ClientKey	overflow = {0};

	for (int i = 0; i < max_entries(); i++)
		buckets[i] = NO_ENTRY;
	shared->nentries = shared->nclients = 0;
	shared->evicted = 0;
	(void) give_entry(shared->nentries++, &overflow);
}

/* The entry of clients of a database that have none. */
static int
overflow_of(Oid datid)
{
	ClientKey	key = {.datid = datid};
	int			entry = find_client(&key);

	if (entry != NO_ENTRY)
		return entry;
	if (shared->nentries - shared->nclients > CLIENT_DATABASES)
		return OVERFLOW_ENTRY;
	return give_entry(shared->nentries++, &key);
}

static void
add_to_entry(int entry, const uint64 *value)
{
	for (int c = 0; c < CLIENT_NCOUNTERS; c++)
		if (value[c] != 0)
			pg_atomic_fetch_add_u64(&entries[entry].counter[c],
									(int64) value[c]);
}

/* Take an entry from its client, which has no registered process. */
static void
evict(int entry)
{
	int		   *link = bucket_of(&entries[entry].key);
	uint64		value[CLIENT_NCOUNTERS];

	counter_array_read(value, entries[entry].counter, CLIENT_NCOUNTERS);
	add_to_entry(overflow_of(entries[entry].key.datid), value);
	while (*link != entry)
		link = &entries[*link].next;
	*link = entries[entry].next;
	shared->evicted++;
}

/*
 * The entry that a new client of a role can take, or NO_ENTRY: of those
 * without a registered process, the one that was not used for longest.  A role
 * that holds half of all entries can take only its own; "*may_add" is false
 * then.
 */
static int
find_victim(Oid roleid, bool *may_add)
{
	int			oldest = NO_ENTRY;
	int			own_oldest = NO_ENTRY;
	uint64		age_limit = PG_UINT64_MAX;
	uint64		own_age_limit = PG_UINT64_MAX;
	int			nheld = 0;		/* entries of the role */

	for (int i = 0; i < shared->nentries; i++)
	{
		uint64		used_at = pg_atomic_read_u64(&uses[i].used_at);

		nheld += uses[i].roleid == roleid;
		if (!OidIsValid(uses[i].roleid) ||
			pg_atomic_read_u32(&uses[i].sessions) > 0)
			continue;
		if (used_at < age_limit)
		{
			oldest = i;
			age_limit = used_at;
		}
		if (uses[i].roleid == roleid && used_at < own_age_limit)
		{
			own_oldest = i;
			own_age_limit = used_at;
		}
	}
	*may_add = nheld < commit_stats_max_clients / 2;
	return *may_add ? oldest : own_oldest;
}

/* Like find_client(), but never NO_ENTRY. */
static int
find_or_add_client(const ClientKey *key)
{
	int			entry = find_client(key);
	bool		may_add;

	if (entry != NO_ENTRY)
		return entry;
	if (client_is_overflow(key))
		return overflow_of(key->datid);
	entry = find_victim(key->roleid, &may_add);
	if (may_add && shared->nclients < commit_stats_max_clients)
	{
		shared->nclients++;
		return give_entry(shared->nentries++, key);
	}
	if (entry == NO_ENTRY)
		return overflow_of(key->datid);
	evict(entry);
	return give_entry(entry, key);
}

static void
clients_attach(void *head, void *tail, bool found)
{
	shared = head;
	slots = tail;
	entries = (ClientEntry *) ((char *) tail + slots_size(MaxBackends));
	uses = (ClientUse *) (entries + max_entries());
	buckets = (int *) (uses + max_entries());
	if (found)
		return;
	changecount_init(&shared->moves);
	for (int i = 0; i < MaxBackends; i++)
		slots[i].entry = NO_ENTRY;
	clear_clients();
}

/*----------------------------------------------------------------
 * Processes
 *----------------------------------------------------------------
 */

/*
 * Add what this process has counted to the entry of its client, and leave the
 * entry, under the lock and within a change of "moves".
 */
static void
add_growth(const SlotCopy *counted)
{
	ClientUse  *use = &uses[my_slot->entry];
	uint64		growth[CLIENT_NCOUNTERS];

	memcpy(growth, counted->value, sizeof(growth));
	counter_array_subtract(growth, my_slot->since, CLIENT_NCOUNTERS);
	add_to_entry(my_slot->entry, growth);
	if (growth[SLOT_COMMITS] + growth[SLOT_COMMITS_ASYNC] > 0)
		pg_atomic_write_u64(&use->used_at, clock_now());
	pg_atomic_fetch_sub_u32(&use->sessions, 1);
	my_slot->entry = NO_ENTRY;
}

/* When all transactions are over. */
static void
clients_leave(void)
{
	SlotCopy	counted;

	if (my_slot == NULL)
		return;
	shared_memory_acquire(commit_stats_clients_lock(), LW_SHARED);
	if (my_slot->entry != NO_ENTRY)
	{
		backend_slots_copy_one(MyProcNumber, &counted);
		changecount_begin(&shared->moves);
		add_growth(&counted);
		changecount_end(&shared->moves);
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

static void
find_client_of_process(ClientKey *key)
{
	memset(key, 0, sizeof(ClientKey));
	key->datid = MyDatabaseId;
	key->roleid = role_of_process();
	strlcpy(key->application_name, application_name, NAMEDATALEN);
}

/* Returns with the lock held, exclusively if the client had no entry yet. */
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

static void
count_for(const ClientKey *key)
{
	int			entry = lock_and_find_entry(key);
	SlotCopy	counted;

	backend_slots_copy_one(MyProcNumber, &counted);
	changecount_begin(&shared->moves);
	if (my_slot->entry != NO_ENTRY)
		add_growth(&counted);
	else
	{
		my_slot->pid = MyProcPid;
		my_slot->registered_at = clock_now();
		memcpy(my_slot->connected, counted.value, sizeof(my_slot->connected));
	}
	my_slot->key = *key;
	memcpy(my_slot->since, counted.value, sizeof(my_slot->since));
	pg_atomic_fetch_add_u32(&uses[entry].sessions, 1);
	my_slot->entry = entry;
	changecount_end(&shared->moves);
	LWLockRelease(commit_stats_clients_lock());
}

/* MyDatabaseId has its final value. */
static void
clients_enter(void)
{
	ClientKey	key;

	Assert(my_slot == NULL && MyProcNumber < MaxBackends);
	my_slot = &slots[MyProcNumber];
	Assert(my_slot->entry == NO_ENTRY);
	for (int i = 0; i < lengthof(settings); i++)
		settings[i] = find_option(setting_names[i], false, false, ERROR);
	remember_settings();
	find_client_of_process(&key);
	count_for(&key);
}

pg_noinline void
clients_change(void)
{
	ClientKey	key;

	remember_settings();
	find_client_of_process(&key);
	if (memcmp(&key, &my_slot->key, sizeof(key)) != 0)
		count_for(&key);
}

void
clients_look_again(void)
{
	clients_application = NULL;
}

const ClientKey *
clients_mine(void)
{
	return my_slot == NULL ? NULL : &my_slot->key;
}

/*----------------------------------------------------------------
 * Readers, restarts and resets
 *----------------------------------------------------------------
 */

/* Add the growth of the registered processes. */
static void
add_slots(ClientCounts *client, int *sessions)
{
	for (int i = 0; i < MaxBackends; i++)
	{
		const ClientSlot *slot = &slots[i];
		SlotCopy	counted;

		/* read once: the process may leave meanwhile (copy_at_rest()) */
		int			entry = *(const volatile int *) &slot->entry;

		if (entry == NO_ENTRY)
			continue;
		backend_slots_copy_one(i, &counted);
		counter_array_add(client[entry].value, counted.value,
						  CLIENT_NCOUNTERS);
		counter_array_subtract(client[entry].value, slot->since,
							   CLIENT_NCOUNTERS);
		if (sessions != NULL)
			sessions[entry]++;
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
	return offsetof(ClientsSaved, client) +
		shared->nentries * sizeof(ClientCounts);
}

static bool
clients_save(void *to)
{
	ClientsSaved *saved = to;

	saved->evicted = shared->evicted;
	copy_clients(saved->client);
	add_slots(saved->client, NULL);
	return true;
}

static Size
saved_clients(Size size)
{
	return (size - offsetof(ClientsSaved, client)) / sizeof(ClientCounts);
}

static bool
clients_fits(const void *from, Size size)
{
	const ClientsSaved *saved = from;

	if (size <= offsetof(ClientsSaved, client) ||
		(size - offsetof(ClientsSaved, client)) % sizeof(ClientCounts) != 0)
		return false;
	for (Size i = 0; i < saved_clients(size); i++)
		if (memchr(saved->client[i].key.application_name, '\0',
				   NAMEDATALEN) == NULL)
			return false;
	return true;
}

/* commit_stats.max_clients may have become smaller. */
static void
clients_restore(const void *from, Size size)
{
	const ClientsSaved *saved = from;

	shared->evicted += saved->evicted;
	for (Size i = 0; i < saved_clients(size); i++)
		add_to_entry(find_or_add_client(&saved->client[i].key),
					 saved->client[i].value);
}

/*
 * Call "copy" while nothing moves between slots and entries.  If something
 * moves while it runs, it must bear what it reads, and is called again.  It
 * raises no error.
 */
static void
copy_at_rest(void (*copy) (void *result), void *result)
{
	for (int pass = 0;; pass++)
	{
		bool		alone = pass == SHARED_PASSES;
		uint64		moves;
		bool		at_rest;

		shared_memory_acquire(commit_stats_clients_lock(),
							  alone ? LW_EXCLUSIVE : LW_SHARED);
		at_rest = changecount_read(&shared->moves, &moves) || alone;
		if (at_rest)
			copy(result);
		at_rest = at_rest &&
			(alone || changecount_since(&shared->moves, moves) == 0);
		LWLockRelease(commit_stats_clients_lock());
		if (at_rest)
			return;
	}
}

static void
copy_totals(void *result)
{
	ClientTotals *totals = result;

	totals->n = shared->nentries;
	totals->evicted = shared->evicted;
	memset(totals->sessions, 0, max_entries() * sizeof(int));
	copy_clients(totals->client);
	add_slots(totals->client, totals->sessions);
}

ClientTotals *
clients_read(void)
{
	ClientTotals *totals = palloc(sizeof(ClientTotals));

	/* zeroed, as the first access to new memory takes time under the lock */
	totals->sessions = palloc0(max_entries() * sizeof(int));
	totals->client = palloc0(max_entries() * sizeof(ClientCounts));
	copy_at_rest(copy_totals, totals);
	return totals;
}

void
clients_tracked(int *own, uint64 *evicted)
{
	shared_memory_acquire(commit_stats_clients_lock(), LW_SHARED);
	*own = shared->nclients;
	*evicted = shared->evicted;
	LWLockRelease(commit_stats_clients_lock());
}

static void
copy_sessions(void *result)
{
	ClientSessions *sessions = result;

	sessions->n = 0;
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
}

ClientSessions *
clients_read_sessions(void)
{
	ClientSessions *sessions = palloc0(offsetof(ClientSessions, session) +
									   MaxBackends * sizeof(ClientSession));

	copy_at_rest(copy_sessions, sessions);
	qsort(sessions->session, sessions->n, sizeof(ClientSession),
		  client_compare_pids);
	return sessions;
}

/* Up to PostgreSQL 16, a PGPROC has the process id of one that has gone. */
bool
clients_is_connected(const ClientSession *session)
{
	volatile ClientSlot *slot = &slots[session->procno];

	return slot->entry != NO_ENTRY && slot->pid == session->pid;
}

/* Start from the same copies of the slots as all other totals. */
static void
clients_reset(TimestampTz now)
{
	Assert(LWLockHeldByMeInMode(commit_stats_clients_lock(), LW_EXCLUSIVE));

	clear_clients();
	for (int i = 0; i < MaxBackends; i++)
	{
		ClientSlot *slot = &slots[i];

		if (slot->entry == NO_ENTRY)
			continue;
		memcpy(slot->since, backend_slots_at_reset(i)->value,
			   sizeof(slot->since));
		slot->entry = find_or_add_client(&slot->key);
		pg_atomic_fetch_add_u32(&uses[slot->entry].sessions, 1);
	}
}

const StatsModule clients_module = {
	.head_size = sizeof(ClientsShared),
	.tail_size = clients_tail_size,
	.attach = clients_attach,
	.enter = clients_enter,
	.leave = clients_leave,
	.reset = clients_reset,
	.saved_name = "clients",
	.saved_size = clients_saved_size,
	.save = clients_save,
	.fits = clients_fits,
	.restore = clients_restore,
};
