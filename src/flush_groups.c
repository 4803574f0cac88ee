/*-------------------------------------------------------------------------
 *
 * flush_groups.c
 *		Which commits shared a flush: boundaries, groups, ring, histogram.
 *
 * Every value that the server's flush pointer takes is a boundary: the end of
 * one flush.  Commits read the pointer before and after, and whoever first
 * sees a new value publishes a group for it.  A commit belongs to the group
 * with the smallest boundary at or after the end of its commit record.  A
 * boundary that nobody saw merges its group into the next one; the second
 * leader to arrive at a group proves that, and is counted as unresolved.
 *
 * The ring.  Group g lives in slot g modulo the number of slots.  One 64-bit
 * word, "head", holds the number and the boundary of the newest group, so that
 * publishing a group is one compare-and-swap.  Slots are made ready in batches,
 * long before they are published, by the publisher of one group in FOLD_BATCH;
 * only then are the old groups in them folded into the histogram.  So half of
 * the slots hold the most recent groups at any moment, and a member that comes
 * late (having waited for a standby, say) still finds its group.  What is the
 * same in neighbouring groups, as it mostly is, is added once for a batch.
 *
 * Invariant: a group is counted once, in its slot or in the histogram.  The
 * tag of a slot says which group it is for; whoever adds to a slot learns in
 * the same atomic operation whether it was the right one.
 *
 * Locking: none on the commit path, where nobody ever waits for anybody.  The
 * histogram is added to atomically; a reader copies it while no fold is under
 * way (see moves.h).  "base" and "reset_boundary" are protected by
 * commit_stats_reset_lock(), except that a fold reads the latter, atomically,
 * without it.
 *
 * A process that is stopped while it prepares a batch, for as long as the
 * others take to come there, makes these slots useless: their members do not
 * find their group and are counted as unresolved.
 *
 * src/flush_groups.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "port/pg_bitutils.h"
#include "storage/shmem.h"

#include "compat.h"
#include "flush_groups.h"
#include "moves.h"
#include "shared_memory.h"

#define ACTIVE_BITS			32

#define MAX_PUBLISH_TRIES	4	/* when others publish at the same time */
#define MAX_NOTE_TRIES		16	/* when others note something as well */
#define FOLD_BATCH			64	/* divides the numbers; half the least half of
								 * a ring */

typedef struct FlushGroup
{
	/*
	 * Group number above GROUP_NUMBER_BITS, below them its members so far.
	 * Members add one atomically; set by the preparer of the slot.
	 */
	pg_atomic_uint64 tagged_commits;

	/* Written by the publisher, just after it has swapped "head"; atomic. */
	pg_atomic_uint64 boundary;	/* 0: not written yet */
	pg_atomic_uint64 previous;	/* boundary of the group before; 0: unknown */
	pg_atomic_uint64 seen_at;	/* ns of clock_now(); 0: not written yet */

	/*
	 * The leader's process above ACTIVE_BITS, 0 until one claims the group;
	 * below them the most transactions that a member saw active.  Swapped.
	 */
	pg_atomic_uint64 leader_and_active;

	pg_atomic_uint32 reported;	/* set by that leader: "report" is complete */
	LeaderReport report;		/* written by that leader, before "reported" */
} FlushGroup;

/* So a leader writes one cache line of most processors, beside "head". */
StaticAssertDecl(sizeof(FlushGroup) <= 64, "size of a group");

typedef union FlushGroupSlot
{
	FlushGroup	group;
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(FlushGroup))];
} FlushGroupSlot;

typedef struct FlushGroupsShared
{
	/*
	 * The newest group: its number in the lower GROUP_NUMBER_BITS, above them
	 * the low bits of its boundary divided by 8 (the end of a WAL record is
	 * aligned to that).  0 before the first group.  Swapped atomically.
	 */
	pg_atomic_uint64 head;
	char		pad[PG_CACHE_LINE_SIZE - sizeof(pg_atomic_uint64)];

	Moves		folds;			/* of groups into the histogram */
	pg_atomic_uint64 reset_boundary;	/* groups up to here are reset away */
} FlushGroupsShared;

int			flush_log_size = FLUSH_LOG_SIZE_DEFAULT;

static FlushGroupsShared *shared = NULL;
static FlushGroupSlot *ring = NULL; /* slot_mask + 1 of them */
static pg_atomic_uint64 *folded = NULL; /* the histogram; added to atomically */
static uint64 *base = NULL;		/* what readers subtract: "folded" at the last
								 * reset or, until the first one, what was
								 * counted before the server started, negative */

