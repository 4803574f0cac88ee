/*-------------------------------------------------------------------------
 *
 * stall_log.c
 *		The events of slow_log.c in order, and why each stall among them came.
 *
 * slow_commit.c notes and counts a stall as its leader's commit ends.
 *
 * commit_stall_log and the report tell from here whose WAL a stalled flush had
 * written, and what made it stall.  Each stall has one cause: that of the
 * first rule that holds ("rules" below).  A rule returns its certainty, the
 * probability that the cause is right; 0: it does not hold.  Three passes over
 * all stalls explain some that no rule did: follow_checkpoint(), follow_rate()
 * and precede_others().
 *
 *	seen		what the background worker saw during a stall (watch.c)
 *	activity	what may make flushes stall while it goes on: the phases of a
 *				checkpoint, archive_command, a session that writes much,
 *				other I/O of the volume
 *	quota		even distances between the stalls that no rule before explains,
 *				in the sync of WAL (look_for_quota())
 *	ratio		stall time in a second with an activity to that in one without
 *	share		of the requests of the volume, those that are of no flush
 *
 * An activity and a stall at the same time prove nothing: a checkpoint can go
 * on all the time.  With a ratio r, a share of 1 - 1/r of the stalls beside
 * the activity would not have come without it, and that is their certainty.
 *
 * Locking: none here; the rings of slow_log.c and watch.c are read without a
 * lock.  clients.c takes commit_stats_clients_lock() for the names of writers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xlog.h"
#include "access/xlog_internal.h"

#include "base/clock.h"
#include "base/histogram.h"
#include "stats/stall_log.h"

const char *const stall_cause_names[] = {STALL_CAUSES(STALL_CAUSE_NAME)};

#define QUOTA_STALLS	256		/* that are searched for it */
#define QUOTA_WINDOWS	2		/* that a stall takes, at most: a flush has a
								 * few requests */

/* Bytes of a flush that may be of a bulk writer */
#define MUCH_WAL		(BULK_WAL / 8)

/* A writer at whose mean rate a flush has less than this part is none of it. */
#define LEAST_PART		16

/* An activity with a smaller ratio is no cause. */
#define MIN_RATIO		3.0

/* ... but beside it, no quota may show that does without it. */
#define MIN_APART		1.5

/* Certainty of an activity that was there, or has just ended, without a ratio */
#define MERELY_BESIDE	0.6

/* Of the volume's requests: with fewer of others, it has its own reasons. */
#define MIN_OTHERS		0.3

/* ns: looks know what others had of the volume in about so much time */
#define OTHERS_LAG		NS_PER_S

/* Looks at a commit, none of which saw it wait for a standby */
#define STANDBY_LOOKS	3

/* ns: in a shorter stall, looks are too few */
#define FEW_LOOKS		(3 * (WATCH_EVERY_MS + WATCH_VARIES_MS) * NS_PER_MS)

/* Of the rate of bytes: some of it goes to other writes. */
#define AT_RATE			0.8

StaticAssertDecl(offsetof(LoggedEvent, event) == 0 &&
				 offsetof(SlowEvent, end) == 0,
				 "compare_uint64s() orders events by their end");

