/*-------------------------------------------------------------------------
 *
 * period.c
 *		What src/report/report_data.c and src/report/period.c say of a period,
 *		and of the newest checkpoint, for t/unit/period.pl.
 *
 * After "standby": the seconds that commits of the period waited for a standby
 * ("hang 100": most of them did not end; "only 100": for one standby, as all
 * since the list was set), how many of them were slow, and the slow ones that
 * are kept: "name=seconds", ":" and how long after the period of 100 s they
 * ended.  The output is the name with most of these seconds, and its share, or
 * "-".
 *
 * After "archiver": how often that failed, in how many seconds; the output is
 * how the report says that.  After "cycles": max_wal_size, the start of the
 * server, when max_wal_size was set, and the first stall during a checkpoint,
 * s, and when each cycle began, s, and where in the WAL, MB, newest first; the
 * output is the mean time and WAL from one checkpoint to the next, and whether
 * commands asked for all checkpoints since that stall.
 * After "phases": commits, and how many of these others' flushes carried;
 * flushes, and how many were timed; and in ns the time of leaders, of
 * followers, and of timed flushes; the output has the percentages of flush,
 * another's flush and unknown.
 * After "siblings": the age of the newest flushes, s, and how many of these
 * found no sibling, two, or did not count any; the output is the share with
 * any, the mean, the share with two, the median and the most.  After "sleeps":
 * commit_delay, the age of the newest flushes, s, and how long before now the
 * server has read its configuration, s, and the reset was; 30 of 40 flushes,
 * one after the other since 4 s, slept and carried one commit, the others two;
 * a sleep is 5 ms (after a fifth argument, one is 200 us).
 * The output is the sleeps that commit_delay does not explain, if these are
 * most, and the share of those that carried one.  After "sleeper": the pids of
 * leaders, of which 10 to 39 are connected; the first digit is that of the
 * client.  The output is the client of most, or 0; before it "gone" if all
 * have left.  After "made": all sleeps, those of the newest flushes that
 * commit_delay does not explain, and those of a client; the output is 1 if it
 * must have made most of the latter.  After "lock": max_prepared_transactions;
 * the output is what stands for a lock that no slow commit has.  After
 * "uncertain": commits, and how many of them are not known to have flushed or
 * not; the output is what figures say of that.
 *
 * After "head": the seconds that phases are of, those since the oldest slow
 * commit, and perhaps the seconds of each slow one; the output is what
 * stands above the phases.  After "round": a number, which is rounded as
 * commit_stats_compare() does.  After "hanging": the seconds of flushes that
 * ended in 100 s, and of 1,000 looks, how many commits they saw in a flush,
 * and how many at their record; perhaps also, how many of these wait for a
 * lock, and the seconds of transactions that have asynchronous ones; the
 * output is the mean number of commits, if most hang.
 * After "ended": the seconds of transactions that ended in a minute, and those
 * of each slow one, which ended 10 s ago; the output is how many seconds of
 * these are in the minute.
 * After "stopped": the share of NOTIFY in sums, of which the rest is a flush
 * and a tenth not run, and of 1,000 samples, those of a stop; the output has
 * the percentages of these phases.
 *
 * After "locks": looks at commits that wait for locks, at all before their
 * record, and at it; and of slow commits, the phase, the lock, its holder, and
 * how long they waited for it, s, perhaps also a number of the lock, else its
 * own.  The output is the lock of each phase, and which part of the phase
 * waits for locks.
 *
 * After "stalls": the seconds that phases are of, before now or in a period
 * that has just ended; and stalls, each with its cause, how long ago it ended
 * and how long it was, s, its certainty, and the phase of its checkpoint or
 * the pid of its writer.  The output is the phase, the writer, and how certain
 * checkpoints are, as the report has them.  After "share": the seconds since
 * the server started, the flushes since then, and the seconds of a stall.  The
 * output is the share of the stall in 1,000 s of commits since the reset.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "stats/slow_log.h"

/* There is no ring of them, and so none that is full. */
#define slow_log_newest(kind)	0
#define slow_log_oldest(kind)	1

