/*-------------------------------------------------------------------------
 *
 * causes.c
 *		Why commits take their time, what to do first, and whether a
 *		commit_delay would help.
 *
 * Causes are in find_before_causes() to find_client_causes().  A new cause is
 * an add_cause() there, whose share comes from CommitFigures (report_data.c;
 * of a period, period.c), and a test in t/symptoms.  The report prints those
 * with the largest shares.
 *
 * The answer on a delay is the first row that applies in the tables of
 * find_no_waits(), then find_no_gain(), then find_may_pay().  Other rows have
 * their sentences made, too; psprintf() writes NULL as (null).
 * commit_remedies() asks none of these: it simulates (whatif.c), so the two
 * may disagree.
 *
 * A delay helps only if commits come during it and then share the flush.  So
 * the rows in which no commit comes, or in which the time goes elsewhere,
 * stand before those that propose a delay, and each has the number that
 * decides it.
 *
 *	F0			the mean time of a flush
 *	lambda		commits per second
 *	lambda*		2 / F0.  The delay of the square-root rule is shorter than F0
 *				above this load.  Flushes that begin as soon as the device is
 *				free then carry as many commits.
 *
 * Two rules of thumb give a commit_delay.  The server's documentation starts
 * from F0/2.  Queueing theory (arXiv 2606.18187) gives sqrt(2 F0 / lambda) for
 * commits that do not wait for each other.  A proposed sweep tries both.  A
 * commit pays for a delay, so each sweep has a bound for commit times, which
 * comes from what commits take at present.
 *
 * This file uses neither shared memory nor the server, so t/ can compile it
 * alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/guc.h"
#include "base/wal_device.h"
#include "report/report.h"

#define MAX_CAUSES			3
#define MIN_CAUSE			0.05	/* smaller shares are not printed */
#define CAUSES_MIN_COMMITS	500 /* below, nothing is said about a delay */

#define MANY_STALLS			0.25	/* of the time in flushes */
#define MIN_LOOKS			3	/* ... all of which say the same */
#define HARDLY_CONCURRENT	0.05
#define HARDLY_ANY_HITS		0.1
#define HARDLY_BUSY			0.1
#define HARDLY_ASLEEP		0.01
#define HARDLY_SHARED		1.05	/* commits and prepares of a flush */
#define OTHER_HOLD			1.25	/* times as long: NOTIFY's lock, of late */
#define OWN_FLUSH_ONLY		0.8 /* of commit time: waits for no other flush */
#define LONG_FLUSH			1000	/* us */
#define MANY_BYTES		32768	/* in a flush, may be what it takes long for */
#define ONE_STAGE		0.8		/* of the waits for a standby */
#define NO_PING				1000000 /* us; no network takes as long */
#define RECENT_FLUSH		1	/* s; what wrote it has not left */
#define LONG_HANG			5000000 /* us: comes before the first cause */
#define SMALL_COMMIT		8192	/* bytes */
#define FEW_SESSIONS		3	/* that commit at a time */
#define HARDLY_COMMIT		0.1 /* of transaction time */
#define HARDLY_OUTSIDE		0.05	/* of commit time: in no share of a client */
#define HARDLY_CERTAIN		0.7 /* of the cause of stalls */
#define IDLE_MATTER			0.1 /* sessions, in transactions that wrote */
#define OFTEN_STOPPED		0.1 /* of commit time, by a limit of the CPU */
#define MOSTLY_ARCHIVING	0.9 /* of the looks */
#define MOSTLY_IMAGES		0.5 /* of the WAL */
#define MOSTLY_QUEUED		0.8 /* of the waits for locks in COMMIT */
#define SHORT_PHASE		50		/* us of a commit: nobody would change a thing */
#define SHORT_PHASE_SHARE	0.25	/* ... unless that is much of it */
#define LARGE_SHARED_BUFFERS	(1024.0 * 1024 * 1024)	/* searched in a ms */
#define LARGE_WAL_BUFFERS	(16.0 * 1024 * 1024)	/* the largest default */
#define MANY_SWITCHES		16	/* times as much is made as is written */
#define LONG_QUEUE			0.001	/* of NOTIFY: some 8 MB */
#define WHO_MATTERS			0.2 /* of the commits, or of the flushes */
#define ONE_CLIENT			0.95	/* of the commits */
#define MANY_KINDS			1000	/* largest to smallest WAL of a client;
									 * page images alone may make it 100 */

/* commit_delay that a sweep is proposed with, us. */
#define MIN_SWEEP_DELAY		10
#define SWEEP_DEFAULT_START	100.0	/* without F0 */
#define SWEEP_DISTANCE		1.25	/* closer ones are not told apart */

/* 0, the present and the predicted delay, these steps, and that of a rule */
#define SWEEP_STEPS			5
#define SWEEP_MAX_DELAYS	(SWEEP_STEPS + 4)
#define SWEEP_MAX_SIBLINGS	3
#define SWEEP_SECONDS		30	/* its defaults */
#define SWEEP_SLOT			250 /* ms */
#define SWEEP_MAX_SLOT		10000	/* what it takes at most, ms */
#define SWEEP_LEARNING		12	/* s more, of the adaptive delay */

/* A sweep's bound for the p99 of commits, us */
#define SWEEP_P99			2	/* times the present one: slots differ */
#define MIN_SWEEP_P99		1000
#define MAX_SWEEP_P99		1e9

typedef struct Cause
{
	double		share;
	const char *sentence;		/* printed after the share */
	const char *remedy;			/* or NULL */
} Cause;

typedef struct Causes
{
	int			n;
	Cause		cause[MAX_CAUSES + 1];
} Causes;

/*---- Evidence that several rows use ------------------------------*/

double
causes_flush_share(const CommitFigures *f)
{
	return f->phase[PHASE_FLUSH] + f->phase[PHASE_OTHER_FLUSH];
}

/* F0, of the newest flushes if it can be */
static double
flush_now(const CommitFigures *f)
{
	return f->flush_newest > 0 ? f->flush_newest : f->flush_time;
}

/* ... or at most, where none was timed; one that hung is not in the median */
static double
flush_at_most(const CommitFigures *f)
{
	return f->flush_time > 0 ? flush_now(f) :
		Min(f->flush_time_max, f->commit_p50) * (1 - f->phase[PHASE_STANDBY]);
}

/* On average two sessions wait, more than a quarter of those in COMMIT. */
static bool
enough_wait(const CommitFigures *f, double waits)
{
	return waits >= 2 * Max(f->seen.n, 1) && 4 * waits > f->seen.in_commit;
}

/* As many sessions wait for rows that committing ones hold as are in COMMIT. */
static bool
rows_matter_most(const CommitFigures *f)
{
	return f->seen.in_commit >= ENOUGH_LOOKS &&
		f->seen.blocked_rows >= f->seen.in_commit;
}

/* ... or fewer, beside others in COMMIT */
static bool
has_hot_row(const CommitFigures *f)
{
	return rows_matter_most(f) ||
		(f->seen.in_commit >= ENOUGH_LOOKS && enough_wait(f, f->seen.blocked_rows));
}

/* Now, or as the period ended; the time of sessions has theirs, sums do not */
static bool
commits_hang(const CommitFigures *f)
{
	return most_hang_now(f) || f->hanging > 0;
}

/* ... for a flush */
static bool
flushes_hang(const CommitFigures *f)
{
	return commits_hang(f) && (f->hanging > 0 || f->now.phase == PHASE_FLUSH ||
							   f->now.phase == PHASE_OTHER_FLUSH);
}

/* Behind one that sleeps; and most sleeps carry nobody. */
static bool
hang_asleep(const CommitFigures *f)
{
	return f->now.phase == PHASE_DELAY && f->alone_hits >= MOSTLY_ALONE;
}

/* Most COMMITs that wait for a lock wait for another COMMIT. */
static bool
commits_queue(const CommitFigures *f)
{
	return f->seen.commit_queue >= Max(MOSTLY_QUEUED * f->seen.commit_locks, MIN_LOOKS);
}

/* Of commit time, that of commits which hold what others wait for */
static double
holders_share(const CommitFigures *f)
{
	return Min(ratio_or_zero(f->seen.row_holders, f->seen.in_commit), 1);
}

/* Commits come one after the other, each with its flush. */
static bool
come_one_by_one(const CommitFigures *f)
{
	return rows_matter_most(f) && f->seen.in_commit < 2 * f->seen.n &&
		!commits_hang(f);
}

/* ... most of all */
static bool
has_one_hot_row(const CommitFigures *f)
{
	return come_one_by_one(f) && holders_share(f) >= 0.5;
}

static double
bytes_share(const CommitFigures *f)
{
	double		share = fit_main_share(&f->fit);
	double		others = 0;

	if (share == 0)
		return f->stall[STALL_BYTES].share;
	/* the fit is of flushes that have ended */
	if (most_hang_now(f) && flushes_hang(f))
		share *= Max(1 - f->now.longest / 1e6 / f->phase_seconds, 0);
	/* the causes before STALL_CHECKPOINT are phases of their own */
	for (int cause = STALL_CHECKPOINT; cause < STALL_NCAUSES; cause++)
		if (cause != STALL_BYTES)
			others += f->stall[cause].share;
	return Max(share * causes_flush_share(f) - others, 0);
}

/* What stopped the server was a pause rather than a limit of the CPU. */
static bool
was_paused(const CommitFigures *f)
{
	double		pauses = f->stall[STALL_PAUSE].share;
	double		limited = f->stall[STALL_CPU_LIMIT].share;

	return pauses > limited || (pauses == limited && f->seen.paused > 0);
}

/* The share of these stalls' own phase; 0: they have none */
static double
phase_of_stalls(const CommitFigures *f, StallCause cause)
{
	return cause == STALL_SEGMENT ? f->phase[PHASE_SEGMENT] :
		cause == (was_paused(f) ? STALL_PAUSE : STALL_CPU_LIMIT) ?
		f->phase[PHASE_NOT_RUN] : 0;
}

static double
stall_share(const CommitFigures *f, StallCause cause)
{
	double		phase = phase_of_stalls(f, cause);

	return phase > 0 ? phase : cause == STALL_BYTES ? bytes_share(f) :
		f->stall[cause].share;
}

/* Of its requests, flushes had a smaller part than of its bytes. */
static bool
is_by_requests(const VolumeUse *use)
{
	return use->of_flushes * use->bytes < use->flushed * use->requests;
}

static const char *
use_of_volume(const VolumeUse *use)
{
	if (use->seconds == 0)
		return "";
	if (is_by_requests(use))
		return psprintf(": it had %s requests/s, of which flushes about %s",
						format_number(use->requests / use->seconds),
						format_number(use->of_flushes / use->seconds));
	return psprintf(": it read, wrote or discarded %s/s, of which flushes at most %s/s",
					format_bytes(use->bytes / use->seconds),
					format_bytes(use->flushed / use->seconds));
}

/* Stalls that fewer flushes may make fewer, or not */
static double
perhaps_fewer(const CommitFigures *f)
{
	return (f->flush_slowed > 0 || f->write_stalls ? 0 : f->stall[STALL_UNKNOWN].share) +
		(is_by_requests(&f->volume) ? f->stall[STALL_OTHERS].share : 0);
}

/* Bytes/s */
static double
written_rate(const CommitFigures *f)
{
	return Max(f->wal_rate, f->flush_wal * f->flush_rate);
}

static bool
writer_seen(const CommitFigures *f)
{
	return f->running_writer != NULL ||
		10 * f->seen.activity[ACTIVITY_WRITER] > f->seen.n;
}

/*
 * archive_timeout ends segments early.  The rest of each is WAL, too, and here
 * it is more than what transactions write.  Of a period, who writes has no
 * name, and its WAL counts when it ends.
 */
static bool
fills_segments(const CommitFigures *f)
{
	return !writer_seen(f) && ratio_or_zero(f->segment_size, f->archive_timeout) > written_rate(f);
}

/* Flushes that neither stalled nor had many bytes */
static double
steady_share(const CommitFigures *f)
{
	double		rest = causes_flush_share(f);

	for (int cause = 0; cause < STALL_NCAUSES; cause++)
		if (phase_of_stalls(f, cause) == 0 && !stall_is_not_run(f->phase, cause))
			rest -= stall_share(f, cause);
	return rest;
}

/* ... in which the process that flushes could run, and did not, or computed */
static double
processor_share(const CommitFigures *f)
{
	return !f->seen_enough ? 0 :
		Max(Min(f->seen.cpu_waits / f->seen.in_commit, steady_share(f)), 0);
}

/* ... in which it was in no commit; that one hangs is not due to who it is */
static double
outside_share(const CommitFigures *f)
{
	return !f->seen_enough ||
		(flushes_hang(f) && f->running_writer == NULL && !fills_segments(f)) ? 0 :
		Max(Min(f->seen.outside_waits / f->seen.in_commit,
				steady_share(f) - processor_share(f)), 0);
}

static double
rest_of_flushes(const CommitFigures *f)
{
	return steady_share(f) - processor_share(f) - outside_share(f);
}

/* ... of commits that come one by one */
static double
one_by_one_share(const CommitFigures *f)
{
	return come_one_by_one(f) ? Min(rest_of_flushes(f), holders_share(f)) : 0;
}

/* Sessions that have an id and wait for their client, on average */
static double
idle_sessions(const CommitFigures *f)
{
	return ratio_or_zero(f->seen.idle_xids, f->seen.n);
}

/* Part of the transactions that ended now, or NaN */
static double
part_seen(const CommitFigures *f)
{
	return f->period != NULL || !f->seen_enough || f->seen.ended == 0 ? NAN :
		Min(f->seen.seconds * f->seen.in_commit / (f->seen.n * f->seen.ended), 1);
}

/*
 * Sessions wait for locks, which is what matters: more than twice what commits
 * explain.  Not so beside many in COMMIT whose transactions do little else: a
 * transaction that waited for a lock has that time, too.
 */
