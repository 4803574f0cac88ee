/*-------------------------------------------------------------------------
 *
 * databases.c
 *		The counts per database.
 *
 * A backend counts in its slot (backend_slots.c), and stays in the same
 * database all its life.  A process that registers notes the counters of its
 * slot.  When it exits, it adds their growth since then to the entry of its
 * database.  A reader adds what the registered processes have counted.
 *
 * Invariant: a process registers before it counts anything and counts nothing
 * once it has left.  Therefore all entries and all registered processes, added
 * up, are what backend_slots.c has in all, counter by counter.
 *
 * Memory is bounded: the first DATABASES_MAX (256) databases get an entry,
 * which a database keeps until the next reset, even if it is dropped.
 * Processes that register in any other database share one entry.  A reset
 * gives the entries to the databases that have a registered process.
 *
 * Locking: commit_stats_databases_lock() protects everything here.  A process
 * holds it exclusively for a moment in its first transaction and at its exit;
 * readers hold it shared while they copy; a reset holds it exclusively from
 * before it copies the slots until it has changed everything.  The first
 * transaction of a client backend is the server's own, before the first
 * command, so no COMMIT of a client waits for the lock unless
 * commit_stats.enabled was off until then.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/shmem.h"

#include "base/compat.h"
#include "base/counter_array.h"
#include "base/shared_memory.h"
#include "stats/databases.h"

/* Entry of a slot without a registered process. */
#define NO_ENTRY		(-1)

/* For each backend slot: whose is it? */
typedef struct DatabaseSlot
{
	uint64		since[DATABASE_NCOUNTERS];	/* its counters at registration or
											 * reset */
	Oid			datid;			/* InvalidOid: connected to no database */
	int			entry;			/* where that counts, or NO_ENTRY */
} DatabaseSlot;

StaticAssertDecl(sizeof(DatabaseSlot) <= 128, "memory for each connection");

static DatabaseTotals *left = NULL; /* counts of processes that have exited */
static DatabaseSlot *slots = NULL;
static DatabaseSlot *my_slot = NULL;	/* while this process is registered */

static void
databases_attach(void *head, void *tail, bool found)
{
	left = head;
	slots = tail;
	for (int i = 0; i < MaxBackends && !found; i++)
		slots[i].entry = NO_ENTRY;
}

/* The entry of a database, which it gets now if there is one left. */
static int
find_database_entry(Oid datid)
{
	if (!OidIsValid(datid))
		return DATABASE_NONE;
	for (int i = 0; i < left->ntracked; i++)
		if (left->datid[i] == datid)
			return i;
	if (left->ntracked == DATABASES_MAX)
		return DATABASE_OVERFLOW;
	left->datid[left->ntracked] = datid;
	return left->ntracked++;
}

/* From here on, the slot counts for the database that its process is in. */
static void
start_slot(DatabaseSlot *slot, const SlotCopy *counted)
{
	memcpy(slot->since, counted->value, sizeof(slot->since));
	slot->entry = find_database_entry(slot->datid);
}

/* Add what the process of a slot has counted, if there is one. */
static void
add_database_slot(DatabaseTotals *totals, int procno)
{
	const DatabaseSlot *slot = &slots[procno];
	SlotCopy	counted;
	uint64	   *value;

	if (slot->entry == NO_ENTRY)
		return;
	value = totals->counts[slot->entry].value;
	backend_slots_copy_one(procno, &counted);
	counter_array_add(value, counted.value, DATABASE_NCOUNTERS);
	counter_array_subtract(value, slot->since, DATABASE_NCOUNTERS);
}

/* At exit, when all transactions are over. */
static void
unregister(int code, Datum arg)
{
	shared_memory_acquire(commit_stats_databases_lock(), LW_EXCLUSIVE);
	add_database_slot(left, MyProcNumber);
	my_slot->entry = NO_ENTRY;
	LWLockRelease(commit_stats_databases_lock());
	my_slot = NULL;
}

/*
 * Called once, before anything is counted, when MyDatabaseId has its final
 * value.  May wait and may raise an error.
 */
void
databases_register(void)
{
	SlotCopy	counted;

	Assert(my_slot == NULL && MyProcNumber < MaxBackends);
	on_shmem_exit(unregister, (Datum) 0);
	my_slot = &slots[MyProcNumber];
	shared_memory_acquire(commit_stats_databases_lock(), LW_EXCLUSIVE);
	Assert(my_slot->entry == NO_ENTRY);
	backend_slots_copy_one(MyProcNumber, &counted);
	my_slot->datid = MyDatabaseId;
	start_slot(my_slot, &counted);
	LWLockRelease(commit_stats_databases_lock());
}

static bool
databases_save(void *to)
{
	DatabaseTotals *totals = to;

	*totals = *left;
	for (int i = 0; i < MaxBackends; i++)
		add_database_slot(totals, i);
	return true;
}

static bool
databases_fits(const void *from, Size size)
{
	const DatabaseTotals *saved = from;

	return size == sizeof(DatabaseTotals) &&
		saved->ntracked >= 0 && saved->ntracked <= DATABASES_MAX;
}

static void
databases_restore(const void *from, Size size)
{
	*left = *(const DatabaseTotals *) from;
}

const StatsModule databases_module = {
	.head_size = sizeof(DatabaseTotals),
	.slot_size = sizeof(DatabaseSlot),
	.attach = databases_attach,
	.saved_head_size = sizeof(DatabaseTotals),
	.save = databases_save,
	.fits = databases_fits,
	.restore = databases_restore,
};

/* Totals since the last reset; palloc'd. */
DatabaseTotals *
databases_read(void)
{
	DatabaseTotals *totals = palloc(sizeof(DatabaseTotals));

	shared_memory_acquire(commit_stats_databases_lock(), LW_SHARED);
	(void) databases_save(totals);
	LWLockRelease(commit_stats_databases_lock());
	return totals;
}

/*
 * Start from zero, with the slots as they were copied: all other totals start
 * from the same copies.  The caller has held the lock since before it copied
 * them.
 */
void
databases_reset(const SlotCopy *copies)
{
	Assert(LWLockHeldByMeInMode(commit_stats_databases_lock(), LW_EXCLUSIVE));

	memset(left, 0, sizeof(DatabaseTotals));
	for (int i = 0; i < MaxBackends; i++)
		if (slots[i].entry != NO_ENTRY)
			start_slot(&slots[i], &copies[i]);
}
