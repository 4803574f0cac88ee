/*-------------------------------------------------------------------------
 *
 * report.c
 *		commit_stats_report(): one screen of text.
 *
 * report_data.c reads the figures, causes.c concludes, and this file puts the
 * sections one below the other: what hangs now, whether COMMIT matters, where
 * the time of a commit goes, why, what a delay would do, and the figures.  The
 * text fits on a screen of 50 lines of 78 characters.
 *
 * The report of a period of the history has what the history knows: nothing of
 * now, nothing of siblings, and so no answer on a delay.
 *
 * Each figure is computed once, in CommitFigures, so that it has one value
 * wherever it is printed.  Statements are qualified with the schema of the
 * extension, so that they work wherever they are pasted.
 *
 * The page, commit_stats_html(), is in the SQL script.
 *
 * Locking: none; report_data.c copies what is shared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "module/shared_memory.h"
#include "report/report.h"

PG_FUNCTION_INFO_V1(commit_stats_report_1_0);
PG_FUNCTION_INFO_V1(commit_stats_report_period_1_0);

#define HISTOGRAM_LINES		8
#define BAR_WIDTH			28	/* as that of the strings that it is cut from */

#define LEAST_PHASE			0.005	/* smaller shares are not printed */
#define CUT_OFF				1.2 /* times the time of samples: slow commits had
								 * some of theirs before these */
#define SLOW_MATTER			0.05	/* of all commit time, as far as is known */
#define UNCERTAIN_MATTER	0.05	/* of the commits, fewer are not printed */

/*---- What hangs now ----------------------------------------------*/

static void
put_now(StringInfo text, const CommitFigures *f)
{
	const WaitsNow *now = &f->now;
	const char *number = psprintf("%d", now->commits);

	if (now->commits < now->all)
		number = psprintf("%d of %d", now->commits, now->all);
	if (!f->counting && now->longest < WAITS_NOW_LONG)
		appendStringInfoString(text, "What waits now is not known: commit_stats.enabled is off.\n");
	else if (now->longest < WAITS_NOW_LONG)
		appendStringInfoString(text, "No commit waits now for 1 s or longer.\n");
	else
		put_sentence(text, f, "%s commit%s now, the longest for %s: %s.", number,
					 now->all == 1 ? " waits" : "s wait",
					 format_duration(now->longest / 1e6), now->what);
	if (now->blocked == 0 && f->idle_seconds >= 1)
		put_sentence(text, f, "End that transaction, of %s: it has been idle for %s.",
					 f->blocker, format_duration(f->idle_seconds));
	if (now->blocked > 0)
		put_sentence(text, f, "%d session%s now in a statement, the longest for %s: for %s. %s",
					 now->blocked, now->blocked == 1 ? " waits" : "s wait",
					 format_duration(now->blocked_for / 1e6), lock_wait_describe(&now->blocked_by),
					 f->idle_seconds < 1 ?
					 psprintf("That transaction, of %s, goes on: pg_stat_activity shows its statement.", f->blocker) :
					 psprintf("End that transaction, of %s: it has been idle for %s.",
							  f->blocker, format_duration(f->idle_seconds)));
}

static void
put_period_call(StringInfo text, const CommitFigures *f, TimestampTz from, TimestampTz to)
{
	appendStringInfo(text, "SELECT %s.commit_stats_report('%s', '%s');\n", f->schema,
					 format_time(from), format_time(to));
}

/*
 * Where hardly anything commits now, of which time the causes are.  Commits
 * may be many but short, or asynchronous; those that hang are in the samples.
 */
static void
put_quiet(StringInfo text, const CommitFigures *f)
{
	TimestampTz end = GetCurrentTimestamp() -
	(int64) (Max(f->seen_age, f->newest_age) * 1e6);

	if (f->seen_age > 0)
		put_sentence(text, f, "Hardly any session was in COMMIT since %s: causes are of the %s before.",
					 format_time(end), format_duration(f->phase_seconds));
	else if (!f->seen_enough && newest_are_old(f) && end >= history_first_minute(DT_NOBEGIN))
	{
		put_sentence(text, f, "Hardly any commit since %s: causes are by sums since the reset. Of the time before:",
					 format_time(end));
		put_period_call(text, f, end - 10 * USECS_PER_MINUTE, end + USECS_PER_SEC);
	}
}

