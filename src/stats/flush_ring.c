/*-------------------------------------------------------------------------
 *
 * flush_ring.c
 *		Which commits shared a flush: boundaries, groups, their ring.
 *
 *	boundary	a value of the server's flush pointer: the end of one flush
 *	group		the commits whose records end at or before one boundary, and
 *				after the boundary before
 *	head		one 64-bit word with number and boundary of the newest group
 *	slot		where a group is: group g in slot g modulo the number of slots
 *	tag			the number of the group that a slot is for
 *
 *	publisher	the process that first sees a boundary.  It swaps the head and
 *				fills in the group.
 *	member		a commit, which finds its group by the end of its record and
 *				joins
 *	leader		the member that flushed.  It claims the group and reports.
 *	preparer	the publisher of every FOLD_BATCH-th group.  It adds up the
 *				oldest groups and makes their slots ready, long before new
 *				groups need them (flush_totals_prepare()).
 *
 * What a commit does is in flush_ring.h: flush_groups_find() finds the group
 * of its record, join_group() adds a member, claim_group() a leader.
 *
 * Half of the slots hold the newest groups, so that a member that comes late,
 * after the wait for a standby, still finds its group.  If no process sees a
 * boundary, its commits join the next group, and its leader is a second leader
 * there: the group stands for two flushes.
 *
 * Invariant: a member that is added to a slot learns from the tag, in the same
 * atomic operation, whether the slot is still for its group.  A copy is of one
 * group.
 *
 * Locking: none; no process waits for another.  If a preparer is suspended
 * until new groups need its slots, their commits are counted as unresolved.  A
 * publisher that is suspended while it fills in its group, or a leader between
 * its claim and its report, until the slot is for another group, writes into
 * that group.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "postmaster/postmaster.h"

#include "base/guc.h"
#include "module/stats_module.h"
#include "probe/siblings.h"
#include "stats/flush_ring.h"

/* A backend has one commit at a time. */
StaticAssertDecl(MAX_BACKENDS <= TAG_COMMITS_MASK &&
				 MAX_BACKENDS >> (TAG_MERGED_SHIFT - TAG_EARLY_SHIFT) == 0,
				 "too few bits for the members of a group");

pg_atomic_uint64 *flush_ring_head = NULL;
FlushGroup *flush_ring = NULL;
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
	return mul_size(ring_slots(), sizeof(FlushGroup));
}

static void
flush_ring_attach(void *head, void *tail, bool found)
{
	flush_ring_mask = ring_slots() - 1;
	flush_ring_head = head;
	flush_ring = tail;
	if (found)
		return;
	for (int i = 0; i < ring_slots(); i++)
		pg_atomic_write_u64(&flush_ring[i].tagged_commits, make_tag(i));
	/* no group has number 0 at first; it ends before any commit */
	pg_atomic_write_u64(&flush_ring[0].boundary, 1);
}

const StatsModule flush_ring_module = {
	.head_size = sizeof(pg_atomic_uint64),
	.tail_size = flush_ring_tail_size,
	.attach = flush_ring_attach,
};

/* publish_group(), not inlined; the result is not needed. */
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
 * A leader has found another leader in its group, which stands for one flush
 * more.  Returns false if the group is gone.
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
 * The group of a record that ends at "lsn", at or before the boundary of the
 * newest group, but not in that.
 *
 * The group is nearly always one of the next, so the steps back begin with one
 * group and double until they are beyond it; then the distance is halved.
 */
GroupNumber
flush_groups_find_older(GroupNumber newest, XLogRecPtr lsn)
{
	int			found = 0;		/* this far back it ends at or after lsn */
	int			beyond = 0;		/* this far back it ends before lsn; 0:
								 * unknown */
	XLogRecPtr	boundary = InvalidXLogRecPtr;	/* of that one */

	for (int back = 1; back != found;
		 back = beyond == 0 ? 2 * back : (found + beyond) / 2)
	{
		XLogRecPtr	between = flush_group_boundary(flush_group_add(newest, -back));

		if (between < lsn)
		{
			beyond = back;
			boundary = between;
		}
		else if (back >= flush_groups_kept())
			return InvalidGroupNumber;
		else
			found = back;
	}

	/* it must be there to prove that the one after it is the right one */
	return boundary == InvalidXLogRecPtr ? InvalidGroupNumber :
		flush_group_add(newest, -found);
}

/*---- Copies ------------------------------------------------------*/

/* ns when the boundary of a group was first seen; 0: unknown. */
static inline uint64
group_seen_at(GroupNumber number)
{
	FlushGroup *group = group_slot(number);
	uint64		seen_at;

	if (!slot_is_for(group, number))
		return 0;
	pg_read_barrier();			/* protocol prepare */
	seen_at = pg_atomic_read_u64(&group->seen_at);
	pg_read_barrier();			/* protocols reuse, reuse_boundary */
	return slot_is_for(group, number) ? seen_at : 0;
}

