/*-------------------------------------------------------------------------
 *
 * standby.c
 *		Which standby commits wait for, and at which stage it is.
 *
 * A commit waits until enough standbys of synchronous_standby_names have
 * reached its position in its mode (written, flushed or applied).  A walsender
 * counts if its standby is listed, streams and has answered: the candidates of
 * SyncRepGetCandidateStandbys().  FIRST n needs the n candidates of the best
 * priority, ANY n the n that are farthest.  So one candidate decides when the
 * commit goes on, the last one of those n, and this one is blamed, with the
 * first stage that it has not reached.  With fewer than n candidates, a listed
 * standby that catches up is blamed, even if it has the commit's WAL: it
 * counts when it has been sent all.  Without one, the first name in the list
 * that is not connected is blamed.  A cascaded standby has no walsender here.
 *
 * That a commit waits for a standby, its wait event tells (commit_phase.c),
 * and its wait level as it ends (latency_wait_level()).  The background worker
 * looks at the queues in which commits wait.  The first commit of a queue has
 * the lowest position, so what it waits for holds up the queue, and each
 * commit in it has waited for the same.
 *
 * Of a period, report_data_blame_slow() tells it, by slow commits, or else
 * report_data_blame_list(), by all waits since the names were set.
 *
 * Invariant: what is counted belongs to one value of
 * synchronous_standby_names, since one reset; "key" tells both.  A reader with
 * another key finds nothing.  Only "lately" goes on with another value, as the
 * newest minute of commits does.
 *
 * Locking: SyncRepLock, shared, for the queues, and the spinlock of each
 * walsender, in its walsnd.  The counts have one writer, the background
 * worker; see changecount.c for readers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "common/hashfn.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "utils/backend_status.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "base/changecount.h"
#include "base/clock.h"
#include "module/stats_module.h"
#include "stats/standby.h"

const char *const standby_stage_names[] = {
	[STANDBY_NOT_CONNECTED] = "not connected",
	[STANDBY_NOT_SENT] = "not sent",
	[STANDBY_NOT_WRITTEN] = "not written",
	[STANDBY_NOT_FLUSHED] = "not flushed",
	[STANDBY_NOT_APPLIED] = "not applied"
};

/* By mode: the stage that lasts until the commit may go on. */
#define LAST_STAGE(mode)		(STANDBY_NOT_WRITTEN + (mode))

/* The walsender of a listed standby; a copy. */
typedef struct Sender
{
	int			pid;
	int			index;			/* of its WalSnd */
	int			priority;		/* in the list, from 1 on; 1 in that of ANY */
	bool		counts;			/* is a candidate */
	bool		catches_up;
	XLogRecPtr	done[STANDBY_NSTAGES];	/* where each stage ends at present */
	XLogRecPtr	reached;		/* the same of the mode in question */
} Sender;

typedef struct StandbyShared
{
	ChangeCount changes;
	pg_atomic_uint32 resets;
	uint64		key;
	TimestampTz since;			/* the worker has seen this key */
	uint64		part;			/* the newest of "lately", by clock_now() */
	int			n;
	StandbyCounts counts[STANDBY_MAX];
} StandbyShared;

static StandbyShared *shared = NULL;

/*---- Names -------------------------------------------------------*/

/*
 * The application_name of a walsender; "" if it has just ended.  A snapshot of
 * pg_stat_activity takes some time, and a transaction keeps its own; the
 * worker has none.
 */
static const char *
application_name_of(int pid)
{
	static uint64 read_at = 0;

	for (int pass = 0; pass < 2; pass++)
	{
		if (!IsTransactionState() &&
			(pass > 0 || clock_elapsed(read_at, clock_now()) >= NS_PER_S))
		{
			pgstat_clear_backend_activity_snapshot();
			read_at = clock_now();
		}
		for (int i = pgstat_fetch_stat_numbackends(); i > 0; i--)
		{
			PgBackendStatus *status = &BEENTRY_BY_INDEX(i)->backendStatus;

			if (status->st_backendType == B_WAL_SENDER &&
				status->st_procpid == pid)
				return status->st_appname;
		}
	}
	return "";
}

