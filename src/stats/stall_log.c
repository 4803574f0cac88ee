/*-------------------------------------------------------------------------
 *
 * stall_log.c
 *		The events of slow_log.c in order, and what the stalls among them show.
 *
 * commit_stall_log and the report tell from here whose WAL a stalled flush had
 * written, and whether the stalls show a quota of the device.
 *
 * Locking: none; the rings of slow_log.c are read without a lock.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "probe/cpu_limit.h"
#include "stats/stall_log.h"

const char *const stall_cause_names[] = {
	[STALL_SEGMENT] = "new segment",
	[STALL_CPU_LIMIT] = "CPU limit",
	[STALL_CHECKPOINT] = "checkpoint",
	[STALL_ARCHIVER] = "archiver",
	[STALL_BULK_WAL] = "bulk WAL",
	[STALL_BYTES] = "bytes",
	[STALL_QUOTA] = "quota",
	[STALL_UNKNOWN] = "unknown"
};

#define QUOTA_STALLS	256		/* that are searched for it */

static int
compare_times(const void *a, const void *b)
{
	uint64		x = ((const LoggedEvent *) a)->event.end;
	uint64		y = ((const LoggedEvent *) b)->event.end;

	return (x > y) - (x < y);
}

LoggedEvent *
logged_events_read(SlowKind kind, int *n)
{
	LoggedEvent *logged = palloc(SLOW_LOG_KEPT * sizeof(LoggedEvent));
	uint64		newest = slow_log_newest(kind);

	*n = 0;
	for (uint64 number = slow_log_oldest(kind);
		 number <= newest && *n < SLOW_LOG_KEPT; number++)
		if (slow_log_copy(kind, number, &logged[*n].event,
						  &logged[*n].outcome))
			(*n)++;
	qsort(logged, *n, sizeof(LoggedEvent), compare_times);
	return logged;
}

/* Bytes of a flush that a bulk writer wrote, if it wrote evenly. */
static double
wal_in_flush(const SlowEvent *writer, const SlowEvent *stall)
{
	uint64		until = stall->end - stall->duration;
	uint64		began_at = writer->end - writer->duration;
	uint64		overlap = clock_elapsed(Max(began_at, stall->since),
										Min(writer->end, until));

	return (double) writer->wal_bytes * overlap / Max(writer->duration, 1);
}

/* The leader for certain, or a transaction that was running then. */
static StallWriter
find_writer(const LoggedEvent *stall, const LoggedEvent *writers, int n)
{
	StallWriter writer = {NULL, 0};

	if (stall->outcome.wal_bytes == 0)
		return writer;
	writer.session = &stall->event;
	writer.share = stall->event.wal_bytes;
	for (int i = 0; i < n && stall->event.since != 0; i++)
	{
		double		bytes = wal_in_flush(&writers[i].event, &stall->event);

		if (bytes > writer.share)
		{
			writer.session = &writers[i].event;
			writer.share = bytes;
		}
	}
	writer.share = Min(writer.share / stall->outcome.wal_bytes, 1.0);
	if (writer.share < 0.5)
		writer.session = NULL;
	return writer;
}

/*
 * The number of flushes from one event to another.  Group numbers come again
 * after GROUP_NUMBER_MASK; two leaders may have noted them in another order.
 */
static int
flushes_between(const SlowEvent *one, const SlowEvent *other)
{
	int			distance;

	if (one->group == InvalidGroupNumber || other->group == InvalidGroupNumber)
		return 0;
	distance = flush_groups_distance(one->group, other->group);
	return distance > (int) (GROUP_NUMBER_MASK / 2) ? 0 : distance;
}

bool
stall_log_has_writer(const StallLog *log, int i)
{
	const SlowEvent *writer = log->writer[i].session;

	return writer != NULL && writer->wal_bytes >= BULK_WAL;
}

/* Unless the stalls are the periods of a limited CPU */
void
stall_log_find_quota(StallLog *log)
{
	DeviceQuota quota;
	int			first = Max(log->n - QUOTA_STALLS, 0);
	int			flush = 0;

	for (int i = first; i < log->n; i++)
	{
		const SlowEvent *event = &log->logged[i].event;
		DeviceStall *stall = &log->stall[i];

		if (i > first)
			flush += flushes_between(&log->logged[i - 1].event, event);
		stall->flush = flush;
		stall->ended_at = (double) event->end / NS_PER_US;
		stall->length = (double) event->duration / NS_PER_US;
		stall->wal_end = (double) log->logged[i].outcome.boundary;
		stall->explained = event->checkpoint > 0 ||
			stall_log_has_writer(log, i);
	}
	if (!wal_device_find_quota(log->stall + first, log->n - first, INFINITY,
							   &quota))
		return;
	/* these end with periods of the CPU, or may */
	if (cpu_limit_stops(CPU_LIMIT_GROUPS, CPU_LIMIT_MOUNT))
	{
		for (int i = first; i < log->n; i++)
			log->stall[i].of_quota = false;
		return;
	}
	log->quota_flushes = quantile(quota.flushes, quota.n, 0.5);
	log->quota_window = quota.window;
}

void
stall_log_read(StallLog *log)
{
	LoggedEvent *writers;
	int			nwriters;

	memset(log, 0, sizeof(StallLog));
	log->logged = logged_events_read(SLOW_STALL, &log->n);
	log->writer = palloc(Max(log->n, 1) * sizeof(StallWriter));
	log->stall = palloc0(Max(log->n, 1) * sizeof(DeviceStall));
	writers = logged_events_read(BULK_WRITER, &nwriters);
	for (int i = 0; i < log->n; i++)
		log->writer[i] = find_writer(&log->logged[i], writers, nwriters);
}

void
stall_log_fit(const FlushTotals *groups, FlushFit *fit)
{
	memset(fit, 0, sizeof(FlushFit));
}

/* Of the flush of a slow commit. */
StallCause
stall_log_cause_of(const StallLog *log, GroupNumber group)
{
	return STALL_UNKNOWN;
}
