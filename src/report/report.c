/*-------------------------------------------------------------------------
 *
 * report.c
 *		commit_stats_report(): one screen of text.
 *
 * report_data.c reads the figures, advice.c decides what they mean, and this
 * file puts them into words, with a function for each section.  The text fits
 * on a screen of 45 lines of 78 characters.
 *
 * Each sentence stands beside the figures that it follows from.  "By the rule"
 * means one of the rules of thumb in advice.c, which nobody has measured here.
 * Statements are qualified with the schema of the extension, so that they work
 * wherever they are pasted.
 *
 * Locking: none; report_data.c copies what is shared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "base/compat.h"
#include "base/guc.h"
#include "module/shared_memory.h"
#include "report/report.h"

PG_FUNCTION_INFO_V1(commit_stats_report_1_0);

#define HISTOGRAM_LINES		8
#define BAR_WIDTH			28

/*----------------------------------------------------------------
 * Numbers; "-" for one that is unknown.  Palloc'd, or constant.
 *----------------------------------------------------------------
 */

/* Three significant digits */
static char *
format_number(double x)
{
	int			decimals;
	double		unit;

	if (!isfinite(x))
		return pstrdup("-");
	if (x <= 0)
		return pstrdup("0");
	if (x < 0.001)
		return pstrdup("<0.001");
	decimals = 2 - (int) floor(log10(x));
	/* 9.999 becomes 10.0 and not 10.00 */
	unit = pow(10, -decimals);
	x = rint(x / unit) * unit;
	decimals = 2 - (int) floor(log10(x) + 1e-9);
	return psprintf("%.*f", Max(decimals, 0), x);
}

/* Exact if it is short */
static char *
format_count(uint64 n)
{
	if (n < 1000000)
		return psprintf(UINT64_FORMAT, n);
	if (n < UINT64CONST(999500000))
		return psprintf("%s M", format_number(n / 1e6));
	return psprintf("%s G", format_number(n / 1e9));
}

static char *
format_us(double us)
{
	if (!isfinite(us) || us < 999.5)
		return psprintf("%s us", format_number(us));
	if (us < 999.5e3)
		return psprintf("%s ms", format_number(us / 1e3));
	return psprintf("%s s", format_number(us / 1e6));
}

/* For longer times */
static char *
format_duration(double seconds)
{
	int			whole = (int) seconds;

	if (seconds < 1)
		return format_us(seconds * 1e6);
	if (seconds < 60)
		return psprintf("%s s", format_number(seconds));
	if (seconds < 3600)
		return psprintf("%d min %d s", whole / 60, whole % 60);
	if (seconds < 86400)
		return psprintf("%d h %d min", whole / 3600, whole % 3600 / 60);
	return psprintf("%d d %d h", whole / 86400, whole % 86400 / 3600);
}

/* 100% and 0% only if it is all or nothing */
static char *
format_percent(double part, double whole)
{
	double		percent = 100 * (part / whole);

	if (!(whole > 0) || !isfinite(percent))
		return pstrdup("-");
	if (percent > 0 && percent < 0.1)
		return pstrdup("<0.1%");
	if (percent < 100 && percent > 99.9)
		return pstrdup(">99.9%");
	if (percent == 0 || percent == 100)
		return psprintf("%.0f%%", percent);
	return psprintf("%.1f%%", percent);
}

/* Per second */
static char *
format_rate(uint64 n, double seconds)
{
	return format_number(ratio_or_zero(n, seconds));
}

static char *
format_ratio(uint64 part, uint64 whole)
{
	return whole == 0 ? "-" : psprintf("%.2f", (double) part / whole);
}

/* Ends a line whose last columns may be empty. */
static void
end_line(StringInfo text)
{
	while (text->data[text->len - 1] == ' ')
		text->len--;
	appendStringInfoChar(text, '\n');
}

/*----------------------------------------------------------------
 * The server, and what it is doing
 *----------------------------------------------------------------
 */

static void
put_head(StringInfo text, const CommitFigures *f)
{
	/* packagers add words to the version */
	const char *version = GetConfigOption("server_version", false, false);

	appendStringInfo(text, "PostgreSQL %.*s%s, commit_stats is %s\n",
					 (int) strcspn(version, " "), version,
					 f->is_standby ? ", a standby" : "",
					 f->counting ? "counting" :
					 "not counting (commit_stats.enabled = off)");
	appendStringInfo(text, "since %s, for %s\n",
					 timestamptz_to_str(f->stats_reset -
										f->stats_reset % USECS_PER_SEC),
					 format_duration(f->seconds));
}

