/*-------------------------------------------------------------------------
 *
 * remedies.c
 *		commit_remedies(): what would help, predicted from one sample.
 *
 *	party		one of the two clients with the most commits; or of statements,
 *				if one client has nearly all commits
 *	remedy		a change of the server, of its device or of one party; in the
 *				model, a changed copy of the load that the sample showed
 *				(whatif_fit.c, from commit_trace.c)
 *	others		the commits of all but the party that a remedy changes
 *	score		of a remedy: the mean transaction of the others, divided by
 *				the same of the same others at present
 *
 * The order.  Where clients go on when they have committed, the others commit
 * more often by as much as their transactions get shorter.  Where
 * transactions begin by themselves, only their time can change.  So the score
 * orders both.  Where order_choices() (best_delay.c) calls scores equal, the
 * first in the order of Safety is first.  The adaptive delay comes before a
 * fixed one: the best of several pairs is also the luckiest, and a load
 * changes.  No pair comes before the present one if that may hide a quota from
 * the sample.  What may lose something comes last: a reader takes the first
 * row for the advice.
 *
 * Bounds are those of estimate_replicas() (whatif.c).
 *
 * Where the prediction cannot explain the present, nothing is ordered, no pair
 * is the best, and nothing says how much a remedy would save.
 *
 * Invariant: nothing changes.  The function returns what to run.
 *
 * Locking: that of whatif.c during the sample, then that of clients_read(),
 * commit_stats_reset_lock(), shared, for the images of full pages, and locks
 * of the catalogs, which name clients and statements.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xlog.h"
#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/compat.h"
#include "control/delay_override.h"
#include "stats/commit_trace.h"
#include "stats/sql_value.h"
#include "stats/statements.h"
#include "stats/wal_cycles.h"
#include "whatif/whatif.h"

PG_FUNCTION_INFO_V1(commit_remedies_1_0);

#define BATCH			10		/* transactions in one commit */
#define NAME_WIDTH		46		/* bytes of a statement; the name has 80 */
#define QUOTA_FULL		0.9		/* share of it that flushes take */
#define HEAVY			0.5		/* share of the WAL that a remedy is for */
#define MANY_IMAGES		0.1		/* likewise, of full-page images */
#define LEAST_RECORD	34		/* bytes; that of a plain commit */
#define MAX_REMEDIES	(8 + 3 * (NPARTIES - 1))

/* What a remedy asks for; of equal ones, the first is proposed. */
typedef enum Safety
{
	CHANGES_NOTHING,
	ADAPTS,
	LOSES_NOTHING,
	NEEDS_APPLICATION,
	NEEDS_DEVICE,
	MAY_LOSE_COMMITS,
	MAY_LOSE_DATA
} Safety;

static const char *const safety_names[] = {
	[CHANGES_NOTHING] = "loses nothing",
	[ADAPTS] = "loses nothing",
	[LOSES_NOTHING] = "loses nothing",
	[NEEDS_APPLICATION] = "needs the application",
	[NEEDS_DEVICE] = "needs another device",
	[MAY_LOSE_COMMITS] = "may lose the newest commits at a crash",
	[MAY_LOSE_DATA] = "may corrupt the database at a crash"
};

/* Statements to paste into psql; null: none does it */
typedef struct Todo
{
	const char *statement;
	const char *undo;
} Todo;

static const Todo no_todo = {NULL, NULL};
static const Todo set_elsewhere = {
	"-- sessions, roles, databases or the command line have their own commit_delay or commit_siblings",
	NULL
};
static const Todo needs_worker = {
	"-- commit_stats.adaptive_delay is on, but no background worker obeys it: max_worker_processes may be too low",
	NULL
};

typedef struct Remedy
{
	const char *name;
	Safety		safety;
	Todo		todo;
	int			party;			/* that it changes; 0: none */
	Prediction *prediction;
	double		score;			/* NaN: unknown */
	const char *reason;			/* why it saves nothing; null: not known */
	bool		counted;		/* the reason is counted, not predicted */
} Remedy;

