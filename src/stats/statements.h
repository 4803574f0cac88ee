/* The counts per database, role and statement; see statements.c. */
#ifndef COMMIT_STATS_STATEMENTS_H
#define COMMIT_STATS_STATEMENTS_H

#include "nodes/plannodes.h"

#include "stats/entry_table.h"

/*
 * Why commits belong to no statement that has a query identifier.  A reason
 * takes the place of the identifier in a key: no hash of a query is as low,
 * but by chance.
 */
#define STATEMENT_REASONS(X) \
	X(STATEMENT_NONE, "none")	/* wrote WAL in COMMIT only */ \
	X(STATEMENT_UTILITY, "utility") /* has no identifier */ \
	X(STATEMENT_NOT_COMPUTED, "compute_query_id_off") \
	X(STATEMENT_PREPARED, "commit_prepared") /* or ROLLBACK PREPARED */ \
	X(STATEMENT_APPLY, "apply_worker") /* of logical replication */ \
	X(STATEMENT_BACKGROUND, "background")	/* autovacuum, other workers */

#define STATEMENT_REASON_ENUM(reason, name)	reason,
#define STATEMENT_REASON_NAME(reason, name)	name,

enum
{
	STATEMENT_REASONS(STATEMENT_REASON_ENUM)
	STATEMENT_NREASONS
};

/* Whose commit */
typedef struct StatementKey
{
	Oid			datid;
	Oid			roleid;
	uint64		statement;		/* query identifier, or a reason */
} StatementKey;

CHECK_ENTRY_KEY(StatementKey);

/* What a statement has counted; a copy, and saved across restarts. */
typedef struct StatementCounts
{
	StatementKey key;
	uint64		value[CLIENT_NCOUNTERS];
} StatementCounts;

/* No value of pgWalUsage: the transaction may belong to another cell. */
#define CELL_MAY_CHANGE		PG_UINT64_MAX

/* The transaction of this process. */
typedef struct StatementsNow
{
	bool		on;				/* commit_stats.max_statements is not 0 */
	uint32		nwriting;		/* statements that have written WAL */
	uint64		wal_seen;		/* of pgWalUsage, when that was last looked at */
	uint64		wal_settled;	/* the same, or CELL_MAY_CHANGE */
	uint64		counted;		/* the statement of the present cell */

	/* if nwriting > 0: */
	uint64		latest;			/* the statement that has written last */
	TimestampTz latest_start;
	uint64		latest_wal;
	uint64		largest;		/* ... that has written most */
	uint64		largest_wal;
} StatementsNow;

extern COMMIT_STATS_HIDDEN StatementsNow statements_now;

extern COMMIT_STATS_HIDDEN EntryTable statements_table;

/* For _PG_init. */
extern void statements_install_hooks(void);

/*
 * The query identifier of the statement to which the commit under way belongs,
 * from the first callback on; 0: none is known.
 */
static inline uint64
statements_queryid(void)
{
	return statements_now.counted < STATEMENT_NREASONS ? 0 :
		statements_now.counted;
}

/* Before and after a utility command. */
extern void statements_begin_utility(const PlannedStmt *pstmt, bool is_top);

extern void statements_end_utility(bool is_notify, bool is_transaction);

/*
 * The commit path: true if statements_choose() must look whether the
 * transaction belongs to another statement than the one before.
 */
static inline bool
statements_differ(void)
{
	return pgWalUsage.wal_bytes != statements_now.wal_settled &&
		statements_now.on;
}

/* ... Count in the cell of that statement, for which it "may_wait". */
extern void statements_choose(bool may_wait);

/* ... Count in that of no statement, if none has written. */
extern void statements_choose_none(void);

/* ... COMMIT PREPARED or ROLLBACK PREPARED begins. */
extern void statements_choose_prepared(void);

/* ... the transaction is over. */
static inline void
statements_forget(void)
{
	statements_now.wal_seen = statements_now.wal_settled = pgWalUsage.wal_bytes;
	statements_now.nwriting = 0;
}

extern EntryTotals *statements_read(void);

#endif							/* COMMIT_STATS_STATEMENTS_H */
