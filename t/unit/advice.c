/*-------------------------------------------------------------------------
 *
 * advice.c
 *		Prints what the report concludes, for t/unit/advice.pl.
 *
 * Each input line has figures, as "name=value", with tabs between.  For each,
 * the output has the causes, the answer on a delay, the arguments of a sweep,
 * and a line "end".
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "report/report.h"

/* The names that files of the server have. */
const char *const commit_phase_names[] = {
	"before", "record", "NOTIFY", "delay", "flush", "other", "segment",
	"standby", "log", "after", "not_run", "unknown"
};
const char *const stall_cause_names[] = {
	"segment", "CPU", "pause", "checkpoint", "archiver", "bulk", "bytes", "others",
	"quota", "unknown"
};

StaticAssertDecl(lengthof(stall_cause_names) == STALL_NCAUSES,
				 "a cause of stalls has no name");
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

typedef enum FigureType
{
	TEXT, REAL, SINGLE, INTEGER, COUNT, FLAG
} FigureType;

/* A figure that a line can have */
typedef struct Figure
{
	const char *name;
	size_t		offset;
	FigureType	type;
} Figure;

#define FIGURE(name)	FIGURE_OF(name, name)
#define FIGURE_OF(key, name) \
	{#key, offsetof(CommitFigures, name), \
	_Generic(((CommitFigures *) 0)->name, const char *: TEXT, double: REAL, \
			 float: SINGLE, uint64: COUNT, bool: FLAG, default: INTEGER)}

