/*-------------------------------------------------------------------------
 *
 * stall_log.c
 *		Prints what src/stats/stall_log.c says of given stalls, for
 *		t/unit/stall_log.pl.
 *
 * Each input line is one of
 *
 *		look AT CHECKPOINT ARCHIVING SEGMENT THROTTLED WRITER OTHERS PAUSED
 *			SHARE PROCESSOR SECOND WRITE SYNC AHEAD
 *		stall END LENGTH SEGMENT TIMED PREVIOUS BOUNDARY GROUP ROLE
 *		writer END LENGTH BYTES PID
 *		flush BYTES TIME
 *		reset AT
 *		rate RATE
 *		limit LENGTH
 *		commit LENGTH LOOKS STANDBY FLUSH
 *		follower END LENGTH WAIT
 *
 * with RATE, the WAL that was flushed in a second, times in ms after the
 * begin, except those of a flush, THROTTLED and PAUSED, in us, SHARE of others
 * in the requests of the volume, in percent, PROCESSOR: commits that wait for
 * a flush whose process could run, WRITE and SYNC: whose process writes or
 * syncs, AHEAD: the checkpointer makes a segment, and WRITER and SECOND, pids.
 * A commit led a flush whose end nobody saw; of so many looks, commits waited
 * for a standby, or a flush.  A follower waited for a flush for so long.
 * The output is how long such a commit waited for a standby, ms, the fit, if
 * there are flushes, cause, certainty, writer and waiting commits of each
 * stall, and the cause of the follower's wait, if the log lacks its stall.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "base/clock.h"
#include "probe/kernel.h"
#include "stats/stall_log.h"

#define MOST		4000
#define BEGIN_AGE	(90 * NS_PER_S)

int			wal_segment_size = 16 * 1024 * 1024;
int			XLOGbuffers = 2048;

static uint64 begin;
static uint64 reset_at;
static double rate;
static double limit;
static LoggedEvent events[SLOW_NKINDS][SLOW_LOG_KEPT];
static int	nevents[SLOW_NKINDS];
static WatchSample looks[MOST];
static int	nlooks;
static FlushGroupCopy flushes[MOST];
static int	nflushes;

ClientSessions *
clients_read_sessions(void)
{
	return calloc(1, sizeof(ClientSessions));
}

uint64
stall_limit_get(void)
{
	return (uint64) (limit * NS_PER_MS);
}

uint64
slow_log_oldest(SlowKind kind)
{
	return 1;
}

uint64
slow_log_since(SlowKind kind)
{
	return reset_at;
}

uint64
slow_log_newest(SlowKind kind)
{
	return nevents[kind];
}

bool
slow_log_copy(SlowKind kind, uint64 number, SlowEvent *event,
			  SlowOutcome *outcome)
{
	*event = events[kind][number - 1].event;
	*outcome = events[kind][number - 1].outcome;
	return true;
}

void
watch_sum(uint64 from, uint64 to, WatchSummary *sum)
{
	memset(sum, 0, sizeof(WatchSummary));
	for (int i = 0; i < nlooks; i++)
	{
		const WatchSample *look = &looks[i];

		if (look->at <= from ||
			look->at >= to + WATCH_EVERY_MS * NS_PER_MS)
			continue;
		sum->seconds += WATCH_EVERY_MS / 1e3;
		sum->volume.seconds = sum->seconds;
		sum->volume.flushed = sum->seconds * rate;
		sum->n++;
		for (int a = 0; a < ACTIVITIES; a++)
			sum->activity[a] += (look->activities & ACTIVITY_BIT(a)) != 0;
		sum->segment += look->segment;
		sum->paused += look->paused;
		sum->ahead += look->ahead;
		sum->others += look->others / 100.0f;
		sum->throttled += look->throttled_us * NS_PER_US;
		sum->cpu_waits += look->cpu_waits;
		sum->write_waits += look->write_waits;
		sum->phase[PHASE_FLUSH] += look->cpu_waits + look->write_waits +
			look->phase[PHASE_FLUSH];
		for (int w = 0; w < WATCH_WRITERS && look->writer[w] != 0; w++)
		{
			sum->writer[w].samples++;
			sum->writer[w].pid = look->writer[w];
		}
	}
}

static bool
read_look(const char *line)
{
	WatchSample *look = &looks[nlooks];
	double		at;
	int			checkpoint;
	int			archiving;
	int			segment;
	int			others;
	int			ahead;
	unsigned int paused_us;

	if (sscanf(line, "look %lf %d %d %d %u %d %d %u %hhu %hu %d %hu %hu %d", &at,
			   &checkpoint, &archiving, &segment, &look->throttled_us,
			   &look->writer[0], &others, &paused_us, &look->others,
			   &look->cpu_waits, &look->writer[1], &look->write_waits,
			   &look->phase[PHASE_FLUSH], &ahead) != 14)
		return false;
	look->paused = paused_us > 0;
	if (look->paused)
		look->throttled_us = paused_us;
	look->at = begin + (uint64) (at * NS_PER_MS);
	if (checkpoint != 0)
		look->activities = ACTIVITY_BIT(ACTIVITY_CHECKPOINT) |
			ACTIVITY_BIT(checkpoint == 2 ? ACTIVITY_SYNCS : ACTIVITY_WRITES);
	if (archiving)
		look->activities |= ACTIVITY_BIT(ACTIVITY_ARCHIVER);
	if (look->writer[0] != 0)
		look->activities |= ACTIVITY_BIT(ACTIVITY_WRITER);
	if (others)
		look->activities |= ACTIVITY_BIT(ACTIVITY_OTHERS);
	look->segment = segment;
	look->ahead = ahead;
	nlooks++;
	return true;
}

static bool
read_stall(const char *line)
{
	LoggedEvent *logged = &events[SLOW_STALL][nevents[SLOW_STALL]];
	SlowEvent  *event = &logged->event;
	double		end;
	double		length;
	double		segment;
	int			timed;
	int			role;
	uint64		previous;
	uint64		boundary;

	if (sscanf(line, "stall %lf %lf %lf %d %lu %lu %u %d", &end, &length,
			   &segment, &timed, &previous, &boundary, &event->group,
			   &role) != 8)
		return false;
	event->end = begin + (uint64) (end * NS_PER_MS);
	event->duration = (uint64) (length * NS_PER_MS);
	event->since = event->end - event->duration - 50 * NS_PER_MS;
	event->part[PHASE_SEGMENT] = (uint64) (segment * NS_PER_MS);
	event->flush_timed = timed != 0;
	event->role = role;
	nevents[SLOW_STALL]++;
	logged->outcome.boundary = boundary;
	logged->outcome.wal_bytes = boundary - previous;
	return true;
}

static bool
read_writer(const char *line)
{
	SlowEvent  *event = &events[BULK_WRITER][nevents[BULK_WRITER]].event;
	double		end;
	double		length;

	if (sscanf(line, "writer %lf %lf %lu %d", &end, &length,
			   &event->wal_bytes, &event->pid) != 4)
		return false;
	event->end = begin + (uint64) (end * NS_PER_MS);
	event->duration = (uint64) (length * NS_PER_MS);
	nevents[BULK_WRITER]++;
	return true;
}

static bool
read_flush(const char *line)
{
	FlushGroupCopy *group = &flushes[nflushes];
	uint64		bytes;

	if (sscanf(line, "flush %lu %u", &bytes, &group->leader.flush_time) != 2)
		return false;
	group->flushes = 1;
	group->leader_pid = 1;
	group->previous = 8;
	group->boundary = 8 + bytes;
	nflushes++;
	return true;
}

static bool
read_commit(const char *line)
{
	StallLog	log = {0};
	SlowEvent	event = {.role = SLOW_LED};
	SlowOutcome outcome = {0};
	uint64		part[PHASE_N] = {0};
	double		length;

	if (sscanf(line, "commit %lf %d %f %f", &length, &outcome.seen.n,
			   &outcome.seen.phase[PHASE_STANDBY], &outcome.seen.phase[PHASE_FLUSH]) != 4)
		return false;
	event.end = begin;
	event.duration = event.standby_max = part[PHASE_UNKNOWN] = (uint64) (length * NS_PER_MS);
	event.part[PHASE_FLUSH] = SLOW_UNKNOWN;
	stall_log_take_standby(&log, &event, &outcome, 0, part);
	printf("standby %.0f\n", (double) part[PHASE_STANDBY] / NS_PER_MS);
	return true;
}

static LoggedEvent follower;
static uint64 follower_wait;

static bool
read_follower(const char *line)
{
	SlowEvent  *event = &follower.event;
	double		end;
	double		length;
	double		wait;

	if (sscanf(line, "follower %lf %lf %lf", &end, &length, &wait) != 3)
		return false;
	event->end = event->writes_end = begin + (uint64) (end * NS_PER_MS);
	event->duration = (uint64) (length * NS_PER_MS);
	follower_wait = (uint64) (wait * NS_PER_MS);
	return true;
}

static bool
read_reset(const char *line)
{
	double		at;

	if (sscanf(line, "rate %lf", &rate) == 1 ||
		sscanf(line, "limit %lf", &limit) == 1)
		return true;
	if (sscanf(line, "reset %lf", &at) != 1)
		return false;
	reset_at = begin + (uint64) (at * NS_PER_MS);
	return true;
}

int
main(int argc, char **argv)
{
	FlushTotals groups = {.recent = flushes};
	StallLog	log;
	char		line[256];

	begin = clock_now() - BEGIN_AGE;
	while (fgets(line, sizeof(line), stdin) != NULL)
		if (!read_look(line) && !read_stall(line) && !read_writer(line) &&
			!read_flush(line) && !read_commit(line) && !read_follower(line) && !read_reset(line))
			return 1;
	stall_log_read(&log);
	groups.nrecent = nflushes;
	stall_log_fit(&groups, &log.fit);
	if (nflushes > 0)
		printf("fit %d: %.0f us, %.1f MB/s, %.2f\n", log.fit.n, log.fit.base,
			   log.fit.rate, log.fit.share);
	stall_log_find_causes(&log, NULL);
	for (int i = 0; i < log.n; i++)
		printf("%s %.2f %d %g\n", stall_cause_names[log.logged[i].cause],
			   log.logged[i].certainty,
			   log.logged[i].writer ? log.logged[i].writer->pid : 0,
			   stall_log_waiters(&log.logged[i]));
	if (follower_wait == 0)
		return 0;
	watch_sum(follower.event.end - follower.event.duration, follower.event.end,
			  &follower.outcome.seen);
	puts(stall_cause_names[stall_log_cause_of_wait(&log, &follower, follower_wait)]);
	return 0;
}
