/*-------------------------------------------------------------------------
 *
 * statements.c
 *		The counts per database, role and statement.
 *
 * A commit belongs to the top-level statement of its transaction that has
 * written the most WAL; of several with the same amount, to the last.  So does
 * the WAL of a transaction that rolls back.
 *
 * An ExecutorEnd hook, at any level, and the ProcessUtility hook of
 * commit_path.c compare pgWalUsage.wal_bytes with what it was last time.  If
 * it has grown, the top-level statement that runs has written that.  The
 * server keeps its identifier for pg_stat_activity while nested statements
 * run.  A portal that is closed after its message may find the identifier of
 * the next message there; but no portal is active then, and the resource owner
 * is the portal's, unlike in a deferred trigger.  So the statement that ends
 * is a top-level one itself.  Where track_activities is off, the identifier is
 * that of the innermost statement.  Two statements are the same one if their
 * identifiers are, and the times at which the server began with them.  What is
 * written after the last of these hooks is seen in the first callback of the
 * commit, and belongs to the statement that runs then.
 *
 * Each cell of a process is a place of entry_table.c, so a change of statement
 * is a change of cell, without a lock, unless the cell has to be given to the
 * statement first, before the commit's clock is read.  Cell 0 is that of
 * STATEMENT_NONE: of commits whose first WAL comes after the first callback,
 * when nothing may wait.  All commits of an apply worker are STATEMENT_APPLY.
 *
 * Locking: commit_stats_clients_lock(), as in entry_table.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/prepare.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "replication/logicalworker.h"
#include "storage/ipc.h"
#include "tcop/pquery.h"
#include "utils/backend_status.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/compat.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "stats/clients.h"
#include "stats/statements.h"

PG_FUNCTION_INFO_V1(commit_statement_stats_reset_1_0);

StatementsNow statements_now = {0};

EntryTable	statements_table = {
	.key_size = sizeof(StatementKey),
	.max_keys = &commit_stats_max_statements,
	.by_cell = true,
};

static int	given[SLOT_MAX_CELLS];	/* entries of its cells; NO_ENTRY: free */
static int	my_cell = -1;		/* while this process is registered */
static volatile const int no_entry = NO_ENTRY;
static volatile const int *my_entry = &no_entry;	/* of the place of my_cell */
static int	given_entry;		/* given[my_cell] */
static uint64 statement_of_process = STATEMENT_NONE;	/* of any of its
														 * commits, if that */
static TimestampTz unnamed_start = 0;	/* of a CALL or DO without an id */

static ExecutorEnd_hook_type next_ExecutorEnd = NULL;

static Size
statements_tail_size(int backends)
{
	return entry_table_size(&statements_table, backends);
}

static void
statements_attach(void *head, void *tail, bool found)
{
	entry_table_attach(&statements_table, tail, found);
}

/*---- Statements --------------------------------------------------*/

static inline uint64
reported_id(void)
{
	return MyBEEntry != NULL ? MyBEEntry->st_query_id : 0;
}

/* The statement that runs; "ending": NULL, or what the executor ends. */
static inline uint64
running_statement(const QueryDesc * ending, bool is_portal)
{
	uint64		id = reported_id();

	if (ending != NULL && (id == 0 || is_portal) &&
		ending->plannedstmt->queryId != 0)
		id = ending->plannedstmt->queryId;
	if (statement_of_process == STATEMENT_APPLY)
		return STATEMENT_APPLY;
	if (likely(id != 0))
		return id;
	if (statement_of_process != STATEMENT_NONE)
		return statement_of_process;
	return IsQueryIdEnabled() ? STATEMENT_UTILITY : STATEMENT_NOT_COMPUTED;
}

static inline int
place_of_cell(int cell)
{
	return MyProcNumber * SLOT_MAX_CELLS + cell;
}

/* ... if it is not free. */
static inline const StatementKey *
key_of(int cell)
{
	return (const StatementKey *) statements_table.place_keys + place_of_cell(cell);
}

/*
 * WAL has grown: by which statement, and is that the one with the most?  That
 * the first line calls a function saves registers.
 */