/* Counters of WAL so far */
typedef struct WalSoFar
{
	EntryTotals *statements;
	WalCycles  *cycles;
} WalSoFar;

/* What a remedy could do without, of the WAL of the sample */
typedef struct NeedlessWal
{
	double		images;			/* share of full-page images */
	uint64		writer;			/* statement with most of the WAL, and not of
								 * the commits; 0: none */
	double		share;			/* ... of the WAL */
} NeedlessWal;

typedef struct Remedies
{
	Forecast   *forecast;
	const char *schema;			/* of the extension, quoted */
	EntryTotals *clients;
	int			best_pair;		/* of the outcomes; at most 0: none */
	const ClientKey *key[NPARTIES]; /* of each party; null: not known */
	const char *name[NPARTIES]; /* likewise; name[0]: of wal.writer */
	char	   *text[NPARTIES]; /* of its most frequent statement; likewise */
	NeedlessWal wal;
	int			n;
	Remedy		remedy[MAX_REMEDIES];
	Choice		choice[MAX_REMEDIES];
} Remedies;

/*---- The remedies ------------------------------------------------*/

/* The share of the sample in which something else kept flushes waiting */
static double
pause_share(const WhatifLoad *load)
{
	double		sum = 0;

	for (int i = 0; i < load->pause.blocks.n; i++)
		sum += load->pause.value[i];
	return sum / (load->nblocks * load->block_length);
}

/*
 * Why a remedy that saves nothing does not: the flushes that it makes quicker,
 * or fewer, leave the quota as full as it is, or stall beside something else.
 */
static const char *
why_nothing(const WhatifLoad *load, const Estimate *now, const Prediction *it)
{
	const char *groups = "";
	double		used = load->of_wal ?
	it->estimate[COMMIT_RATE].mean * load->wal : it->estimate[FLUSH_RATE].mean;

	if (pause_share(load) > MIN_PART)
		return psprintf("stalls beside something else, %.0f%% of the time, stay: commit_stall_log has their causes",
						100 * pause_share(load));
	if (load->window == 0 || used < QUOTA_FULL * load->quota / load->window * 1e6)
		return NULL;
	if (it->estimate[GROUP_SIZE].mean < now[GROUP_SIZE].mean)
		groups = psprintf(", and a flush carries %.1f commits in place of %.1f",
						  it->estimate[GROUP_SIZE].mean, now[GROUP_SIZE].mean);
	return psprintf("the quota of %s stays full%s", whatif_quota(load), groups);
}

static void
add(Remedies *all, const char *name, Safety safety, Todo todo,
	const WhatifLoad *load, Prediction *prediction)
{
	const Prediction *now = &all->forecast->prediction[all->forecast->present.i];
	Choice	   *choice = &all->choice[all->n];
	Remedy	   *it = &all->remedy[all->n];
	double		score[NREPLICAS];
	int			others = OF_OTHERS(TRANSACTION_TIME, load->changed);
	const char *hidden = forecast_hidden_quota(all->forecast, prediction);

	/* nobody else commits */
	if (isnan(now->estimate[others].mean))
		others = TRANSACTION_TIME;
	for (int r = 0; r < NREPLICAS; r++)
		score[r] = prediction->value[others][r] / now->value[others][r];
	*it = (Remedy)
	{
		.name = name,.safety = safety,.todo = todo,.party = load->changed,
			.prediction = prediction,
			.score = estimate_rounds(score, NREPLICAS).mean
	};
	*choice = (Choice)
	{
		all->n++, isnan(it->score) ? 1 : it->score, safety
	};
	if (isnan(prediction->estimate[FLUSH_RATE].mean))
		it->reason = "nothing that the sample shows limits the commits of such a load";
	else if (safety != CHANGES_NOTHING && choice->time > 1 / SAME_TIME)
		it->reason = why_nothing(load, now->estimate, prediction);
	if (hidden == NULL)
		return;
	if (it->reason == NULL)
		it->reason = hidden;
	/* one that adapts finds it */
	if (safety == LOSES_NOTHING)
		choice->time = Max(choice->time, 1);
}

