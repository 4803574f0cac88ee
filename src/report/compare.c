/*-------------------------------------------------------------------------
 *
 * compare.c
 *		What made commits slower, or faster, from one period to another.
 *
 *	W	time that a mean commit waits for flushes
 *	F	mean time of a flush: stalls of each cause, and the rest, per flush
 *	q	W / F: flushes that a mean commit waits for
 *
 * The change of W is dF times the mean of both q, plus dq times the mean of
 * both F.  This is exact, and treats both periods alike.  The stalls of each
 * cause are parts of dF.  Load and group size change q together, so one
 * sentence names both.  A phase outside of flushes is a part of its own.  The
 * time in which a segment is made is a phase, and no part of F; likewise time
 * without a processor, if that is a phase.  "before" and "after" of a part of
 * F have the mean of both q as their factor, so that their difference is the
 * change.  That of q has neither: it is no time.
 *
 * What sessions wait for in their statements is no part of that, and has no
 * time; as more wait for each other there, commits can get faster.
 *
 * Rows without enough samples know no phase between the commit record and the
 * end.  If either period has much of them, W has all of these phases in both.
 *
 * Invariant: the changes of all parts add up to that of the whole.
 *
 * Locking: none.  This file uses neither shared memory nor the server, so t/
 * can compile it alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "report/report.h"

#define HARDLY_CHANGED		0.05
#define HARDLY_UNKNOWN		0.05	/* of commit time */
#define FEW_SESSIONS		1	/* on average */
#define NO_TIME				1e-9	/* us: what rounding leaves */

/* What a phase outside of flushes is spent with */
static const char *const spent_with[PHASE_N] = {
	[PHASE_BEFORE] = "Before the commit record (deferred triggers, constraints, locks)",
	[PHASE_RECORD] = "Until the commit record (the session's own work, locks, full WAL buffers)",
	[PHASE_NOTIFY] = "Waits for the lock of NOTIFY",
	[PHASE_DELAY] = "Sleeps before flushes (commit_delay, or the adaptive delay)",
	[PHASE_SEGMENT] = "New WAL segments",
	[PHASE_STANDBY] = "Waits for standbys",
	[PHASE_LOG] = "Commit log",
	[PHASE_AFTER] = "After the commit (files of dropped tables, predicate locks)",
	[PHASE_NOT_RUN] = "Without a processor (CPU limit, pause)",
	[PHASE_UNKNOWN] = "Time that is not known"
};

/* A period, per commit or per flush; us */
typedef struct Period
{
	const HistorySum *sum;
	double		commit;			/* mean, with before and after */
	double		phase[PHASE_N]; /* but for those that are in W */
	double		transaction;	/* mean, asynchronous ones included */
	double		waited;			/* W */
	double		flush;			/* F; 0: not timed */
	double		waits;			/* q */
	double		stall[STALL_NCAUSES];	/* parts of F */
	double		rest;			/* of F */
	double		steady;			/* mean of the flushes that did not stall;
								 * NaN: most did */
	bool		merged;			/* W has all that samples would tell apart */
	double		load;			/* commits/s */
	double		group;			/* commits and prepares in a flush */
	double		wal;			/* bytes of a flush */
} Period;