static inline void
note_writing(const QueryDesc * ending)
{
	TimestampTz start = GetCurrentStatementStartTimestamp();
	StatementsNow *now = &statements_now;
	uint64		growth = pgWalUsage.wal_bytes - now->wal_seen;
	bool		is_portal = ending != NULL && ActivePortal == NULL &&
	CurrentResourceOwner != CurTransactionResourceOwner;
	uint64		statement = unlikely(start == unnamed_start) && !is_portal ?
	STATEMENT_UTILITY : running_statement(ending, is_portal);

	now->wal_seen += growth;
	if (now->nwriting == 0 || statement != now->latest ||
		(start != now->latest_start && !is_portal))
	{
		now->nwriting++;
		now->latest = statement;
		now->latest_start = start;
		now->latest_wal = 0;
	}
	now->latest_wal += growth;
	if (now->nwriting == 1 || now->latest_wal >= now->largest_wal)
	{
		now->largest = statement;
		now->largest_wal = now->latest_wal;
	}
	now->wal_settled = now->largest != now->counted || *my_entry != given_entry ?
		CELL_MAY_CHANGE : now->wal_seen;
}

static pg_noinline void
note_statement(void)
{
	note_writing(NULL);
}

static pg_noinline void
note_end_of(QueryDesc * queryDesc)
{
	note_writing(queryDesc);
	next_ExecutorEnd(queryDesc);
}

static void
statements_ExecutorEnd(QueryDesc * queryDesc)
{
	if (pgWalUsage.wal_bytes != statements_now.wal_seen)
		note_end_of(queryDesc);
	else
		next_ExecutorEnd(queryDesc);
}

/* The identifier of what EXECUTE executes; 0 if it is not known. */
static uint64
queryid_of_prepared(const ExecuteStmt * stmt)
{
	PreparedStatement *prepared = FetchPreparedStatement(stmt->name, false);
	List	   *queries = prepared == NULL ? NIL :
	prepared->plansource->query_list;

	return queries == NIL ? 0 : linitial_node(Query, queries)->queryId;
}

/*
 * As in pg_stat_statements, EXECUTE is the statement that it executes; that of
 * EXECUTE would depend on the parameters in some versions.  The server would
 * report the first one that begins, which a function in a parameter may run.
 * So it does in a CALL or DO, once pg_stat_statements has taken the identifier
 * from its plan, as of a prepared one.
 */
void
statements_begin_utility(const PlannedStmt *pstmt, bool is_top)
{
	const Node *stmt = pstmt->utilityStmt;

	if (!statements_now.on || !is_top)
		return;
	if (IsA(stmt, ExecuteStmt))
		pgstat_report_query_id(queryid_of_prepared((const ExecuteStmt *) stmt), true);
	else if ((IsA(stmt, CallStmt) || IsA(stmt, DoStmt)) && IsQueryIdEnabled() &&
			 statement_of_process == STATEMENT_NONE &&
			 pgstat_track_activities && reported_id() == 0)
		unnamed_start = GetCurrentStatementStartTimestamp();
}

/*
 * NOTIFY writes its WAL in the commit.  A statement that begins or ends a
 * subtransaction is no writing one, although the record of an abort is WAL.
 */
void
statements_end_utility(bool is_notify, bool is_transaction)
{
	StatementsNow *now = &statements_now;

	if (is_transaction && now->nwriting > 0)
	{
		if (now->wal_settled != CELL_MAY_CHANGE)
			now->wal_settled = pgWalUsage.wal_bytes;
		now->wal_seen = pgWalUsage.wal_bytes;
	}
	else if (now->on && (pgWalUsage.wal_bytes != now->wal_seen || is_notify))
		note_statement();
}

void
statements_install_hooks(void)
{
	if (commit_stats_max_statements == 0)
		return;
	EnableQueryId();
	statements_now.on = true;
	next_ExecutorEnd = ExecutorEnd_hook ? ExecutorEnd_hook :
		standard_ExecutorEnd;
	ExecutorEnd_hook = statements_ExecutorEnd;
}

/*---- Processes ---------------------------------------------------*/

static void
use_cell(int cell)
{
	if (cell != my_cell)
		backend_slots_use_cell(cell);
	my_cell = cell;
	my_entry = &statements_table.place_entries[place_of_cell(cell)];
	given_entry = given[cell];
	statements_now.counted = key_of(cell)->statement;
}

static void
give_cell(int cell, Oid roleid, uint64 statement)
{
	StatementKey key = {MyDatabaseId, roleid, statement};
	int			entry = entry_table_begin(&statements_table, &key);

	entry_table_move(&statements_table, place_of_cell(cell), &key, entry);
	LWLockRelease(commit_stats_clients_lock());
	given[cell] = entry;
}

/*
 * A cell for a new statement: one that is free, or any but the first.  A
 * choice by chance keeps some of the statements that come in turns, if these
 * are more than the cells.
 */