/* The same of a load that has not been predicted yet */
static void
add_load(Remedies *all, const char *name, Safety safety, Todo todo,
		 const WhatifLoad *load)
{
	Prediction *prediction = palloc(sizeof(Prediction));

	forecast_predict(all->forecast, load, prediction);
	add(all, name, safety, todo, load, prediction);
}

/* A parameter and what it is set to; null: it stays as it is */
typedef struct Setting
{
	const char *name;
	const char *value;
} Setting;

/* Sets parameters; the undo is what postgresql.auto.conf has at present. */
static Todo
set_parameters(const Setting *setting, int n)
{
	StringInfoData statement;
	StringInfoData undo;

	/* to others, pg_settings does not show what postgresql.auto.conf has */
	bool		may_see = has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_SETTINGS);

	initStringInfo(&statement);
	initStringInfo(&undo);
	for (int i = 0; i < n; i++)
	{
		const char *name = setting[i].name;
		char	   *former;

		if (setting[i].value == NULL)
			continue;
		if (guc_is_set_elsewhere(name))
			return (Todo)
		{
			psprintf("-- the command line has %s, and comes before ALTER SYSTEM", name),
				NULL
		};
		former = sql_value(psprintf("SELECT quote_literal(setting) FROM pg_settings"
									" WHERE name = '%s' AND sourcefile ~ '/postgresql[.]auto[.]conf$'",
									name));
		appendStringInfo(&statement, "ALTER SYSTEM SET %s = %s; ", name,
						 setting[i].value);
		appendStringInfo(&undo, "ALTER SYSTEM %s; ", former == NULL ?
						 psprintf("RESET %s", name) :
						 psprintf("SET %s = %s", name, former));
	}
	return (Todo)
	{
		psprintf("%sSELECT pg_reload_conf();", statement.data),
			!may_see ? "-- only members of pg_read_all_settings see what postgresql.auto.conf has" :
			psprintf("%sSELECT pg_reload_conf();", undo.data)
	};
}

/*
 * Roles, databases, sessions or the command line come before ALTER SYSTEM.
 * Commits do not show what they have while the delay adapts.
 */
static bool
is_set_elsewhere(const Forecast *forecast)
{
	return (delay_override_is_adaptive() ?
			sql_value("SELECT 1 FROM pg_db_role_setting, unnest(setconfig) c"
					  " WHERE c ~ '^commit_(delay|siblings)='") != NULL :
			forecast->load.delay != CommitDelay ||
			forecast->load.siblings != CommitSiblings) ||
		guc_is_set_elsewhere("commit_delay") || guc_is_set_elsewhere("commit_siblings");
}

/* A pair whose prediction the forecast has, unless it is the present one */
static void
add_pair(Remedies *all, const char *name, int i)
{
	const Forecast *forecast = all->forecast;
	const DelayPair *pair = &forecast->outcomes.outcome[i].pair;
	bool		adaptive = pair->delay == DELAY_ADAPTIVE;
	bool		own = !adaptive && is_set_elsewhere(forecast);
	const Setting setting[] = {
		{"commit_stats.adaptive_delay",
		adaptive ? "on" : delay_override_is_adaptive() ? "off" : NULL},
		{"commit_delay", adaptive ? NULL : psprintf("%d", pair->delay)},
		{"commit_siblings", adaptive || pair->delay == 0 ||
		pair->siblings == CommitSiblings ? NULL : psprintf("%d", pair->siblings)}
	};

	if (i != forecast->present.i)
		add(all, name, adaptive ? ADAPTS : LOSES_NOTHING,
			adaptive && commit_stats_adaptive_delay ? needs_worker :
			own ? set_elsewhere : set_parameters(setting, lengthof(setting)),
			&forecast->load, &forecast->prediction[i]);
}