LoggedEvent *
logged_events_read(SlowKind kind, int *n)
{
	LoggedEvent *logged = palloc0(SLOW_LOG_KEPT * sizeof(LoggedEvent));
	uint64		newest = slow_log_newest(kind);

	*n = 0;
	for (uint64 number = slow_log_oldest(kind); number <= newest; number++)
		if (slow_log_copy(kind, number, &logged[*n].event,
						  &logged[*n].outcome))
			(*n)++;
	qsort(logged, *n, sizeof(LoggedEvent), compare_uint64s);
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
static void
find_writer(LoggedEvent *stall, const LoggedEvent *writers, int n)
{
	const SlowEvent *writer = &stall->event;
	double		most = stall->event.wal_bytes;

	for (int i = 0; i < n && stall->event.since != 0; i++)
	{
		double		bytes = wal_in_flush(&writers[i].event, &stall->event);

		if (bytes > most)
		{
			writer = &writers[i].event;
			most = bytes;
		}
	}
	if (stall->outcome.wal_bytes == 0 || most < 0.5 * stall->outcome.wal_bytes)
		return;
	stall->writer = writer;
	stall->writer_share = Min(most / stall->outcome.wal_bytes, 1.0);
}

/*
 * A session that the worker saw writing for half of a stall with much WAL.  It
 * has not ended since, or has rolled back; or it is among "writers", but wrote
 * too unevenly for wal_in_flush().  One that only computes, in a transaction
 * with an id, looks the same: without a name, if clients differ.
 */
static void
find_running(LoggedEvent *stall, const LoggedEvent *writers, int n,
			 ClientSessions **sessions)
{
	const WatchWriter *seen = &stall->outcome.seen.writer[0];
	int			likely = watch_likely_writers(&stall->outcome.seen);
	const ClientSession *session;
	SlowEvent  *event;

	if (stall->outcome.wal_bytes < MUCH_WAL || seen->samples == 0 ||
		2 * seen->samples < stall->outcome.seen.n)
		return;
	if (*sessions == NULL)
		*sessions = clients_read_sessions();
	session = clients_find_session(*sessions, seen->pid, stall->event.end);
	event = palloc0(sizeof(SlowEvent));
	/* or else it would not have been seen writing */
	event->wal_bytes = Max(stall->outcome.wal_bytes, BULK_WAL);
	stall->writer = event;
	for (int i = 1; i < likely; i++)
	{
		const ClientSession *other =
		clients_find_session(*sessions, seen[i].pid, stall->event.end);

		if (session == NULL || other == NULL ||
			memcmp(&session->key, &other->key, sizeof(ClientKey)) != 0)
			return;
	}
	event->pid = seen->pid;
	if (session != NULL)
		event->client = session->key;
	for (int i = 0; i < n; i++)
		if (writers[i].event.pid == seen->pid &&
			writers[i].event.end > stall->event.end &&
			writers[i].event.end - writers[i].event.duration < stall->event.end)
			stall->writer = &writers[i].event;
}

/*
 * The only bulk writer that was running, all the time from the flush before:
 * it did not write evenly, or the worker had not seen it for long enough.
 */
static void
find_only(LoggedEvent *stall, const LoggedEvent *writers, int n)
{
	uint64		until = stall->event.end - stall->event.duration;
	const SlowEvent *only = NULL;

	for (int i = 0; i < n; i++)
	{
		const SlowEvent *writer = &writers[i].event;

		if (writer->end <= stall->event.since || writer->end - writer->duration >= until)
			continue;
		if (only != NULL)
			return;
		only = writer;
	}
	if (only == NULL || stall->event.since == 0 || only->end < until ||
		only->end - only->duration > stall->event.since ||
		LEAST_PART * wal_in_flush(only, &stall->event) < stall->outcome.wal_bytes)
		return;
	stall->writer = only;
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

/*---- Activities --------------------------------------------------*/

static bool
was_there(const WatchSummary *seen, WatchActivity activity)
{
	return seen->n > 0 && 2 * seen->activity[activity] >= seen->n;
}

/* A checkpoint does, in advance; its zeros look like I/O of others. */
static bool
makes_segment(const WatchSummary *seen)
{
	return was_there(seen, ACTIVITY_CHECKPOINT) && 2 * seen->ahead >= seen->n;
}

const char *
stall_log_checkpoint_phase(const WatchSummary *seen)
{
	if (!was_there(seen, ACTIVITY_CHECKPOINT))
		return NULL;
	return makes_segment(seen) ? "segment" :
		seen->activity[ACTIVITY_SYNCS] >= seen->activity[ACTIVITY_WRITES] ?
		"sync" : "write";
}

/* Looks tell where nothing has been measured. */
static bool
is_segment(const SlowEvent *event, const WatchSummary *seen)
{
	if (event->part[PHASE_SEGMENT] > 0)
		return event->part[PHASE_SEGMENT] >= event->duration / 2;
	return seen->segment > 0 && 2 * seen->segment >= seen->n;
}

/*
 * The ratio of an activity in the looks of "all", which are those since
 * "present" of which stalls are kept; 0 if it went on all the time, or never.
 * Stalls of a quota that is known come whatever goes on, and those of a rule
 * that needs no ratio tell of nothing else: a full segment is archived as the
 * next one is made.  A mean stall is added to those without the activity, as
 * their absence may be chance.
 */
static double
activity_ratio(const StallLog *log, WatchActivity activity,
			   const WatchSummary *all)
{
	int			with = all->activity[activity];
	double		stalled_with = 0;
	double		stalled = 0;
	int			n = 0;

	for (int i = 0; i < log->n; i++)
	{
		const SlowEvent *event = &log->logged[i].event;
		const WatchSummary *seen = &log->logged[i].outcome.seen;

		if (event->end <= log->present || log->logged[i].cause == STALL_QUOTA ||
			(log->logged[i].cause == STALL_BYTES && log->stall[i].of_quota) ||
			is_segment(event, seen) || watch_is_throttled(seen, event->duration))
			continue;
		n++;
		stalled += event->duration;
		if (was_there(seen, activity))
			stalled_with += event->duration;
	}
	if (n == 0 || with == 0 || with == all->n)
		return 0;
	return (stalled_with / with) /
		((stalled - stalled_with + stalled / n) / (all->n - with));
}

static void
find_ratios(StallLog *log)
{
	uint64		now = clock_now();
	WatchSummary all;

	watch_sum(slow_log_since(SLOW_STALL), now, &all);
	log->present = clock_elapsed((uint64) (all.seconds * NS_PER_S), now);
	log->flushed_rate = Max(all.volume.flushed - all.commits * FLUSH_KB * 1024, 0) /
		Max(all.volume.seconds * 1e6, 1);
	for (int activity = 0; activity < ACTIVITIES; activity++)
		log->ratio[activity] = Max(activity_ratio(log, activity, &all), log->ratio[activity]);
}

/* The ratio when the stall came, or now if that is the same period */
static double
ratio_of(const StallLog *log, const LoggedEvent *stall, WatchActivity activity)
{
	return stall->event.end > log->present ? log->ratio[activity] :
		stall->outcome.ratio[activity];
}

/* It may have made the stall: the flush did not wait for a processor. */
static bool
may_stall(const WatchSummary *seen, WatchActivity activity)
{
	return was_there(seen, activity) && !watch_is_of_processor(seen);
}

/* A phase of a checkpoint may stall flushes where the whole does not. */
static double
ratio_beside(const StallLog *log, const LoggedEvent *stall,
			 WatchActivity activity)
{
	const WatchSummary *seen = &stall->outcome.seen;
	double		ratio = ratio_of(log, stall, activity);

	if (!may_stall(seen, activity))
		return 0;
	if (activity == ACTIVITY_CHECKPOINT)
		ratio = Max(ratio, ratio_of(log, stall,
									was_there(seen, ACTIVITY_SYNCS) ?
									ACTIVITY_SYNCS : ACTIVITY_WRITES));
	return ratio;
}

/*
 * Of two activities at the same time, the one with the larger ratio counts, if
 * it is surer than "bytes".  Checkpoints and the archiver use the volume
 * themselves, so the rules ask for I/O of others after them.
 */
static double
certainty_beside(const StallLog *log, const LoggedEvent *stall,
				 WatchActivity activity, WatchActivity other, double bytes)
{
	double		ratio = ratio_beside(log, stall, activity);

	return ratio >= MIN_RATIO && ratio >= ratio_beside(log, stall, other) &&
		1 - 1 / ratio > bytes ? 1 - 1 / ratio : 0;
}

/*
 * A bulk load also keeps the archiver busy, and makes checkpoints come.  That
 * it wrote most of the flush decides, unless flushes stall rather beside
 * those.
 */
static bool
writer_outweighs(const StallLog *log, const LoggedEvent *stall)
{
	return ratio_beside(log, stall, ACTIVITY_WRITER) >=
		Max(ratio_beside(log, stall, ACTIVITY_CHECKPOINT),
			ratio_beside(log, stall, ACTIVITY_ARCHIVER));
}

/*
 * A flush that takes long leaves more WAL of any writer for the next one, so
 * less than BULK_WAL tells little if others, and not the writer, make stalls.
 */
static bool
others_outweigh(const StallLog *log, const LoggedEvent *stall)
{
	return stall->outcome.wal_bytes < BULK_WAL && stall->writer != &stall->event &&
		ratio_beside(log, stall, ACTIVITY_WRITER) < MIN_RATIO &&
		ratio_beside(log, stall, ACTIVITY_OTHERS) >= MIN_RATIO;
}

/*
 * A volume that limits requests serves others and flushes in turn: of the
 * time, others have their share of the requests.
 */
static double
share_of_others(const WatchSummary *seen)
{
	double		share = seen->n > 0 ? seen->others / seen->n : 0;

	return share >= MIN_OTHERS && !watch_is_of_processor(seen) ? share : 0;
}

/*
 * An activity that goes on all the time has no ratio.  If the volume is not
 * known to move more than WAL, it is not known to make flushes stall.
 */
static double
is_beside(const StallLog *log, const LoggedEvent *stall, WatchActivity activity)
{
	const WatchSummary *seen = &stall->outcome.seen;

	return ratio_of(log, stall, activity) == 0 && may_stall(seen, activity) &&
		(was_there(seen, ACTIVITY_OTHERS) || share_of_others(seen) > 0) ?
		MERELY_BESIDE : 0;
}

/*---- Rules -------------------------------------------------------*/

/*
 * Bytes/us that the volume has shown, on average, so it may be faster: while a
 * writer that has ended ran, whose last WAL was not flushed yet, or lately.
 */
static double
shown_rate(const StallLog *log, const LoggedEvent *stall)
{
	const SlowEvent *writer = stall->writer;

	if (writer == &stall->event || writer->duration == 0)
		return stall->event.end > log->present ? log->flushed_rate : 0;
	return Max((double) writer->wal_bytes - wal_segment_size -
			   (double) XLOGbuffers * XLOG_BLCKSZ, 0) / writer->duration * NS_PER_US;
}

/*
 * At the rate of the fit, or else the one shown, the WAL takes a quarter of
 * the stall, at least.
 */
static double
is_bulk_wal(const StallLog *log, const LoggedEvent *stall)
{
	const FlushFit *fit = &log->fit;
	const WatchSummary *seen = &stall->outcome.seen;
	double		length = (double) stall->event.duration / NS_PER_US;

	if (stall->outcome.wal_bytes < MUCH_WAL || stall->writer == NULL ||
		stall->writer->wal_bytes < BULK_WAL ||
		4.0 * stall->outcome.wal_bytes <
		(fit_main_share(fit) > 0 ? fit->rate : shown_rate(log, stall)) * length)
		return 0;
	return stall->writer_share > 0 ? stall->writer_share :
		Max(Min((double) seen->writer[0].samples / Max(seen->n, 1), 1), MERELY_BESIDE);
}

/* By the fit, bytes take half of the stall. */
static double
is_bytes(const FlushFit *fit, const LoggedEvent *stall)
{
	double		bytes = stall->outcome.wal_bytes;
	double		length = (double) stall->event.duration / NS_PER_US;

	return bytes > 0 && 2 * fit->per_byte * bytes >= Max(length, 1) ?
		fit_main_share(fit) : 0;
}

/*
 * A quota stops the sync of WAL, not what waits for a processor or to write,
 * nor what flushes usually take.
 */
static bool
has_no_quota(const StallLog *log, const LoggedEvent *stall)
{
	return stall->event.duration <= stall_limit_get() ||
		watch_is_of_processor(&stall->outcome.seen) ||
		(stall->event.duration > FEW_LOOKS ?
		 watch_is_of_write(&stall->outcome.seen) : log->short_writes);
}

/* By the rules before "end"; "quota": the certainty of that, if it may be one */
static void
decide_cause(const StallLog *log, LoggedEvent *stall, double quota, StallCause end)
{
	double		bulk_wal = others_outweigh(log, stall) ? 0 : is_bulk_wal(log, stall);
	double		bytes = is_bytes(&log->fit, stall);
	bool		ahead = makes_segment(&stall->outcome.seen) &&
	!watch_is_of_processor(&stall->outcome.seen);
	bool		throttled = watch_is_throttled(&stall->outcome.seen,
											   stall->event.duration);
	const struct
	{
		StallCause	cause;
		double		certainty;
	}			rules[] = {
		{STALL_SEGMENT, is_segment(&stall->event, &stall->outcome.seen)},
		{STALL_PAUSE, throttled && stall->outcome.seen.paused > 0},
		{STALL_CPU_LIMIT, throttled},
		{STALL_BULK_WAL, writer_outweighs(log, stall) ? bulk_wal : 0},
		{STALL_CHECKPOINT,
		certainty_beside(log, stall, ACTIVITY_CHECKPOINT, ACTIVITY_ARCHIVER, bytes)},
		{STALL_ARCHIVER,
		certainty_beside(log, stall, ACTIVITY_ARCHIVER, ACTIVITY_CHECKPOINT, bytes)},
		{STALL_BULK_WAL, bulk_wal},
		{STALL_BYTES,
		log->quota_flushes == 0 && quota > 0 ? quota : bytes},
		{STALL_OTHERS, ahead ? 0 :
		certainty_beside(log, stall, ACTIVITY_OTHERS, ACTIVITY_OTHERS, bytes)},
		{STALL_QUOTA, quota},
		{STALL_CHECKPOINT, ahead ? MERELY_BESIDE :
		is_beside(log, stall, ACTIVITY_CHECKPOINT)},
		{STALL_ARCHIVER, is_beside(log, stall, ACTIVITY_ARCHIVER)},
		{STALL_OTHERS, is_beside(log, stall, ACTIVITY_OTHERS)},
		{STALL_OTHERS, share_of_others(&stall->outcome.seen)},
		{STALL_UNKNOWN, 0}
	};
	int			r = 0;

	while (rules[r].certainty == 0 && rules[r].cause != end &&
		   rules[r].cause != STALL_UNKNOWN)
		r++;
	stall->certainty = rules[r].cause == end ? 0 : rules[r].certainty;
	stall->cause = rules[r].cause == end ? STALL_UNKNOWN : rules[r].cause;
}

static void
decide_logged(StallLog *log, int i, StallCause end)
{
	LoggedEvent *stall = &log->logged[i];

	decide_cause(log, stall, log->stall[i].of_quota && !has_no_quota(log, stall) ?
				 log->quota_certainty : 0, end);
}

/*---- The quota ---------------------------------------------------*/

bool
stall_log_is_of_write(const StallLog *log, TimestampTz from, TimestampTz end,
					  uint64 longest)
{
	WatchSummary sum = {0};

	for (int i = 0; i < log->n; i++)
	{
		const SlowEvent *event = &log->logged[i].event;
		const WatchSummary *seen = &log->logged[i].outcome.seen;

		if (log->logged[i].cause != STALL_UNKNOWN || event->ended_at < from ||
			event->ended_at >= end || event->duration > longest)
			continue;
		sum.write_waits += seen->write_waits;
		sum.phase[PHASE_FLUSH] += seen->phase[PHASE_FLUSH];
		sum.phase[PHASE_OTHER_FLUSH] += seen->phase[PHASE_OTHER_FLUSH];
	}
	return watch_is_of_write(&sum);
}

/*
 * Where the rules before it name a cause, or has_no_quota(), none is needed.
 * With "apart", nor beside a checkpoint or the archiver, whose stalls may hide
 * its windows.
 */
static bool
quota_shows(StallLog *log, bool apart, DeviceQuota *quota)
{
	int			first = Max(log->n - QUOTA_STALLS, 0);
	int			flush = 0;

	for (int i = 0; i < log->n; i++)
	{
		const SlowEvent *event = &log->logged[i].event;
		DeviceStall *stall = &log->stall[i];

		if (i > 0)
			flush += flushes_between(&log->logged[i - 1].event, event);
		stall->flush = flush;
		stall->ended_at = (double) event->end / NS_PER_US;
		stall->length = (double) event->duration / NS_PER_US;
		stall->wal_end = (double) log->logged[i].outcome.boundary;
		stall->explained = log->logged[i].cause != STALL_UNKNOWN ||
			has_no_quota(log, &log->logged[i]) ||
			(apart && MIN_APART <=
			 Max(ratio_beside(log, &log->logged[i], ACTIVITY_CHECKPOINT),
				 ratio_beside(log, &log->logged[i], ACTIVITY_ARCHIVER)));
	}
	return wal_device_find_quota(log->stall + first, log->n - first, INFINITY, quota);
}

static void
look_for_quota(StallLog *log)
{
	DeviceQuota quota;
	double		bytes;
	double		longest;

	log->short_writes = stall_log_is_of_write(log, DT_NOBEGIN, DT_NOEND, FEW_LOOKS);
	if (!quota_shows(log, false, &quota) && !quota_shows(log, true, &quota))
		return;
	/* a longer stall also ends with a window, but did not wait for that */
	longest = QUOTA_WINDOWS * quota.window;
	for (int i = 0; i < log->n; i++)
		log->stall[i].explained = log->logged[i].cause != STALL_UNKNOWN ||
			has_no_quota(log, &log->logged[i]) || log->stall[i].length > longest;
	wal_device_mark_quota(log->stall, log->n, quota.window);
	for (int i = 0; i < log->n; i++)
		log->stall[i].of_quota &= log->stall[i].length <= longest;
	log->quota_certainty = quota.certainty;
	log->quota_window = quota.window;
	bytes = quantile(quota.bytes, quota.nbytes, 0.5);
	if (quota.of_flushes)
	{
		log->quota_flushes = quantile(quota.flushes, quota.n, 0.5);
		log->quota_bytes = quota.of_bytes ? bytes : 0;
	}
	else if (fit_main_share(&log->fit) == 0)
	{
		log->fit.window = quota.window;
		log->fit.rate = bytes / quota.window;
	}
}

/*
 * After a checkpoint, a volume works off what it wrote, and what waited
 * meanwhile.  A stall of unknown cause that begins sooner after one of the
 * checkpoint's than that one lasted, before "until", is one of these.
 */
static void
follow_checkpoint(LoggedEvent *stall, uint64 *until)
{
	if (stall->cause == STALL_UNKNOWN &&
		stall->event.end - stall->event.duration < *until)
	{
		stall->cause = STALL_CHECKPOINT;
		stall->certainty = MERELY_BESIDE;
	}
	if (stall->cause == STALL_CHECKPOINT)
		*until = Max(*until, stall->event.end + stall->event.duration);
}

/*
 * What others have of the volume shows when they have had it for a while, so
 * stalls of unknown cause shortly before that, in one that they made, are
 * theirs, too.
 */
static void
precede_others(StallLog *log)
{
	uint64		since = PG_UINT64_MAX;

	for (int i = log->n - 1; i >= 0; i--)
	{
		LoggedEvent *stall = &log->logged[i];

		const WatchSummary *seen = &stall->outcome.seen;
		double		shown = (double) seen->activity[ACTIVITY_OTHERS] / Max(seen->n, 1);

		if (stall->cause == STALL_OTHERS && stall->certainty > MERELY_BESIDE)
			since = clock_elapsed(OTHERS_LAG + shown * stall->event.duration,
								  stall->event.end);
		else if (stall->cause == STALL_UNKNOWN && stall->event.end > since &&
				 !watch_is_of_processor(seen))
		{
			stall->cause = STALL_OTHERS;
			stall->certainty = MERELY_BESIDE;
		}
	}
}

/*
 * From stall to stall, a volume that limits bytes was as quick as it can be: a
 * stall that neither has many bytes itself nor ends a window has made up for
 * the flushes before it.
 */
static void
follow_rate(const FlushFit *fit, double certainty, LoggedEvent *stall,
			const LoggedEvent *before)
{
	double		us = (double) clock_elapsed(before->event.end, stall->event.end) / NS_PER_US;
	double		bytes = flush_wal_bytes(stall->outcome.boundary,
										before->outcome.boundary);

	if (stall->cause != STALL_UNKNOWN || certainty == 0 || us == 0 ||
		bytes < AT_RATE * fit->rate * us)
		return;
	stall->cause = STALL_BYTES;
	stall->certainty = certainty;
}

void
stall_log_find_causes(StallLog *log, const FlushTotals *groups)
{
	double		of_bytes;
	uint64		until = 0;

	if (groups != NULL)
		stall_log_fit(groups, &log->fit);
	find_ratios(log);
	for (int i = 0; i < log->n; i++)
		decide_logged(log, i, STALL_QUOTA);
	look_for_quota(log);
	of_bytes = log->fit.window > 0 ? log->quota_certainty :
		fit_main_share(&log->fit);
	for (int i = 0; i < log->n; i++)
		decide_logged(log, i, STALL_UNKNOWN);
	if (log->quota_window > 0)
		find_ratios(log);
	for (int i = 0; i < log->n; i++)
	{
		if (log->logged[i].cause == STALL_UNKNOWN || log->logged[i].cause == STALL_OTHERS)
			decide_logged(log, i, STALL_UNKNOWN);
		follow_checkpoint(&log->logged[i], &until);
		if (i > 0)
			follow_rate(&log->fit, of_bytes, &log->logged[i], &log->logged[i - 1]);
	}
	precede_others(log);
}

/* That of a leader from the same time on; that time is of one flush. */
static bool
is_noted(const StallLog *log, uint64 since)
{
	for (int i = 0; i < log->n && since != 0; i++)
		if (log->logged[i].event.role == SLOW_LED &&
			log->logged[i].event.since == since)
			return true;
	return false;
}

/*
 * Drop the stalls that seemed to have no leader, because it waited for a
 * standby when they were noted, and noted the flush itself later.
 */
static void
drop_led(StallLog *log)
{
	int			kept = 0;

	for (int i = 0; i < log->n; i++)
		if (log->logged[i].event.role == SLOW_LED ||
			(log->logged[i].outcome.leader_pid == 0 &&
			 !is_noted(log, log->logged[i].event.since)))
			log->logged[kept++] = log->logged[i];
	log->n = kept;
}

void
stall_log_read(StallLog *log)
{
	ClientSessions *sessions = NULL;
	LoggedEvent *writers;
	int			nwriters;

	memset(log, 0, sizeof(StallLog));
	log->logged = logged_events_read(SLOW_STALL, &log->n);
	drop_led(log);
	log->stall = palloc0(Max(log->n, 1) * sizeof(DeviceStall));
	writers = logged_events_read(BULK_WRITER, &nwriters);
	for (int i = 0; i < log->n; i++)
	{
		LoggedEvent *stall = &log->logged[i];

		/* until the worker has settled the event, and notes that */
		if (stall->outcome.seen.n == 0)
			watch_sum(clock_elapsed(stall->event.duration, stall->event.end),
					  stall->event.end, &stall->outcome.seen);
		find_writer(stall, writers, nwriters);
		if (stall->writer == NULL)
			find_running(stall, writers, nwriters, &sessions);
		if (stall->writer == NULL && stall->outcome.wal_bytes >= MUCH_WAL)
			find_only(stall, writers, nwriters);
	}
}

/* Of the flushes that the ring still has */
void
stall_log_fit(const FlushTotals *groups, FlushFit *fit)
{
	double	   *bytes = palloc(Max(groups->nrecent, 1) * sizeof(double));
	double	   *time = palloc(Max(groups->nrecent, 1) * sizeof(double));
	int			n = 0;

	for (int i = 0; i < groups->nrecent; i++)
	{
		const FlushGroupCopy *group = &groups->recent[i];

		if (group->leader_pid == 0 || group->flushes > 1 ||
			group->leader.flush_time == FLUSH_NOT_TIMED ||
			flush_wal_bytes(group->boundary, group->previous) == 0)
			continue;
		bytes[n] = flush_wal_bytes(group->boundary, group->previous);
		time[n++] = group->leader.flush_time;
	}
	wal_device_fit(bytes, time, n, fit);
	pfree(bytes);
	pfree(time);
}

/*
 * The part of a stall in which a commit may have waited for it.  The flush may
 * not have carried the commit, so the times decide, not the groups.
 */
static uint64
overlap_of(const SlowEvent *stall, const SlowEvent *commit)
{
	return clock_elapsed(Max(stall->end - stall->duration,
							 commit->end - commit->duration),
						 Min(stall->end, commit->writes_end));
}

/*
 * The part of waits for flushes and standbys that was for standbys, as samples
 * of all commits saw meanwhile; 0: too few, or the worker has seen this one
 */
static double
standby_seen(const SlowEvent *commit, const SlowOutcome *outcome)
{
	WatchSummary seen = outcome->seen;
	double		standby;

	if (outcome->waits.standby_since != 0)
		return 0;
	if (seen.n == 0)
		watch_sum(clock_elapsed(commit->duration, commit->end), commit->end, &seen);
	standby = seen.phase[PHASE_STANDBY];
	return seen.n < STANDBY_LOOKS || standby == 0 ? 0 :
		standby / (standby + seen.phase[PHASE_FLUSH] + seen.phase[PHASE_OTHER_FLUSH]);
}

void
stall_log_take_standby(const StallLog *log, const SlowEvent *commit,
					   const SlowOutcome *outcome, uint64 flush_time,
					   uint64 *part)
{
	uint64		doubt = clock_elapsed(commit->standby_min, commit->standby_max);
	uint64		unknown = Min(part[PHASE_UNKNOWN], doubt);
	uint64		flush = 0;

	/* nobody saw its flush end */
	if (commit->part[PHASE_FLUSH] == SLOW_UNKNOWN)
		doubt = unknown = unknown * standby_seen(commit, outcome);
	for (int i = 0; i < log->n; i++)
		flush_time += overlap_of(&log->logged[i].event, commit);
	/* the log lacks stalls, as of flushes that are not timed */
	if ((outcome->seen.n < STANDBY_LOOKS || outcome->waits.standby_since != 0) &&
		stall_log_cause_of(log, commit) != STALL_SEGMENT)
		flush = Min(part[PHASE_OTHER_FLUSH], clock_elapsed(flush_time, doubt - unknown));
	part[PHASE_OTHER_FLUSH] -= flush;
	part[PHASE_UNKNOWN] -= unknown;
	part[PHASE_STANDBY] += unknown + flush;
}

StallCause
stall_log_cause_of(const StallLog *log, const SlowEvent *commit)
{
	StallCause	most = STALL_UNKNOWN;
	uint64		overlap[STALL_NCAUSES] = {0};

	uint64		waited = commit->part[PHASE_OTHER_FLUSH];

	/* without timing, a leader's flush is all that it waited for */
	if (!commit->flush_timed && commit->part[PHASE_FLUSH] != SLOW_UNKNOWN)
		waited += commit->part[PHASE_FLUSH];
	for (int i = 0; i < log->n; i++)
		overlap[log->logged[i].cause] += overlap_of(&log->logged[i].event, commit);
	for (int cause = 0; cause < STALL_NCAUSES; cause++)
		if (overlap[cause] > overlap[most])
			most = cause;
	return 2 * overlap[most] < waited ? STALL_UNKNOWN : most;
}

/*
 * A commit waits for two flushes at most, so that one of them stalled, and for
 * the reason of what was seen meanwhile, if the log lacks the stall.
 */
StallCause
stall_log_cause_of_wait(const StallLog *log, const LoggedEvent *commit,
						uint64 wait)
{
	LoggedEvent stall = *commit;
	uint64		limit = stall_limit_get();
	uint64		logged = 0;

	for (int i = 0; i < log->n; i++)
		logged += overlap_of(&log->logged[i].event, &commit->event);
	if (limit == 0 || wait <= 2 * limit || 2 * logged >= wait)
		return STALL_UNKNOWN;
	stall.event.duration = wait;
	stall.event.part[PHASE_SEGMENT] = 0;
	decide_cause(log, &stall, 0, STALL_UNKNOWN);
	return stall.cause;
}

/*
 * Commits that waited for the flush: as the worker saw, or those known.  One
 * that led it waited, though few looks come where commits are rare.
 */
double
stall_log_waiters(const LoggedEvent *stall)
{
	const WatchSummary *seen = &stall->outcome.seen;
	double		known = Max(stall->event.sessions, stall->outcome.commits);
	double		least = stall->event.role == SLOW_LED ? 1 : 0;

	if (stall->event.duration < WATCH_EVERY_MS * NS_PER_MS || seen->n == 0)
		return Max(known, 1);
	return Max((seen->phase[PHASE_FLUSH] + seen->phase[PHASE_OTHER_FLUSH] +
				seen->phase[PHASE_SEGMENT] + seen->phase[PHASE_NOT_RUN]) / seen->n, least);
}

/* The ring of looks forgets them, so the worker notes them with each stall. */
void
stall_log_note_ratios(SlowOutcome *outcome)
{
	static uint64 found_at = 0;
	static float ratio[ACTIVITIES];
	StallLog	log;

	if (clock_elapsed(found_at, clock_now()) > NS_PER_S)
	{
		stall_log_read(&log);
		/* without the stalls of a quota, as readers do */
		stall_log_find_causes(&log, NULL);
		memcpy(ratio, log.ratio, sizeof(ratio));
		found_at = clock_now();
	}
	memcpy(outcome->ratio, ratio, sizeof(ratio));
}

/*
 * The background worker: a slow commit was carried by a flush that no commit
 * led, but the WAL writer, say, or a COPY; or waited for one before it led the
 * next.  Its own wait tells how long that took.  Only the first commit of a
 * flush is used.
 */
void
stall_log_note_unled(const SlowEvent *follower, const SlowOutcome *outcome)
{
	static GroupNumber noted = InvalidGroupNumber;
	SlowEvent	stall = {0};
	FlushTimes	times;
	FlushTimes	previous = {0};
	bool		led_next = slow_event_waited_for_unled(follower, outcome);

	if (!(led_next || (follower->role == SLOW_FOLLOWED && outcome->leader_pid == 0)) ||
		outcome->commits == 0 || follower->group == noted)
		return;
	flush_group_times(follower->group, &times);
	if (!led_next)
		flush_group_times(flush_group_add(follower->group, -1), &previous);
	stall.limit = stall_limit_get();
	stall.end = clock_elapsed(led_next ? follower->part[PHASE_FLUSH] : 0,
							  follower->writes_end);
	stall.duration =
		clock_elapsed(Max(times.previous_seen_at,
						  clock_elapsed(follower->part[PHASE_OTHER_FLUSH],
										stall.end)),
					  stall.end);
	if (stall.limit == 0 || stall.duration <= stall.limit)
		return;
	noted = follower->group;
	stall.ended_at = follower->ended_at -
		clock_elapsed(stall.end, follower->end) / NS_PER_US;
	stall.noted_at = follower->noted_at;
	stall.role = SLOW_FOLLOWED;
	stall.group = led_next ? InvalidGroupNumber : follower->group;
	stall.checkpoint = follower->checkpoint;
	stall.since = previous.previous_seen_at;
	stall.sessions = outcome->commits;
	slow_log_put(SLOW_STALL, &stall);
}