static const Figure figures[] = {
	FIGURE_OF(lock, lock[PHASE_BEFORE].name), FIGURE_OF(lock_share, lock[PHASE_BEFORE].share), FIGURE_OF(record_lock, lock[PHASE_RECORD].name), FIGURE_OF(record_lock_share, lock[PHASE_RECORD].share), FIGURE(wait_event), FIGURE(seen.event_waits), FIGURE(shared_buffers), FIGURE_OF(lock_prepared, lock[PHASE_BEFORE].prepared), FIGURE_OF(lock_ended, lock[PHASE_BEFORE].ended), FIGURE_OF(lock_circle, lock[PHASE_BEFORE].circle), FIGURE(standby), FIGURE(bulk_writer), FIGURE(top),
	FIGURE(standby_stage), FIGURE(standby_unset), FIGURE(standby_answers), FIGURE(standby_dropped), FIGURE(standby_logical), FIGURE(standby_reader), FIGURE(standby_slots), FIGURE(standby_list), FIGURE(standby_former), FIGURE(standby_missing), FIGURE(standby_unlisted), FIGURE(standby_ahead), FIGURE(standby_share), FIGURE(standby_at_least), FIGURE(standby_since), FIGURE(standby_next), FIGURE(standby_next_share), FIGURE(standby_behind), FIGURE(standby_before), FIGURE(counting),
	FIGURE(is_standby), FIGURE(fsync), FIGURE_OF(io_timing, conf.io_timing), FIGURE_OF(delay, conf.delay),
	FIGURE_OF(siblings, conf.siblings), FIGURE(siblings_differ), FIGURE(wal_buffers), FIGURE(adaptive),
	FIGURE(min_wal_size), FIGURE_OF(max_wal_size, conf.max_wal_size), FIGURE(wal_recycle),
	FIGURE(wal_init_zero), FIGURE(segment_size), FIGURE(slot), FIGURE(wal_keep_size), FIGURE(keep_size_grows), FIGURE(archiver), FIGURE(archive_fails), FIGURE(archive_timeout), FIGURE(wal_compression), FIGURE(full_pages),
	FIGURE(completion_target), FIGURE_OF(checkpoint_timeout, conf.checkpoint_timeout),
	FIGURE(checkpoint_distance), FIGURE(checkpoint_wal), FIGURE(checkpoint_lasts), FIGURE(checkpoint_asked), FIGURE(images), FIGURE(heaviest), FIGURE(heaviest_share), FIGURE(serializable), FIGURE(temporary), FIGURE(savepoints), FIGURE(wal_minimal), FIGURE_OF(wal_apart, conf.wal_apart),
	FIGURE(seen.sync_waits), FIGURE(seen.extension_waits), FIGURE(seen.lock_waits), FIGURE(seen.wal_waits), FIGURE(seen.activity[ACTIVITY_ARCHIVER]),
	FIGURE(seen.commit_locks), FIGURE(seen.commit_queue), FIGURE(seen.prepared_waits), FIGURE(notifies),
	FIGURE(seen.phase[PHASE_BEFORE]), FIGURE(seen.phase[PHASE_RECORD]),
	FIGURE(seen.phase[PHASE_FLUSH]), FIGURE(seen.phase[PHASE_LOG]), FIGURE(seen.phase[PHASE_AFTER]),
	FIGURE(now.longest), FIGURE(now.commits), FIGURE(now.all), FIGURE(now.phase), FIGURE(now.beside_sync), FIGURE(now.blocked), FIGURE(idle_seconds), FIGURE(now.blame.stage), FIGURE(hanging), FIGURE(commits), FIGURE(commits_async),
	FIGURE(commits_notify), FIGURE(commits_unlogged),
	FIGURE(commits_read_only), FIGURE(prepares), FIGURE(flushes),
	FIGURE(carried), FIGURE(delay_hits), FIGURE(hits_adaptive), FIGURE(alone_hits), FIGURE(sleep_carried),
	FIGURE(newest), FIGURE(newest_flushes), FIGURE(newest_carried), FIGURE(newest_prepares), FIGURE(newest_age), FIGURE(restarted), FIGURE(commit_rate), FIGURE(flush_rate), FIGURE(seconds), FIGURE(wal_rate), FIGURE(seen_enough), FIGURE(seen_age),
	FIGURE(seen.n), FIGURE(seen.in_commit), FIGURE(seen.ended), FIGURE(seen.blocked_rows), FIGURE(seen.row_holders),
	FIGURE(seen.idle_xids), FIGURE(seen.outside_waits),
	FIGURE(seen.cpu_waits), FIGURE(seen.write_waits), FIGURE(seen.insert_waits), FIGURE(running_writer), FIGURE(seen.throttled), FIGURE(seen.paused), FIGURE(seen.seconds),
	FIGURE(checkpoint_phase), FIGURE(phase_mean), FIGURE(phase_commits), FIGURE(phase_seconds), FIGURE(slow_recent), FIGURE(slow_standby), FIGURE(slow_at_stage[STANDBY_NOT_WRITTEN]), FIGURE(slow_at_stage[STANDBY_NOT_FLUSHED]),
	FIGURE(commit_p50), FIGURE(commit_p99), FIGURE(own_flush), FIGURE(flush_time), FIGURE(flush_time_max),
	FIGURE(flush_p50), FIGURE(flush_p99), FIGURE(flush_wal), FIGURE(flush_slower), FIGURE(flush_slowed), FIGURE(write_stalls), FIGURE(unknown_kept), FIGURE(flush_newest), FIGURE_OF(delay_elsewhere, conf.delay_elsewhere), FIGURE(transaction_mean),
	FIGURE(disk_busy), FIGURE(quota_flushes), FIGURE(quota_bytes), FIGURE(quota_window),
	FIGURE(fit.share), FIGURE(fit.rate), FIGURE(fit.base), FIGURE(fit.window),
	FIGURE(stall[STALL_CHECKPOINT].certainty), FIGURE(stall[STALL_UNKNOWN].longest), FIGURE(stall[STALL_UNKNOWN].longest_until), FIGURE(stall[STALL_ARCHIVER].certainty), FIGURE(volume.seconds), FIGURE(volume.bytes), FIGURE(volume.flushed), FIGURE(volume.requests), FIGURE(volume.of_flushes),
	FIGURE(seen.volume.seconds), FIGURE(seen.volume.requests), FIGURE(seen.volume.of_flushes), FIGURE(seen.volume.bytes), FIGURE(seen.volume.flushed), FIGURE(seen.activity[ACTIVITY_OTHERS]), FIGURE(seen.activity[ACTIVITY_WRITER]),
	FIGURE(notify.commits), FIGURE(notify.hold_time),
	FIGURE(notify.flush_time), FIGURE(notify.write_time), FIGURE(listeners), FIGURE(queue), FIGURE(top_share),
	FIGURE(top_time), FIGURE(top_wal), FIGURE(top_of_transactions), FIGURE(top_slow_least),
	FIGURE(top_slow_most), FIGURE(busiest), FIGURE(longest), FIGURE(longest_time), FIGURE(outside), FIGURE(top_leader), FIGURE(top_leader_flushes),
	FIGURE(busiest_of_transactions), FIGURE(busiest_of_sessions),
	FIGURE(of_transactions), FIGURE(of_sessions), FIGURE(slept_unset), FIGURE(sleeper),
	FIGURE(statement), FIGURE(statement_flushes), FIGURE(statement_wal),
	FIGURE(slow_commits), FIGURE(slow_mean), FIGURE(slow_phase[PHASE_BEFORE]), FIGURE(nameless),
	FIGURE(overflow), FIGURE(applied), FIGURE(clients_evicted), FIGURE(alike), FIGURE(alike_share), FIGURE(alike_clients), FIGURE(siblings_max), FIGURE(siblings_half),
	FIGURE(siblings_mean), FIGURE(concurrency), FIGURE(reach), FIGURE(siblings_of),
	FIGURE(prediction), FIGURE(predicted_delay), FIGURE(predicted_siblings), FIGURE(none_gains)
};

