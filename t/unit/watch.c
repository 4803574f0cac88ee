/*-------------------------------------------------------------------------
 *
 * watch.c
 *		What src/stats/watch.c takes for a checkpoint, and counts of a pause,
 *		for t/unit/watch.pl.
 *
 * The first argument names a question, of which the last lines have all.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "base/compat.h"

static PGPROC checkpointer;
static LWLockPadded locks[NUM_INDIVIDUAL_LWLOCKS];

#define checkpointer_proc()	(&checkpointer)
#define MainLWLockArray		locks
#include "../../src/base/changecount.c"
#include "../../src/stats/watch.c"

static const struct
{
	const char *name;
	uint32		info;
}			events[] = {
	{"idle", WAIT_EVENT_CHECKPOINTER_MAIN},
	{"runs", 0},
	{"wal_write", WAIT_EVENT_WAL_WRITE},
	{"wal_sync", WAIT_EVENT_WAL_SYNC},
	{"wal_init", WAIT_EVENT_WAL_INIT_SYNC},
	{"file_write", WAIT_EVENT_DATA_FILE_WRITE},
	{"file_sync", WAIT_EVENT_DATA_FILE_SYNC},
	{"slru_sync", WAIT_EVENT_SLRU_FLUSH_SYNC}
};

/* Commits in a flush before a pause of 1.5 s, and 50 ms after it */
static void
print_pause(char **argument)
{
	WatchSample before = {.at = NS_PER_S};
	WatchSample after = {.at = before.at + 1550 * NS_PER_MS,.paused = atoi(argument[2]),.throttled_us = 1500000};
	WatchSummary sum = {0};

	before.phase[PHASE_FLUSH] = atoi(argument[0]);
	after.phase[PHASE_FLUSH] = atoi(argument[1]);
	add_sample(&after, &before, 1550 * NS_PER_MS, false, &sum);
	printf("%.2f s not run, %.2f s of flushes", sum.phase[PHASE_NOT_RUN] / NS_PER_S,
		   sum.phase[PHASE_FLUSH] / NS_PER_S);
}

/*
 * Of a commit in a flush that waits for a processor, and makes a segment,
 * after a time or in it
 */
static void
print_processor(char **argument)
{
	WatchSample before = {.at = NS_PER_S};
	WatchSample after = {.at = before.at + 50 * NS_PER_MS,.cpu_waits = 1,.segment = true,.queued = atoi(argument[1])};
	WatchSummary sum = {0};

	after.phase[PHASE_FLUSH] = 1;
	add_sample(&after, &before, 40 * NS_PER_MS, atoi(argument[0]), &sum);
	printf("%d %d", watch_is_of_processor(&sum), sum.segment);
}

int			wal_segment_size = 16 * 1024 * 1024;
bool		enableFsync = true;
int			wal_sync_method;
static VolumeCounts volume = {.requests = 1000,.bytes = 1000 * 1024};

void
volume_find(const char *folder, const char *devices, Volume *found)
{
	memset(found, 0, sizeof(*found));
}

VolumeCounts
volume_read(const Volume *found)
{
	return volume;
}

static double run_delay = 0;

double
run_delay_read(const char *process)
{
	return run_delay;
}

XLogRecPtr
GetFlushRecPtr(TimeLineID *timeline)
{
	return 0;
}

int			CommitDelay;
int			CommitSiblings;
int			commit_stats_slow_commit_time;
bool		track_wal_io_timing;

bool
guc_is_set_elsewhere(const char *name)
{
	return false;
}

TimestampTz PgReloadTime;
int			max_wal_size_mb = 1024;
int			CheckPointTimeout;

/* Since when the settings of checkpoints are those of each argument, s */
static void
print_set(char **argument)
{
	static WatchShared memory;

	shared = &memory;
	for (; *argument != NULL; argument++)
	{
		CheckPointTimeout = atoi(*argument);
		PgReloadTime++;
		watch_note_settings();
		printf(INT64_FORMAT " ", shared->settings.checkpoints_set_at);
	}
}

/* Whether the WAL is apart, once a worker that has found that is away */
static void
print_apart(char **argument)
{
	static WatchShared memory = {.settings.wal_apart = true};
	WatchSettings settings;

	shared = &memory;
	watch_read_settings(&settings);
	printf("%s", settings.wal_apart ? "apart" : "beside the data");
}

/*
 * In so many looks of four, a flush is under way.  Each four of the other
 * arguments are a number of looks, and what came before each of them: flushes,
 * and requests and kB of the volume.  The output is the share of others in its
 * requests after these looks, and whether they are an activity.  With fewer
 * than no looks, WAL is synced in another way from then on.
 */
