/*-------------------------------------------------------------------------
 *
 * report_causes.c
 *		What makes commits many, or slow: a section of the report.
 *
 * Each cause has a share: of the time, of the commits, or of the flushes; and
 * the smallest share that is worth a line.  The cause that is above that by
 * the largest factor comes first.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "base/compat.h"
#include "report/advice.h"
#include "report/report_causes.h"
#include "report/report_format.h"

/* The smallest shares. */
#define BATCHING_LEAST		0.1
#define OVERFLOW_LEAST		0.1
#define NOTIFY_LEAST		0.05
#define STALLS_LEAST		0.01
#define SLOW_LEAST			0.001

#define NAME_WIDTH			16	/* bytes of a name; three fit into a line */

#define MOST_CAUSES			3	/* so that the report fits on a screen */

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
	char	   *least = format_percent(advice_batching_least(f), 1);
	char	   *most = format_percent(advice_batching_most(f), 1);

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

/* The client that commits most may be one of these. */
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

void
report_causes_put(StringInfo text, const CommitFigures *f)
{
	Cause		causes[] = {
		{advice_batching_most(f) / BATCHING_LEAST, put_batching},
		{ratio_or_zero(f->commits_notify, f->commits + f->commits_async) /
		NOTIFY_LEAST, put_notify},
		{ratio_or_zero(f->stall_time, f->stall_seconds * 1e6) / STALLS_LEAST,
		put_stalls},
		{f->overflow_commits > f->top_all ?
			ratio_or_zero(f->overflow_commits, f->client_commits) / OVERFLOW_LEAST : 0,
		put_overflow},
		/* not a cause; comes last */
		{Min(ratio_or_zero(f->slow_commits, f->commits + f->commits_async) / SLOW_LEAST, 1),
		put_slow_commits},
	};

	if (f->commits < ADVICE_MIN_COMMITS)
		return;
	qsort(causes, lengthof(causes), sizeof(Cause), compare_causes);
	if (causes[0].weight < 1)
		return;
	appendStringInfoString(text, "\nWhat makes commits many or slow, the first cause first\n");
	for (int i = 0; i < MOST_CAUSES; i++)
		if (causes[i].weight >= 1)
			causes[i].put(text, f);
}