static bool
statements_wait(const CommitFigures *f)
{
	double		share = isnan(part_seen(f)) ? f->of_transactions : part_seen(f);

	return enough_wait(f, f->seen.lock_waits) &&
		f->seen.lock_waits > 2 * (f->seen.in_commit + f->seen.blocked_rows) &&
		(share < 0.5 || 4 * f->seen.in_commit < f->seen.lock_waits);
}

/* More sessions wait for WAL in statements than are in COMMIT. */
static bool
statements_wait_for_wal(const CommitFigures *f)
{
	return f->seen.wal_waits > Max(f->seen.n, f->seen.in_commit);
}

/* The share of a phase; 0 if it is short in slow commits, too */
static double
long_phase(const CommitFigures *f, CommitPhase phase)
{
	double		mean = f->phase[phase] * f->phase_mean;
	double		slow = f->slow_phase[phase] * f->slow_mean;

	return mean > 0 && Max(mean, slow) < SHORT_PHASE &&
		f->phase[phase] < SHORT_PHASE_SHARE ? 0 : f->phase[phase];
}

/* Much of commit time is before or after that which clients count. */
static bool
works_outside(const CommitFigures *f)
{
	return long_phase(f, PHASE_BEFORE) + long_phase(f, PHASE_AFTER) >=
		HARDLY_OUTSIDE;
}

static const char *
commit_takes(const CommitFigures *f)
{
	return f->prepares > 0 ? "COMMIT and PREPARE take" : "COMMIT takes";
}

/* ... else, with what is before and after it, if their rest takes as ever */
static double
part_now(const CommitFigures *f)
{
	double		rest = (1 - f->of_transactions) * f->transaction_mean -
	f->phase[PHASE_BEFORE] * f->phase_mean;

	return !isnan(part_seen(f)) ? part_seen(f) :
		f->phase_mean / (f->phase_mean + Max(rest, 0));
}

/*
 * COMMIT is a small part of the transactions of each client that matters.  Not
 * so where they wait for rows until another one has committed, or where some
 * commits take longer than a transaction, or have not ended.
 */
static bool
commit_hardly_matters(const CommitFigures *f)
{
	double		waited = f->commits + f->prepares;
	double		all = waited + f->commits_async;

	return f->period == NULL && /* not known of each client of a period */
		f->commits >= CAUSES_MIN_COMMITS && f->of_transactions > 0 &&
		!most_hang_now(f) && !(f->seen_enough && part_now(f) >= HARDLY_COMMIT) &&
		Max(f->of_transactions, f->busiest_of_transactions) < HARDLY_COMMIT &&
		!works_outside(f) && !has_hot_row(f) &&
		(100 * f->slow_commits <= f->commits ||
		 f->slow_mean * all < f->transaction_mean * waited);
}

/* Transactions without a flush of their own; few others waited for one. */
static bool
hardly_any_waits(const CommitFigures *f)
{
	return f->commits < CAUSES_MIN_COMMITS &&
		f->commits_unlogged + f->commits_read_only >=
		100 * Max(f->commits, CAUSES_MIN_COMMITS / 100);
}

/* What part of transactions is COMMIT */
static void
put_commit_share(StringInfo text, const CommitFigures *f)
{
	const char *busiest = f->busiest == NULL ||
	(f->top_share > ONE_CLIENT && f->longest == NULL) ? "" :
	psprintf(" Of client %s: %s and %s.", f->busiest,
			 format_percent(f->busiest_of_transactions),
			 format_percent(f->busiest_of_sessions));
	const char *idle = idle_sessions(f) < 0.5 ? "" :
	psprintf(" On average %s sessions wait for their client in a transaction (idle, or in COPY); a delay counts them as siblings, and sleeps for nothing.",
			 format_number(idle_sessions(f)));

	bool		outside = works_outside(f);

	/* a small part has become more, or a part half or twice of it */
	bool		has_changed = !outside && f->seen_enough && f->period == NULL &&
	!isnan(f->phase_mean) &&
	(f->of_transactions < HARDLY_COMMIT ? part_now(f) >= HARDLY_COMMIT :
	 part_now(f) < f->of_transactions / 2 || part_now(f) > 2 * f->of_transactions);

	/*
	 * A hot row makes statements wait for the commit of another session.
	 * Transactions that wait for other locks are in no sum until they end.
	 */
	if (f->of_transactions <= 0 || (statements_wait(f) && f->of_transactions >= HARDLY_COMMIT) ||
		(outside && isnan(f->phase_mean)) || rows_matter_most(f) ||
		commits_hang(f) || hardly_any_waits(f))
		return;
	put_sentence(text, f, "%s %s of the time of transactions that write%s.%s%s%s",
				 commit_takes(f), outside ?
				 psprintf("about %s", format_percent(part_now(f))) :
				 format_percent(f->of_transactions),
				 outside ? ", 'before' and 'after' included" : f->of_sessions == 0 ? "" :
				 psprintf(", and %s of the time that their sessions are connected",
						  format_percent(f->of_sessions)), outside ? "" : busiest,
				 !has_changed ? "" :
				 psprintf(" That is since the reset; %s %sa commit takes %s.",
						  f->seen_age > 0 ? "in the last of it" : "now", isnan(part_seen(f)) ? "" :
						  psprintf("it takes %s, and ", format_percent(part_seen(f))),
						  format_us(f->phase_mean)),
				 !commit_hardly_matters(f) || statements_wait_for_wal(f) ? "" :
				 psprintf(" No setting of commits helps.%s", idle));
}

/* What waited then no longer does. */
static bool
is_over(const CommitFigures *f)
{
	return f->period != NULL || f->seen_age > 0;
}

/* Is it the commit at all? */
void
causes_put_weight(StringInfo text, const CommitFigures *f)
{
	bool		prepared = 2 * f->seen.prepared_waits > f->seen.lock_waits;
	const char *holders = prepared ?
	"prepared transactions hold most: pg_prepared_xacts" : is_over(f) ?
	psprintf("with log_lock_waits, the server's log names them%s", idle_sessions(f) < IDLE_MATTER ? "" :
			 psprintf("; holders may be idle in a transaction that wrote: %s sessions are, on average",
					  format_number(idle_sessions(f)))) :
	"pg_blocking_pids() has the holders";

	/* larger ones do not make the volume faster */
	const char *buffers = f->wal_buffers >= LARGE_WAL_BUFFERS ?
	"Less WAL, or a faster volume for it" :
	psprintf("Larger wal_buffers (now %.0fkB; a restart)", f->wal_buffers / 1024);

	/* a cause has those that wait for one hot row */
	bool		one_row = one_by_one_share(f) >= 0.5;

	if (statements_wait(f) || (enough_wait(f, f->seen.lock_waits) && !one_row))
		put_sentence(text, f, "%s the commit: on average %s sessions wait for locks in their statements, or as a procedure commits (%s), %s are in COMMIT.",
					 prepared && most_hang_now(f) ? "It may be" :
					 statements_wait(f) ? "It is not" : "Apart from",
					 format_number(f->seen.lock_waits / f->seen.n), holders,
					 format_number(f->seen.in_commit / f->seen.n));
	if (has_hot_row(f) && !one_row)
		put_sentence(text, f, "On average %s sessions wait for a row or lock that one in COMMIT holds, and so for what that waits for.%s",
					 format_number(ratio_or_zero(f->seen.blocked_rows, f->seen.n)),
					 one_by_one_share(f) >= MIN_CAUSE ? "" :
					 " Fewer updates of that row, or uses of that lock, each last in its transaction, make this less.");
	if (statements_wait_for_wal(f))
		put_sentence(text, f, "On average %s sessions wait in their statements until WAL is written, more than are in COMMIT. %s, if pg_stat_wal.wal_buffers_full grows; else larger shared_buffers (a restart), unless it is COPY or VACUUM.",
					 format_number(f->seen.wal_waits / f->seen.n), buffers);
	put_commit_share(text, f);
}

/*---- Words, "" if their figure is not known ---------------------*/

/* " (12 stalls, mean 650 ms, 60.0% certain)"; when one hung, if it stands out */
static const char *
count_stalls(const CommitFigures *f, StallCause cause)
{
	const StallSum *stall = &f->stall[cause];
	bool		one = stall->n == 1 || stall->longest > 1.5 * stall->length;

	return stall->n == 0 ? "" :
		psprintf(" (%d stall%s, mean %s%s%s)", stall->n, stall->n == 1 ? "" : "s",
				 format_us(stall->length), !one || stall->longest < WAITS_NOW_LONG ? "" :
				 psprintf(", %suntil %s", stall->n == 1 ? "" :
						  psprintf("the longest %s, ", format_us(stall->longest)), stall->longest_until),
				 stall->certainty > 0 &&
				 stall->certainty < HARDLY_CERTAIN ?
				 psprintf(", %s certain", format_percent(stall->certainty)) : "");
}

/* Most of the time with the lock of NOTIFY */
static bool
writes_messages(const CommitFigures *f)
{
	return 2 * f->notify.write_time > f->notify.hold_time;
}

/* "flushes take 40 ms now, and took 4 ms", if they do */
static const char *
slower_flushes(const CommitFigures *f, const char *before)
{
	return f->flush_slower == 0 ? "" :
		psprintf("%sflushes take %s now, and took %s (median of all)", before,
				 format_us(f->flush_slower), format_us(f->flush_p50));
}

/*
 * Since the reset.  Or of late: in most commits, if their flushes alone are
 * longer; in nearly all, if all that follows the wait for the lock is shorter,
 * or has a sleep.
 */
static const char *
bound_of_notify(const CommitFigures *f)
{
	double		hold = ratio_or_zero(f->notify.hold_time / 1e3,
									 f->notify.commits);
	double		flush = ratio_or_zero(f->notify.flush_time / 1e3,
									  f->notify.commits);
	double		sleep = f->phase_mean * f->phase[PHASE_DELAY];	/* may be NaN */
	double		least = f->phase_mean * (f->phase[PHASE_FLUSH] + f->phase[PHASE_STANDBY]);
	double		most = f->phase_mean * (1 - f->phase[PHASE_BEFORE] - f->phase[PHASE_NOTIFY]);
	bool		longer = 2 * f->commits_notify >= f->commits && least > OTHER_HOLD * hold;
	bool		nearly_all = f->commits_notify >= ONE_CLIENT * (f->commits + f->commits_async);
	bool		shorter = nearly_all && least > 0 && OTHER_HOLD * most < hold;
	bool		asleep = nearly_all && sleep >= MIN_CAUSE * most && sleep <= most;

	/* not known of transactions of nothing but NOTIFY */
	if (hold == 0 || 2 * f->commits_notify < f->notify.commits)
		return "";
	/* untimed, its end is often known as that of the wait for a standby */
	if (f->flush_time == 0 && f->seen_enough && f->phase[PHASE_STANDBY] >= MIN_CAUSE)
		flush = Min(f->phase_mean * causes_flush_share(f), flush);
	if (f->seen_enough && !writes_messages(f) && (longer || shorter || asleep))
	{
		hold = longer && !asleep ? least : most;
		flush = f->phase_mean * f->phase[PHASE_FLUSH];
	}
	return psprintf(", %s each, %s: at most %s such commits/s", format_us(hold),
					writes_messages(f) ? "mostly to write its messages" :
					psprintf("of which %s%s for its flush%s",
							 asleep ? psprintf("%s asleep, ", format_us(sleep)) : "",
							 format_us(flush),
							 f->phase[PHASE_STANDBY] > f->phase[PHASE_FLUSH] ?
							 ", and more the wait for its standby" : ""),
					format_number(1e6 / hold));
}

/* Who listens reads it between its transactions. */
static const char *
reader_of_notify(const CommitFigures *f)
{
	return f->listeners == 0 && f->newest_age <= RECENT_FLUSH ?
		" No session listens to these messages." :
		f->queue < LONG_QUEUE ? "" :
		psprintf(" Its queue is %s full: a session that listens has not read it yet.",
				 format_percent(f->queue));
}

static const char *
blame_standby(const CommitFigures *f)
{
	const char *it;

	/* the list of now has the names that count; a period had its own */
	bool		dropped = f->standby_dropped && f->period == NULL;

	if (f->standby_unset)
		return ": synchronous_standby_names is empty, but the checkpointer has not read that yet";
	if (f->standby_answers)
		return ": those that commits need have their WAL, and commits go on when one of those answers";
	if (f->standby == NULL)
		return ": which one is not known";
	it = dropped ? ": one that synchronous_standby_names no longer has" :
		psprintf(" '%s': %s", f->standby, strcmp(f->standby, "*") == 0 ? "too few are connected" :
				 standby_stage_names[f->standby_stage]);
	if (f->standby_since != NULL)
		return psprintf("%s (%s of its waits%s since %s)", it,
						format_percent(f->standby_share),
						f->hanging > 0 ? "" : " while connected", f->standby_since);
	return psprintf("%s%s%s", it,
					dropped || f->standby_behind < BULK_WAL ? "" :
					psprintf(", %s behind", format_bytes(f->standby_behind)),
					f->standby_share > 0.95 ? "" :
					psprintf(" (%s%s of these waits%s)",
							 f->standby_at_least ? "at least " : "",
							 format_percent(f->standby_share),
							 f->standby_next == NULL ? "" :
							 psprintf("; another %s %s", format_percent(f->standby_next_share),
									  f->standby_next)));
}

static const char *
rate_of_bytes(const CommitFigures *f)
{
	if (f->fit.window > 0)
		return psprintf(": %s/s, which a limiter lets through in windows of %s%s",
						format_bytes(1e6 * f->fit.rate),
						format_us(f->fit.window), count_stalls(f, STALL_BYTES));
	return f->fit.rate <= 0 ? "" :
		psprintf(": %s/s, %s in a mean flush; without bytes it would take %s",
				 format_bytes(1e6 * f->fit.rate),
				 format_bytes(f->flush_wal), format_us(f->fit.base));
}

/* What a quota lets through */
static const char *
allowed(const CommitFigures *f)
{
	return f->quota_flushes == 0 ? "a number of flushes in a time" :
		psprintf("%s flushes%s in %s%s", format_number(f->quota_flushes),
				 f->quota_bytes == 0 ? "" :
				 psprintf(" or %s of WAL", format_bytes(f->quota_bytes)),
				 format_us(f->quota_window),
				 f->quota_bytes == 0 ? "" : "; which of both, these stalls do not show");
}