/* Commit path: all unknown for InvalidGroupNumber, which no slot is for. */
void
flush_group_times(GroupNumber number, FlushTimes *times)
{
	times->seen_at = group_seen_at(number);
	times->previous_seen_at = number == InvalidGroupNumber ? 0 :
		group_seen_at(flush_group_add(number, -1));
}

/* Of the leader of the group before, as it was done; -1: unknown. */
int
flush_group_siblings_before(GroupNumber number)
{
	FlushGroupCopy copy;

	if (number == InvalidGroupNumber ||
		!flush_group_copy(flush_group_add(number, -1), &copy) ||
		copy.leader_pid == 0 ||
		copy.leader.siblings_after == SIBLINGS_NOT_COUNTED)
		return -1;
	return (int) copy.leader.siblings_after;
}

/*
 * The part of a follower's wait from "started_at" on in which the leader of
 * its flush slept, ns.  The follower wrote its record before the sleep ended,
 * as the flush has it.
 *
 * The sleep ended when the flush began, which a timed flush tells.  Without
 * that, the sleep began no sooner than the flush before had ended, so the
 * result is a lower bound; it is right if the leader was waiting by then.
 */
uint64
flush_sleep_in_wait(GroupNumber number, uint64 seen_at,
					const LeaderReport *leader, uint64 started_at)
{
	uint64		sleep = (uint64) leader->delay_time * NS_PER_US;
	uint64		previous;

	if (leader->sleep_kind == SLEEP_NONE)
		return 0;
	if (leader->flush_time != FLUSH_NOT_TIMED)
		return Min(sleep, clock_elapsed(started_at + (uint64) leader->flush_time * NS_PER_US,
										seen_at));
	previous = group_seen_at(flush_group_add(number, -1));
	if (previous == 0)
		return 0;
	return Min(sleep, clock_elapsed(started_at, previous + sleep));
}

/*
 * Commit path: the same for a follower that waited until "ended_at".  Returns
 * SLEEP_NOT_REPORTED if the leader has not reported, or not yet, or if the
 * group is gone.
 */
uint64
flush_group_sleep(GroupNumber number, uint64 started_at, uint64 ended_at)
{
	FlushGroup *group = group_slot(number);
	uint64		seen_at = group_seen_at(number);
	uint64		sleep;

	if (seen_at == 0 || seen_at > ended_at ||
		pg_atomic_read_u32(&group->reported) == 0)
		return SLEEP_NOT_REPORTED;
	pg_read_barrier();			/* protocol report */
	sleep = flush_sleep_in_wait(number, seen_at, &group->report, started_at);
	pg_read_barrier();			/* protocol reuse */
	return slot_is_for(group, number) ? sleep : SLEEP_NOT_REPORTED;
}

GroupNumber
flush_groups_newest(void)
{
	return head_number(pg_atomic_read_u64(flush_ring_head));
}

/* False if the group is not in the ring; InvalidGroupNumber never is. */
bool
flush_group_copy(GroupNumber number, FlushGroupCopy *copy)
{
	FlushGroup *group = group_slot(number);
	uint64		tagged = pg_atomic_read_u64(&group->tagged_commits);

	if (tag_number(tagged) != number)
		return false;
	pg_read_barrier();			/* protocol prepare */
	copy->tagged = tagged;
	copy->commits = tag_commits(tagged);
	copy->flushes = 1 + tag_merged(tagged);
	copy->boundary = boundary_in_slot(group, number);
	pg_read_barrier();			/* protocol publish */
	copy->previous = pg_atomic_read_u64(&group->previous);
	copy->seen_at = pg_atomic_read_u64(&group->seen_at);
	copy->active = active_in(pg_atomic_read_u64(&group->leader_and_active));
	copy->leader_pid = 0;
	memset(&copy->leader, 0, sizeof(copy->leader));
	if (pg_atomic_read_u32(&group->reported))
	{
		pg_read_barrier();		/* protocol report */
		copy->leader_pid = (int)
			leader_in(pg_atomic_read_u64(&group->leader_and_active));
		copy->leader = group->report;
	}
	pg_read_barrier();			/* protocols reuse, reuse_boundary */
	return slot_is_for(group, number);
}

/*
 * M of the message.  If no member has counted the active transactions, those
 * of the flush before are taken, which callers pass on in "before".
 */
uint32
flush_group_active(const FlushGroupCopy *copy, uint32 *before)
{
	if (copy->active != 0)
		*before = copy->active;
	return Max(*before, copy->commits);
}

/* For the server log and commit_flush_log; palloc'd. */
char *
flush_message(const FlushGroupCopy *copy, uint32 active)
{
	if (copy->flushes == 1)
		return psprintf("Flushed %u out of %u commits", copy->commits, active);
	return psprintf("Flushed %u out of %u commits in %u flushes",
					copy->commits, active, copy->flushes);
}
