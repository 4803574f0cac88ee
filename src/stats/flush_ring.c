/*-------------------------------------------------------------------------
 *
 * flush_ring.c
 *		Which commits shared a flush: boundaries, groups, their ring.
 *
 * A boundary is a value that the server's flush pointer takes, the end of one
 * flush.  Commits read the pointer in both callbacks, and the first process
 * that sees a new value publishes a group for it.  A commit belongs to the
 * group with the smallest boundary at or after the end of its commit record.
 * If no process saw a boundary, its commits join the next group, and its
 * leader is a second leader there: the group stands for two flushes.  That is
 * common where commits wait for a standby.  flush_totals.c infers the size of
 * each flush.
 *
 * Group g lives in slot g modulo the number of slots.  One 64-bit word, the
 * head, holds number and boundary of the newest group, so one compare-and-swap
 * publishes a group.  Slots are made ready in batches, long before their
 * groups are published (flush_totals_prepare()).  Half of the slots hold the
 * newest groups, so that a member that comes late, after the wait for a
 * standby, still finds its group.
 *
 * Writers of a group: the preparer of its slot, the publisher
 * (publish_group()), its members (join_group(), note_active()), and its leader
 * (claim_group(), then the report).
 *
 * Invariant: the tag of a slot says which group the slot is for.  A member
 * that is added to a slot learns in the same atomic operation whether it was
 * the right one.
 *
 * Locking: none; no process waits for another.  If a process is suspended
 * while it prepares a batch, until new groups need these slots, commits of
 * these groups are counted as unresolved.  A publisher that is suspended while
 * it describes its group, or a leader between its claim and its report, until
 * the slot is for another group, writes the boundary or the report of the old
 * group into the new one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "storage/shmem.h"

#include "base/guc.h"
#include "stats/flush_ring.h"

pg_atomic_uint64 *flush_ring_head = NULL;
FlushGroupSlot *flush_ring = NULL;
GroupNumber flush_ring_mask = 0;

/* Half of the ring is ready for groups to come, hence twice the size. */
static int
ring_slots(void)
{
	return 2 * (int) pg_nextpower2_32(commit_stats_flush_log_size);
}

static Size
flush_ring_tail_size(int backends)
{
	return mul_size(ring_slots(), sizeof(FlushGroupSlot));
}

static void
init_group(FlushGroup *group, GroupNumber number)
{
	pg_atomic_init_u64(&group->tagged_commits, make_tag(number));
	pg_atomic_init_u64(&group->boundary, 0);
	pg_atomic_init_u64(&group->previous, 0);
	pg_atomic_init_u64(&group->seen_at, 0);
	pg_atomic_init_u64(&group->leader_and_active, 0);
	pg_atomic_init_u32(&group->reported, 0);
}

static void
flush_ring_attach(void *head, void *tail, bool found)
{
	flush_ring_mask = ring_slots() - 1;
	flush_ring_head = head;
	flush_ring = tail;
	if (found)
		return;
	pg_atomic_init_u64(flush_ring_head, 0);
	for (int i = 0; i < ring_slots(); i++)
		init_group(&flush_ring[i].group, i);
	/* no group has number 0 at first; it ends before any commit */
	pg_atomic_write_u64(&flush_ring[0].group.boundary, 1);
}

const StatsModule flush_ring_module = {
	.head_size = sizeof(pg_atomic_uint64),
	.tail_size = flush_ring_tail_size,
	.attach = flush_ring_attach,
};

/* Commit path: publish_group(), not inlined; the result is not needed. */
void
flush_groups_publish(uint64 head, XLogRecPtr flushed, uint64 now)
{
	(void) publish_group(&head, flushed, now);
}

/* The boundary of a group; 0 if it, or the group, is not there. */
XLogRecPtr
flush_group_boundary(GroupNumber number)
{
	FlushGroup *group = group_slot(number);
	XLogRecPtr	boundary;

	if (!slot_is_for(group, number))
		return InvalidXLogRecPtr;
	pg_read_barrier();			/* protocol prepare */
	boundary = boundary_in_slot(group, number);
	pg_read_barrier();			/* protocol reuse_boundary */
	return slot_is_for(group, number) ? boundary : InvalidXLogRecPtr;
}

/*
 * Commit path: a leader has found another leader in its group, which stands
 * for one flush more.  Returns false if the group is gone.
 */
bool
flush_group_merge(FlushGroup *group, GroupNumber number)
{
	uint64		tagged = pg_atomic_read_u64(&group->tagged_commits);

	/* the other leader has not claimed it yet: it counts as the only one */
	if (leader_in(pg_atomic_read_u64(&group->leader_and_active)) == 0)
		return false;
	for (int i = 0; i < MAX_NOTE_TRIES && tag_number(tagged) == number &&
		 tag_merged(tagged) < MAX_MERGED; i++)
		if (pg_atomic_compare_exchange_u64(&group->tagged_commits, &tagged,
										   tagged + (UINT64CONST(1) << TAG_MERGED_SHIFT)))
			return true;
	return false;
}

/*
 * Commit path: the group of a record that ends at "lsn", at or before the
 * boundary of the newest group, but not in that.
 *
 * The group is nearly always one of the next, so the steps back begin with one
 * group and double until they are beyond it; then the distance is halved.
 */
GroupNumber
flush_groups_find_older(GroupNumber newest, XLogRecPtr lsn)
{
	int			found = 0;		/* this far back it ends at or after lsn */
	int			beyond = 1;		/* this far back it should end before lsn */
	XLogRecPtr	boundary;		/* of the group that is "beyond" back */

	boundary = flush_group_boundary(flush_group_add(newest, -1));
	while (boundary >= lsn && beyond < flush_groups_kept())
	{
		found = beyond;
		beyond *= 2;
		boundary = flush_group_boundary(flush_group_add(newest, -beyond));
	}
	while (beyond - found > 1)
	{
		int			middle = (found + beyond) / 2;
		XLogRecPtr	between = flush_group_boundary(flush_group_add(newest, -middle));

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