static void
set_period(Period *p, const HistorySum *sum, bool merged)
{
	double		commits = sum->value[SLOT_COMMITS];
	double		flushes = sum->value[SLOT_FLUSHES];
	double		stalls = 0;
	double		stalled = 0;	/* flushes */
	double		stopped = 0;	/* the leader, without a processor */

	memset(p, 0, sizeof(Period));
	p->sum = sum;
	p->merged = merged;
	p->commit = ratio_or_zero(history_commit_time(sum) / 1e3, commits);
	p->transaction = ratio_or_zero(sum->value[SLOT_TRANSACTION_TIME] / 1e3,
								   commits + sum->value[SLOT_COMMITS_ASYNC] +
								   sum->value[SLOT_PREPARES]);
	for (int phase = 0; phase < PHASE_N; phase++)
	{
		double		time = ratio_or_zero(sum->phase[phase] / 1e3, commits);

		if (phase == PHASE_FLUSH || phase == PHASE_OTHER_FLUSH ||
			(merged && (phase == PHASE_UNKNOWN || history_is_sampled(phase))))
			p->waited += time;
		else
			p->phase[phase] = time;
	}
	for (int cause = 0; cause < STALL_NCAUSES; cause++)
	{
		double		time = ratio_or_zero(sum->stall_time[cause] / 1e3, flushes);

		if (stall_is_not_run(p->phase, cause))
			stopped += time;
		else if (cause != STALL_SEGMENT)
			p->stall[cause] = time;
		stalls += p->stall[cause];
		stalled += p->stall[cause] > 0 ? sum->stalls[cause] : 0;
	}
	p->flush = ratio_or_zero(sum->value[SLOT_FLUSH_TIME] / 1e3,
							 sum->value[SLOT_TIMED_FLUSHES]);
	/* as in history.c, if those that stopped were not timed */
	p->flush = Max(p->flush - stopped, p->flush *
				   ratio_or_zero(p->waited, p->waited + p->phase[PHASE_NOT_RUN]));
	/* those that stalled may not have been timed */
	p->rest = Max(p->flush - stalls, 0);
	p->steady = 2 * stalled > flushes ? NAN : ratio_or_zero(p->rest * flushes, flushes - stalled);
	if (p->flush > 0)
		p->flush = p->rest + stalls;
	p->waits = ratio_or_zero(p->waited, p->flush);
	p->load = ratio_or_zero(commits, sum->seconds);
	p->group = ratio_or_zero(commits - Min(sum->commits_without_leader, commits) +
							 sum->value[SLOT_PREPARES], flushes);
	p->wal = ratio_or_zero(sum->flush_wal, flushes);
}

static bool
is_unknown(const HistorySum *sum)
{
	return sum->phase[PHASE_UNKNOWN] > HARDLY_UNKNOWN * history_commit_time(sum);
}

/*---- Sentences ---------------------------------------------------*/

/* -1: smaller, 0: hardly changed, 1: larger */
static int
direction(double before, double after)
{
	double		change = after - before;

	return fabs(change) <= HARDLY_CHANGED * Max(before, after) ? 0 :
		change < 0 ? -1 : 1;
}

/* Transactions that are not of the load, if a change of theirs matters to it */
static const char *
describe_others(const char *name, SlotCounter counter, const Period *b,
				const Period *a)
{
	double		before = ratio_or_zero(b->sum->value[counter], b->sum->seconds);
	double		after = ratio_or_zero(a->sum->value[counter], a->sum->seconds);

	return fabs(after - before) <= HARDLY_CHANGED * Max(b->load, a->load) ? "" :
		psprintf("; %s: %s to %s/s", name, format_number(before), format_number(after));
}

static const char *
describe_load(const Period *b, const Period *a)
{
	static const char *const words[] = {"fell", "did not change", "rose"};

	return psprintf("the load %s: %s to %s commits/s that wait%s%s",
					words[1 + direction(b->load, a->load)],
					format_number(b->load), format_number(a->load),
					describe_others("asynchronous commits", SLOT_COMMITS_ASYNC, b, a),
					describe_others("prepares, which wait, too", SLOT_PREPARES, b, a));
}

/* Commits whose end is in no sum */
static const char *
describe_hanging(const char *name, const HistorySum *sum)
{
	double		hanging = history_hanging(sum);

	return hanging == 0 ? "" :
		psprintf(" In \"%s\", on average %s commits waited, and most of that time is of those that did not end.",
				 name, format_number(hanging));
}