/* No delay comes first among the pairs, and the adaptive delay last. */
static void
add_delays(Remedies *all, int npairs)
{
	const Forecast *forecast = all->forecast;
	DelayOutcomes fixed = forecast->outcomes;
	double		alone = slots_slept_alone(forecast->measured.value);
	int			best;

	fixed.n = npairs - 1;
	best = all->best_pair = forecast->present.unexplained != NULL ? -1 :
		best_delay(&fixed, CommitSiblings);
	add(all, "leave it", CHANGES_NOTHING, no_todo, &forecast->load,
		&forecast->prediction[forecast->present.i]);
	add_pair(all, "no delay", 0);
	if (forecast->load.delay > 0 && forecast->present.unexplained != NULL && alone >= MOSTLY_ALONE)
	{
		Remedy	   *it = &all->remedy[all->n - 1];

		it->counted = true;
		it->reason = psprintf("at most %.0f%% of the sleeps of commit_delay = %d carried another commit",
							  ceil(100 * (1 - alone)), forecast->load.delay);
	}
	if (best > 0)
		add_pair(all, psprintf("commit_delay = %d, commit_siblings = %d",
							   fixed.outcome[best].pair.delay,
							   fixed.outcome[best].pair.siblings), best);
	if (best >= 0 &&
		forecast_hidden_quota(forecast, &forecast->prediction[best]) == NULL)
		all->remedy[best == forecast->present.i ? 0 : all->n - 1].reason =
			psprintf("commit_delay = %d is the best of %d fixed pairs: %s",
					 fixed.outcome[best].pair.delay, fixed.n,
					 best_delay_reason(&fixed, CommitSiblings, best, best));
	add_pair(all, "the adaptive delay", npairs - 1);
}

/* A role or database; a session goes on when its role is dropped. */
static const char *
label_of(const char *kind, Oid oid, const char *name)
{
	return name == NULL ? psprintf("dropped %s %u", kind, oid) :
		psprintf("%s %s", kind, quote_identifier(name));
}

/*
 * No other client of this role and database has committed.  Of those that
 * share an overflow row, each may be one.
 */
static bool
is_alone(const Remedies *all, const ClientKey *key)
{
	for (int i = 0; i < all->clients->n; i++)
	{
		const ClientCounts *it = &all->clients->client[i];

		if ((client_is_overflow(&it->key) ||
			 (it->key.datid == key->datid && it->key.roleid == key->roleid)) &&
			memcmp(&it->key, key, sizeof(ClientKey)) != 0 &&
			counted_commits(it->value) > 0)
			return false;
	}
	return true;
}

/* A line, whatever is in the names: the next one would be no comment. */
static char *
alter_subscriptions(const ClientKey *key, const char *level)
{
	char	   *alter = sql_value(psprintf("SELECT format('-- of apply workers, in database %%I: %%s', datname,"
										   " string_agg(format("
										   "'ALTER SUBSCRIPTION %%I SET (synchronous_commit = %%s);', subname, %s),"
										   " ' ' ORDER BY subname))"
										   " FROM pg_subscription, pg_database d"
										   " WHERE d.oid = %u AND subdbid = d.oid AND subowner = %u AND"
										   " subsynccommit <> 'off' GROUP BY datname",
										   level, key->datid, key->roleid));

	if (alter != NULL)
		replace_controls(alter, '?');
	return alter;
}

/*
 * What lets a party commit asynchronously.  Other clients of its role and
 * database must keep what they have; then its transactions have to do it, as
 * a pooler may give a session to others.  An apply worker obeys its
 * subscription, which the role may own, alone.
 */
