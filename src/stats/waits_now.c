/*-------------------------------------------------------------------------
 *
 * waits_now.c
 *		The commits that have not ended, and what most of them wait for.
 *
 * A commit that hangs is in no count yet.  commit_activity and the first line
 * of the report take this look at all sessions instead.
 *
 * The flusher is the process that sleeps before a flush, writes WAL, syncs it
 * or makes a segment at the time of the look.  It blocks the commits that wait
 * for another's flush; the holder at the end of the chain (lock_wait.c) blocks
 * those that wait for a lock.  If the holder is in its commit itself, its wait
 * is the root of theirs.  Commits of one root, or one flusher, wait for the
 * same.  Of several such groups, one of which some commit has waited for long,
 * the report has the one that has waited for the most time in all.
 *
 * Locking: clients.c takes commit_stats_clients_lock() while it copies the
 * sessions.  Phases are read without a lock, as pg_stat_activity reads wait
 * events, so a session may have gone on; lock_wait.c and standby.c take locks
 * of the server.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "replication/syncrep.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "module/wall_clock.h"
#include "probe/kernel.h"
#include "stats/waits_now.h"
#include "stats/watch.h"

/* The same for all sessions of a look. */
typedef struct NowContext
{
	const ClientSessions *sessions;
	int64		offset;			/* clock_offset() */
	PGPROC	   *flusher;		/* NULL: nobody flushes */
	int			flusher_pid;	/* or 0 */
	CommitPhase flusher_phase;
	bool		flusher_writes; /* it has not begun to sync */
	const char *flusher_stopped;	/* words that say so, or "" */
} NowContext;

static bool
is_flush(CommitPhase phase)
{
	return phase == PHASE_FLUSH || phase == PHASE_OTHER_FLUSH ||
		phase == PHASE_SEGMENT || phase == PHASE_DELAY;
}

/* By SIGSTOP, or a debugger */
static bool
is_stopped(int pid)
{
	char		state = process_state(pid);

	return state == 'T' || state == 't';
}

/* " (client 'app')", or "" without a name. */
static char *
client_of_flusher(const NowContext *context)
{
	const ClientSession *session =
	clients_find_session(context->sessions, context->flusher_pid, PG_UINT64_MAX);

	if (context->flusher == SERVER_PROC(walwriter))
		return " (the WAL writer)";
	if (session == NULL)
		return " (no client)";
	return session->key.application_name[0] == '\0' ? "" :
		psprintf(" (client '%s')", session->key.application_name);
}

/* A commit waits for it since then. */
static char *
describe_flush(const NowContext *context, TimestampTz since)
{
	bool		hangs = GetCurrentTimestamp() - since >= WAITS_NOW_LONG;
	char	   *client;

	if (context->flusher_pid == 0)
		return pstrdup("for a flush");
	client = client_of_flusher(context);
	if (context->flusher_phase == PHASE_SEGMENT)
		return psprintf("for a new WAL segment, which pid %d%s makes%s",
						context->flusher_pid, client, context->flusher_stopped);
	return psprintf("for the %s of pid %d%s%s%s",
					context->flusher_phase == PHASE_DELAY ? "delay" : "flush",
					context->flusher_pid, client, context->flusher_stopped,
					hangs && context->flusher_writes ?
					", the write of WAL, not its sync (a frozen file system?)" : "");
}

static char *
describe_standby(PGPROC *proc, WaitingCommit *waiting)
{
	StandbyBlame *blame = &waiting->blame;

	if (!standby_blame(proc, blame))
	{
		bool		hangs = GetCurrentTimestamp() - waiting->since >= WAITS_NOW_LONG;
		char	   *what = SyncRepConfig == NULL ?
		"until the checkpointer reads that synchronous_standby_names is empty" :
		!hangs || blame->name[0] == '\0' ? "for a standby" :
		psprintf("for an answer of standby '%s', which has this WAL", blame->name);

		blame->name[0] = '\0';
		return what;
	}
	if (strcmp(blame->name, "*") == 0)
		return psprintf("too few synchronous standbys are connected (synchronous_standby_names = '%s')",
						SyncRepStandbyNames);
	if (blame->stage == STANDBY_NOT_CONNECTED)
		return psprintf("standby '%s' is not connected", blame->name);
	return psprintf("for standby '%s': %s", blame->name,
					standby_stage_names[blame->stage]);
}

