/*-------------------------------------------------------------------------
 *
 * slow_logger.c
 *		Slow commits and stalls in the background worker.
 *
 * Some time after a slow commit, all commits of its flush are over.  Then the
 * worker stores what became of the flush, which will leave the ring of flush
 * groups, and what the worker itself saw meanwhile (watch.c), and writes the
 * message to the server log.  A leader notes its stall itself; the worker
 * notes the stall of a flush that no commit led (stall_log.c).
 *
 * Locking: none here; slow_log.c and watch.c are read and written without a
 * lock, and stall_log.c may take commit_stats_clients_lock().
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/lmgr.h"
#include "utils/json.h"

#include "base/clock.h"
#include "base/guc.h"
#include "stats/latency.h"
#include "stats/slow_log.h"
#include "stats/stall_log.h"
#include "worker/worker.h"

/* ns; a session that has taken a number writes its event by then, or never. */
#define WRITE_TIME			NS_PER_S

static void
add_time(void *line, const char *name, uint64 ns)
{
	if (ns != SLOW_UNKNOWN)
		appendStringInfo(line, " %s=%.3f", name, (double) ns / NS_PER_MS);
}

/* A lock by its numbers, as the worker cannot look up names. */
static void
add_waits(StringInfo line, const SlowEvent *event,
		  const CommitWaits *waits)
{
	if (waits->lock_time > 0)
	{
		appendStringInfoString(line, " waited_for=\"");
		DescribeLockTag(line, &waits->lock.tag);
		appendStringInfoChar(line, '"');
		if (waits->lock.holder_pid != 0)
			appendStringInfo(line, " blocked_by=%d", waits->lock.holder_pid);
	}
	if (event->notify_pid != 0)
		appendStringInfo(line, " notify_pid=%d", event->notify_pid);
	if (waits->blame.name[0] != '\0')
	{
		appendStringInfoString(line, " standby=");
		escape_json(line, waits->blame.name);
		appendStringInfo(line, " standby_stage=\"%s\"",
						 standby_stage_names[waits->blame.stage]);
	}
}

/*
 * The columns of commit_slow_log, under their names, without what is null.
 * The worker is connected to no database, so roles and databases are OIDs.
 * An application_name is escaped, as it may contain what looks like a column.
 */
static void
log_commit(const SlowEvent *event, const SlowOutcome *outcome)
{
	uint64		part[PHASE_N];
	StringInfoData line;

	slow_event_phases(event, outcome, part);
	initStringInfo(&line);
	appendStringInfo(&line, "datid=%u roleid=%u application_name=",
					 event->client.datid, event->client.roleid);
	escape_json(&line, event->client.application_name);
	if (event->address_family != 0)
		appendStringInfo(&line, " client_addr=%s", slow_event_address(event));
	if (event->queryid != 0)
		appendStringInfo(&line, " queryid=" INT64_FORMAT,
						 (int64) event->queryid);
	if (event->transaction_time != 0)
		add_time(&line, "transaction_time", event->transaction_time);
	appendStringInfo(&line, " synchronous_commit=%s role=%s",
					 wait_level_names[event->synchronous_commit],
					 slow_role_names[event->role]);
	slow_event_times(event, part, add_time, &line);
	add_waits(&line, event, &outcome->waits);
	if (outcome->commits > 0)
		appendStringInfo(&line, " commits_in_flush=%u", outcome->commits);
	if (outcome->leader_pid != 0)
		appendStringInfo(&line, " leader_pid=%d", outcome->leader_pid);
	if (outcome->wal_bytes > 0)
		appendStringInfo(&line, " flush_wal_bytes=" UINT64_FORMAT,
						 outcome->wal_bytes);
	appendStringInfo(&line, " wal_bytes=" UINT64_FORMAT, event->wal_bytes);
	if (event->checkpoint >= 0)
		appendStringInfo(&line, " checkpoint=%s",
						 event->checkpoint > 0 ? "true" : "false");
	ereport(LOG,
			(errmsg("commit of process %d took %.3f ms", event->pid,
					(double) event->duration / NS_PER_MS),
			 errdetail_internal("%s", line.data)));
}

/*
 * True if an event that cannot be read will never come.  For one that is
 * overwritten meanwhile, slow_log_settled() makes up in the next round.
 */
static bool
is_lost(SlowKind kind, uint64 number)
{
	static uint64 missed[BULK_WRITER];
	static uint64 missed_at[BULK_WRITER];

	if (missed[kind] != number)
	{
		missed[kind] = number;
		missed_at[kind] = clock_now();
	}
	return clock_elapsed(missed_at[kind], clock_now()) > WRITE_TIME;
}

/* False if the event is too young. */
static bool
complete_event(SlowKind kind, uint64 number)
{
	SlowEvent	event;
	SlowOutcome outcome;
	uint64		began_at;

	if (!slow_log_copy(kind, number, &event, &outcome))
		return is_lost(kind, number);
	if (clock_elapsed(event.noted_at, clock_now()) < SETTLE_TIME * NS_PER_MS ||
		(commit_stats_enabled && watch_looked_at() < event.noted_at))
		return false;
	slow_log_look_up(&event, &outcome);
	began_at = clock_elapsed(event.duration, event.end);
	watch_sum(began_at, event.end, &outcome.seen);
	watch_find_waits(event.procno, event.pid, began_at, event.end,
					 &outcome.waits);
	slow_event_add_outcome(&event, &outcome);
	if (kind == SLOW_STALL)
		stall_log_note_ratios(&outcome);
	slow_log_put_outcome(kind, number, &outcome);
	if (kind != SLOW_COMMIT)
		return true;
	stall_log_note_unled(&event, &outcome);
	if (outcome.waits.blame.name[0] != '\0')
		standby_count_slow(&outcome.waits.blame, event.ended_at -
						   (int64) (event.duration / NS_PER_US));
	if (commit_stats_log_slow_commits)
		log_commit(&event, &outcome);
	return true;
}

void
slow_logger_work(void)
{
	/* the first kinds of events are about a flush */
	for (int kind = 0; kind < BULK_WRITER; kind++)
	{
		uint64		lost;
		uint64		number = slow_log_settled(kind, &lost);

		slow_log_set_settled(kind, number);
		if (lost > 0 && kind == SLOW_COMMIT && commit_stats_log_slow_commits)
			ereport(LOG,
					(errmsg_plural("commit_stats could not log " UINT64_FORMAT " slow commit",
								   "commit_stats could not log " UINT64_FORMAT " slow commits",
								   lost, lost),
					 errdetail("More ended at the same time than commit_slow_log keeps.")));
		while (number < slow_log_newest(kind) && complete_event(kind, number + 1))
			slow_log_set_settled(kind, ++number);
	}
}
