/*-------------------------------------------------------------------------
 *
 * report.c
 *		Everything a person wants to know, on one screen of text.
 *
 * What is shown is copied first (report_data.c), what it means is decided elsewhere
 * (advice.c); here it becomes text, a function for each section.  No line is
 * longer than REPORT_WIDTH, and all of them fit on a screen of 45.  What to do
 * next is put into words in report_advice.c.
 *
 * Where a figure was counted or timed, the text says "measured"; where it comes
 * from a rule, it says so.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "base/shared_memory.h"
#include "report/advice.h"
#include "report/report.h"
#include "report/report_data.h"
#include "report/report_format.h"

#define HISTOGRAM_LINES		10
#define BAR_WIDTH			28

/*----------------------------------------------------------------
 * The server, and what it is doing
 *----------------------------------------------------------------
 */

/* The version without what a packager added to it. */
static char *
server_version(void)
{
	const char *reported = GetConfigOption("server_version", false, false);
	char	   *version = pstrdup(reported);

	version[strcspn(version, " ")] = '\0';
	return version;
}

static void
put_head(StringInfo text, const ReportCopy *copy)
{
	const CommitFigures *f = &copy->figures;

	appendStringInfo(text, "PostgreSQL %s%s, commit_stats is %s\n",
					 server_version(), f->is_standby ? ", a standby" : "",
					 f->counting ? "counting" :
					 "not counting (commit_stats.enabled = off)");
	appendStringInfo(text, "since %s, for %s\n",
					 timestamptz_to_str(copy->stats_reset -
										copy->stats_reset % USECS_PER_SEC),
					 report_format_duration(f->seconds));
}

/* "rate" and "recent" are null where there is none. */
static void
put_activity_line(StringInfo text, const char *name, const char *counted,
				  const char *rate, const char *recent)
{
	appendStringInfo(text, "%-24s%13s", name, counted);
	if (rate != NULL)
		appendStringInfo(text, "%13s", rate);
	if (recent != NULL)
		appendStringInfo(text, "%*s", rate != NULL ? 25 : 38, recent);
	appendStringInfoChar(text, '\n');
}

static void
put_activity_count(StringInfo text, const char *name, uint64 n,
				   double seconds, const char *recent)
{
	put_activity_line(text, name, psprintf(UINT64_FORMAT, n),
					  report_format_number(rate_per_second(n, seconds)), recent);
}

static char *
commits_per_flush(uint64 commits, uint64 flushes)
{
	if (flushes == 0)
		return "-";
	return psprintf("%.2f", (double) commits / flushes);
}

/* Those that need no flush, or do not wait for one. */
static void
put_other_commits(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text, "  beside these: %s asynchronous (%s/s), %s read-only (%s/s)\n",
					 report_format_count(f->commits_async),
					 report_format_number(rate_per_second(f->commits_async, f->seconds)),
					 report_format_count(f->commits_read_only),
					 report_format_number(rate_per_second(f->commits_read_only, f->seconds)));
}

static void
put_activity(StringInfo text, const CommitFigures *f)
{
	bool		recent = recent_is_known(f);

	appendStringInfoChar(text, '\n');
	put_activity_line(text, "What the server does", "counted", "per second",
					  !recent ? NULL :
					  psprintf("newest " UINT64_FORMAT " flushes", f->recent_flushes));
	put_activity_count(text, "  commits", f->commits, f->seconds,
					   !recent ? NULL : report_format_number(load_commits(f)));
	put_activity_count(text, "  flushes", f->flushes, f->seconds,
					   !recent ? NULL : report_format_number(load_flushes(f)));
	put_activity_line(text, "  commits per flush",
					  commits_per_flush(f->carried, f->flushes),
					  NULL, !recent ? NULL :
					  commits_per_flush(f->recent_carried, f->recent_flushes));
	put_other_commits(text, f);
	if (recent)
		appendStringInfo(text, "  The newest flushes took %s; the last of them was %s ago.\n",
						 report_format_duration(f->recent_seconds),
						 report_format_duration(f->recent_age));
}

