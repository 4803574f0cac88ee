/*-------------------------------------------------------------------------
 *
 * flush_ring.h
 *		The ring of flush groups in shared memory: its words, the commit path
 *		through it, and its readers; see flush_ring.c.
 *
 * Three words are swapped or added to as a whole:
 *
 *	head				boundary / 8, low 44 bits | number, 20 bits
 *						of the newest group; 0 before the first one
 *	tagged_commits		number, 20 | merged, 6 | early, 18 | members, 20
 *	leader_and_active	leader's process, 32 | active transactions, 32
 *
 *	number		of a group, in the order of boundaries, modulo 2^20
 *	merged		flushes that the group stands for besides its first
 *	early		followers that had begun before the flush before this group
 *				ended; flush_totals.c infers sizes from it
 *	members		commits that have joined so far
 *	leader		0 until one claims the group
 *	active		the most transactions that a member saw active; 0: no member
 *				has counted them
 *
 * The commit path is inlined into commit_path.c: calls would be a tenth of the
 * cost of its callbacks.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_FLUSH_RING_H
#define COMMIT_STATS_FLUSH_RING_H

#include "access/xlogdefs.h"
#include "miscadmin.h"
#include "port/atomics.h"

#include "base/clock.h"
#include "base/compat.h"

/* WAL records end at multiples of 8: the head has boundaries divided by 8. */
#if MAXIMUM_ALIGNOF < 8
#error "commit_stats needs a platform on which PostgreSQL aligns WAL records to 8 bytes; 32-bit ones mostly do not"
#endif

#define GROUP_NUMBER_BITS	20
#define GROUP_NUMBER_MASK	((UINT64CONST(1) << GROUP_NUMBER_BITS) - 1)

typedef uint32 GroupNumber;

#define InvalidGroupNumber	PG_UINT32_MAX

/* A probability of 1 in a report, where it is a small integer. */
#define REPORTED_CERTAINTY	1000

/* Whose choice the sleep of a leader was. */
typedef enum SleepKind
{
	SLEEP_NONE,
	SLEEP_FIXED,				/* commit_delay, or that of a sweep */
	SLEEP_ADAPTIVE				/* commit_stats.adaptive_delay */
} SleepKind;

/* What the leader of a flush found out about it. */
typedef struct LeaderReport
{
	uint32		siblings;		/* others active as its commit began, or
								 * SIBLINGS_NOT_COUNTED */
	uint32		siblings_after; /* ... and as it was done */
	uint32		flush_time;		/* us writing and syncing, or ... */
	uint32		delay_time;		/* us slept in commit_delay; 0: did not */
	uint16		delay_probability;	/* that it slept, of REPORTED_CERTAINTY */
	uint8		sleep_kind;		/* SleepKind */
	bool		log_wanted;		/* commit_stats.log_flushes was on; for
								 * worker.c */
} LeaderReport;

#define FLUSH_NOT_TIMED		PG_UINT32_MAX

/* What flush_group_enter() could not do. */
#define GROUP_OF_COMMIT		1
#define GROUP_OF_LEADER		2

#define ACTIVE_BITS			32

/* Where the parts of "tagged_commits" begin, above its members. */
#define TAG_EARLY_SHIFT		20
#define TAG_MERGED_SHIFT	38
#define TAG_NUMBER_SHIFT	(64 - GROUP_NUMBER_BITS)
#define TAG_COMMITS_MASK	((UINT64CONST(1) << TAG_EARLY_SHIFT) - 1)

#define MAX_MERGED			((1 << (TAG_NUMBER_SHIFT - TAG_MERGED_SHIFT)) - 1)

#define MAX_PUBLISH_TRIES	4	/* when others publish at the same time */
#define MAX_NOTE_TRIES		16	/* when others note something as well */

