/*-------------------------------------------------------------------------
 *
 * slow_commit.h
 *		Where the time of a slow commit, or of a stall, went; see
 *		slow_commit.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_SLOW_COMMIT_H
#define COMMIT_STATS_SLOW_COMMIT_H

#include "base/guc.h"
#include "probe/delay_classifier.h"
#include "probe/flush_detection.h"
#include "stats/slow_log.h"

/* A commit, or a PREPARE TRANSACTION.  Times in ns of clock_now(). */
typedef struct SlowReading
{
	SlowRole	role;
	bool		is_commit;
	bool		start_unknown;	/* started_at is that of its statement */
	bool		waits_for_standby;	/* with synchronous_commit as it is */
	uint64		started_at;
	uint64		ended_at;
	GroupNumber group;			/* or InvalidGroupNumber */
	const OwnFlush *own;
	const DelayVerdict *delay;	/* null: there was no commit_delay */
} SlowReading;

/* Commit path: did it take so long that slow_commit_is_slow() has a look? */
static inline bool
slow_commit_suspected(uint64 elapsed)
{
	return elapsed > commit_stats_slow_floor;
}

/* Is it a slow commit, or perhaps a stall? */
extern bool slow_commit_is_slow(SlowRole role, bool is_commit, uint64 elapsed);

/* Then note it.  Returns true if there is something that the worker logs. */
extern bool slow_commit_note(const SlowReading *reading);

/* A transaction ends that has written more than BULK_WAL. */
extern void slow_commit_note_writer(void);

#endif							/* COMMIT_STATS_SLOW_COMMIT_H */