/*----------------------------------------------------------------
 * The histogram
 *----------------------------------------------------------------
 */

/* Where the line after the one that begins at "size" begins. */
static int
next_line(int size, double growth)
{
	return Max(size + 1, (int) ceil(size * growth));
}

/* How much each line must begin above the one before, for them to be few. */
static double
line_growth(int first, int last)
{
	for (double growth = 1.0;; growth += 0.1)
	{
		int			lines = 0;

		for (int size = first; size <= last; size = next_line(size, growth))
			lines++;
		if (lines <= HISTOGRAM_LINES)
			return growth;
	}
}

static uint64
sum_sizes(const FlushTotals *groups, GroupCountKind kind,
		  int from, int to)
{
	uint64		n = 0;

	for (int size = from; size < to && size < groups->ncells; size++)
		n += flush_total(groups, kind, size);
	return n;
}

/* Something is drawn of whatever there is. */
static int
bar_length(uint64 n, uint64 most)
{
	return (int) ceil((double) BAR_WIDTH * n / Max(most, 1));
}

/* Those that slept come first, and are no longer than all of them. */
static char *
draw_bar(uint64 flushes, uint64 delayed, uint64 most)
{
	int			length = bar_length(flushes, most);
	int			slept = (int) rint((double) length * delayed / Max(flushes, 1));
	char	   *bar = palloc(length + 1);

	memset(bar, '#', length);
	memset(bar, '=', Min(slept, length));
	bar[length] = '\0';
	return bar;
}

static void
put_histogram_line(StringInfo text, const FlushTotals *groups,
				   int from, int to, uint64 all, uint64 most)
{
	uint64		flushes = sum_sizes(groups, FLUSHES_BY_SIZE, from, to);
	uint64		delayed = sum_sizes(groups, DELAYED_BY_SIZE, from, to);
	char	   *label = to == from + 1 ? psprintf("%d", from) :
	psprintf("%d-%d", from, to - 1);

	appendStringInfo(text, "%18s%11s%8s%8s  %s\n", label,
					 psprintf(UINT64_FORMAT, flushes),
					 report_format_percent(flushes, all),
					 report_format_percent(delayed, flushes),
					 draw_bar(flushes, delayed, most));
}

static void
put_histogram(StringInfo text, const FlushTotals *groups)
{
	uint64		all = sum_sizes(groups, FLUSHES_BY_SIZE, 0, groups->ncells);
	uint64		most = 0;
	int			first = 0;
	int			last = groups->ncells - 1;
	double		growth;

	if (all == 0)
	{
		appendStringInfoString(text, "\nCommits in a flush: there was no flush\n");
		return;
	}
	while (flush_total(groups, FLUSHES_BY_SIZE, first) == 0)
		first++;
	while (flush_total(groups, FLUSHES_BY_SIZE, last) == 0)
		last--;
	growth = line_growth(first, last);
	for (int size = first; size <= last; size = next_line(size, growth))
		most = Max(most, sum_sizes(groups, FLUSHES_BY_SIZE, size,
								   next_line(size, growth)));
	appendStringInfo(text, "\n%-18s%11s%8s%8s  %s\n", "Commits in a flush",
					 "flushes", "share", "slept", "# at once, = slept first");
	for (int size = first; size <= last; size = next_line(size, growth))
		put_histogram_line(text, groups, size,
						   Min(next_line(size, growth), last + 1), all, most);
}

/*----------------------------------------------------------------
 * Where the time goes
 *----------------------------------------------------------------
 */

static void
put_time_line(StringInfo text, const char *name, double time, double of)
{
	appendStringInfo(text, "  %-47s%10s%8s\n", name, report_format_us(time),
					 report_format_percent(time, of));
}

