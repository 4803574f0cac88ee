/*-------------------------------------------------------------------------
 *
 * ring_readers.c
 *		Readers and resets of a ring of flush groups, while commits go on.
 *
 * t/unit/ring_readers.pl compiles this file together with the modules under
 * test.  The ring is in local memory.  __wrap_flush_group_copy(), which the
 * linker puts between a reader and the groups, adds flushes while the reader
 * copies, at any rate; __wrap_flush_totals_prepare() suspends a process that
 * prepares slots.  The extension does not contain this file.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "base/changecount.h"
#include "base/guc.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "stats/flush_ring.h"
#include "stats/flush_totals.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(ring_make);
PG_FUNCTION_INFO_V1(ring_flush);
PG_FUNCTION_INFO_V1(ring_merge);
PG_FUNCTION_INFO_V1(ring_sizes);
PG_FUNCTION_INFO_V1(ring_read);
PG_FUNCTION_INFO_V1(ring_reset);
PG_FUNCTION_INFO_V1(ring_stop);
PG_FUNCTION_INFO_V1(ring_exit);
PG_FUNCTION_INFO_V1(ring_forget_boundary);
PG_FUNCTION_INFO_V1(ring_suspend);
PG_FUNCTION_INFO_V1(ring_resume);

#define FLUSH_BYTES		64		/* of WAL, in each flush */

static XLogRecPtr flushed = 0x1000000;
static double flushes_per_copy = 0;
static int	passes = 0;
static int	ngone = 0;			/* flushes whose group was gone */
static bool suspends = false;	/* the next process that prepares slots? */
static GroupNumber suspended = InvalidGroupNumber;	/* the first group for
													 * which one had to */
static ChangeCount *folds = NULL;	/* the first thing in flush_totals.c's
									 * part */

/* One flush of one commit, which led it. */
static void
flush(void)
{
	GroupNumber number;
	FlushGroup *group;

	flushed += FLUSH_BYTES;
	number = flush_groups_find(flushed, flushed, 1);
	group = group_slot(number);
	if (flush_group_enter(group, number, true, 1, true, 0) != 0)
	{
		if (suspended == InvalidGroupNumber)
			elog(ERROR, "a group is gone");
		ngone++;
		return;
	}
	memset(&group->report, 0, sizeof(group->report));
	flush_group_reported(group);
}

/*
 * ring_merge(flushes int, early int, late int): a flush whose end was seen at
 * time 100, and then "flushes" more, of which only the end of the last one was
 * seen, at 200.  "early" followers began at 50, and "late" ones at 150.  The
 * late ones come first, so that the order of the commits tells nothing.
 */
Datum
ring_merge(PG_FUNCTION_ARGS)
{
	GroupNumber number;
	FlushGroup *group;

	(void) flush_groups_find(flushed + FLUSH_BYTES, flushed + FLUSH_BYTES, 100);
	flushed += 2 * FLUSH_BYTES;
	number = flush_groups_find(flushed, flushed, 200);
	group = group_slot(number);
	for (int i = 0; i < PG_GETARG_INT32(2); i++)
		(void) flush_group_enter(group, number, true, 1, false, 150);
	for (int i = 0; i < PG_GETARG_INT32(0); i++)
	{
		if (flush_group_enter(group, number, true, 1, true, 150) == 0)
		{
			memset(&group->report, 0, sizeof(group->report));
			flush_group_reported(group);
		}
		else if (!flush_group_merge(group, number))
			elog(ERROR, "a group is gone");
	}
	for (int i = 0; i < PG_GETARG_INT32(1); i++)
		(void) flush_group_enter(group, number, true, 1, false, 50);
	PG_RETURN_VOID();
}

/* ring_sizes(): flushes by size, as "size:flushes", and "+" those inferred */
Datum
ring_sizes(PG_FUNCTION_ARGS)
{
	FlushTotals *totals = flush_totals_lock_and_read();
	StringInfoData text;

	LWLockRelease(commit_stats_reset_lock());
	initStringInfo(&text);
	for (int size = 0; size < totals->ncells; size++)
		if (flush_total(totals, FLUSHES_BY_SIZE, size) > 0)
			appendStringInfo(&text, "%d:%d ", size,
							 (int) flush_total(totals, FLUSHES_BY_SIZE, size));
	appendStringInfo(&text, "+%d",
					 (int) flush_total(totals, OVERALL, INFERRED_FLUSHES));
	PG_RETURN_TEXT_P(cstring_to_text(text.data));
}

extern bool __real_flush_group_copy(GroupNumber number, FlushGroupCopy *copy);
extern bool __wrap_flush_group_copy(GroupNumber number, FlushGroupCopy *copy);