static void
put_period_head(StringInfo text, const CommitFigures *f)
{
	put_sentence(text, f, "PostgreSQL %s, commit_history from %s to %s: %d row%s, in all %s%s.%s%s",
				 f->version, format_time(f->stats_reset), format_time(f->period->end),
				 f->period->rows, f->period->rows == 1 ? "" : "s",
				 format_duration(f->seconds),
				 f->asked < f->seconds + 90 ? "" :
				 psprintf(" of the %s asked for%s", format_duration(f->asked),
						  f->stats_reset >= history_first_minute(DT_NOBEGIN) ? "" :
						  " (of its hours, those that lie in the period)"),
				 f->period->gaps == 0 ? "" :
				 psprintf(" Rows are missing %d time%s in between (the server or commit_stats was off, or a crash lost them).",
						  f->period->gaps, f->period->gaps == 1 ? "" : "s"),
				 f->hanging == 0 ? "" :
				 psprintf(" On average %s commits waited, and most of that time is of those that did not end: phases are by samples.",
						  format_number(f->hanging)));
}

/*---- Where the time goes -----------------------------------------*/

static void
put_phases(StringInfo text, const CommitFigures *f)
{
	bool		samples = f->seen_enough && f->period == NULL;
	const char *slow = f->period != NULL ? "" :
	f->slow_seconds > 2 * f->phase_seconds ?
	psprintf("; slow ones in the last %s", format_duration(f->slow_seconds)) :
	samples && f->slow_recent * f->slow_mean > CUT_OFF * f->phase_mean * f->phase_commits ?
	"; slow ones with their time before that" : "";

	if (f->phase_mean == 0)
	{
		appendStringInfoString(text, "\nWhere the time of a commit goes: none has waited\n");
		return;
	}
	appendStringInfo(text, "\n%-28s%18s", "Where a commit's time goes",
					 psprintf("mean %s", format_us(f->phase_mean)));
	if (f->slow_n > 0)
		appendStringInfo(text, "%32s",
						 psprintf("%s" UINT64_FORMAT " slow, mean %s",
								  f->slow_n < f->slow_commits ? "latest " : "",
								  f->slow_n, format_us(f->slow_mean)));
	appendStringInfoChar(text, '\n');
	put_wrapped(text, f->width, "", " ",
				psprintf("(%s %s%s%s %s %s%s%s; in %% of commit time)",
						 format_count(f->phase_commits),
						 samples && f->prepares > 0 ? "wait" : "commit",
						 f->phase_commits == 1 ? "" : "s",
						 f->phase_unwaited == 0 ? "" :
						 psprintf(", of which %s wait for no flush,",
								  format_count(f->phase_unwaited)),
						 samples && f->seen_age == 0 ? "in the last" :
						 f->period || samples ? "in" : "since the reset,",
						 format_duration(f->phase_seconds),
						 samples ? ", from samples" : "", slow));
	for (int phase = 0; phase < PHASE_N; phase++)
	{
		if (Max(f->phase[phase], f->slow_phase[phase]) < LEAST_PHASE)
			continue;
		appendStringInfo(text, "  %-32s%12s%8s", commit_phase_names[phase],
						 format_us(f->phase[phase] * f->phase_mean),
						 format_percent(f->phase[phase]));
		if (f->slow_n > 0)
			appendStringInfo(text, "%16s%8s",
							 format_us(f->slow_phase[phase] * f->slow_mean),
							 format_percent(f->slow_phase[phase]));
		appendStringInfoChar(text, '\n');
	}
}

