/*-------------------------------------------------------------------------
 *
 * report_data.c
 *		The numbers that the report is made of.
 *
 * report_data_read() copies all counts, and the log of stalls, so that all
 * belong to the same reset, and computes from the copies.  A reset may come
 * before it reads slow commits, waits for standbys and the WAL of cycles.
 * Phases are those of the samples of the newest minute with enough of them
 * (choose_minute()), or, if none is kept, sums since the reset:
 * set_phases_of_samples() comes after set_phases_of_sums().
 *
 * Locking: commit_stats_reset_lock(), shared, while everything is copied, and
 * what the modules that are read take, inside of it or later.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xlog.h"
#include "catalog/pg_authid.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "postmaster/bgwriter.h"
#include "utils/acl.h"
#include "utils/backend_status.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/guc.h"
#include "base/wal_device.h"
#include "module/shared_memory.h"
#include "probe/siblings.h"
#include "report/report.h"
#include "stats/commit_trace.h"
#include "stats/latency.h"
#include "stats/sql_value.h"
#include "stats/wal_cycles.h"

#define UNWAITED_MATTER	0.05	/* of commit time */
#define MIN_WRITING		0.1		/* of the looks */
#define MANY_SAVEPOINTS	1000	/* one in the other, that take their time */
#define CLIENT_MATTERS	0.05	/* of commits, or of commit time */
#define ENOUGH_FLUSHES	100		/* to say whose they are */
#define MIN_CONCURRENCY	0.05	/* of flushes or commits, to wait for others */
#define NEWEST_CYCLES	8
#define SLOWER_IN		(10 * NS_PER_S) /* or the WAL_DEVICE_SAMPLE newest
										 * flushes, if these took longer */
#define SLOWER_BY		4		/* medians; see wal_device_stall_limit() */
#define SLOWER_LEAST	1000	/* ... and us more than the median */
#define MOST_OF_STALLS	0.9		/* behind the WAL of one client */
#define ALL_BUT			0.05	/* of the waits for standbys are for others */
#define PREDICTION_HOLDS	(10 * USECS_PER_MINUTE)
#define MANY_ALIKE			50	/* clients, of whose names ... */
#define MIN_ALIKE			3	/* ... so many bytes are the same */
#define NEW_LIST		(2 * USECS_PER_SEC) /* the worker sees it sooner */
#define QUERY_WIDTH		48		/* bytes of a query */
#define NAME_WIDTH		16		/* bytes of a name; three fit into a line */

/* Of this session, unless watch_read_settings() has the configuration's. */
void
report_data_set_settings(CommitFigures *f)
{
	/* packagers add words to the version */
	const char *version = GetConfigOption("server_version", false, false);
	bool		has_library =
	GetConfigOption("archive_library", false, false)[0] != '\0';

	watch_read_settings(&f->conf);
	f->version = pnstrdup(version, strcspn(version, " "));
	f->counting = commit_stats_enabled;
	f->is_standby = RecoveryInProgress();
	f->fsync = enableFsync;
	f->siblings_differ = f->conf.siblings != CommitSiblings;
	f->wal_buffers = (double) XLOGbuffers * XLOG_BLCKSZ;
	f->shared_buffers = (double) NBuffers * BLCKSZ;
	f->adaptive = commit_stats_adaptive_delay;
	f->min_wal_size = min_wal_size_mb;
	f->wal_keep_size = wal_keep_size_mb;
	f->wal_recycle = wal_recycle;
	f->wal_init_zero = wal_init_zero;
	f->segment_size = wal_segment_size;
	f->wal_minimal = wal_level == WAL_LEVEL_MINIMAL;
	f->wal_compression = wal_compression != 0;
	f->full_pages = fullPageWrites;
	f->completion_target = CheckPointCompletionTarget;
	f->archiver = has_library ? "archive_library" : "archive_command";
	f->archive_timeout = XLogArchiveTimeout;
	if (XLogArchivingActive() && XLogArchiveCommand[0] == '\0' && !has_library)
		f->archive_fails = "is empty";
}

/* From ns to us; 0 if it is NaN */
static double
us_or_zero(double ns)
{
	return isnan(ns) ? 0 : ns / 1e3;
}

/* What was counted in f->seconds, since the reset or in a period */
void
report_data_set_counts(CommitFigures *f, const uint64 *value, uint64 unled,
					   const uint64 *commit_cells, const uint64 *flush_cells)
{
	f->commits = value[SLOT_COMMITS];
	f->commits_async = value[SLOT_COMMITS_ASYNC];
	f->commits_unlogged = value[SLOT_COMMITS_UNLOGGED];
	f->commits_read_only = value[SLOT_COMMITS_READ_ONLY];
	f->commits_notify = value[SLOT_COMMITS_NOTIFY];
	f->slow_commits = value[SLOT_SLOW_COMMITS];
	f->prepares = value[SLOT_PREPARES];
	f->prepare_time = ratio_or_zero(value[SLOT_PREPARE_TIME] / 1e3, f->prepares);
	f->flushes = value[SLOT_FLUSHES];
	f->flushes_uncertain = value[SLOT_FLUSHES_UNCERTAIN];
	f->delay_hits = value[SLOT_DELAY_HITS];
	f->delay_misses = value[SLOT_DELAY_MISSES];
	f->hits_adaptive = Min(value[SLOT_HITS_ADAPTIVE], f->delay_hits);
	f->timed_flushes = value[SLOT_TIMED_FLUSHES];
	f->carried = f->commits - Min(unled, f->commits);
	f->commit_rate = ratio_or_zero(f->commits, f->seconds);
	f->flush_rate = ratio_or_zero(f->flushes, f->seconds);
	f->commit_p50 = us_or_zero(histogram_quantile(commit_cells, 0.5));
	f->commit_p95 = us_or_zero(histogram_quantile(commit_cells, 0.95));
	f->commit_p99 = us_or_zero(histogram_quantile(commit_cells, 0.99));
	f->flush_time = ratio_or_zero(value[SLOT_FLUSH_TIME] / 1e3, f->timed_flushes);
	/* a flush is a part of its leader's commit, or of its PREPARE */
	f->flush_time_max =
		ratio_or_zero(Min(f->seconds * 1e6, (value[SLOT_COMMIT_TIME] +
											 value[SLOT_PREPARE_TIME]) / 1e3),
					  f->flushes);
	f->flush_p50 = us_or_zero(histogram_quantile(flush_cells, 0.5));
	f->flush_p99 = us_or_zero(histogram_quantile(flush_cells, 0.99));
	f->disk_busy = Min(f->flush_rate * f->flush_time / 1e6, 1);
	f->phase_seconds = f->seconds;
	f->phase_commits = f->commits;
}

static void
set_counts(CommitFigures *f, const SlotTotals *slots,
		   const FlushTotals *groups, const LatencyTotals *latency)
{
	uint64		cells[HISTOGRAM_NCELLS] = {0};

	latency_add_waited(latency, cells);
	f->stats_reset = slots->stats_reset;
	f->seconds = Max(GetCurrentTimestamp() - slots->stats_reset, 0) / 1e6;
	/* the slots were read later, so they include all of the groups */
	report_data_set_counts(f, slots->value,
						   flush_total(groups, OVERALL, UNLED_COMMITS),
						   cells, latency->count[LATENCY_FLUSH]);
	f->flush_wal = ratio_or_zero(flush_total(groups, OVERALL, LED_WAL_BYTES),
								 f->flushes);
}

/*
 * A volume that has become slower shows in the newest flushes first, unless
 * these write more.  Few are timed if sessions differ in the setting, or led
 * by no commit.
 */
static void
set_slower(CommitFigures *f, const FlushTotals *groups, double flush_wal)
{
	int			n = groups->nrecent;
	uint64		timed = 0;
	uint64		slower = 0;
	double		flush_time = 0;
	double		wal = 0;
	double		large = Max(2 * flush_wal, LARGE_FLUSH);
	double		slower_from = Max(SLOWER_BY * f->flush_p50, f->flush_p50 + SLOWER_LEAST);

	for (int i = 1; i < n; i++)
	{
		const FlushGroupCopy *group = &groups->recent[i];

		if (group->leader_pid == 0 || group->leader.flush_time == FLUSH_NOT_TIMED ||
			(i < n - WAL_DEVICE_SAMPLE &&
			 clock_elapsed(group->seen_at, groups->recent[n - 1].seen_at) > SLOWER_IN))
			continue;
		timed++;
		flush_time += group->leader.flush_time;
		wal += flush_wal_bytes(group->boundary, group->previous);
		slower += group->leader.flush_time > slower_from;
	}
	if (2 * timed > WAL_DEVICE_SAMPLE && 2 * slower > timed && wal < timed * large)
		f->flush_slower = flush_time / timed;
}

/*
 * Rates of the newest flushes, if they are enough: an average since the reset
 * includes hours in which nothing happened.  The oldest group in the ring only
 * tells when the time begins.
 */