static Todo
asynchronous(const Remedies *all, const ClientKey *key, bool is_worker)
{
	Todo		todo = no_todo;
	const char *alter;
	const char *former;

	if (!is_worker)
		todo.statement = "BEGIN; SET LOCAL synchronous_commit = off; /* its statements */ COMMIT;";
	else if (key != NULL)
	{
		todo.statement = alter_subscriptions(key, "'off'");
		todo.undo = alter_subscriptions(key, "subsynccommit");
	}
	if (is_worker || key == NULL || !is_alone(all, key))
		return todo;
	/* none can log in as a role to which sessions only SET ROLE */
	alter = sql_value(psprintf("SELECT format('ALTER ROLE %%I IN DATABASE %%I', rolname, datname)"
							   " FROM pg_roles r, pg_database d"
							   " WHERE r.oid = %u AND rolcanlogin AND d.oid = %u",
							   key->roleid, key->datid));
	if (alter == NULL)
		return todo;
	former = sql_value(psprintf("SELECT split_part(c, '=', 2)"
								" FROM pg_db_role_setting, unnest(setconfig) c"
								" WHERE setdatabase = %u AND setrole = %u AND c ~ '^synchronous_commit='",
								key->datid, key->roleid));
	todo.statement = psprintf("%s SET synchronous_commit = off; -- for new sessions that log in as this role", alter);
	todo.undo = former == NULL ? psprintf("%s RESET synchronous_commit;", alter) :
		psprintf("%s SET synchronous_commit = %s;", alter, former);
	return todo;
}

/* Sessions that go on by themselves become far quicker than in the sample. */
static void
forget_rate(Remedy *it)
{
	it->prediction->estimate[COMMIT_RATE] = estimate_rounds(NULL, 0);
	if (it->reason == NULL)
		it->reason = "the sample does not show how quickly these sessions go on if they never wait";
}

static void
add_party(Remedies *all, int party)
{
	const Forecast *forecast = all->forecast;
	const SampleParty *it = &forecast->party[party];
	const char *name = all->name[party];
	const char *text = all->text[party];
	WhatifLoad	load = forecast->load;

	/* PREPARE TRANSACTION and COMMIT PREPARED always wait for their flush */
	bool		waits = it->prepares > MIN_PART * it->commits;
	bool		worker = 2 * it->applied > it->commits;

	if (it->commits <= MIN_PART * forecast->party[0].commits || name == NULL)
		return;
	ereport(NOTICE,
			(errmsg("%s: %d of these commits, in %d sessions", name,
					it->commits, it->sessions),
			 text == NULL || all->key[party] == NULL ? 0 :
			 errdetail("Its most frequent statement is: %s", text)));
	load.changed = party;
	load.batch = BATCH;
	/* ten that take each other's rows would deadlock */
	if (!forecast->locks && !waits && !worker)
		add_load(all, psprintf("%d transactions of %s in one commit", BATCH, name),
				 NEEDS_APPLICATION, no_todo, &load);
	load.batch = 0;
	load.async = true;
	if (!waits)
	{
		add_load(all, psprintf("synchronous_commit = off for %s", name),
				 MAY_LOSE_COMMITS, asynchronous(all, all->key[party], worker), &load);
		if (forecast_goes_on(forecast, &load))
			forget_rate(&all->remedy[all->n - 1]);
	}
	load.async = false;
	load.quiet = true;
	if (it->notifies > MIN_PART * it->commits)
		add_load(all, psprintf("NOTIFY of %s outside of its other transactions",
							   name), NEEDS_APPLICATION, no_todo, &load);
}

static void
add_device(Remedies *all)
{
	WhatifLoad	load = all->forecast->load;

	load.quota *= 2;
	if (load.window > 0)
		add_load(all, "twice the quota of the device", NEEDS_DEVICE, no_todo, &load);
	load = all->forecast->load;
	whatif_change_flushes(&load, 0.5, 0);
	add_load(all, "half the flush time of the device", NEEDS_DEVICE, no_todo, &load);
}

static void
read_wal(WalSoFar *it)
{
	it->cycles = wal_cycles_read();
	shared_memory_acquire(commit_stats_reset_lock(), LW_SHARED);
	it->statements = statements_read();
	LWLockRelease(commit_stats_reset_lock());
}

/*
 * The share of images in the WAL of the cycles that are still known.  From 19
 * on, their bytes are counted.  Before, it is at most a page for each image,
 * and what records leave, and not known of compressed ones.
 */
