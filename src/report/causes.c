/*-------------------------------------------------------------------------
 *
 * causes.c
 *		Why commits take their time, and whether a commit_delay would help.
 *
 * Tables hold all that the report concludes.  A row of a table of causes has
 * the share of commit time that its evidence explains, its sentence, and what
 * to do; the report prints the largest shares.  The first row that applies of
 * the tables on a delay is the answer.
 *
 * A delay helps only if commits come during it and then share the flush.  So
 * the rows in which no commit comes, or in which the time goes elsewhere,
 * stand before those that propose a delay, and each has the number that
 * decides it.
 *
 *	F0			the mean time of a flush
 *	lambda		commits per second
 *	lambda*		2 / F0.  The delay of the square-root rule (advice.c) is
 *				shorter than F0 above this load.  Flushes that begin as soon
 *				as the device is free then carry as many commits.
 *
 * This file uses neither shared memory nor the server, so t/ can compile it
 * alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/wal_device.h"
#include "report/report.h"

#define MAX_CAUSES			3
#define MIN_CAUSE			0.05	/* smaller shares are not printed */
#define NCAUSES				32	/* more than the tables have */

#define MANY_STALLS			0.25	/* of the time in flushes */
#define MOSTLY_ALONE		0.9 /* of the sleeps */
#define ENOUGH_SLEEPS		20
#define ENOUGH_LOOKS		20	/* at a commit */
#define HARDLY_CONCURRENT	0.05
#define HARDLY_ANY_HITS		0.1
#define HARDLY_BUSY			0.1
#define HARDLY_ASLEEP		0.01
#define HARDLY_SHARED		1.05	/* commits and prepares of a flush */
#define OWN_FLUSH_ONLY		0.8 /* of commit time: waits for no other flush */
#define LONG_FLUSH			1000	/* us */
#define SMALL_COMMIT		8192	/* bytes */
#define MANY_KINDS			1000	/* largest to smallest WAL of a client;
									 * page images alone may make it 100 */

/* A row of a table of causes */
typedef struct Cause
{
	double		share;			/* from MIN_CAUSE on, it is printed */
	const char *sentence;		/* that the share begins */
	const char *remedy;			/* or NULL */
} Cause;

typedef struct Causes
{
	int			n;
	Cause		cause[NCAUSES];
} Causes;

/*----------------------------------------------------------------
 * Evidence that several rows use
 *----------------------------------------------------------------
 */

double
causes_flush_share(const CommitFigures *f)
{
	return f->phase[PHASE_FLUSH] + f->phase[PHASE_OTHER_FLUSH];
}

/* Commits come one after the other, each with its flush. */
static bool
has_hot_row(const CommitFigures *f)
{
	return f->seen.in_commit >= ENOUGH_LOOKS &&
		f->seen.blocked_rows >= f->seen.in_commit;
}

/* Exact sums do not have these phases; stalls then tell their time. */
static double
segment_share(const CommitFigures *f)
{
	return f->phase[PHASE_SEGMENT] > 0 ? f->phase[PHASE_SEGMENT] :
		f->stall[STALL_SEGMENT].share;
}

static double
cpu_share(const CommitFigures *f)
{
	return f->phase[PHASE_NOT_RUN] > 0 ? f->phase[PHASE_NOT_RUN] :
		f->stall[STALL_CPU_LIMIT].share;
}

static double
bytes_share(const CommitFigures *f)
{
	double		others = 0;

	if (f->fit.share < 0.5)
		return f->stall[STALL_BYTES].share;
	/* the first causes are phases of their own */
	for (int cause = STALL_CHECKPOINT; cause < STALL_NCAUSES; cause++)
		if (cause != STALL_BYTES)
			others += f->stall[cause].share;
	return Max(f->fit.share * causes_flush_share(f) - others, 0);
}

static double
quota_share(const CommitFigures *f)
{
	return f->quota_flushes > 0 ? f->stall[STALL_QUOTA].share : 0;
}

/* Flushes that neither stalled nor had many bytes */
static double
rest_of_flushes(const CommitFigures *f)
{
	double		rest = causes_flush_share(f) - bytes_share(f);

	for (int cause = 0; cause < STALL_NCAUSES; cause++)
		if (cause != STALL_BYTES &&
			!(cause == STALL_SEGMENT && f->phase[PHASE_SEGMENT] > 0) &&
			!(cause == STALL_CPU_LIMIT && f->phase[PHASE_NOT_RUN] > 0))
			rest -= f->stall[cause].share;
	return rest;
}

