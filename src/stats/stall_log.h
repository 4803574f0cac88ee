/*-------------------------------------------------------------------------
 *
 * stall_log.h
 *		The events of slow_log.c in order, and what the stalls among them show;
 *		see stall_log.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_STALL_LOG_H
#define COMMIT_STATS_STALL_LOG_H

#include "base/wal_device.h"
#include "stats/slow_log.h"

/* An event, and what became of its flush; a copy. */
typedef struct LoggedEvent
{
	SlowEvent	event;
	SlowOutcome outcome;
} LoggedEvent;

/* The session whose WAL was most of a flush. */
typedef struct StallWriter
{
	const SlowEvent *session;	/* NULL: none, or not known */
	double		share;			/* of the WAL, estimated */
} StallWriter;

/* All stalls that are kept, oldest first; palloc'd. */
typedef struct StallLog
{
	int			n;
	LoggedEvent *logged;
	StallWriter *writer;		/* of each */
	DeviceStall *stall;			/* each, and whether a quota explains it */
	double		quota_flushes;	/* in each window; 0: no quota shows */
	double		quota_window;	/* us */
} StallLog;

/* The events of a kind that are there, oldest first; palloc'd */
extern LoggedEvent *logged_events_read(SlowKind kind, int *n);

/* The stalls and their writers */
extern void stall_log_read(StallLog *log);

/* The quota that the latest stalls show; up to 40 ms, and files are read */
extern void stall_log_find_quota(StallLog *log);

/* True if one transaction wrote most WAL of the flush, and a lot */
extern bool stall_log_has_writer(const StallLog *log, int i);

#endif							/* COMMIT_STATS_STALL_LOG_H */