static double
share_of_images(const WalSoFar *before, const WalSoFar *now)
{
	double		sum[WAL_NCOUNTERS] = {0};

	for (int i = 0; i < now->cycles->ncycles; i++)
		for (int c = 0; c < WAL_NCOUNTERS; c++)
		{
			const WalCycleCopy *cycle = &now->cycles->cycle[i];

			sum[c] += cycle->value[c];
			for (int j = 0; j < before->cycles->ncycles; j++)
				if (before->cycles->cycle[j].redo == cycle->redo)
					sum[c] -= before->cycles->cycle[j].value[c];
		}
	if (sum[WAL_BYTES] <= 0)
		return 0;
	if (sum[WAL_FPI_BYTES] == 0 && wal_compression == 0)
		sum[WAL_FPI_BYTES] = Min(sum[WAL_FPI] * BLCKSZ,
								 sum[WAL_BYTES] - LEAST_RECORD * sum[WAL_RECORDS]);
	return Max(Min(sum[WAL_FPI_BYTES] / sum[WAL_BYTES], 1), 0);
}

/* Flushes are quicker by what a share of their WAL takes. */
static void
add_less_wal(Remedies *all, const char *name, Safety safety, Todo todo,
			 double share)
{
	WhatifLoad	load = all->forecast->load;

	whatif_change_flushes(&load, 1, share);
	add_load(all, name, safety, todo, &load);
	if (load.page_time == 0 && !load.of_wal)
		all->remedy[all->n - 1].reason =
			"flushes with more WAL do not take longer, as far as can be told";
}

/* What a statement, the i-th one now, has counted since "before" */
static double
counted_since(const EntryTotals *before, const StatementCounts *it, int i,
			  int counter)
{
	double		value = it->value[counter];

	for (int j = 0; j < before->n; j++)
	{
		/* the same place, nearly always */
		const StatementCounts *was = &before->statement[(i + j) % before->n];

		if (memcmp(&was->key, &it->key, sizeof(StatementKey)) == 0)
			return Max(value - was->value[counter], 0);
	}
	return value;
}

/* What the sample shows of WAL, since "before" */
static void
find_needless_wal(const WalSoFar *before, NeedlessWal *it)
{
	WalSoFar	now;
	double		commits_of_writer = 0;
	double		bytes_of_all = 0;
	double		commits_of_all = 0;

	read_wal(&now);
	it->images = share_of_images(before, &now);
	for (int i = 0; i < now.statements->n; i++)
	{
		const StatementCounts *statement = &now.statements->statement[i];
		double		bytes = counted_since(before->statements, statement, i, SLOT_WAL_BYTES);
		double		commits = 0;

		/* a prepared transaction counts where its PREPARE does */
		if (statement->key.statement != STATEMENT_PREPARED)
			commits = counted_since(before->statements, statement, i, SLOT_COMMITS) +
				counted_since(before->statements, statement, i, SLOT_PREPARES);
		CHECK_FOR_INTERRUPTS();
		bytes_of_all += bytes;
		commits_of_all += commits;
		if (statement->key.statement >= STATEMENT_NREASONS && bytes > it->share)
		{
			it->share = bytes;
			it->writer = statement->key.statement;
			commits_of_writer = commits;
		}
	}
	if (it->share <= HEAVY * bytes_of_all || commits_of_writer >= HEAVY * commits_of_all)
		it->writer = 0;
	it->share = ratio(it->share, bytes_of_all);
}

static void
add_wal(Remedies *all)
{
	const Setting off = {"full_page_writes", "off"};
	double		images = all->wal.images;

	if (all->wal.writer != 0)
	{
		add_less_wal(all, psprintf("without the WAL of %s", all->name[0]),
					 NEEDS_APPLICATION, no_todo, all->wal.share);
		/* full_page_writes does not change those of a new index */
		images -= all->wal.share;
	}
	if (images > MANY_IMAGES && fullPageWrites)
		add_less_wal(all, wal_compression ? "no full-page images" :
					 "no full-page images (wal_compression = on: smaller ones, and safe)",
					 MAY_LOSE_DATA, set_parameters(&off, 1), images);
}