bool
__wrap_flush_group_copy(GroupNumber number, FlushGroupCopy *copy)
{
	static double due = 0;

	for (due += flushes_per_copy; due >= 1; due--)
		flush();
	return __real_flush_group_copy(number, copy);
}

extern void __real_flush_totals_prepare(GroupNumber first);
extern void __wrap_flush_totals_prepare(GroupNumber first);

void
__wrap_flush_totals_prepare(GroupNumber first)
{
	if (!suspends)
		__real_flush_totals_prepare(first);
	else
		suspended = first;
	suspends = false;
}

/* The lock is that of the library, which is preloaded. */
void
shared_memory_acquire(LWLock *lock, LWLockMode mode)
{
	passes++;
	LWLockAcquire(lock, mode);
}

static void *
make_part(const StatsModule *module)
{
	Size		size = PG_CACHE_LINE_SIZE +
	(module->tail_size ? module->tail_size(MaxBackends) : MaxBackends * module->slot_size);
	char	   *head = MemoryContextAllocHuge(TopMemoryContext,
											  size + PG_CACHE_LINE_SIZE);

	head = (char *) TYPEALIGN(PG_CACHE_LINE_SIZE, head);
	memset(head, 0, size);
	module->attach(head, head + PG_CACHE_LINE_SIZE, false);
	return head;
}

/* ring_make(log_size int): a ring, and no flushes yet */
Datum
ring_make(PG_FUNCTION_ARGS)
{
	commit_stats_flush_log_size = PG_GETARG_INT32(0);
	(void) make_part(&flush_ring_module);
	folds = make_part(&flush_totals_module);
	PG_RETURN_VOID();
}

/* ring_flush(n int): returns how many had no group */
Datum
ring_flush(PG_FUNCTION_ARGS)
{
	ngone = 0;
	for (int i = 0; i < PG_GETARG_INT32(0); i++)
		flush();
	PG_RETURN_INT32(ngone);
}

/*
 * ring_read(rate float8, OUT passes int, OUT flushes bigint, OUT recent int,
 *			 OUT wal_bytes bigint, OUT meanwhile bigint)
 *
 * "rate" flushes come for each group that the reader copies.
 */
Datum
ring_read(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	XLogRecPtr	before = flushed;
	FlushTotals *totals;
	int64		flushes = 0;
	Datum		values[5];
	bool		nulls[5] = {0};

	passes = 0;
	flushes_per_copy = PG_GETARG_FLOAT8(0);
	PG_TRY();
	{
		totals = flush_totals_lock_and_read();
	}
	PG_FINALLY();
	{
		flushes_per_copy = 0;
	}
	PG_END_TRY();
	LWLockRelease(commit_stats_reset_lock());

	for (int size = 0; size < totals->ncells; size++)
		flushes += flush_total(totals, FLUSHES_BY_SIZE, size);
	InitMaterializedSRF(fcinfo, 0);
	values[0] = Int32GetDatum(passes);
	values[1] = Int64GetDatum(flushes);
	values[2] = Int32GetDatum(totals->nrecent);
	values[3] = Int64GetDatum(flush_total(totals, OVERALL, LED_WAL_BYTES));
	values[4] = Int64GetDatum((flushed - before) / FLUSH_BYTES);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	return (Datum) 0;
}

/* ring_reset() */
Datum
ring_reset(PG_FUNCTION_ARGS)
{
	LWLockAcquire(commit_stats_reset_lock(), LW_EXCLUSIVE);
	flush_totals_module.reset_copy();
	LWLockRelease(commit_stats_reset_lock());
	PG_RETURN_VOID();
}

/* ring_stop(): as if a process were stopped while it folds groups */
Datum
ring_stop(PG_FUNCTION_ARGS)
{
	changecount_begin(folds);
	PG_RETURN_VOID();
}

/* ring_exit(): ... and died there, of a FATAL error */
Datum
ring_exit(PG_FUNCTION_ARGS)
{
	changecount_abandon();
	changecount_abandon();		/* nothing is left to be ended */
	PG_RETURN_VOID();
}

/* ring_forget_boundary(): as if the newest group's publisher were stopped */
Datum
ring_forget_boundary(PG_FUNCTION_ARGS)
{
	pg_atomic_write_u64(&group_slot(flush_groups_newest())->boundary, 0);
	PG_RETURN_VOID();
}

/* ring_suspend(): the next process that prepares slots, before it has begun */
Datum
ring_suspend(PG_FUNCTION_ARGS)
{
	suspends = true;
	PG_RETURN_VOID();
}

/* ring_resume(): ... goes on */
Datum
ring_resume(PG_FUNCTION_ARGS)
{
	__real_flush_totals_prepare(suspended);
	PG_RETURN_VOID();
}