static void
print_volume(char **argument)
{
	static WatchShared memory;
	uint64		flushes = 0;
	uint64		newest = 0;

	shared = &memory;
	for (char **look_at = argument + 1; *look_at != NULL; look_at += 4)
	{
		wal_sync_method += atoi(look_at[0]) < 0;
		for (int n = abs(atoi(look_at[0])); n > 0; n--)
		{
			flushes += atoi(look_at[1]);
			volume.requests += atoi(look_at[2]);
			volume.bytes += 1024 * atoi(look_at[3]);
			look_at_volume(flushes, sample_of(newest));
			look.sample.phase[PHASE_FLUSH] = n % 4 < atoi(argument[0]);
			look.sample.activities = look.sample.others = 0;
			look_at_others(newest);
			*sample_of(++newest) = look.sample;
		}
		printf("%d%s ", look.sample.others,
			   look.sample.activities ? " others" : "");
	}
}

static void
print_inserted(char **argument)
{
	uint64		before = 0;

	for (char **position = argument; *position != NULL; position++)
	{
		uint64		now = bytes_inserted(1024 * strtoull(*position, NULL, 10));

		if (position > argument)
			printf(UINT64_FORMAT " ", (now - before) / 1024);
		before = now;
	}
}

/* At an event of parallel query, and at one of the end of transactions */
static void
print_processes(char **argument)
{
	static const CommitPhase phases[] = {PHASE_BEFORE, PHASE_LOG, PHASE_AFTER};

	for (int i = 0; i < (int) lengthof(phases); i++)
	{
		PhaseReading reading = {.phase = phases[i]};

		printf("%d%d ",
			   waits_for_processes(&reading, WAIT_EVENT_EXECUTE_GATHER),
			   waits_for_processes(&reading, PG_WAIT_LWLOCK | LWTRANCHE_XACT_BUFFER));
	}
}

/*
 * The writers in a sum of looks, each with its samples.  Two arguments are a
 * number of looks, and the first process of four that wrote in all of them; 0:
 * none did.
 */
static void
print_writers(char **argument)
{
	static WatchShared memory;
	uint64		n = 1;
	WatchSummary sum;

	shared = &memory;
	for (; *argument != NULL; argument += 2)
		for (int i = atoi(argument[0]); i > 0; i--)
		{
			WatchSample *sample = sample_of(++n);

			sample->at = n * 50 * NS_PER_MS;
			for (int w = 0; w < WATCH_WRITERS && atoi(argument[1]) != 0; w++)
				sample->writer[w] = atoi(argument[1]) + w;
		}
	pg_atomic_init_u64(&memory.changes.word, n << CHANGECOUNT_SHIFT);
	watch_sum(0, PG_UINT64_MAX, &sum);
	for (int w = 0; w < WATCH_WRITERS && sum.writer[w].samples > 0; w++)
		printf("%d:%d ", sum.writer[w].pid, sum.writer[w].samples);
}

/*
 * Pairs of how long a nap of 50 ms takes, and how long it lacks a processor;
 * "q": commits lack it, too
 */
static void
print_naps(char **argument)
{
	for (; *argument != NULL; argument += 2)
	{
		paused_us = 0;
		queued = false;
		run_delay += atof(argument[1]) * NS_PER_MS;
		watch_note_nap(50, atoi(argument[0]));
		printf("%u%s ", paused_us / 1000, queued ? "q" : "");
	}
}

static bool unwaited;
static char state;

char
process_state(int pid)
{
	return state;
}

bool
commit_phase_read(PGPROC *proc, CommitPhase flusher_phase,
				  PhaseReading *reading)
{
	*reading = (PhaseReading)
	{
		.phase = flusher_phase,.unwaited = unwaited
	};
	return true;
}

CommitPhase
commit_phase_of_flusher(PGPROC *proc)
{
	return PHASE_FLUSH;
}

/* The look since which few commits were seen; arguments: those of each look */
static void
print_busy(char **argument)
{
	static WatchShared memory;

	shared = &memory;
	for (int number = 1; *argument != NULL; number++)
	{
		changecount_begin(&shared->changes);
		*sample_of(number) = (WatchSample)
		{
			.at = number,.phase[PHASE_STANDBY] = atoi(*argument++)
		};
		changecount_end(&shared->changes);
	}
	printf(UINT64_FORMAT, watch_busy_until(20));
}

/*
 * The lead of an event, and the votes on it.  Arguments: of each look the
 * event, how many wait for it, and how long the look lasted, ms
 */
static void
print_event(char **argument)
{
	static WatchShared memory;
	WatchSummary sum;
	uint64		at = NS_PER_S;

	shared = &memory;
	for (int number = 1; *argument != NULL; number++, argument += 3)
	{
		at += (uint64) atoi(argument[2]) * NS_PER_MS;
		changecount_begin(&shared->changes);
		*sample_of(number) = (WatchSample)
		{
			.at = at,.wait_event = atoi(argument[0]),.event_waits = atoi(argument[1])
		};
		changecount_end(&shared->changes);
	}
	watch_sum(0, at, &sum);
	printf("%u of %u for %u", sum.event_lead, sum.event_votes, sum.wait_event);
}