typedef struct FlushGroup
{
	/* Set by the preparer of the slot; members add to it. */
	pg_atomic_uint64 tagged_commits pg_attribute_aligned(PG_CACHE_LINE_SIZE);

	/* Written by the publisher, just after it has swapped the head. */
	pg_atomic_uint64 boundary;	/* 0: not written yet */
	pg_atomic_uint64 previous;	/* boundary of the group before; 0: unknown */
	pg_atomic_uint64 seen_at;	/* ns of clock_now(); 0: not written yet */

	pg_atomic_uint64 leader_and_active; /* swapped by members */

	/* Written by the leader that has claimed the group. */
	pg_atomic_uint32 reported;	/* "report" is complete */
	LeaderReport report;
} FlushGroup;

/* A leader writes one cache line of most processors, beside "head". */
StaticAssertDecl(offsetof(FlushGroup, report) + sizeof(LeaderReport) <= 64,
				 "size of a group");

/* In shared memory. */
extern COMMIT_STATS_HIDDEN pg_atomic_uint64 *flush_ring_head;
extern COMMIT_STATS_HIDDEN FlushGroup *flush_ring;

/* Slots of the ring, a power of two, less 1; the same in all processes. */
extern COMMIT_STATS_HIDDEN GroupNumber flush_ring_mask;

/* Slots that are prepared at once: at most a quarter of the smallest ring. */
#define FOLD_BATCH			64

/* The commit path, where it is rare */
extern void flush_groups_publish(uint64 head, XLogRecPtr flushed, uint64 now);
extern GroupNumber flush_groups_find_older(GroupNumber newest, XLogRecPtr lsn);
extern bool flush_group_merge(FlushGroup *group, GroupNumber number);

/* In flush_totals.c */
extern void flush_totals_prepare(GroupNumber first);

/*---- Numbers and words -------------------------------------------*/

static inline GroupNumber
flush_group_add(GroupNumber number, int n)
{
	return (GroupNumber) ((number + n) & GROUP_NUMBER_MASK);
}

/* The number of groups after "older", up to "newer". */
static inline int
flush_groups_distance(GroupNumber older, GroupNumber newer)
{
	return (int) ((newer - older) & GROUP_NUMBER_MASK);
}

/* The number of newest groups that the ring holds for certain. */
static inline int
flush_groups_kept(void)
{
	return (int) (flush_ring_mask + 1) / 2;
}

/* The slot of a group, if it is still there; see slot_is_for(). */
static inline FlushGroup *
group_slot(GroupNumber number)
{
	return &flush_ring[number & flush_ring_mask];
}

static inline uint64
make_tag(GroupNumber number)
{
	return (uint64) number << TAG_NUMBER_SHIFT;
}

static inline GroupNumber
tag_number(uint64 tagged_commits)
{
	return (GroupNumber) (tagged_commits >> TAG_NUMBER_SHIFT);
}

static inline uint32
tag_commits(uint64 tagged_commits)
{
	return (uint32) (tagged_commits & TAG_COMMITS_MASK);
}

static inline uint32
tag_early(uint64 tagged_commits)
{
	return (uint32) (tagged_commits >> TAG_EARLY_SHIFT) &
		((1 << (TAG_MERGED_SHIFT - TAG_EARLY_SHIFT)) - 1);
}