/* A name as in the list, which ignores case; or "*", or NULL */
static const char *
find_member(const char *name)
{
	const char *member = SyncRepConfig->member_names;
	const char *any = NULL;

	for (int i = 0; i < SyncRepConfig->nmembers; i++)
	{
		if (pg_strncasecmp(member, name, NAMEDATALEN - 1) == 0)
			return member;
		if (strcmp(member, "*") == 0)
			any = member;
		member += strlen(member) + 1;
	}
	return any;
}

/* What "*" stands for has its own name. */
static const char *
listed_name_of(const Sender *sender)
{
	const char *name = application_name_of(sender->pid);
	const char *member = find_member(name);

	return member == NULL || strcmp(member, "*") == 0 ? name : member;
}

/* "*" may also stand for more standbys than the list has. */
bool
standby_is_listed(const char *name)
{
	return SyncRepConfig != NULL &&
		(strcmp(name, "*") == 0 || find_member(name) != NULL);
}

/*---- Who keeps a commit waiting ----------------------------------*/

/* The walsenders of listed standbys; static memory. */
static Sender *
read_senders(int mode, int *n)
{
	static Sender *senders = NULL;

	if (senders == NULL)
		senders = MemoryContextAlloc(TopMemoryContext,
									 max_wal_senders * sizeof(Sender));
	*n = 0;
	for (int i = 0; i < max_wal_senders; i++)
	{
		WalSnd	   *walsnd = &WalSndCtl->walsnds[i];
		Sender	   *sender = &senders[*n];

		sender->index = i;
		SpinLockAcquire(&walsnd->mutex);
		sender->pid = walsnd->pid;
		sender->priority = walsnd->sync_standby_priority;
		sender->catches_up = walsnd->state == WALSNDSTATE_CATCHUP;
		sender->counts = walsnd->state >= WALSNDSTATE_STREAMING &&
			!XLogRecPtrIsInvalid(walsnd->flush);
		sender->done[STANDBY_NOT_SENT] = walsnd->sentPtr;
		sender->done[STANDBY_NOT_WRITTEN] = walsnd->write;
		sender->done[STANDBY_NOT_FLUSHED] = walsnd->flush;
		sender->done[STANDBY_NOT_APPLIED] = walsnd->apply;
		SpinLockRelease(&walsnd->mutex);
		sender->reached = sender->done[LAST_STAGE(mode)];
		if (sender->pid != 0 && sender->priority > 0)
			(*n)++;
	}
	return senders;
}

/* Candidates first, in the server's order. */
static int
compare_priorities(const void *a, const void *b)
{
	const Sender *x = a;
	const Sender *y = b;

	return x->counts != y->counts ? y->counts - x->counts :
		x->priority != y->priority ? x->priority - y->priority :
		x->index - y->index;
}

static int
compare_positions(const void *a, const void *b)
{
	XLogRecPtr	x = ((const Sender *) a)->reached;
	XLogRecPtr	y = ((const Sender *) b)->reached;

	return (x < y) - (x > y);
}

/*
 * The walsender that decides; NULL if there are too few.  "n" candidates come
 * first in "senders".
 */
static const Sender *
find_decisive(Sender *senders, int n)
{
	int			needed = SyncRepConfig->num_sync;

	if (n < needed)
		return NULL;
	qsort(senders, SyncRepConfig->syncrep_method == SYNC_REP_PRIORITY ?
		  needed : n, sizeof(Sender), compare_positions);
	return &senders[needed - 1];
}

/*
 * The first listed name without a walsender that is not "but"; "*" if each has
 * one.
 */
static const char *
find_missing(const Sender *senders, int n, const char *but)
{
	const char *member = SyncRepConfig->member_names;

	for (int i = 0; i < SyncRepConfig->nmembers; i++)
	{
		bool		found = pg_strcasecmp(member, but) == 0;

		for (int s = 0; s < n && !found; s++)
			found = pg_strcasecmp(listed_name_of(&senders[s]), member) == 0;
		if (!found)
			return member;
		member += strlen(member) + 1;
	}
	return "*";
}