/* Process-local, but the same everywhere from start-up on. */
static GroupNumber slot_mask = 0;	/* slots of the ring, a power of two, less 1 */
static uint32 ncells = 0;		/* of each kind of count */

#define SHARED_HEAD_SIZE \
	TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(FlushGroupsShared))

StaticAssertDecl(FOLD_BATCH <= FLUSH_LOG_SIZE_MIN / 2, "size of a batch");

/* What there is to count about a group. */
typedef struct GroupFigures
{
	uint32		commits;
	uint32		siblings;		/* meaningful if it was led */
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

/* Half of the ring is always ready for groups to come, hence twice the size. */
static int
ring_slots(void)
{
	return 2 * (int) pg_nextpower2_32(flush_log_size);
}

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
flush_groups_shared_size(int backends)
{
	Size		size = SHARED_HEAD_SIZE;

	size = add_size(size, mul_size(ring_slots(), sizeof(FlushGroupSlot)));
	size = add_size(size, histogram_size(backends));	/* folded */
	return add_size(size, histogram_size(backends));	/* base */
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

static void
init_group(FlushGroup *group, GroupNumber number)
{
	pg_atomic_init_u64(&group->tagged_commits,
					   (uint64) number << GROUP_NUMBER_BITS);
	pg_atomic_init_u64(&group->boundary, 0);
	pg_atomic_init_u64(&group->previous, 0);
	pg_atomic_init_u64(&group->seen_at, 0);
	pg_atomic_init_u64(&group->leader_and_active, 0);
	pg_atomic_init_u32(&group->reported, 0);
}

void
flush_groups_attach(void *part, bool found)
{
	int			ncounts;

	slot_mask = ring_slots() - 1;
	ncells = histogram_cells(MaxBackends);
	ncounts = GROUP_COUNT_KINDS * ncells;
	shared = part;
	ring = (FlushGroupSlot *) ((char *) part + SHARED_HEAD_SIZE);
	folded = (pg_atomic_uint64 *) (ring + ring_slots());
	base = (uint64 *) (folded + ncounts);
	if (found)
		return;

	pg_atomic_init_u64(&shared->head, 0);
	moves_init(&shared->folds);
	pg_atomic_init_u64(&shared->reset_boundary, 0);
	for (int i = 0; i < ring_slots(); i++)
		init_group(&ring[i].group, i);
	/* No group has number 0 the first time round; it ends before any commit. */
	pg_atomic_write_u64(&ring[0].group.boundary, 1);
	for (int i = 0; i < ncounts; i++)
		pg_atomic_init_u64(&folded[i], 0);
	memset(base, 0, ncounts * sizeof(uint64));
}

/*----------------------------------------------------------------
 * Numbers and words
 *----------------------------------------------------------------
 */

/* How many groups, the newest ones, the ring holds for certain. */
int
flush_groups_kept(void)
{
	return (int) (slot_mask + 1) / 2;
}

static inline FlushGroup *
group_slot(GroupNumber number)
{
	return &ring[number & slot_mask].group;
}

static inline GroupNumber
tag_number(uint64 tagged_commits)
{
	return (GroupNumber) (tagged_commits >> GROUP_NUMBER_BITS);
}

static inline uint32
tag_commits(uint64 tagged_commits)
{
	return (uint32) (tagged_commits & GROUP_NUMBER_MASK);
}

static inline uint32
active_in(uint64 leader_and_active)
{
	return (uint32) leader_and_active;
}

static inline uint32
leader_in(uint64 leader_and_active)
{
	return (uint32) (leader_and_active >> ACTIVE_BITS);
}

static inline bool
slot_is_for(FlushGroup *group, GroupNumber number)
{
	return tag_number(pg_atomic_read_u64(&group->tagged_commits)) == number;
}

static inline GroupNumber
head_number(uint64 head)
{
	return (GroupNumber) (head & GROUP_NUMBER_MASK);
}

static inline uint64
make_head(GroupNumber number, XLogRecPtr boundary)
{
	return ((boundary >> 3) << GROUP_NUMBER_BITS) | number;
}

/*
 * How far the boundary in a head is beyond a position.  Its upper bits are missing
 * there, so the position must be within 64 TB of it.  The unit makes the sign of
 * the 44 bits that are there that of the result: 8 bytes are 1 << GROUP_NUMBER_BITS.
 */
static inline int64
head_distance(uint64 head, XLogRecPtr from)
{
	return (int64) ((head & ~GROUP_NUMBER_MASK) -
					((from >> 3) << GROUP_NUMBER_BITS));
}

/* Is the boundary in a head at or after a position? */
static inline bool
head_reaches(uint64 head, XLogRecPtr lsn)
{
	return head != 0 && head_distance(head, lsn) >= 0;
}

/* The boundary in a head; "near" is any position within 64 TB of it. */
static inline XLogRecPtr
head_boundary(uint64 head, XLogRecPtr near)
{
	if (head == 0)
		return InvalidXLogRecPtr;
	return (near & ~UINT64CONST(7)) + 8 *
		(head_distance(head, near) >> GROUP_NUMBER_BITS);
}

/*
 * The boundary of the group whose slot this is, if it is this one's.  Its
 * publisher may have been stopped before it came to writing it; then that of the
 * next group has.  0 if nobody has.
 */
static inline XLogRecPtr
boundary_in_slot(FlushGroup *group, GroupNumber number)
{
	XLogRecPtr	boundary = pg_atomic_read_u64(&group->boundary);
	GroupNumber next = flush_group_add(number, 1);

	if (unlikely(boundary == 0) && slot_is_for(group_slot(next), next))
		boundary = pg_atomic_read_u64(&group_slot(next)->previous);
	return boundary;
}

/*----------------------------------------------------------------
 * Counting a group
 *----------------------------------------------------------------
 */

/* Returns false if the group is not in the ring. */
bool
flush_group_copy(GroupNumber number, FlushGroupCopy *copy)
{
	FlushGroup *group = group_slot(number);
	uint64		tagged = pg_atomic_read_u64(&group->tagged_commits);

	if (tag_number(tagged) != number)
		return false;
	pg_read_barrier();
	copy->number = number;
	copy->commits = tag_commits(tagged);
	copy->boundary = boundary_in_slot(group, number);
	copy->previous = pg_atomic_read_u64(&group->previous);
	copy->seen_at = pg_atomic_read_u64(&group->seen_at);
	copy->active =
		Max(active_in(pg_atomic_read_u64(&group->leader_and_active)),
			copy->commits);
	copy->leader_pid = 0;
	memset(&copy->leader, 0, sizeof(copy->leader));
	if (pg_atomic_read_u32(&group->reported))
	{
		pg_read_barrier();
		copy->leader_pid = (int)
			leader_in(pg_atomic_read_u64(&group->leader_and_active));
		copy->leader = group->report;
	}
	pg_read_barrier();
	return slot_is_for(group, number);
}

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
	sums->by_siblings++;
	sums->commits_by_siblings += group->commits;
	if (unlikely(group->delayed))
	{
		sums->delayed_by_size++;
		sums->delayed_by_siblings++;
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
	figures.wal_bytes = previous != 0 ? boundary - previous : 0;
	count_group(sums, &figures, add_folded, NULL);
}

/*
 * Make FOLD_BATCH slots of future groups ready: fold what is in them, then
 * clear them.  Called once for each batch, by the publisher of an earlier
 * group.  A batch is a whole part of the ring, and of the numbers.  Returns
 * "result".
 *
 * A reset that comes after its boundary was read here waits for this fold to
 * end, and then remembers all that it has counted.
 */
static pg_noinline GroupNumber
prepare_batch(GroupNumber first, GroupNumber result)
{
	FlushGroupSlot *slots = &ring[first & slot_mask];
	GroupNumber old = flush_group_add(first, -(int) (slot_mask + 1));
	GroupSums	sums = {0};
	XLogRecPtr	reset_boundary;

	if (slot_is_for(&slots->group, first))
		return result;			/* ready since start-up */
	moves_begin(&shared->folds);
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
	moves_end(&shared->folds);
	return result;
}

/*----------------------------------------------------------------
 * The commit path
 *----------------------------------------------------------------
 */

/* Fill in a group that this process has just put into "head". */
static inline void
describe_group(GroupNumber number, XLogRecPtr boundary, XLogRecPtr previous,
			   uint64 now)
{
	FlushGroup *group = group_slot(number);

	if (slot_is_for(group, number))
	{
		pg_atomic_write_u64(&group->seen_at, now);
		pg_atomic_write_u64(&group->previous, previous);
		pg_write_barrier();
		pg_atomic_write_u64(&group->boundary, boundary);
	}
}

/*
 * This process has published a group: one in FOLD_BATCH has others made ready.
 * Returns "result"; to be called last, so that nothing need be kept meanwhile.
 */
static inline GroupNumber
finish_publishing(GroupNumber number, GroupNumber result)
{
	if (unlikely(number % FOLD_BATCH == 0))
		return prepare_batch(flush_group_add(number,
											 flush_groups_kept() - FOLD_BATCH),
							 result);
	return result;
}

/*
 * The flush pointer was seen at "flushed", beyond the newest boundary, which is in
 * "head": publish a group for it, unless others are quicker.  "head" is that of the
 * newest group then.  Returns the boundary before the group, or 0 if it is not ours,
 * or the first of all.
 */
static pg_attribute_always_inline XLogRecPtr
publish_group(uint64 *head, XLogRecPtr flushed, uint64 now)
{
	for (int i = 0; i < MAX_PUBLISH_TRIES; i++)
	{
		GroupNumber number = flush_group_add(head_number(*head), 1);
		uint64		next = make_head(number, flushed);

		if (pg_atomic_compare_exchange_u64(&shared->head, head, next))
		{
			XLogRecPtr	previous = head_boundary(*head, flushed);

			describe_group(number, flushed, previous, now);
			*head = next;
			return previous;
		}
		if (head_reaches(*head, flushed))
			break;
	}
	return InvalidXLogRecPtr;
}

/*
 * The flush pointer was seen at "flushed": publish a group for this boundary
 * unless it, or a later one, is there already.
 */
void
flush_groups_observe(XLogRecPtr flushed, uint64 now)
{
	uint64		head = pg_atomic_read_u64(&shared->head);

	if (!head_reaches(head, flushed))
	{
		if (publish_group(&head, flushed, now) != 0)
			(void) finish_publishing(head_number(head), 0);
	}
}

/* The boundary of a group; 0 if it is not known, or the group not in the ring. */
static inline XLogRecPtr
group_boundary(GroupNumber number)
{
	FlushGroup *group = group_slot(number);
	XLogRecPtr	boundary = boundary_in_slot(group, number);

	pg_read_barrier();
	return slot_is_for(group, number) ? boundary : InvalidXLogRecPtr;
}

/*
 * The group of a record that ends at "lsn", if it is not the newest group, which
 * ends at or after it.
 *
 * It is nearly always one of the next, so we begin there and double our steps
 * back until we are before it; then we halve the distance.
 */
static pg_noinline GroupNumber
find_older(GroupNumber newest, XLogRecPtr lsn)
{
	int			found = 0;		/* this far back it ends at or after lsn */
	int			beyond = 1;		/* this far back it should end before lsn */
	XLogRecPtr	boundary;		/* of the group that is "beyond" back */

	boundary = group_boundary(flush_group_add(newest, -1));
	while (boundary >= lsn && beyond < flush_groups_kept())
	{
		found = beyond;
		beyond *= 2;
		boundary = group_boundary(flush_group_add(newest, -beyond));
	}
	while (beyond - found > 1)
	{
		int			middle = (found + beyond) / 2;
		XLogRecPtr	between = group_boundary(flush_group_add(newest, -middle));

		if (between < lsn)
		{
			beyond = middle;
			boundary = between;
		}
		else
			found = middle;
	}

	/* The one before it must be there to prove that it is the right one. */
	if (boundary == InvalidXLogRecPtr || boundary >= lsn)
		return InvalidGroupNumber;
	return flush_group_add(newest, -found);
}

/* The same, if this process has just published the newest group. */
static pg_noinline GroupNumber
find_before_published(GroupNumber newest, XLogRecPtr lsn)
{
	return finish_publishing(newest, find_older(newest, lsn));
}

/* Is the boundary before the newest group, which others published, before "lsn"? */
static inline bool
newest_begins_before(GroupNumber newest, XLogRecPtr lsn)
{
	FlushGroup *group = group_slot(newest);
	XLogRecPtr	previous;

	pg_read_barrier();
	previous = pg_atomic_read_u64(&group->previous);
	pg_read_barrier();
	return previous != 0 && previous < lsn && slot_is_for(group, newest);
}

/*
 * The flush pointer was seen at "flushed", and a record that ends at "lsn", which
 * is not beyond that, was flushed with which group?  If it is known.
 */
GroupNumber
flush_groups_find(XLogRecPtr lsn, XLogRecPtr flushed, uint64 now)
{
	uint64		head = pg_atomic_read_u64(&shared->head);
	XLogRecPtr	previous = InvalidXLogRecPtr;

	if (!head_reaches(head, flushed))
		previous = publish_group(&head, flushed, now);
	if (previous != 0)
	{
		if (unlikely(previous >= lsn))
			return find_before_published(head_number(head), lsn);
		return finish_publishing(head_number(head), head_number(head));
	}
	if (!head_reaches(head, lsn))
		return InvalidGroupNumber;
	if (newest_begins_before(head_number(head), lsn))
		return head_number(head);
	return find_older(head_number(head), lsn);
}

/* Count a commit into its group.  Returns false if the group is gone. */
static inline bool
join_group(FlushGroup *group, GroupNumber number)
{
	if (tag_number(pg_atomic_fetch_add_u64(&group->tagged_commits, 1)) == number)
		return true;
	pg_atomic_fetch_sub_u64(&group->tagged_commits, 1);
	return false;
}

/* A member that did not lead saw so many transactions active. */
static inline void
note_active(FlushGroup *group, uint32 active)
{
	uint64		seen = pg_atomic_read_u64(&group->leader_and_active);

	for (int i = 0; i < MAX_NOTE_TRIES && active_in(seen) < active; i++)
	{
		uint64		next = seen - active_in(seen) + active;

		if (pg_atomic_compare_exchange_u64(&group->leader_and_active, &seen,
										   next))
			break;
	}
}

/*
 * The leader claims the group, and says the same.  Returns false if the group has
 * another leader: then a boundary was missed.
 */
static inline bool
claim_group(FlushGroup *group, uint32 active)
{
	uint64		seen = pg_atomic_read_u64(&group->leader_and_active);

	for (int i = 0; i < MAX_NOTE_TRIES && leader_in(seen) == 0; i++)
	{
		uint64		next = (uint64) MyProcPid << ACTIVE_BITS | Max(seen, active);

		if (pg_atomic_compare_exchange_u64(&group->leader_and_active, &seen,
										   next))
			return true;
	}
	return false;
}

/*
 * Enter into a group what is known about it: a commit, if it is one, that saw so
 * many transactions active, itself included; and if it led the flush, a report.
 * Returns what of that was not possible: GROUP_OF_COMMIT if the group is gone,
 * GROUP_OF_LEADER also if it has another leader.
 */
int
flush_group_enter(GroupNumber number, bool is_commit, uint32 active,
				  const LeaderReport *report)
{
	FlushGroup *group = group_slot(number);

	/*
	 * Look first: to add to a slot that another prepares could spoil its tag.
	 * No slot is for InvalidGroupNumber.
	 */
	if (!slot_is_for(group, number) ||
		(is_commit && !join_group(group, number)))
		return (is_commit ? GROUP_OF_COMMIT : 0) |
			(report != NULL ? GROUP_OF_LEADER : 0);
	if (report == NULL)
	{
		note_active(group, active);
		return 0;
	}
	if (!claim_group(group, active))
		return GROUP_OF_LEADER;
	group->report = *report;
	pg_write_barrier();
	pg_atomic_write_u32(&group->reported, 1);
	return 0;
}

/* For the leader of a group, before it reports. */
void
flush_group_traces(GroupNumber number, FlushTraces *traces)
{
	FlushGroupCopy copy;

	traces->seen_at = traces->previous_seen_at = 0;
	traces->previous_siblings_after = -1;
	if (flush_group_copy(number, &copy))
		traces->seen_at = copy.seen_at;
	if (flush_group_copy(flush_group_add(number, -1), &copy))
	{
		traces->previous_seen_at = copy.seen_at;
		if (copy.leader_pid != 0)
			traces->previous_siblings_after = (int) copy.leader.siblings_after;
	}
}

/*----------------------------------------------------------------
 * Readers
 *----------------------------------------------------------------
 */

GroupNumber
flush_groups_newest(void)
{
	return head_number(pg_atomic_read_u64(&shared->head));
}

/* Copy the histogram as it was at one moment; returns the folds until then. */
static uint64
copy_folded(uint64 *value)
{
	uint64		folds;

	do
	{
		folds = moves_wait(&shared->folds);
		for (int i = 0; i < GROUP_COUNT_KINDS * ncells; i++)
			value[i] = pg_atomic_read_u64(&folded[i]);
	} while (moves_since(&shared->folds, folds) != 0);
	return folds;
}

/* Adds to a copy. */
static inline void
add_total(void *histogram, GroupCountKind kind, uint64 cell, uint64 n)
{
	FlushGroupTotals *totals = histogram;

	totals->value[kind * totals->ncells + cell] += n;
}

static void
count_copy(GroupSums *sums, const FlushGroupCopy *copy, FlushGroupTotals *totals)
{
	GroupFigures figures;

	figures.commits = copy->commits;
	figures.siblings = copy->leader.siblings;
	figures.led = copy->leader_pid != 0;
	figures.delayed = copy->leader.delayed;
	figures.wal_bytes = copy->previous != 0 ?
		copy->boundary - copy->previous : 0;
	count_group(sums, &figures, add_total, totals);
}

/*
 * Copy the groups that were not folded when there had been "folds" of them,
 * and count them.  Returns false if a group may have been folded before it
 * could be copied.
 *
 * Groups are folded oldest first, but for a process that was stopped.  So as
 * many groups as a batch has are copied while nothing is folded, and by the end
 * no more than that one batch may have been.
 */
static bool
copy_ring(FlushGroupTotals *totals, uint64 folds)
{
	GroupNumber newest = flush_groups_newest();
	GroupSums	sums = {0};
	int			n = 0;

	totals->nrecent = 0;
	for (int back = flush_groups_kept() + FOLD_BATCH; back >= 0; back--)
	{
		FlushGroupCopy *copy = &totals->recent[totals->nrecent];

		if (flush_group_copy(flush_group_add(newest, -back), copy))
		{
			if (++n == FOLD_BATCH && moves_since(&shared->folds, folds) != 0)
				return false;
			if (boundary_was_reset(copy->boundary) ||
				(copy->commits == 0 && copy->leader_pid == 0))
				continue;
			count_copy(&sums, copy, totals);
			totals->nrecent++;
		}
	}
	end_sums(&sums, add_total, totals);
	return moves_since(&shared->folds, folds) <= (n < FOLD_BATCH ? 0 : 1);
}

/* All groups since the last reset.  Caller holds the reset lock, shared. */
FlushGroupTotals *
flush_groups_read(void)
{
	FlushGroupTotals *totals = palloc(sizeof(FlushGroupTotals));
	int			ncounts = GROUP_COUNT_KINDS * ncells;
	uint64		folds;

	Assert(LWLockHeldByMe(commit_stats_reset_lock()));

	totals->ncells = ncells;
	totals->value = palloc(ncounts * sizeof(uint64));
	totals->recent = palloc((flush_groups_kept() + FOLD_BATCH + 1) *
							sizeof(FlushGroupCopy));
	do
	{
		folds = copy_folded(totals->value);
		for (int i = 0; i < ncounts; i++)
			totals->value[i] -= base[i];
	} while (!copy_ring(totals, folds));
	return totals;
}

/*
 * Forget all groups up to the newest.  Those still in the ring are skipped
 * when they are folded, as their boundaries are not after reset_boundary; that
 * must be set before the histogram is copied.  Caller holds the reset lock
 * exclusively.
 */
void
flush_groups_reset(void)
{
	GroupNumber newest = flush_groups_newest();
	XLogRecPtr	boundary = 0;

	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	/* The publisher of the newest group may not have written it yet. */
	for (int back = 0; back < FOLD_BATCH && boundary == 0; back++)
		boundary = group_boundary(flush_group_add(newest, -back));
	pg_atomic_write_u64(&shared->reset_boundary, boundary);
	pg_memory_barrier();
	(void) copy_folded(base);
}

/*----------------------------------------------------------------
 * Over a restart (keep.c), when no other process is there
 *----------------------------------------------------------------
 */

Size
flush_groups_kept_size(void)
{
	return histogram_size(MaxBackends);
}

/* The totals, as if all groups had been folded.  The ring is not kept. */
bool
flush_groups_keep(void *to)
{
	FlushGroupTotals totals = {.ncells = ncells,.value = to};
	GroupNumber newest = flush_groups_newest();
	GroupSums	sums = {0};

	if (!moves_at_rest(&shared->folds))
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
flush_groups_kept_fits(const void *from, Size size)
{
	return kept_cells(size) > 0;
}

/*
 * There are more cells now if more connections are allowed, or fewer; then the
 * last one is for all that were larger.
 */
void
flush_groups_restore(const void *from, Size size)
{
	const uint64 *kept = from;
	int			nkept = kept_cells(size);

	for (int kind = 0; kind < GROUP_COUNT_KINDS; kind++)
		for (int cell = 0; cell < nkept; cell++)
			base[kind * ncells + Min(cell, ncells - 1)] -=
				kept[kind * nkept + cell];
}
