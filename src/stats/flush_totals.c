/*-------------------------------------------------------------------------
 *
 * flush_totals.c
 *		How many flush groups of each kind there were: the histogram.
 *
 *	histogram	counts of the groups that have left the ring ("folded")
 *	batch		FOLD_BATCH neighbouring slots of the ring, and their groups
 *	fold		to add the groups of a batch to the histogram; neighbours are
 *				mostly alike, so it adds these up first
 *	prepare		to fold a batch, and clear its slots for new groups
 *	totals		the histogram, and the groups in the ring, since the last reset
 *
 * A group that stands for several flushes counts as that many.  Their sizes
 * are inferred: the first flush carried its leader and the early followers
 * (flush_ring.h), which waited while the flush before went on.  A later
 * follower began while the first flush went on, or it would have seen its end.
 * Against the shim's syncs this was right for 99% of the groups of two
 * flushes.  Three or more are rare; all but the first are taken for equal.
 *
 * Invariant: a group is counted once, in its slot or in the histogram (but see
 * changecount.c and flush_totals_prepare()).
 *
 * Locking: commit_stats_reset_lock() protects "base" and "reset_boundary".
 * The commit path takes no lock: a fold adds to the histogram and reads
 * "reset_boundary" atomically.  A reader copies the histogram while no fold is
 * under way.  Then it copies the ring, oldest batch first, as folds come, so a
 * fold disturbs it only by catching up.  A disturbed reader releases the lock
 * and tries again, up to CHANGECOUNT_MAX_PASSES times.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/changecount.h"
#include "base/guc.h"
#include "base/shared_counters.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "probe/siblings.h"
#include "stats/flush_totals.h"

StaticAssertDecl(FOLD_BATCH <= FLUSH_LOG_SIZE_MIN / 2, "size of a batch");

#define RESET_POLL	100			/* us */

typedef struct FlushTotalsShared
{
	ChangeCount folds;			/* of groups into the histogram */
	pg_atomic_uint64 reset_boundary;	/* groups up to here are reset away */
} FlushTotalsShared;

static FlushTotalsShared *shared = NULL;
static pg_atomic_uint64 *folded = NULL; /* the histogram; added to atomically */
static uint64 *base = NULL;		/* subtracted by readers; see backend_slots.c */
static uint32 ncells = 0;		/* of each kind of count */
static uint32 ncounts = 0;		/* cells of all kinds */

/* One cell of each kind */
#define CELL_SIZE	(GROUP_COUNT_KINDS * sizeof(uint64))

/* Neighbouring flushes that are alike, and sums over all flushes */
typedef struct GroupSums
{
	uint64	   *copy;			/* of the histogram, to add to; null: itself */
	uint64		flushes;		/* alike, and not in the histogram yet */
	uint32		commits;		/* in each of these */
	uint32		siblings;		/* of their leaders; as in LeaderReport */
	bool		slept;			/* their leaders */
	uint64		overall[OVERALL_COUNTS];
} GroupSums;

static void
flush_totals_attach(void *head, void *tail, bool found)
{
	ncells = MaxBackends;
	ncounts = GROUP_COUNT_KINDS * ncells;
	Assert(ncells >= OVERALL_COUNTS);
	shared = head;
	folded = tail;
	base = (uint64 *) (folded + ncounts);
}

/*---- Counting a group --------------------------------------------*/

/* Add to a cell; the last one is for all larger sizes and numbers, too. */
static void
add_to_cell(uint64 *copy, GroupCountKind kind, uint32 cell, uint64 n)
{
	uint32		i = kind * ncells + Min(cell, ncells - 1);

	if (copy != NULL)
		copy[i] += n;
	else
		pg_atomic_fetch_add_u64(&folded[i], (int64) n);
}

