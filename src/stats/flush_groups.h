/*-------------------------------------------------------------------------
 *
 * flush_groups.h
 *		Flush groups, for their readers; see flush_groups.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_FLUSH_GROUPS_H
#define COMMIT_STATS_FLUSH_GROUPS_H

#include "base/clock.h"
#include "stats/flush_ring.h"

/* What other processes saw of a flush and of the one before it. */
typedef struct FlushTimes
{
	uint64		seen_at;		/* its boundary; ns, 0: unknown */
	uint64		previous_seen_at;	/* the boundary before; ns, 0: unknown */
	int			previous_siblings_after;	/* -1: unknown */
} FlushTimes;

/* A copy of one group; local memory. */
typedef struct FlushGroupCopy
{
	XLogRecPtr	boundary;		/* the flush pointer at its end; 0: unknown */
	XLogRecPtr	previous;		/* the boundary before; 0: unknown */
	uint64		seen_at;		/* ns of clock_now(), when first seen */
	uint64		tagged;			/* the tag of its slot, for flush_totals.c */
	uint32		commits;		/* its members so far */
	uint32		flushes;		/* that it stands for; 1, unless boundaries
								 * were missed */
	uint32		active;			/* transactions active around it, so far; 0:
								 * no member has counted them */
	int			leader_pid;		/* 0: no leader, or not reported yet */
	LeaderReport leader;		/* meaningful with a leader_pid */
} FlushGroupCopy;

/*
 * Bytes of WAL between the boundary of a group and the one before; 0 if they
 * are not known.  If the publisher of a group was stopped, "previous" may be
 * there without the boundary.
 */
static inline uint64
flush_wal_bytes(XLogRecPtr boundary, XLogRecPtr previous)
{
	return previous != 0 && boundary > previous ? boundary - previous : 0;
}

/*
 * The part of a follower's wait in which the leader of its flush slept, ns.
 * The wait began at "started_at", and the record was written before the sleep
 * ended, as the flush has it.  "previous_seen_at" is of FlushTimes.
 *
 * The sleep ended when the flush began, which a timed flush tells.  Without
 * that, the sleep began no sooner than the flush before had ended, so the
 * result is a lower bound; it is right if the leader was waiting by then.
 */
static inline uint64
flush_sleep_in_wait(const FlushGroupCopy *group, uint64 previous_seen_at,
					uint64 started_at)
{
	uint64		sleep = (uint64) group->leader.delay_time * 1000;
	uint64		end = previous_seen_at + sleep;

	if (group->leader_pid == 0 || group->leader.sleep_kind == SLEEP_NONE)
		return 0;
	if (group->leader.flush_time != FLUSH_NOT_TIMED)
		end = group->seen_at - (uint64) group->leader.flush_time * 1000;
	else if (previous_seen_at == 0)
		return 0;
	return Min(sleep, clock_elapsed(started_at, end));
}

extern uint64 flush_groups_last_end(void);
extern void flush_group_times(GroupNumber number, FlushTimes *traces);
extern bool flush_group_sleep(GroupNumber number, uint64 started_at,
							  uint64 ended_at, uint64 *sleep);

/* Readers. */
extern GroupNumber flush_groups_newest(void);
extern bool flush_group_copy(GroupNumber number, FlushGroupCopy *copy);
extern uint32 flush_group_active(const FlushGroupCopy *copy, uint32 *before);
extern char *flush_message(const FlushGroupCopy *copy, uint32 active);

#endif							/* COMMIT_STATS_FLUSH_GROUPS_H */