/* True if flushes carry one commit or prepare each */
static bool
flushes_are_not_shared(const CommitFigures *f)
{
	return f->carried + f->prepares < HARDLY_SHARED * f->flushes;
}

/*----------------------------------------------------------------
 * Words that are missing without their figure
 *----------------------------------------------------------------
 */

/* ", 12 of 650 ms" */
static const char *
count_stalls(const CommitFigures *f, StallCause cause)
{
	const StallSum *stall = &f->stall[cause];

	return stall->n == 0 ? "" :
		psprintf(", %d of %s", stall->n, format_us(stall->length));
}

static const char *
bound_of_notify(const CommitFigures *f)
{
	double		hold = ratio_or_zero(f->notify.hold_time / 1e3,
									 f->notify.commits);
	double		flush = ratio_or_zero(f->notify.flush_time / 1e3,
									  f->notify.commits);

	return hold == 0 ? "" :
		psprintf(", %s each, of which %s are its flush: at most %s/s",
				 format_us(hold), format_us(flush), format_number(1e6 / hold));
}

static const char *
blame_standby(const CommitFigures *f)
{
	if (f->standby == NULL)
		return ", and I do not know which";
	return psprintf(" '%s': %s%s", f->standby,
					standby_stage_names[f->standby_stage],
					f->standby_share > 0.95 ? "" :
					psprintf(" (%s of these waits)",
							 format_percent(f->standby_share)));
}

static const char *
rate_of_bytes(const CommitFigures *f)
{
	return f->fit.rate <= 0 ? "" :
		psprintf(": %s/s, %s a flush; a flush without bytes takes %s",
				 format_bytes(1e6 * f->fit.rate),
				 format_bytes(f->flush_wal), format_us(f->fit.base));
}

static const char *
checkpoint_phase(const CommitFigures *f)
{
	const int  *seen = f->seen.checkpoint;

	return seen[CHECKPOINT_SYNCS] > seen[CHECKPOINT_WRITES] ? "the sync phase of " :
		seen[CHECKPOINT_WRITES] > 0 ? "the write phase of " : "";
}

/*----------------------------------------------------------------
 * Remedies that depend on settings: what was done is not said again
 *----------------------------------------------------------------
 */

/* min_wal_size keeps the files that max_wal_size may need. */
static const char *
remedy_for_segments(const CommitFigures *f)
{
	if (!f->wal_recycle)
		return "wal_recycle = on";
	if (f->min_wal_size < f->max_wal_size)
		return psprintf("min_wal_size = '%dMB' (now %dMB)", f->max_wal_size,
						f->min_wal_size);
	return f->wal_init_zero ?
		"wal_init_zero = off, if the file system copies on write" : NULL;
}

static const char *
remedy_for_checkpoints(const CommitFigures *f)
{
	if (f->completion_target < 0.9)
		return psprintf("checkpoint_completion_target = 0.9 (now %g)",
						f->completion_target);
	return psprintf("larger max_wal_size (now %dMB), checkpoint_timeout (now %d s)",
					f->max_wal_size, f->checkpoint_timeout);
}

/* Where flushes take the time; under a quota, or one by one, none is saved. */
static const char *
remedy_for_client(const CommitFigures *f)
{
	return f->top_wal < SMALL_COMMIT && quota_share(f) == 0 &&
		causes_flush_share(f) >= 0.5 &&
		!has_hot_row(f) && f->phase[PHASE_NOTIFY] < MIN_CAUSE ?
		"larger transactions, if its work allows them" : NULL;
}

/*----------------------------------------------------------------
 * The tables of causes
 *----------------------------------------------------------------
 */

static void
add_causes(Causes *found, const Cause *cause, int n)
{
	for (int i = 0; i < n; i++)
		if (cause[i].share >= MIN_CAUSE)
			found->cause[found->n++] = cause[i];
}

