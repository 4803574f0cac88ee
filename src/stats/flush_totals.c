/*-------------------------------------------------------------------------
 *
 * flush_totals.c
 *		How many flush groups of each kind there were: the histogram.
 *
 * The ring holds the newest groups.  Before the slot of an old one is made ready
 * for a group to come, the old one is folded into the histogram: FOLD_BATCH of
 * them at once, by the publisher of one group in FOLD_BATCH.  What is the same in
 * neighbouring groups, as it mostly is, is added once for a batch.  Totals are the
 * histogram and what is in the ring.
 *
 * Invariant: a group is counted once, in its slot or in the histogram.
 *
 * Locking: none on the commit path.  The histogram is added to atomically; a
 * reader copies it while no fold is under way (see changecount.c).  "base" and
 * "reset_boundary" are protected by commit_stats_reset_lock(), except that a fold
 * reads the latter, atomically, without it.
 *
 * A reader cannot be starved.  Groups are folded oldest first, and it copies
 * them in that order, a batch at a time.  A batch that it has copied may be
 * folded, so folds disturb it only if they catch up with it.  One comes with each
 * FOLD_BATCH flushes, which take far longer than copying as many groups.  Should
 * it be stopped again and again at the wrong moment, or a fold be late, it gives
 * up after CHANGECOUNT_MAX_PASSES tries, and between them it lets go of the lock.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "base/changecount.h"
#include "base/compat.h"
#include "base/guc.h"
#include "base/shared_memory.h"
#include "probe/siblings.h"
#include "stats/flush_groups.h"
#include "stats/flush_ring.h"
#include "stats/flush_totals.h"

StaticAssertDecl(FOLD_BATCH <= FLUSH_LOG_SIZE_MIN / 2, "size of a batch");

#define RESET_POLL	100			/* us */

typedef struct FlushTotalsShared
{
	ChangeCount		folds;			/* of groups into the histogram */
	pg_atomic_uint64 reset_boundary;	/* groups up to here are reset away */
} FlushTotalsShared;

static FlushTotalsShared *shared = NULL;
static pg_atomic_uint64 *folded = NULL; /* the histogram; added to atomically */
static uint64 *base = NULL;		/* what readers subtract: "folded" at the last
								 * reset or, until the first one, what was
								 * counted before the server started, negative */

/* Process-local, but the same everywhere from start-up on. */
static uint32 ncells = 0;		/* of each kind of count */

#define SHARED_HEAD_SIZE \
	TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(FlushTotalsShared))

/* What there is to count about a group. */
typedef struct GroupFigures
{
	uint32		commits;
	uint32		siblings;		/* as in LeaderReport; meaningful if it was led */
	bool		led;
	bool		delayed;
	uint64		wal_bytes;		/* 0: unknown */
} GroupFigures;

/*
 * Sums over groups.  Those that follow each other are mostly alike; so what
 * belongs into the same cells is added to them at once.
 */
typedef struct GroupSums
{
	uint32		size;			/* of the next two */
	uint64		by_size;
	uint64		delayed_by_size;
	uint32		siblings;		/* of the next three */
	uint64		by_siblings;
	uint64		delayed_by_siblings;
	uint64		commits_by_siblings;
	uint64		unled_flushes;
	uint64		unled_commits;
	uint64		wal_bytes;
} GroupSums;

/* Adds to a cell of the histogram, or of a copy of it. */
typedef void (*AddToCell) (void *histogram, GroupCountKind kind, uint64 cell,
						   uint64 n);

/*----------------------------------------------------------------
 * Shared memory
 *----------------------------------------------------------------
 */

static int
histogram_cells(int backends)
{
	return Max(backends + 1, OVERALL_COUNTS);
}

static Size
histogram_size(int backends)
{
	return mul_size(mul_size(GROUP_COUNT_KINDS, histogram_cells(backends)),
					sizeof(uint64));
}