/* A part that is known to be between two times. */
static void
put_time_range(StringInfo text, const char *name, double least, double most,
			   double of)
{
	if (strcmp(report_format_us(least), report_format_us(most)) == 0)
		put_time_line(text, name, most, of);
	else
		appendStringInfo(text, "  %-39s%19s%17s\n", name,
						 psprintf("%s .. %s", report_format_us(least), report_format_us(most)),
						 psprintf("%s .. %s", report_format_percent(least, of),
								  report_format_percent(most, of)));
}

static void
put_commit_time(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text, "\nWhere a mean commit of %s goes (p50 %s, p95 %s, p99 %s)\n",
					 report_format_us(f->commit_time), report_format_us(f->commit_p50),
					 report_format_us(f->commit_p95), report_format_us(f->commit_p99));
	if (f->timed_flushes > 0)
		put_time_line(text, "writing and syncing, as a leader", f->commit_io,
					  f->commit_time);
	/* the lower bound that is known without timing */
	put_time_line(text,
				  f->timed_flushes > 0 || f->commit_sleep == 0 ?
				  "asleep in commit_delay, as a leader" :
				  "asleep in commit_delay, as a leader: at least",
				  f->commit_sleep, f->commit_time);
	if (f->standby_max > 0)
		put_time_range(text, "waiting for a standby", f->standby_min,
					   f->standby_max, f->commit_time);
	put_time_range(text,
				   f->timed_flushes > 0 ? "waiting for another's flush, or the CPU" :
				   "flushing, waiting for it, or the CPU",
				   commit_rest(f, f->standby_max),
				   commit_rest(f, f->standby_min), f->commit_time);
}

static void
put_flush_time(StringInfo text, const CommitFigures *f)
{
	if (f->timed_flushes == 0)
	{
		appendStringInfo(text, "  How long a flush takes (F0) is not known: %s.\n"
						 "  At most %s on average, by what its leader's commit took.\n",
						 f->io_timing ? "none was timed so far" :
						 "track_wal_io_timing = off",
						 report_format_us(f->flush_time_max));
		return;
	}
	appendStringInfo(text, "  A flush takes F0 = %s (p50 %s, p99 %s); disk busy: %s\n",
					 report_format_us(f->flush_time), report_format_us(f->flush_p50),
					 report_format_us(f->flush_p99),
					 report_format_percent(device_busy(f), 1));
	if (f->timed_flushes < f->flushes)
		appendStringInfo(text, "  (from the %s of the flushes that were timed)\n",
						 report_format_percent(f->timed_flushes, f->flushes));
}

static void
put_times(StringInfo text, const CommitFigures *f)
{
	if (f->commits == 0)
		appendStringInfoString(text, "\nWhere the time of a commit goes: none has waited\n");
	else
		put_commit_time(text, f);
	if (f->flushes > 0)
		put_flush_time(text, f);
}

/*----------------------------------------------------------------
 * commit_delay and commit_siblings
 *----------------------------------------------------------------
 */

static void
put_hits(StringInfo text, const CommitFigures *f)
{
	if (f->delayable > 0)
		appendStringInfo(text, "  With commit_delay set: %s flushes, %s slept (%s), %s did not.\n",
						 report_format_count(f->delayable),
						 report_format_count(f->delay_hits),
						 report_format_percent(f->delay_hits, f->delayable),
						 report_format_count(f->delayable - f->delay_hits));
	else if (f->delay > 0)
		appendStringInfoString(text, "  No flush so far had commit_delay set.\n");
}

/* What decides whether it hits. */
static void
put_reach(StringInfo text, const CommitFigures *f)
{
	if (f->siblings_max == 0)
		return;
	appendStringInfo(text, "  Others active: >= %d at %s of flushes, >= %d at half, at most %d.\n",
					 f->siblings, report_format_percent(f->reach, 1),
					 f->siblings_half, f->siblings_max);
}