#include "history/history.h"
#include "stats/standby.h"

/* A standby, how long commits have waited for it, in counts that begin then */
#define standby_read(counts, since) \
	(*(since) = counted_since, memset(counts, 0, sizeof(StandbyCounts)), \
	 strcpy((counts)->name, "listed"), \
	 (counts)->wait_time[STANDBY_NOT_SENT] = counted_time, 1)

static int64 counted_since = PG_INT64_MAX;
static uint64 counted_time = 0;

/* ... and all standbys, since the end of the period */
#define history_sum(from, to, sum) \
	((void) (from), (void) (to), memset(sum, 0, sizeof(HistorySum)), \
	 (sum)->waits.phase[PHASE_STANDBY] = after)
#define watch_sum(from, to, sum) \
	((void) (from), memset(sum, 0, sizeof(WatchSummary)))

static double after = 0;

#include "../../src/report/report_data.c"
#include "../../src/report/period.c"
#include "../../src/report/report.c"

#define MOST_KEPT	100

TimestampTz PgStartTime;
SyncRepConfigData *SyncRepConfig = NULL;
char	   *SyncRepStandbyNames = "list";
int			commit_stats_stall_time = -1;

static LoggedEvent kept[MOST_KEPT];
static int	nkept = 0;

LoggedEvent *
logged_events_read(SlowKind kind, int *n)
{
	*n = nkept;
	return kept;
}

TimestampTz
GetCurrentTimestamp(void)
{
	return 1000 * SECS_PER_DAY * USECS_PER_SEC;
}

const char *
stall_log_checkpoint_phase(const WatchSummary *seen)
{
	return seen->ahead > 0 ? "segment" : seen->activity[ACTIVITY_SYNCS] > 0 ? "sync" : "write";
}

double
stall_log_waiters(const LoggedEvent *stall)
{
	return 1;
}

bool
stall_log_is_of_write(const StallLog *log, TimestampTz from, TimestampTz end, uint64 longest)
{
	return false;
}

double
causes_flush_share(const CommitFigures *f)
{
	return 1;
}

/* Of a standby, only the server knows whether it is a subscription. */
char *
sql_value(const char *query)
{
	return NULL;
}

/* For the name of a client, a role */
char *
GetUserNameFromId(Oid roleid, bool noerr)
{
	return psprintf("%u", roleid);
}

const char *
quote_identifier(const char *text)
{
	return text;
}

void
replace_controls(char *text, char by)
{
}

char *
quote_literal_cstr(const char *text)
{
	return "";
}

const char *
timestamptz_to_str(TimestampTz t)
{
	return "";
}

static CommitFigures figures;
static CommitFigures *const f = &figures;
static HistorySum sums;
static HistorySum *const period = &sums;

static void
print_phases(char **argument)
{
	static uint64 value[SLOT_NCOUNTERS];
	static LatencyTotals latency;

	f->commits = atoi(argument[0]);
	value[SLOT_FLUSHED_BY_OTHERS] = atoi(argument[1]);
	value[SLOT_FLUSHES] = atoi(argument[2]);
	value[SLOT_TIMED_FLUSHES] = atoi(argument[3]);
	latency.sum[LATENCY_LEADER][LATENCY_TIME] = (uint64) atof(argument[4]);
	latency.sum[LATENCY_FOLLOWER][LATENCY_TIME] = (uint64) atof(argument[5]);
	latency.sum[LATENCY_LEADER][LATENCY_OWN_FLUSH] = (uint64) atof(argument[6]);
	set_phases_of_sums(f, value, &latency);
	printf("%.0f %.0f %.0f", 100 * f->phase[PHASE_FLUSH],
		   100 * f->phase[PHASE_OTHER_FLUSH], 100 * f->phase[PHASE_UNKNOWN]);
}