/* Phases of the commit other than its flush */
static void
find_phase_causes(const CommitFigures *f, Causes *found)
{
	const double *phase = f->phase;
	double		before = phase[PHASE_BEFORE];
	double		record = phase[PHASE_RECORD];
	bool		locked_before = f->lock != NULL && before >= record;
	bool		locked_record = f->lock != NULL && before < record;
	const Cause causes[] = {
		{phase[PHASE_NOTIFY],
			psprintf("NOTIFY: only one commit at a time can hold its lock%s.%s", bound_of_notify(f),
					 f->listeners == 0 ? " No session listens here." : ""),
		"send it from one session, or drop it"},
		{locked_before ? before : 0,
			psprintf("before the record: deferred triggers wait for %s.", f->lock),
		"a shorter transaction of its holder, or triggers that are not deferred"},
		{locked_before ? 0 : before,
			"before the record: deferred triggers, constraints, WITH HOLD cursors, or COMMIT on another server (postgres_fdw).",
		"fewer rows in a transaction, or constraints that are not deferred"},
		{locked_record ? record : 0,
			psprintf("record: COMMIT waits for %s before its commit record.", f->lock),
		"a shorter transaction of its holder"},
		{locked_record ? 0 : record,
			psprintf("record: the session's own work before its commit record, as ON COMMIT DELETE ROWS or DROP%s.",
					 f->wal_minimal ? ", or the sync of new tables (wal_level = minimal)" : ""),
		"fewer temporary tables with ON COMMIT in a session"},
		{phase[PHASE_DELAY],
			psprintf("asleep for %s.", f->adaptive ? "commit_stats.adaptive_delay" : "commit_delay"),
		NULL},
		{segment_share(f),
			psprintf("a new WAL segment is made%s.", count_stalls(f, STALL_SEGMENT)),
		remedy_for_segments(f)},
		{phase[PHASE_STANDBY],
			psprintf("standby%s.", blame_standby(f)),
		"its disk and network, synchronous_standby_names, or synchronous_commit"},
		{phase[PHASE_AFTER],
			f->commits_notify > 0 && f->listeners > 0 ?
			"after the commit, for files of dropped tables, or to signal sessions that listen." :
			"after the commit, above all for files of tables that it dropped.",
		"fewer tables in a transaction that drops them"},
		{cpu_share(f),
			psprintf("not run: a CPU limit stopped the server for %s of each second.",
					 format_us(ratio_or_zero(f->seen.throttled / 1e3, f->seen.seconds))),
		"a higher CPU limit of its control group"},
		{phase[PHASE_LOG],
		"commit log: a commit becomes visible, on the CPU or behind others.", NULL},
		{phase[PHASE_UNKNOWN], "I do not know.", NULL},
	};

	add_causes(found, causes, lengthof(causes));
}

/* Flushes */
static void
find_flush_causes(const CommitFigures *f, Causes *found)
{
	const StallSum *stall = f->stall;
	double		rest = rest_of_flushes(f);
	const Cause causes[] = {
		{stall[STALL_CHECKPOINT].share,
			psprintf("stalls during %scheckpoints%s.", checkpoint_phase(f),
					 count_stalls(f, STALL_CHECKPOINT)),
		remedy_for_checkpoints(f)},
		{stall[STALL_ARCHIVER].share,
			psprintf("stalls while archive_command runs%s.",
					 count_stalls(f, STALL_ARCHIVER)),
		"archive to another volume, or slow the command down"},
		{stall[STALL_BULK_WAL].share,
			psprintf("stalls with the WAL of %s%s.",
					 f->bulk_writer ? f->bulk_writer : "a large transaction",
					 count_stalls(f, STALL_BULK_WAL)),
		"smaller transactions of that client"},
		{bytes_share(f),
			psprintf("bytes%s.", rate_of_bytes(f)),
			f->wal_compression ? "less WAL, or a faster volume" :
		"wal_compression = on (for full-page images), or a faster volume"},
		{quota_share(f),
			psprintf("stalls as on a disk that allows %s flushes in %s%s.",
					 format_number(f->quota_flushes), format_us(f->quota_window),
					 count_stalls(f, STALL_QUOTA)),
		"a volume with more IOPS"},
		{stall[STALL_UNKNOWN].share,
			psprintf("stalls, I do not know why (commit_stall_log)%s.",
					 count_stalls(f, STALL_UNKNOWN)),
		NULL},
		{has_hot_row(f) ? rest : 0,
			psprintf("flushes: %s sessions wait for a row that a committing session holds (or a lock), for %s in COMMIT: the commits come one after the other.",
					 format_number(ratio_or_zero(f->seen.blocked_rows, f->seen.n)),
					 format_number(ratio_or_zero(f->seen.in_commit, f->seen.n))),
		"fewer updates of that row (batches, or a queue); no lock that lasts until COMMIT"},
		{has_hot_row(f) ? 0 : rest,
		"flushes, which take what the disk takes.", NULL},
	};

	add_causes(found, causes, lengthof(causes));
}

