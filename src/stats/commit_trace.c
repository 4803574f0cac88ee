/*-------------------------------------------------------------------------
 *
 * commit_trace.c
 *		Single commits, noted down for a while.
 *
 * A prediction of another commit_delay needs to know more than counters tell:
 * who committed when, after what time without a commit, in which flush.  So for
 * the time of a capture every commit that waits leaves a record in a ring, from
 * which the process that captures takes them many times a second.
 *
 * The ring is a fixed part of the one segment.  Memory made for each capture
 * would have to be mapped by every backend, on the commit path, where that may
 * neither fail nor allocate.  So it is small, and what is kept of it is in the
 * local memory of the process that captures, which ends the capture when that is
 * full.
 *
 * Invariant: outside of a capture, a commit reads one word that does not change,
 * and nothing else here.  A capture ends with its deadline, whatever becomes of
 * the process that began it.  A record that is taken is whole: its number stands
 * beside it, before and after it was copied.
 *
 * Locking: none here.  That only one process captures is for the caller to see
 * to (delay_override_lock()).  A commit takes a place by an atomic addition,
 * and then only it writes there; should it be overtaken by a whole ring of
 * others, which is RING_SIZE commits during a few instructions of its own, one
 * record is spoilt.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/compat.h"
#include "probe/cpu_usage.h"
#include "probe/siblings.h"
#include "stats/commit_trace.h"

#define RING_SIZE		4096	/* of 56 bytes; a power of 2 */
#define MAX_COMMITS		262144	/* that one capture keeps */

/* A record and its number. */
typedef struct RingRecord
{
	/* Number of the record + 1, 0 while it is written; by its writer. */
	pg_atomic_uint64 number;
	TracedCommit commit;		/* by its writer, while the number is 0 */
} RingRecord;

typedef struct CommitTraceShared
{
	/* Until when to note down commits; written by the process that captures. */
	pg_atomic_uint64 deadline;

	/* Records so far; atomic, on a line of its own. */
	char		padding[PG_CACHE_LINE_SIZE - sizeof(pg_atomic_uint64)];
	pg_atomic_uint64 nrecords;
	char		padding2[PG_CACHE_LINE_SIZE - sizeof(pg_atomic_uint64)];

	RingRecord	ring[RING_SIZE];
} CommitTraceShared;

pg_atomic_uint64 *commit_trace_deadline = NULL;
bool		commit_trace_noted = false;

static CommitTraceShared *shared = NULL;

/* What was seen as the commit under way began. */
static uint32 noted_age;
static uint8 noted_blocked;
static uint64 noted_cpu_time;

Size
commit_trace_shared_size(int backends)
{
	return sizeof(CommitTraceShared);
}

void
commit_trace_attach(void *part, bool found)
{
	shared = part;
	commit_trace_deadline = &shared->deadline;
	if (found)
		return;
	pg_atomic_init_u64(&shared->deadline, 0);
	pg_atomic_init_u64(&shared->nrecords, 0);
	for (int i = 0; i < RING_SIZE; i++)
		pg_atomic_init_u64(&shared->ring[i].number, 0);
}

/*----------------------------------------------------------------
 * The commit path
 *----------------------------------------------------------------
 */

static uint32
saturate(uint64 value)
{
	return (uint32) Min(value, PG_UINT32_MAX);
}

/* There is, or was, a capture: the commit that begins may be part of it. */
void
commit_trace_note(uint64 deadline, uint64 now)
{
	int64		age;

	if (now >= deadline)
		return;
	age = GetCurrentTimestamp() - GetCurrentTransactionStartTimestamp();
	noted_age = age > 0 ? saturate(age) : 0;
	noted_blocked = siblings_count_blocked();
	noted_cpu_time = cpu_usage_own();
	commit_trace_noted = true;
}

/* It is done.  Only if commit_trace_noted. */
void
commit_trace_put(uint64 started_at, uint64 ended_at, GroupNumber group,
				 uint32 siblings, const OwnFlush *own)
{
	uint64		number = pg_atomic_fetch_add_u64(&shared->nrecords, 1);
	RingRecord *record = &shared->ring[number % RING_SIZE];
	TracedCommit *commit = &record->commit;

	commit_trace_noted = false;
	pg_atomic_write_u64(&record->number, 0);
	pg_write_barrier();
	commit->started_at = started_at;
	commit->ended_at = ended_at;
	commit->pid = (uint32) MyProcPid;
	commit->age = noted_age;
	commit->group = group;
	commit->io_time = saturate(own->io_time);
	commit->cpu_time = saturate(cpu_usage_own() - noted_cpu_time);
	commit->delay = (uint32) CommitDelay;
	commit->threshold = (uint16) CommitSiblings;
	commit->siblings = (uint16) Min(siblings, PG_UINT16_MAX);
	commit->blocked = noted_blocked;
	commit->blocked_after = siblings_count_blocked();
	commit->led = own->flushes > 0;
	commit->timed = own->timed;
	pg_write_barrier();
	pg_atomic_write_u64(&record->number, number + 1);
}

/*----------------------------------------------------------------
 * The process that captures
 *----------------------------------------------------------------
 */

/* From now on, and until the clock shows "deadline", note down commits. */
void
commit_trace_start(CommitTrace *trace, uint64 deadline)
{
	trace->n = 0;
	trace->room = RING_SIZE;
	trace->commit = palloc(trace->room * sizeof(TracedCommit));
	trace->lost = 0;
	trace->next = pg_atomic_read_u64(&shared->nrecords);
	trace->started_at = trace->ended_at = clock_now();
	pg_atomic_write_u64(&shared->deadline, deadline);
}

/* May be called while the process exits. */
void
commit_trace_stop(void)
{
	pg_atomic_write_u64(&shared->deadline, 0);
}

/* Do commits note themselves down now? */
bool
commit_trace_is_on(void)
{
	return clock_now() < pg_atomic_read_u64(&shared->deadline);
}

typedef enum CopyOutcome
{
	RECORD_COPIED,
	RECORD_NOT_READY,
	RECORD_LOST
} CopyOutcome;

static CopyOutcome
copy_record(uint64 number, TracedCommit *commit)
{
	RingRecord *record = &shared->ring[number % RING_SIZE];
	uint64		before = pg_atomic_read_u64(&record->number);

	if (before < number + 1)
		return RECORD_NOT_READY;
	if (before > number + 1)
		return RECORD_LOST;
	pg_read_barrier();
	*commit = record->commit;
	pg_read_barrier();
	return pg_atomic_read_u64(&record->number) == before ?
		RECORD_COPIED : RECORD_LOST;
}

static void
make_room(CommitTrace *trace)
{
	if (trace->n < trace->room)
		return;
	trace->room *= 2;
	trace->commit = repalloc(trace->commit,
							 trace->room * sizeof(TracedCommit));
}

/*
 * Take what is new.  To be called often enough for the ring.  Returns false if
 * no more can be kept.  A backend that dies between taking its place and writing
 * its record takes the server with it, so nothing is waited for in vain; but one
 * that is not scheduled just then must not hold up the rest for good.
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
		CopyOutcome outcome;

		if (trace->n == MAX_COMMITS)
			return false;
		make_room(trace);
		outcome = copy_record(trace->next, &trace->commit[trace->n]);
		if (outcome == RECORD_NOT_READY && end - trace->next < RING_SIZE / 2)
			break;
		if (outcome == RECORD_COPIED)
			trace->n++;
		else
			trace->lost++;
	}
	return true;
}