static void
print_cycles(char **argument)
{
	WalCycles	cycles = {0};

	f->conf.checkpoint_timeout = 300;
	f->conf.max_wal_size = atoi(argument[0]);
	PgStartTime = atoi(argument[1]) * USECS_PER_SEC;
	f->conf.checkpoints_set_at = atoi(argument[2]) * USECS_PER_SEC;
	f->checkpoint_stalled = atoi(argument[3]) * USECS_PER_SEC;
	for (argument += 4; *argument != NULL; argument += 2)
	{
		cycles.cycle[cycles.ncycles].started_at = atoi(argument[0]) * USECS_PER_SEC;
		cycles.cycle[cycles.ncycles++].redo = strtoull(argument[1], NULL, 10) * 1048576;
	}
	set_checkpoint_distance(f, &cycles);
	printf("%g s, %g MB%s", f->checkpoint_distance, f->checkpoint_wal / 1048576,
		   were_asked_for(f, &cycles) ? ", asked" : "");
}

static void
print_siblings(char **argument)
{
	static const uint32 found[] = {0, 2, SIBLINGS_NOT_COUNTED};
	static uint64 value[GROUP_COUNT_KINDS * 10];
	FlushTotals groups = {.ncells = 10,.value = value,.recent = calloc(1000, sizeof(FlushGroupCopy))};

	f->conf.siblings = 2;
	value[FLUSHES_BY_SIBLINGS * 10] = 953;
	value[FLUSHES_BY_SIBLINGS * 10 + 1] = 47;
	set_siblings(f, flush_total_cells(&groups, FLUSHES_BY_SIBLINGS), groups.ncells, "flushes");
	f->newest = true;
	f->newest_age = atoi(argument[0]);
	for (int i = 0; i < 3; i++)
		for (int n = atoi(argument[1 + i]); n > 0; n--)
		{
			groups.recent[groups.nrecent].leader_pid = 1;
			groups.recent[groups.nrecent].flushes = 1;
			groups.recent[groups.nrecent++].leader.siblings = found[i];
		}
	set_newest_siblings(f, &groups);
	printf("%g %g %g %d %d\n", f->concurrency, f->siblings_mean, f->reach, f->siblings_half, f->siblings_max);
}

static void
print_sleeps(char **argument)
{
	FlushTotals groups = {.nrecent = 40,.recent = calloc(40, sizeof(FlushGroupCopy))};
	ClientSessions nobody = {0};

	f->conf.delay = atoi(argument[0]);
	f->newest_age = atof(argument[1]);
	f->conf.loaded_at = GetCurrentTimestamp() - (int64) (atof(argument[2]) * USECS_PER_SEC);
	f->seconds = atof(argument[3]);
	for (int i = 0; i < groups.nrecent; i++)
	{
		groups.recent[i].seen_at = clock_now() - i * NS_PER_S / 10;
		groups.recent[i].leader_pid = groups.recent[i].flushes = 1;
		groups.recent[i].leader.sleep_kind = SLEEP_FIXED;
		groups.recent[i].leader.delay_time = i == 30 && argument[4] != NULL ? 200 : 5000;
		groups.recent[i].commits = i % 4 == 0 ? 2 : 1;
	}
	set_newest_sleeps(f, &groups, &nobody);
	printf("%d %.2f", (int) f->slept_unset, f->alone_hits);
}

static void
print_alone(char **argument)
{
	uint64		value[SLOT_NCOUNTERS] = {
		[SLOT_DELAY_HITS] = atoi(argument[0]),
		[SLOT_HITS_ADAPTIVE] = atoi(argument[1]),
		[SLOT_COMMITS] = atoi(argument[2]),
		[SLOT_PREPARES] = atoi(argument[3]),
		[SLOT_FLUSHES] = atoi(argument[4])
	};

	printf("%.2f", slots_slept_alone(value));
}

static void
print_uncertain(char **argument)
{
	StringInfoData text;

	initStringInfo(&text);
	f->commits = atoi(argument[0]);
	f->flushes_uncertain = atoi(argument[1]);
	put_uncertain(&text, f);
	fputs(text.data, stdout);
}

int			max_prepared_xacts;

static void
print_lock(char **argument)
{
	max_prepared_xacts = atoi(argument[0]);
	printf("%s", unknown_lock());
}