/* Slow commits that matter, and whose causes are not those that follow */
static void
put_slow_before(StringInfo text, const CommitFigures *f)
{
	TimestampTz from = Max(f->slow_before - 10 * USECS_PER_MINUTE,
						   GetCurrentTimestamp() - (int64) (f->slow_seconds * 1e6));

	if (f->slow_before == 0 || f->slow_n <= 2 * f->slow_recent || from < history_first_minute(DT_NOBEGIN) ||
		!(f->slow_n * f->slow_mean > SLOW_MATTER * f->phase_mean * f->commits))
		return;
	put_sentence(text, f, "Most slow ones ended before that time, the last of them at %s. Their causes:",
				 format_time(f->slow_before));
	put_period_call(text, f, from, f->slow_before + USECS_PER_SEC);
}

/*---- Figures -----------------------------------------------------*/

static void
put_count(StringInfo text, const CommitFigures *f, const char *name,
		  uint64 count, double newest)
{
	appendStringInfo(text, "  %-22s%13s%13s", name,
					 psprintf(UINT64_FORMAT, count),
					 format_number(ratio_or_zero(count, f->seconds)));
	if (f->newest)
		appendStringInfo(text, "%25s", format_number(newest));
	appendStringInfoChar(text, '\n');
}

static void
put_times(StringInfo text, const CommitFigures *f)
{
	if (f->commits > 0)
		appendStringInfo(text, "  A commit (without 'before', 'after'): p50 %s, p95 %s, p99 %s.\n",
						 format_us(f->commit_p50), format_us(f->commit_p95),
						 format_us(f->commit_p99));
	if (f->timed_flushes > 0)
		put_wrapped(text, f->width, "  ", "    ",
					psprintf("A flush: mean %s, p50 %s, p99 %s; %s of time%s",
							 format_us(f->flush_time), format_us(f->flush_p50),
							 format_us(f->flush_p99),
							 format_percent(Min(ratio_or_zero(f->flushes * f->flush_time / 1e6,
															  f->seconds), 1)),
							 !f->newest ? "" :
							 psprintf(", newest %s", format_percent(f->disk_busy))));
	else if (f->flushes > 0)
		appendStringInfo(text, "  A flush: mean %s at most; none was timed%s.\n",
						 format_us(f->flush_time_max), f->conf.io_timing ? "" :
						 " (track_wal_io_timing = off)");
}

static void
put_delay(StringInfo text, const CommitFigures *f)
{
	uint64		fixed_hits = clock_elapsed(f->hits_adaptive, f->delay_hits);
	const char *when = f->period == NULL ? "" : " as the period ended";

	if (f->adaptive || f->hits_adaptive > 0)
		appendStringInfo(text, "  commit_stats.adaptive_delay = %s%s: %s flush%s slept.\n",
						 f->adaptive ? "on" : "off", when, format_count(f->hits_adaptive),
						 f->hits_adaptive == 1 ? "" : "es");
	if (f->conf.delay == 0 && fixed_hits == 0 && !f->adaptive)
		appendStringInfo(text, "  commit_delay = 0: %s leader slept before its flush.\n",
						 f->hits_adaptive > 0 ? "by it, no" : "no");
	else if (!f->adaptive || fixed_hits > 0)
		put_wrapped(text, f->width, "  ", "    ",
					psprintf("commit_delay%s, commit_siblings = %d%s: %s flush%s slept, %s did not.",
							 f->conf.delay == 0 && f->period == NULL ? " (now 0)" :
							 psprintf(" = %d us", f->conf.delay),
							 f->conf.siblings, when, format_count(fixed_hits), fixed_hits == 1 ? "" : "es",
							 format_count(f->delay_misses)));
	if (f->siblings_max > 0)
		put_wrapped(text, f->width, "  ", "    ",
					psprintf("Siblings: %d or more at %s of %s, median %d, at most %d.",
							 f->conf.siblings, format_percent(f->reach), f->siblings_of,
							 f->siblings_half, f->siblings_max));
}