static void
put_activity_line(StringInfo text, const char *name, const char *counted,
				  const char *rate, const char *newest)
{
	appendStringInfo(text, "%-24s%13s%13s%25s", name, counted, rate, newest);
	end_line(text);
}

static void
put_activity(StringInfo text, const CommitFigures *f)
{
	bool		recent = advice_recent_is_known(f);

	appendStringInfoChar(text, '\n');
	put_activity_line(text, "What the server does", "counted", "per second",
					  recent ? psprintf("newest " UINT64_FORMAT " flushes",
										f->recent_flushes) : "");
	put_activity_line(text, "  commits", psprintf(UINT64_FORMAT, f->commits),
					  format_rate(f->commits, f->seconds),
					  recent ? format_number(advice_commit_rate(f)) : "");
	put_activity_line(text, "  flushes", psprintf(UINT64_FORMAT, f->flushes),
					  format_rate(f->flushes, f->seconds),
					  recent ? format_number(advice_flush_rate(f)) : "");
	put_activity_line(text, "  commits per flush",
					  format_ratio(f->carried, f->flushes), "",
					  recent ? format_ratio(f->recent_carried, f->recent_flushes) : "");
	appendStringInfo(text, "  beside these: %s asynchronous (%s/s), %s read-only (%s/s)\n",
					 format_count(f->commits_async),
					 format_rate(f->commits_async, f->seconds),
					 format_count(f->commits_read_only),
					 format_rate(f->commits_read_only, f->seconds));
	if (f->prepares > 0)
		appendStringInfo(text, "  prepares: %s, %s each; waits per flush with them: %s\n",
						 format_count(f->prepares), format_us(f->prepare_time),
						 format_ratio(f->carried + f->prepares, f->flushes));
	if (recent)
		appendStringInfo(text, "  The newest flushes took %s; the last of them was %s ago.\n",
						 format_duration(f->recent_seconds),
						 format_duration(f->recent_age));
}

/*----------------------------------------------------------------
 * The histogram
 *----------------------------------------------------------------
 */

/* The first size of the line after the one that begins with "size" */
static int
next_line(int size, double growth)
{
	return Max(size + 1, (int) ceil(size * growth));
}

/* The smallest growth that needs no more than HISTOGRAM_LINES */
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

/* Flushes of a kind with "from" to "to" - 1 commits */
static uint64
sum_sizes(const FlushTotals *groups, GroupCountKind kind, int from, int to)
{
	uint64		n = 0;

	for (int size = from; size < to && size < groups->ncells; size++)
		n += flush_total(groups, kind, size);
	return n;
}