/* Who commits: shares of the commits, which explain no time */
static void
find_client_causes(const CommitFigures *f, Causes *found)
{
	bool		kinds = f->top_slow_least > 0 &&
	f->top_slow_most > MANY_KINDS * f->top_slow_least;
	bool		one_of_several = f->commits >= CAUSES_MIN_COMMITS &&
	f->top_share >= 0.2 && f->top_share <= 0.95;
	const Cause causes[] = {
		{f->nameless,
			"of the commits have no name: a driver or pooler clears it.",
		"ALTER ROLE ... SET application_name = '...', with a role for each application"},
		{f->clients_evicted > 0 ? f->overflow : 0,
			psprintf("of the commits are of no client that is known: %s clients lost their row to newer ones, as if each connection had its own application_name.",
					 format_count(f->clients_evicted)),
		"application_name_add_host = 0 in PgBouncer, or commit_stats.max_clients"},
		{kinds ? f->top_share : 0,
			psprintf("of the commits are of client %s. One name, slow commits of %s to %s of WAL: several kinds of work.",
					 f->top, format_bytes(f->top_slow_least), format_bytes(f->top_slow_most)),
		"SET application_name for each kind"},
		{one_of_several && !kinds ? f->top_share : 0,
			psprintf("of the commits are of client %s, %s of commit time, %s of WAL each.",
					 f->top, format_percent(f->top_time), format_bytes(f->top_wal)),
		remedy_for_client(f)},
	};

	add_causes(found, causes, lengthof(causes));
}

static int
compare_causes(const void *a, const void *b)
{
	const Cause *one = a;
	const Cause *other = b;

	return one->share > other->share ? -1 : one->share < other->share;
}

/* The largest, below a title */
static void
put_causes(StringInfo text, const char *title, Causes *found, int most,
		   bool numbered)
{
	qsort(found->cause, found->n, sizeof(Cause), compare_causes);
	if (found->n > 0)
		appendStringInfoString(text, title);
	for (int i = 0; i < Min(found->n, most); i++)
	{
		const Cause *cause = &found->cause[i];

		put_wrapped(text, numbered ? psprintf("  %d. ", i + 1) : "  ", "     ",
					psprintf("%s %s", format_percent(Min(cause->share, 1)),
							 cause->sentence));
		if (cause->remedy != NULL)
			put_wrapped(text, "     -> ", "        ", cause->remedy);
	}
}

void
causes_put(StringInfo text, const CommitFigures *f)
{
	Causes		of_time = {0};
	Causes		clients = {0};

	if (f->phase_mean == 0)
		return;
	find_phase_causes(f, &of_time);
	find_flush_causes(f, &of_time);
	find_client_causes(f, &clients);
	put_causes(text, "Why\n", &of_time, MAX_CAUSES, true);
	put_causes(text, "Who commits\n", &clients, 1, false);
}

/*----------------------------------------------------------------
 * The tables on a delay
 *----------------------------------------------------------------
 */

/* In place of a setting */
static const char sweep[] = "sweep";
static const char adaptive_sweep[] = "sweep with the adaptive delay";

/* A row of a table on a delay */
typedef struct Answer
{
	bool		applies;
	const char *sentence;
	const char *setting;		/* or one of these, or NULL */
} Answer;

static const Answer *
first_answer(const Answer *answers, int n)
{
	for (int i = 0; i < n; i++)
		if (answers[i].applies)
			return memcpy(palloc(sizeof(Answer)), &answers[i], sizeof(Answer));
	return NULL;
}