static void
set_rates(CommitFigures *f, const FlushTotals *groups)
{
	int			n = groups->nrecent;
	uint64		now = clock_now();
	uint64		commits = 0;
	uint64		timed = 0;
	double		flush_time = 0;
	double		wal = 0;
	double		usual_wal = f->flush_wal;

	for (int i = 1; i < n; i++)
	{
		const FlushGroupCopy *group = &groups->recent[i];

		commits += group->commits;
		if (group->leader_pid == 0)
			continue;
		f->newest_flushes += group->flushes;
		wal += flush_wal_bytes(group->boundary, group->previous);
		f->newest_carried += group->commits;
		f->newest_prepares += group->commits == 0 ? group->flushes : 0;
		if (group->leader.flush_time == FLUSH_NOT_TIMED)
			continue;
		timed++;
		flush_time += group->leader.flush_time;
	}
	f->restarted = n < WAL_DEVICE_SAMPLE && f->stats_reset < PgStartTime;
	if (f->newest_flushes < WAL_DEVICE_SAMPLE)
		return;
	f->newest_seconds = clock_elapsed(groups->recent[0].seen_at,
									  groups->recent[n - 1].seen_at) / 1e9;
	f->newest = f->newest_seconds > 0;
	if (!f->newest)
		return;
	f->newest_age = clock_elapsed(groups->recent[n - 1].seen_at, now) / 1e9;
	f->commit_rate = commits / f->newest_seconds;
	f->flush_rate = f->newest_flushes / f->newest_seconds;
	f->flush_wal = wal / f->newest_flushes;
	flush_time = timed < WAL_DEVICE_SAMPLE ? f->flush_time : flush_time / timed;
	f->disk_busy = Min(f->flush_rate * flush_time / 1e6, 1);
	if (timed < WAL_DEVICE_SAMPLE || newest_are_old(f))
		return;
	f->flush_newest = flush_time;
	set_slower(f, groups, usual_wal);
}

/*
 * A name as quote_identifier() writes it, cut to NAME_WIDTH.  A role or a
 * database may have a newline in its name, and must not begin a line of the
 * report, or a statement in it.
 */
static const char *
quote_name(const char *name)
{
	char	   *clean = pstrdup(name);
	const char *quoted;
	int			length = strlen(name);

	replace_controls(clean, '?');
	quoted = quote_identifier(clean);
	for (int cut = length; strlen(quoted) > NAME_WIDTH && cut > 0;)
	{
		cut = pg_mbcliplen(clean, length, cut - 1);
		quoted = quote_identifier(psprintf("%.*s...", cut, clean));
	}
	return quoted;
}

/* The client as "application (role, database)" */
char *
name_client(const ClientKey *client)
{
	char	   *role = GetUserNameFromId(client->roleid, true);
	char	   *database = OidIsValid(client->datid) ?
	get_database_name(client->datid) : NULL;

	return psprintf("%s (%s, %s)",
					client->application_name[0] != '\0' ?
					quote_name(client->application_name) : "no name",
					role ? quote_name(role) : "dropped",
					database ? quote_name(database) : "-");
}

static double
share_of(const ClientCounts *client, const ClientCounts *all, SlotCounter counter)
{
	return ratio_or_zero(client->value[counter], all->value[counter]);
}

/* What part of its transactions, or of its sessions, is COMMIT or PREPARE */
double
report_data_commit_share(const uint64 *value, SlotCounter of)
{
	double		unit = of == SLOT_SESSION_TIME ? NS_PER_US : 1;

	return Min(ratio_or_zero(value[SLOT_COMMIT_TIME] + value[SLOT_PREPARE_TIME],
							 unit * value[of]), 1);
}

static void
set_busiest(CommitFigures *f, const EntryTotals *clients,
			const ClientCounts *all)
{
	for (int i = 0; i < clients->n; i++)
	{
		const ClientCounts *client = &clients->client[i];
		double		share = report_data_commit_share(client->value, SLOT_TRANSACTION_TIME);

		if (client_is_overflow(&client->key) ||
			share <= f->busiest_of_transactions ||
			Max(ratio_or_zero(counted_commits(client->value),
							  counted_commits(all->value)),
				share_of(client, all, SLOT_COMMIT_TIME)) < CLIENT_MATTERS)
			continue;
		f->busiest = name_client(&client->key);
		f->busiest_of_transactions = share;
		f->busiest_of_sessions = report_data_commit_share(client->value, SLOT_SESSION_TIME);
	}
}

/* NULL: none has any */
static const ClientCounts *
client_with_most(const EntryTotals *clients, SlotCounter counter)
{
	const ClientCounts *most = NULL;

	for (int i = 0; i < clients->n; i++)
		if (!client_is_overflow(&clients->client[i].key) &&
			clients->client[i].value[counter] > (most ? most->value[counter] : 0))
			most = &clients->client[i];
	return most;
}

/* The client of more than half of these leaders, without those that left */
static const ClientKey *
client_of_most(const ClientSessions *sessions, const int *leader, int n)
{
	const ClientKey **key = palloc(n * sizeof(ClientKey *));
	const ClientKey *most = NULL;
	int			votes = 0;
	int			found = 0;
	int			same = 0;

	for (int i = 0; i < n; i++)
	{
		const ClientSession *session = clients_find_session(sessions, leader[i], clock_now());

		if (session != NULL)
			key[found++] = &session->key;
	}
	/* Boyer and Moore: the first loop keeps the only one that can be it. */
	for (int i = 0; i < found; i++)
	{
		if (votes == 0)
			most = key[i];
		votes += memcmp(most, key[i], sizeof(ClientKey)) == 0 ? 1 : -1;
	}
	for (int i = 0; i < found; i++)
		same += memcmp(most, key[i], sizeof(ClientKey)) == 0;
	return 2 * same > found ? most : NULL;
}

/*
 * Whose sleeps are not those of commit_delay: of leaders whose shortest one is
 * several times as long.  A processor is not late for each sleep of a leader.
 */
static void
set_slept_unset(CommitFigures *f, const ClientSessions *sessions,
				const FlushGroupCopy **sleep, int n)
{
	uint64		longest = f->conf.delay == 0 ? 0 : 4 * f->conf.delay + 1000;
	int		   *leader = palloc(n * sizeof(int));
	const ClientKey *sleeper;
	int			unset = 0;

	for (int i = 0; i < n; i++)
	{
		uint64		shortest = PG_UINT64_MAX;

		for (int j = 0; j < n; j++)
			if (sleep[j]->leader_pid == sleep[i]->leader_pid)
				shortest = Min(shortest, sleep[j]->leader.delay_time);
		if (shortest > longest)
			leader[unset++] = sleep[i]->leader_pid;
	}
	f->slept_unset = 2 * unset > n ? unset : 0;
	sleeper = client_of_most(sessions, leader, unset);
	if (sleeper != NULL)
		f->sleeper = name_client(sleeper);
}

/*
 * Sleeps of the newest flushes since the reset, if these are of now.  A leader
 * that slept before the server read its configuration may have followed a
 * former commit_delay.
 */
static void
set_newest_sleeps(CommitFigures *f, const FlushTotals *groups,
				  const ClientSessions *sessions)
{
	uint64		now = clock_now();
	int64		settled = Min(GetCurrentTimestamp() - f->conf.loaded_at - USECS_PER_SEC,
							  (int64) (f->seconds * 1e6));
	const FlushGroupCopy **sleep = palloc(groups->nrecent * sizeof(FlushGroupCopy *));
	int			sleeps = 0;
	uint64		alone = 0;
	uint64		carried = 0;

	for (int i = 0; i < groups->nrecent; i++)
	{
		const FlushGroupCopy *group = &groups->recent[i];

		if (group->leader_pid == 0 || group->leader.sleep_kind != SLEEP_FIXED ||
			group->flushes > 1 ||
			(int64) (clock_elapsed(group->seen_at, now) / NS_PER_US) >= settled)
			continue;
		sleep[sleeps++] = group;
		alone += group->commits == 1;
		carried += group->commits;
	}
	set_slept_unset(f, sessions, sleep, sleeps);
	f->alone_hits = sleeps < ENOUGH_SLEEPS || newest_are_old(f) ? 0 :
		(double) alone / sleeps;
	f->sleep_carried = ratio_or_zero(carried, sleeps);
}

/* All other clients have too few for half of the newest ones. */
static bool
made_most_sleeps(const CommitFigures *f, uint64 hits)
{
	return 2 * f->delay_hits < f->slept_unset + 2 * hits;
}

/*
 * Clients of one role and database whose names begin with the same letters,
 * many with few commits each: those that have the most commits together
 */
static void
set_alike(CommitFigures *f, const EntryTotals *clients, double commits)
{
	for (int i = 0; i < clients->n && f->alike_share <= 0.5; i++)
	{
		const ClientKey *key = &clients->client[i].key;
		int			length = strcspn(key->application_name, "0123456789-_.:/@[( ");
		double		share = 0;
		int			n = 0;

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; length >= MIN_ALIKE && j < clients->n; j++)
		{
			const ClientCounts *other = &clients->client[j];

			if (other->key.roleid != key->roleid || other->key.datid != key->datid ||
				strncmp(other->key.application_name, key->application_name, length) != 0)
				continue;
			share += ratio_or_zero(counted_commits(other->value), commits);
			n++;
		}
		if (n < MANY_ALIKE || share <= f->alike_share)
			continue;
		f->alike = quote_name(pnstrdup(key->application_name, length));
		f->alike_share = share;
		f->alike_clients = n;
	}
}