static void
print_made(char **argument)
{
	f->delay_hits = atoi(argument[0]);
	f->slept_unset = atoi(argument[1]);
	printf("%d", made_most_sleeps(f, atoi(argument[2])));
}

static void
print_sleeper(char **argument)
{
	ClientSessions *sessions = calloc(1, sizeof(ClientSessions) + 30 * sizeof(ClientSession));
	int			leader[MOST_KEPT];
	int			n = 0;
	const ClientKey *most;

	for (int pid = 10; pid < 40; pid++)
	{
		ClientSession *session = &sessions->session[sessions->n++];

		session->pid = pid;
		session->key.roleid = pid / 10;
	}
	while (argument[n] != NULL)
	{
		leader[n] = atoi(argument[n]);
		n++;
	}
	most = client_of_most(sessions, leader, n);
	printf("%d", most ? (int) most->roleid : 0);
}

static void
print_head(char **argument)
{
	StringInfoData text;

	initStringInfo(&text);
	f->width = REPORT_WIDTH;
	f->seen_enough = true;
	f->phase_mean = 1000;
	f->phase_commits = 1;
	f->phase_seconds = atof(argument[0]);
	f->slow_n = f->slow_commits = 3;
	f->slow_seconds = atof(argument[1]);
	f->slow_recent = 3;
	f->slow_mean = argument[2] == NULL ? 0 : atof(argument[2]) * 1e6;
	if (f->slow_mean > 0)
		f->phase_mean = 1e6 * 3 * Min(f->phase_seconds, atof(argument[2]));
	put_phases(&text, f);
	fputs(text.data, stdout);
}

static void
print_hanging(char **argument)
{
	period->looks = 1000;
	period->seconds = 100;
	period->phase[PHASE_FLUSH] = atof(argument[0]) * NS_PER_S;
	period->waits.phase[PHASE_FLUSH] = atof(argument[1]) * NS_PER_S / 10;
	period->waits.phase[PHASE_RECORD] = atof(argument[2]) * NS_PER_S / 10;
	if (argument[3] != NULL)
	{
		period->waits.commit_locks = atof(argument[3]) * NS_PER_S / 10;
		period->value[SLOT_COMMITS_ASYNC] = atof(argument[4]) > 0;
		period->value[SLOT_TRANSACTION_TIME] = (uint64) (atof(argument[4]) * NS_PER_S);
	}
	printf("%.2f\n", history_hanging(period));
}

static void
print_stopped(char **argument)
{
	f->seen_enough = true;
	f->seen.in_commit = 1000;
	f->seen.phase[PHASE_NOT_RUN] = atof(argument[1]);
	f->phase[PHASE_NOTIFY] = atof(argument[0]);
	f->phase[PHASE_NOT_RUN] = 0.1;
	f->phase[PHASE_FLUSH] = 0.9 - f->phase[PHASE_NOTIFY];
	take_stops(f);
	printf("%.0f %.0f %.0f", 100 * f->phase[PHASE_NOTIFY],
		   100 * f->phase[PHASE_FLUSH], 100 * f->phase[PHASE_NOT_RUN]);
}

static void
print_stalls(char **argument)
{
	LoggedEvent stalls[MOST_KEPT] = {0};
	SlowEvent	writer[MOST_KEPT] = {0};
	StallLog	log = {.logged = stalls};

	period->end = DT_NOEND;
	f->seconds = 30 * SECS_PER_DAY;
	if (strcmp(*argument, "period") == 0)
	{
		f->period = period;
		f->seconds = atof(*++argument);
	}
	f->phase_seconds = atof(*argument++);
	f->stats_reset = GetCurrentTimestamp() - (int64) (f->seconds * 1e6);
	for (; *argument != NULL; argument++, log.n++)
	{
		LoggedEvent *stall = &stalls[log.n];
		char		cause[20];
		char		what[20];
		double		age;
		double		length;

		if (sscanf(*argument, "%19[^:]:%lf:%lf:%lf:%19s", cause, &age, &length,
				   &stall->certainty, what) != 5)
			exit(1);
		stall->cause = strcmp(cause, "checkpoint") == 0 ? STALL_CHECKPOINT :
			strcmp(cause, "unknown") == 0 ? STALL_UNKNOWN : STALL_BULK_WAL;
		stall->event.ended_at = GetCurrentTimestamp() - (int64) (age * 1e6);
		stall->event.duration = (uint64) (length * NS_PER_S);
		stall->outcome.seen.activity[ACTIVITY_SYNCS] = strcmp(what, "sync") == 0;
		stall->outcome.seen.ahead = strcmp(what, "segment") == 0;
		stall->writer = &writer[log.n];
		writer[log.n].pid = atoi(what);
	}
	report_data_set_slow(f, NULL, &log);
	printf("%s%s, %s, %g\n", f->unknown_kept ? "unknown, " : "", f->checkpoint_phase ? f->checkpoint_phase : "-",
		   f->bulk_writer ? f->bulk_writer : "-", f->stall[STALL_CHECKPOINT].certainty);
}

