/*-------------------------------------------------------------------------
 *
 * watch.c
 *		What src/stats/watch.c takes for a checkpoint, and counts of a pause,
 *		for t/unit/watch.pl.
 *
 * The arguments are wait events of the checkpointer, one at each look.  The
 * output has the phase of a checkpoint at each of them: write, sync or none.
 * With three arguments, see print_pause(); after "volume", print_volume();
 * after "inserted", the WAL of each look, of positions in kB; after
 * "processes", print_processes(); after "naps", print_naps(); after "flusher",
 * print_flusher(); after "apart", print_apart(); after "writes",
 * print_writes(); after "waits", print_waits(); after "set", print_set().
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "base/compat.h"

static PGPROC checkpointer;
static LWLockPadded locks[NUM_INDIVIDUAL_LWLOCKS];

#define checkpointer_proc()	(&checkpointer)
#define MainLWLockArray		locks
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
print_pause(int before_it, int after_it, bool paused)
{
	WatchSample before = {.at = NS_PER_S};
	WatchSample after = {.at = before.at + 1550 * NS_PER_MS,.paused = paused,.throttled_us = 1500000};
	WatchSummary sum = {0};

	before.phase[PHASE_FLUSH] = before_it;
	after.phase[PHASE_FLUSH] = after_it;
	add_sample(&after, &before, 1550 * NS_PER_MS, &sum);
	printf("%.2f s not run, %.2f s of flushes", sum.phase[PHASE_NOT_RUN] / NS_PER_S,
		   sum.phase[PHASE_FLUSH] / NS_PER_S);
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
print_apart(void)
{
	static WatchShared memory = {.settings.wal_apart = true};
	WatchSettings settings;

	shared = &memory;
	watch_read_settings(&settings);
	printf("%s", settings.wal_apart ? "apart" : "beside the data");
}

/*
 * In "busy" looks of four, a flush is under way.  Each four of the other
 * arguments are a number of looks, and what came before each of them: flushes,
 * and requests and kB of the volume.  The output is the share of others in its
 * requests after these looks, and whether they are an activity.  With fewer
 * than no looks, WAL is synced in another way from then on.
 */
static void
print_volume(int busy, int argc, char **argv)
{
	static WatchShared memory;
	uint64		flushes = 0;
	uint64		newest = 0;

	shared = &memory;
	for (int i = 0; i + 3 < argc; i += 4)
	{
		wal_sync_method += atoi(argv[i]) < 0;
		for (int n = abs(atoi(argv[i])); n > 0; n--)
		{
			flushes += atoi(argv[i + 1]);
			volume.requests += atoi(argv[i + 2]);
			volume.bytes += 1024 * atoi(argv[i + 3]);
			look_at_volume(flushes, sample_of(newest));
			look.sample.phase[PHASE_FLUSH] = n % 4 < busy;
			look.sample.activities = look.sample.others = 0;
			look_at_others(newest);
			*sample_of(++newest) = look.sample;
		}
		printf("%s%d%s", i == 0 ? "" : " ", look.sample.others,
			   look.sample.activities ? " others" : "");
	}
}

static void
print_inserted(int argc, char **argv)
{
	uint64		before = 0;

	for (int i = 0; i < argc; i++)
	{
		uint64		now = bytes_inserted(1024 * strtoull(argv[i], NULL, 10));

		if (i > 0)
			printf("%s" UINT64_FORMAT, i == 1 ? "" : " ", (now - before) / 1024);
		before = now;
	}
}

/* At an event of parallel query, and at one of the end of transactions */
static void
print_processes(void)
{
	static const CommitPhase phases[] = {PHASE_BEFORE, PHASE_LOG, PHASE_AFTER};

	for (int i = 0; i < (int) lengthof(phases); i++)
	{
		PhaseReading reading = {.phase = phases[i]};

		printf("%s%d%d", i == 0 ? "" : " ",
			   waits_for_processes(&reading, WAIT_EVENT_EXECUTE_GATHER),
			   waits_for_processes(&reading, PG_WAIT_LWLOCK | LWTRANCHE_XACT_BUFFER));
	}
}

/*
 * Pairs of how long a nap of 50 ms takes, and how long it lacks a processor;
 * "q": commits lack it, too
 */
static void
print_naps(int argc, char **argv)
{
	for (int i = 0; i + 1 < argc; i += 2)
	{
		paused_us = 0;
		queued = false;
		run_delay += atof(argv[i + 1]) * NS_PER_MS;
		watch_note_nap(50, atoi(argv[i]));
		printf("%s%u%s", i == 0 ? "" : " ", paused_us / 1000, queued ? "q" : "");
	}
}

static bool unwaited = false;
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

PGPROC *
commit_phase_find_flusher(CommitPhase *phase)
{
	return NULL;
}

/* As what sums count a commit that writes WAL, or waits for that */
static void
print_writes(void)
{
	PhaseReading reading;

	for (int i = PHASE_BEFORE; i <= PHASE_LOG; i++)
	{
		look.flusher_phase = i;
		(void) read_commit(NULL, WAIT_EVENT_WAL_WRITE, &reading);
		printf("%s%d", i == PHASE_BEFORE ? "" : " ", reading.phase);
	}
}

/*
 * Two commits in a flush, whose process has this wait event and this state.
 * The output is how many wait for a processor, and how many for a write.
 */
static void
print_flusher(const char *event, const char *process, bool opens)
{
	static PGPROC flusher;

	for (int e = 0; e < (int) lengthof(events); e++)
		if (strcmp(event, events[e].name) == 0)
			flusher.wait_event_info = events[e].info;
	state = process[0];
	if (opens)
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
print_waits(void)
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
		printf("%s" UINT64_FORMAT, i == 0 ? "" : " ", waits.lock_time);
	}
}

/* The phase of a checkpoint at each wait event of the checkpointer */
static int
print_checkpoint(int n, char **event)
{
	for (int i = 0; i < n; i++)
	{
		uint8		seen;

		for (int e = 0; e < (int) lengthof(events); e++)
			if (strcmp(event[i], events[e].name) == 0)
				checkpointer.wait_event_info = events[e].info;
		look.sample.activities = 0;
		look_at_checkpointer();
		seen = look.sample.activities;
		if (((seen & ACTIVITY_BIT(ACTIVITY_CHECKPOINT)) != 0) != (seen != 0))
			return 1;
		printf("%s%s", i == 0 ? "" : " ",
			   seen & ACTIVITY_BIT(ACTIVITY_WRITES) ? "write" :
			   seen & ACTIVITY_BIT(ACTIVITY_SYNCS) ? "sync" : "none");
	}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "waits") == 0)
	{
		print_waits();
		return 0;
	}
	if (argc == 5 && strcmp(argv[1], "flusher") == 0)
	{
		print_flusher(argv[2], argv[3], atoi(argv[4]) != 0);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "processes") == 0)
	{
		print_processes();
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "writes") == 0)
	{
		unwaited = atoi(argv[2]) != 0;
		print_writes();
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "set") == 0)
	{
		print_set(argv + 2);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "apart") == 0)
	{
		print_apart();
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "naps") == 0)
	{
		print_naps(argc - 2, argv + 2);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "inserted") == 0)
	{
		print_inserted(argc - 2, argv + 2);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "volume") == 0)
	{
		print_volume(atoi(argv[2]), argc - 3, argv + 3);
		return 0;
	}
	if (argc == 4)
	{
		print_pause(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]) != 0);
		return 0;
	}
	return print_checkpoint(argc - 1, argv + 1);
}