/* The clients; "top" becomes the one with the most commits. */
static void
set_clients(CommitFigures *f, const EntryTotals *clients,
			const ClientCounts **top)
{
	ClientCounts all = {0};
	double		commits;
	double		overflow = 0;
	double		nameless = 0;
	const ClientCounts *longest = client_with_most(clients, SLOT_COMMIT_TIME);
	const ClientCounts *heaviest = client_with_most(clients, SLOT_WAL_BYTES);
	const ClientCounts *sleeper = client_with_most(clients, SLOT_DELAY_HITS);

	f->listeners = -1;
	*top = client_with_most(clients, SLOT_COMMITS);
	for (int i = 0; i < clients->n; i++)
	{
		const ClientCounts *client = &clients->client[i];

		counter_array_add(all.value, client->value, CLIENT_NCOUNTERS);
		if (counted_commits(client->value) == 0)
			all.value[SLOT_SESSION_TIME] -= client->value[SLOT_SESSION_TIME];
		if (client->value[SLOT_COMMITS_NOTIFY] > 0)
			f->listeners = Max(f->listeners,
							   notify_lock_listeners(client->key.datid));
		if (client_is_overflow(&client->key))
			overflow += counted_commits(client->value);
		else if (client->key.application_name[0] == '\0')
			nameless += counted_commits(client->value);
	}
	f->clients_evicted = clients->evicted;
	commits = counted_commits(all.value);
	f->overflow = ratio_or_zero(overflow, commits);
	f->nameless = ratio_or_zero(nameless, commits);
	if (clients->n >= MANY_ALIKE)
		set_alike(f, clients, commits);
	f->transaction_mean = ratio_or_zero(all.value[SLOT_TRANSACTION_TIME] / 1e3,
										all.value[SLOT_COMMITS] +
										all.value[SLOT_PREPARES]);
	f->of_transactions = report_data_commit_share(all.value, SLOT_TRANSACTION_TIME);
	f->of_sessions = report_data_commit_share(all.value, SLOT_SESSION_TIME);
	set_busiest(f, clients, &all);
	f->wal_rate = ratio_or_zero(all.value[SLOT_WAL_BYTES], f->seconds);
	if (heaviest != NULL && share_of(heaviest, &all, SLOT_WAL_BYTES) > 0.5)
	{
		f->heaviest = name_client(&heaviest->key);
		f->heaviest_share = share_of(heaviest, &all, SLOT_WAL_BYTES);
	}
	if (f->sleeper == NULL && sleeper != NULL &&
		made_most_sleeps(f, sleeper->value[SLOT_DELAY_HITS]))
		f->sleeper = name_client(&sleeper->key);
	if (*top == NULL)
		return;
	f->top = name_client(&(*top)->key);
	f->top_share = ratio_or_zero(counted_commits((*top)->value), commits);
	f->top_time = share_of(*top, &all, SLOT_COMMIT_TIME);
	f->top_wal = ratio_or_zero((*top)->value[SLOT_WAL_BYTES],
							   counted_commits((*top)->value));
	f->top_of_transactions = report_data_commit_share((*top)->value, SLOT_TRANSACTION_TIME);
	if (longest == NULL || longest == *top)
		return;
	f->longest = name_client(&longest->key);
	f->longest_time = share_of(longest, &all, SLOT_COMMIT_TIME);
}

/* "statement 42 (INSERT ...)"; the text is that of pg_stat_statements. */
const char *
name_statement(const StatementKey *key, const char *schema)
{
	const char *text = statement_text(schema, key->statement, QUERY_WIDTH);

	return psprintf("statement " INT64_FORMAT " (%s)", (int64) key->statement, text ? text : "pg_stat_statements, or query_id of pg_stat_activity, shows its text");
}

/*
 * The statement that leads the most flushes, if there are several.  Commits of
 * background processes have no name, and nothing has cleared it.  Statements
 * may have been reset later, or not be counted at all: shares are of all, and
 * commits that no row has may be of the background.
 */
static void
set_statement(CommitFigures *f, const EntryTotals *statements)
{
	const StatementCounts *most = NULL;
	double		flushes = 0;
	double		commits = 0;
	double		all_commits;
	double		background = 0;
	double		applied = 0;

	for (int i = 0; i < statements->n; i++)
	{
		const StatementCounts *statement = &statements->statement[i];
		uint64		n = counted_commits(statement->value);

		commits += n;
		if (statement->key.statement == STATEMENT_APPLY ||
			statement->key.statement == STATEMENT_BACKGROUND)
			background += n;
		flushes += statement->value[SLOT_FLUSHES];
		if (statement->key.statement == STATEMENT_APPLY)
			applied += statement->value[SLOT_FLUSHES];
		if (statement->key.statement >= STATEMENT_NREASONS &&
			(most == NULL ||
			 statement->value[SLOT_FLUSHES] > most->value[SLOT_FLUSHES]))
			most = statement;
	}
	flushes = Max(flushes, f->flushes);
	all_commits = Max(commits, f->commits + f->commits_async);
	background += all_commits - commits;
	f->applied = ratio_or_zero(applied, flushes);
	f->nameless = Max(f->nameless - ratio_or_zero(background, all_commits), 0);
	if (most == NULL || flushes < ENOUGH_FLUSHES)
		return;
	f->statement_flushes = ratio_or_zero(most->value[SLOT_FLUSHES], flushes);
	f->statement_wal = ratio_or_zero(most->value[SLOT_WAL_BYTES],
									 counted_commits(most->value) +
									 most->value[SLOT_PREPARES]);
	f->statement = name_statement(&most->key, f->schema);
}

/* The loop goes down from the most, so "at_least" flushes had s or more. */
static void
set_siblings(CommitFigures *f, const uint64 *found, int ncells, const char *of)
{
	uint64		flushes = 0;
	uint64		at_least = 0;

	for (int s = 0; s < ncells; s++)
		flushes += found[s];
	f->siblings_of = of;
	f->siblings_max = f->siblings_half = 0;
	for (int s = ncells - 1; s >= 0; s--)
	{
		at_least += found[s];
		if (f->siblings_max == 0 && at_least > 0)
			f->siblings_max = s;
		if (f->siblings_half == 0 && 2 * at_least >= flushes && flushes > 0)
			f->siblings_half = s;
		if (s == 1)
			f->concurrency = ratio_or_zero(at_least, flushes);
		if (s == f->conf.siblings)
			f->reach = ratio_or_zero(at_least, flushes);
	}
}

/* ... of the newest flushes, in place of all since the reset, if enough count */
static void
set_newest_siblings(CommitFigures *f, const FlushTotals *groups)
{
	uint64	   *found = palloc0(groups->ncells * sizeof(uint64));
	uint64		flushes = 0;
	uint64		siblings = 0;

	for (int i = 0; i < groups->nrecent; i++)
	{
		const FlushGroupCopy *group = &groups->recent[i];
		int			n = Min((int) group->leader.siblings, groups->ncells - 1);

		if (group->leader_pid == 0 || group->leader.siblings == SIBLINGS_NOT_COUNTED)
			continue;
		found[n] += group->flushes;
		flushes += group->flushes;
		siblings += (uint64) n * group->flushes;
	}
	if (!f->newest || newest_are_old(f) || flushes < WAL_DEVICE_SAMPLE)
		return;
	set_siblings(f, found, groups->ncells, "the newest flushes");
	f->siblings_mean = (double) siblings / flushes;
}

/* The sums over LATENCY_LEADER and the kinds before "end", us */
static void
add_latency(const LatencyTotals *latency, LatencyKind end, double *us)
{
	for (int kind = LATENCY_LEADER; kind < end; kind++)
		for (int sum = 0; sum < LATENCY_NSUMS; sum++)
			us[sum] += latency->sum[kind][sum] / 1e3;
}

/*
 * The rest of the exact sums was the flush of another commit; without others,
 * it is not known.  If no flush was timed, what a leader does between its
 * record and the end is its flush, but for what may be the wait for a standby.
 * Samples of the newest minute tell how long others waited for that.
 */
static void
set_phases_of_sums(CommitFigures *f, const uint64 *value, const LatencyTotals *latency)
{
	double		all[LATENCY_NSUMS] = {0};
	double		led[LATENCY_NSUMS] = {0};
	uint64		carried = Min(value[SLOT_FLUSHED_BY_OTHERS], f->commits);
	double	   *phase = f->phase;
	double		time;
	double		own;			/* of leaders, from record to standby, awake */
	double		flush;
	double		doubt;

	add_latency(latency, LATENCY_FLUSH, all);
	add_latency(latency, LATENCY_FOLLOWER, led);
	time = all[LATENCY_TIME] + all[LATENCY_BEFORE] + all[LATENCY_AFTER];
	own = Max(led[LATENCY_TIME] - led[LATENCY_NOTIFY] - led[LATENCY_RECORD] -
			  led[STANDBY_TIME_MIN] - led[LATENCY_DELAY], 0);
	flush = Min(of_all_flushes(all[LATENCY_OWN_FLUSH], value), own);
	doubt = flush > 0 ? 0 : led[STANDBY_TIME_MAX] - led[STANDBY_TIME_MIN];

	f->own_flush = ratio_or_zero(flush + led[LATENCY_DELAY],
								 all[LATENCY_TIME] - all[STANDBY_TIME_MIN]);
	f->notifies = 2 * f->notify.write_time / 1e3 > all[LATENCY_RECORD];
	f->phase_mean = ratio_or_zero(time, f->commits);
	phase[PHASE_UNKNOWN] = time;
	commit_phase_take(phase, PHASE_BEFORE, all[LATENCY_BEFORE]);
	commit_phase_take(phase, PHASE_AFTER, all[LATENCY_AFTER]);
	commit_phase_take(phase, PHASE_STANDBY,
					  watch_standby_time(time, all[STANDBY_TIME_MIN],
										 all[STANDBY_TIME_MAX] - doubt, &f->seen));
	commit_phase_take(phase, PHASE_DELAY, all[LATENCY_DELAY]);
	commit_phase_take(phase, PHASE_RECORD, all[LATENCY_RECORD]);
	commit_phase_take(phase, PHASE_NOTIFY, all[LATENCY_NOTIFY]);
	commit_phase_take(phase, PHASE_FLUSH, flush > 0 ? flush : Max(own - doubt, 0));
	if (Max(f->concurrency, ratio_or_zero(carried, f->commits)) >= MIN_CONCURRENCY)
		commit_phase_take(phase, PHASE_OTHER_FLUSH, Max(phase[PHASE_UNKNOWN] - doubt, 0));
	for (int i = 0; i < PHASE_N; i++)
		phase[i] = ratio_or_zero(phase[i], time);

	/*
	 * An upper bound of F0, timed or not: there is one flush at a time, and
	 * none takes longer than the commit of its leader without sleep and
	 * standby.
	 */
	if (f->commits > carried)
		f->flush_time_max = Min(f->flush_time_max, own / (f->commits - carried));
}