Size
flush_totals_shared_size(int backends)
{
	Size		size = SHARED_HEAD_SIZE;

	size = add_size(size, histogram_size(backends));	/* folded */
	return add_size(size, histogram_size(backends));	/* base */
}

void
flush_totals_attach(void *part, bool found)
{
	int			ncounts;

	ncells = histogram_cells(MaxBackends);
	ncounts = GROUP_COUNT_KINDS * ncells;
	shared = part;
	folded = (pg_atomic_uint64 *) ((char *) part + SHARED_HEAD_SIZE);
	base = (uint64 *) (folded + ncounts);
	if (found)
		return;
	changecount_init(&shared->folds);
	pg_atomic_init_u64(&shared->reset_boundary, 0);
	for (int i = 0; i < ncounts; i++)
		pg_atomic_init_u64(&folded[i], 0);
	memset(base, 0, ncounts * sizeof(uint64));
}

/*----------------------------------------------------------------
 * Counting a group
 *----------------------------------------------------------------
 */

/* The cell of a size or a number of siblings; the last is for all larger ones. */
static inline uint64
cell_of(uint32 n)
{
	return Min(n, ncells - 1);
}

static pg_attribute_always_inline void
end_size(GroupSums *sums, AddToCell add, void *histogram)
{
	uint64		cell = cell_of(sums->size);

	if (sums->by_size > 0)
		add(histogram, FLUSHES_BY_SIZE, cell, sums->by_size);
	if (sums->delayed_by_size > 0)
		add(histogram, DELAYED_BY_SIZE, cell, sums->delayed_by_size);
	sums->by_size = sums->delayed_by_size = 0;
}

static pg_attribute_always_inline void
end_siblings(GroupSums *sums, AddToCell add, void *histogram)
{
	uint64		cell = cell_of(sums->siblings);

	if (sums->by_siblings > 0)
	{
		add(histogram, FLUSHES_BY_SIBLINGS, cell, sums->by_siblings);
		add(histogram, COMMITS_BY_SIBLINGS, cell, sums->commits_by_siblings);
	}
	if (sums->delayed_by_siblings > 0)
		add(histogram, DELAYED_BY_SIBLINGS, cell, sums->delayed_by_siblings);
	sums->by_siblings = sums->delayed_by_siblings = 0;
	sums->commits_by_siblings = 0;
}

/* Bring what is left to the histogram. */
static pg_attribute_always_inline void
end_sums(GroupSums *sums, AddToCell add, void *histogram)
{
	end_size(sums, add, histogram);
	end_siblings(sums, add, histogram);
	if (sums->unled_flushes > 0)
	{
		add(histogram, OVERALL, UNLED_FLUSHES, sums->unled_flushes);
		add(histogram, OVERALL, UNLED_COMMITS, sums->unled_commits);
	}
	if (sums->wal_bytes > 0)
		add(histogram, OVERALL, LED_WAL_BYTES, sums->wal_bytes);
}

static pg_attribute_always_inline void
count_group(GroupSums *sums, const GroupFigures *group, AddToCell add,
			void *histogram)
{
	if (!group->led)
	{
		sums->unled_flushes += group->commits > 0;
		sums->unled_commits += group->commits;
		return;
	}
	if (group->commits != sums->size)
	{
		end_size(sums, add, histogram);
		sums->size = group->commits;
	}
	if (group->siblings != sums->siblings)
	{
		end_siblings(sums, add, histogram);
		sums->siblings = group->siblings;
	}
	sums->by_size++;
	sums->delayed_by_size += group->delayed;
	if (group->siblings != SIBLINGS_NOT_COUNTED)
	{
		sums->by_siblings++;
		sums->delayed_by_siblings += group->delayed;
		sums->commits_by_siblings += group->commits;
	}
	sums->wal_bytes += group->wal_bytes;
}