/* The flushes that slept come first; only without flushes, a bar is empty. */
static char *
draw_bar(uint64 flushes, uint64 delayed, uint64 most)
{
	int			length = (int) ceil(ratio_or_zero(BAR_WIDTH * flushes, most));
	int			slept = (int) rint(ratio_or_zero(length * delayed, flushes));
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

	appendStringInfo(text, "%18s%11s%8s%8s  %s",
					 from == 0 ? "0, prepares only" :
					 to == from + 1 ? psprintf("%d", from) :
					 psprintf("%d-%d", from, to - 1),
					 psprintf(UINT64_FORMAT, flushes),
					 format_percent(flushes, all),
					 format_percent(delayed, flushes),
					 draw_bar(flushes, delayed, most));
	end_line(text);
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

/* A part that is known to be between two times */
static void
put_time_range(StringInfo text, const char *name, double least, double most,
			   double of)
{
	char	   *low = format_us(least);
	char	   *high = format_us(most);

	if (strcmp(low, high) == 0)
		appendStringInfo(text, "  %-47s%10s%8s\n", name, high,
						 format_percent(most, of));
	else
		appendStringInfo(text, "  %-39s%19s%17s\n", name,
						 psprintf("%s .. %s", low, high),
						 psprintf("%s .. %s", format_percent(least, of),
								  format_percent(most, of)));
}

static void
put_time(StringInfo text, const char *name, double time, double of)
{
	put_time_range(text, name, time, time, of);
}

static void
put_commit_time(StringInfo text, const CommitFigures *f)
{
	bool		timed = f->timed_flushes > 0;
	bool		exact = timed || f->commit_sleep == 0;
	double		other = f->commit_time - f->commit_io - f->commit_sleep -
	f->leader_sleep;

	appendStringInfo(text, "\nWhere a mean commit of %s goes (p50 %s, p95 %s, p99 %s)\n",
					 format_us(f->commit_time), format_us(f->commit_p50),
					 format_us(f->commit_p95), format_us(f->commit_p99));
	if (timed)
		put_time(text, "writing and syncing, as a leader", f->commit_io,
				 f->commit_time);
	/* without timing, only a lower bound is known */
	put_time(text, exact ? "asleep in commit_delay, as a leader" :
			 "asleep in commit_delay, as a leader: at least",
			 f->commit_sleep, f->commit_time);
	if (f->leader_sleep > 0)
		put_time(text, exact ? "waiting for a leader asleep in commit_delay" :
				 "waiting for a leader asleep in it: at least",
				 f->leader_sleep, f->commit_time);
	if (f->standby_max > 0)
		put_time_range(text, "waiting for a standby", f->standby_min,
					   f->standby_max, f->commit_time);
	put_time_range(text, timed ? "waiting for another's flush, or the CPU" :
				   "flushing, waiting for it, or the CPU",
				   Max(other - f->standby_max, 0),
				   Max(other - f->standby_min, 0), f->commit_time);
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
						 format_us(f->flush_time_max));
		return;
	}
	appendStringInfo(text, "  A flush takes F0 = %s (p50 %s, p99 %s); disk busy: %s\n",
					 format_us(f->flush_time), format_us(f->flush_p50),
					 format_us(f->flush_p99),
					 format_percent(advice_device_busy(f), 1));
	if (f->timed_flushes < f->flushes)
		appendStringInfo(text, "  (from the %s of the flushes that were timed)\n",
						 format_percent(f->timed_flushes, f->flushes));
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
 * What makes commits many, or slow
 *
 * Each cause has a share: of the time, of the commits, or of the flushes; and
 * the smallest share that is worth a line.  The cause that is above that by
 * the largest factor comes first.
 *----------------------------------------------------------------
 */

/* The smallest shares. */
#define MIN_BATCHING		0.1
#define MIN_OVERFLOW		0.1
#define MIN_NOTIFY		0.05
#define MIN_STALLS		0.01
#define MIN_SLOW			0.001

#define NAME_WIDTH			16	/* bytes of a name; three fit into a line */

#define MAX_CAUSES			3	/* so that the report fits on a screen */

typedef struct Cause
{
	double		weight;			/* share / least */
	void		(*put) (StringInfo text, const CommitFigures *f);
} Cause;

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

	for (char *c = clean; *c != '\0'; c++)
		if ((unsigned char) *c < ' ' || *c == 0x7f)
			*c = '?';
	quoted = quote_identifier(clean);
	for (int cut = length; strlen(quoted) > NAME_WIDTH && cut > 0;)
	{
		cut = pg_mbcliplen(clean, length, cut - 1);
		quoted = quote_identifier(psprintf("%.*s...", cut, clean));
	}
	return quoted;
}

/* The client as "application (role, database)" */
static char *
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

/*
 * Where a quota binds, the disk does as many flushes as it allows, however few
 * commits there are to carry.
 */
static void
put_batching(StringInfo text, const CommitFigures *f)
{
	char	   *least = format_percent(advice_min_batching(f), 1);
	char	   *most = format_percent(advice_max_batching(f), 1);

	appendStringInfo(text, "  %s: %s of the commits,\n    %s bytes of WAL each",
					 name_client(&f->top),
					 format_percent(f->top_all, f->client_commits),
					 format_number(f->top_commit_size));
	if (advice_has_quota(f))
		appendStringInfoString(text, "; under the quota, fewer commits need not save flushes.\n");
	else
		appendStringInfo(text, "; ten in one would save %s of flushes.\n",
						 strcmp(least, most) == 0 ? most :
						 psprintf("%s to %s", least, most));
}