static const char *
describe_times(const char *subject, double before, double after,
			   const char *rest)
{
	static const char *const words[] = {"got faster", "take as long", "got slower"};

	return psprintf("%s %s: %s to %s%s.", subject,
					words[1 + direction(before, after)],
					format_us(before), format_us(after), rest);
}

/* Where these did not follow the commits in them */
static const char *
describe_transactions(const Period *b, const Period *a)
{
	int			change = direction(b->transaction, a->transaction);

	return change == 0 || change == direction(b->commit, a->commit) ? "" :
		psprintf("; transactions that write got %s: %s to %s", change < 0 ? "faster" : "slower",
				 format_us(b->transaction), format_us(a->transaction));
}

/* Pages go to the WAL whole after a checkpoint. */
static const char *
describe_wal(const Period *b, const Period *a)
{
	return Max(b->wal, a->wal) < XLOG_BLCKSZ ||
		Min(b->wal, a->wal) == 0 ||
		direction(b->wal, a->wal) == 0 ? "" :
		psprintf("; %s to %s of WAL in each; checkpoints: %u, then %u",
				 format_bytes(b->wal), format_bytes(a->wal),
				 b->sum->checkpoints, a->sum->checkpoints);
}

/* "31 of 97.0 ms in 1 h 0 min" */
static const char *
describe_stalls(const Period *p, StallCause cause)
{
	uint64		n = p->sum->stalls[cause];

	return psprintf("%s in %s",
					n == 0 ? "none" :
					psprintf("%s of %s", format_count(n),
							 format_us(p->sum->stall_time[cause] / 1e3 / n)),
					format_duration(p->sum->seconds));
}

/*---- Parts -------------------------------------------------------*/

/* Returns the next part, as all of these do. */
static ComparedPart *
put_part(ComparedPart *part, const char *name, double before, double after,
		 double change, const char *sentence)
{
	*part = (ComparedPart)
	{
		name, before, after, change, NAN, sentence
	};
	return part + 1;
}

/* One that is 0 in both periods is left out. */
static ComparedPart *
add_part(ComparedPart *part, const char *name, double before, double after,
		 const char *sentence)
{
	return fabs(before) < NO_TIME && fabs(after) < NO_TIME ? part :
		put_part(part, name, before, after, after - before, sentence);
}

static ComparedPart *
compare_phases(ComparedPart *part, const Period *b, const Period *a)
{
	for (int phase = 0; phase < PHASE_N; phase++)
		if (spent_with[phase] != NULL)
			part = add_part(part, commit_phase_names[phase],
							b->phase[phase], a->phase[phase],
							psprintf("%s: %s to %s.", spent_with[phase],
									 format_us(b->phase[phase]),
									 format_us(a->phase[phase])));
	return part;
}

static ComparedPart *
add_flushes(ComparedPart *part, const Period *b, const Period *a)
{
	double		waits = (b->waits + a->waits) / 2;
	double		flush = (b->flush + a->flush) / 2;

	if (b->flush == 0 || a->flush == 0)
		return add_part(part, "flushes", b->waited, a->waited,
						psprintf("Waits for flushes, which were not timed (track_wal_io_timing): %s to %s; %s%s.",
								 format_us(b->waited), format_us(a->waited),
								 describe_load(b, a), describe_wal(b, a)));
	for (int cause = 0; cause < STALL_NCAUSES; cause++)
		part = add_part(part, psprintf("stalls: %s", stall_cause_names[cause]),
						b->stall[cause] * waits, a->stall[cause] * waits,
						psprintf("Stalls, cause %s: %s, then %s.",
								 stall_cause_names[cause],
								 describe_stalls(b, cause),
								 describe_stalls(a, cause)));
	part = add_part(part, "flushes", b->rest * waits, a->rest * waits,
					isnan(b->steady + a->steady) ?
					psprintf("Most flushes of a period stalled: with stalls, a mean flush takes %s, then %s.",
							 format_us(b->flush), format_us(a->flush)) :
					describe_times("Flushes", b->steady, a->steady,
								   psprintf(" each, without stalls%s",
											describe_wal(b, a))));
	if (b->waits == 0 && a->waits == 0)
		return part;
	return put_part(part, "flushes waited", NAN, NAN,
					(a->waits - b->waits) * flush,
					psprintf("A commit waits for %.2f flushes, then for %.2f%s: %s; %.2f to %.2f commits%s in a flush.",
							 b->waits, a->waits, b->merged ?
							 " (with sleeps and other phases, of which there are few samples)" : "",
							 describe_load(b, a), b->group, a->group,
							 b->sum->value[SLOT_PREPARES] + a->sum->value[SLOT_PREPARES] > 0 ?
							 " and prepares" : ""));
}

