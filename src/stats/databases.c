/*-------------------------------------------------------------------------
 *
 * databases.c
 *		Whose commits they were: the counts per database.
 *
 * A backend counts in the slot of its place in the server's process array, and
 * all its life in the same database.  So the commit path need not know of
 * databases: a process notes, when it arrives, where the counters of its place
 * stand, and when it leaves, what they have grown by is added to the entry of
 * its database.  A reader adds what those have counted who are still there.
 *
 * Invariant: a process arrives before it counts anything and counts nothing
 * once it has left.  Therefore all entries and all those present, added up,
 * are what backend_slots.c has in all, counter by counter.
 *
 * Memory is bounded: the first DATABASES_MAX databases get an entry, which
 * they keep until the next reset, even when they are dropped.  Processes of
 * any other database share one entry for all of these; which one it is to be
 * is decided as a process arrives.  A reset gives the entries away anew, to
 * the databases that somebody is connected to.
 *
 * Locking: everything here is protected by commit_stats_databases_lock(): held
 * exclusively by a process that arrives, for its first transaction, and once
 * more when it leaves; shared by readers, who copy no more than this and the
 * slots meanwhile.  A reset holds it exclusively from before it copies the slots
 * until it has changed everything.  The first transaction of a client backend is
 * the server's own, before the first command, so no COMMIT of a client waits for
 * the lock unless commit_stats.enabled was off until then.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/shmem.h"

#include "base/compat.h"
#include "base/shared_memory.h"
#include "stats/databases.h"

/* Entry of a place without a process, or whose process has not arrived. */
#define NOBODY		(-1)

/*
 * A place in the process array: who is there?  Written by the process that
 * arrives or leaves and by a reset; protected by commit_stats_databases_lock(),
 * as all that follows.
 */
typedef struct DatabasePlace
{
	uint64		since[DATABASE_NCOUNTERS];	/* its slot at arrival or reset */
	Oid			datid;			/* InvalidOid: connected to no database */
	int			entry;			/* where that counts, or NOBODY */
} DatabasePlace;

StaticAssertDecl(sizeof(DatabasePlace) <= 128, "memory for each connection");

typedef struct DatabasesShared
{
	int			ntracked;		/* databases that have an entry */
	Oid			datid[DATABASES_MAX];	/* whose the first "ntracked" are */

	/* What those counted who have left; zero where nobody has an entry. */
	DatabaseCounts counts[DATABASE_NENTRIES];
	DatabasePlace place[FLEXIBLE_ARRAY_MEMBER]; /* MaxBackends of them */
} DatabasesShared;

static DatabasesShared *shared = NULL;
static DatabasePlace *my_place = NULL;	/* while this process is there */

Size
databases_shared_size(int backends)
{
	return add_size(offsetof(DatabasesShared, place),
					mul_size(backends, sizeof(DatabasePlace)));
}

void
databases_attach(void *part, bool found)
{
	shared = part;
	if (found)
		return;
	memset(shared, 0, databases_shared_size(MaxBackends));
	for (int i = 0; i < MaxBackends; i++)
		shared->place[i].entry = NOBODY;
}

/* The entry of a database, which it gets now if there is one left. */
static int
find_database_entry(Oid datid)
{
	if (!OidIsValid(datid))
		return DATABASE_NONE;
	for (int i = 0; i < shared->ntracked; i++)
		if (shared->datid[i] == datid)
			return i;
	if (shared->ntracked == DATABASES_MAX)
		return DATABASE_OVERFLOW;
	shared->datid[shared->ntracked] = datid;
	return shared->ntracked++;
}

/* From here on, what the slot of this place counts is its process's. */
static void
start_place(DatabasePlace *place, const SlotCopy *slot)
{
	memcpy(place->since, slot->value, sizeof(place->since));
	place->entry = find_database_entry(place->datid);
}

/* Add what the process at this place has counted, its slot being "slot". */
static void
add_database_place(DatabaseCounts *counts, const DatabasePlace *place,
		  const SlotCopy *slot)
{
	for (int c = 0; c < DATABASE_NCOUNTERS; c++)
		counts->value[c] += slot->value[c] - place->since[c];
}