/* The top client may hide here. */
static void
put_overflow(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text, "  Clients without a row (commit_stats.max_clients): %s of the commits.\n",
					 format_percent(f->overflow_commits, f->client_commits));
	if (f->clients_evicted > 0)
		appendStringInfo(text, "    %s clients lost their row to newer ones, as if each connection had its own\n"
						 "    application_name (application_name_add_host of PgBouncer does that).\n",
						 format_count(f->clients_evicted));
}

static void
put_notify(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text, "  NOTIFY: in %s of the commits, which come one after the other.\n",
					 format_percent(f->commits_notify,
									f->commits + f->commits_async));
}

static void
put_stalls(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text, "  Stalls: %s of %s, %s of the last %s (commit_stall_log).\n",
					 format_count(f->stalls),
					 format_us(f->stall_time / f->stalls),
					 format_percent(f->stall_time, f->stall_seconds * 1e6),
					 format_duration(f->stall_seconds));
}

static void
put_slow_commits(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text, "  Slow: %s commits; see commit_slow_log.\n",
					 format_count(f->slow_commits));
}

static int
compare_causes(const void *a, const void *b)
{
	double		weight_a = ((const Cause *) a)->weight;
	double		weight_b = ((const Cause *) b)->weight;

	return weight_a < weight_b ? 1 : weight_a > weight_b ? -1 : 0;
}

static void
put_causes(StringInfo text, const CommitFigures *f)
{
	Cause		causes[] = {
		{advice_max_batching(f) / MIN_BATCHING, put_batching},
		{ratio_or_zero(f->commits_notify, f->commits + f->commits_async) /
		MIN_NOTIFY, put_notify},
		{ratio_or_zero(f->stall_time, f->stall_seconds * 1e6) / MIN_STALLS,
		put_stalls},
		{f->overflow_commits > f->top_all ?
			ratio_or_zero(f->overflow_commits, f->client_commits) / MIN_OVERFLOW : 0,
		put_overflow},
		/* not a cause; comes last */
		{Min(ratio_or_zero(f->slow_commits, f->commits + f->commits_async) / MIN_SLOW, 1),
		put_slow_commits},
	};

	if (f->commits < ADVICE_MIN_COMMITS)
		return;
	qsort(causes, lengthof(causes), sizeof(Cause), compare_causes);
	if (causes[0].weight < 1)
		return;
	appendStringInfoString(text, "\nWhat makes commits many or slow, the first cause first\n");
	for (int i = 0; i < MAX_CAUSES; i++)
		if (causes[i].weight >= 1)
			causes[i].put(text, f);
}

/*----------------------------------------------------------------
 * commit_delay and commit_siblings
 *----------------------------------------------------------------
 */

static void
put_hits(StringInfo text, const CommitFigures *f)
{
	uint64		adapted = f->hits_adaptive;
	uint64		fixed = Max(f->delayable, adapted) - adapted;
	uint64		fixed_hits = Min(Max(f->delay_hits, adapted) - adapted, fixed);
	uint64		others = Max(f->flushes, f->delayable) - f->delayable;

	if (adapted > 0)
		appendStringInfo(text, "  commit_stats.adaptive_delay: %s flushes slept, %s did not.\n",
						 format_count(adapted), format_count(others));
	if (fixed > 0)
		appendStringInfo(text, "  With commit_delay set: %s flushes, %s slept (%s), %s did not.\n",
						 format_count(fixed), format_count(fixed_hits),
						 format_percent(fixed_hits, fixed),
						 format_count(fixed - fixed_hits));
	else if (f->delay > 0 && adapted == 0)
		appendStringInfoString(text, "  No flush so far had commit_delay set.\n");
	if (f->siblings_max > 0)
		appendStringInfo(text, "  Others active: >= %d at %s of flushes, >= %d at half, at most %d.\n",
						 f->siblings, format_percent(f->reach, 1),
						 f->siblings_half, f->siblings_max);
}

static void
put_obstacles(StringInfo text, const CommitFigures *f)
{
	int			obstacles = advice_obstacles(f);

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
		appendStringInfo(text, "  ! %s commit was asynchronous: no commit waits for a flush.\n",
						 f->commits == 0 ? "Every" : "Nearly every");
	if (obstacles & NEVER_TOGETHER)
		appendStringInfoString(text, "  ! One client at a time: no flush found another transaction active.\n");
}