static void
end_alike(GroupSums *sums)
{
	uint64		n = sums->flushes;

	if (n == 0)
		return;
	sums->flushes = 0;
	add_to_cell(sums->copy, FLUSHES_BY_SIZE, sums->commits, n);
	if (sums->slept)
		add_to_cell(sums->copy, DELAYED_BY_SIZE, sums->commits, n);
	if (sums->siblings == SIBLINGS_NOT_COUNTED)
		return;
	add_to_cell(sums->copy, FLUSHES_BY_SIBLINGS, sums->siblings, n);
	add_to_cell(sums->copy, COMMITS_BY_SIBLINGS, sums->siblings,
				n * sums->commits);
	if (sums->slept)
		add_to_cell(sums->copy, DELAYED_BY_SIBLINGS, sums->siblings, n);
}

static void
end_sums(GroupSums *sums)
{
	end_alike(sums);
	for (int i = 0; i < OVERALL_COUNTS; i++)
		if (sums->overall[i] > 0)
			add_to_cell(sums->copy, OVERALL, i, sums->overall[i]);
}

static inline void
count_flush(GroupSums *sums, uint32 commits, const LeaderReport *leader)
{
	bool		slept = leader->sleep_kind != SLEEP_NONE;

	if (commits != sums->commits || leader->siblings != sums->siblings ||
		slept != sums->slept)
	{
		end_alike(sums);
		sums->commits = commits;
		sums->siblings = leader->siblings;
		sums->slept = slept;
	}
	sums->flushes++;
}

/* A group that stands for several flushes, all as one leader has reported. */
static pg_noinline void
count_merged(GroupSums *sums, uint64 tagged, const LeaderReport *leader)
{
	int			left = (int) tag_commits(tagged);
	int			flushes = 1 + (int) tag_merged(tagged);
	int			commits = 1 + (int) tag_early(tagged);

	sums->overall[INFERRED_FLUSHES] += flushes;
	/* each of the others carried a commit, or more than that */
	commits = Max(Min(commits, left - (flushes - 1)), 0);
	while (flushes > 0)
	{
		count_flush(sums, commits, leader);
		left -= commits;
		if (--flushes > 0)
			commits = left / flushes;
	}
}

/* "tagged" is the tag of the group; "leader" is meaningful if it was led. */
static inline void
count_group(GroupSums *sums, uint64 tagged, bool led,
			const LeaderReport *leader, uint64 wal_bytes)
{
	uint32		commits = tag_commits(tagged);

	if (!led)
	{
		sums->overall[UNLED_COMMITS] += commits;
		return;
	}
	if (unlikely(tag_merged(tagged) != 0))
		count_merged(sums, tagged, leader);
	else
		count_flush(sums, commits, leader);
	sums->overall[LED_WAL_BYTES] += wal_bytes;
}

static inline bool
is_reset_away(XLogRecPtr boundary, XLogRecPtr reset_boundary)
{
	return boundary != 0 && boundary <= reset_boundary;
}

