/*-------------------------------------------------------------------------
 *
 * commit_trace.c
 *		Single commits, recorded for a while, and what they predict.
 *
 * A prediction of another commit_delay needs to know which session committed
 * when, and in which flush.  During a capture, every commit or PREPARE
 * TRANSACTION that waits leaves a record in a ring.  The capturing process
 * takes the records many times a second.
 *
 * Invariant: outside of a capture, a commit reads one word that does not
 * change, and nothing else here.  A capture ends with its deadline, whatever
 * becomes of the process that began it.  A record that is taken is complete:
 * its change count is the number of the record, plus 1, before and after it
 * was copied.
 *
 * Locking: none for records; delay_override_experiment() lets only one process
 * capture.  A commit gets a number by an atomic addition, claims the record of
 * that number, and writes it alone.  Of two commits that meet there, RING_SIZE
 * numbers apart, the second has no record.  commit_stats_reset_lock(), which
 * no commit takes, protects the newest prediction.  A restart forgets that,
 * and a reset keeps it: it has its own time.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "access/xact.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "replication/logicalworker.h"
#include "utils/timestamp.h"

#include "base/changecount.h"
#include "base/clock.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "probe/siblings.h"
#include "stats/commit_trace.h"

#define RING_SIZE		4096	/* of 72 bytes; a power of 2 */
#define MAX_COMMITS		262144	/* that one capture keeps */

typedef struct RingRecord
{
	ChangeCount changes;		/* ended: the number of the record, plus 1 */
	TracedCommit commit;
} RingRecord;

typedef struct CommitTraceShared
{
	/* Until when to record commits; written by the process that captures. */
	pg_atomic_uint64 deadline;

	/* Records so far, on a line of its own. */
	pg_atomic_uint64 nrecords pg_attribute_aligned(PG_CACHE_LINE_SIZE);

	RingRecord	ring[RING_SIZE] pg_attribute_aligned(PG_CACHE_LINE_SIZE);
	NewestPrediction prediction;
} CommitTraceShared;

pg_atomic_uint64 *commit_trace_deadline = NULL;
bool		commit_trace_noted = false;

static CommitTraceShared *shared = NULL;

/* The commit under way, and the CPU time of this process after the last, ns */
static TracedCommit noted;
static uint64 cpu_time_before;

static void
commit_trace_attach(void *head, void *tail, bool found)
{
	shared = head;
	commit_trace_deadline = &shared->deadline;
}

const StatsModule commit_trace_module = {
	.head_size = sizeof(CommitTraceShared),
	.attach = commit_trace_attach,
};

/* CPU time of this process so far, ns; 0 if it is not known. */
static uint64
own_cpu_time(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
		return 0;
	return (uint64) now.tv_sec * NS_PER_S + now.tv_nsec;
}

static uint32
saturate(uint64 value)
{
	return (uint32) Min(value, PG_UINT32_MAX);
}

void
commit_trace_note(uint64 now)
{
	int64		age;

	if (now >= pg_atomic_read_u64(commit_trace_deadline))
		return;
	age = GetCurrentTimestamp() - GetCurrentTransactionStartTimestamp();
	noted.age = age > 0 ? saturate(age) : 0;
	noted.blocked = siblings_count_blocked();
	noted.cpu_time = saturate(clock_elapsed(cpu_time_before, own_cpu_time()));
	noted.delay = (uint32) CommitDelay;
	noted.threshold = (uint16) CommitSiblings;
	commit_trace_noted = true;
}

/* Of a client; the reader compares it with those of all clients. */
uint32
commit_trace_hash(const ClientKey *key)
{
	return key == NULL ? 0 : hash_bytes((const unsigned char *) key,
										sizeof(ClientKey));
}

/* Of WAL in the flush of a group, to the nearest */
static uint16
pages_of_flush(GroupNumber group)
{
	FlushGroupCopy flush;

	if (!flush_group_copy(group, &flush))
		return 0;
	return (uint16) Min((flush_wal_bytes(flush.boundary, flush.previous) +
						 XLOG_BLCKSZ / 2) / XLOG_BLCKSZ, PG_UINT16_MAX);
}

void
commit_trace_put(uint64 started_at, uint64 ended_at, GroupNumber group,
				 uint32 siblings, const OwnFlush *own, bool is_commit,
				 bool has_notify, uint64 statement)
{
	uint64		number = pg_atomic_fetch_add_u64(&shared->nrecords, 1);
	RingRecord *record = &shared->ring[number % RING_SIZE];

	commit_trace_noted = false;
	cpu_time_before = own_cpu_time();
	if (!changecount_claim(&record->changes, number + 1))
		return;
	noted.started_at = started_at;
	noted.ended_at = ended_at;
	noted.pid = (uint32) MyProcPid;
	noted.client = commit_trace_hash(clients_mine());
	noted.group = group;
	noted.io_time = saturate(own->io_time);
	noted.siblings = (uint16) Min(siblings, PG_UINT16_MAX);
	noted.blocked_after = siblings_count_blocked();
	noted.led = own->flushes > 0;
	noted.timed = own->timed;
	noted.is_commit = is_commit;
	noted.has_notify = has_notify;
	noted.applied = IsLogicalWorker();
	noted.wal_pages = own->flushes > 0 ? pages_of_flush(group) : 0;
	noted.statement = statement;
	record->commit = noted;
	changecount_end_as(&record->changes, number + 1);
}

void
commit_trace_start(CommitTrace *trace, uint64 deadline)
{
	trace->n = 0;
	trace->commit = palloc(MAX_COMMITS * sizeof(TracedCommit));
	trace->lost = 0;
	trace->next = pg_atomic_read_u64(&shared->nrecords);
	trace->started_at = trace->ended_at = clock_now();
	pg_atomic_write_u64(&shared->deadline, deadline);
}

void
commit_trace_stop(void)
{
	pg_atomic_write_u64(&shared->deadline, 0);
}

bool
commit_trace_is_on(void)
{
	return clock_now() < pg_atomic_read_u64(&shared->deadline);
}

/*
 * A record that is not there yet, because its backend is not scheduled, or
 * gave way to another one, holds up the rest for half a ring at most, and then
 * counts as lost.
 */
bool
commit_trace_take(CommitTrace *trace)
{
	uint64		end = pg_atomic_read_u64(&shared->nrecords);

	if (end - trace->next > RING_SIZE)
	{
		trace->lost += end - trace->next - RING_SIZE;
		trace->next = end - RING_SIZE;
	}
	trace->ended_at = clock_now();
	for (; trace->next < end; trace->next++)
	{
		RingRecord *record = &shared->ring[trace->next % RING_SIZE];
		uint64		count;
		bool		at_rest = changecount_read(&record->changes, &count);

		if (trace->n == MAX_COMMITS)
			return false;
		if ((!at_rest || count <= trace->next) &&
			end - trace->next < RING_SIZE / 2)
			break;
		trace->commit[trace->n] = record->commit;
		if (count == trace->next + 1 &&
			changecount_since(&record->changes, count) == 0)
			trace->n++;
		else
			trace->lost++;
	}
	return true;
}

void
prediction_keep(const NewestPrediction *it)
{
	shared_memory_acquire(commit_stats_reset_lock(), LW_EXCLUSIVE);
	shared->prediction = *it;
	LWLockRelease(commit_stats_reset_lock());
}

void
prediction_read(NewestPrediction *it)
{
	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	*it = shared->prediction;
	LWLockRelease(commit_stats_reset_lock());
}
