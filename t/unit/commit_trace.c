/*-------------------------------------------------------------------------
 *
 * commit_trace.c
 *		A commit that is suspended while it writes its record of a capture.
 *
 * t/unit/commit_trace.pl compiles this file together with the module under
 * test.  The ring is in local memory.  siblings_count_blocked(), which a
 * commit calls in the middle of its record, lets others overtake it.  The
 * extension does not contain this file.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "base/changecount.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "probe/siblings.h"
#include "stats/clients.h"
#include "stats/commit_trace.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(trace_begin);
PG_FUNCTION_INFO_V1(trace_commit);
PG_FUNCTION_INFO_V1(trace_taken);
PG_FUNCTION_INFO_V1(trace_claims);
PG_FUNCTION_INFO_V1(trace_record);

static CommitTrace trace;
static int	overtake = 0;		/* commits that do, next time */

static void
commit(int times)
{
	OwnFlush	own = {.flushes = 1};

	for (int i = 0; i < times; i++)
		commit_trace_put(0, 0, 0, 0, &own, true, false, 0);
}

const ClientKey *
clients_mine(void)
{
	static const ClientKey none = {0};

	return &none;
}

void
shared_memory_acquire(LWLock *lock, LWLockMode mode)
{
}

/* The number of a group is its WAL, in bytes. */
bool
flush_group_copy(GroupNumber number, FlushGroupCopy *copy)
{
	copy->previous = 8;
	copy->boundary = 8 + number;
	return true;
}

uint16
siblings_count_blocked(void)
{
	ChangeCount *own = changecount_under_way;
	int			times = overtake;

	overtake = 0;
	if (times > 0)
	{
		changecount_under_way = NULL;	/* that of another process */
		commit(times);
		(void) commit_trace_take(&trace);
		changecount_under_way = own;
	}
	return 900;
}

/* trace_begin(): a ring, and a capture */
Datum
trace_begin(PG_FUNCTION_ARGS)
{
	MemoryContext outer = MemoryContextSwitchTo(TopMemoryContext);

	commit_trace_module.attach(palloc0(commit_trace_module.head_size), NULL,
							   false);
	commit_trace_start(&trace, PG_UINT64_MAX);
	MemoryContextSwitchTo(outer);
	PG_RETURN_VOID();
}

/*
 * trace_commit(times int, overtaken_by int): the first one is overtaken, and
 * while it is suspended, the capture takes what is there
 */
Datum
trace_commit(PG_FUNCTION_ARGS)
{
	overtake = PG_GETARG_INT32(1);
	commit(PG_GETARG_INT32(0));
	PG_RETURN_VOID();
}

/* trace_taken(): how many records the capture has, and how many it has lost */
Datum
trace_taken(PG_FUNCTION_ARGS)
{
	(void) commit_trace_take(&trace);
	PG_RETURN_TEXT_P(cstring_to_text(psprintf("%d|%d", trace.n, (int) trace.lost)));
}

/*
 * trace_claims(ended int, count int): can the change after which "count" have
 * ended begin, when "ended" have?
 */
Datum
trace_claims(PG_FUNCTION_ARGS)
{
	ChangeCount changes = {0};
	bool		claims;

	changecount_end_as(&changes, PG_GETARG_INT32(0));
	claims = changecount_claim(&changes, PG_GETARG_INT32(1));
	changecount_under_way = NULL;
	PG_RETURN_BOOL(claims);
}

/*
 * trace_record(bytes int): the pages of a flush with so much WAL, and as many
 * others as siblings_count_blocked() returns
 */
Datum
trace_record(PG_FUNCTION_ARGS)
{
	OwnFlush	own = {.flushes = 1};
	const TracedCommit *it;

	commit_trace_put(0, 0, PG_GETARG_INT32(0), 0, &own, true, false, 0);
	(void) commit_trace_take(&trace);
	it = &trace.commit[trace.n - 1];
	PG_RETURN_TEXT_P(cstring_to_text(psprintf("%d|%d", it->wal_pages,
											  it->blocked_after)));
}