/* Was a group reset away?  One whose boundary is not known was not. */
static inline bool
is_reset_away(XLogRecPtr boundary, XLogRecPtr reset_boundary)
{
	return boundary != 0 && boundary <= reset_boundary;
}

static inline bool
boundary_was_reset(XLogRecPtr boundary)
{
	return is_reset_away(boundary, pg_atomic_read_u64(&shared->reset_boundary));
}

/* Adds to the histogram that all share. */
static inline void
add_folded(void *histogram, GroupCountKind kind, uint64 cell, uint64 n)
{
	pg_atomic_fetch_add_u64(&folded[kind * ncells + cell], (int64) n);
}

/*
 * Count what is in the slot of a group for the last time, unless it was reset
 * away.
 */
static inline void
fold_group(FlushGroup *group, GroupNumber number, XLogRecPtr reset_boundary,
		   GroupSums *sums)
{
	uint64		tagged = pg_atomic_read_u64(&group->tagged_commits);
	XLogRecPtr	boundary = boundary_in_slot(group, number);
	XLogRecPtr	previous = pg_atomic_read_u64(&group->previous);
	GroupFigures figures;

	if (tag_number(tagged) != number ||
		is_reset_away(boundary, reset_boundary))
		return;
	figures.commits = tag_commits(tagged);
	figures.led = pg_atomic_read_u32(&group->reported) != 0;
	pg_read_barrier();
	figures.siblings = group->report.siblings;
	figures.delayed = group->report.delayed;
	figures.wal_bytes = flush_wal_bytes(boundary, previous);
	count_group(sums, &figures, add_folded, NULL);
}

static void
clear_group(FlushGroup *group)
{
	pg_atomic_write_u64(&group->boundary, 0);
	pg_atomic_write_u64(&group->previous, 0);
	pg_atomic_write_u64(&group->seen_at, 0);
	pg_atomic_write_u64(&group->leader_and_active, 0);
	pg_atomic_write_u32(&group->reported, 0);
}

/*
 * Make FOLD_BATCH slots of future groups ready: fold what is in them, then
 * clear them.  Called once for each batch, by the publisher of an earlier
 * group.  A batch is a whole part of the ring, and of the numbers.
 *
 * A reset that comes after its boundary was read here waits for this fold to
 * end, and then remembers all that it has counted.
 */
void
flush_totals_prepare(GroupNumber first)
{
	FlushGroupSlot *slots = &flush_ring[first & flush_ring_mask];
	GroupNumber old = flush_group_add(first, -2 * flush_groups_kept());
	GroupSums	sums = {0};
	XLogRecPtr	reset_boundary;

	if (slot_is_for(&slots->group, first))
		return;					/* ready since start-up */
	changecount_begin(&shared->folds);
	reset_boundary = pg_atomic_read_u64(&shared->reset_boundary);
	for (int i = 0; i < FOLD_BATCH; i++)
	{
		FlushGroup *group = &slots[i].group;

		fold_group(group, old + i, reset_boundary, &sums);
		clear_group(group);
		pg_write_barrier();
		pg_atomic_write_u64(&group->tagged_commits,
							(uint64) (first + i) << GROUP_NUMBER_BITS);
	}
	end_sums(&sums, add_folded, NULL);
	changecount_end(&shared->folds);
}

/*----------------------------------------------------------------
 * Readers
 *----------------------------------------------------------------
 */

/*
 * Copy the histogram.  Returns whether it was copied as it was at one moment,
 * when there had been "folds" of them.
 */
static bool
copy_folded(uint64 *value, uint64 folds)
{
	for (int i = 0; i < GROUP_COUNT_KINDS * ncells; i++)
		value[i] = pg_atomic_read_u64(&folded[i]);
	return changecount_since(&shared->folds, folds) == 0;
}

/* Adds to a copy. */
static inline void
add_total(void *histogram, GroupCountKind kind, uint64 cell, uint64 n)
{
	FlushTotals *totals = histogram;

	totals->value[kind * totals->ncells + cell] += n;
}

