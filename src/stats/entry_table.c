/*-------------------------------------------------------------------------
 *
 * entry_table.c
 *		The counts of backend slots, by a key: by client, or by statement.
 *
 *	place		where a process counts for one key: its slot
 *				(backend_slots.c), or one cell of it
 *	entry		what was counted for a key and has left its places
 *	growth		what a place has counted and no entry has yet
 *	to move		to add the growth of a place to its entry, and to let the place
 *				count for another entry, or none
 *
 * A process moves a place when its key changes, and when it exits.  A reader
 * adds the growth of all places to the entries.
 *
 * Invariant: all entries and the growth of all places, added up, equal the sum
 * of all slots, counter by counter.  A process has a place with an entry
 * before it counts anything there, and counts nothing there afterwards.  That
 * excludes the session time of statements, which no view shows.
 *
 * As many keys as a setting says have an entry.  A new key takes the entry of
 * the key that has not committed for longest, whose counts go into the
 * overflow entry of its database or, beyond CLIENT_DATABASES databases, into
 * OVERFLOW_ENTRY.  A key that finds no entry to take counts there, too.
 *
 * Where a place is a slot, the entries of connected processes are kept, and a
 * role holds at most half of the entries.  Where a place is a cell, the places
 * of a key that loses its entry count for the overflow entry, which their
 * process notices (statements.c).
 *
 * A process notes when it last committed as it moves a place, not at each
 * commit.  So one of several evictions moves all growth, and finds out who has
 * committed since the last time.
 *
 * Locking: commit_stats_clients_lock() protects everything here.  A process
 * holds it shared while it adds to an entry, which is atomic, and moves a
 * place of its own; and exclusively while it makes an entry or evicts.  A
 * reader holds it exclusively while it copies, and a reset throughout.  A
 * process reads the entry of its own place without a lock, and
 * commit_stats_info reads the numbers of a table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "module/shared_memory.h"
#include "stats/entry_table.h"

#define OVERFLOW_ENTRY	0		/* of keys in databases without an entry */
#define NOTE_USES		6		/* times in as many evictions as keys */

static int
max_entries(const EntryTable *table)
{
	return *table->max_keys > 0 ? *table->max_keys + CLIENT_DATABASES + 1 : 0;
}

static int
nplaces(const EntryTable *table, int backends)
{
	return *table->max_keys == 0 ? 0 :
		table->by_cell ? backends * backend_slots_ncells() : backends;
}

static Size
row_size(const EntryTable *table)
{
	return table->key_size + CLIENT_NCOUNTERS * sizeof(uint64);
}

Size
entry_table_size(const EntryTable *table, int backends)
{
	return add_size(mul_size(nplaces(table, backends),
							 sizeof(EntryPlace) + sizeof(int) + table->key_size),
					mul_size(max_entries(table),
							 sizeof(Entry) + table->key_size +
							 sizeof(EntryUse) + sizeof(int)));
}

/*---- Entries -----------------------------------------------------*/

static void *
key_of_entry(const EntryTable *table, int entry)
{
	return table->keys + entry * table->key_size;
}

static int *
bucket_of(const EntryTable *table, const void *key)
{
	uint32		hash = hash_bytes(key, table->key_size);

	return &table->buckets[hash % max_entries(table)];
}

/* The entry of a key, or NO_ENTRY. */
static int
find(const EntryTable *table, const void *key)
{
	int			entry = *bucket_of(table, key);

	while (entry != NO_ENTRY &&
		   memcmp(key_of_entry(table, entry), key, table->key_size) != 0)
		entry = table->entries[entry].next;
	return entry;
}

/*
 * This and what follows, up to find_or_add(): exclusive lock.  A client that
 * never commits may lose its entry first.
 */
static int
give_entry(EntryTable *table, int entry, const void *key)
{
	int		   *bucket = bucket_of(table, key);

	memcpy(key_of_entry(table, entry), key, table->key_size);
	table->entries[entry].next = *bucket;
	table->entries[entry].flushes_before = 0;
	memset(table->entries[entry].counter, 0, sizeof(table->entries->counter));
	pg_atomic_init_u64(&table->uses[entry].used_at, 0);
	pg_atomic_init_u32(&table->uses[entry].places, 0);
	table->uses[entry].roleid = ((const EntryKey *) key)->roleid;
	*bucket = entry;
	return entry;
}

