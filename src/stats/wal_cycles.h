/* The WAL that transactions wrote, per checkpoint cycle; see wal_cycles.c. */
#ifndef COMMIT_STATS_WAL_CYCLES_H
#define COMMIT_STATS_WAL_CYCLES_H

#include "access/xlog.h"
#include "datatype/timestamp.h"
#include "executor/instrument.h"

#include "base/compat.h"
#include "module/stats_module.h"
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

/* A copy of one cycle; local memory. */
typedef struct WalCycleCopy
{
	XLogRecPtr	redo;
	XLogRecPtr	next;			/* of the next cycle; 0: this is the present */
	TimestampTz started_at;		/* when the first transaction in it ended */
	uint64		value[WAL_NCOUNTERS];
} WalCycleCopy;

/* The cycles since the last reset, newest first; saved across restarts. */
typedef struct WalCycles
{
	int			ncycles;
	WalCycleCopy cycle[WAL_CYCLES_SHOWN];
} WalCycles;

extern const StatsModule wal_cycles_module;

/* This process's records that were accounted or skipped. */
extern COMMIT_STATS_HIDDEN int64 wal_cycles_records;

/* This process has written records that were neither accounted nor skipped. */
static inline bool
wal_unaccounted(void)
{
	return pgWalUsage.wal_records != wal_cycles_records;
}

extern void wal_cycles_account_in(XLogRecPtr redo, WalOutcome outcome);

/* What this process has written up to now is not accounted. */
extern void wal_cycles_skip(void);

/* Account the rest, in the cycle of this process's last insertion. */
static inline void
wal_cycles_account(WalOutcome outcome)
{
	/* not on the stack; see commit_path.c */
	static XLogRecPtr redo;
	static bool full_page_writes;

	backend_slot_count_wal();
	GetFullPageWriteInfo(&redo, &full_page_writes);
	wal_cycles_account_in(redo, outcome);
}

extern WalCycles *wal_cycles_read(void);

#endif							/* COMMIT_STATS_WAL_CYCLES_H */