/* The largest phase that is no flush and no delay */
static const char *
largest_outside(const CommitFigures *f)
{
	CommitPhase most = PHASE_UNKNOWN;

	for (int phase = 0; phase < PHASE_N; phase++)
		if (phase != PHASE_FLUSH && phase != PHASE_OTHER_FLUSH &&
			phase != PHASE_DELAY && f->phase[phase] > f->phase[most])
			most = phase;
	return commit_phase_names[most];
}

/* The cause of most stalls, and its share of commit time */
static StallCause
largest_stalls(const CommitFigures *f, double *share)
{
	double		shares[STALL_NCAUSES];
	StallCause	most = STALL_QUOTA;

	for (int cause = 0; cause < STALL_NCAUSES; cause++)
		shares[cause] = f->stall[cause].share;
	shares[STALL_SEGMENT] = segment_share(f);
	shares[STALL_CPU_LIMIT] = cpu_share(f);
	shares[STALL_BYTES] = bytes_share(f);
	for (int cause = 0; cause < STALL_NCAUSES; cause++)
		if (shares[cause] > shares[most])
			most = cause;
	*share = shares[most];
	return most;
}

/* No commit waits for a flush that it could share, or too little is known */
static const Answer *
find_no_waits(const CommitFigures *f)
{
	bool		few = f->commits < CAUSES_MIN_COMMITS || f->flushes == 0;
	bool		known = f->seen_enough || !few;
	uint64		all = f->commits + f->commits_async;
	double		outside = 1 - causes_flush_share(f) - f->phase[PHASE_DELAY];
	const Answer answers[] = {
		{!f->counting, "not known. Counting is off, and the figures stand still.",
		"commit_stats.enabled = on"},
		{f->is_standby, "no. Nothing commits on a standby: look at its primary.", NULL},
		{f->now.longest >= 1e6, "no. Commits hang, as the first line says.", NULL},
		{!f->fsync, "no. With fsync = off, commits do not wait for the disk.", NULL},
		{f->commits_async >= CAUSES_MIN_COMMITS && f->commits < f->commits_async / 100.0,
		psprintf("no. %s of the commits do not wait for the disk (synchronous_commit = off).", format_percent(ratio_or_zero(f->commits_async, all))), NULL},
		{f->adaptive, psprintf("commit_stats.adaptive_delay decides. %s.commit_delay_state shows why.", f->schema), NULL},
		{f->delay > 0 && f->delay_hits >= ENOUGH_SLEEPS && f->alone_hits >= MOSTLY_ALONE,
			psprintf("set it to 0. %s of the sleeps carried no other commit.", format_percent(f->alone_hits)),
		"commit_delay = 0"},
		{known && f->commits_notify > 0 && 2 * f->commits_notify >= all,
		psprintf("no. NOTIFY commits come one after the other (%s of the commits).", format_percent(ratio_or_zero(f->commits_notify, all))), NULL},
		{known && f->phase_mean != 0 && outside > 0.5,
		psprintf("no. %s of commit time is outside of flushes, most of it: %s.", format_percent(outside), largest_outside(f)), NULL},
		{few, psprintf("not known. " UINT64_FORMAT " commits have waited so far, of %d that an answer needs.", f->commits, CAUSES_MIN_COMMITS), NULL},
		{has_hot_row(f), "no. No commit can come while a committing session holds the row.", NULL},
	};

	return first_answer(answers, lengthof(answers));
}