/* The entry of keys of a database that have none. */
static int
overflow_of(EntryTable *table, Oid datid)
{
	EntryKey	key[ENTRY_KEY_MOST / sizeof(EntryKey)] = {{.datid = datid}};
	int			entry = find(table, key);

	if (entry != NO_ENTRY)
		return entry;
	if (table->shared->nentries - table->shared->nown > CLIENT_DATABASES)
		return OVERFLOW_ENTRY;
	return give_entry(table, table->shared->nentries++, key);
}

static void
add_to_entry(EntryTable *table, int entry, const uint64 *value)
{
	for (int c = 0; c < CLIENT_NCOUNTERS; c++)
		if (value[c] != 0)
			pg_atomic_fetch_add_u64(&table->entries[entry].counter[c],
									(int64) value[c]);
}

void
entry_table_count(const EntryTable *table, int place, uint64 *value)
{
	int			ncells = table->by_cell ? 1 : backend_slots_ncells();

	backend_slots_copy_cells(place * ncells, ncells, value, CLIENT_NCOUNTERS);
}

static void
add_growth(EntryTable *table, int place)
{
	int			entry = table->place_entries[place];
	uint64		growth[CLIENT_NCOUNTERS];

	entry_table_count(table, place, growth);
	counter_array_subtract(growth, table->places[place], CLIENT_NCOUNTERS);
	counter_array_add(table->places[place], growth, CLIENT_NCOUNTERS);
	if (entry == NO_ENTRY)
		return;
	add_to_entry(table, entry, growth);
	if (counted_commits(growth) + growth[SLOT_PREPARES] > 0)
		pg_atomic_write_u64(&table->uses[entry].used_at, clock_now());
}

/* Exclusive lock. */
static void
add_all_growth(EntryTable *table)
{
	for (int i = 0; i < nplaces(table, MaxBackends); i++)
		if (table->place_entries[i] != NO_ENTRY)
			add_growth(table, i);
}

static void
set_entry(EntryTable *table, int place, int entry)
{
	int		   *at = &table->place_entries[place];

	if (*at != NO_ENTRY)
		pg_atomic_fetch_sub_u32(&table->uses[*at].places, 1);
	if (entry != NO_ENTRY)
		pg_atomic_fetch_add_u32(&table->uses[entry].places, 1);
	*at = entry;
}

/*
 * Take an entry from its key, and from the places that count for it.  A FATAL
 * error may have left "places" wrong, in set_entry(), or the entry without a
 * bucket, in give_entry() (see changecount.c).
 */
static void
evict(EntryTable *table, int entry)
{
	int			overflow = overflow_of(table,
									   ((EntryKey *) key_of_entry(table, entry))->datid);
	int		   *link = bucket_of(table, key_of_entry(table, entry));
	uint64		value[CLIENT_NCOUNTERS];
	int			n = nplaces(table, MaxBackends);

	for (int i = 0; i < n && pg_atomic_read_u32(&table->uses[entry].places) > 0; i++)
		if (table->place_entries[i] == entry)
		{
			add_growth(table, i);
			set_entry(table, i, overflow);
		}
	counter_array_read(value, table->entries[entry].counter, CLIENT_NCOUNTERS);
	add_to_entry(table, overflow, value);
	while (*link != entry && *link != NO_ENTRY)
		link = &table->entries[*link].next;
	if (*link == entry)
		*link = table->entries[entry].next;
	table->shared->evicted++;
}

static int
entries_of_role(const EntryTable *table, Oid roleid)
{
	int			n = 0;

	for (int i = 0; i < table->shared->nentries; i++)
		n += table->uses[i].roleid == roleid;
	return n;
}

/*
 * The entry that was not used for longest, of those that a new key can take,
 * or NO_ENTRY.  "roleid": of this role; InvalidOid: of any.
 */
static int
find_victim(const EntryTable *table, Oid roleid)
{
	int			oldest = NO_ENTRY;
	uint64		age_limit = PG_UINT64_MAX;

	for (int i = 0; i < table->shared->nentries; i++)
	{
		EntryUse   *use = &table->uses[i];
		uint64		used_at = pg_atomic_read_u64(&use->used_at);

		if (!OidIsValid(use->roleid) || used_at >= age_limit ||
			(OidIsValid(roleid) && use->roleid != roleid) ||
			(!table->by_cell && pg_atomic_read_u32(&use->places) > 0))
			continue;
		oldest = i;
		age_limit = used_at;
	}
	return oldest;
}