static int
find_free_cell(void)
{
	for (int i = 1; i < SLOT_MAX_CELLS; i++)
		if (given[i] == NO_ENTRY)
			return i;
	return 1 + clock_now() / 64 % (SLOT_MAX_CELLS - 1);
}

static void
choose(uint64 statement, bool may_wait)
{
	Oid			roleid = clients_mine()->roleid;
	int			cell;

	for (cell = 0; cell < SLOT_MAX_CELLS; cell++)
		if (given[cell] != NO_ENTRY && key_of(cell)->statement == statement &&
			key_of(cell)->roleid == roleid)
			break;
	if (may_wait && key_of(0)->roleid != roleid)
		give_cell(0, roleid, key_of(0)->statement);
	if (may_wait && cell == SLOT_MAX_CELLS)
		give_cell(cell = find_free_cell(), roleid, statement);
	else if (may_wait &&
			 entry_table_of_place(&statements_table, place_of_cell(cell)) != given[cell])
		/* it has lost its entry */
		give_cell(cell, roleid, statement);
	use_cell(cell == SLOT_MAX_CELLS ? 0 : cell);
}

/* Without may_wait, the record is WAL, too: a statement already noted stays. */
void
statements_choose(bool may_wait)
{
	/* no statement does at the end of a session; an abort has another state */
	bool		drops_temporary = proc_exit_inprogress &&
	(!may_wait || IsTransactionState());

	if (!statements_now.on)
		return;
	if (!may_wait && statements_now.nwriting > 0)
	{
		/* another library executed one after the first callback */
		if (statements_now.wal_settled == CELL_MAY_CHANGE)
			choose(statements_now.largest, false);
		return;
	}
	if (pgWalUsage.wal_bytes != statements_now.wal_seen && !drops_temporary)
		note_statement();
	statements_now.wal_settled = statements_now.wal_seen;
	if (statements_now.nwriting > 0)
		choose(statements_now.largest, may_wait);
	else if (may_wait && (drops_temporary ||
						  key_of(my_cell)->roleid != clients_mine()->roleid))
		choose(key_of(0)->statement, true);
}

void
statements_choose_none(void)
{
	if (statements_now.on && statements_now.nwriting == 0)
		use_cell(0);
}

void
statements_choose_prepared(void)
{
	if (statements_now.on)
		choose(STATEMENT_PREPARED, true);
}

static void
statements_enter(void)
{
	if (!statements_now.on)
		return;
	if (IsLogicalWorker())
		statement_of_process = STATEMENT_APPLY;
	else if (MyBackendType != B_BACKEND)
		statement_of_process = STATEMENT_BACKGROUND;
	for (int i = 0; i < SLOT_MAX_CELLS; i++)
		given[i] = NO_ENTRY;
	give_cell(0, clients_mine()->roleid, statement_of_process);
	use_cell(0);
}

static void
statements_leave(void)
{
	if (my_cell < 0)
		return;
	shared_memory_acquire(commit_stats_clients_lock(), LW_SHARED);
	for (int i = 0; i < SLOT_MAX_CELLS; i++)
		if (given[i] != NO_ENTRY)
			entry_table_move(&statements_table, place_of_cell(i), NULL, NO_ENTRY);
	LWLockRelease(commit_stats_clients_lock());
	my_cell = -1;
	my_entry = &no_entry;
}

/*---- Readers, restarts and resets --------------------------------*/

EntryTotals *
statements_read(void)
{
	EntryTotals *totals = entry_table_lock_and_read(&statements_table);

	LWLockRelease(commit_stats_clients_lock());
	return totals;
}

static void
statements_reset(TimestampTz now)
{
	entry_table_clear(&statements_table, now);
}

/* These counts alone. */
Datum
commit_statement_stats_reset_1_0(PG_FUNCTION_ARGS)
{
	TimestampTz now = GetCurrentTimestamp();

	shared_memory_require();
	shared_memory_acquire(commit_stats_clients_lock(), LW_EXCLUSIVE);
	backend_slots_copy();
	statements_reset(now);
	LWLockRelease(commit_stats_clients_lock());
	PG_RETURN_TIMESTAMPTZ(now);
}

const StatsModule statements_module = {
	.head_size = sizeof(EntryTableShared),
	.head = (void **) &statements_table.shared,
	.tail_size = statements_tail_size,
	.attach = statements_attach,
	.enter = statements_enter,
	.leave = statements_leave,
	.reset = statements_reset,
	.saved_name = "statements",
	.saved_object = &statements_table,
	.saved_size = entry_table_saved_size,
	.save = entry_table_save,
	.fits = entry_table_fits,
	.restore = entry_table_restore,
};