static void
print_ended(char **argument)
{
	TimestampTz now = GetCurrentTimestamp();
	SlowEvent	event = {.ended_at = now - 10 * USECS_PER_SEC};

	f->seen.ended = atof(*argument);
	while (*++argument != NULL)
	{
		event.transaction_time = (uint64) (atof(*argument) * NS_PER_S);
		cut_ended(f, &event, now - USECS_PER_MINUTE);
	}
	printf("%.0f", f->seen.ended);
}

static void
print_share(char **argument)
{
	int			flushes = atoi(argument[1]);
	FlushTotals groups = {.nrecent = flushes + 1,.recent = calloc(flushes + 1, sizeof(FlushGroupCopy))};
	LoggedEvent logged = {.cause = STALL_CHECKPOINT,.event.ended_at = GetCurrentTimestamp()};
	StallLog	log = {.n = 1,.logged = &logged};

	logged.event.duration = (uint64) (atof(argument[2]) * NS_PER_S);
	f->stats_reset = GetCurrentTimestamp() - 30 * SECS_PER_DAY * USECS_PER_SEC;
	f->phase_seconds = 30 * SECS_PER_DAY;
	f->phase_mean = 1000;
	f->phase_commits = 1000000;
	PgStartTime = GetCurrentTimestamp() - (int64) (atof(argument[0]) * 1e6);
	set_rates(f, &groups);
	set_stalls(f, &log);
	printf("%.2g\n", f->stall[STALL_CHECKPOINT].share);
}

char *
lock_wait_describe(const LockWait *wait)
{
	return psprintf("%s of %d", wait->tag.locktag_type == LOCKTAG_TUPLE ? "row" : "transaction",
					wait->holder_pid);
}

static void
print_locks(char **argument)
{
	RecentSlow	sum = {0};

	f->seen_enough = true;
	f->seen.commit_locks = atof(argument[0]);
	f->seen.phase[PHASE_BEFORE] = f->phase[PHASE_BEFORE] = atof(argument[1]);
	f->seen.phase[PHASE_RECORD] = f->phase[PHASE_RECORD] = atof(argument[2]);
	for (argument += 3; *argument != NULL; argument++)
	{
		CommitWaits *waits = calloc(1, sizeof(CommitWaits));
		uint64		part[PHASE_N] = {0};
		char		phase[20];
		char		lock[20];
		double		time;

		waits->lock.tag.locktag_field1 = 1000 + nkept++;
		if (sscanf(*argument, "%19[^:]:%19[^:]:%d:%lf:%u", phase, lock, &waits->lock.holder_pid, &time,
				   &waits->lock.tag.locktag_field1) < 4)
			exit(1);
		waits->lock.tag.locktag_type = strcmp(lock, "row") == 0 ? LOCKTAG_TUPLE : LOCKTAG_TRANSACTION;
		waits->lock_time = (uint64) (time * NS_PER_S);
		part[strcmp(phase, "record") == 0 ? PHASE_RECORD : PHASE_BEFORE] = waits->lock_time;
		add_lock(&sum, waits, part);
	}
	set_locks(f, &sum);
	for (int phase = PHASE_BEFORE; phase <= PHASE_RECORD; phase++)
		printf("%s %.2f; ", f->lock[phase].name ? f->lock[phase].name : "-", f->lock[phase].share);
}