static const char *
name_session(const ClientKey *client, int pid)
{
	if (pid == WATCH_AUTOVACUUM)
		return "autovacuum";
	return client != NULL && OidIsValid(client->roleid) ?
		psprintf("client %s", name_client(client)) : psprintf("pid %d", pid);
}

/* Of one that has left, the log of bulk writers may know the client. */
static const char *
name_writer(const ClientSessions *sessions, int pid)
{
	const ClientSession *session = clients_find_session(sessions, pid, clock_now());
	int			n;
	const LoggedEvent *writers = logged_events_read(BULK_WRITER, &n);

	if (session != NULL)
		return name_session(&session->key, pid);
	while (n > 0 && writers[n - 1].event.pid != pid)
		n--;
	return name_session(n > 0 ? &writers[n - 1].event.client : NULL, pid);
}

/*
 * Samples of the newest minute; or, if they show too little, of the one in
 * which commits ended, or became few, as long as they are kept.
 */
static void
choose_minute(CommitFigures *f)
{
	uint64		now = clock_now();
	uint64		until = watch_busy_until(ENOUGH_LOOKS);
	double		age = clock_elapsed(until, now) / 1e9;
	double		seconds = Min(f->seconds - age, PHASES_OF);
	WatchSummary before;

	watch_sum(clock_elapsed((uint64) (Min(f->seconds, PHASES_OF) * NS_PER_S), now),
			  now, &f->seen);
	/* also of sessions that wait outside of commits */
	if (f->seen.in_commit + f->seen.lock_waits + f->seen.blocked_rows +
		f->seen.wal_waits >= HISTORY_SAMPLES || until == 0 || seconds <= 0)
		return;
	watch_sum(clock_elapsed((uint64) (seconds * NS_PER_S), until), until, &before);
	if (before.in_commit < HISTORY_SAMPLES)
		return;
	f->seen = before;
	f->seen_age = age;
}

/*
 * A minute as the worker saw it, in place of the sums, if it can be.
 * Commits that wait for no flush count if the phases take time that these also
 * have.  The mean is that of no commit if a third of the time is of those that
 * hang now, or some of it of those that nothing counts, or most of it of those
 * that fail: all that ended took less, with their statements.
 */
static void
set_phases_of_samples(CommitFigures *f, const ClientSessions *sessions)
{
	WatchSummary *seen = &f->seen;
	const WatchWriter *writer = &seen->writer[0];

	f->seen_enough = seen->in_commit >= HISTORY_SAMPLES;
	if (!f->seen_enough)
		return;
	f->phase_seconds = seen->seconds;
	if (seen->phase[PHASE_BEFORE] + seen->phase[PHASE_RECORD] +
		seen->phase[PHASE_NOTIFY] + seen->phase[PHASE_LOG] +
		seen->phase[PHASE_AFTER] >=
		UNWAITED_MATTER * seen->in_commit)
		f->phase_unwaited = seen->unwaited;
	f->phase_commits = seen->commits + f->phase_unwaited;
	f->phase_mean = f->phase_commits == 0 ||
		seen->without_id >= UNWAITED_MATTER * seen->in_commit ||
		(seen->unwaited < UNWAITED_MATTER * seen->commits && seen->seconds *
		 (seen->in_commit - seen->phase[PHASE_AFTER]) > 2 * seen->ended * seen->n) ||
		3.0 * f->now.commits * seen->n * Min(f->now.longest / 1e6, seen->seconds) >
		seen->seconds * seen->in_commit ? NAN :
		seen->seconds * 1e6 * seen->in_commit / seen->n / f->phase_commits;
	for (int phase = 0; phase < PHASE_N; phase++)
		f->phase[phase] = seen->phase[phase] / seen->in_commit;
	if (seen->event_lead > 0 && 2 * seen->event_lead >= seen->event_votes)
		f->wait_event = pgstat_get_wait_event(seen->wait_event);
	if (MIN_WRITING * seen->n >= writer->samples)
		return;
	f->running_writer = name_writer(sessions, writer->pid);
	for (int i = 1; i < watch_likely_writers(seen); i++)
	{
		const char *name = name_writer(sessions, writer[i].pid);

		if (strcmp(f->running_writer, name) != 0)
			f->running_writer = psprintf("%s or %s", f->running_writer, name);
	}
}

/*
 * Exact sums have them in what is left: another's flush, or not known.  Most
 * waits for them may be shorter than slow commits, but samples see them.
 */
static void
set_segments(CommitFigures *f, double sum)
{
	CommitPhase from = f->phase[PHASE_OTHER_FLUSH] > 0 ? PHASE_OTHER_FLUSH :
	PHASE_UNKNOWN;
	double		share = ratio_or_zero(sum, f->phase_mean * f->phase_commits);
	double		seen = f->seen.phase[PHASE_SEGMENT] / Max(f->seen.in_commit, ENOUGH_LOOKS);

	f->phase[PHASE_SEGMENT] = Min(Max(share, seen), f->phase[from]);
	f->phase[from] -= f->phase[PHASE_SEGMENT];
}

static void
set_lock(BlamedLock *lock, const LockWait *wait)
{
	lock->name = lock_wait_describe(wait);
	lock->prepared = wait->holder_prepared;
	lock->ended = false;
	lock->circle = wait->circle;
}

/* Waits for one holder, or for a lock whose holder is not known, in one phase */
typedef struct LockSum
{
	CommitPhase phase;
	const LockWait *wait;		/* the newest, of a transaction only if all
								 * are: others say more */
	double		time;
} LockSum;

/* Times of slow commits, in the time that the phases are of */
typedef struct RecentSlow
{
	double		phase[PHASE_N];
	double		locked[PHASE_RECORD + 1];	/* of these, but that of NOTIFY */
	double		serializable;	/* of PHASE_AFTER, as the next */
	double		temporary;
	double		savepoints;		/* of PHASE_BEFORE */
	const ClientKey *outside;	/* of most time in PHASE_BEFORE, PHASE_AFTER */
	double		outside_lead;	/* ... over others in the vote on it */
	LockSum		lock[SLOW_LOG_KEPT];
	int			nlocks;
} RecentSlow;

/* Waits for the lock, or the holder, of one of the sums */
static double
time_of_lock(const RecentSlow *sum, const LockSum *lock)
{
	double		time = 0;

	for (int i = 0; i < sum->nlocks; i++)
		if (sum->lock[i].phase == lock->phase &&
			lock_wait_is_same(sum->lock[i].wait, lock->wait))
			time += sum->lock[i].time;
	return time;
}

/*
 * The locks that slow commits say that COMMIT waits for, each with the holder
 * of most of that; if most hang now, the one that these do; else any of now.
 * What part of a phase that is, samples tell, or slow commits without them.
 * Samples do not tell the two phases apart, so slow commits do.
 */
static void
set_locks(CommitFigures *f, const RecentSlow *sum)
{
	const float *seen = f->seen.phase;
	const double *locked = sum->locked;
	double		most[lengthof(f->lock)] = {0};
	double		held[lengthof(f->lock)] = {0};	/* by one holder */
	CommitPhase larger = f->phase[PHASE_BEFORE] >= f->phase[PHASE_RECORD] ?
	PHASE_BEFORE : PHASE_RECORD;
	double		all = locked[PHASE_BEFORE] + locked[PHASE_RECORD];
	double		of_record = all > 0 ? locked[PHASE_RECORD] / all : larger == PHASE_RECORD;
	double		in_record = Max(Min(of_record * f->seen.commit_locks, seen[PHASE_RECORD]),
								f->seen.commit_locks - seen[PHASE_BEFORE]);
	double		looks[] = {f->seen.commit_locks - in_record, in_record};

	for (int i = 0; i < sum->nlocks; i++)
	{
		const LockSum *lock = &sum->lock[i];
		double		time = time_of_lock(sum, lock);

		if (time < most[lock->phase] ||
			(time == most[lock->phase] && lock->time <= held[lock->phase]))
			continue;
		most[lock->phase] = time;
		held[lock->phase] = lock->time;
		set_lock(&f->lock[lock->phase], lock->wait);
	}
	for (int phase = PHASE_BEFORE; phase <= PHASE_RECORD; phase++)
	{
		f->lock[phase].share = f->seen_enough ?
			ratio_or_zero(looks[phase], seen[phase]) :
			ratio_or_zero(locked[phase], sum->phase[phase]);
		f->lock[phase].ended = f->lock[phase].prepared &&
			sql_value("SELECT 1 FROM pg_prepared_xacts LIMIT 1") == NULL;
	}
	if (!f->now.locked || f->now.lock_phase > PHASE_RECORD ||
		!(most_hang_now(f) || (!f->seen_enough && all == 0)))
		return;
	set_lock(&f->lock[f->now.lock_phase], &f->now.lock);
	f->lock[f->now.lock_phase].share = 1;
}