/* Like find(), but never NO_ENTRY. */
static int
find_or_add(EntryTable *table, const void *key)
{
	const EntryKey *head = key;
	int			entry = find(table, key);
	bool		may_add;

	if (entry != NO_ENTRY)
		return entry;
	if (!OidIsValid(head->roleid))
		return overflow_of(table, head->datid);
	may_add = table->by_cell ||
		entries_of_role(table, head->roleid) < *table->max_keys / 2;
	if (may_add && table->shared->nown < *table->max_keys)
	{
		table->shared->nown++;
		return give_entry(table, table->shared->nentries++, key);
	}
	if (table->by_cell &&
		table->shared->evicted % Max(*table->max_keys / NOTE_USES, 1) == 0)
		add_all_growth(table);
	entry = find_victim(table, may_add ? InvalidOid : head->roleid);
	if (entry == NO_ENTRY)
		return overflow_of(table, head->datid);
	evict(table, entry);
	return give_entry(table, entry, key);
}

/*---- Places ------------------------------------------------------*/

static void *
place_key(const EntryTable *table, int place)
{
	return table->place_keys + place * table->key_size;
}

int
entry_table_begin(EntryTable *table, const void *key)
{
	int			entry;

	shared_memory_acquire(commit_stats_clients_lock(), LW_SHARED);
	entry = find(table, key);
	if (entry == NO_ENTRY)
	{
		LWLockRelease(commit_stats_clients_lock());
		shared_memory_acquire(commit_stats_clients_lock(), LW_EXCLUSIVE);
		entry = find_or_add(table, key);
	}
	return entry;
}

/* A statement gets a cell in a commit, which that has yet to count. */
void
entry_table_move(EntryTable *table, int place, const void *key, int entry)
{
	add_growth(table, place);
	set_entry(table, place, entry);
	if (table->by_cell && entry != NO_ENTRY)
		pg_atomic_write_u64(&table->uses[entry].used_at, clock_now());
	if (key != NULL)
		memcpy(place_key(table, place), key, table->key_size);
}

/*---- Readers, restarts and resets --------------------------------*/

static void
copy_rows(EntryTable *table, char *row)
{
	add_all_growth(table);
	for (int i = 0; i < table->shared->nentries; i++)
	{
		memcpy(row, key_of_entry(table, i), table->key_size);
		counter_array_read((uint64 *) (row + table->key_size),
						   table->entries[i].counter, CLIENT_NCOUNTERS);
		row += row_size(table);
	}
}

EntryTotals *
entry_table_lock_and_read(EntryTable *table)
{
	EntryTotals *totals = palloc(sizeof(EntryTotals));

	/* the first access to new memory would take time under the lock */
	totals->places = palloc0(max_entries(table) * sizeof(int));
	totals->row = palloc0(max_entries(table) * row_size(table));
	shared_memory_acquire(commit_stats_clients_lock(), LW_EXCLUSIVE);
	totals->n = table->shared->nentries;
	totals->evicted = table->shared->evicted;
	copy_rows(table, totals->row);
	for (int i = 0; i < nplaces(table, MaxBackends); i++)
		if (table->place_entries[i] != NO_ENTRY)
			totals->places[table->place_entries[i]]++;
	return totals;
}

/* The key whose flushes grew most since the last call, and by how many. */
uint64
entry_table_find_leader(EntryTable *table, void *leader)
{
	uint32		most = 0;

	shared_memory_acquire(commit_stats_clients_lock(), LW_EXCLUSIVE);
	add_all_growth(table);
	for (int i = 0; i < table->shared->nentries; i++)
	{
		Entry	   *entry = &table->entries[i];
		uint32		flushes = (uint32) pg_atomic_read_u64(&entry->counter[SLOT_FLUSHES]);
		uint32		growth = flushes - entry->flushes_before;

		entry->flushes_before = flushes;
		if (growth <= most || !OidIsValid(table->uses[i].roleid))
			continue;
		most = growth;
		memcpy(leader, key_of_entry(table, i), table->key_size);
	}
	LWLockRelease(commit_stats_clients_lock());
	return most;
}