/* Of a quorum, one whose answer would do, too, if it were connected; or NULL */
const char *
standby_missing_beside(const char *name)
{
	int			n;
	const Sender *senders;
	const char *missing;

	if (SyncRepConfig == NULL || SyncRepConfig->syncrep_method != SYNC_REP_QUORUM)
		return NULL;
	senders = read_senders(SYNC_REP_WAIT_FLUSH, &n);
	missing = find_missing(senders, n, name);
	return strcmp(missing, "*") == 0 ? NULL : missing;
}

/*
 * With the position and the mode that a backend waits for.  Returns false if
 * it waits for nobody: it is about to go on.
 */
static bool
find_blame(XLogRecPtr lsn, int mode, StandbyBlame *blame)
{
	int			n;
	int			candidates = 0;
	int			last = LAST_STAGE(mode);
	Sender	   *senders;
	const Sender *sender;

	if (SyncRepConfig == NULL)
		return false;
	senders = read_senders(mode, &n);
	qsort(senders, n, sizeof(Sender), compare_priorities);
	while (candidates < n && senders[candidates].counts)
		candidates++;
	sender = find_decisive(senders, candidates);
	if (sender == NULL && candidates < n)
		sender = &senders[candidates];	/* catches up */
	if (sender == NULL)
	{
		strlcpy(blame->name, find_missing(senders, n, ""), NAMEDATALEN);
		blame->stage = STANDBY_NOT_CONNECTED;
		blame->behind = blame->before = 0;
		return true;
	}
	strlcpy(blame->name, listed_name_of(sender), NAMEDATALEN);
	/* pg_receivewal may say what it has written, and never flush */
	if (!sender->counts)
		last = Max(last, STANDBY_NOT_FLUSHED);
	for (int stage = STANDBY_NOT_SENT; stage <= last; stage++)
	{
		blame->stage = stage;
		blame->behind = XLogRecPtrIsInvalid(sender->done[stage]) ? 0 :
			clock_elapsed(sender->done[stage], GetFlushRecPtr(NULL));
		blame->before = Min(blame->behind, clock_elapsed(sender->done[stage], lsn));
		if (sender->done[stage] < lsn || sender->catches_up)
			return true;
	}
	return false;
}

/*---- Queues ------------------------------------------------------*/

/* Its own position counts if the first of its queue is about to go on. */
bool
standby_blame(PGPROC *proc, StandbyBlame *blame)
{
	XLogRecPtr	first = InvalidXLogRecPtr;
	int			found = -1;

	LWLockAcquire(SyncRepLock, LW_SHARED);
	for (int mode = 0; mode < NUM_SYNC_REP_WAIT_MODE && found < 0; mode++)
	{
		first = InvalidXLogRecPtr;
		SYNC_REP_WAITERS(&WalSndCtl->SyncRepQueue[mode], waiter)
		{
			if (XLogRecPtrIsInvalid(first))
				first = waiter->waitLSN;
			if (waiter == proc)
			{
				found = mode;
				break;
			}
		}
	}
	LWLockRelease(SyncRepLock);
	return found >= 0 &&
		(find_blame(first, found, blame) ||
		 find_blame(*(volatile XLogRecPtr *) &proc->waitLSN, found, blame));
}

/* Who is blamed now; one for each queue in which commits wait. */
int
standby_waiters(StandbyWaiters waiters[NUM_SYNC_REP_WAIT_MODE])
{
	int			commits[NUM_SYNC_REP_WAIT_MODE] = {0};
	XLogRecPtr	first[NUM_SYNC_REP_WAIT_MODE];
	int			n = 0;

	if (SyncRepConfig == NULL)
		return 0;
	LWLockAcquire(SyncRepLock, LW_SHARED);
	for (int mode = 0; mode < NUM_SYNC_REP_WAIT_MODE; mode++)
		SYNC_REP_WAITERS(&WalSndCtl->SyncRepQueue[mode], waiter)
			if (commits[mode]++ == 0)
			first[mode] = waiter->waitLSN;
	LWLockRelease(SyncRepLock);
	for (int mode = 0; mode < NUM_SYNC_REP_WAIT_MODE; mode++)
	{
		waiters[n].commits = commits[mode];
		if (commits[mode] > 0 &&
			find_blame(first[mode], mode, &waiters[n].blame))
			n++;
	}
	return n;
}

/*---- Counts ------------------------------------------------------*/