/* Of a commit that waited in both phases, the longer one has the lock. */
static void
add_lock(RecentSlow *sum, const CommitWaits *waits, const uint64 *part)
{
	CommitPhase phase = part[PHASE_BEFORE] >= part[PHASE_RECORD] ?
	PHASE_BEFORE : PHASE_RECORD;
	LockSum    *lock = sum->lock;

	while (lock < sum->lock + sum->nlocks &&
		   (lock->phase != phase || !lock_wait_is_same(lock->wait, &waits->lock) ||
			!lock_wait_has_same_holder(lock->wait, &waits->lock)))
		lock++;
	if (lock == sum->lock + sum->nlocks)
		sum->nlocks++;
	if (lock->wait == NULL || lock->wait->tag.locktag_type == LOCKTAG_TRANSACTION ||
		waits->lock.tag.locktag_type != LOCKTAG_TRANSACTION)
		lock->wait = &waits->lock;
	lock->phase = phase;
	lock->time += waits->lock_time;
	sum->locked[phase] += waits->lock_time;
}

/* The end of the time that the phases are of, unless it is a period */
static TimestampTz
seen_until(const CommitFigures *f)
{
	return GetCurrentTimestamp() - (int64) (f->seen_age * 1e6);
}

/* What a slow commit waited for, in the time that the phases are of */
static void
add_recent_slow(CommitFigures *f, RecentSlow *sum, const LoggedEvent *commit,
				const uint64 *part)
{
	const SlowEvent *event = &commit->event;
	const CommitWaits *waits = &commit->outcome.waits;
	double		outside = part[PHASE_BEFORE] + part[PHASE_AFTER];
	bool		same = sum->outside != NULL &&
	memcmp(sum->outside, &event->client, sizeof(ClientKey)) == 0;

	for (int phase = 0; phase < PHASE_N; phase++)
		sum->phase[phase] += part[phase];
	if (!same && outside > sum->outside_lead)
	{
		sum->outside = &event->client;
		outside -= 2 * sum->outside_lead;
		same = true;
	}
	sum->outside_lead += same ? outside : -outside;
	/* the wait for that of NOTIFY is a phase of its own */
	if (waits->lock_time > 0 && !notify_lock_is(&waits->lock.tag))
		add_lock(sum, waits, part);
	if (event->serializable)
		sum->serializable += part[PHASE_AFTER];
	if (event->temporary)
		sum->temporary += part[PHASE_AFTER];
	if (event->savepoints >= MANY_SAVEPOINTS)
	{
		sum->savepoints += part[PHASE_BEFORE];
		f->savepoints = Max(f->savepoints, event->savepoints);
	}
}

static void
add_slow_phases(CommitFigures *f, const StallLog *log,
				const LoggedEvent *commit, uint64 *part)
{
	const SlowEvent *event = &commit->event;

	/* nor a follower nor a leader without timing knows that it was a segment */
	bool		segment = stall_log_cause_of(log, event) == STALL_SEGMENT;
	double		flush = segment && !event->flush_timed ? part[PHASE_FLUSH] : 0;
	double		others = segment ? part[PHASE_OTHER_FLUSH] : 0;

	stall_log_take_standby(log, event, &commit->outcome, f->flush_time * NS_PER_US, part);
	for (int phase = 0; phase < PHASE_N; phase++)
		f->slow_phase[phase] += part[phase];
	f->slow_phase[PHASE_SEGMENT] += flush + others;
	f->slow_phase[PHASE_FLUSH] -= flush;
	f->slow_phase[PHASE_OTHER_FLUSH] -= others;
}

static bool
is_full(SlowKind kind)
{
	return slow_log_newest(kind) - slow_log_oldest(kind) + 1 == SLOW_LOG_KEPT;
}

/* Of its slow commits, the client with the most commits wrote this much WAL. */
static void
add_slow_wal(CommitFigures *f, const ClientCounts *top, const SlowEvent *event)
{
	if (top == NULL || event->wal_bytes == 0 ||
		memcmp(&event->client, &top->key, sizeof(ClientKey)) != 0)
		return;
	f->top_slow_most = Max(f->top_slow_most, event->wal_bytes);
	f->top_slow_least = f->top_slow_least == 0 ? event->wal_bytes :
		Min(f->top_slow_least, event->wal_bytes);
}

/* NULL: there is no such process.  A query would wait for a lock on pg_class. */
static const PgBackendStatus *
status_of(int pid)
{
	for (int i = pgstat_fetch_stat_numbackends(); i > 0 && pid != 0; i--)
	{
		const		PgBackendStatus *status = &BEENTRY_BY_INDEX(i)->backendStatus;

		if (status->st_procpid == pid)
			return status;
	}
	return NULL;
}

/*
 * Who makes others hang: a session that waits for its client for longer than a
 * moment, or whose transaction is older than the longest of these waits.  Of a
 * row that all take, the holder changes.
 */
static void
set_blocker(CommitFigures *f, const ClientSessions *sessions)
{
	int			pid = f->now.blocked > 0 ? f->now.blocked_by.holder_pid :
	f->now.locked ? f->now.lock.holder_pid : 0;
	const ClientSession *session = clients_find_session(sessions, pid, clock_now());
	const		PgBackendStatus *status = status_of(pid);
	TimestampTz now = GetCurrentTimestamp();

	f->idle_seconds = 0;
	if (status != NULL && (status->st_state == STATE_IDLEINTRANSACTION ||
						   status->st_state == STATE_IDLEINTRANSACTION_ABORTED))
		f->idle_seconds = (now - status->st_state_start_timestamp) / 1e6;
	if (f->idle_seconds < 1 &&
		(status == NULL || status->st_xact_start_timestamp == 0 ||
		 now - status->st_xact_start_timestamp < f->now.blocked_for))
		f->now.blocked = 0;
	f->blocker = name_session(session == NULL ? NULL : &session->key, pid);
}

/* What waits now, and a lock among that, as slow commits may not show it */
static void
set_now(CommitFigures *f, const ClientSessions *sessions)
{
	const WaitingCommit *waiting = waits_now_read(sessions);

	waits_now_summarize(waiting, sessions->n, &f->now);
	set_blocker(f, sessions);
	f->lock[PHASE_BEFORE].name = f->lock[PHASE_RECORD].name =
		"a lock (commit_activity names it while one waits)";
	for (int i = 0; i < sessions->n; i++)
		if (waiting[i].in_commit && waiting[i].has_lock &&
			waiting[i].reading.phase <= PHASE_RECORD)
			set_lock(&f->lock[waiting[i].reading.phase], &waiting[i].lock);
}

/* The phase with most of the time of stalls; in_phase: in each, ns */
static void
set_checkpoint_phase(CommitFigures *f, const LoggedEvent *stall, uint64 in_phase[3])
{
	static const char *const name[] = {"write", "sync", "segment"};
	const char *phase = stall_log_checkpoint_phase(&stall->outcome.seen);
	int			most = 0;

	if (phase == NULL)
		return;
	for (int i = 0; i < lengthof(name); i++)
	{
		if (strcmp(phase, name[i]) == 0)
			in_phase[i] += stall->event.duration;
		if (in_phase[i] > in_phase[most])
			most = i;
	}
	f->checkpoint_phase = name[most];
}

/*
 * Of the stalls before "end": the quota of flushes behind others; and since
 * "recent" how certain each cause is, the phase of checkpoints with most of
 * theirs, and the client whose WAL was behind the longest, in sum
 */
static void
set_stalled_by(CommitFigures *f, const StallLog *log, TimestampTz recent, TimestampTz end)
{
	uint64		in_phase[3] = {0};
	int			n[STALL_NCAUSES] = {0};
	const char **writer = palloc0((log->n + 1) * sizeof(char *));
	uint64	   *time = palloc0((log->n + 1) * sizeof(uint64));
	uint64		all = 0;
	int			most = 0;

	for (int i = 0; i < log->n; i++)
	{
		const LoggedEvent *stall = &log->logged[i];
		StallSum   *sum = &f->stall[stall->cause];

		if (stall->event.ended_at < f->stats_reset || stall->event.ended_at >= end)
			continue;
		if (stall->cause == STALL_QUOTA)
		{
			f->quota_flushes = log->quota_flushes;
			f->quota_bytes = log->quota_bytes;
			f->quota_window = log->quota_window;
		}
		if (stall->event.ended_at < recent)
			continue;
		f->unknown_kept |= stall->cause == STALL_UNKNOWN;
		/* a row counts only those that commits led */
		if (f->period != NULL && stall->event.role != SLOW_LED)
			sum->length += (stall->event.duration / 1e3 - sum->length) / ++sum->n;
		sum->certainty += (stall->certainty - sum->certainty) / ++n[stall->cause];
		if (stall->event.duration / 1e3 > sum->longest &&
			!watch_is_of_processor(&stall->outcome.seen))
		{
			sum->longest = stall->event.duration / 1e3;
			sum->longest_until = format_time(stall->event.ended_at);
		}
		if (stall->cause == STALL_CHECKPOINT)
			set_checkpoint_phase(f, stall, in_phase);
		if (stall->cause == STALL_BULK_WAL && stall->writer->pid != 0)
		{
			const char *name = name_session(&stall->writer->client, stall->writer->pid);
			int			of = 0;

			while (writer[of] != NULL && strcmp(writer[of], name) != 0)
				of++;
			writer[of] = name;
			time[of] += stall->event.duration;
			all += stall->event.duration;
			most = time[of] > time[most] ? of : most;
		}
	}
	f->bulk_writer = writer[most] == NULL || time[most] >= MOST_OF_STALLS * all ?
		writer[most] : psprintf("%s, and of others", writer[most]);
}

/* Of how many each slow commit is one that is kept */
static double
slow_stand_for(const CommitFigures *f)
{
	return Max((double) f->slow_commits / Max(f->slow_n, 1), 1);
}