static void
put_delay(StringInfo text, const CommitFigures *f)
{
	if (f->adaptive)
		appendStringInfoString(text, "\ncommit_stats.adaptive_delay = on, instead of commit_delay\n");
	else
		appendStringInfo(text, "\ncommit_delay = %d us, commit_siblings = %d, as set now\n",
						 f->delay, f->siblings);
	if (f->flushes > 0)
		put_hits(text, f);
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
	appendStringInfo(text, "  %-36s%2s%9s  %s", name, relation, value, remark);
	end_line(text);
}

/* Without a timed flush, only an upper bound of F0 is known. */
static void
put_rules(StringInfo text, const CommitFigures *f)
{
	bool		timed = f->timed_flushes > 0;
	double		flush_time = timed ? advice_flush_time(f) : f->flush_time_max;
	double		rate = advice_commit_rate(f);

	if (!f->fsync || !(rate > 0 && flush_time > 0))
		return;
	appendStringInfo(text, "\nRules of thumb, for %slambda = %s commits/s and F0 %s %s\n",
					 advice_recent_is_known(f) ? "the newest " : "",
					 format_number(rate), timed ? "=" : "<=",
					 format_us(flush_time));
	put_rule(text, "F0/2 (server documentation)", timed ? "" : "<=",
			 format_us(flush_time / 2),
			 psprintf("commit_delay now: %d us", f->delay));
	put_rule(text, "sqrt(2 F0/lambda)", timed ? "" : "<=",
			 format_us(advice_square_root_rule(flush_time, rate)), "");
	put_rule(text, "lambda* = 2/F0 (arXiv 2606.18187)", timed ? "" : ">=",
			 psprintf("%s/s", format_number(advice_threshold(flush_time))),
			 !timed ? "" : advice_is_above_threshold(f) ?
			 "lambda is above: no timer" : "lambda is below");
	if (advice_has_quota(f))
		appendStringInfo(text, "  The stalls show a write quota of %.0f flushes in %s, where rules end.\n",
						 f->quota_flushes, format_us(f->quota_window));
	else if (advice_device_stalls(f))
		appendStringInfoString(text, "  Flushes stall, which the rules leave out.\n");
}

/*----------------------------------------------------------------
 * What next: a sentence or two, and the statement to paste
 *----------------------------------------------------------------
 */

static void
put_setting(StringInfo text, const char *setting)
{
	appendStringInfo(text, "ALTER SYSTEM SET %s; SELECT pg_reload_conf();\n",
					 setting);
}

static void
append_array(StringInfo text, const int *values, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(text, "%s%d", i == 0 ? "ARRAY[" : ", ", values[i]);
	appendStringInfoChar(text, ']');
}

static void
put_sweep(StringInfo text, const CommitFigures *f, const char *schema,
		  bool adaptive)
{
	int			delays[SWEEP_MAX_DELAYS];
	int			siblings[SWEEP_MAX_SIBLINGS];
	int			nsiblings = advice_sweep_siblings(f, siblings);

	appendStringInfo(text, "SELECT * FROM %s.commit_delay_sweep(\n  ", schema);
	append_array(text, delays, advice_sweep_delays(f, delays));
	if (nsiblings > 1)
	{
		appendStringInfoString(text, ", ");
		append_array(text, siblings, nsiblings);
	}
	appendStringInfo(text, ",\n  max_p99 => '%g ms'%s);\n",
					 advice_sweep_max_p99(f) / 1000.0,
					 adaptive ? ", adaptive => true" : "");
}

/* A quota, and the stalls that show it */
static void
put_quota(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text, "%d of the %d stalls in commit_stall_log end as on a disk that allows %.0f\n"
					 "flushes in %s.\n", f->quota_stalls, f->logged_stalls,
					 f->quota_flushes, format_us(f->quota_window));
}

/* What the stalls have in common, if no quota shows */
static void
put_unexplained_stalls(StringInfo text, const CommitFigures *f,
					   const char *schema)
{
	if (f->logged_stalls == 0)
		appendStringInfo(text, "Flushes stall (p50 %s, p99 %s), and commit_stall_log has none of\n"
						 "the stalls: what they wait for is not known. A delay has no reason so far.\n",
						 format_us(f->flush_p50), format_us(f->flush_p99));
	else
		appendStringInfo(text, "Flushes stall, and the stalls do not show a quota of flushes, so a delay has\n"
						 "no reason. Of their time, %s is during checkpoints, and %s is with WAL\n"
						 "that one large transaction wrote most of. The stalls one by one:\n"
						 "SELECT ended_at, duration, wal_bytes, checkpoint,\n"
						 "  writer_application_name FROM %s.commit_stall_log;\n",
						 format_percent(f->checkpoint_time, f->logged_time),
						 format_percent(f->writer_time, f->logged_time), schema);
}