/* Sessions that wait in statements, if a change of them matters */
static ComparedPart *
compare_waits(ComparedPart *part, const char *name, const char *of, double before, double after)
{
	return fabs(after - before) < Max(FEW_SESSIONS, Max(before, after) / 4) ? part :
		put_part(part, name, NAN, NAN, NAN,
				 psprintf("Sessions that wait for %s: on average %s, then %s.", of,
						  format_number(before), format_number(after)));
}

/* A setting has no time, and only its sentence tells what changed. */
static ComparedPart *
compare_setting(ComparedPart *part, const char *name, const char *before,
				const char *after)
{
	return strcmp(before, after) == 0 ? part :
		put_part(part, name, NAN, NAN, NAN,
				 psprintf("%s was changed from %s to %s.", name, before, after));
}

static int
compare_parts(const void *a, const void *b)
{
	double		one = fabs(((const ComparedPart *) a)->change);
	double		other = fabs(((const ComparedPart *) b)->change);

	return one > other ? -1 : one < other;
}

int
compare_periods(const HistorySum *before, const HistorySum *after,
				ComparedPart *part)
{
	double		ns_before = before->seconds * NS_PER_S;
	double		ns_after = after->seconds * NS_PER_S;
	ComparedPart *first;
	ComparedPart *end;
	bool		merged = is_unknown(before) || is_unknown(after);
	Period		b;
	Period		a;

	set_period(&b, before, merged);
	set_period(&a, after, merged);
	end = put_part(part, "commit", b.commit, a.commit, a.commit - b.commit,
				   psprintf("%s%s%s",
							describe_times("Commits", b.commit, a.commit,
										   psprintf("%s; %s, in %s and %s",
													describe_transactions(&b, &a),
													describe_load(&b, &a),
													format_duration(before->seconds),
													format_duration(after->seconds))),
							describe_hanging("before", before),
							describe_hanging("after", after)));
	end = compare_waits(end, "row waits", "rows or locks that committing ones hold",
						ratio_or_zero(before->waits.blocked_rows, ns_before),
						ratio_or_zero(after->waits.blocked_rows, ns_after));
	end = compare_waits(end, "lock waits", "other locks in their statements",
						ratio_or_zero(before->waits.lock_waits, ns_before),
						ratio_or_zero(after->waits.lock_waits, ns_after));
	first = end;
	end = compare_phases(end, &b, &a);
	end = add_flushes(end, &b, &a);
	qsort(first, end - first, sizeof(ComparedPart), compare_parts);
	for (ComparedPart *p = part; p < end; p++)
		p->share = direction(b.commit, a.commit) == 0 ? NAN : p->change / part->change;
	end = compare_setting(end, "commit_delay", psprintf("%d us", before->delay),
						  psprintf("%d us", after->delay));
	end = compare_setting(end, "commit_siblings", psprintf("%d", before->siblings),
						  psprintf("%d", after->siblings));
	end = compare_setting(end, "commit_stats.adaptive_delay",
						  before->adaptive ? "on" : "off",
						  after->adaptive ? "on" : "off");
	return end - part;
}