/* By the state of a process that has no wait event */
static const char *
describe_state(char state)
{
	return state == 'S' ? "asleep in an extension (as for a foreign server), or to write to the server's log" :
		state == 'D' ? "in the kernel without a wait event" :
		state == 'R' ? "computing" : "no wait event";
}

/*
 * Own work, another library's callback, a lock of the server's own.  The
 * server's own code does not sleep for so long without an event.
 */
static char *
describe_event(PGPROC *proc, WaitingCommit *waiting)
{
	const char *phase = commit_phase_names[waiting->reading.phase];
	uint32		info = wait_event_of(proc);
	const char *event = pgstat_get_wait_event(info);
	char		state = '\0';

	if (info == WAIT_EVENT_CLIENT_WRITE)
		return psprintf("in the phase '%s', until the client of pid %d reads what it was sent",
						phase, proc->pid);
	if (info == 0 && GetCurrentTimestamp() - waiting->since >= WAITS_NOW_LONG)
		state = process_state(proc->pid);
	waiting->in_extension = state == 'S' || is_extension_event(info);
	return psprintf("in the phase '%s', %s%s%s%s", phase,
					info == WAIT_EVENT_CLIENT_READ ? "in an extension, " : "",
					event ? pgstat_get_wait_event_type(info) : describe_state(state),
					event ? "/" : "", event ? event : "");
}

/* Fills in waiting_for, blocked_by and detail. */
static void
explain(const NowContext *context, PGPROC *proc, WaitingCommit *waiting)
{
	CommitPhase phase = waiting->reading.phase;

	if (phase == PHASE_NOTIFY)
		waiting->waiting_for = "notify";
	else if (phase >= PHASE_DELAY && phase <= PHASE_LOG)
		waiting->waiting_for = commit_phase_names[phase];
	if (waiting->has_lock)
	{
		waiting->blocked_by = waiting->lock.holder_pid;
		waiting->detail =
			psprintf("for %s", lock_wait_describe(&waiting->lock));
		if (phase != PHASE_NOTIFY)
			waiting->waiting_for = lock_wait_describe(&waiting->lock);
	}
	else if (is_flush(phase))
	{
		if (context->flusher_pid != waiting->pid)
			waiting->blocked_by = context->flusher_pid;
		waiting->detail = describe_flush(context, waiting->since);
	}
	else if (phase == PHASE_STANDBY)
		waiting->detail = describe_standby(proc, waiting);
	else
		waiting->detail = describe_event(proc, waiting);
}

static void
read_session(const NowContext *context, const ClientSession *session,
			 WaitingCommit *waiting)
{
	PGPROC	   *proc = &ProcGlobal->allProcs[session->procno];
	PhaseReading again;

	waiting->in_commit = commit_phase_read(proc, context->flusher_phase,
										   &waiting->reading);
	waiting->has_lock = lock_wait_read(proc, &waiting->lock);
	if (waiting->in_commit)
	{
		waiting->pid = session->pid;
		waiting->since = waiting->reading.since == 0 ? waiting->lock.since :
			clock_timestamp_at(waiting->reading.since, context->offset);
		if (waiting->since == 0)
			waiting->since = GetCurrentTimestamp();
		explain(context, proc, waiting);

		/* the commit may be over, and the session as well */
		waiting->in_commit = commit_phase_read(proc, context->flusher_phase,
											   &again) &&
			again.since == waiting->reading.since;
	}
	waiting->pid = clients_is_connected(session) ? session->pid : 0;
	if (waiting->pid == 0)
		waiting->in_commit = false;
}