/* Samples have only the time of its transaction since "recent". */
static void
cut_ended(CommitFigures *f, const SlowEvent *event, TimestampTz recent)
{
	TimestampTz began = event->ended_at - (int64) (event->transaction_time / NS_PER_US);

	f->seen.ended = Max(f->seen.ended - Max(recent - began, 0) / 1e6, 0);
}

static void
scale_recent_slow(CommitFigures *f, double scale)
{
	f->slow_recent *= scale;
	f->slow_standby *= scale;
	for (int stage = 0; stage < STANDBY_NSTAGES; stage++)
		f->slow_at_stage[stage] *= scale;
}

/* Slow commits that are kept, what the recent ones waited for, and stalls */
void
report_data_set_slow(CommitFigures *f, const ClientCounts *top,
					 const StallLog *log)
{
	TimestampTz end = f->period != NULL ? f->period->end : DT_NOEND;
	TimestampTz until = seen_until(f);
	TimestampTz recent = f->period != NULL ? f->stats_reset :
	until - (int64) (f->phase_seconds * 1e6);
	int			n;
	LoggedEvent *slow = logged_events_read(SLOW_COMMIT, &n);
	RecentSlow	sum = {0};
	double		time = 0;
	double		scale = 1;

	for (int i = 0; i < n; i++)
	{
		const SlowEvent *event = &slow[i].event;
		uint64		part[PHASE_N];
		double		standby;

		if (event->ended_at < f->stats_reset || event->ended_at >= end)
			continue;
		if (f->slow_n++ == 0)
			f->slow_seconds = (GetCurrentTimestamp() - event->ended_at) / 1e6;
		time += event->duration;
		slow_event_phases(event, &slow[i].outcome, part);
		add_slow_phases(f, log, &slow[i], part);
		add_slow_wal(f, top, event);
		if (event->ended_at < recent)
		{
			f->slow_before = event->ended_at;
			continue;
		}
		f->slow_recent++;
		cut_ended(f, event, recent);
		/* the end of a commit, of which samples saw what was since then */
		standby = Min(part[PHASE_STANDBY] / 1e3, event->ended_at - recent);
		f->slow_standby += standby;
		f->slow_at_stage[slow[i].outcome.waits.blame.stage] += standby;
		add_recent_slow(f, &sum, &slow[i], part);
	}
	set_locks(f, &sum);
	/* those that are kept stand for all */
	if (f->period != NULL)
		scale = slow_stand_for(f);
	else if (is_full(SLOW_COMMIT) && slow[0].event.ended_at > recent)
		scale = f->phase_seconds * 1e6 / Max(until - slow[0].event.ended_at, 1);
	scale_recent_slow(f, scale);
	if (2 * sum.savepoints < sum.phase[PHASE_BEFORE])
		f->savepoints = 0;
	if (2 * sum.outside_lead > sum.phase[PHASE_BEFORE] + sum.phase[PHASE_AFTER])
		f->outside = name_client(sum.outside);
	f->serializable = 2 * sum.serializable > sum.phase[PHASE_AFTER];
	f->temporary = 2 * sum.temporary > sum.phase[PHASE_AFTER];
	if (!f->seen_enough && f->period == NULL)
		set_segments(f, slow_stand_for(f) * f->slow_phase[PHASE_SEGMENT] / 1e3);
	f->slow_mean = ratio_or_zero(time / 1e3, f->slow_n);
	for (int phase = 0; phase < PHASE_N; phase++)
		f->slow_phase[phase] = ratio_or_zero(f->slow_phase[phase], time);
	set_stalled_by(f, log, recent, end);
}

/*
 * A stall of unknown cause that waited for a processor, as the samples tell
 * that time, or that is none any more: flushes have come to take as long.
 */
static bool
is_usual(const LoggedEvent *stall)
{
	return stall->cause == STALL_UNKNOWN &&
		(watch_is_of_processor(&stall->outcome.seen) ||
		 stall->event.duration <= stall_limit_get());
}

static void
add_volume(VolumeUse *sum, const VolumeUse *use)
{
	sum->seconds += use->seconds;
	sum->bytes += use->bytes;
	sum->flushed += use->flushed;
	sum->requests += use->requests;
	sum->of_flushes += use->of_flushes;
}

/*
 * The mean of the stalls of unknown cause, us, if most are of a flush right
 * after that of another one, and these are at least half of a sample; else 0
 */
static double
mean_of_successive(const StallLog *log, TimestampTz from)
{
	const SlowEvent *before = NULL;
	double		length = 0;
	int			n = 0;
	int			successive = 0;

	for (int i = 0; i < log->n && commit_stats_stall_time < 0; i++)
	{
		const SlowEvent *event = &log->logged[i].event;

		if (event->ended_at < from || log->logged[i].cause != STALL_UNKNOWN ||
			is_usual(&log->logged[i]))
			continue;
		successive += before != NULL && flush_groups_distance(before->group, event->group) == 1;
		before = event;
		length += event->duration / 1e3;
		n++;
	}
	return 2 * successive > Max(n, WAL_DEVICE_SAMPLE) ? length / n : 0;
}

/*
 * The stalls in the time that phases are of, or since the log has all, but
 * those that are usual.  What else a checkpoint's own flushes of WAL took
 * is that of its stalls: these carry few commits, or none.  All of them, but
 * those that are a phase of their own, took no more than the flushes did.
 */
static void
set_stalls(CommitFigures *f, const StallLog *log)
{
	TimestampTz until = seen_until(f);
	TimestampTz from = until - (int64) (f->phase_seconds * 1e6);
	double		time = f->seen_enough ?
	f->seen.seconds * 1e6 * ratio_or_zero(f->seen.in_commit, f->seen.n) :
	f->phase_mean * f->phase_commits;
	double		checkpoint = f->seen.checkpoint_waits;
	double		sum = 0;
	double		most = causes_flush_share(f) + f->phase[PHASE_SEGMENT];
	TimestampTz begin = is_full(SLOW_STALL) && log->n > 0 ? log->logged[0].event.ended_at :
	PgStartTime;

	f->fit = log->fit;
	from = Max(from, f->stats_reset);
	if (begin > from)
	{
		/* just started, the rate is not yet that of all the time */
		time *= f->restarted ? 1 : ratio_or_zero(until - begin, until - from);
		from = begin;
	}
	for (int i = 0; i < log->n; i++)
	{
		const SlowEvent *event = &log->logged[i].event;
		const WatchSummary *seen = &log->logged[i].outcome.seen;
		StallCause	cause = log->logged[i].cause;
		StallSum   *stall = &f->stall[cause];
		double		length = event->duration / 1e3;

		if (event->ended_at < from || is_usual(&log->logged[i]))
			continue;
		checkpoint -= seen->checkpoint_waits;
		if (cause == STALL_CHECKPOINT && stall->n == 0)
			f->checkpoint_stalled = event->ended_at;
		stall->n++;
		stall->length += (length - stall->length) / stall->n;
		stall->share += ratio_or_zero(length * stall_log_waiters(&log->logged[i]), time);
		if (cause == STALL_OTHERS)
			add_volume(&f->volume, &seen->volume);
	}
	if (f->seen_enough)
		f->stall[STALL_CHECKPOINT].share += Max(checkpoint, 0) / f->seen.in_commit;
	for (int cause = 0; cause < STALL_NCAUSES; cause++)
		if (!stall_is_not_run(f->phase, cause))
			sum += f->stall[cause].share;
	if (f->now.beside_sync && f->stall[STALL_CHECKPOINT].n == 0)
		f->checkpoint_stalled = until;
	f->write_stalls = stall_log_is_of_write(log, from, DT_NOEND, PG_UINT64_MAX);
	f->flush_slowed = f->flush_slower > 0 ? 0 : mean_of_successive(log, from);
	/* it has not, if something else makes most flushes stall, or wait */
	if (2 * (sum - (f->write_stalls ? 0 : f->stall[STALL_UNKNOWN].share)) > most ||
		(f->seen_enough && watch_is_of_processor(&f->seen)))
		f->flush_slower = f->flush_slowed = 0;
	for (int cause = 0; cause < STALL_NCAUSES && sum > most; cause++)
		if (!stall_is_not_run(f->phase, cause))
			f->stall[cause].share *= most / sum;
}

/* A stall may begin at one stage, and go on at another. */
static void
set_next_standby(CommitFigures *f, const StandbyCounts *counts, int n, double sum)
{
	double		most = Max(sum / 4, 1);

	for (int i = 0; i < n; i++)
		for (int stage = 0; stage < STANDBY_NSTAGES; stage++)
		{
			if (counts[i].wait_time[stage] < most ||
				(counts[i].name == f->standby && stage == (int) f->standby_stage))
				continue;
			most = counts[i].wait_time[stage];
			f->standby_next = psprintf("'%s': %s", counts[i].name,
									   strcmp(counts[i].name, "*") == 0 ? "too few are connected" :
									   standby_stage_names[stage]);
			f->standby_next_share = ratio_or_zero(most, sum);
		}
}

/*
 * What may be the standby for which commits hang, or take the place of the one
 * that they wait for.  The server shows no lag where nothing is written.
 */
