/* The WAL of checkpoint cycles, and what keeps it; see wal_cycles.c. */
#ifndef COMMIT_STATS_WAL_CYCLES_H
#define COMMIT_STATS_WAL_CYCLES_H

#include "access/xlog.h"
#include "datatype/timestamp.h"
#include "executor/instrument.h"

#include "base/compat.h"
#include "base/shared_counters.h"
#include "stats/backend_slots.h"

/* With the server's default of a checkpoint every 5 minutes, 2.5 hours */
#define WAL_CYCLES_SHOWN	32

/* What became of the transaction that the WAL is accounted to. */
typedef enum WalOutcome
{
	WAL_OF_COMMIT,				/* wrote a commit record */
	WAL_OF_ABORT,				/* rolled back */
	WAL_OF_OTHER				/* had no id, or is prepared */
} WalOutcome;

typedef enum WalCounter
{
	WAL_COMMITS,				/* WAL_OF_COMMIT */
	WAL_RECORDS,
	WAL_FPI,					/* full-page images */
	WAL_BYTES,
	WAL_FPI_BYTES,				/* of these, images; 0 if not counted */
	WAL_BYTES_ABORTED,			/* of WAL_BYTES, WAL_OF_ABORT */
	WAL_NCOUNTERS
} WalCounter;

/* What one backend has counted, resets or not; only it writes there. */
typedef struct WalSlot
{
	pg_atomic_uint64 counter[WAL_NCOUNTERS] pg_attribute_aligned(PG_CACHE_LINE_SIZE);
} WalSlot;

/* A copy of one cycle. */
typedef struct WalCycleCopy
{
	XLogRecPtr	redo;
	XLogRecPtr	next;			/* set by wal_cycles_read(): of the next
								 * cycle; 0: this is the present */
	TimestampTz started_at;		/* when somebody saw that it had begun */
	uint64		value[WAL_NCOUNTERS];
} WalCycleCopy;

/* The cycles since the last reset, newest first; saved across restarts. */
typedef struct WalCycles
{
	int			ncycles;
	WalCycleCopy cycle[WAL_CYCLES_SHOWN];
} WalCycles;

/* The slot of this process; until it finds it, one that stays zero. */
extern COMMIT_STATS_HIDDEN WalSlot *wal_cycles_mine;

/*
 * Counters that pgWalUsage has are what it says plus this, so that to account
 * is to write that down.
 */
extern COMMIT_STATS_HIDDEN uint64 wal_cycles_origin[WAL_NCOUNTERS];

/* This process's records that were accounted or skipped. */
extern COMMIT_STATS_HIDDEN int64 wal_cycles_records;

/* This process has written records that were neither accounted nor skipped. */
static inline bool
wal_unaccounted(void)
{
	return pgWalUsage.wal_records != wal_cycles_records;
}

/* What pgWalUsage says; 0 for counters that are not from there. */
static inline uint64
wal_usage(WalCounter counter)
{
	switch (counter)
	{
		case WAL_RECORDS:
			return (uint64) pgWalUsage.wal_records;
		case WAL_FPI:
			return (uint64) pgWalUsage.wal_fpi;
		case WAL_BYTES:
			return pgWalUsage.wal_bytes;
		case WAL_FPI_BYTES:
			return WAL_USAGE_FPI_BYTES(pgWalUsage);
		default:
			return 0;
	}
}

static inline void
wal_catch_up(WalSlot *slot, WalCounter counter)
{
	pg_atomic_write_u64(&slot->counter[counter],
						wal_usage(counter) + wal_cycles_origin[counter]);
}

/* Commit path: account the rest.  The process has found its slot. */
static inline void
wal_cycles_account(WalOutcome outcome)
{
	WalSlot    *slot = wal_cycles_mine;

	backend_slot_count_wal();
	if (outcome == WAL_OF_ABORT)
		single_writer_add(&slot->counter[WAL_BYTES_ABORTED],
						  wal_usage(WAL_BYTES) + wal_cycles_origin[WAL_BYTES] -
						  pg_atomic_read_u64(&slot->counter[WAL_BYTES]));
	else if (outcome == WAL_OF_COMMIT)
		single_writer_add(&slot->counter[WAL_COMMITS], 1);
	wal_catch_up(slot, WAL_RECORDS);
	wal_catch_up(slot, WAL_FPI);
	wal_catch_up(slot, WAL_BYTES);
	if (WAL_FPI_BYTES_COUNTED)
		wal_catch_up(slot, WAL_FPI_BYTES);
	wal_cycles_records = pgWalUsage.wal_records;
}

/* What this process has written up to now is not accounted. */
extern void wal_cycles_skip(void);

extern void wal_cycles_find_slot(void);

/* Any process: end the present cycle, if a checkpoint has begun. */
extern void wal_cycles_look(void);

extern WalCycles *wal_cycles_read(void);

/* What keeps WAL segments from being recycled */
typedef enum WalKeeper
{
	KEEPER_NONE,				/* but for what archives, which shows itself */
	KEEPER_SIZE,				/* wal_keep_size */
	KEEPER_SLOT					/* a replication slot */
} WalKeeper;

/* Any process; "slot" becomes the name of KEEPER_SLOT. */
extern WalKeeper wal_keeper_find(Name slot);

#endif							/* COMMIT_STATS_WAL_CYCLES_H */