/* At exit, by whichever way, when all transactions are over. */
static void
leave(int code, Datum arg)
{
	SlotCopy	slot;

	acquire_databases_lock(LW_EXCLUSIVE);
	if (my_place->entry != NOBODY)
	{
		backend_slot_read(MyProcNumber, &slot);
		add_database_place(&shared->counts[my_place->entry], my_place, &slot);
		my_place->entry = NOBODY;
	}
	LWLockRelease(commit_stats_databases_lock());
	my_place = NULL;
}

/*
 * Called once, before anything is counted, when MyDatabaseId is what it will be
 * to the end.  May wait and may raise an error.
 */
void
databases_arrive(void)
{
	SlotCopy	slot;

	Assert(my_place == NULL && MyProcNumber < MaxBackends);
	on_shmem_exit(leave, (Datum) 0);
	my_place = &shared->place[MyProcNumber];
	acquire_databases_lock(LW_EXCLUSIVE);
	Assert(my_place->entry == NOBODY);
	backend_slot_read(MyProcNumber, &slot);
	my_place->datid = MyDatabaseId;
	start_place(my_place, &slot);
	LWLockRelease(commit_stats_databases_lock());
}

/* Databases that have an entry. */
int
databases_tracked(void)
{
	int			ntracked;

	acquire_databases_lock(LW_SHARED);
	ntracked = shared->ntracked;
	LWLockRelease(commit_stats_databases_lock());
	return ntracked;
}

static void
read_database_totals(DatabaseTotals *totals)
{
	totals->ntracked = shared->ntracked;
	memcpy(totals->datid, shared->datid, sizeof(totals->datid));
	memcpy(totals->counts, shared->counts, sizeof(totals->counts));
	for (int i = 0; i < MaxBackends; i++)
	{
		const DatabasePlace *place = &shared->place[i];
		SlotCopy	slot;

		if (place->entry == NOBODY)
			continue;
		backend_slot_read(i, &slot);
		add_database_place(&totals->counts[place->entry], place, &slot);
	}
}

/* Totals since the last reset; palloc'd. */
DatabaseTotals *
databases_read(void)
{
	DatabaseTotals *totals = palloc(sizeof(DatabaseTotals));

	acquire_databases_lock(LW_SHARED);
	read_database_totals(totals);
	LWLockRelease(commit_stats_databases_lock());
	return totals;
}

/*
 * Start from zero, with the slots as the caller has read them: the same copies
 * that all other totals are to start from.  Caller has held the lock exclusively
 * since before it read them.
 */
void
databases_reset(const SlotCopy *slots)
{
	Assert(LWLockHeldByMeInMode(commit_stats_databases_lock(), LW_EXCLUSIVE));

	shared->ntracked = 0;
	memset(shared->counts, 0, sizeof(shared->counts));
	for (int i = 0; i < MaxBackends; i++)
		if (shared->place[i].entry != NOBODY)
			start_place(&shared->place[i], &slots[i]);
}

/*----------------------------------------------------------------
 * Over a restart (persist.c), when no other process is there
 *----------------------------------------------------------------
 */

Size
databases_saved_size(void)
{
	return sizeof(DatabaseTotals);
}

bool
databases_save(void *to)
{
	read_database_totals(to);
	return true;
}

bool
databases_saved_fits(const void *from, Size size)
{
	const DatabaseTotals *kept = from;

	return size == sizeof(DatabaseTotals) &&
		kept->ntracked >= 0 && kept->ntracked <= DATABASES_MAX;
}

/* Entries go on as if everybody had left. */
void
databases_restore(const void *from, Size size)
{
	const DatabaseTotals *kept = from;

	shared->ntracked = kept->ntracked;
	memcpy(shared->datid, kept->datid, sizeof(shared->datid));
	memcpy(shared->counts, kept->counts, sizeof(shared->counts));
}