/* If the rate of bytes is why flushes and segments take their time */
static const char *
time_of_segment(const CommitFigures *f)
{
	double		time = fit_main_share(&f->fit) == 0 && f->fit.window == 0 ? 0 :
	ratio_or_zero(f->segment_size, f->fit.rate);
	double		length = f->stall[STALL_SEGMENT].length;

	return !f->wal_init_zero || time == 0 || time < length / 2 || time > 2 * length ? "" :
		psprintf(": %s of zeros take %s at %s/s", format_bytes(f->segment_size),
				 format_us(time), format_bytes(1e6 * f->fit.rate));
}

/* WAL of the commits in the time of the causes, if they write as usual */
static double
wal_of_commits(const CommitFigures *f)
{
	return ratio_or_zero(f->wal_rate * f->seconds, f->commits + f->prepares) *
		f->phase_commits;
}

/* Something else than WAL ended nearly all segments that were made. */
static bool
switches_segments(const CommitFigures *f)
{
	return !writer_seen(f) && wal_of_commits(f) > 0 &&
		(f->stall[STALL_SEGMENT].n - 1) * f->segment_size > MANY_SWITCHES * wal_of_commits(f);
}

/*---- Remedies by settings: what was done is not said again -------*/

static bool
archives_always(const CommitFigures *f)
{
	return f->seen.n > 0 &&
		f->seen.activity[ACTIVITY_ARCHIVER] >= MOSTLY_ARCHIVING * f->seen.n;
}

#define ASKS_FOR_CHECKPOINT "CHECKPOINT, DROP DATABASE, CREATE DATABASE with FILE_COPY, a backup with --checkpoint=fast or start-fast"

static int
max_wal_size_then(const CommitFigures *f)
{
	return f->period != NULL ? f->period->max_wal_size : f->conf.max_wal_size;
}

/* Checkpoints come sooner than half of checkpoint_timeout. */
static bool
checkpoints_are_early(const CommitFigures *f)
{
	int			timeout = f->period != NULL ? f->period->checkpoint_timeout : f->conf.checkpoint_timeout;

	return f->checkpoint_distance > 0 && 2 * f->checkpoint_distance < timeout;
}

/* ... and max_wal_size is why */
static bool
wal_begins_checkpoints(const CommitFigures *f)
{
	return checkpoints_are_early(f) &&
		4 * f->checkpoint_wal >= max_wal_size_then(f) * 1048576.0;
}

/* Of early ones; or NULL */
static const char *
remedy_for_early_checkpoints(const CommitFigures *f)
{
	int			then = max_wal_size_then(f);

	return !checkpoints_are_early(f) ? NULL :
		psprintf("%s: checkpoints begin every %s%s", wal_begins_checkpoints(f) ?
				 psprintf("larger max_wal_size (%snow %dMB; pg_wal needs the room)",
						  then == f->conf.max_wal_size ? "" : psprintf("then %dMB, ", then),
						  f->conf.max_wal_size) :
				 "fewer commands that ask for a checkpoint (" ASKS_FOR_CHECKPOINT ")",
				 format_duration(f->checkpoint_distance),
				 f->full_pages ? ", and pages go to the WAL whole after each" : "");
}

/*
 * min_wal_size keeps the files that max_wal_size may need.  Where the MB/s of
 * the volume are used up, that spares only the zeros.
 */
static const char *
remedy_for_segments(const CommitFigures *f)
{
	const char *bytes = time_of_segment(f)[0] == '\0' ? "" :
	"less WAL, or a volume with more MB/s; against the zeros, ";

	if (!f->wal_recycle)
		return psprintf("wal_recycle = on (now off), unless the file system copies on write (ZFS, btrfs)%s",
						f->wal_init_zero ? ": there, wal_init_zero = off" : "");
	if (f->slot != NULL)
		return psprintf("let the reader of the replication slot %s catch up (a logical slot: or the oldest transaction end), or drop the slot if nobody needs it: segments are kept for it",
						f->slot);
	if (f->archive_fails != NULL)
		return psprintf("an %s that succeeds (it %s): segments are kept until they are archived",
						f->archiver, f->archive_fails);
	if (archives_always(f))
		return psprintf("an %s that ends sooner: segments are kept until they are archived",
						f->archiver);
	if (f->checkpoint_lasts > f->conf.checkpoint_timeout)
		return psprintf("a checkpoint that ends: the one under way has lasted %s, and segments are kept until then (pg_stat_activity has what the checkpointer waits for; its volume)",
						format_duration(f->checkpoint_lasts));
	if (f->keep_size_grows)
		return f->wal_keep_size == 0 ? "none: wal_keep_size, to which pg_wal grew, is 0 now" :
			psprintf("to wait until pg_wal has wal_keep_size (now %dMB); or a smaller one, unless a standby without a replication slot may need that WAL",
					 f->wal_keep_size);
	if (fills_segments(f))
		return psprintf("larger archive_timeout (now %d s), if the archive may lack as much: each switch takes another segment",
						f->archive_timeout);
	if (switches_segments(f))
		return psprintf("fewer calls of pg_switch_wal(), as of a job or a backup: meanwhile, commits wrote about %s, and these segments have %s each",
						format_bytes(wal_of_commits(f)), format_bytes(f->segment_size));
	if (wal_begins_checkpoints(f))
		return psprintf("%s%s%s", bytes, f->min_wal_size >= f->conf.max_wal_size ? "" :
						"min_wal_size as large as max_wal_size, which keeps what pg_wal has once had, and ",
						remedy_for_early_checkpoints(f));
	if (f->min_wal_size < f->conf.max_wal_size)
		return psprintf("%smin_wal_size = '%dMB' (now %dMB; pg_wal needs the room): keeps what pg_wal has once had; while it grows to that, each segment is made anew",
						bytes, f->conf.max_wal_size, f->min_wal_size);
	return f->wal_init_zero ?
		psprintf("%sif pg_wal has less than min_wal_size (now %dMB), to wait until it has that; else wal_init_zero = off, if the file system copies on write",
				 bytes, f->min_wal_size) : NULL;
}

/*
 * Of early ones, or those that checkpoint_timeout begins; only writes are
 * spread.  Until their WAL is known, that of transactions tells whether it is
 * little.
 */
static const char *
remedy_for_checkpoints(const CommitFigures *f)
{
	double		wal = f->checkpoint_wal > 0 ? f->checkpoint_wal :
	f->conf.checkpoint_timeout * written_rate(f);
	bool		in_sync = f->now.beside_sync ||
	(f->checkpoint_phase != NULL && strcmp(f->checkpoint_phase, "sync") == 0);
	const char *early = remedy_for_early_checkpoints(f);

	if (early != NULL)
		return early;
	if (f->checkpoint_lasts > f->conf.checkpoint_timeout)
		return psprintf("a volume that writes more%s: the checkpoint under way has lasted %s (checkpoint_timeout: %d s)",
						f->conf.wal_apart ? "" : ", or a disk of its own for the WAL",
						format_duration(f->checkpoint_lasts),
						f->conf.checkpoint_timeout);
	if (f->checkpoint_asked)
		return "no command then that asks for a checkpoint (" ASKS_FOR_CHECKPOINT "): the last one came early";
	if (f->completion_target < 0.9 && !in_sync)
		return psprintf("checkpoint_completion_target = 0.9 (now %g)",
						f->completion_target);
	return psprintf("larger %scheckpoint_timeout (now %d s)%s",
					4 * wal < f->conf.max_wal_size * 1048576.0 ? "" :
					psprintf("max_wal_size (now %dMB; pg_wal needs the room), ", f->conf.max_wal_size),
					f->conf.checkpoint_timeout, f->period == NULL ||
					f->checkpoint_distance >= 0.9 * f->period->checkpoint_timeout ? "" :
					"; but if the server's log says \"force\" of a checkpoint, none of the commands then that ask for one (" ASKS_FOR_CHECKPOINT ")");
}

/* The client with most WAL; of a period, that of its larger transactions */
static const char *
name_heaviest(const CommitFigures *f)
{
	return psprintf("%s%s of the WAL is of client %s",
					f->period != NULL ? "" : "since the reset, ",
					format_percent(f->heaviest_share), f->heaviest);
}

/*
 * wal_compression, and fewer checkpoints, are of use to full-page images.  The
 * WAL of a transaction counts when it ends.
 */
static const char *
remedy_for_bytes(const CommitFigures *f)
{
	const char *whole = remedy_for_early_checkpoints(f);
	const char *compression = f->wal_compression ? "" : "wal_compression = on, ";
	const char *less = psprintf("less WAL%s, or a faster volume",
								f->running_writer != NULL ?
								psprintf(" of %s, which was seen writing", f->running_writer) :
								f->heaviest == NULL ? "" :
								psprintf(" (%s)", name_heaviest(f)));

	if (f->images < MOSTLY_IMAGES)
		return less;
	if (!f->full_pages)			/* as of a new index */
		return f->wal_compression ? less : psprintf("wal_compression = on, or %s", less);
	if (whole != NULL && f->running_writer == NULL)
		return whole;
	if (whole == NULL)
		whole = psprintf("larger checkpoint_timeout (now %d s): pages go to the WAL whole after each checkpoint",
						 f->conf.checkpoint_timeout);
	return f->running_writer == NULL ?
		psprintf("%s%s; or %s", compression, whole, less) :
		psprintf("%s%s; or, unless this client builds an index, %s", compression, less, whole);
}

/* All waits for standbys, in us; samples have them where no mean is known */
static double
standby_waits(const CommitFigures *f)
{
	return isnan(f->phase_mean) ?
		ratio_or_zero(f->seen.seconds * 1e6 * f->seen.phase[PHASE_STANDBY], f->seen.n) :
		f->phase[PHASE_STANDBY] * f->phase_mean * f->phase_commits;
}

/*
 * A standby that hangs for seconds makes the mean that of no commit.  The
 * usual wait is without slow commits, if these are few; in a period, and in
 * sums since the reset, at most the median.
 */
static double
usual_standby_wait(const CommitFigures *f)
{
	double		n = (double) f->phase_commits - f->phase_unwaited;
	double		time = standby_waits(f);
	double		mean = ratio_or_zero(time, n);

	if (f->period == NULL && f->seen_enough && 2 * f->slow_recent > n)
		return mean;
	/* what samples saw of slow commits may be less than these had */
	if (f->period == NULL && f->seen_enough && time > f->slow_standby)
		return ratio_or_zero(time - f->slow_standby, n - f->slow_recent);
	return f->commit_p50 > 0 ? Min(mean, f->commit_p50) : mean;
}

/* Few commits have much of its time, or no ping has. */
static bool
did_not_answer(const CommitFigures *f, bool logical)
{
	double		n = (double) f->phase_commits - f->phase_unwaited;

	return usual_standby_wait(f) >= NO_PING ||
		(!logical && ratio_or_zero(standby_waits(f), f->phase_commits) > 2 * usual_standby_wait(f)) ||
		(!logical && 2 * f->slow_recent < n &&
		 2 * f->slow_at_stage[f->standby_stage] > f->standby_share * standby_waits(f));
}

/*
 * Most commits that do not wait for its lock wait for a standby, and hang, or
 * have hung: without that, few would wait for the lock.
 */
static bool
notify_hangs(const CommitFigures *f)
{
	return 2 * f->phase[PHASE_STANDBY] > 1 - f->phase[PHASE_NOTIFY] &&
		(f->hanging > 0 || (most_hang_now(f) && f->now.phase == PHASE_STANDBY) ||
		 did_not_answer(f, f->standby_logical));
}

/* Commits wait for NOTIFY: most of those that were counted, and now. */
static bool
notify_waits(const CommitFigures *f)
{
	return f->commits_notify > 0 && !notify_hangs(f) &&
		2 * f->commits_notify >= f->commits + f->commits_async &&
		(!f->seen_enough || MIN_CAUSE <= f->phase[PHASE_NOTIFY] +
		 (writes_messages(f) ? f->phase[PHASE_RECORD] : 0));
}