/* The names of parties and of wal.writer, and the keys of clients */
static void
find_names(Remedies *all)
{
	bool		of_statements = all->forecast->of_statements;
	const SampleParty *party = all->forecast->party;
	const uint64 statement[NPARTIES] = {all->wal.writer, party[1].statement, party[2].statement};
	char	  **text = all->text;
	const char **name = all->name;

	all->clients = clients_read();
	for (int p = 0; p < NPARTIES; p++)
	{
		if (statement[p] != 0)
			text[p] = statement_text(all->schema, statement[p], NAME_WIDTH);
		if (p == 0 || of_statements)
			name[p] = text[p] != NULL ? text[p] :
				psprintf("statement " INT64_FORMAT, (int64) statement[p]);
		for (int i = 0; i < all->clients->n && p > 0 && !of_statements; i++)
			if (commit_trace_hash(&all->clients->client[i].key) == party[p].key)
			{
				const ClientKey *key = all->key[p] = &all->clients->client[i].key;

				name[p] = key->application_name[0] != '\0' ?
					psprintf("\"%s\"", key->application_name) :
					label_of("role", key->roleid, GetUserNameFromId(key->roleid, true));
			}
	}
	if (name[1] == NULL || name[2] == NULL || strcmp(name[1], name[2]) != 0)
		return;
	/* texts that begin alike, or clients with the same application_name */
	for (int p = 1; p < NPARTIES; p++)
		name[p] = of_statements ?
			psprintf("%s (" INT64_FORMAT ")", name[p], (int64) statement[p]) :
			psprintf("%s of %s in %s", name[p],
					 label_of("role", all->key[p]->roleid,
							  GetUserNameFromId(all->key[p]->roleid, true)),
					 label_of("database", all->key[p]->datid,
							  get_database_name(all->key[p]->datid)));
}

/*---- Rows --------------------------------------------------------*/

static void
put_remedy(Row *row, const Remedies *all, const Remedy *it)
{
	const Forecast *forecast = all->forecast;
	bool		explained = forecast->present.unexplained == NULL;

	row_text(row, "remedy", it->name);
	row_text(row, "safe", safety_names[it->safety]);
	if (explained || it->counted)
	{
		row_text(row, "statement", it->todo.statement);
		row_text(row, "undo", it->todo.undo);
	}
	if (explained)
		row_rounded(row, "others_saved", 100 * (1 - it->score), 1);
	if (it->party > 0 && forecast->of_statements)
		row_number(row, "queryid", forecast->party[it->party].key);
	row_prediction(row, "", it->prediction, 0);
	row_prediction(row, "others_", it->prediction, it->party);
	row_prediction(row, "others_now_",
				   &forecast->prediction[forecast->present.i], it->party);
	row_text(row, "reason", explained || it->counted ? it->reason :
			 forecast->present.unexplained);
	if (it->safety == CHANGES_NOTHING)
		row_measured(row, forecast);
	row_put(row);
}

/* The first remedy that loses nothing and needs no application, if one helps */
static void
add_safe_remedy(char *text, const Remedies *all)
{
	int			length = strlen(text);

	for (int i = 1; i < all->n; i++)
	{
		const Choice *choice = &all->choice[i];

		if (choice->cost == CHANGES_NOTHING || choice->cost > LOSES_NOTHING ||
			choice->time * SAME_TIME >= 1)
			continue;
		snprintf(text + length, PREDICTION_TEXT - length,
				 "; by settings alone, %s: %.0f%% shorter",
				 all->remedy[choice->i].name, 100 * (1 - choice->time));
		return;
	}
}

