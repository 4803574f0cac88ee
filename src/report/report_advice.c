/*-------------------------------------------------------------------------
 *
 * report_advice.c
 *		The end of the report: what to do next, in words.
 *
 * One or two sentences for each Advice, and the statement to paste.  They say
 * what was measured and what is only so by a rule, and promise nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "report/advice.h"
#include "report/report.h"
#include "report/report_format.h"

static char *
array_literal(const int *values, int n)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < n; i++)
		appendStringInfo(&text, "%s%d", i == 0 ? "ARRAY[" : ", ", values[i]);
	appendStringInfoChar(&text, ']');
	return text.data;
}

static void
put_sweep(StringInfo text, const CommitFigures *f)
{
	int			delays[SWEEP_MAX_DELAYS];
	int			siblings[SWEEP_MAX_SIBLINGS];
	int			ndelays = sweep_delays(f, delays);
	int			nsiblings = sweep_siblings(f, siblings);
	char	   *arguments = array_literal(delays, ndelays);

	if (nsiblings > 1)
		arguments = psprintf("%s, %s", arguments,
							 array_literal(siblings, nsiblings));
	appendStringInfo(text, "SELECT * FROM commit_delay_sweep(%s%s);\n",
					 strlen(arguments) > REPORT_WIDTH - 35 ? "\n  " : "",
					 arguments);
}

static void
put_setting(StringInfo text, const char *setting)
{
	appendStringInfo(text, "ALTER SYSTEM SET %s; SELECT pg_reload_conf();\n",
					 setting);
}

static void
put_come_back(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text, "Too little was counted yet (" UINT64_FORMAT
					 " commits that waited, of %d): come back later.\n",
					 f->commits, ADVICE_MIN_COMMITS);
}

static void
put_not_the_disk(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text,
					 "Leave it: commits do not wait for the disk here, which was busy with them\n"
					 "%s of the time (measured).\n",
					 report_format_percent(device_busy(f), 1));
}

static void
put_alone(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text, "Commits hardly ever run at the same time here (measured), so there is nobody\n"
					 "to share a flush with. %s\n",
					 f->delay_hits == 0 ? "Leave it." :
					 "The sleeps are for nothing:");
	if (f->delay_hits > 0)
		put_setting(text, "commit_delay = 0");
}

static void
put_lower_siblings(StringInfo text, const CommitFigures *f)
{
	appendStringInfo(text, "Lower commit_siblings to %d, which half of the flushes reach (measured): as\n"
					 "it is, commit_delay hardly ever hits. Whether it then pays, 30 s will tell:\n",
					 better_siblings(f));
	put_sweep(text, f);
}

static void
put_time_flushes(StringInfo text, const CommitFigures *f)
{
	if (f->io_timing)
		appendStringInfoString(text, "No flush was timed so far, which the rules need: come back later.\n");
	else
	{
		appendStringInfoString(text, "Let flushes be timed, which rules and advice need, and come back later:\n");
		put_setting(text, "track_wal_io_timing = on");
	}
}

static void
put_sweep_by_rules(StringInfo text, const CommitFigures *f)
{
	double		documentation = rule_documentation(f->flush_time);
	double		square_root = rule_square_root(f->flush_time, load_commits(f));

	appendStringInfo(text, "By the rules, a delay of %s to %s may pay, if it is the disk that\n"
					 "commits wait for. Measure it, in 30 s of the live load:\n",
					 report_format_us(Min(documentation, square_root)),
					 report_format_us(Max(documentation, square_root)));
	put_sweep(text, f);
}

/* What is said without figures. */
static const char *const sentences[] = {
	[ADVICE_ENABLE] =
	"Counting is switched off, and the figures stand still. To go on:\n",
	[ADVICE_ASK_PRIMARY] =
	"Nothing commits on a standby: ask its primary.\n",
	[ADVICE_FSYNC_OFF] =
	"Leave it: with fsync = off commits do not wait for the disk, and data may be\n"
	"lost in a crash of the machine.\n",
	[ADVICE_ASYNCHRONOUS] =
	"Leave it: commits do not wait for the disk here (synchronous_commit = off).\n",
	[ADVICE_STANDBY_FIRST] =
	"Commits wait for a standby above all (measured), which no commit_delay will\n"
	"change. Look at its disk, the network, and synchronous_commit first.\n",
	[ADVICE_SWEEP_QUOTA] =
	"The disk stalls as one with a write quota does (measured). There a delay may\n"
	"pay a lot; how much, only 30 s of the live load can tell:\n",
	[ADVICE_LEAVE_ZERO] =
	"Leave it at 0: by the rule, flushes fill by themselves at this load, and no\n"
	"delay should matter. To measure that, in 30 s of the live load:\n",
	[ADVICE_SWEEP_ABOVE] =
	"By the rule, flushes fill by themselves at this load, and 0 should do as well.\n"
	"Measure it, in 30 s of the live load:\n",
	[ADVICE_SWEEP] = NULL
};

void
report_advice(StringInfo text, const CommitFigures *f)
{
	Advice		advice = advise(f);

	appendStringInfoString(text, "\nWhat next\n");
	if (sentences[advice] != NULL)
		appendStringInfoString(text, sentences[advice]);
	switch (advice)
	{
		case ADVICE_ENABLE:
			put_setting(text, "commit_stats.enabled = on");
			break;
		case ADVICE_COME_BACK:
			put_come_back(text, f);
			break;
		case ADVICE_ALONE:
			put_alone(text, f);
			break;
		case ADVICE_LOWER_SIBLINGS:
			put_lower_siblings(text, f);
			break;
		case ADVICE_TIME_FLUSHES:
			put_time_flushes(text, f);
			break;
		case ADVICE_NOT_THE_DISK:
			put_not_the_disk(text, f);
			break;
		case ADVICE_SWEEP_QUOTA:
		case ADVICE_LEAVE_ZERO:
		case ADVICE_SWEEP_ABOVE:
			put_sweep(text, f);
			break;
		case ADVICE_SWEEP:
			put_sweep_by_rules(text, f);
			break;
		case ADVICE_ASK_PRIMARY:
		case ADVICE_FSYNC_OFF:
		case ADVICE_ASYNCHRONOUS:
		case ADVICE_STANDBY_FIRST:
			break;
	}
}