/* Apart from the WAL of large transactions */
static const char *
remedy_at_stage(const CommitFigures *f)
{
#define WALRECEIVER "a walreceiver that does not answer (a pg_receivewal needs --slot and --synchronous)"
	static const char *const remedies[] = {
		[STANDBY_NOT_CONNECTED] = "start it (if it runs, its log says why it is not connected), or correct its name in synchronous_standby_names, or take it out there and lower the number (reload; commits then go on, perhaps on the primary alone)",
		[STANDBY_NOT_SENT] = "its network, a walreceiver that does not answer, or the primary's processors; while it catches up (pg_stat_replication), no commit goes on",
		[STANDBY_NOT_WRITTEN] = "its network, processors or disk (it writes, and makes segments), or " WALRECEIVER,
		[STANDBY_NOT_FLUSHED] = "its disk or processors, or " WALRECEIVER "; or synchronous_commit = remote_write (still waits while the walreceiver flushes; if both systems crash, it loses commits)",
		[STANDBY_NOT_APPLIED] = "queries that conflict with its replay, or a replay that is paused (pg_wal_replay_resume()), delayed (recovery_min_apply_delay) or slow (its processor, its disk); or synchronous_commit = on (a pg_receivewal applies nothing)",
		[STANDBY_NSTAGES] = "start another one, or lower the number in synchronous_standby_names (if it is 1, empty the list; reload; commits then go on, perhaps on the primary alone)"
	};
	bool		logical = f->standby_logical && f->standby_stage != STANDBY_NOT_CONNECTED;
	const char *itself = logical ?
	"what its subscription waits for as it applies one transaction after the other: locks, triggers or missing indexes there" :
	"its walreceiver, which first flushes to its disk what came before, lacks a processor, or does not answer";
	bool		any = f->standby != NULL && strcmp(f->standby, "*") == 0;
	const char *general = logical ? itself : remedies[any ? STANDBY_NSTAGES : f->standby_stage];
	bool		hang = commits_hang(f) ||
	(f->standby != NULL && f->now.blame.stage == f->standby_stage &&
	 strcmp(f->now.blame.name, f->standby) == 0);

	if (f->standby_unset)
		return "none: commits go on when its checkpoint has ended; pg_cancel_backend() lets a single one go on";
	if (f->standby_answers)
		return "none until the next flush, or for wal_receiver_status_interval of the standbys; then " WALRECEIVER;
	if (f->standby == NULL)
		return f->standby_list == NULL ? "commit_standby_stats" :
			psprintf("none known: a restart, a reset, or another synchronous_standby_names (now '%s'), empties commit_standby_stats; the logs of both servers",
					 f->standby_list);
	if (strcmp(f->standby, "pg_basebackup") == 0)
		return "names of standbys in synchronous_standby_names, in place of '*': a backup confirms whole WAL files only";
	if (logical && f->standby_slots != NULL)
		return psprintf("the standbys of synchronized_standby_slots ('%s'), to which its walsender lets changes go first: start them, or take them out",
						f->standby_slots);
	if (logical && f->standby_stage == STANDBY_NOT_SENT)
		return psprintf("its walsender here, unless that waits for WalSenderWriteData: it decodes, on one processor (larger logical_decoding_work_mem, less DDL in a transaction); else %s",
						itself);
	if (hang && !logical && f->standby_stage >= STANDBY_NOT_FLUSHED)
		return psprintf("%s; commits that hang keep their level: they wait for the standby, or until it is out of synchronous_standby_names",
						general);
	if (hang)
		return general;
	if (f->standby_stage == STANDBY_NOT_CONNECTED)
		return psprintf("if %s, %s; else the logs of both servers say why it was",
						any ? "too few still are" : "it is still away", general);
	if (did_not_answer(f, logical))
		return general;
	/* a subscription has written and flushed what it has applied */
	if (logical || f->standby_stage == STANDBY_NOT_WRITTEN)
		return psprintf("%sits network, if a ping takes as long (%s a commit)%s; else %s",
						logical && f->standby_stage == STANDBY_NOT_FLUSHED ?
						"ALTER SUBSCRIPTION ... SET (synchronous_commit = on): without it, its WAL writer flushes what it applies, up to wal_writer_delay later; else " : "",
						format_us(usual_standby_wait(f)),
						f->flush_wal == 0 ? "" :
						psprintf(" or it carries no more than %s/s",
								 format_bytes(f->flush_wal * f->flush_rate)),
						itself);
	return remedies[f->standby_stage];
}

static const char *
remedy_for_standby(const CommitFigures *f)
{
	const char *remedy = remedy_at_stage(f);

	if (f->standby_dropped)
		return f->period == NULL ? "none: no commit waits for it any more" :
			"none: synchronous_standby_names no longer has it";
	if (f->standby != NULL && f->standby_reader && f->standby_slots == NULL &&
		f->standby_stage != STANDBY_NOT_CONNECTED)
		remedy = psprintf("leave it out of synchronous_standby_names, if it is no subscription: other readers of a logical slot (Debezium, pg_recvlogical) confirm only now and then what they have; else %s",
						  remedy);
	if (f->standby_ahead != NULL)
		remedy = psprintf("%s; or, if any standbys will do, ANY in place of FIRST or '*': %s",
						  remedy, f->standby_ahead);
	if (f->standby_unlisted != NULL)
		remedy = psprintf("if it is %s, which is connected: application_name = %s in its primary_conninfo; else %s",
						  f->standby_unlisted, f->standby, remedy);
	/* its waits since the list was set may be those of another time */
	if (f->standby_since != NULL && f->standby_share < ONE_STAGE)
		remedy = psprintf("if it was at this stage in the period, too: %s", remedy);
	if (f->standby_former)
		remedy = psprintf("the one that synchronous_standby_names has before it, which is away or catches up; else %s",
						  remedy);
	if (f->standby_missing != NULL)
		remedy = f->standby_stage == STANDBY_NOT_CONNECTED ?
			psprintf("%s; '%s' is not connected either", remedy, f->standby_missing) :
			psprintf("start '%s', whose answer would do, too: it is in synchronous_standby_names, and not connected; else %s",
					 f->standby_missing, remedy);
	if (f->standby_before < BULK_WAL || (f->running_writer == NULL && f->heaviest == NULL))
		return remedy;
	return f->running_writer != NULL ?
		psprintf("less WAL at a time of %s, behind which commits wait; else %s",
				 f->running_writer, remedy) :
		psprintf("less WAL at a time, behind which commits wait (%s); else %s",
				 name_heaviest(f), remedy);
}

/*
 * For one that writes "wal" in each transaction, where plain flushes take the
 * time.  Under a quota the others use up what is saved; other stalls, bytes of
 * others, and commits one by one do not become fewer.
 */
static const char *
larger_transactions(const CommitFigures *f, double wal)
{
	return wal > 0 && wal < SMALL_COMMIT && f->stall[STALL_QUOTA].share == 0 &&
		(f->flush_wal < MANY_BYTES || 2 * wal * f->carried >= f->flush_wal * f->flushes) &&
		rest_of_flushes(f) >= 0.5 && !commit_hardly_matters(f) &&
		!has_hot_row(f) && !statements_wait(f) && f->phase[PHASE_NOTIFY] < MIN_CAUSE ?
		"larger transactions, if its work allows them" : NULL;
}

/* Close checkpoints, which may be what the volume does all the time, first */
static const char *
or_early_checkpoints(const CommitFigures *f, const char *remedy)
{
	const char *early = remedy_for_early_checkpoints(f);

	return early == NULL || f->conf.wal_apart ? remedy :
		psprintf("%s; or %s", early, remedy);
}

/* Of others that use the volume of the WAL */
static const char *
own_volume(const CommitFigures *f)
{
	return or_early_checkpoints(f, f->conf.wal_apart ?
								"less of that: readers of old WAL (a walsender or slot that is behind), an archive, another program (iotop)" :
								"a disk of its own for the WAL, or less of that: data files (also CREATE DATABASE with FILE_COPY, SET TABLESPACE), an archive, a backup, queries that read from the disk, another program (iotop)");
}

static bool may_be_delayed(const CommitFigures *f);

/* Of a volume that has become slower */
static const char quick_again[] = "its burst balance in the provider's graphs; the write cache of a disk of one's own (a battery that learns or failed, a RAID check); or who else uses it: iostat, iotop";

/* ... by a median that restarts keep */
static const char reset_usual[] = "; commit_stats_reset(), if fsync, wal_sync_method or the volume was changed";

/* Of such a volume, beside another cause */
static const char *
or_quick_again(const CommitFigures *f)
{
	return f->flush_slower == 0 ? "" :
		psprintf("; or, of the volume: %s%s", quick_again, reset_usual);
}

/* Remedies that several causes have */
static const char more_iops[] = "fewer flushes (a delay), or a volume with more IOPS";
static const char whether_it_pays[] = "under such a load, commit_remedies() predicts and commit_delay_sweep() measures whether it pays";
static const char faster_disk[] = "a faster disk, as one with a write cache that survives a loss of power, if this one always takes as long; or fewer commits";
static const char finish_prepared[] = "unless one is under way, COMMIT PREPARED or ROLLBACK PREPARED (pg_prepared_xacts has its name), whichever its transaction manager has decided; start that first, as it may end the transaction itself";
static const char one_order[] = "rows, keys and locks in one order in all transactions: these wait for each other until the server ends one (\"deadlock detected\" in its log)";
static const char faster_there[] = "what COMMIT takes there: its disk, locks, triggers or standby; for several servers, their option parallel_commit; or fewer transactions that write there; of the server's log: its disk, syslog";
static const char shorter_serializable[] = "shorter SERIALIZABLE transactions that read fewer rows, or READ ONLY DEFERRABLE for long ones";
static const char larger_skip_threshold[] = "larger wal_skip_threshold, below which their pages go to the WAL";

/* Of this client; NULL: its name is not known */
static const char *
smaller_transactions(const char *writer)
{
	return writer != NULL && strcmp(writer, "autovacuum") == 0 ?
		"larger autovacuum_vacuum_cost_delay, or smaller autovacuum_vacuum_cost_limit (a table may have its own)" :
		psprintf("smaller transactions%s, a VACUUM with cost delay, or another time for them",
				 writer == NULL ? "" : " of that client");
}

/*---- Causes ------------------------------------------------------*/

/* Causes stand in the order of their shares; those below MIN_CAUSE do not. */
static void
add_cause(Causes *found, double share, const char *sentence, const char *remedy)
{
	int			i = found->n;

	if (!(share >= MIN_CAUSE))
		return;
	for (; i > 0 && found->cause[i - 1].share < share; i--)
		found->cause[i] = found->cause[i - 1];
	found->cause[i].share = share;
	found->cause[i].sentence = sentence;
	found->cause[i].remedy = remedy;
	found->n = Min(found->n + 1, MAX_CAUSES);
}

/* Half of the samples in PHASE_RECORD, or more */
static bool
mostly_seen(const CommitFigures *f, double looks)
{
	return looks >= MIN_LOOKS && 2 * looks >= f->seen.phase[PHASE_RECORD];
}

/* Samples before the record and after the flush */
static double
samples_outside(const CommitFigures *f)
{
	const float *seen = f->seen.phase;

	return seen[PHASE_BEFORE] + seen[PHASE_RECORD] + seen[PHASE_LOG] +
		seen[PHASE_AFTER];
}

/* Half of these wait in an extension. */
static bool
waits_in_extension(const CommitFigures *f)
{
	return f->seen.extension_waits >= MIN_LOOKS &&
		2 * f->seen.extension_waits >= samples_outside(f);
}

/*
 * The part of a phase that waits for locks: all or nothing without samples, or
 * if one of both would be no cause
 */
static double
part_locked(const CommitFigures *f, CommitPhase phase)
{
	double		part = Min(f->lock[phase].share, 1);

	return f->seen_enough && f->seen.phase[phase] >= ENOUGH_LOOKS &&
		Min(part, 1 - part) * f->phase[phase] >= MIN_CAUSE ? part : part >= 0.5;
}

/* The part of these that waits for other processes, for no lock of an object */
static double
part_at_event(const CommitFigures *f)
{
	double		before = f->seen.phase[PHASE_BEFORE];
	double		record = f->seen.phase[PHASE_RECORD];
	double		locked = part_locked(f, PHASE_BEFORE) * before +
	part_locked(f, PHASE_RECORD) * record;

	return (locked > 0 && 2 * locked >= before + record) ||
		f->wait_event == NULL || f->seen.event_waits < MIN_LOOKS ? 0 :
		Min(f->seen.event_waits / samples_outside(f), 1);
}

static const char *
remedy_for_event(const char *event)
{
	/* by a part of its name; the last one is of all others */
	static const char *const remedies[][2] = {
		{"pg_stat_statements", "larger pg_stat_statements.max (a restart), or pg_stat_statements.track_utility = off"},
		{"Serial", shorter_serializable},
		{"Predicate", shorter_serializable},
		{"CommitTs", "larger commit_timestamp_buffers (from 17 on; a restart); or, if nothing reads commit timestamps (conflicts of subscriptions, pg_xact_commit_timestamp()), track_commit_timestamp = off (a restart), which discards them"},
		{"Notify", "fewer messages of NOTIFY, or fewer sessions that listen"},
		{"TwoPhase", "prepared transactions that end sooner: a checkpoint syncs a file for each, and PREPARE waits meanwhile; or fewer at a time"},
		{"LockManager", "fewer tables, partitions and indexes in a transaction; or, from 18 on, larger max_locks_per_transaction (a restart; of standbys first)"},
		{"XactSLRU", "larger transaction_buffers (from 17 on; a restart), or fewer sessions that commit at a time (a pooler)"},
		{"XactBuffer", "larger transaction_buffers (from 17 on; a restart), or fewer sessions that commit at a time (a pooler)"},
		{"MultiXact", "fewer transactions at a time that lock, or refer by foreign keys to, the same row; or, from 17 on, larger multixact_offset_buffers and multixact_member_buffers (a restart)"},
		{"Subtrans", "fewer savepoints (also of drivers, and EXCEPTION in PL/pgSQL) in a transaction, and no long one beside them; or, from 17 on, larger subtransaction_buffers (a restart)"},
		{"", "fewer sessions that commit at a time (a pooler)"},
	};
	int			i = 0;

	while (strstr(event, remedies[i][0]) == NULL)
		i++;
	return remedies[i][1];
}

static const char *
remedy_for_own_work(const CommitFigures *f, bool may_sync)
{
	const char *usual = may_sync ? larger_skip_threshold : f->commits_notify > 0 ?
	"fewer messages of NOTIFY in a transaction, or fewer temporary tables with ON COMMIT in a session, or smaller temp_buffers" :
	"fewer temporary tables with ON COMMIT in a session, or smaller temp_buffers";

	return f->queue < LONG_QUEUE ? usual :
		psprintf("if it is LISTEN, end the transaction of the session that does not read the queue; else %s", usual);
}

/* ... for a lock; "usual" is what else helps */
static const char *
remedy_for_lock(const BlamedLock *lock, const char *usual)
{
	return lock->ended ? "none: no transaction is prepared any more" :
		lock->prepared ? finish_prepared : lock->circle ? one_order : usual;
}