static void
put_obstacles(StringInfo text, const CommitFigures *f)
{
	int			obstacles = delay_obstacles(f);

	if (obstacles & DELAY_IS_ZERO)
		appendStringInfoString(text, "  ! commit_delay = 0: no flush sleeps.\n");
	if (obstacles & FSYNC_IS_OFF)
		appendStringInfoString(text, "  ! fsync = off: commits do not wait for the disk, and no flush sleeps.\n");
	if (obstacles & SIBLINGS_UNREACHABLE)
		appendStringInfo(text, "  ! commit_siblings = %d is out of reach: max_connections leaves %d others.\n",
						 f->siblings, f->connections - 1);
	if (obstacles & SIBLINGS_NEVER_SEEN)
		appendStringInfo(text, "  ! commit_siblings = %d was never reached: no flush sleeps.\n",
						 f->siblings);
	if (obstacles & NOBODY_WAITS)
		appendStringInfo(text, "  ! %s commit was asynchronous: nobody waits for a flush.\n",
						 f->commits == 0 ? "Every" : "Nearly every");
	if (obstacles & NEVER_TOGETHER)
		appendStringInfoString(text, "  ! One client at a time: no flush found another transaction active.\n");
}

static void
put_delay(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text, "\ncommit_delay = %d us, commit_siblings = %d, as set now\n",
					 f->delay, f->siblings);
	if (f->flushes > 0)
	{
		put_hits(text, f);
		put_reach(text, f);
	}
	put_obstacles(text, f);
}

/*----------------------------------------------------------------
 * Rules of thumb
 *----------------------------------------------------------------
 */

static void
put_rule(StringInfo text, const char *name, const char *relation,
		 const char *value, const char *remark)
{
	appendStringInfo(text, "  %-36s%2s%9s", name, relation, value);
	if (remark[0] != '\0')
		appendStringInfo(text, "  %s", remark);
	appendStringInfoChar(text, '\n');
}

/* Without a timed flush, F0 is known from above only, and so are the rules. */
static void
put_rules(StringInfo text, const CommitFigures *f)
{
	bool		timed = f->timed_flushes > 0;
	double		flush_time = timed ? f->flush_time : f->flush_time_max;
	double		load = load_commits(f);

	if (!f->fsync || !(load > 0 && flush_time > 0))
		return;
	appendStringInfo(text, "\nRules of thumb, for lambda = %s commits/s and F0 %s %s\n",
					 report_format_number(load), timed ? "=" : "<=",
					 report_format_us(flush_time));
	put_rule(text, "F0/2 (server documentation)", timed ? "" : "<=",
			 report_format_us(rule_documentation(flush_time)),
			 psprintf("commit_delay now: %d us", f->delay));
	put_rule(text, "sqrt(2 F0/lambda)", timed ? "" : "<=",
			 report_format_us(rule_square_root(flush_time, load)), "");
	put_rule(text, "lambda* = 2/F0 (arXiv 2606.18187)", timed ? "" : ">=",
			 psprintf("%s/s", report_format_number(rule_threshold(flush_time))),
			 !timed ? "" : load_is_above_threshold(f) ?
			 "lambda is above: no timer" : "lambda is below");
	if (device_stalls(f))
		appendStringInfo(text, "  Flushes stall (mean %s x p50): a sign of a write quota, where rules end.\n",
						 report_format_number(f->flush_time / f->flush_p50));
}

/*----------------------------------------------------------------
 * All of it
 *----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(commit_stats_report_1_0);

Datum
commit_stats_report_1_0(PG_FUNCTION_ARGS)
{
	ReportCopy	copy;
	StringInfoData text;

	shared_memory_require();
	report_data_read(&copy);

	initStringInfo(&text);
	put_head(&text, &copy);
	put_activity(&text, &copy.figures);
	put_histogram(&text, copy.groups);
	put_times(&text, &copy.figures);
	put_delay(&text, &copy.figures);
	put_rules(&text, &copy.figures);
	report_advice(&text, &copy.figures);
	text.data[--text.len] = '\0';	/* psql ends the last line itself */
	PG_RETURN_TEXT_P(cstring_to_text_with_len(text.data, text.len));
}