static void
count_copy(GroupSums *sums, const FlushGroupCopy *copy, FlushTotals *totals)
{
	GroupFigures figures;

	figures.commits = copy->commits;
	figures.siblings = copy->leader.siblings;
	figures.led = copy->leader_pid != 0;
	figures.delayed = copy->leader.delayed;
	figures.wal_bytes = flush_wal_bytes(copy->boundary, copy->previous);
	count_group(sums, &figures, add_total, totals);
}

/* Copy those groups of a batch that are in the ring, and count them. */
static void
copy_batch(FlushTotals *totals, GroupNumber first, GroupSums *sums)
{
	for (int i = 0; i < FOLD_BATCH; i++)
	{
		FlushGroupCopy *copy = &totals->recent[totals->nrecent];

		if (!flush_group_copy(flush_group_add(first, i), copy) ||
			boundary_was_reset(copy->boundary) ||
			(copy->commits == 0 && copy->leader_pid == 0))
			continue;
		count_copy(sums, copy, totals);
		totals->nrecent++;
	}
}

/* Batches that the ring has in all, those of groups to come included. */
static int
ring_batches(void)
{
	return 2 * flush_groups_kept() / FOLD_BATCH;
}

/*
 * Copy the groups that were not folded when there had been "folds" of them,
 * and count them.  Returns false if a group may have been folded before it
 * could be copied: each fold since then must be that of a batch copied before, and
 * a batch that is gone must have gone before.  (A publisher that is stopped folds
 * its batch late, after younger ones.)
 */
static bool
copy_ring(FlushTotals *totals, uint64 folds)
{
	GroupNumber newest = flush_groups_newest();
	GroupSums	sums = {0};
	uint64		copied = 0;

	totals->nrecent = 0;
	newest -= newest % FOLD_BATCH;
	for (int back = ring_batches() - 1; back >= 0; back--)
	{
		GroupNumber first = flush_group_add(newest, -back * FOLD_BATCH);
		bool		there = slot_is_for(group_slot(first), first);

		if (there)
			copy_batch(totals, first, &sums);
		if (changecount_since(&shared->folds, folds) > (there ? copied : 0))
			return false;
		copied += there;
	}
	end_sums(&sums, add_total, totals);
	return true;
}

/* All groups since the last reset, unless they were folded meanwhile. */
static bool
copy_groups(FlushTotals *totals)
{
	uint64		folds = changecount_wait(&shared->folds);

	if (!copy_folded(totals->value, folds) || !copy_ring(totals, folds))
		return false;
	for (int i = 0; i < GROUP_COUNT_KINDS * ncells; i++)
		totals->value[i] -= base[i];
	return true;
}

/*
 * All groups since the last reset; palloc'd.  Returns with the reset lock held,
 * shared, so that the caller can go on with what belongs to them, read later.
 */
FlushTotals *
flush_totals_lock_and_read(void)
{
	FlushTotals *totals = palloc(sizeof(FlushTotals));

	totals->ncells = ncells;
	totals->value = palloc(mul_size(GROUP_COUNT_KINDS * ncells, sizeof(uint64)));
	totals->recent = palloc(mul_size(ring_batches() * FOLD_BATCH,
									 sizeof(FlushGroupCopy)));
	for (int passes = 0;; changecount_count_pass(&passes))
	{
		acquire_reset_lock(LW_SHARED);
		if (copy_groups(totals))
			return totals;
		LWLockRelease(commit_stats_reset_lock());
		CHECK_FOR_INTERRUPTS();
	}
}

/* The boundary of the newest group whose publisher has come to writing it. */
static XLogRecPtr
newest_boundary(void)
{
	GroupNumber newest = flush_groups_newest();
	XLogRecPtr	boundary = 0;

	for (int back = 0; back < FOLD_BATCH && boundary == 0; back++)
		boundary = flush_group_boundary(flush_group_add(newest, -back));
	return boundary;
}