/* As what sums count a commit that writes WAL, or waits for that */
static void
print_writes(char **argument)
{
	PhaseReading reading;

	unwaited = atoi(argument[0]);
	for (int i = PHASE_BEFORE; i <= PHASE_LOG; i++)
	{
		look.flusher_phase = i;
		(void) read_commit(NULL, WAIT_EVENT_WAL_WRITE, &reading);
		printf("%d ", reading.phase);
	}
}

/*
 * Two commits in a flush, whose process has this wait event and this state.
 * The output is how many wait for a processor, and how many for a write.
 */
static void
print_flusher(char **argument)
{
	static PGPROC flusher;

	for (int e = 0; e < (int) lengthof(events); e++)
		if (strcmp(argument[0], events[e].name) == 0)
			flusher.wait_event_info = events[e].info;
	state = *argument[1];
	if (atoi(argument[2]))
		wal_sync_method = WAL_SYNC_METHOD_OPEN_DSYNC;
	look.flusher_phase = PHASE_FLUSH;
	look.sample.phase[PHASE_FLUSH] = look.sample.phase[PHASE_OTHER_FLUSH] = 1;
	look_at_flusher(&flusher);
	printf("%d %d", look.sample.cpu_waits, look.sample.write_waits);
}

/*
 * What is found at a place of the process array of a process, where two places
 * have seen a commit of the same process ID that waited for a lock
 */
static void
print_waits(char **argument)
{
	static const int asked[][2] = {{0, 7}, {1, 7}, {1, 8}};
	static Session seen[2] = {
		{.commit[0] = {.pid = 7,.seen_at = 2,.waited.lock_time = 20}},
		{.commit[1] = {.pid = 7,.seen_at = 2,.waited.lock_time = 30}}
	};

	sessions = seen;
	for (int i = 0; i < (int) lengthof(asked); i++)
	{
		CommitWaits waits;

		watch_find_waits(asked[i][0], asked[i][1], 1, 3, &waits);
		printf(UINT64_FORMAT " ", waits.lock_time);
	}
}

static TimestampTz now = USECS_PER_SEC;
static LockWait seen_wait;

TimestampTz
GetCurrentTimestamp(void)
{
	return now;
}

bool
lock_wait_read(PGPROC *proc, LockWait *wait)
{
	*wait = seen_wait;
	return true;
}

/*
 * The holder that is kept of a wait for a lock.  Arguments: the holder of the
 * lock at each look, 50 ms after the one before, 0 for a prepared transaction;
 * with "+", another wait begins.
 */
static void
print_holder(char **argument)
{
	static Session session = {.pid = 7};
	PhaseReading reading = {.since = 1};

	look.length = 50 * NS_PER_MS;
	for (; *argument != NULL; argument++)
	{
		look.locks_read = 0;
		now += 50000;
		seen_wait.holder_pid = atoi(*argument);
		seen_wait.holder_prepared = seen_wait.holder_pid == 0;
		if (seen_wait.since == 0 || **argument == '+')
			seen_wait.since = now - 50000;
		watch_lock(NULL, &session, &reading);
	}
	printf("%d of " UINT64_FORMAT " ms", session.commit[0].waited.lock.holder_pid,
		   session.commit[0].waited.lock_time / NS_PER_MS);
}

/* The phase of a checkpoint at each wait event; +: a segment is made */
static void
print_checkpoint(char **event)
{
	for (; *event != NULL; event++)
	{
		uint8		seen;

		for (int e = 0; e < (int) lengthof(events); e++)
			if (strcmp(*event, events[e].name) == 0)
				checkpointer.wait_event_info = events[e].info;
		look.sample.activities = 0;
		look_at_checkpointer();
		seen = look.sample.activities;
		if (((seen & ACTIVITY_BIT(ACTIVITY_CHECKPOINT)) != 0) != (seen != 0))
			exit(1);
		printf("%s%s ", seen & ACTIVITY_BIT(ACTIVITY_WRITES) ? "write" :
			   seen & ACTIVITY_BIT(ACTIVITY_SYNCS) ? "sync" : "none",
			   look.sample.ahead ? "+" : "");
	}
}

int
main(int argc, char **argv)
{
	static const Question questions[] = {
		{"apart", print_apart}, {"busy", print_busy},
		{"checkpoint", print_checkpoint}, {"event", print_event},
		{"flusher", print_flusher}, {"holder", print_holder},
		{"inserted", print_inserted},
		{"naps", print_naps}, {"pause", print_pause},
		{"processes", print_processes}, {"processor", print_processor},
		{"set", print_set},
		{"volume", print_volume}, {"waits", print_waits},
		{"writers", print_writers}, {"writes", print_writes}
	};

	return answer_question(questions, lengthof(questions), argv);
}