/* What a commit does and waits for until it writes its record */
static void
find_before_causes(const CommitFigures *f, Causes *found)
{
	const BlamedLock *lock = &f->lock[PHASE_BEFORE];
	double		locked = part_locked(f, PHASE_BEFORE) * long_phase(f, PHASE_BEFORE);
	double		rest = (1 - part_at_event(f)) * long_phase(f, PHASE_BEFORE) - locked;

	/* most of those that do not wait for the lock */
	bool		for_standby = 2 * f->phase[PHASE_STANDBY] > 1 - f->phase[PHASE_BEFORE];

	if (commits_queue(f))
		add_cause(found, locked,
				  psprintf("before the record, one COMMIT after the other: each holds until its end what deferred triggers or cursors of others, or an extension, wait for, as %s%s.",
						   lock->name, !for_standby ? "" :
						   psprintf(", which itself waits for standby%s", blame_standby(f))),
				  for_standby ? remedy_for_standby(f) :
				  "fewer transactions that take that lock (batches, or a queue); all in one order, if some deadlock");
	else
		add_cause(found, locked,
				  psprintf("before the record: deferred triggers, foreign keys, open cursors or an extension wait, as for %s.", lock->name),
				  remedy_for_lock(lock, "a shorter transaction of its holder (triggers that are not deferred wait as long in the statement); for a foreign key, FOR NO KEY UPDATE in place of FOR UPDATE of the row that it refers to"));
	if (f->savepoints > 0)
		add_cause(found, rest,
				  psprintf("before the record: COMMIT ends %d open savepoints, one in the other.", f->savepoints),
				  "RELEASE SAVEPOINT after each, or fewer in a transaction; if pgjdbc sets them, cleanupSavepoints = true, or another autosave");
	else if (waits_in_extension(f))
		add_cause(found, rest,
				  "before the record: it waits in an extension, as postgres_fdw for COMMIT on another server, a deferred trigger for a query by dblink, or to write to the server's log (pgaudit, RAISE LOG).",
				  psprintf("%s; of dblink: its query", faster_there));
	else
		add_cause(found, rest,
				  "before the record: deferred triggers, constraints, open cursors or savepoints, or an extension (as postgres_fdw, for COMMIT on another server).",
				  psprintf("%sfewer rows or savepoints in a transaction, or rows in its cursors WITH HOLD, or an index that the deferred checks lack; constraints that are not deferred take the time in the statement",
						   f->slow_phase[PHASE_BEFORE] < MIN_CAUSE ? "" : "commit_slow_log shows which clients and statements (before_time): "));
}

/* ... as it writes it */
static void
find_record_causes(const CommitFigures *f, Causes *found)
{
	const BlamedLock *lock = &f->lock[PHASE_RECORD];
	double		locked = part_locked(f, PHASE_RECORD) * long_phase(f, PHASE_RECORD);
	double		rest = (1 - part_at_event(f)) * long_phase(f, PHASE_RECORD) - locked;
	double		notify = f->phase[PHASE_NOTIFY];
	bool		may_sync = f->wal_minimal &&
	(f->seen.sync_waits > 0 || f->seen.phase[PHASE_RECORD] < ENOUGH_LOOKS);
	bool		many_messages = writes_messages(f);
	bool		for_standby = notify_hangs(f);

	add_cause(found, locked,
			  psprintf("record: COMMIT waits, as for %s, before its commit record.", lock->name),
			  remedy_for_lock(lock, "a shorter transaction of its holder"));
	if (mostly_seen(f, f->seen.insert_waits) &&
		2 * f->seen.wal_waits >= f->seen.insert_waits)	/* statements, too */
		add_cause(found, rest,
				  "record: COMMIT waits to insert its commit record, as others fill the WAL buffers.",
				  f->wal_buffers >= LARGE_WAL_BUFFERS ?
				  "less WAL at a time of other sessions, or a faster volume for it" :
				  "larger wal_buffers (a restart), or less WAL at a time of other sessions");
	else if (mostly_seen(f, f->seen.insert_waits))
		add_cause(found, rest,
				  "record: COMMIT waits for a WAL insert lock, of which there are eight.",
				  "fewer sessions that write at a time (a pooler)");
	else if (mostly_seen(f, f->seen.sync_waits))
		add_cause(found, rest,
				  "record: the sync of new or truncated tables, in place of their WAL (wal_level = minimal).",
				  larger_skip_threshold);
	else if (waits_in_extension(f))
		add_cause(found, rest,
				  "record: it waits in an extension before its commit record, as for PREPARE TRANSACTION on another server.",
				  faster_there);
	else if (f->notifies)
	{
		notify += Max(rest, 0);
		many_messages |= rest >= MIN_CAUSE;
	}
	else
		add_cause(found, rest,
				  psprintf("record: the session's own work before its commit record, as %s%s%sON COMMIT DELETE ROWS or DROP, or that of an extension.",
						   f->queue < LONG_QUEUE ? "" :
						   psprintf("LISTEN, which reads the queue of NOTIFY (%s full), ", format_percent(f->queue)),
						   f->commits_notify > 0 ? "messages of NOTIFY, " : "",
						   may_sync ? "the sync of new or truncated tables (wal_level = minimal), " :
						   f->wal_minimal ? "the WAL of small new tables (wal_level = minimal), " : ""),
				  remedy_for_own_work(f, may_sync));
	add_cause(found, notify,
			  psprintf("NOTIFY: only one commit at a time can hold its lock%s%s.%s", for_standby ?
					   psprintf(", and the holder waits for standby%s", blame_standby(f)) :
					   bound_of_notify(f), slower_flushes(f, "; "), reader_of_notify(f)),
			  for_standby ? remedy_for_standby(f) :
			  psprintf("%s%s", many_messages ?
					   "fewer messages in a transaction: one for many rows" :
					   "NOTIFY from one session only, or none; commits_notify of commit_client_stats has the senders",
					   or_quick_again(f)));
}

/* Of a period, settings are those of its end. */
static const char *
name_delay(const CommitFigures *f)
{
	if (f->period == NULL && (f->adaptive || f->conf.delay > 0 || f->slept_unset > 0) ? f->adaptive :
		2 * f->hits_adaptive > f->delay_hits)
		return "commit_stats.adaptive_delay";
	return f->period != NULL && f->conf.delay == 0 ? "a commit_delay that was not that of the configuration when it ended" :
		f->slept_unset > 0 ? "a commit_delay of sessions, roles, databases or a sweep" : "commit_delay";
}

/* Enough for commit_delay, though no commit of theirs comes soon */
static bool
are_siblings(const CommitFigures *f)
{
	return idle_sessions(f) >= Max(f->conf.siblings, 1) &&
		2 * f->hits_adaptive <= f->delay_hits;
}

/* The newest prediction found that; it knew no quota that stalls show since. */
static bool
no_delay_gains(const CommitFigures *f)
{
	return f->none_gains != NULL && f->flush_slower == 0 &&
		f->stall[STALL_QUOTA].share < MIN_CAUSE;
}

/* Where most sleeps carry nobody now, the answer on a delay has the setting. */
static const char *
remedy_for_sleeps(const CommitFigures *f)
{
	if (are_siblings(f) && f->slept_unset < ENOUGH_SLEEPS)
		return psprintf("commit_siblings (now %d) above their number, or commit_delay = 0; or let them end their transactions sooner",
						f->conf.siblings);
	if (f->period != NULL)
		return 2 * f->hits_adaptive > f->delay_hits ? NULL : f->alone_hits < MOSTLY_ALONE ?
			whether_it_pays :
			psprintf("commit_delay = 0, also of roles, databases and clients: at most %s of the sleeps carried another commit",
					 format_percent(1 - f->alone_hits));
	if (!f->adaptive && f->conf.delay > 0 && f->slept_unset < ENOUGH_SLEEPS && f->alone_hits < MOSTLY_ALONE)
		return !no_delay_gains(f) ? whether_it_pays :
			psprintf("commit_delay = 0, as commit_remedies() found at %s", f->none_gains);
	return f->slept_unset < ENOUGH_SLEEPS || f->alone_hits < MOSTLY_ALONE || f->sleeper == NULL ? NULL :
		psprintf("unless a sweep has just run: ALTER ROLE or ALTER DATABASE ... RESET commit_delay (for new connections), or what client %s itself sets",
				 f->sleeper);
}

/* After the record, and in none of the times of a session */
static const char *
delete_files(const CommitFigures *f)
{
	return f->prepares == 0 ? "" :
		", or COMMIT PREPARED deletes files of dropped tables";
}

/* What a commit does and waits for when it is flushed */
static void
find_after_causes(const CommitFigures *f, Causes *found)
{
	double		after = (1 - part_at_event(f)) * long_phase(f, PHASE_AFTER);
	double		log = (1 - part_at_event(f)) * long_phase(f, PHASE_LOG);

	/* for tables in shared_buffers, as temporary ones are not */
	const char *fewer = f->shared_buffers >= LARGE_SHARED_BUFFERS ?
	psprintf("fewer transactions that drop or truncate tables, as the COMMIT of each searches all of shared_buffers (now %.0fMB); fewer tables in one that drops many; DELETE in place of TRUNCATE for small tables",
			 f->shared_buffers / 1048576) :
	"fewer tables, or large objects, in a transaction that drops or truncates them; DELETE in place of TRUNCATE for small tables";

	if (waits_in_extension(f))
	{
		add_cause(found, log + after,
				  "after the commit record: it waits in an extension, as for COMMIT PREPARED on another server.",
				  faster_there);
		return;
	}
	if (f->serializable)
		add_cause(found, after,
				  "after the commit, for predicate locks (a SERIALIZABLE transaction frees its own, and those of all that ended during it), or for files of tables that it dropped or truncated.",
				  psprintf("%s; or fewer tables in one that drops them", shorter_serializable));
	else if (f->slow_recent == 0)	/* only slow commits tell whether they
									 * were */
		add_cause(found, after,
				  "after the commit, for files of dropped or truncated tables, predicate locks, or messages of NOTIFY.",
				  NULL);
	else if (f->commits_notify > 0)
		add_cause(found, after,
				  "after the commit, for files of dropped or truncated tables, or to pass on messages of NOTIFY.",
				  "fewer messages, fewer sessions that listen, or fewer tables in a transaction that drops them");
	else if (f->temporary)
		add_cause(found, after,
				  "after the commit, for files of temporary or other tables that it dropped or truncated, or to release thousands of locks.",
				  psprintf("smaller temp_buffers, which COMMIT searches for each temporary table and index; or temporary tables that stay, emptied by DELETE; for other tables, %s", fewer));
	else
		add_cause(found, after,
				  "after the commit, for files of tables that it dropped or truncated, or to release thousands of locks.",
				  fewer);
	add_cause(found, log,
			  psprintf("commit log: the commit becomes visible to others, which takes CPU or waits for other commits; or an extension works after its record%s.", delete_files(f)),
			  NULL);
}

/* The other phases of the commit, but for its flush */
static void
find_phase_causes(const CommitFigures *f, Causes *found)
{
	if (part_at_event(f) > 0)
		add_cause(found, part_at_event(f) *
				  (long_phase(f, PHASE_BEFORE) + long_phase(f, PHASE_RECORD) +
				   long_phase(f, PHASE_LOG) + long_phase(f, PHASE_AFTER)),
				  psprintf("wait event %s: there COMMIT waits for other processes, outside of its flush.", f->wait_event),
				  remedy_for_event(f->wait_event));
	add_cause(found, f->phase[PHASE_DELAY],
			  psprintf("asleep for %s.%s", name_delay(f), !are_siblings(f) ? "" :
					   psprintf(" On average %s sessions wait for their client in a transaction (idle, or in COPY): a delay counts them as siblings.",
								format_number(idle_sessions(f)))),
			  remedy_for_sleeps(f));
	add_cause(found, stall_share(f, STALL_SEGMENT),
			  psprintf("a new WAL segment is made%s%s%s.", count_stalls(f, STALL_SEGMENT), time_of_segment(f),
					   f->heaviest == NULL && f->period != NULL && f->bulk_writer == NULL &&
					   !fills_segments(f) && !switches_segments(f) ? "; this report does not know who wrote the WAL" :
					   f->heaviest == NULL || (f->top != NULL && strcmp(f->heaviest, f->top) == 0) ? "" :
					   psprintf("; %s", name_heaviest(f))),
			  remedy_for_segments(f));
	add_cause(found, f->phase[PHASE_STANDBY],
			  psprintf("standby%s.", blame_standby(f)), remedy_for_standby(f));
	if (was_paused(f))
		add_cause(found, stall_share(f, STALL_PAUSE),
				  psprintf("not run: all processes of the server stood still, as in a pause of its machine or container%s.",
						   f->seen.throttled == 0 ? "" :
						   psprintf(", for %s of the last %s", format_us(f->seen.throttled / 1e3),
									format_us(f->seen.seconds * 1e6))),
				  "who stops it: snapshots, a migration, too many virtual machines; the hypervisor or the container's host has a log");
	else
		add_cause(found, stall_share(f, STALL_CPU_LIMIT),
				  psprintf("not run: a CPU limit (cgroup) stopped the server%s.",
						   f->seen.throttled == 0 ? "" :
						   psprintf(" for %s of each second",
									format_us(ratio_or_zero(f->seen.throttled / 1e3, f->seen.seconds)))),
				  "a higher CPU limit of its control group");
	add_cause(found, f->phase[PHASE_UNKNOWN],
			  psprintf("unknown: neither the session nor the samples show this time%s.", delete_files(f)),
			  !f->conf.io_timing ? "track_wal_io_timing = on: flushes are then timed" :
			  f->slow_commits > 0 ? NULL :
			  "commit_stats.slow_commit_time below this mean: commit_slow_log then has more phases");
}

/* Of what reads and writes on the volume, only the archiver is seen itself. */
static const char *
name_others(const CommitFigures *f)
{
	return f->seen.n > 0 && 3 * f->seen.activity[ACTIVITY_ARCHIVER] >= 2 * f->seen.n ?
		psprintf("others, perhaps %s,", f->archiver) : "others";
}

/* Share of the stalls that the server itself makes; no delay shortens them. */
static double
stalls_of_server(const CommitFigures *f)
{
	return f->stall[STALL_CHECKPOINT].share + f->stall[STALL_ARCHIVER].share;
}

/* In most of the looks, where flushes take long and do not stall for that */
static bool
others_slow_down(const CommitFigures *f)
{
	return Max(flush_at_most(f), f->flush_slower) >= LONG_FLUSH && f->flush_wal < LARGE_FLUSH &&
		f->seen_enough &&
		f->stall[STALL_OTHERS].share + stalls_of_server(f) < MIN_CAUSE &&
		2 * f->seen.activity[ACTIVITY_OTHERS] > f->seen.n;
}