static void
put_uncertain(StringInfo text, const CommitFigures *f)
{
	if (f->flushes_uncertain > UNCERTAIN_MATTER * f->commits)
		appendStringInfo(text, "  Perhaps more flushes: %s of these commits may have led one.\n",
						 format_count(Min(f->flushes_uncertain, f->commits)));
}

static void
put_figures(StringInfo text, const CommitFigures *f)
{
	uint64		limit = slow_commit_limit(f->conf.slow_commit_time);
	bool		learned = f->conf.slow_commit_time < 0;

	appendStringInfo(text, "\n%-24s%13s%13s", "Figures", "counted", "per second");
	if (f->newest)
		appendStringInfo(text, "%25s", f->newest_age < 1 ? "per second, newest" :
						 psprintf("newest, %s ago", format_duration(f->newest_age)));
	appendStringInfo(text, "\n(since %s, for %s)\n", format_time(f->stats_reset),
					 format_duration(f->seconds));
	put_count(text, f, "commits", f->commits, f->commit_rate);
	put_count(text, f, "flushes", f->flushes, f->flush_rate);
	appendStringInfo(text, "  %-22s%13s", "commits per flush",
					 f->flushes == 0 ? "-" :
					 psprintf("%.2f", ratio_or_zero(f->carried, f->flushes)));
	if (f->newest)
		appendStringInfo(text, "%38.2f",
						 ratio_or_zero(f->newest_carried, f->newest_flushes));
	appendStringInfoChar(text, '\n');
	put_uncertain(text, f);
	appendStringInfo(text, "  not counted above: %s asynchronous, %s read-only, %s unlogged\n"
					 "  slow commits: %s%s\n",
					 format_count(f->commits_async),
					 format_count(f->commits_read_only),
					 format_count(f->commits_unlogged),
					 format_count(f->slow_commits), limit == PG_UINT64_MAX || f->period != NULL ? "" :
					 psprintf(" (the limit %s %s)", learned ? "follows commit times, now" : "is commit_stats.slow_commit_time,", format_us(limit / 1e3)));
	if (f->prepares > 0)
		appendStringInfo(text, "  prepares: %s, %s each; waits per flush with them: %.2f\n",
						 format_count(f->prepares), format_us(f->prepare_time),
						 ratio_or_zero(f->carried + f->prepares, f->flushes));
	if (f->newest)
		appendStringInfo(text, "  newest: " UINT64_FORMAT " flushes within %s, the last one %s ago\n",
						 f->newest_flushes, format_duration(f->newest_seconds),
						 format_duration(f->newest_age));
	put_times(text, f);
	put_delay(text, f);
}

/*---- The histogram -----------------------------------------------*/

/*
 * Line i has the sizes from from[i] on, before from[i + 1]: each line begins
 * at a multiple of the size before, the smallest that HISTOGRAM_LINES allow.
 */
static int
divide_sizes(int first, int end, int *from)
{
	int			n = HISTOGRAM_LINES + 1;

	for (double growth = 1.0; n > HISTOGRAM_LINES; growth += 0.1)
	{
		n = 0;
		for (int size = first; size < end && n <= HISTOGRAM_LINES;
			 size = Max(size + 1, (int) ceil(size * growth)))
			from[n++] = size;
	}
	from[n] = end;
	return n;
}

/* In the bar, flushes that slept come first; it is empty without flushes. */
static void
put_histogram_line(StringInfo text, const FlushTotals *groups,
				   int from, int to, uint64 all, uint64 most)
{
	uint64		flushes = flush_total_sum(groups, FLUSHES_BY_SIZE, from, to);
	uint64		delayed = flush_total_sum(groups, DELAYED_BY_SIZE, from, to);
	int			length = (int) ceil(ratio_or_zero(BAR_WIDTH * flushes, most));
	int			slept = (int) rint(ratio_or_zero(length * Min(delayed, flushes), flushes));

	appendStringInfo(text, "%18s%11s%8s%8s%s%.*s%.*s\n",
					 from == 0 ? "0, prepares only" :
					 to == from + 1 ? psprintf("%d", from) :
					 psprintf("%d-%d", from, to - 1),
					 psprintf(UINT64_FORMAT, flushes),
					 format_percent(ratio_or_zero(flushes, all)),
					 format_percent(ratio_or_zero(delayed, flushes)),
					 flushes == 0 ? "" : "  ", slept, "============================",
					 length - slept, "############################");
}