static void
set_figure(CommitFigures *f, const char *key, const char *text)
{
	double		value = atof(text);

	if (set_share(f, key, value))
		return;
	if (strcmp(key, "period") == 0)
	{
		HistorySum *period = calloc(1, sizeof(HistorySum));

		period->max_wal_size = (int) value;
		period->checkpoint_timeout = f->conf.checkpoint_timeout;
		f->period = period;
		return;
	}
	if (strcmp(key, "period:checkpoint_timeout") == 0)
	{
		((HistorySum *) f->period)->checkpoint_timeout = (int) value;
		return;
	}
	if (strcmp(key, "now.blame") == 0)
	{
		snprintf(f->now.blame.name, NAMEDATALEN, "%s", text);
		return;
	}
	for (int i = 0; i < lengthof(figures); i++)
	{
		void	   *at = (char *) f + figures[i].offset;

		if (strcmp(key, figures[i].name) != 0)
			continue;
		switch (figures[i].type)
		{
			case TEXT:
				*(const char **) at = text;
				return;
			case REAL:
				*(double *) at = value;
				return;
			case SINGLE:
				*(float *) at = value;
				return;
			case INTEGER:
				*(int *) at = value;
				return;
			case COUNT:
				*(uint64 *) at = value;
				return;
			case FLAG:
				*(bool *) at = value;
				return;
		}
	}
	fprintf(stderr, "there is no figure %s\n", key);
	exit(1);
}

int
main(void)
{
	char		line[4096];

	while (fgets(line, sizeof(line), stdin) != NULL)
	{
		/* what hangs is all that is under way, unless a line says else */
		CommitFigures f = {.schema = "public",.width = REPORT_WIDTH,
		.now = {.commits = 1,.all = 1}};
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
		causes_put_weight(&text, &f);
		causes_put(&text, &f);
		appendStringInfoString(&text, "Its sweep\n");
		causes_put_sweep(&text, &f, false);
		printf("%send\n", text.data);
	}
	return 0;
}