/* Wait until nothing is being folded, or raise an error; holds up nobody else. */
void
flush_totals_wait(void)
{
	(void) changecount_wait(&shared->folds);
}

/*
 * Copy the histogram, for a reset; palloc'd.  Caller holds the reset lock
 * exclusively, and then calls flush_totals_reset(), with nothing in between that
 * could raise an error.
 *
 * From here on a fold skips the groups up to the newest, as their boundaries are
 * not after reset_boundary.  That must be set before the histogram is copied, and
 * is taken back if it cannot be: if a process is stopped just then, in the middle
 * of a fold.  What others have folded meanwhile, which is for some ms, is lost then.
 */
uint64 *
flush_totals_prepare_reset(void)
{
	uint64	   *value = palloc(mul_size(GROUP_COUNT_KINDS * ncells, sizeof(uint64)));
	uint64		before = pg_atomic_read_u64(&shared->reset_boundary);
	uint64		folds;

	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	flush_totals_wait();
	pg_atomic_write_u64(&shared->reset_boundary, newest_boundary());
	pg_memory_barrier();
	for (int passes = 0; passes < CHANGECOUNT_MAX_PASSES; passes++)
	{
		if (changecount_read(&shared->folds, &folds) && copy_folded(value, folds))
			return value;
		pg_usleep(RESET_POLL);
	}
	pg_atomic_write_u64(&shared->reset_boundary, before);
	changecount_report_stopped();
	return NULL;				/* not reached */
}

/* Forget all groups up to the newest, as of flush_totals_prepare_reset(). */
void
flush_totals_reset(uint64 *value)
{
	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));


	memcpy(base, value, GROUP_COUNT_KINDS * ncells * sizeof(uint64));
	pfree(value);
}

/*----------------------------------------------------------------
 * Over a restart (persist.c), when no other process is there
 *----------------------------------------------------------------
 */

Size
flush_totals_saved_size(void)
{
	return histogram_size(MaxBackends);
}

/* The totals, as if all groups had been folded.  The ring is not kept. */
bool
flush_totals_save(void *to)
{
	FlushTotals totals = {.ncells = ncells,.value = to};
	GroupNumber newest = flush_groups_newest();
	GroupSums	sums = {0};

	if (!changecount_at_rest(&shared->folds))
		return false;
	for (int i = 0; i < GROUP_COUNT_KINDS * ncells; i++)
		totals.value[i] = pg_atomic_read_u64(&folded[i]) - base[i];
	for (int back = flush_groups_kept() + FOLD_BATCH; back >= 0; back--)
	{
		FlushGroupCopy copy;

		if (flush_group_copy(flush_group_add(newest, -back), &copy) &&
			!boundary_was_reset(copy.boundary))
			count_copy(&sums, &copy, &totals);
	}
	end_sums(&sums, add_total, &totals);
	return true;
}

/* Cells of a kind in so many bytes, if it is a whole number of enough of them. */
static int
kept_cells(Size size)
{
	Size		nkept = size / (GROUP_COUNT_KINDS * sizeof(uint64));

	if (nkept < OVERALL_COUNTS ||
		size != nkept * GROUP_COUNT_KINDS * sizeof(uint64))
		return 0;
	return (int) nkept;
}

bool
flush_totals_saved_fits(const void *from, Size size)
{
	return kept_cells(size) > 0;
}

/*
 * There are more cells now if more connections are allowed, or fewer; then the
 * last one is for all that were larger.
 */
void
flush_totals_restore(const void *from, Size size)
{
	const uint64 *kept = from;
	int			nkept = kept_cells(size);

	for (int kind = 0; kind < GROUP_COUNT_KINDS; kind++)
		for (int cell = 0; cell < nkept; cell++)
			base[kind * ncells + Min(cell, ncells - 1)] -=
				kept[kind * nkept + cell];
}