/* Advice if flushes need no delay */
static void
put_no_delay(StringInfo text, const CommitFigures *f, Advice advice)
{
	const char *size = format_ratio(f->carried, f->flushes);
	bool		reset = f->delay > 0;

	if (advice == ADVICE_ALONE)
	{
		reset = advice_sleeps(f);
		appendStringInfo(text, "Commits hardly ever run at the same time here: %s of flushes found\n"
						 "another transaction active. %s\n",
						 format_percent(f->concurrency, 1),
						 reset ? "The sleeps are for nothing:" : "Leave it.");
	}
	else if (advice == ADVICE_SLEEPS_ALONE)
		appendStringInfo(text, "Set it to 0: before %s of %s flushes a leader slept, and a flush\n"
						 "carries %s commits, so no other commit comes during the sleep.\n",
						 format_count(f->delay_hits), format_count(f->flushes), size);
	else
		appendStringInfo(text, "%s: a flush carries %s commits, and a commit spends %s of its\n"
						 "time on its own flush%s. So no commit comes\n"
						 "while another one is flushed, and none would during a delay.\n",
						 reset ? "Set it to 0" : "Leave it at 0", size,
						 format_percent(f->commit_io + f->commit_sleep,
										f->commit_time),
						 f->commit_sleep > 0 ? " and the sleep before" : "");
	if (reset)
		put_setting(text, "commit_delay = 0");
}

/* Advice about what is no delay's business */
static void
put_other_advice(StringInfo text, const CommitFigures *f, Advice advice,
				 const char *schema)
{
	switch (advice)
	{
		case ADVICE_ENABLE:
			appendStringInfoString(text, "Counting is switched off, and the figures stand still. To go on:\n");
			put_setting(text, "commit_stats.enabled = on");
			break;
		case ADVICE_ASK_PRIMARY:
			appendStringInfoString(text, "Nothing commits on a standby: ask its primary.\n");
			break;
		case ADVICE_FSYNC_OFF:
			appendStringInfoString(text, "Leave it: with fsync = off commits do not wait for the disk, and data may be\n"
								   "lost in a crash of the machine.\n");
			break;
		case ADVICE_ASYNCHRONOUS:
			appendStringInfoString(text, "Leave it: commits do not wait for the disk here (synchronous_commit = off).\n");
			break;
		case ADVICE_COME_BACK:
			appendStringInfo(text, "Too little was counted yet (" UINT64_FORMAT
							 " commits that waited, of %d): come back later.\n",
							 f->commits, ADVICE_MIN_COMMITS);
			break;
		case ADVICE_ADAPTING:
			appendStringInfo(text, "commit_stats.adaptive_delay decides how long leaders sleep. What it has\n"
							 "learned, and why:\nSELECT * FROM %s.commit_delay_state;\n", schema);
			break;
		case ADVICE_STANDBY_FIRST:
			appendStringInfo(text, "Commits wait for a standby above all (at least %s of their time), which\n"
							 "no commit_delay will change. Look at its disk, the network, and\n"
							 "synchronous_commit first.\n",
							 format_percent(f->standby_min, f->commit_time));
			break;
		case ADVICE_NOT_THE_DISK:
			appendStringInfo(text, "Leave it: the disk was busy with flushes %s of the time, so commits hardly\n"
							 "ever wait for the flush of another one.\n",
							 format_percent(advice_device_busy(f), 1));
			break;
		case ADVICE_STALLS:
			put_unexplained_stalls(text, f, schema);
			break;
		case ADVICE_TIME_FLUSHES:
			appendStringInfoString(text, f->io_timing ?
								   "No flush was timed so far, which the rules need: come back later.\n" :
								   "Let flushes be timed, which rules and advice need, and come back later:\n");
			if (!f->io_timing)
				put_setting(text, "track_wal_io_timing = on");
			break;
		default:
			put_no_delay(text, f, advice);
	}
}