static void
set_other_standbys(CommitFigures *f, const StandbyBlame *now)
{
	const char *end = f->standby_stage == STANDBY_NOT_APPLIED ? "replay" : "flush";

	f->standby_ahead =
		sql_value(psprintf("SELECT quote_literal(name) || CASE WHEN %d = 1 THEN ' is ahead of it'"
						   " WHEN lag IS NULL THEN ' may be faster'"
						   " ELSE format(' has a %s_lag of %%s ms, %%L of %%s ms', lag, its_name, its) END"
						   " FROM (SELECT other.application_name AS name, it.application_name AS its_name,"
						   "  round(1e3 * extract(epoch FROM other.%s_lag), 1) AS lag,"
						   "  round(1e3 * extract(epoch FROM it.%s_lag), 1) AS its, other.%s_lsn > it.%s_lsn AS ahead"
						   "  FROM pg_stat_replication AS it, pg_stat_replication AS other"
						   "  WHERE it.application_name = %s AND it.sync_state = 'sync' AND other.sync_state = 'potential') AS pair"
						   " WHERE CASE WHEN %d = 1 THEN ahead ELSE (2 * lag < its) IS NOT FALSE END"
						   " ORDER BY lag LIMIT 1",
						   now != NULL, end, end, end, end, end,
						   quote_literal_cstr(f->standby), now != NULL));

	/* pg_receivewal and the like apply nothing; nor was it beside that one */
	if (now != NULL && now->stage == STANDBY_NOT_CONNECTED && strcmp(now->name, "*") != 0)
		f->standby_unlisted =
			sql_value(psprintf("SELECT string_agg(DISTINCT quote_literal(application_name), ' or ')"
							   " FROM pg_stat_replication WHERE sync_priority = 0 AND replay_lsn IS NOT NULL"
							   " AND backend_start > clock_timestamp() - %f * interval '1 us'"
							   " AND NOT EXISTS (SELECT FROM pg_replication_slots"
							   " WHERE active_pid = pid AND slot_type = 'logical')",
							   f->standby_was_there ? f->now.longest :
							   (double) (GetCurrentTimestamp() - PgStartTime)));
}

/* All waits, ns, but those for that standby, if one is given */
static double
sum_of_waits(const StandbyCounts *counts, int n, const char *but)
{
	double		sum = 0;

	for (int i = 0; i < n; i++)
		for (int stage = 0; stage < STANDBY_NSTAGES; stage++)
			if (but == NULL || strcmp(counts[i].name, but) != 0)
				sum += counts[i].wait_time[stage];
	return sum;
}

/* The standby and the stage for which commits hang, or with the most time */
static void
blame_longest(CommitFigures *f, const StandbyCounts *counts, int n,
			  const StandbyBlame *now)
{
	uint64		most = 0;
	double		sum = sum_of_waits(counts, n, NULL);
	const char *subscribes;

	for (int i = 0; i < n; i++)
		for (int stage = 0; stage < STANDBY_NSTAGES; stage++)
		{
			if (now == NULL ? counts[i].wait_time[stage] <= most :
				stage != (int) now->stage || strcmp(counts[i].name, now->name) != 0)
				continue;
			most = counts[i].wait_time[stage];
			f->standby = counts[i].name;
			f->standby_stage = stage;
			f->standby_behind = ratio_or_zero(counts[i].lately[0][stage].behind,
											  counts[i].lately[0][stage].time);
			f->standby_before = ratio_or_zero(counts[i].lately[0][stage].before,
											  counts[i].lately[0][stage].time);
		}
	f->standby_share = ratio_or_zero(most, sum);
	if (f->standby == NULL)
		return;
	f->standby_dropped = !standby_is_listed(f->standby);
	set_next_standby(f, counts, n, sum);
	if (f->period == NULL)
		set_other_standbys(f, now);

	/* a subscription has its own name, and mostly a slot of that name */
	subscribes =
		sql_value(psprintf("SELECT plugin = 'pgoutput' AND slot_name = application_name"
						   " FROM pg_replication_slots JOIN pg_stat_replication ON pid = active_pid"
						   " WHERE slot_type = 'logical' AND application_name = %s",
						   quote_literal_cstr(f->standby)));
	f->standby_logical = subscribes != NULL;
	f->standby_reader = subscribes != NULL && strcmp(subscribes, "f") == 0;

	f->standby_missing = f->period == NULL ? standby_missing_beside(f->standby) : NULL;

	/* of each priority before its own, FIRST has one that is synchronous */
	f->standby_former = f->period == NULL &&
		sql_value(psprintf("SELECT 1 FROM pg_stat_replication AS it"
						   " WHERE application_name = %s AND sync_priority - 1 >"
						   " (SELECT count(DISTINCT sync_priority) FROM pg_stat_replication AS former"
						   " WHERE sync_state = 'sync' AND former.sync_priority < it.sync_priority)",
						   quote_literal_cstr(f->standby))) != NULL;
	if (f->standby_logical && f->period == NULL)
		f->standby_slots =
			sql_value(psprintf("SELECT current_setting('synchronized_standby_slots', true)"
							   " FROM pg_stat_activity"
							   " WHERE wait_event = 'WaitForStandbyConfirmation' AND application_name = %s",
							   quote_literal_cstr(f->standby)));
}

/* All waits for standbys, us; where commits hang, as samples saw them */
static double
all_standby_time(const CommitFigures *f)
{
	return f->phase[PHASE_STANDBY] *
		(f->hanging > 0 ? f->hanging * f->seconds * 1e6 : f->phase_mean * f->phase_commits);
}

/* Since before that time, commits have hardly waited for another standby. */
static bool
is_only_standby(const CommitFigures *f, const char *name)
{
	StandbyCounts *counts = palloc(STANDBY_MAX * sizeof(StandbyCounts));
	TimestampTz since;
	int			n = standby_read(counts, &since);
	double		others = sum_of_waits(counts, n, name);

	return since <= f->stats_reset &&
		others / NS_PER_US <= ALL_BUT * all_standby_time(f);
}

/*
 * The history does not know the standby, nor do counts of another list, but
 * slow commits do that are kept, if slow ones have a quarter of the time in
 * which commits waited for a standby.  Shares are of all of it.
 */
void
report_data_blame_slow(CommitFigures *f)
{
	StandbyCounts *counts = palloc(STANDBY_MAX * sizeof(StandbyCounts));
	TimestampTz end = f->period != NULL ? f->period->end : DT_NOEND;
	int			n = 0;
	int			nslow;
	LoggedEvent *slow = logged_events_read(SLOW_COMMIT, &nslow);
	double		all = all_standby_time(f);
	double		stand_for = slow_stand_for(f);
	double		blamed = 0;
	TimestampTz since;
	int			counted = standby_read(counts, &since);

	if (sum_of_waits(counts, counted, NULL) == 0 && since > f->stats_reset)
		f->standby_list = SyncRepStandbyNames;
	for (int i = 0; i < nslow; i++)
	{
		const StandbyBlame *blame = &slow[i].outcome.waits.blame;
		StandbyCounts *of_name;
		TimestampTz ended = slow[i].event.ended_at;
		TimestampTz began = ended - (int64) (slow[i].event.duration / NS_PER_US);
		uint64		part[PHASE_N];
		uint64		time;

		if (blame->name[0] == '\0')
			continue;
		slow_event_phases(&slow[i].event, &slow[i].outcome, part);
		/* others had half of what its lead leaves, or nearly */
		time = part[PHASE_STANDBY] - clock_elapsed(slow[i].outcome.waits.blame_lead,
												   part[PHASE_STANDBY]) / 2;
		/* ... and what is outside of the period may be that */
		time = clock_elapsed(NS_PER_US * (Max(f->stats_reset - began, 0) + Max(ended - end, 0)),
							 time);
		of_name = time == 0 ? NULL : standby_find(counts, &n, blame->name);
		if (of_name == NULL)
			continue;
		of_name->wait_time[blame->stage] += time;
		blamed += (double) time / NS_PER_US;
	}

	if (4 * blamed * stand_for < all)
		return;
	blame_longest(f, counts, n, NULL);
	if (f->standby == NULL)
		return;
	/* the newest are kept: others may have waited for another standby */
	if (is_only_standby(f, f->standby))
		blamed *= stand_for;
	f->standby_at_least = blamed < all;
	if (f->standby_at_least)
	{
		f->standby_share *= blamed / all;
		f->standby_next_share *= blamed / all;
	}
}

/* Whose transaction wrote half of what commits wait behind, or more */
static const char *
name_largest(const CommitFigures *f)
{
	TimestampTz from = seen_until(f) - (int64) (f->phase_seconds * 1e6);
	uint64		most = f->standby_before / 2;
	const SlowEvent *largest = NULL;
	int			n;
	const LoggedEvent *writers = logged_events_read(BULK_WRITER, &n);

	for (int i = 0; i < n; i++)
		if (writers[i].event.ended_at >= from && writers[i].event.wal_bytes >= most)
		{
			largest = &writers[i].event;
			most = largest->wal_bytes;
		}
	return largest == NULL ? NULL : name_session(&largest->client, largest->pid);
}

/* All waits for standbys since the end of the period, ns, by samples */
static double
waits_since(const CommitFigures *f)
{
	HistorySum *rows = palloc(sizeof(HistorySum));
	uint64		goes_on;
	WatchSummary seen;

	history_sum(f->period->end, DT_NOEND, rows);
	/* ... with the minute that is no row yet */
	goes_on = Max(GetCurrentTimestamp() - Max(rows->end, f->period->end), 0);
	watch_sum(clock_elapsed(goes_on * NS_PER_US, clock_now()), PG_UINT64_MAX, &seen);
	return rows->waits.phase[PHASE_STANDBY] +
		NS_PER_S * seen.seconds * ratio_or_zero(seen.phase[PHASE_STANDBY], seen.n);
}