/* The first remedy in a few words, for the report */
static void
keep_prediction(const Remedies *all)
{
	const Forecast *forecast = all->forecast;
	const DelayOutcome *outcome = forecast->outcomes.outcome;
	const DelayPair *from = &outcome[forecast->present.i].pair;
	const Remedy *first = &all->remedy[all->choice[0].i];
	const Estimate *rate = &first->prediction->estimate[COMMIT_RATE];
	NewestPrediction it = {
		.made_at = GetCurrentTimestamp(),
		.seconds = (int) ((clock_elapsed(forecast->trace.started_at,
										 forecast->trace.ended_at) +
						   NS_PER_S / 2) / NS_PER_S),
		.from_delay = from->delay == DELAY_ADAPTIVE ? -1 : from->delay,
		.from_siblings = from->siblings
	};

	if (forecast->present.unexplained != NULL)
		strlcpy(it.text, "none, as the sample was not explained", PREDICTION_TEXT);
	else if (first->safety == CHANGES_NOTHING)
		snprintf(it.text, PREDICTION_TEXT,
				 "no remedy is sure to help the others by 5%%, %.0f commits/s (%.0f to %.0f)",
				 rate->mean, rate->low, rate->high);
	else if (forecast_hidden_quota(forecast, first->prediction) != NULL)
		snprintf(it.text, PREDICTION_TEXT,
				 "%s: shorter transactions than now, at %.0f commits/s, unless the present delay hides a quota",
				 first->name,
				 forecast->prediction[forecast->present.i].estimate[COMMIT_RATE].mean);
	else
		snprintf(it.text, PREDICTION_TEXT,
				 "%s: %.0f commits/s (%.0f to %.0f) in place of %.0f, transactions%s %.0f%% shorter",
				 first->name, rate->mean, rate->low, rate->high,
				 forecast->prediction[forecast->present.i].estimate[COMMIT_RATE].mean,
				 first->party > 0 &&
				 first->prediction->estimate[OF_OTHERS(COMMIT_RATE, first->party)].mean > 0 ?
				 " of the others" : "",
				 100 * (1 - all->choice[0].time));
	if (first->safety > LOSES_NOTHING)
		add_safe_remedy(it.text, all);
	for (char *c = it.text; *c != '\0'; c++)
		if (IS_HIGHBIT_SET(*c))
			*c = '?';
	replace_controls(it.text, ' ');
	it.none_gains = all->best_pair == 0;
	for (int i = 0; i < all->n; i++)
		if (all->remedy[i].safety == ADAPTS && all->remedy[i].score < 1 / SAME_TIME)
			it.none_gains = false;
	if (all->best_pair > 0)
	{
		it.delay = outcome[all->best_pair].pair.delay;
		it.siblings = outcome[all->best_pair].pair.siblings;
	}
	prediction_keep(&it);
}

static void
order_remedies(Remedies *all)
{
	int			n = 0;

	for (int i = 0; i < all->n; i++)
	{
		Choice		it = all->choice[i];

		if (it.cost >= MAY_LOSE_COMMITS)
			continue;
		all->choice[i] = all->choice[n];
		all->choice[n++] = it;
	}
	order_choices(all->choice, n);
	order_choices(all->choice + n, all->n - n);
}

Datum
commit_remedies_1_0(PG_FUNCTION_ARGS)
{
	/* to choose the best fixed one from, and the adaptive delay */
	DelayPair	pair[] = {
		{0, CommitSiblings}, {200, 1}, {200, 5}, {500, 1}, {500, 5}, {1000, 1},
		{1000, 5}, {2000, 1}, {2000, 5}, {5000, 1}, {5000, 5}, {10000, 1},
		{10000, 5}, {DELAY_ADAPTIVE, 0}
	};
	DelayPairs	pairs = {lengthof(pair), pair};
	Remedies	all = {0};
	WalSoFar	wal;
	Row			row;

	row_init(fcinfo, &row);
	tuning_args_require("A standby commits nothing.  Ask on the primary.");
	read_wal(&wal);
	all.forecast = forecast_sample(fcinfo, 0);
	find_needless_wal(&wal, &all.wal);
	forecast_begin(all.forecast, &pairs, MAX_REMEDIES);
	all.schema = schema_of(fcinfo->flinfo->fn_oid);
	find_names(&all);
	add_delays(&all, pairs.n);
	for (int p = 1; p < NPARTIES; p++)
		add_party(&all, p);
	add_device(&all);
	add_wal(&all);
	if (all.forecast->present.unexplained == NULL)
		order_remedies(&all);
	keep_prediction(&all);
	for (int i = 0; i < all.n; i++)
		put_remedy(&row, &all, &all.remedy[all.choice[i].i]);
	return (Datum) 0;
}