/* Who wrote most of the WAL */
static void
print_heaviest(char **argument)
{
	period->end = 200 * USECS_PER_SEC;
	period->value[SLOT_WAL_BYTES] = atoi(*argument++);
	for (; *argument != NULL; argument++)
	{
		SlowEvent  *event = &kept[nkept++].event;

		if (sscanf(*argument, "%u=%lu:%ld", &event->client.roleid, &event->wal_bytes, &event->ended_at) != 3)
			exit(1);
		event->ended_at *= USECS_PER_SEC;
	}
	set_heaviest(f, period);
	printf("%s: %.2f\n", f->heaviest ? f->heaviest : "-", f->heaviest_share);
}

/* The standby with most of the time that is kept */
static void
print_standby(char **argument)
{
	double		own;
	double		all;

	period->end = 200 * USECS_PER_SEC;
	f->stats_reset = 100 * USECS_PER_SEC;
	f->period = period;
	f->phase[PHASE_STANDBY] = 1;
	f->phase_commits = 1;
	if (strncmp(argument[0], "only ", 5) == 0)
	{
		counted_since = 0;
		argument[0] += 5;
	}
	if (sscanf(argument[0], "%*s %lf of %lf after %lf", &own, &all, &after) == 3)
	{
		counted_time = (uint64) (own * NS_PER_S);
		counted_since = (argument[0][0] == 'l' ? 250 : 150) * USECS_PER_SEC;
		after *= NS_PER_S;
		sprintf(argument[0], "%g", all);
	}
	if (sscanf(argument[0], "hang %lf", &f->seconds) == 1)
		f->hanging = 1;
	f->phase_mean = f->hanging > 0 ? NAN : atof(argument[0]) * 1e6;
	f->slow_commits = atoi(argument[1]);
	for (argument += 2; *argument != NULL; argument++)
	{
		LoggedEvent *logged = &kept[nkept++];
		const char *equals = strchr(*argument, '=');
		const char *ended = strchr(*argument, ':');
		StandbyBlame *blame = &logged->outcome.waits.blame;

		memcpy(blame->name, *argument, equals - *argument);
		blame->stage = STANDBY_NOT_SENT;
		logged->event.duration = logged->event.standby_min =
			(uint64) (atof(equals + 1) * NS_PER_S);
		logged->event.ended_at = period->end +
			(ended == NULL ? -1 : atoi(ended + 1) * USECS_PER_SEC);
		logged->outcome.waits.blame_lead = logged->event.duration;
	}
	f->slow_n = f->slow_commits == 0 ? 0 : nkept;
	report_data_blame_slow(f);
	report_data_blame_list(f);
	if (f->standby)
		printf("%s %.2f\n", f->standby, f->standby_share);
	else
		puts(f->standby_list ? f->standby_list : "-");
}

static void
print_archiver(char **argument)
{
	period->archive_failures = atoi(argument[0]);
	period->seconds = atof(argument[1]);
	set_period_checkpoints(f, period);
	puts(f->archive_fails ? f->archive_fails : "-");
}

static void
print_rounded(char **argument)
{
	printf("%g\n", round_to(atof(argument[0]), 1));
}

int
main(int argc, char **argv)
{
	static const Question questions[] = {
		{"archiver", print_archiver}, {"cycles", print_cycles}, {"ended", print_ended},
		{"hanging", print_hanging}, {"head", print_head}, {"heaviest", print_heaviest}, {"lock", print_lock},
		{"locks", print_locks}, {"made", print_made}, {"phases", print_phases}, {"round", print_rounded},
		{"share", print_share}, {"siblings", print_siblings},
		{"sleeper", print_sleeper}, {"sleeps", print_sleeps},
		{"alone", print_alone}, {"stalls", print_stalls},
		{"standby", print_standby}, {"stopped", print_stopped},
		{"uncertain", print_uncertain}
	};

	return answer_question(questions, lengthof(questions), argv);
}