WaitingCommit *
waits_now_read(const ClientSessions *sessions)
{
	WaitingCommit *waiting =
	palloc0(Max(sessions->n, 1) * sizeof(WaitingCommit));
	NowContext	context = {.sessions = sessions,.offset = clock_offset()};
	PGPROC	   *flusher = commit_phase_find_flusher(&context.flusher_phase);

	context.flusher = flusher;
	if (flusher != NULL)
		context.flusher_pid = flusher->pid;
	context.flusher_stopped = flusher != NULL && is_stopped(flusher->pid) ?
		", a process that is stopped" : "";
	context.flusher_writes = flusher != NULL && context.flusher_stopped[0] == '\0' &&
		is_write_before_sync(flusher);
	for (int i = 0; i < sessions->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		read_session(&context, &sessions->session[i], &waiting[i]);
	}
	return waiting;
}

/* The commit that holds the lock for which another one waits; or the other. */
static const WaitingCommit *
find_root(const WaitingCommit *waiting, int n, const WaitingCommit *commit)
{
	for (int i = 0; commit->has_lock && !commit->lock.circle && i < n; i++)
		if (waiting[i].in_commit && waiting[i].pid == commit->blocked_by)
			return &waiting[i];
	return commit;
}

/* True if two roots wait for the same. */
static bool
waits_for_same(const WaitingCommit *a, const WaitingCommit *b)
{
	if (a->has_lock || b->has_lock)
		return a->has_lock && b->has_lock &&
			((a->lock.circle && b->lock.circle) || lock_wait_is_same(&a->lock, &b->lock));
	if (is_flush(a->reading.phase))
		return is_flush(b->reading.phase);
	return a->reading.phase == b->reading.phase &&
		a->in_extension == b->in_extension &&
		a->blame.stage == b->blame.stage &&
		strcmp(a->blame.name, b->blame.name) == 0;
}

/* "row of relation o" says more than the transaction that locked it. */
static const WaitingCommit *
better_named(const WaitingCommit *a, const WaitingCommit *b)
{
	return a->has_lock && a->lock.tag.locktag_type == LOCKTAG_TRANSACTION &&
		b->lock.tag.locktag_type == LOCKTAG_TUPLE ? b : a;
}

/*
 * The oldest of the commits that wait for the same, of which one has lasted
 * WAITS_NOW_LONG: those with most time in all.  Those that wait in an
 * extension give way to as many others with half of their time, for which they
 * may wait (postgres_fdw).  Sets their number; -1: none.
 */
static int
find_longest(const WaitingCommit *waiting, int n,
			 const WaitingCommit *const *root, int *commits)
{
	bool	   *told = palloc0(Max(n, 1) * sizeof(bool));
	TimestampTz at = GetCurrentTimestamp();

	/* of those in an extension, [1], and the others */
	int64		most[2] = {0, 0};
	int			longest[2] = {-1, -1};
	int			number[2] = {0, 0};
	int			kind;

	for (int i = 0; i < n; i++)
	{
		int			oldest = i;
		int			same = 0;
		int64		sum = 0;

		CHECK_FOR_INTERRUPTS();
		if (root[i] == NULL || told[i])
			continue;
		for (int j = i; j < n; j++)
		{
			if (root[j] == NULL || !waits_for_same(root[i], root[j]))
				continue;
			told[j] = true;
			same++;
			sum += at - waiting[j].since;
			if (waiting[j].since < waiting[oldest].since)
				oldest = j;
		}
		kind = root[i]->in_extension;
		if (sum <= most[kind] || at - waiting[oldest].since < WAITS_NOW_LONG)
			continue;
		most[kind] = sum;
		longest[kind] = oldest;
		number[kind] = same;
	}
	kind = most[1] > (number[0] >= number[1] ? 2 * most[0] : most[0]);
	*commits = number[kind];
	return longest[kind];
}