static void
standby_reset(TimestampTz now)
{
	pg_atomic_fetch_add_u32(&shared->resets, 1);
}

const StatsModule standby_module = {
	.head_size = sizeof(StandbyShared),
	.head = (void **) &shared,
	.reset = standby_reset,
};

/* The reset in the upper half, the names in the lower one */
static uint64
current_key(void)
{
	const char *names = SyncRepStandbyNames;

	return (uint64) pg_atomic_read_u32(&shared->resets) << 32 |
		hash_bytes((const unsigned char *) names, strlen(names));
}

/* The counts of a name, new or old; NULL if there is no room. */
StandbyCounts *
standby_find(StandbyCounts *counts, int *n, const char *name)
{
	for (int i = 0; i < *n; i++)
		if (strcmp(counts[i].name, name) == 0)
			return &counts[i];
	if (*n == STANDBY_MAX)
		return NULL;
	memset(&counts[*n], 0, sizeof(StandbyCounts));
	strlcpy(counts[*n].name, name, NAMEDATALEN);
	return &counts[(*n)++];
}

/* This and the next function: within a change */
static void
count(const StandbyBlame *blame, uint64 ns, uint64 slow_commits)
{
	StandbyCounts *counts = standby_find(shared->counts, &shared->n,
										 blame->name);
	StandbyWait *lately;

	if (counts == NULL)
		return;
	lately = &counts->lately[shared->part % STANDBY_PARTS][blame->stage];
	lately->time += ns;
	lately->behind += (double) ns * blame->behind;
	lately->before += (double) ns * blame->before;
	counts->wait_time[blame->stage] += ns;
	counts->slow_commits[blame->stage] += slow_commits;
}

/* The parts that begin forget what they had a minute ago. */
static void
begin_parts(void)
{
	uint64		now = clock_now() / STANDBY_PART;

	for (uint64 part = Max(shared->part, clock_elapsed(STANDBY_PARTS, now)) + 1;
		 part <= now; part++)
		for (int i = 0; i < shared->n; i++)
			memset(shared->counts[i].lately[part % STANDBY_PARTS], 0,
				   sizeof(shared->counts[i].lately[0]));
	shared->part = now;
}

/* Another list, or a reset; within a change */
static void
begin_key(uint64 key)
{
	if (shared->key >> 32 != key >> 32 || shared->n == STANDBY_MAX)
		shared->n = 0;
	for (int i = 0; i < shared->n; i++)
	{
		memset(shared->counts[i].wait_time, 0, sizeof(shared->counts[i].wait_time));
		memset(shared->counts[i].slow_commits, 0, sizeof(shared->counts[i].slow_commits));
	}
	shared->key = key;
	shared->since = GetCurrentTimestamp();
}

/* At each look of the worker: commits that wait have waited "ns" more. */
void
standby_look(uint64 ns)
{
	StandbyWaiters waiters[NUM_SYNC_REP_WAIT_MODE];
	uint64		key = current_key();
	int			n = standby_waiters(waiters);

	changecount_begin(&shared->changes);
	if (shared->key != key || shared->since == 0)
		begin_key(key);
	begin_parts();
	for (int i = 0; i < n; i++)
		count(&waiters[i].blame, waiters[i].commits * ns, 0);
	changecount_end(&shared->changes);
}

/* A commit that began before the key was seen may have waited for other names. */
void
standby_count_slow(const StandbyBlame *blame, TimestampTz began_at)
{
	if (shared->key != current_key() || began_at < shared->since)
		return;
	changecount_begin(&shared->changes);
	count(blame, 0, 1);
	changecount_end(&shared->changes);
}

int
standby_read(StandbyCounts counts[STANDBY_MAX], TimestampTz *since)
{
	uint64		key = current_key();

	for (int passes = 0;; changecount_count_pass(&passes))
	{
		uint64		changes = changecount_wait(&shared->changes);
		int			n = shared->key == key ? Min(shared->n, STANDBY_MAX) : 0;

		memcpy(counts, shared->counts, n * sizeof(StandbyCounts));
		*since = shared->key == key ? shared->since : 0;
		if (changecount_since(&shared->changes, changes) == 0)
			return n;
	}
}