static void
put_histogram(StringInfo text, const FlushTotals *groups)
{
	int			from[HISTOGRAM_LINES + 1];
	uint64		all = flush_total_sum(groups, FLUSHES_BY_SIZE, 0, groups->ncells);
	uint64		most = 0;
	int			first = 0;
	int			end = groups->ncells;
	int			n;

	if (all == 0)
	{
		appendStringInfoString(text, "\nCommits in a flush: there was no flush\n");
		return;
	}
	while (flush_total(groups, FLUSHES_BY_SIZE, first) == 0)
		first++;
	while (flush_total(groups, FLUSHES_BY_SIZE, end - 1) == 0)
		end--;
	n = divide_sizes(first, end, from);
	for (int i = 0; i < n; i++)
		most = Max(most, flush_total_sum(groups, FLUSHES_BY_SIZE, from[i], from[i + 1]));
	appendStringInfo(text, "\n%-18s%11s%8s%8s  %s\n", "Commits in a flush",
					 "flushes", "share", "slept", "= leader slept, # did not");
	for (int i = 0; i < n; i++)
		put_histogram_line(text, groups, from[i], from[i + 1], all, most);
}

Datum
commit_stats_report_1_0(PG_FUNCTION_ARGS)
{
	CommitFigures figures;
	FlushTotals *groups;
	StringInfoData text;

	shared_memory_require();
	groups = report_data_read(&figures, fcinfo->flinfo->fn_oid);
	figures.width = REPORT_WIDTH;

	initStringInfo(&text);
	put_now(&text, &figures);
	put_quiet(&text, &figures);
	causes_put_weight(&text, &figures);
	appendStringInfo(&text, "PostgreSQL %s%s, commit_stats is %s\n", figures.version,
					 figures.is_standby ? ", a standby" : "",
					 figures.counting ? "counting" :
					 "not counting (commit_stats.enabled = off)");
	if (figures.is_standby && figures.commits + figures.commits_async > 0)
		appendStringInfoString(&text, "Its commits are of the time before it became a standby.\n");
	if (!figures.is_standby && !watch_wake_worker())
		put_wrapped(&text, figures.width, "", "  ",
					"The background worker of commit_stats does not run: nothing is sampled, logged or kept for commit_history. If it failed, it starts again within 5 s; else max_worker_processes is too low.");
	put_phases(&text, &figures);
	put_slow_before(&text, &figures);
	causes_put(&text, &figures);
	put_figures(&text, &figures);
	put_histogram(&text, groups);
	text.data[--text.len] = '\0';	/* psql ends the last line itself */
	PG_RETURN_TEXT_P(cstring_to_text_with_len(text.data, text.len));
}

/* Of a period of the history; not strict, as a planner folds strict calls. */
Datum
commit_stats_report_period_1_0(PG_FUNCTION_ARGS)
{
	CommitFigures figures;
	StringInfoData text;

	shared_memory_require();
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	initStringInfo(&text);
	if (!period_read(&figures, fcinfo->flinfo->fn_oid, PG_GETARG_TIMESTAMPTZ(0),
					 PG_GETARG_TIMESTAMPTZ(1)))
		put_wrapped(&text, PG_GETARG_INT32(2), "", "  ", period_describe_kept());
	else
	{
		figures.width = PG_GETARG_INT32(2);
		put_period_head(&text, &figures);
		causes_put_weight(&text, &figures);
		put_phases(&text, &figures);
		causes_put(&text, &figures);
		put_figures(&text, &figures);
	}
	text.data[--text.len] = '\0';
	PG_RETURN_TEXT_P(cstring_to_text_with_len(text.data, text.len));
}