/*
 * What a checkpoint did for all of that time, us, behind which flushes may
 * wait; or "".  One that writes may have little of the volume.
 */
static const char *
describe_checkpoint(double time, bool *syncs)
{
	uint64		now = clock_now();
	WatchSummary seen;

	watch_sum(clock_elapsed((uint64) time * NS_PER_US, now), now, &seen);
	if (seen.activity[ACTIVITY_CHECKPOINT] < seen.n)
		return "";
	*syncs = 2 * seen.activity[ACTIVITY_SYNCS] > seen.n;
	return *syncs ? ", while a checkpoint syncs files" :
		2 * seen.activity[ACTIVITY_OTHERS] > seen.n ?
		", while a checkpoint writes, and much of what the volume does is no WAL" : "";
}

/* A session that would be the leader waits for an advisory lock for days. */
static bool
waits_for_another(const WaitingCommit *session)
{
	return session->pid != 0 && !session->in_commit && session->has_lock &&
		session->lock.since != 0 && session->lock.holder_pid != 0 &&
		!session->lock.holder_commits && !session->lock.holder_outside &&
		!session->lock.circle &&
		session->lock.tag.locktag_type != LOCKTAG_ADVISORY;
}

/* The one that has waited for longest, and those that wait for the same */
static void
summarize_blocked(const WaitingCommit *waiting, int n, WaitsNow *now)
{
	const WaitingCommit *longest = NULL;
	const WaitingCommit *named;

	for (int i = 0; i < n; i++)
		if (waits_for_another(&waiting[i]) &&
			(longest == NULL || waiting[i].lock.since < longest->lock.since))
			longest = &waiting[i];
	if (longest == NULL || GetCurrentTimestamp() - longest->lock.since < WAITS_NOW_LONG)
		return;
	named = longest;
	for (int i = 0; i < n; i++)
		if (waits_for_another(&waiting[i]) && lock_wait_is_same(&longest->lock, &waiting[i].lock))
		{
			now->blocked++;
			named = better_named(named, &waiting[i]);
		}
	now->blocked_for = GetCurrentTimestamp() - longest->lock.since;
	now->blocked_by = named->lock;
}

void
waits_now_summarize(const WaitingCommit *waiting, int n, WaitsNow *now)
{
	const WaitingCommit **root = palloc0(Max(n, 1) * sizeof(WaitingCommit *));
	const WaitingCommit *longest;
	const WaitingCommit *named;
	const WaitingCommit *cause;
	int			i;

	memset(now, 0, sizeof(WaitsNow));
	for (i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!waiting[i].in_commit)
			continue;
		now->all++;
		root[i] = find_root(waiting, n, &waiting[i]);
	}
	summarize_blocked(waiting, n, now);
	i = find_longest(waiting, n, root, &now->commits);
	if (i < 0)
		return;

	longest = named = &waiting[i];
	cause = root[i];
	now->longest = GetCurrentTimestamp() - longest->since;
	for (i = 0; i < n && named == longest; i++)
		if (root[i] != NULL && waits_for_same(cause, root[i]))
			named = better_named(longest, &waiting[i]);
	now->phase = cause->reading.phase;
	now->blame = cause->blame;
	now->locked = longest->has_lock && longest->reading.phase != PHASE_NOTIFY;
	now->lock_phase = longest->reading.phase;
	now->lock = named->lock;
	/* and what the holder of its lock does */
	now->what = psprintf("%s%s%s%s", named->detail,
						 cause == longest ? "" :
						 cause->reading.phase == PHASE_STANDBY ?
						 ", which commits: " : ", which commits and waits ",
						 cause == longest ? "" : cause->detail,
						 !is_flush(now->phase) || now->phase == PHASE_DELAY ? "" :
						 describe_checkpoint(now->longest, &now->beside_sync));
}
