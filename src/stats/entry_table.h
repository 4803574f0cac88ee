/* The counts of backend slots, by a key; see entry_table.c. */
#ifndef COMMIT_STATS_ENTRY_TABLE_H
#define COMMIT_STATS_ENTRY_TABLE_H

#include "stats/backend_slots.h"

/*
 * The counters of a slot that are kept per key: all but the last ones, which
 * say what the histograms of the whole server lack.
 */
#define CLIENT_NCOUNTERS	SLOT_UNRESOLVED_FLUSHES

/* Databases of which a key that has no entry still shows. */
#define CLIENT_DATABASES	256

#define NO_ENTRY		(-1)

/*
 * What each key begins with.  Its bytes are compared, so a key is zeroed
 * before it is filled.  An overflow entry has no role; OVERFLOW_ENTRY has no
 * database, either.
 */
typedef struct EntryKey
{
	Oid			datid;			/* InvalidOid: connected to no database */
	Oid			roleid;			/* InvalidOid: of several keys */
} EntryKey;

#define ENTRY_KEY_MOST	128		/* bytes */

/* The type of a key compiles only if it fits. */
#define CHECK_ENTRY_KEY(type) \
	StaticAssertDecl(offsetof(type, datid) == offsetof(EntryKey, datid) && \
					 offsetof(type, roleid) == offsetof(EntryKey, roleid) && \
					 sizeof(type) % sizeof(uint64) == 0 && \
					 sizeof(type) <= ENTRY_KEY_MOST, "layout of a key")

typedef struct Entry
{
	int			next;			/* entry with the same hash; or NO_ENTRY */
	uint32		flushes_before; /* entry_table_find_leader(), modulo 2^32 */
	pg_atomic_uint64 counter[CLIENT_NCOUNTERS]; /* added to atomically */
} Entry;

/* What decides who may take an entry: dense, for one pass over all. */
typedef struct EntryUse
{
	pg_atomic_uint64 used_at;	/* clock_now() at a commit; see give_entry() */
	pg_atomic_uint32 places;	/* that count for it */
	Oid			roleid;			/* InvalidOid: of several keys */
} EntryUse;

/* What a place had counted when it was moved last; entries have that. */
typedef uint64 EntryPlace[CLIENT_NCOUNTERS];

typedef struct EntryTableShared
{
	int			nentries;		/* in use, from the front */
	int			nown;			/* of these, of a single key */
	uint64		evicted;		/* keys that lost their entry */
	TimestampTz stats_reset;
} EntryTableShared;

typedef struct EntryTable
{
	/* What its user says: */
	Size		key_size;		/* that of CHECK_ENTRY_KEY() */
	int		   *max_keys;		/* that have an entry: a setting; 0: none is
								 * counted */

	/*
	 * Each cell of a slot is a place; otherwise, the slot is, its entry is
	 * kept, and a role holds half of the entries at most.
	 */
	bool		by_cell;

	/* In shared memory: */
	EntryTableShared *shared;
	EntryPlace *places;
	int		   *place_entries;	/* or NO_ENTRY; dense, as "uses" */
	char	   *place_keys;
	Entry	   *entries;
	char	   *keys;
	EntryUse   *uses;
	int		   *buckets;		/* entry, or NO_ENTRY */
} EntryTable;

/*
 * The entry of a place, or NO_ENTRY; it may change at any time, so a caller
 * without the lock reads it once.
 */
static inline int
entry_table_of_place(const EntryTable *table, int place)
{
	return *(const volatile int *) &table->place_entries[place];
}

/* What is saved: this, and rows. */
typedef struct EntriesSaved
{
	uint64		evicted;
	TimestampTz stats_reset;
} EntriesSaved;

/*
 * A copy of all entries; palloc'd.  A row is a key and its counters, and is
 * saved like that.
 */
typedef struct EntryTotals
{
	int			n;
	uint64		evicted;		/* keys that have lost theirs */
	int		   *places;			/* that count for each of them; of a client,
								 * its sessions */
	union
	{
		char	   *row;
		struct ClientCounts *client;
		struct StatementCounts *statement;
	};
} EntryTotals;

/* The commits of which the share of a row is a part. */
static inline uint64
counted_commits(const uint64 *value)
{
	return value[SLOT_COMMITS] + value[SLOT_COMMITS_ASYNC];
}

/* The module's tail */
extern Size entry_table_size(const EntryTable *table, int backends);
extern void entry_table_attach(EntryTable *table, void *tail, bool found);

/*
 * A change: take commit_stats_clients_lock(), and find the entry of a key;
 * move places; the caller releases the lock.
 */
extern int	entry_table_begin(EntryTable *table, const void *key);
extern void entry_table_move(EntryTable *table, int place, const void *key,
							 int entry);

/* All that was ever counted in a place */
extern void entry_table_count(const EntryTable *table, int place,
							  uint64 *value);

/* Readers.  The first one returns with commit_stats_clients_lock() held. */
extern EntryTotals *entry_table_lock_and_read(EntryTable *table);
extern uint64 entry_table_find_leader(EntryTable *table, void *leader);

/* Under the clients lock, exclusively, when the slots have been copied */
extern void entry_table_clear(EntryTable *table, TimestampTz now);

/* As a StatsModule has them, whose "saved_object" is the table. */
extern Size entry_table_saved_size(const void *object);
extern void entry_table_save(const void *object, void *to);
extern bool entry_table_fits(const void *object, Size size);
extern void entry_table_restore(void *object, const void *from, Size size);

#endif							/* COMMIT_STATS_ENTRY_TABLE_H */