static void
put_advice(StringInfo text, const CommitFigures *f, const char *schema)
{
	Advice		advice = advice_choose(f);
	double		half = advice_flush_time(f) / 2;
	double		root = advice_square_root_rule(2 * half, advice_commit_rate(f));

	appendStringInfoString(text, "\nWhat next\n");
	switch (advice)
	{
		case ADVICE_ADAPT:
			appendStringInfo(text, "Commits hardly ever run at the same time here (others at %s of flushes).\n",
							 format_percent(f->concurrency, 1));
			put_quota(text, f);
			appendStringInfoString(text, "Even distances between flushes may avoid the stalls:\n");
			put_setting(text, "commit_stats.adaptive_delay = on");
			return;
		case ADVICE_LOWER_SIBLINGS:
			appendStringInfo(text, "commit_delay hardly ever hits: %s of flushes reach commit_siblings = %d,\n"
							 "and %s reach %d. Measure whether the delay then pays, in 30 s:\n",
							 format_percent(f->reach, 1), f->siblings,
							 f->siblings_half > 0 ? "half of them" :
							 format_percent(advice_better_reach(f), 1),
							 advice_better_siblings(f));
			break;
		case ADVICE_TRY_ZERO:
			appendStringInfo(text, "Try 0: the delay of %d us is %s flushes long (F0 = %s),\n"
							 "and the disk is idle, busy with flushes %s of the time.\n"
							 "Measure it, in 30 s of the live load:\n",
							 f->delay, format_number(f->delay / (2 * half)),
							 format_us(2 * half),
							 format_percent(advice_device_busy(f), 1));
			break;
		case ADVICE_SWEEP_QUOTA:
			put_quota(text, f);
			appendStringInfoString(text, "There a delay may pay, above all commit_stats.adaptive_delay, which is in\n"
								   "the last row. Measure it, in 35 s of the live load:\n");
			break;
		case ADVICE_SWEEP_TURNS:
			appendStringInfo(text, "Flushes take long without stalls (p50 %s, p99 %s).\n"
							 "Sessions that commit again soon may take turns, which a delay may end. Measure\n"
							 "it, in 35 s of the live load; commit_stats.adaptive_delay is in the last row:\n",
							 format_us(f->flush_p50), format_us(f->flush_p99));
			break;
		case ADVICE_LEAVE_ZERO:
			appendStringInfoString(text, "Leave it at 0: by the rule, flushes fill by themselves at this load, and no\n"
								   "delay should matter. To measure that, in 30 s of the live load:\n");
			break;
		case ADVICE_SWEEP_ABOVE:
			appendStringInfoString(text, "By the rule, flushes fill by themselves at this load, and 0 should do as well.\n"
								   "Measure it, in 30 s of the live load:\n");
			break;
		case ADVICE_SWEEP:
			appendStringInfo(text, "By the rules, a delay of %s to %s may pay, if it is the disk that\n"
							 "commits wait for. Measure it, in 30 s of the live load:\n",
							 format_us(Min(half, root)), format_us(Max(half, root)));
			break;
		default:
			put_other_advice(text, f, advice, schema);
			return;
	}
	put_sweep(text, f, schema, advice == ADVICE_SWEEP_QUOTA ||
			  advice == ADVICE_SWEEP_TURNS);
}

/* The schema of the function that is being called, quoted */
static const char *
schema_of(FunctionCallInfo fcinfo)
{
	char	   *schema =
	get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid));

	return quote_identifier(schema != NULL ? schema : "public");
}

Datum
commit_stats_report_1_0(PG_FUNCTION_ARGS)
{
	CommitFigures figures;
	FlushTotals *groups;
	StringInfoData text;

	shared_memory_require();
	groups = report_data_read(&figures);

	initStringInfo(&text);
	put_head(&text, &figures);
	put_activity(&text, &figures);
	put_histogram(&text, groups);
	put_times(&text, &figures);
	put_causes(&text, &figures);
	put_delay(&text, &figures);
	put_rules(&text, &figures);
	put_advice(&text, &figures, schema_of(fcinfo));
	text.data[--text.len] = '\0';	/* psql ends the last line itself */
	PG_RETURN_TEXT_P(cstring_to_text_with_len(text.data, text.len));
}