/* The caller has a read barrier after it has read the tag. */
static inline void
fold_group(FlushGroup *group, uint64 tagged, XLogRecPtr reset_boundary,
		   GroupSums *sums)
{
	XLogRecPtr	boundary = boundary_in_slot(group, tag_number(tagged));
	XLogRecPtr	previous = pg_atomic_read_u64(&group->previous);
	bool		led;

	if (is_reset_away(boundary, reset_boundary))
		return;
	led = pg_atomic_read_u32(&group->reported) != 0;
	pg_read_barrier();			/* protocol report */
	count_group(sums, tagged, led, &group->report,
				flush_wal_bytes(boundary, previous));
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
 * Returns true if another process has prepared the slot of group "number", for
 * that group or for a later one.  "tag" was in the slot, before a read
 * barrier.
 */
static pg_noinline bool
is_prepared(GroupNumber number, GroupNumber tag)
{
	GroupNumber last = flush_group_add(flush_groups_newest(),
									   flush_groups_kept());

	return flush_groups_distance(number, tag) <=
		flush_groups_distance(number, last);
}

/*
 * Prepare the batch that begins with group "first".  The publisher of an
 * earlier group calls this, once for each batch.
 *
 * If that process is suspended, another one prepares the rest a round later,
 * and the suspended one stops at the first slot that is prepared already.
 * Only the slot at which it was suspended can be spoilt: its group counted
 * twice, or the later group cleared, and its commits without a group.
 *
 * A reset that comes after reset_boundary was read here waits for this fold to
 * end, and then remembers all that the fold has counted.
 */
void
flush_totals_prepare(GroupNumber first)
{
	FlushGroup *slots = group_slot(first);
	GroupNumber old = flush_group_add(first, -2 * flush_groups_kept());
	GroupSums	sums = {0};
	XLogRecPtr	reset_boundary;

	if (slot_is_for(slots, first))
		return;					/* ready since start-up */
	changecount_begin(&shared->folds);
	reset_boundary = pg_atomic_read_u64(&shared->reset_boundary);
	for (int i = 0; i < FOLD_BATCH; i++)
	{
		FlushGroup *group = &slots[i];
		uint64		tagged = pg_atomic_read_u64(&group->tagged_commits);

		pg_read_barrier();		/* protocols prepare, prepared */
		if (unlikely(tag_number(tagged) != old + i) &&
			is_prepared(first + i, tag_number(tagged)))
			break;
		fold_group(group, tagged, reset_boundary, &sums);
		clear_group(group);
		pg_write_barrier();		/* protocols prepare, prepared, claim and
								 * reuse_boundary */
		pg_atomic_write_u64(&group->tagged_commits,
							make_tag(first + i));
	}
	end_sums(&sums);
	changecount_end(&shared->folds);
}

/*---- Readers -----------------------------------------------------*/

static void
copy_group(FlushTotals *totals, GroupNumber number, GroupSums *sums)
{
	FlushGroupCopy copy;

	if (!flush_group_copy(number, &copy) ||
		is_reset_away(copy.boundary,
					  pg_atomic_read_u64(&shared->reset_boundary)) ||
		(copy.commits == 0 && copy.leader_pid == 0))
		return;
	count_group(sums, copy.tagged, copy.leader_pid != 0, &copy.leader,
				flush_wal_bytes(copy.boundary, copy.previous));
	if (totals->recent != NULL)
		totals->recent[totals->nrecent++] = copy;
}

/* Those of groups to come included */
static int
ring_batches(void)
{
	return 2 * flush_groups_kept() / FOLD_BATCH;
}

/*
 * Copy and count the groups that were in the ring after "folds" folds.
 * Returns false if one may have been folded before it could be copied: each
 * fold since then must be that of a batch copied before, and a batch that is
 * gone must have gone before.  (A publisher that is stopped folds its batch
 * late, after younger ones.  A batch that another process folds a round later
 * is missing in between.)
 */
static bool
copy_ring(FlushTotals *totals, uint64 folds)
{
	GroupNumber newest = flush_groups_newest();
	GroupSums	sums = {.copy = totals->value};
	uint64		copied = 0;

	totals->nrecent = 0;
	newest -= newest % FOLD_BATCH;
	for (int back = ring_batches() - 1; back >= 0; back--)
	{
		GroupNumber first = flush_group_add(newest, -back * FOLD_BATCH);
		bool		there = slot_is_for(group_slot(first), first);

		for (int i = 0; there && i < FOLD_BATCH; i++)
			copy_group(totals, flush_group_add(first, i), &sums);
		if (changecount_since(&shared->folds, folds) > (there ? copied : 0))
			return false;
		copied += there;
	}
	end_sums(&sums);
	return true;
}

/* Returns false if a fold has come in between. */
static bool
copy_groups(FlushTotals *totals)
{
	uint64		folds = changecount_wait(&shared->folds);

	counter_array_read(totals->value, folded, ncounts);
	if (changecount_since(&shared->folds, folds) > 0 ||
		!copy_ring(totals, folds))
		return false;
	counter_array_subtract(totals->value, base, ncounts);
	return true;
}

/*
 * Totals; palloc'd.  Returns with the reset lock held, shared, so that the
 * caller can read what is to contain at least these groups.
 */
FlushTotals *
flush_totals_lock_and_read(void)
{
	FlushTotals *totals = palloc(sizeof(FlushTotals));

	totals->ncells = ncells;
	totals->value = palloc(mul_size(ncounts, sizeof(uint64)));
	totals->recent = palloc(mul_size(ring_batches() * FOLD_BATCH,
									 sizeof(FlushGroupCopy)));
	for (int passes = 0;; changecount_count_pass(&passes))
	{
		shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
		if (copy_groups(totals))
			return totals;
		LWLockRelease(commit_stats_reset_lock());
		CHECK_FOR_INTERRUPTS();
	}
}

/* The newest boundary that a publisher has come to writing. */
static XLogRecPtr
newest_boundary(void)
{
	GroupNumber newest = flush_groups_newest();
	XLogRecPtr	boundary = 0;

	for (int back = 0; back < FOLD_BATCH && boundary == 0; back++)
		boundary = flush_group_boundary(flush_group_add(newest, -back));
	return boundary;
}

static void
flush_totals_wait(void)
{
	(void) changecount_wait(&shared->folds);
}

/*
 * Forget all groups up to the newest, or raise an error and change nothing.
 *
 * Folds skip the groups up to reset_boundary, which must be set before the
 * histogram is copied.  If a process is stopped just then in the middle of a
 * fold, reset_boundary gets its old value back, and what others have folded in
 * these milliseconds is lost.
 */
static void
flush_totals_reset_copy(void)
{
	uint64	   *value = palloc(mul_size(ncounts, sizeof(uint64)));
	uint64		before = pg_atomic_read_u64(&shared->reset_boundary);
	uint64		folds;

	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	flush_totals_wait();
	pg_atomic_write_u64(&shared->reset_boundary, newest_boundary());
	pg_memory_barrier();		/* protocol reset */
	for (int passes = 0; passes < CHANGECOUNT_MAX_PASSES; passes++)
	{
		if (changecount_read(&shared->folds, &folds))
		{
			counter_array_read(value, folded, ncounts);
			if (changecount_since(&shared->folds, folds) == 0)
			{
				memcpy(base, value, ncounts * sizeof(uint64));
				pfree(value);
				return;
			}
		}
		pg_usleep(RESET_POLL);
	}
	pg_atomic_write_u64(&shared->reset_boundary, before);
	changecount_report_stopped();
}

/* No process is left that could fold or count.  The ring is not saved. */
static void
flush_totals_save(const void *object, void *to)
{
	FlushTotals totals = {.value = to};

	(void) copy_groups(&totals);
}

/* The number of cells is that of another MaxBackends, perhaps. */
static bool
flush_totals_fits(const void *object, Size size)
{
	return size % CELL_SIZE == 0 && size / CELL_SIZE >= OVERALL_COUNTS;
}

static void
flush_totals_restore(void *object, const void *from, Size size)
{
	const uint64 *saved = from;
	int			nsaved = size / CELL_SIZE;

	for (int kind = 0; kind < GROUP_COUNT_KINDS; kind++)
		for (int cell = 0; cell < nsaved; cell++)
			base[kind * ncells + Min(cell, ncells - 1)] -=
				saved[kind * nsaved + cell];
}

const StatsModule flush_totals_module = {
	.head_size = sizeof(FlushTotalsShared),
	.slot_size = 2 * CELL_SIZE, /* "folded" and "base" */
	.attach = flush_totals_attach,
	.reset_prepare = flush_totals_wait,
	.reset_copy = flush_totals_reset_copy,
	.saved_name = "flush_totals",
	.saved_slot_size = CELL_SIZE,
	.save = flush_totals_save,
	.fits = flush_totals_fits,
	.restore = flush_totals_restore,
};
