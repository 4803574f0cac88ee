/*-------------------------------------------------------------------------
 *
 * advice.c
 *		Prints what the report concludes, for t/unit/advice.pl.
 *
 * Each input line has figures, as "name=value name=value".  The output has for
 * each the causes, the answer on a delay, the arguments of a sweep, and a line
 * "end".
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "report/report.h"

/* The server's replacements are not linked here. */
#undef printf
#undef fprintf

/* The names that files of the server have. */
const char *const commit_phase_names[] = {
	"before", "record", "NOTIFY", "delay", "flush", "other", "segment",
	"standby", "log", "after", "not_run", "unknown"
};
const char *const stall_cause_names[] = {
	"segment", "CPU", "checkpoint", "archiver", "bulk", "bytes", "quota",
	"unknown"
};
const char *const standby_stage_names[] = {
	"not connected", "not sent", "not written", "not flushed", "not applied"
};

/* "phase:NOTIFY", "stall:quota" */
static bool
set_share(CommitFigures *f, const char *key, double value)
{
	for (int phase = 0; phase < PHASE_N; phase++)
		if (strncmp(key, "phase:", 6) == 0 &&
			strcmp(key + 6, commit_phase_names[phase]) == 0)
		{
			f->phase[phase] = value;
			return true;
		}
	for (int cause = 0; cause < STALL_NCAUSES; cause++)
		if (strncmp(key, "stall:", 6) == 0 &&
			strcmp(key + 6, stall_cause_names[cause]) == 0)
		{
			f->stall[cause].share = value;
			f->stall[cause].n = 5;
			f->stall[cause].length = 650000;
			return true;
		}
	return false;
}

#define TEXT(name)	if (strcmp(key, #name) == 0) { f->name = text; return; }
#define FIELD(name)	if (strcmp(key, #name) == 0) { f->name = value; return; }

static void
set_figure(CommitFigures *f, const char *key, const char *text)
{
	double		value = atof(text);

	if (set_share(f, key, value))
		return;
	TEXT(lock);
	TEXT(standby);
	TEXT(bulk_writer);
	TEXT(top);
	FIELD(standby_stage);
	FIELD(standby_share);
	FIELD(counting);
	FIELD(is_standby);
	FIELD(fsync);
	FIELD(io_timing);
	FIELD(delay);
	FIELD(siblings);
	FIELD(wal_buffers);
	FIELD(adaptive);
	FIELD(min_wal_size);
	FIELD(max_wal_size);
	FIELD(wal_recycle);
	FIELD(wal_init_zero);
	FIELD(wal_compression);
	FIELD(completion_target);
	FIELD(checkpoint_timeout);
	FIELD(now.longest);
	FIELD(commits);
	FIELD(commits_async);
	FIELD(commits_notify);
	FIELD(prepares);
	FIELD(flushes);
	FIELD(carried);
	FIELD(delay_hits);
	FIELD(alone_hits);
	FIELD(commit_rate);
	FIELD(flush_rate);
	FIELD(seen_enough);
	FIELD(seen.n);
	FIELD(seen.in_commit);
	FIELD(seen.blocked_rows);
	FIELD(seen.idle_xids);
	FIELD(seen.throttled);
	FIELD(seen.seconds);
	FIELD(seen.checkpoint[CHECKPOINT_SYNCS]);
	FIELD(phase_mean);
	FIELD(commit_p99);
	FIELD(own_flush);
	FIELD(flush_time);
	FIELD(flush_p50);
	FIELD(flush_p99);
	FIELD(flush_wal);
	FIELD(disk_busy);
	FIELD(quota_flushes);
	FIELD(quota_window);
	FIELD(fit.share);
	FIELD(fit.rate);
	FIELD(fit.base);
	FIELD(notify.commits);
	FIELD(notify.hold_time);
	FIELD(notify.flush_time);
	FIELD(listeners);
	FIELD(top_share);
	FIELD(top_time);
	FIELD(top_wal);
	FIELD(top_slow_least);
	FIELD(top_slow_most);
	FIELD(nameless);
	FIELD(overflow);
	FIELD(clients_evicted);
	FIELD(siblings_half);
	FIELD(siblings_mean);
	FIELD(concurrency);
	FIELD(reach);
	fprintf(stderr, "there is no figure %s\n", key);
	exit(1);
}

int
main(void)
{
	char		line[4096];

	while (fgets(line, sizeof(line), stdin) != NULL)
	{
		CommitFigures f = {.schema = "public"};
		StringInfoData text;

		for (char *pair = strtok(line, "\t\n"); pair != NULL;
			 pair = strtok(NULL, "\t\n"))
		{
			char	   *equals = strchr(pair, '=');

			if (equals == NULL)
				return 1;
			*equals = '\0';
			set_figure(&f, pair, equals + 1);
		}
		initStringInfo(&text);
		causes_put(&text, &f);
		causes_put_delay(&text, &f);
		appendStringInfoString(&text, "Its sweep\n");
		advice_put_sweep(&text, &f, false);
		fputs(text.data, stdout);
	}
	return 0;
}
