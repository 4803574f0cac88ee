/*-------------------------------------------------------------------------
 *
 * flush_groups.c
 *		Copies of flush groups, for readers and for rare looks of commits.
 *
 * Invariant: a copy is of one group.  Its members and its leader may not all
 * be there yet.
 *
 * Locking: none; see flush_ring.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "probe/siblings.h"
#include "stats/flush_groups.h"

/* Commit path: ns when the latest boundary was first seen; 0: unknown. */
uint64
flush_groups_last_end(void)
{
	uint64		head = pg_atomic_read_u64(flush_ring_head);

	return pg_atomic_read_u64(&group_slot(head_number(head))->seen_at);
}

/* Commit path: all unknown for InvalidGroupNumber. */
void
flush_group_times(GroupNumber number, FlushTimes *times)
{
	FlushGroupCopy copy;

	times->seen_at = times->previous_seen_at = 0;
	times->previous_siblings_after = -1;
	if (number == InvalidGroupNumber)
		return;
	if (flush_group_copy(number, &copy))
		times->seen_at = copy.seen_at;
	if (flush_group_copy(flush_group_add(number, -1), &copy))
	{
		times->previous_seen_at = copy.seen_at;
		if (copy.leader_pid != 0 &&
			copy.leader.siblings_after != SIBLINGS_NOT_COUNTED)
			times->previous_siblings_after = (int) copy.leader.siblings_after;
	}
}

/*
 * Commit path: flush_sleep_in_wait() for a follower that waited until
 * "ended_at".  Returns false if the leader has not reported, or not yet, or if
 * the group is gone.
 */
bool
flush_group_sleep(GroupNumber number, uint64 started_at, uint64 ended_at,
				  uint64 *sleep)
{
	FlushGroupCopy group;
	FlushTimes	times = {0};

	if (!flush_group_copy(number, &group) || group.leader_pid == 0 ||
		group.seen_at > ended_at)
		return false;
	flush_group_times(number, &times);
	*sleep = flush_sleep_in_wait(&group, times.previous_seen_at, started_at);
	return true;
}

GroupNumber
flush_groups_newest(void)
{
	return head_number(pg_atomic_read_u64(flush_ring_head));
}

/* Returns false if the group is not in the ring. */
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
	copy->active =
		active_in(pg_atomic_read_u64(&group->leader_and_active));
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
 * M of the message: the transactions that were active around a flush.  If no
 * member has counted them, those of the flush before are taken, which callers
 * pass on from flush to flush in "before".
 */
uint32
flush_group_active(const FlushGroupCopy *copy, uint32 *before)
{
	if (copy->active != 0)
		*before = copy->active;
	return Max(*before, copy->commits);
}

/*
 * The words of a flush, in the server log and in commit_flush_log; palloc'd.
 */
char *
flush_message(const FlushGroupCopy *copy, uint32 active)
{
	if (copy->flushes == 1)
		return psprintf("Flushed %u out of %u commits", copy->commits, active);
	return psprintf("Flushed %u out of %u commits in %u flushes",
					copy->commits, active, copy->flushes);
}