static void
clear_entries(EntryTable *table, TimestampTz now)
{
	for (int i = 0; i < max_entries(table); i++)
		table->buckets[i] = NO_ENTRY;
	table->shared->nentries = table->shared->nown = 0;
	table->shared->evicted = 0;
	table->shared->stats_reset = now;
	(void) overflow_of(table, InvalidOid);
}

void
entry_table_attach(EntryTable *table, void *tail, bool found)
{
	int			n = nplaces(table, MaxBackends);

	table->places = tail;
	table->place_keys = (char *) (table->places + n);
	table->entries = (Entry *) (table->place_keys + n * table->key_size);
	table->keys = (char *) (table->entries + max_entries(table));
	table->uses = (EntryUse *) (table->keys +
								max_entries(table) * table->key_size);
	table->buckets = (int *) (table->uses + max_entries(table));
	table->place_entries = table->buckets + max_entries(table);
	if (found || n == 0)
		return;
	for (int i = 0; i < n; i++)
		table->place_entries[i] = NO_ENTRY;
	clear_entries(table, GetCurrentTimestamp());
}

/*
 * All entries are zero.  The keys that have a place get one, unless there are
 * too many.  Places start from the copies of backend_slots_copy().
 */
void
entry_table_clear(EntryTable *table, TimestampTz now)
{
	int			ncells = table->by_cell ? 1 : backend_slots_ncells();

	Assert(LWLockHeldByMeInMode(commit_stats_clients_lock(), LW_EXCLUSIVE));

	if (*table->max_keys == 0)
		return;
	clear_entries(table, now);
	for (int i = 0; i < nplaces(table, MaxBackends); i++)
	{
		uint64	   *since = table->places[i];
		EntryKey   *key = place_key(table, i);

		if (table->place_entries[i] == NO_ENTRY)
			continue;
		backend_slots_at_reset(i * ncells, ncells, since, CLIENT_NCOUNTERS);
		table->place_entries[i] = NO_ENTRY;
		set_entry(table, i, table->by_cell &&
				  table->shared->nown >= *table->max_keys &&
				  find(table, key) == NO_ENTRY ?
				  overflow_of(table, key->datid) : find_or_add(table, key));
	}
}

Size
entry_table_saved_size(const void *object)
{
	const EntryTable *table = object;

	return *table->max_keys == 0 ? 0 :
		sizeof(EntriesSaved) + table->shared->nentries * row_size(table);
}

/* 0 for an entry without a bucket; see evict() */
static uint64
use_of_key(EntryTable *table, const void *key)
{
	int			entry = find(table, key);

	return entry == NO_ENTRY ? 0 : pg_atomic_read_u64(&table->uses[entry].used_at);
}

/* Who has not committed for longest comes first, for a table with less room. */
static int
compare_uses(const void *a, const void *b, void *table)
{
	uint64		x = use_of_key(table, a);
	uint64		y = use_of_key(table, b);

	return x < y ? -1 : x > y;
}

void
entry_table_save(const void *object, void *to)
{
	EntryTable *table = unconstify(void *, object);
	EntriesSaved *saved = to;

	if (*table->max_keys > 0)
	{
		saved->evicted = table->shared->evicted;
		saved->stats_reset = table->shared->stats_reset;
		copy_rows(table, (char *) (saved + 1));
		qsort_arg(saved + 1, table->shared->nentries, row_size(table),
				  compare_uses, table);
	}
}

/* The setting may have been 0, or be 0 now. */
bool
entry_table_fits(const void *object, Size size)
{
	const EntryTable *table = object;

	return *table->max_keys == 0 || size == 0 ||
		(size >= sizeof(EntriesSaved) &&
		 (size - sizeof(EntriesSaved)) % row_size(table) == 0);
}

/*
 * The setting may have become smaller, too.  A row is newer than those before
 * it, and older than any commit.
 */
void
entry_table_restore(void *object, const void *from, Size size)
{
	EntryTable *table = object;
	const EntriesSaved *saved = from;
	uint64		nrows = 0;

	if (*table->max_keys == 0 || size == 0)
		return;
	table->shared->evicted += saved->evicted;
	table->shared->stats_reset = saved->stats_reset;
	for (const char *row = (const char *) (saved + 1);
		 row < (const char *) from + size; row += row_size(table))
	{
		int			entry = find_or_add(table, row);

		add_to_entry(table, entry, (const uint64 *) (row + table->key_size));
		pg_atomic_write_u64(&table->uses[entry].used_at, ++nrows);
	}
}