/*
 * The standby of a period in which slow commits do not tell: that for which
 * commits have waited since synchronous_standby_names was set.  If that was
 * before the period, waits for others since then may all have been in it.  If
 * it was in it, its own count less all of those after the period, unless that
 * is within what samples miss of these.
 * A commit that waits for a standby that is away hangs, or is slow.
 */
void
report_data_blame_list(CommitFigures *f)
{
	StandbyCounts *counts = palloc(STANDBY_MAX * sizeof(StandbyCounts));
	TimestampTz since;
	int			n = standby_read(counts, &since);
	bool		later = since > f->stats_reset;
	double		all = all_standby_time(f);
	double		sum;
	double		own;
	double		others;
	CommitFigures before = *f;

	if (f->standby != NULL && (!f->standby_at_least || f->standby_share >= 0.5 ||
							   is_only_standby(f, f->standby)))
		return;
	f->standby = f->standby_next = NULL;
	for (int i = 0; f->hanging == 0 && i < n; i++)
		counts[i].wait_time[STANDBY_NOT_CONNECTED] = 0;
	blame_longest(f, counts, n, NULL);
	sum = sum_of_waits(counts, n, NULL);
	others = sum_of_waits(counts, n, f->standby);
	own = later ? f->standby_share * sum - waits_since(f) : sum - others;
	if (f->standby == NULL || 2 * own / NS_PER_US < all ||
		(later ? since >= f->period->end || own < ALL_BUT * sum :
		 others / NS_PER_US > ALL_BUT * all))
	{
		*f = before;
		return;
	}
	f->standby_next = NULL;
	f->standby_behind = f->standby_before = 0;
	f->standby_at_least = later;
	f->standby_share = later ? Min(own / NS_PER_US / all, 1) :
		f->standby_share * ratio_or_zero(sum, own);
	if (!later)
		f->standby_since = format_time(since);
}

/*
 * Of the newest minute, as the phases are, if they are; the sum is in part 0.
 * Else counts are of the present list alone, and slow commits of all lists.
 */
static void
set_standby(CommitFigures *f)
{
	StandbyCounts *counts = palloc(STANDBY_MAX * sizeof(StandbyCounts));
	bool		hang = f->now.blame.name[0] != '\0';
	bool		lately = f->seen_enough && f->seen_age == 0;
	TimestampTz since;
	int			n = standby_read(counts, &since);

	if (!hang && most_hang_now(f) && f->now.phase == PHASE_STANDBY)
	{
		f->standby_unset = SyncRepConfig == NULL;
		f->standby_answers = !f->standby_unset;
		return;
	}
	for (int i = 0; i < n; i++)
		for (int stage = 0; stage < STANDBY_NSTAGES; stage++)
		{
			StandbyWait *sum = &counts[i].lately[0][stage];

			f->standby_was_there |= stage != STANDBY_NOT_CONNECTED && counts[i].wait_time[stage] > 0 &&
				strcmp(counts[i].name, f->now.blame.name) == 0;
			for (int part = 1; part < STANDBY_PARTS; part++)
			{
				sum->time += counts[i].lately[part][stage].time;
				sum->behind += counts[i].lately[part][stage].behind;
				sum->before += counts[i].lately[part][stage].before;
			}
			if (lately)
				counts[i].wait_time[stage] = sum->time;
		}
	if (lately || hang || since <= f->stats_reset + NEW_LIST)
		blame_longest(f, counts, n, hang ? &f->now.blame : NULL);
	if (f->standby == NULL)
		report_data_blame_slow(f);
	if (f->running_writer == NULL && f->standby_before >= BULK_WAL)
		f->running_writer = name_largest(f);
}

/* All checkpoints since stalls during them came early, and not for WAL. */
static bool
were_asked_for(const CommitFigures *f, const WalCycles *cycles)
{
	const WalCycleCopy *cycle = cycles->cycle;
	TimestampTz since = Max(PgStartTime, f->conf.checkpoints_set_at);
	double		due = 0.9e6 * f->conf.checkpoint_timeout;
	double		little = f->conf.max_wal_size * 1048576.0 / 4;
	int			n = 0;

	while (n + 1 < cycles->ncycles && cycle[n + 1].started_at >= since &&
		   cycle[n].started_at - cycle[n + 1].started_at < due &&
		   cycle[n].redo - cycle[n + 1].redo < little)
		n++;
	return n > 0 && f->checkpoint_stalled >= cycle[n - 1].started_at;
}

/*
 * Of cycles since the server started: before, it was down, or a standby; and
 * since the settings of checkpoints have changed, as these do not explain
 * others.
 */
static void
set_checkpoint_distance(CommitFigures *f, const WalCycles *cycles)
{
	const WalCycleCopy *cycle = cycles->cycle;
	int			n = Min(cycles->ncycles - 1, NEWEST_CYCLES);

	while (n > 0 &&
		   cycle[n].started_at < Max(PgStartTime, f->conf.checkpoints_set_at))
		n--;
	if (n > 0)
		f->checkpoint_wal = (double) (cycle[0].redo - cycle[n].redo) / n;
	if (n >= MIN_CHECKPOINTS)
		f->checkpoint_distance = (cycle[0].started_at - cycle[n].started_at) / 1e6 / n;
}

static void
set_checkpoints(CommitFigures *f)
{
	WalCycles  *cycles = wal_cycles_read();
	double		pages = 0;
	double		bytes = 0;
	double		written = 0;
	NameData	slot;
	WalKeeper	keeper = wal_keeper_find(&slot);

	for (int i = 0; i < Min(cycles->ncycles, NEWEST_CYCLES); i++)
	{
		pages += cycles->cycle[i].value[WAL_FPI];
		bytes += cycles->cycle[i].value[WAL_BYTES];
		if (cycles->cycle[i].redo != InvalidXLogRecPtr)
			written = clock_elapsed(cycles->cycle[i].redo, GetFlushRecPtr(NULL));
	}

	/*
	 * At most, as an image lacks the page's hole, and may be compressed.  The
	 * rest of segments that end early is no record.
	 */
	f->images = Min(ratio_or_zero(pages * BLCKSZ, Max(bytes, written)), 1);
	set_checkpoint_distance(f, cycles);
	f->checkpoint_asked = were_asked_for(f, cycles);
	/* the transactions of these looks end in the cycle that it began */
	if (f->seen_enough && f->seen_age == 0 && cycles->ncycles > 0 &&
		f->seen.activity[ACTIVITY_CHECKPOINT] == f->seen.n)
		f->checkpoint_lasts = (GetCurrentTimestamp() -
							   cycles->cycle[0].started_at) / 1e6;
	if (XLogArchivingActive() && f->archive_fails == NULL)
		f->archive_fails = sql_value("SELECT 'fails for ' || last_failed_wal FROM pg_stat_archiver"
									 " WHERE last_failed_time > coalesce(last_archived_time, '-infinity')");
	f->keep_size_grows = keeper == KEEPER_SIZE;
	if (keeper == KEEPER_SLOT)
		f->slot = pstrdup(NameStr(slot));
}

/*
 * It is newer than the reset, and for the settings that its sample had, of the
 * server or as of this session.  Its text may name statements.
 */
static void
set_prediction(CommitFigures *f)
{
	NewestPrediction it;

	prediction_read(&it);
	if (it.made_at <= f->stats_reset || (it.from_delay < 0) != f->adaptive ||
		(!f->adaptive &&
		 (it.from_delay != f->conf.delay || it.from_siblings != f->conf.siblings) &&
		 (it.from_delay != CommitDelay || it.from_siblings != CommitSiblings)))
		return;
	f->predicted_delay = it.delay;
	f->predicted_siblings = it.siblings;
	if (it.none_gains && GetCurrentTimestamp() - it.made_at < PREDICTION_HOLDS)
		f->none_gains = psprintf("%.16s", timestamptz_to_str(it.made_at));
	if (has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS))
		f->prediction = psprintf("Newest prediction (%.16s, from %d s): %s.",
								 timestamptz_to_str(it.made_at), it.seconds,
								 it.text);
}

/* The figures, for the function with this OID; returns the flush groups. */
FlushTotals *
report_data_read(CommitFigures *f, Oid function)
{
	FlushTotals *groups;
	SlotTotals	slots;
	LatencyTotals *latency;
	EntryTotals *clients;
	EntryTotals *statements;
	const ClientCounts *top;
	StallLog	stalls;
	ClientSessions *sessions;

	memset(f, 0, sizeof(CommitFigures));
	groups = flush_totals_lock_and_read();
	backend_slots_read(&slots);
	latency = latency_read();
	clients = clients_read();
	statements = statements_read();
	stall_log_read(&stalls);
	notify_lock_read(&f->notify);
	LWLockRelease(commit_stats_reset_lock());

	stall_log_find_causes(&stalls, groups);
	f->schema = schema_of(function);
	report_data_set_settings(f);
	sessions = clients_read_sessions();
	set_now(f, sessions);
	set_counts(f, &slots, groups, latency);
	set_siblings(f, flush_total_cells(groups, FLUSHES_BY_SIBLINGS),
				 groups->ncells, "flushes");
	f->queue = DatumGetFloat8(OidFunctionCall0(F_PG_NOTIFICATION_QUEUE_USAGE));
	choose_minute(f);
	set_phases_of_sums(f, slots.value, latency);
	set_rates(f, groups);
	set_newest_siblings(f, groups);
	set_phases_of_samples(f, sessions);
	set_newest_sleeps(f, groups, sessions);
	set_clients(f, clients, &top);
	set_statement(f, statements);
	report_data_set_slow(f, top, &stalls);
	set_stalls(f, &stalls);
	set_standby(f);
	set_checkpoints(f);
	set_prediction(f);
	return groups;
}