/* Flushes that did not stall, of the same cause as those that did */
static double
slower_share(const CommitFigures *f)
{
	return f->flush_slower == 0 || !f->seen_enough ||
		commits_hang(f) || others_slow_down(f) ? 0 : rest_of_flushes(f) - one_by_one_share(f);
}

/*
 * Most of the time of flushes that did not stall is in the write of WAL, as
 * samples see it, also if all stalls were in theirs.
 */
static bool
flushes_write(const CommitFigures *f)
{
	double		stalls = causes_flush_share(f) - steady_share(f);

	return f->seen_enough && 2 * f->seen.write_waits >
		f->seen.phase[PHASE_FLUSH] + f->seen.phase[PHASE_OTHER_FLUSH] +
		stalls * f->seen.in_commit;
}

/* ZFS and btrfs may read a recycled file before they write to it. */
static const char *
remedy_for_writes(const CommitFigures *f, const char *other)
{
	return psprintf("%s%swhere memory is short (vm.dirty_bytes, a memory limit)", f->wal_recycle ?
					"on ZFS or btrfs, wal_recycle = off and wal_init_zero = off; else " : "", other);
}

/* What was merely there during stalls may have been idle. */
static const char *
if_certain(const StallSum *stall, const char *remedy)
{
	return stall->certainty == 0 || stall->certainty >= HARDLY_CERTAIN ? remedy :
		psprintf("%s; or what else used the volume then: a backup, queries, another program (iotop)", remedy);
}

static void
find_stall_causes(const CommitFigures *f, Causes *found)
{
	const StallSum *stall = f->stall;
	bool		in_segment = f->checkpoint_phase != NULL &&
	strcmp(f->checkpoint_phase, "segment") == 0;
	const char *segments = in_segment ? remedy_for_segments(f) : NULL;

	add_cause(found, stall[STALL_CHECKPOINT].share,
			  psprintf("stalls %s%s.", in_segment ? "as a checkpoint makes a WAL segment in advance" :
					   f->checkpoint_phase == NULL ? "during checkpoints" :
					   psprintf("during the %s phase of checkpoints", f->checkpoint_phase),
					   count_stalls(f, STALL_CHECKPOINT)),
			  if_certain(&stall[STALL_CHECKPOINT],
						 segments != NULL ? segments : remedy_for_checkpoints(f)));
	add_cause(found, stall[STALL_ARCHIVER].share,
			  psprintf("stalls while %s runs%s.", f->archiver, count_stalls(f, STALL_ARCHIVER)),
			  if_certain(&stall[STALL_ARCHIVER], archives_always(f) ?
						 "archive to another volume, or less to this one (compression)" :
						 "archive to another volume, or more slowly, as long as archiving keeps up"));
	add_cause(found, stall[STALL_BULK_WAL].share,
			  psprintf("stalls with the WAL of %s%s.",
					   f->bulk_writer ? f->bulk_writer :
					   f->period == NULL ? "a large transaction" :
					   f->heaviest == NULL ? "a large transaction, of a client that is not known any more" :
					   psprintf("a large transaction; %s", name_heaviest(f)),
					   count_stalls(f, STALL_BULK_WAL)),
			  smaller_transactions(f->bulk_writer));
	add_cause(found, bytes_share(f),
			  psprintf("flushes of many bytes%s.", rate_of_bytes(f)), remedy_for_bytes(f));
	add_cause(found, stall[STALL_OTHERS].share,
			  psprintf("stalls while %s read or write on the volume of the WAL%s%s.",
					   name_others(f), use_of_volume(&f->volume), count_stalls(f, STALL_OTHERS)),
			  own_volume(f));
	add_cause(found, stall[STALL_QUOTA].share,
			  psprintf("stalls as on a disk that allows %s%s.", allowed(f), count_stalls(f, STALL_QUOTA)),
			  f->quota_bytes > 0 ? "the provider's graphs: its IOPS, or its MB/s, are used up" :
			  (f->period == NULL ? f->adaptive : 2 * f->hits_adaptive > f->flushes) || !may_be_delayed(f) ?
			  "a volume with more IOPS" : more_iops);
	if (f->flush_slower + f->flush_slowed > 0)
		add_cause(found, stall[STALL_UNKNOWN].share + slower_share(f),
				  f->flush_slowed > 0 ?
				  psprintf("%s took %s, a stall by what was usual before: the volume had become slower, as when a burst credit is used up.",
						   f->period != NULL ? "most flushes" : "one flush after the other",
						   format_us(f->flush_slowed)) :
				  psprintf("%s: the volume has become slower, as when a burst credit is used up.",
						   slower_flushes(f, "")),
				  psprintf("%s%s%s", quick_again, f->flush_slower == 0 ? "" : reset_usual,
						   may_be_delayed(f) ? "; fewer flushes (a delay)" : ""));
	else if (f->write_stalls)
		add_cause(found, stall[STALL_UNKNOWN].share,
				  psprintf("stalls of unknown cause%s, in the write of WAL, not in its sync: see commit_stall_log.",
						   count_stalls(f, STALL_UNKNOWN)),
				  remedy_for_writes(f, "who freezes the file system (a snapshot), or "));
	else
		add_cause(found, stall[STALL_UNKNOWN].share,
				  psprintf("stalls of unknown cause%s%s.", count_stalls(f, STALL_UNKNOWN),
						   f->period != NULL && !f->unknown_kept ? "" : ": see commit_stall_log"),
				  or_early_checkpoints(f, "what else the volume did at these times: iostat, iotop, the provider's graphs"));
}

/* What makes those that did not stall fewer, or shorter if they are long */
static const char *
remedy_for_flushes(const CommitFigures *f, bool many_bytes)
{
	double		busy = f->period != NULL ? 0 :
	Max(f->disk_busy, ratio_or_zero(f->seen.phase[PHASE_FLUSH], f->seen.n));

	if (busy >= 0.5 && f->concurrency < HARDLY_CONCURRENT)
		return "larger transactions: one session commits at a time";
	if (busy >= 0.5 && f->siblings_max < FEW_SESSIONS)
		return psprintf("more sessions, which share flushes, if clients wait for one (the size of a pool); or larger transactions: at most %d sessions commit at a time",
						f->siblings_max + 1);
	if (flush_at_most(f) < LONG_FLUSH)
		return NULL;
	if (many_bytes)
		return psprintf("if the volume carries no more bytes: %s", remedy_for_bytes(f));
	return f->period != NULL || commits_hang(f) || !f->fsync ? NULL :
		flushes_write(f) ? remedy_for_writes(f, "") : faster_disk;
}

/* Flushes that did not stall, nor had many bytes */
static void
find_flush_causes(const CommitFigures *f, Causes *found)
{
	bool		beside_sync = most_hang_now(f) && f->now.beside_sync && !f->conf.wal_apart;
	bool		others = others_slow_down(f) && !beside_sync;

	/* else bytes_share() has them */
	bool		many_bytes = (f->period != NULL || f->flush_time == 0) &&
	!commits_hang(f) && f->flush_wal >= MANY_BYTES;

	if (fills_segments(f))
		add_cause(found, outside_share(f),
				  "flushes that no commit leads: those of the WAL writer, or of the checkpointer, which fills a segment before it switches to the next one.",
				  psprintf("larger archive_timeout (now %d s), if the archive may lack as much", f->archive_timeout));
	else
		add_cause(found, outside_share(f),
				  psprintf("flushes that no commit leads: those of the WAL writer, or of a session that writes much%s.",
						   f->running_writer == NULL ? "" : psprintf(", as %s did", f->running_writer)),
				  f->running_writer == NULL ? NULL : smaller_transactions(f->running_writer));
	add_cause(found, processor_share(f),
			  "flushes that wait for a processor: the process that flushes was ready to run, or the next one was not yet awake.",
			  "more processors (a virtual machine: its CPU credits, steal in top; a container: CPU limits above it), or less at a time: sessions (a pooler), other programs");
	add_cause(found, one_by_one_share(f),
			  psprintf("flushes, one after the other: on average %s sessions wait for a row or lock that one in COMMIT holds%s; %s are in COMMIT%s.",
					   format_number(ratio_or_zero(f->seen.blocked_rows, f->seen.n)),
					   10 * f->seen.lock_waits < f->seen.blocked_rows ? "" :
					   psprintf(", and %s for one that is not yet in COMMIT",
								format_number(ratio_or_zero(f->seen.lock_waits, f->seen.n))),
					   format_number(ratio_or_zero(f->seen.in_commit, f->seen.n)),
					   slower_flushes(f, "; ")),
			  psprintf("fewer updates of that row, or uses of that lock (batches, or a queue), each last in its transaction%s%s",
					   is_over(f) ? "" : "; pg_stat_activity shows which statements wait (wait_event_type Lock)",
					   or_quick_again(f)));
	add_cause(found, rest_of_flushes(f) - one_by_one_share(f) - slower_share(f),
			  psprintf("%s%s%s.", beside_sync ?
					   "flushes that have not ended, or did not stall. A checkpoint syncs files all the while: flushes wait behind that, or the volume hangs" :
					   flushes_hang(f) ? "flushes that have not ended, or did not stall" :
					   others && (f->flush_slower > 0 || f->flush_newest > 2 * f->flush_time) ? "flushes that take longer than they did" :
					   !f->fsync ? "flushes of usual length: with fsync = off, each writes to the system's cache" :
					   flushes_write(f) ? "flushes that did not stall: most of their time goes into the write of WAL, not into its sync" :
					   f->period != NULL ? "flushes that did not stall, as usual or slower (commit_stats_compare() tells): the disk took this time for each" :
					   f->flush_time == 0 ? "flushes that did not stall (none was timed, so what is usual is not known)" :
					   psprintf("flushes of usual length: the disk takes this time for each%s", f->seen_enough ? "" :
								", unless a processor was late, which no sample tells"),
					   !many_bytes ? "" :
					   psprintf(", with %s of WAL%s", format_bytes(f->flush_wal), f->flush_time == 0 ? "" :
								psprintf(" (%s/s of their time)", format_bytes(1e6 * f->flush_wal / f->flush_time))),
					   !others ? "" : psprintf(", while %s read or write on the volume%s", name_others(f),
											   use_of_volume(&f->seen.volume))),
			  beside_sync ? psprintf("%s; or, if the volume hangs: the kernel's log, the provider's graphs", remedy_for_checkpoints(f)) :
			  others ? own_volume(f) :
			  flushes_hang(f) ? "what the volume does: iostat, the kernel's log, the provider's graphs" :
			  f->applied > ONE_CLIENT ? "ALTER SUBSCRIPTION ... SET (synchronous_commit = off), unless its publisher waits for it" :
			  remedy_for_flushes(f, many_bytes));
}

/* Much of commit time is in no time of a client, and this is whose that is. */
static const char *
client_outside(const CommitFigures *f, const char *named)
{
	return f->outside == NULL || named == NULL || !works_outside(f) || strcmp(f->outside, named) == 0 ? "" :
		psprintf(" Of slow commits, most time of 'before' and 'after' is of client %s.", f->outside);
}

/* Names that do not tell whose the commits are */
static void
find_nameless_causes(const CommitFigures *f, Causes *found)
{
	add_cause(found, f->nameless,
			  "of the commits have no name: the application sets none, or a driver or pooler clears it.",
			  "SET commit_stats.client_tag = '...' for each application, which RESET ALL leaves; through a pooler in transaction mode, SET LOCAL in each transaction");
	add_cause(found, f->overflow, f->clients_evicted == 0 ?
			  "of the commits are of no client that is known: all rows, or the half that a role may have, are of connected ones." :
			  psprintf("of the commits are of no client that is known: newer ones took the row of %s client%s, as if each connection had its own application_name.",
					   format_count(f->clients_evicted), f->clients_evicted == 1 ? "" : "s"),
			  f->clients_evicted == 0 ?
			  "commit_stats.client_name_pattern, or a larger commit_stats.max_clients (a restart)" :
			  "application_name_add_host = 0 in PgBouncer, or commit_stats.client_name_pattern");
	if (f->alike_share > f->top_share)
		add_cause(found, f->alike_share,
				  psprintf("of the commits are of %d clients whose names begin with %s, as if each connection had its own application_name.",
						   f->alike_clients, f->alike),
				  "commit_stats.client_name_pattern, which makes them one client");
}

/* Whose commits, and which statement's flushes, are most: that is no time. */
static void
find_client_causes(const CommitFigures *f, Causes *found)
{
	bool		other_takes_most = f->longest != NULL && f->longest_time > 0.5;
	const char *outside = client_outside(f, f->top);
	bool		hangs = commits_hang(f);

	/* a subscription, whose transactions are those of its publisher */
	bool		applies = f->top != NULL && strncmp(f->top, "no name (", 9) == 0 &&
	2 * f->applied >= f->top_share;

	find_nameless_causes(f, found);
	if (f->top_slow_least > 0 && f->top_slow_most > MANY_KINDS * f->top_slow_least)
		add_cause(found, f->top_share,
				  psprintf("of the commits are of client %s. One name, slow commits of %s to %s of WAL: several kinds of work.",
						   f->top, format_bytes(f->top_slow_least), format_bytes(f->top_slow_most)),
				  f->statement != NULL ? "commit_statement_stats tells them apart" :
				  "SET application_name for each kind");
	else if (f->commits >= CAUSES_MIN_COMMITS && f->top_share >= WHO_MATTERS &&
			 (f->top_share <= ONE_CLIENT || other_takes_most || outside[0] != '\0'))
		add_cause(found, f->top_share,
				  psprintf("of the commits are of client %s%s, %s of WAL each, rollbacks included.%s%s%s",
						   f->top, hangs ? "" :
						   psprintf(", %s of commit time%s", format_percent(f->top_time),
									works_outside(f) ? " (without 'before', 'after')" : ""),
						   format_bytes(f->top_wal),
						   f->longest == NULL || hangs ? "" :
						   psprintf(" %s commit time, %s, is of client %s.",
									other_takes_most ? "Most" : "The largest part of",
									format_percent(f->longest_time), f->longest),
						   f->heaviest == NULL || strcmp(f->heaviest, f->top) == 0 ||
						   f->flush_wal < MANY_BYTES ? "" :
						   psprintf(" Most WAL, %s, is of client %s.",
									format_percent(f->heaviest_share), f->heaviest), outside),
				  f->top_of_transactions < HARDLY_COMMIT || applies || other_takes_most ? NULL :
				  larger_transactions(f, f->top_wal));
	add_cause(found, f->top_leader_flushes,
			  psprintf("of the flushes, at the least, are led by client %s.%s",
					   f->top_leader, client_outside(f, f->top_leader)), NULL);
	found->n = Min(found->n, 1);
	if (f->statement != NULL && f->statement_flushes >= WHO_MATTERS && f->statement_flushes <= ONE_CLIENT)
	{
		Cause	   *second = &found->cause[found->n++];

		second->share = f->statement_flushes;
		second->sentence = psprintf("of the flushes%s are led by %s%s.",
									f->period != NULL ? ", at the least," : "", f->statement,
									f->statement_wal == 0 ? "" :
									psprintf(", with %s of WAL in a transaction",
											 format_bytes(f->statement_wal)));
		second->remedy = larger_transactions(f, f->statement_wal);
	}
}