/* Commits wait for flushes, and a delay would not help */
static const Answer *
find_no_gain(const CommitFigures *f)
{
	double		idle = ratio_or_zero(f->seen.idle_xids, f->seen.n);
	double		async = ratio_or_zero(f->commits_async, f->commits + f->commits_async);
	bool		alone = f->concurrency < HARDLY_CONCURRENT;
	bool		unshared = flushes_are_not_shared(f);
	double		stall_share;
	StallCause	stall = largest_stalls(f, &stall_share);
	bool		idle_disk = f->flush_time > 0 && f->disk_busy < HARDLY_BUSY;
	const Answer answers[] = {
		{alone && quota_share(f) >= MIN_CAUSE,
			psprintf("perhaps. Only %s of flushes found another transaction active. But even distances between flushes may avoid the stalls of the quota.", format_percent(f->concurrency)),
		"commit_stats.adaptive_delay = on"},
		{alone, psprintf("no. Only %s of flushes found another transaction active.", format_percent(f->concurrency)), NULL},
		{unshared && f->seen_enough && f->siblings_mean > 0 && idle >= f->siblings_mean / 2,
		psprintf("no. Of %s siblings that a leader counts, %s are idle in transaction.", format_number(f->siblings_mean), format_number(idle)), NULL},
		{unshared && async >= 0.5,
		psprintf("no. %s of the commits are asynchronous, and share no flush.", format_percent(async)), NULL},
		{stall != STALL_QUOTA && stall_share >= MANY_STALLS * causes_flush_share(f),
		psprintf("no. It would not shorten %s of commit time: flushes that stall (%s).", format_percent(stall_share), stall_cause_names[stall]), NULL},
		{idle_disk && f->delay > 0 && f->phase[PHASE_DELAY] >= HARDLY_ASLEEP,
			psprintf("perhaps 0. The disk is busy with flushes %s of the time, and %d us are %s of them. In 30 s of the live load:", format_percent(f->disk_busy), f->delay, format_number(ratio_or_zero(f->delay, f->flush_time))),
		sweep},
		{idle_disk && quota_share(f) < MIN_CAUSE,
		psprintf("no. The disk is busy with flushes %s of the time, so commits hardly ever wait for the flush of another one.", format_percent(f->disk_busy)), NULL},
		{unshared && f->own_flush > OWN_FLUSH_ONLY && quota_share(f) < MIN_CAUSE,
		psprintf("no. A flush carries %.2f commits, and a commit spends %s of its time on its own.", ratio_or_zero(f->carried, f->flushes), format_percent(f->own_flush)), NULL},
	};

	return first_answer(answers, lengthof(answers));
}

/* A delay may help: to be measured.  The last one always applies. */
static const Answer *
find_may_pay(const CommitFigures *f)
{
	double		half = f->flush_time / 2;
	double		root = advice_square_root_rule(f);
	double		threshold = ratio_or_zero(2e6, f->flush_time);
	bool		above = f->commit_rate > threshold;
	bool		reached = f->reach >= HARDLY_ANY_HITS ||
	advice_better_siblings(f) >= f->siblings ||
	(f->siblings_half == 0 && f->concurrency < HARDLY_ANY_HITS);
	const Answer answers[] = {
		{quota_share(f) >= MIN_CAUSE,
			"may pay, above all the adaptive one: stalls show a quota. In 35 s of the live load:",
		adaptive_sweep},
		{f->delay > 0 && !reached,
			psprintf("none sleeps. %s of flushes reach commit_siblings = %d, and half reach %d. In 30 s of the live load:", format_percent(f->reach), f->siblings, f->siblings_half),
		sweep},
		{f->flush_time <= 0 && !f->io_timing, "not known. Flushes are not timed:",
		"track_wal_io_timing = on"},
		{f->flush_time <= 0, "not known. No flush was timed so far.", NULL},
		{f->delay == 0 && f->flush_p50 >= LONG_FLUSH && f->flush_p99 < wal_device_stall_limit(f->flush_p50),
			"may pay. Flushes take long without stalls, and sessions may take turns. In 35 s of the live load:",
		adaptive_sweep},
		{above && f->delay > 0,
			psprintf("perhaps 0. Flushes fill by themselves above 2 / F0 = %s commits/s. In 30 s of the live load:", format_number(threshold)),
		sweep},
		{above, psprintf("no. Flushes fill by themselves above 2 / F0 = %s commits/s.", format_number(threshold)), NULL},
		{true,
			psprintf("may pay, by the rules F0 / 2 and sqrt(2 F0 / commits per second): %s to %s. In 30 s of the live load:", format_us(Min(half, root)), format_us(Max(half, root))),
		sweep},
	};

	return first_answer(answers, lengthof(answers));
}

void
causes_put_delay(StringInfo text, const CommitFigures *f)
{
	const Answer *answer = find_no_waits(f);

	if (answer == NULL)
		answer = find_no_gain(f);
	if (answer == NULL)
		answer = find_may_pay(f);
	put_wrapped(text, "A delay: ", "  ", answer->sentence);
	if (answer->setting == sweep || answer->setting == adaptive_sweep)
		advice_put_sweep(text, f, answer->setting == adaptive_sweep);
	else if (answer->setting != NULL)
		put_setting(text, answer->setting);
}