static inline uint32
tag_merged(uint64 tagged_commits)
{
	return (uint32) (tagged_commits >> TAG_MERGED_SHIFT) & MAX_MERGED;
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
 * How far the boundary in a head is beyond a position within 64 TB of it, in
 * units of 8 bytes, shifted by GROUP_NUMBER_BITS so that the 44 bits have the
 * sign of the result.
 */
static inline int64
head_distance(uint64 head, XLogRecPtr from)
{
	return (int64) ((head & ~GROUP_NUMBER_MASK) -
					((from >> 3) << GROUP_NUMBER_BITS));
}

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
 * The boundary of a group, if this slot is for it; 0 if unknown.  If the
 * publisher was stopped before it wrote the boundary, the publisher of the
 * next group has written the same position as "previous".
 */
static inline XLogRecPtr
boundary_in_slot(FlushGroup *group, GroupNumber number)
{
	XLogRecPtr	boundary = pg_atomic_read_u64(&group->boundary);
	GroupNumber next = flush_group_add(number, 1);

	if (likely(boundary != 0) || !slot_is_for(group_slot(next), next))
		return boundary;
	pg_read_barrier();			/* protocol prepare */
	return pg_atomic_read_u64(&group_slot(next)->previous);
}

/*---- The commit path ---------------------------------------------*/

/* Fill in the group that this process has just put into the head. */
static inline void
describe_group(GroupNumber number, XLogRecPtr boundary, XLogRecPtr previous,
			   uint64 now)
{
	FlushGroup *group = group_slot(number);

	if (slot_is_for(group, number))
	{
		pg_read_barrier();		/* protocol reuse_boundary */
		pg_atomic_write_u64(&group->seen_at, now);
		pg_atomic_write_u64(&group->previous, previous);
		pg_write_barrier();		/* protocol publish */
		pg_atomic_write_u64(&group->boundary, boundary);
	}
	if (unlikely(number % FOLD_BATCH == 0))
		flush_totals_prepare(flush_group_add(number,
											 flush_groups_kept() - FOLD_BATCH));
}

/*
 * Publish a group for "flushed", which is beyond the boundary in "*head",
 * unless others are quicker; update "*head".  Returns the boundary before the
 * group; 0 if others published it, or if it is the first of all.
 */
static pg_attribute_always_inline XLogRecPtr
publish_group(uint64 *head, XLogRecPtr flushed, uint64 now)
{
	for (int i = 0; i < MAX_PUBLISH_TRIES; i++)
	{
		GroupNumber number = flush_group_add(head_number(*head), 1);
		uint64		next = make_head(number, flushed);

		if (pg_atomic_compare_exchange_u64(flush_ring_head, head, next))
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
 * The flush pointer was seen at "flushed": publish this boundary if it is new.
 */
static inline void
flush_groups_observe(XLogRecPtr flushed, uint64 now)
{
	uint64		head = pg_atomic_read_u64(flush_ring_head);

	if (!head_reaches(head, flushed))
		flush_groups_publish(head, flushed, now);
}

static inline bool
newest_begins_before(GroupNumber newest, XLogRecPtr lsn)
{
	FlushGroup *group = group_slot(newest);
	XLogRecPtr	previous;

	if (!slot_is_for(group, newest))
		return false;
	pg_read_barrier();			/* protocol prepare */
	previous = pg_atomic_read_u64(&group->previous);
	return previous != 0 && previous < lsn;
}

/*
 * The group of a record that ends at "lsn", or InvalidGroupNumber.  The flush
 * pointer was seen at "flushed", at or after that.
 */
static pg_attribute_always_inline GroupNumber
flush_groups_find(XLogRecPtr lsn, XLogRecPtr flushed, uint64 now)
{
	uint64		head = pg_atomic_read_u64(flush_ring_head);

	if (!head_reaches(head, flushed))
	{
		XLogRecPtr	previous = publish_group(&head, flushed, now);

		if (likely(previous != 0 && previous < lsn))
			return head_number(head);
	}
	if (!head_reaches(head, lsn))
		return InvalidGroupNumber;
	if (newest_begins_before(head_number(head), lsn))
		return head_number(head);
	return flush_groups_find_older(head_number(head), lsn);
}

/*
 * ns when the boundary of a group was first seen; 0: unknown.  Only right if
 * the group is still there.
 */
static inline uint64
flush_group_seen_at(GroupNumber number)
{
	return pg_atomic_read_u64(&group_slot(number)->seen_at);
}

/* ns when the latest boundary was first seen; 0: unknown. */
static inline uint64
flush_groups_last_end(void)
{
	return flush_group_seen_at(head_number(pg_atomic_read_u64(flush_ring_head)));
}

/*
 * True for an early member.  The slot before may be for a later group by now,
 * but then this group is about to go, too.
 */
static inline bool
is_early(GroupNumber number, uint64 started_at)
{
	return started_at < flush_group_seen_at(number - 1);
}

/* Returns false if the group is gone.  Protocols join and join_old. */
static inline bool
join_group(FlushGroup *group, GroupNumber number, bool early)
{
	int64		member = 1 + ((int64) early << TAG_EARLY_SHIFT);

	if (tag_number(pg_atomic_fetch_add_u64(&group->tagged_commits,
										   member)) == number)
		return true;
	pg_atomic_fetch_sub_u64(&group->tagged_commits, member);
	return false;
}

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
 * A leader claims the group, and raises "active".  Returns false if the group
 * has another leader: then nobody saw the boundary between the two flushes.
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
 * Enter a member that saw "active" transactions, itself included, or 0.
 * Returns what it could not do: GROUP_OF_COMMIT if the group is gone,
 * GROUP_OF_LEADER also if the group has another leader.  A leader that could
 * enter fills in "report" and calls flush_group_reported().
 */
static inline int
flush_group_enter(FlushGroup *group, GroupNumber number, bool is_commit,
				  uint32 active, bool led, uint64 started_at)
{
	/*
	 * Adding to a slot that is being prepared could spoil its tag.  No slot
	 * is for InvalidGroupNumber.
	 */
	if (!slot_is_for(group, number) ||
		(is_commit && !join_group(group, number,
								  !led && is_early(number, started_at))))
		return (is_commit ? GROUP_OF_COMMIT : 0) | (led ? GROUP_OF_LEADER : 0);

	/* a commit has its order from the addition of join_group() */
	if (!is_commit)
		pg_read_barrier();		/* protocol claim */
	if (led)
		return claim_group(group, active) ? 0 : GROUP_OF_LEADER;
	note_active(group, active);
	return 0;
}

static inline void
flush_group_reported(FlushGroup *group)
{
	pg_write_barrier();			/* protocol report */
	pg_atomic_write_u32(&group->reported, 1);
}

/*----------------------------------------------------------------
 * Copies, of which each is of one group; its members and its leader may not
 * all be there yet
 *----------------------------------------------------------------
 */

/* What other processes saw of a flush and of the one before it. */
typedef struct FlushTimes
{
	uint64		seen_at;		/* its boundary; ns, 0: unknown */
	uint64		previous_seen_at;	/* the boundary before; ns, 0: unknown */
} FlushTimes;

/* A copy of one group; local memory. */
typedef struct FlushGroupCopy
{
	XLogRecPtr	boundary;		/* the flush pointer at its end; 0: unknown */
	XLogRecPtr	previous;		/* the boundary before; 0: unknown */
	uint64		seen_at;		/* ns of clock_now(), when first seen */
	uint64		tagged;			/* the tag of its slot, for flush_totals.c */
	uint32		commits;		/* its members so far */
	uint32		flushes;		/* that it stands for: 1 + merged */
	uint32		active;			/* so far; 0: not counted */
	int			leader_pid;		/* 0: no leader, or not reported yet */
	LeaderReport leader;		/* meaningful with a leader_pid */
} FlushGroupCopy;

/*
 * Bytes of WAL in a group; 0 if unknown.  If its publisher was stopped,
 * "previous" may be there without the boundary.
 */
static inline uint64
flush_wal_bytes(XLogRecPtr boundary, XLogRecPtr previous)
{
	return previous != 0 && boundary > previous ? boundary - previous : 0;
}

/* The commit path. */
#define SLEEP_NOT_REPORTED	PG_UINT64_MAX

extern void flush_group_times(GroupNumber number, FlushTimes *times);
extern int	flush_group_siblings_before(GroupNumber number);
extern uint64 flush_group_sleep(GroupNumber number, uint64 started_at,
								uint64 ended_at);

/* Readers. */
extern GroupNumber flush_groups_newest(void);
extern XLogRecPtr flush_group_boundary(GroupNumber number);
extern bool flush_group_copy(GroupNumber number, FlushGroupCopy *copy);
extern uint64 flush_sleep_in_wait(GroupNumber number, uint64 seen_at,
								  const LeaderReport *leader,
								  uint64 started_at);
extern uint32 flush_group_active(const FlushGroupCopy *copy, uint32 *before);
extern char *flush_message(const FlushGroupCopy *copy, uint32 active);

#endif							/* COMMIT_STATS_FLUSH_RING_H */