/* The first ones, below a title.  Causes of time may overlap. */
static void
put_causes(StringInfo text, const CommitFigures *f, const char *title,
		   const Causes *found, bool of_time)
{
	double		rest = of_time ? 1 : 0;

	if (found->n > 0)
		appendStringInfoString(text, title);
	for (int i = 0; i < found->n; i++)
	{
		const Cause *cause = &found->cause[i];

		rest -= cause->share;
		put_wrapped(text, f->width,
					of_time ? psprintf("  %d. ", i + 1) : "  ", "     ",
					psprintf("%s %s", format_percent(Min(cause->share, 1)),
							 cause->sentence));
		if (cause->remedy != NULL)
			put_wrapped(text, f->width, "     -> ", "        ", cause->remedy);
	}
	if (found->n > 0 && rest >= MIN_CAUSE)
		appendStringInfo(text, "  The other %s: smaller causes.\n",
						 format_percent(rest));
}

/*---- The sweep that is proposed ----------------------------------*/

static double
square_root_rule(const CommitFigures *f)
{
	return sqrt(ratio_or_zero(2 * flush_now(f) * 1e6, f->commit_rate));
}

/* That half of the flushes reach; at least 1, as with 0 leaders sleep alone */
static int
better_siblings(const CommitFigures *f)
{
	return Max(f->siblings_half, 1);
}

/* Two digits, like 140 or 1100 */
static int
two_digits(double us)
{
	double		unit = pow(10, floor(log10(us)) - 1);

	return (int) rint(rint(us / unit) * unit);
}

/* ... within what commit_delay can be */
static int
round_delay(double delay)
{
	return two_digits(Min(Max(delay, MIN_SWEEP_DELAY), COMMIT_DELAY_MAX));
}

/* Add a delay up to "most", in order, if there is none within SWEEP_DISTANCE. */
static int
add_delay(int *delays, int n, int delay, double most)
{
	int			i;

	for (i = 0; i < n; i++)
		if (delay <= delays[i] * SWEEP_DISTANCE &&
			delays[i] <= delay * SWEEP_DISTANCE)
			return n;
	if (delay > most)
		return n;
	for (i = n; i > 0 && delays[i - 1] > delay; i--)
		delays[i] = delays[i - 1];
	delays[i] = delay;
	return n + 1;
}

/* The p99 of commits, in us, that a proposed sweep must not exceed */
static int
find_max_p99(const CommitFigures *f)
{
	double		p99 = Max(f->commit_p99, 2 * f->flush_newest);

	return two_digits(Min(Max(SWEEP_P99 * p99, MIN_SWEEP_P99), MAX_SWEEP_P99));
}

/*
 * Delays worth measuring, around the distance of a quota's flushes if that is
 * longer.  No new one would exceed the bound with the flush that follows it,
 * or fill half of the WAL buffers.
 */
static int
find_delays(const CommitFigures *f, int *delays)
{
	double		start = flush_now(f) > 0 ? flush_now(f) / 4 : SWEEP_DEFAULT_START;
	double		square_root = square_root_rule(f);
	double		most = Min(find_max_p99(f) - flush_now(f),
						   wal_buffers_us_until_half_full(f->wal_buffers,
														  f->flush_wal * f->flush_rate));
	int			n = 0;

	start = Max(start, Min(ratio_or_zero(f->quota_window, f->quota_flushes), most) / 4);
	n = add_delay(delays, n, 0, 0);
	n = add_delay(delays, n, f->conf.delay, find_max_p99(f));
	n = add_delay(delays, n, f->predicted_delay, most);
	for (int step = 0; step < SWEEP_STEPS; step++)
		n = add_delay(delays, n, round_delay(ldexp(start, step)), most);
	if (square_root > 0)
		n = add_delay(delays, n, round_delay(square_root), most);
	return n;
}

/* commit_siblings worth measuring */
static int
find_siblings(const CommitFigures *f, int *siblings)
{
	int			n = 0;

	siblings[n++] = f->conf.siblings;
	if (f->predicted_delay > 0 && f->predicted_siblings != f->conf.siblings)
		siblings[n++] = f->predicted_siblings;
	if (f->reach < 0.5 && better_siblings(f) < f->conf.siblings &&
		better_siblings(f) != siblings[n - 1])
		siblings[n++] = better_siblings(f);
	return n;
}

static void
append_array(StringInfo text, const int *values, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(text, "%s%d", i == 0 ? "ARRAY[" : ", ", values[i]);
	appendStringInfoChar(text, ']');
}

/* ms; the four fifths that count (sweep.c) are a whole window of a quota. */
static int
proposed_slot(const CommitFigures *f)
{
	return (int) ceil(Min(Max(f->quota_window / 1e3 * 5 / 4, SWEEP_SLOT), SWEEP_MAX_SLOT));
}

/* s in which each pair has the rounds that a sweep needs, and one more */
static int
sweep_seconds(const CommitFigures *f, bool adaptive)
{
	int			values[Max(SWEEP_MAX_DELAYS, SWEEP_MAX_SIBLINGS)];
	int			pairs = find_delays(f, values) * find_siblings(f, values) + adaptive;

	return Max(SWEEP_SECONDS, (int) ceil(4 * pairs * proposed_slot(f) / 1e3));
}

void
causes_put_sweep(StringInfo text, const CommitFigures *f, bool adaptive)
{
	int			delays[SWEEP_MAX_DELAYS];
	int			siblings[SWEEP_MAX_SIBLINGS];
	int			nsiblings = find_siblings(f, siblings);

	appendStringInfo(text, "SELECT * FROM %s.commit_delay_sweep(\n  ",
					 f->schema);
	append_array(text, delays, find_delays(f, delays));
	if (nsiblings > 1 || f->siblings_differ)
	{
		appendStringInfoString(text, ", ");
		append_array(text, siblings, nsiblings);
	}
	if (proposed_slot(f) > SWEEP_SLOT)
		appendStringInfo(text, ",\n  duration => '%d s', slot => '%d ms'",
						 sweep_seconds(f, adaptive), proposed_slot(f));
	appendStringInfo(text, ",\n  max_p99 => '%g ms'%s);\n",
					 find_max_p99(f) / 1000.0,
					 adaptive ? ", adaptive => true" : "");
}

/*---- The tables on a delay ---------------------------------------*/

/* The setting without which little is known of a delay */
static const char time_flushes[] = "track_wal_io_timing = on";

/* In place of a setting: a sweep of fixed delays, and of the adaptive one */
static const char sweep[] = "each";
static const char adaptive_sweep[] = "both";

/* A row of a table on a delay */
typedef struct Answer
{
	bool		applies;
	const char *sentence;
	const char *setting;		/* or one of these, or NULL */
} Answer;

static bool
is_sweep(const Answer *answer)
{
	return answer->setting == sweep || answer->setting == adaptive_sweep;
}

static const Answer *
first_answer(const Answer *answers, int n)
{
	for (int i = 0; i < n; i++)
		if (answers[i].applies)
			return memcpy(palloc(sizeof(Answer)), &answers[i], sizeof(Answer));
	return NULL;
}

/* The largest phase that is known, and is no flush and no delay */
static const char *
largest_outside(const CommitFigures *f)
{
	CommitPhase most = PHASE_BEFORE;

	for (int phase = 0; phase < PHASE_UNKNOWN; phase++)
		if (phase != PHASE_FLUSH && phase != PHASE_OTHER_FLUSH &&
			phase != PHASE_DELAY && f->phase[phase] > f->phase[most])
			most = phase;
	return commit_phase_names[most];
}

static StallCause
largest_stalls(const CommitFigures *f)
{
	StallCause	most = STALL_QUOTA;

	for (int cause = 0; cause < STALL_NCAUSES; cause++)
		if (stall_share(f, cause) > stall_share(f, most))
			most = cause;
	return most;
}

static const char *
ask_under_load(const CommitFigures *f)
{
	return psprintf("not known. The latest flush of a commit ended %s ago: ask under load.",
					format_duration(f->newest_age));
}

/* No commit waits to share a flush, one sleeps already, or little is known */
static const Answer *
find_no_waits(const CommitFigures *f)
{
	bool		few = f->commits < CAUSES_MIN_COMMITS || f->flushes == 0;
	bool		known = f->seen_enough || !few;
	double		outside = 1 - causes_flush_share(f) - f->phase[PHASE_DELAY] -
	f->phase[PHASE_UNKNOWN];
	double		async = ratio_or_zero(f->commits_async, f->commits + f->commits_async);
	const Answer answers[] = {
		{!f->counting, "not known. Counting is off, and the figures stand still.",
		"commit_stats.enabled = on"},
		{f->is_standby, "no. Nothing commits on a standby: look at its primary.", NULL},
		{most_hang_now(f) && !hang_asleep(f), "no. Commits hang, as the first line says.", NULL},
		{statements_hang_now(f), "no. Sessions hang in their statements, as the first lines say.", NULL},
		{!f->fsync, "no. With fsync = off, commits do not wait for the disk.", NULL},
		{f->commits_async >= CAUSES_MIN_COMMITS && f->commits < f->commits_async / 100.0,
		psprintf("no. %s of the commits do not wait for the disk (synchronous_commit = off).", format_percent(async)), NULL},
		{f->adaptive, psprintf("commit_stats.adaptive_delay decides. %s.commit_delay_state shows why.", f->schema), NULL},
		{f->slept_unset >= ENOUGH_SLEEPS,
			psprintf("sessions, roles or databases have their own, or a sweep has just run: %s of the newest flushes slept%s%s.%s delay_hits of %s.commit_client_stats shows whose.",
					 format_count(f->slept_unset),
					 f->conf.delay == 0 ? "" : psprintf(" longer than commit_delay = %d us", f->conf.delay),
					 f->alone_hits >= MOSTLY_ALONE ? ", nearly all for nothing" :
					 psprintf(", and carried %s commits each", format_number(f->sleep_carried)),
					 f->sleeper == NULL ? "" :
					 psprintf(" Most sleeps are of client %s.", f->sleeper), f->schema), NULL},
		{f->conf.delay > 0 && f->alone_hits >= MOSTLY_ALONE,
			psprintf("set it to 0%s. %s of the newest sleeps carried no other commit.",
					 f->conf.delay_elsewhere ? " (it is of the server's command line; or ALTER DATABASE or ALTER ROLE ... RESET commit_delay, for new connections)" : "",
					 format_percent(f->alone_hits)),
		f->conf.delay_elsewhere ? NULL : "commit_delay = 0"},
		{known && notify_waits(f),
		psprintf("no. NOTIFY commits come one after the other (%s of the commits).", format_percent(ratio_or_zero(f->commits_notify, f->commits + f->commits_async))), NULL},
		{known && f->phase_mean != 0 && outside > 0.5,
		psprintf("no. %s of commit time is outside of flushes, the largest part '%s'.", format_percent(outside), largest_outside(f)), NULL},
		{commit_hardly_matters(f),
		psprintf("no. %s %s of the time of transactions.", commit_takes(f), format_percent(f->of_transactions)), NULL},
		{hardly_any_waits(f),
		psprintf("no. Hardly any transaction waits for a flush: %s were read-only, %s wrote to unlogged or temporary tables only, " UINT64_FORMAT " waited.", format_count(f->commits_read_only), format_count(f->commits_unlogged), f->commits), NULL},
		{newest_are_old(f), ask_under_load(f), NULL},
		{few, psprintf("not known. " UINT64_FORMAT " commit%s so far; an answer needs %d.", f->commits, f->commits == 1 ? "" : "s", CAUSES_MIN_COMMITS), NULL},
		{f->restarted, "not known. Few flushes so far since the server started: ask under load.", NULL},
		{has_one_hot_row(f),
		psprintf("%s. No commit can come while a committing session holds the row.", f->conf.delay > 0 && f->phase[PHASE_DELAY] >= MIN_CAUSE ? "perhaps 0" : "no"), NULL},
		{statements_wait(f), f->conf.delay > 0 ? "perhaps 0. Sessions wait for locks in their statements, and each sleep makes their holders commit later." :
		"no. Sessions wait for locks in their statements, and a delay would make their holders commit later.", NULL},
		{statements_wait_for_wal(f), "no. Its leader would hold the lock that statements wait for (WALWriteLock).", NULL},
		{f->phase_mean != 0 && outside + f->phase[PHASE_UNKNOWN] > 0.5,
		psprintf("not known. %s of commit time is outside of flushes or unknown.", format_percent(outside + f->phase[PHASE_UNKNOWN])), NULL},
	};

	return first_answer(answers, lengthof(answers));
}

/* Commits wait for flushes, and a delay would not help */
static const Answer *
find_no_gain(const CommitFigures *f)
{
	double		idle = idle_sessions(f);
	double		async = ratio_or_zero(f->commits_async, f->commits + f->commits_async);
	bool		alone = f->concurrency < HARDLY_CONCURRENT;
	double		carried = f->newest ? ratio_or_zero(f->newest_carried, f->newest_flushes) :
	ratio_or_zero(f->carried, f->flushes);
	double		prepares = f->newest ? ratio_or_zero(f->newest_prepares, f->newest_flushes) :
	ratio_or_zero(f->prepares, f->flushes);
	bool		unshared = carried + prepares < HARDLY_SHARED;
	StallCause	stall = largest_stalls(f);
	bool		asleep = f->conf.delay > 0 && f->phase[PHASE_DELAY] >= MIN_CAUSE;
	const char *no = asleep ? "perhaps 0" : "no";
	bool		quota = f->stall[STALL_QUOTA].share >= MIN_CAUSE;
	bool		idle_disk = f->flush_time > 0 && f->disk_busy < HARDLY_BUSY;
	const Answer answers[] = {
		{f->quota_bytes > 0 && stall == STALL_QUOTA && quota,
		"not known. Stalls show a quota of flushes or of bytes, and a delay makes only flushes fewer.", sweep},
		{alone && stall == STALL_QUOTA && quota,
			psprintf("perhaps. Only %s of %s found another transaction active. But even distances between flushes may avoid the stalls of the quota.", format_percent(f->concurrency), f->siblings_of),
		"commit_stats.adaptive_delay = on"},
		{alone, psprintf("no. Only %s of %s found another transaction active.", format_percent(f->concurrency), f->siblings_of), NULL},
		{unshared && f->seen_enough && f->siblings_mean > 0 && idle >= f->siblings_mean / 2,
		psprintf("no. Of %s other active transactions (siblings) that a leader counts, %s wait for their client (idle, or in COPY).", format_number(f->siblings_mean), format_number(idle)), NULL},
		{unshared && async >= 0.5,
		psprintf("no. %s of the commits are asynchronous, and share no flush.", format_percent(async)), NULL},
		{stall != STALL_QUOTA && (stall != STALL_UNKNOWN || f->write_stalls) &&
			!(stall == STALL_OTHERS && is_by_requests(&f->volume)) &&
			stall_share(f, stall) >= MANY_STALLS * causes_flush_share(f),
			psprintf("%s. It would not shorten the flushes that stall (%s), %s of commit time.", no, stall_cause_names[stall], format_percent(stall_share(f, stall))),
		asleep ? sweep : NULL},
		{f->conf.delay > 0 && f->conf.delay >= 2 * flush_now(f) && f->phase[PHASE_DELAY] >= (1 - f->phase[PHASE_STANDBY]) / 2,
			psprintf("perhaps 0. Commits sleep for %s of their time: commit_delay = %d us%s.", format_percent(f->phase[PHASE_DELAY]), f->conf.delay, f->flush_time == 0 ? "" :
					 psprintf(" is as long as %s flushes", format_number(ratio_or_zero(f->conf.delay, flush_now(f))))),
		sweep},
		{outside_share(f) >= Max(MANY_STALLS * causes_flush_share(f), MIN_CAUSE),
			psprintf("%s. It would not shorten the flushes that no commit leads, %s of commit time.", no, format_percent(outside_share(f))),
		asleep ? sweep : NULL},
		{no_delay_gains(f),
			psprintf("%s. commit_remedies() found at %s that no delay gains anything.", f->conf.delay > 0 ? "set it to 0" : "no", f->none_gains),
		f->conf.delay == 0 || f->conf.delay_elsewhere ? NULL : "commit_delay = 0"},
		{processor_share(f) >= Max(causes_flush_share(f) / 2, MIN_CAUSE),
			psprintf("not known while flushes wait for a processor, %s of commit time.", format_percent(processor_share(f))),
		asleep ? sweep : NULL},
		{idle_disk && f->conf.delay > 0 && f->phase[PHASE_DELAY] >= HARDLY_ASLEEP,
			psprintf("perhaps 0. The disk is busy with flushes %s of the time, and commit_delay = %d us is as long as %s flushes.", format_percent(f->disk_busy), f->conf.delay, format_number(ratio_or_zero(f->conf.delay, flush_now(f)))),
		sweep},
		{idle_disk && !quota && f->phase[PHASE_OTHER_FLUSH] > HARDLY_BUSY &&
			(f->seen_enough || f->own_flush <= OWN_FLUSH_ONLY),
		psprintf("not known. Commits come in bursts, and in these wait for each other's flushes, %s of commit time; in all, the disk is busy with flushes %s of the time.", format_percent(f->phase[PHASE_OTHER_FLUSH]), format_percent(f->disk_busy)), NULL},
		{idle_disk && !quota,
		psprintf("no. The disk is busy with flushes %s of the time, so commits hardly ever wait for the flush of another one.", format_percent(f->disk_busy)), NULL},
		{unshared && f->own_flush > OWN_FLUSH_ONLY && !quota,
		psprintf("no. A flush carries %.2f commits, and a commit spends %s of its time on its own.", carried, format_percent(f->own_flush)), NULL},
		{f->newest_age > PHASES_OF, ask_under_load(f), NULL},
	};

	return first_answer(answers, lengthof(answers));
}

/* It may help, or not: to be measured.  The last one always applies. */
static const Answer *
find_may_pay(const CommitFigures *f)
{
	double		half = flush_now(f) / 2;
	double		root = square_root_rule(f);
	double		threshold = ratio_or_zero(2e6, flush_now(f));
	bool		above = f->commit_rate > threshold;
	const char *rows = !rows_matter_most(f) ? NULL :
	"not known. While a leader sleeps, sessions wait longer for the rows or locks of those in COMMIT.";
	bool		reached = f->reach >= HARDLY_ANY_HITS ||
	better_siblings(f) >= f->conf.siblings ||
	(f->siblings_half == 0 && f->concurrency < HARDLY_ANY_HITS);
	const Answer answers[] = {
		{f->stall[STALL_QUOTA].share >= Max(f->stall[STALL_UNKNOWN].share, MIN_CAUSE),
			"may pay, fixed or adaptive: stalls show a quota.",
		adaptive_sweep},
		{f->conf.delay > 0 && !reached,
			psprintf("hardly any leader sleeps: at %s of %s, commit_siblings = %d others were active; at half of them, %d.", format_percent(f->reach), f->siblings_of, f->conf.siblings, f->siblings_half),
		sweep},
		{f->flush_time <= 0 && !f->conf.io_timing, "not known. Flushes are not timed:",
		time_flushes},
		{f->flush_time <= 0, "not known. No flush was timed so far.", NULL},
		{f->flush_slower > 0,
			rows ? rows : "may pay, fixed or adaptive: flushes take long now, and sessions may take turns.",
		adaptive_sweep},
		{perhaps_fewer(f) >= MANY_STALLS * causes_flush_share(f),
			psprintf("not known. Flushes stall %s, %s of commit time; fewer flushes may stall less often.",
					 f->flush_slowed == 0 && 2 * f->stall[STALL_UNKNOWN].share >= perhaps_fewer(f) ? "for an unknown reason" : "beside others' requests",
					 format_percent(perhaps_fewer(f))),
		sweep},
		{f->conf.delay == 0 && Min(f->flush_p50, flush_now(f)) >= LONG_FLUSH && f->flush_p99 < wal_device_stall_limit(f->flush_p50),
			rows ? rows : "may pay, fixed or adaptive: flushes take long, also those that do not stall, and sessions may take turns.",
		adaptive_sweep},
		{above,
			psprintf("%s. From %s commits/s on, two in the time of a flush, flushes fill without a delay.", f->conf.delay > 0 ? "perhaps 0" : "no", format_number(threshold)),
		f->conf.delay > 0 ? sweep : NULL},
		{true,
			rows ? rows : psprintf("may pay: %s to %s by two rules of thumb.", format_us(Min(half, root)), format_us(Max(half, root))),
		sweep},
	};

	return first_answer(answers, lengthof(answers));
}

/* A commit takes one flush, a short one, of a disk that is mostly idle. */
static bool
nothing_stands_out(const CommitFigures *f)
{
	return f->flush_time > 0 && Max(f->flush_p99, flush_now(f)) < LONG_FLUSH &&
		f->flush_slower == 0 && f->disk_busy < HARDLY_BUSY && f->own_flush > OWN_FLUSH_ONLY &&
		rest_of_flushes(f) > OWN_FLUSH_ONLY && !has_hot_row(f) &&
		f->slow_commits <= f->commits / 10000;
}

/* Some commits have hung for long, and not for the first cause. */
static bool
some_hang(const CommitFigures *f, const Cause *first)
{
	return f->now.longest >= LONG_HANG && !most_hang_now(f) &&
		(f->now.phase == PHASE_STANDBY || f->now.locked) &&
		f->phase[f->now.phase] < first->share;
}

/*
 * One thing to do first, or nothing.  The remedy of a quota, and what a disk
 * takes without stalls, are among those that commit_remedies() compares.  It
 * simulates in the server, so a limit of the CPU stops both, and it predicts
 * nothing beside a standby that matters.
 */
static void
put_first_step(StringInfo text, const CommitFigures *f, const Answer *answer,
			   const Cause *first)
{
	const char *remedy = first->remedy;
	bool		predict = f->counting && f->fsync &&
	causes_flush_share(f) + f->phase[PHASE_NOTIFY] +
	(f->conf.delay > 0 || f->slept_unset >= ENOUGH_SLEEPS ? f->phase[PHASE_DELAY] : 0) >= 0.5 &&
	stalls_of_server(f) < 0.5 && stall_share(f, STALL_CPU_LIMIT) < OFTEN_STOPPED &&
	!nothing_stands_out(f) && f->commits >= CAUSES_MIN_COMMITS &&
	f->phase[PHASE_STANDBY] <= STANDBY_MATTERS;
	const char *under_load = f->seen_age > 0 ? " under load" : "";
	const char *others = !predict ? "" :
	psprintf(" Predict other remedies%s (10 s, changes nothing):", under_load);
	bool		has_remedy = remedy != NULL && strncmp(remedy, "none", 4) != 0 &&
	!(predict && (remedy == more_iops || remedy == faster_disk || remedy == whether_it_pays));

	/*
	 * A cause that takes time comes before sleeps that hardly take any of
	 * what is no queue behind them.
	 */
	double		queue = f->phase[PHASE_NOTIFY] + (commits_queue(f) ? f->phase[PHASE_BEFORE] : 0);
	bool		minor = has_remedy && f->counting && f->seen_enough &&
	f->alone_hits >= MOSTLY_ALONE && f->phase[PHASE_DELAY] < MIN_CAUSE * (1 - queue);

	if (f->is_standby || (most_hang_now(f) && !hang_asleep(f)) || commit_hardly_matters(f) || statements_wait(f) || statements_wait_for_wal(f) ||
		statements_hang_now(f))
		return;
	if (some_hang(f, first))
		put_sentence(text, f, "First step: what hangs, as the first line says.%s", others);
	else if (answer->setting != NULL && !is_sweep(answer) && !minor &&
			 !(answer->setting == time_flushes && has_remedy && first->share > 0.5))
		put_sentence(text, f, "First step: the statement on a delay.%s", others);
	else if (nothing_stands_out(f))
		appendStringInfo(text, "First step: none. A commit takes about one flush of this disk, %s.\n",
						 format_us(flush_now(f)));
	else if (has_remedy)
		put_sentence(text, f, "First step: what cause 1 says.%s", others);
	else if (predict)
		put_sentence(text, f, "%s%s, also a delay (10 s, changes nothing):",
					 f->prediction == NULL ? "First step: predict each remedy" :
					 "To predict each remedy again", under_load);
	if (predict)
		appendStringInfo(text, "SELECT * FROM %s.commit_remedies();\n", f->schema);
	if (f->prediction != NULL)
		put_wrapped(text, f->width, "", "  ", f->prediction);
}

/* The first answer of the three tables that applies */
static const Answer *
find_answer(const CommitFigures *f)
{
	const Answer *answer = find_no_waits(f);

	if (answer == NULL)
		answer = find_no_gain(f);
	return answer != NULL ? answer : find_may_pay(f);
}

/* No remedy proposes what the answer rules out, or would of a period. */
static bool
may_be_delayed(const CommitFigures *f)
{
	const char *sentence;

	if (f->period != NULL)
		return !has_one_hot_row(f) && !notify_waits(f);
	sentence = find_answer(f)->sentence;
	return strncmp(sentence, "may pay", 7) == 0 || strncmp(sentence, "perhaps.", 8) == 0;
}

static void
put_answer(StringInfo text, const CommitFigures *f, const Cause *first)
{
	const Answer *answer = find_answer(f);
	bool		adaptive = answer->setting == adaptive_sweep;

	put_first_step(text, f, answer, first);
	put_wrapped(text, f->width, "commit_delay as a remedy: ", "  ",
				!is_sweep(answer) ? answer->sentence :
				psprintf("%s To try %s, the live load runs with these delays in turn for %d s, then as before:",
						 answer->sentence, answer->setting,
						 sweep_seconds(f, adaptive) + (adaptive ? SWEEP_LEARNING : 0)));
	if (is_sweep(answer))
		causes_put_sweep(text, f, adaptive);
	else if (answer->setting != NULL)
		appendStringInfo(text, "ALTER SYSTEM SET %s;\nSELECT pg_reload_conf();\n",
						 answer->setting);
}

/* The causes; and, where it is not of a period, what a delay would do */
void
causes_put(StringInfo text, const CommitFigures *f)
{
	Causes		of_time = {0};
	Causes		who = {0};

	if (f->phase_mean != 0)
	{
		find_before_causes(f, &of_time);
		find_record_causes(f, &of_time);
		find_after_causes(f, &of_time);
		find_phase_causes(f, &of_time);
		find_stall_causes(f, &of_time);
		find_flush_causes(f, &of_time);
		put_causes(text, f, "Why: causes, in % of commit time\n", &of_time, true);
		find_client_causes(f, &who);
		put_causes(text, f, f->period != NULL ? "Who commits\n" : "Who commits, since the reset\n", &who, false);
	}
	if (f->period == NULL)
		put_answer(text, f, &of_time.cause[0]);
}
