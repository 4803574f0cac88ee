/*-------------------------------------------------------------------------
 *
 * watch.c
 *		What the background worker sees, some 17 times a second; and waking it.
 *
 *	look		one pass over the process array by the background worker
 *	sample		what one look has seen, in shared memory; it speaks for the
 *				time since the look before, but for LONGEST_GAP at most
 *	session		what the worker keeps of each backend between its looks, in
 *				its own memory: its transaction id, and what its latest
 *				COMMITs were seen waiting for
 *	writer		a backend that was seen WRITER_LOOKS times with the same id, or
 *				that writes WAL without one (VACUUM, CREATE INDEX CONCURRENTLY,
 *				hint bits), while the WAL of transactions that have not ended
 *				grew.  In both cases it is in no commit, in no pg_sleep, and
 *				in no wait for its client or a lock.  Sessions that wait
 *				until WAL is written look like the one that has filled the WAL
 *				buffers, but for a shorter time
 *	settings	what the configuration has, where the settings of a session
 *				that asks are its own
 *
 * A look finds long phases for certain, and short ones in proportion to their
 * length.  So sums over many samples tell where commits spend their time, and
 * no commit does anything for it.  Looks come every WATCH_EVERY_MS while
 * anything commits, and every WATCH_IDLE_MS after a while without commits.
 * Limits of a device or of the CPU have periods of 100 ms.  Looks that came
 * twice in each would see the same two moments of it again and again, so up to
 * WATCH_VARIES_MS are added by chance.
 *
 * The process that flushes tells whether the commits in a flush wait for the
 * disk, or for a processor that it does not get: Linux calls it running
 * although it waits, or nothing flushes, as the next leader has been woken up
 * and has not run yet.  So does a nap of the worker that ends MIN_QUEUED late,
 * as it lacks a processor, too: a container does not show the limits of the
 * groups above its own.  One that waits to write WAL, before the sync, waits
 * for memory or the file system.
 *
 * A limit of the CPU stops all backends, and the worker with them.  So does a
 * pause of the machine or container (a snapshot, a migration), which shows as
 * the worker's nap lasts MIN_PAUSE longer than its timeout, in which it hardly
 * waits for a processor that others have.  Of each phase, a sum moves the
 * share of the time that the stop took to PHASE_NOT_RUN, except of the wait
 * for a standby, which runs elsewhere.
 *
 * Invariant: a reader gets each sample whole, or begins again.
 *
 * Locking: none for samples; WatchShared.changes counts them.  Only the worker
 * writes its process number, by which others wake it, and its settings, each
 * member as a whole.  The worker reads PGPROCs without a lock, as
 * pg_stat_activity does; lock_wait.c and standby.c take locks of the server,
 * shared, for at most 2 * MAX_LOCKS_READ and MAX_BLAMED backends in each look.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xlog.h"
#include "miscadmin.h"
#include "postmaster/bgwriter.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "base/changecount.h"
#include "base/clock.h"
#include "base/compat.h"
#include "base/guc.h"
#include "module/stats_module.h"
#include "module/wall_clock.h"
#include "probe/kernel.h"
#include "stats/backend_slots.h"
#include "stats/watch.h"

#define LONGEST_GAP			(2 * WATCH_IDLE_MS * NS_PER_MS)
#define WRITER_LOOKS		3
#define WRITER_LEAST		(1024 * 1024)	/* bytes in these looks, ... */
#define WRITER_PART			4	/* ... and a part of all WAL meanwhile */
#define WRITERS_TOLD		64	/* apart in a sum */
#define SWITCH_JUMP			16	/* times the WAL of the look before */
#define MAX_LOCKS_READ		64	/* in a look, of commits and of others */
#define MAX_BLAMED			16
#define MAX_STATES_READ		16
#define MIN_PAUSE			250 /* ms; 150 loops on two processors made no nap
								 * as long */
#define MIN_QUEUED			20	/* ms */
#define ARCHIVER_GAP		(NS_PER_S / 4)
#define COMMITS_KEPT		2	/* of each session, that waited */
#define LATELY				16	/* looks: some 1 s */
#define FLUSH_REQUESTS		4	/* of a flush at most: 2 to 3 with fdatasync */
#define FLUSH_RUN			1024	/* flushes that may show fewer */
#define WAL_REQUEST			65536	/* bytes of WAL that need one more */
#define OTHERS_KB			512 /* fewer, in these looks, stall nothing */
#define OTHERS_REQUESTS		32	/* likewise */
#define OTHERS_PERCENT		40

typedef struct WatchShared
{
	pg_atomic_uint32 worker;	/* its process number plus 1, or 0 */
	WatchSettings settings;		/* of the worker */
	ChangeCount changes;		/* between changes, the number of samples */
	WatchSample sample[WATCH_SAMPLES];
} WatchShared;

/* A COMMIT that was seen waiting for a lock or a standby. */
typedef struct SeenCommit
{
	int			pid;			/* 0: none */
	uint64		since;			/* as in PhaseReading */
	uint64		seen_at;		/* the last time that it waited */
	bool		told;			/* watch_find_waits() has returned it */
	uint64		lock_lead;		/* ns that the holder of waited.lock has over
								 * others in the vote on it */
	CommitWaits waited;
} SeenCommit;

typedef struct Session
{
	int			pid;
	TransactionId xid;
	int			looks;			/* with this xid, without a wait */
	uint64		wal;			/* look.wal and look.unended as they began */
	uint64		unended;
	bool		in_commit;
	bool		holds_row;		/* for which others wait */
	LocalTransactionId lxid;
	uint64		lxid_since;		/* this one began later; 0: unknown */
	SeenCommit	commit[COMMITS_KEPT];	/* the latest, and a long one */
} Session;

/* The look under way, or the last one. */
typedef struct Look
{
	uint64		before;			/* clock_now() of the look before; 0: none */
	uint64		length;			/* ns since then */
	uint64		wal;			/* bytes that were inserted so far */
	uint64		unended;		/* ... not by transactions that have ended or
								 * wait for their flush */
	CommitPhase flusher_phase;
	int			locks_read;
	int			inserters;		/* outside of commits, for a WALInsert lock */
	int			blamed;
	int			without_event;	/* commits that may sleep in a library, ... */
	int			asleep;			/* ... and do, of the first MAX_STATES_READ */
	StandbyBlame blame;			/* the last one; name "": none */
	WatchWriter writer[WATCH_WRITERS];	/* with the most looks */
	WatchSample sample;
} Look;

static WatchShared *shared = NULL;
static Session *sessions = NULL;	/* by index in allProcs */
static Look look;
static uint32 paused_us = 0;	/* the latest pause since the last look */
static Volume wal_volume;
static bool queued = false;		/* a nap since then queued for a processor */

const StatsModule watch_module = {
	.head_size = sizeof(WatchShared),
	.head = (void **) &shared,
};

/* Also on the commit path.  Returns false if there is no worker. */
bool
watch_wake_worker(void)
{
	uint32		worker = pg_atomic_read_u32(&shared->worker);

	if (worker != 0)
		SetLatch(&ProcGlobal->allProcs[worker - 1].procLatch);
	return worker != 0;
}

static void
forget_worker(int code, Datum arg)
{
	pg_atomic_write_u32(&shared->worker, 0);
}

static WatchSettings
own_settings(void)
{
	return (WatchSettings)
	{
		.delay = CommitDelay,
			.siblings = CommitSiblings,
			.delay_elsewhere = guc_is_set_elsewhere("commit_delay"),
			.slow_commit_time = commit_stats_slow_commit_time,
			.io_timing = track_wal_io_timing,
			.wal_apart = shared->settings.wal_apart,
			.loaded_at = PgReloadTime,
			.max_wal_size = max_wal_size_mb,
			.checkpoint_timeout = CheckPointTimeout,
			.checkpoints_set_at = shared->settings.checkpoints_set_at
	};
}

void
watch_note_settings(void)
{
	WatchSettings settings = own_settings();
	const WatchSettings *before = &shared->settings;

	if (before->max_wal_size != 0 &&
		(before->max_wal_size != settings.max_wal_size ||
		 before->checkpoint_timeout != settings.checkpoint_timeout))
		settings.checkpoints_set_at = PgReloadTime;
	shared->settings = settings;
}

void
watch_read_settings(WatchSettings *settings)
{
	*settings = own_settings();
	if (pg_atomic_read_u32(&shared->worker) == 0)
		return;
	settings->loaded_at = shared->settings.loaded_at;
	/* the worker may be about to read the configuration that this session has */
	if (settings->delay_elsewhere)
	{
		settings->delay = shared->settings.delay;
		settings->delay_elsewhere = shared->settings.delay_elsewhere;
	}
	if (guc_is_set_elsewhere("commit_siblings"))
		settings->siblings = shared->settings.siblings;
	if (guc_is_set_elsewhere("commit_stats.slow_commit_time"))
		settings->slow_commit_time = shared->settings.slow_commit_time;
	if (guc_is_set_elsewhere("track_wal_io_timing"))
		settings->io_timing = shared->settings.io_timing;
}

/*
 * This process is the worker, until it exits.  It alone looks for the volume
 * of the WAL, and once: volume_find() waits for a file server that does not
 * answer, and just then somebody wants a report.
 */
void
watch_start(void)
{
	Volume		data_volume;

	volume_find("pg_wal", VOLUME_DEVICES, &wal_volume);
	volume_find("base", VOLUME_DEVICES, &data_volume);
	shared->settings.wal_apart = wal_volume.disk != data_volume.disk;
	watch_note_settings();
	on_shmem_exit(forget_worker, (Datum) 0);
	pg_atomic_write_u32(&shared->worker, MyProcNumber + 1);
}

/*
 * Bytes of WAL so far.  A switch to another segment moves "end" much farther
 * than the look before, by what nobody wrote.
 */
static uint64
bytes_inserted(XLogRecPtr end)
{
	static XLogRecPtr before = 0;
	static uint64 growth = 0;
	static uint64 skipped = 0;
	uint64		now = clock_elapsed(before, end);

	if (before != 0 && now > Max(SWITCH_JUMP * growth, WRITER_LEAST) &&
		end / wal_segment_size == before / wal_segment_size + 1)
		skipped += now;
	growth = now;
	before = end;
	return end - skipped;
}

static WatchSample *
sample_of(uint64 number)
{
	return &shared->sample[number % WATCH_SAMPLES];
}

/*---- What a COMMIT waits for -------------------------------------*/

/* What its entry is worth to a slow commit that is still to be explained */
static uint64
worth_of(const SeenCommit *commit)
{
	return commit->told ||
		clock_elapsed(commit->seen_at, look.sample.at) > NS_PER_S ? 0 :
		Max(commit->waited.lock_time, commit->waited.standby_since == 0 ? 0 :
			clock_elapsed(commit->waited.standby_since, commit->seen_at));
}

/*
 * The entry of the COMMIT that a session is in, which may be made now.  Of
 * earlier COMMITs, the longest wait stays for a second, or until a slow commit
 * has been explained by it, however many short ones follow.
 */
static CommitWaits *
seen_commit(Session *session, const PhaseReading *reading)
{
	SeenCommit *commit = session->commit;

	/* one without a mark, of NOTIFY alone, is another one if that was told */
	if (commit->pid != session->pid || commit->since != reading->since ||
		commit->told)
	{
		if (worth_of(commit) >= worth_of(&commit[1]))
			commit[1] = commit[0];
		memset(commit, 0, sizeof(*commit));
		commit->pid = session->pid;
		commit->since = reading->since;
	}
	commit->seen_at = look.sample.at;
	return &commit->waited;
}

/*
 * Votes for the leader, which has "lead" votes over all others together, or
 * for another one.  Returns true if that leads now.
 */
static bool
leads_vote(uint64 *lead, bool is_leader, uint64 votes)
{
	bool		leads = is_leader || *lead <= votes;

	*lead = is_leader ? *lead + votes : leads ? votes - *lead : *lead - votes;
	return leads;
}

static bool
read_lock(PGPROC *proc, LockWait *wait)
{
	return look.locks_read++ < MAX_LOCKS_READ && lock_wait_read(proc, wait);
}

/*
 * A COMMIT waits for a lock; keep the longest wait.  As it ends, the lock may
 * already have passed to another one.
 */
static void
watch_lock(PGPROC *proc, Session *session, const PhaseReading *reading)
{
	CommitWaits *waited;
	uint64	   *lead = &session->commit->lock_lead;
	LockWait	wait;
	uint64		length = 0;

	if (!read_lock(proc, &wait))
		return;
	waited = seen_commit(session, reading);
	if (wait.since != 0)
		length = Max(GetCurrentTimestamp() - wait.since, 0) * NS_PER_US;
	if (length < waited->lock_time)
		return;
	waited->lock_time = length;
	if (wait.since != waited->lock.since)
		*lead = length;
	else if (!leads_vote(lead, lock_wait_has_same_holder(&wait, &waited->lock),
						 look.length))
		return;
	waited->lock = wait;
}

/*
 * A COMMIT waits for a standby.  Beyond MAX_BLAMED backends, one gets the
 * blame found last in this look.
 */
static void
watch_standby(PGPROC *proc, Session *session, const PhaseReading *reading)
{
	CommitWaits *waited;

	if ((look.blamed++ < MAX_BLAMED && !standby_blame(proc, &look.blame)) ||
		look.blame.name[0] == '\0')
		return;
	waited = seen_commit(session, reading);
	if (waited->standby_since == 0)
		waited->standby_since = clock_now();
	if (leads_vote(&waited->blame_lead,
				   waited->blame.stage == look.blame.stage &&
				   strcmp(waited->blame.name, look.blame.name) == 0,
				   look.length))
		waited->blame = look.blame;
}

/*
 * What the worker has seen of the commits of a process between two times.  A
 * COMMIT may have several entries, as each callback sets its mark, "since",
 * anew.
 */
void
watch_find_waits(int procno, int pid, uint64 from, uint64 to,
				 CommitWaits *waits)
{
	memset(waits, 0, sizeof(CommitWaits));
	for (int i = 0; sessions != NULL && i < COMMITS_KEPT; i++)
	{
		SeenCommit *commit = &sessions[procno].commit[i];

		if (commit->pid != pid || commit->seen_at < from ||
			commit->seen_at > to)
			continue;
		commit->told = true;
		if (commit->waited.lock_time > waits->lock_time)
		{
			waits->lock = commit->waited.lock;
			waits->lock_time = commit->waited.lock_time;
		}
		if (commit->waited.standby_since != 0 &&
			(waits->standby_since == 0 || commit->waited.standby_since < waits->standby_since))
			waits->standby_since = commit->waited.standby_since;
		if (commit->waited.blame.name[0] != '\0')
		{
			waits->blame = commit->waited.blame;
			waits->blame_lead = commit->waited.blame_lead;
		}
	}
}

/*---- A look ------------------------------------------------------*/

static bool
is_users_lock(const LOCKTAG *tag)
{
	return tag->locktag_type == LOCKTAG_TUPLE ||
		tag->locktag_type == LOCKTAG_TRANSACTION ||
		tag->locktag_type == LOCKTAG_RELATION ||
		tag->locktag_type == LOCKTAG_ADVISORY;
}

static Session *
find_session(int pid)
{
	for (int i = 0; pid != 0 && i < MaxBackends; i++)
		if (sessions[i].pid == pid)
			return &sessions[i];
	return NULL;
}

/*
 * Its session holds an advisory lock, whatever transaction it is in: there is
 * none, or it began when another process already waited for the lock.
 */
static bool
is_of_session(const LockWait *wait, const Session *holder)
{
	if (wait->tag.locktag_type != LOCKTAG_ADVISORY || holder == NULL)
		return false;
	return (wait->holder_outside && !holder->in_commit) ||
		(!wait->chained && wait->since != 0 &&
		 clock_ns_at(wait->since) < holder->lxid_since);
}

/*
 * A session with this number of samples or looks, among the "n" with the most,
 * which come first; "samples" 0: with one more than it has.  Workers of
 * autovacuum are one writer, as each ends with its table.
 */
static void
put_writer(WatchWriter *writer, int n, int pid, int samples)
{
	int			i = 0;

	while (i < n - 1 && writer[i].samples > 0 && writer[i].pid != pid)
		i++;
	if (samples == 0)
		samples = 1 + (writer[i].pid == pid ? writer[i].samples : 0);
	if (samples <= writer[i].samples)
		return;
	for (; i > 0 && samples > writer[i - 1].samples; i--)
		writer[i] = writer[i - 1];
	writer[i] = (WatchWriter)
	{
		pid, samples
	};
}

/* It writes WAL, or waits until it can. */
static bool
is_wal_event(uint32 event)
{
	return event == WAIT_EVENT_WAL_WRITE || event == WAIT_EVENT_WAL_SYNC ||
		event == WAIT_EVENT_WAL_INIT_WRITE || event == WAIT_EVENT_WAL_INIT_SYNC ||
		event == (PG_WAIT_LWLOCK | WALBufMappingLock->tranche) ||
		event == (PG_WAIT_LWLOCK | WALWriteLock->tranche);
}

/*
 * The session may have written much of the WAL since its looks began, as no
 * transaction that has ended did.
 */
static bool
may_have_written(const Session *session)
{
	int64		written = look.unended - session->unended;

	return session->looks >= WRITER_LOOKS &&
		written >= Max(WRITER_LEAST, (int64) (look.wal - session->wal) / WRITER_PART);
}

/* A backend with an id, or that writes WAL without one, in no commit. */
static void
look_at_writer(PGPROC *proc, Session *session, TransactionId xid, uint32 event)
{
	WatchSample *sample = &look.sample;

	if (session->xid != xid)
		session->looks = 0;
	/* it shrinks as another transaction ends, whose WAL this hides */
	if (session->looks == 0 || (int64) (look.unended - session->unended) < 0)
	{
		session->wal = look.wal;
		session->unended = look.unended;
	}
	/* as the WAL buffers are full, or a page must leave shared_buffers */
	sample->wal_waits += is_wal_event(event);
	look.inserters += event == (PG_WAIT_LWLOCK | LWTRANCHE_WAL_INSERT);
	if (event == WAIT_EVENT_CLIENT_READ)
		sample->idle_xids++;
	else if (event != WAIT_EVENT_PG_SLEEP &&
			 (!is_lock_event(event) ||
			  event == (PG_WAIT_LOCK | LOCKTAG_RELATION_EXTEND)) &&
			 ++session->looks > 0 && may_have_written(session))
		put_writer(look.writer, WATCH_WRITERS,
				   proc->statusFlags & PROC_IS_AUTOVACUUM ?
				   WATCH_AUTOVACUUM : session->pid, session->looks);
}

/* Before its record or after its flush */
static bool
is_around_flush(const PhaseReading *reading)
{
	return reading->phase == PHASE_BEFORE || reading->phase == PHASE_RECORD ||
		reading->phase == PHASE_LOG || reading->phase == PHASE_AFTER;
}

/*
 * There, a commit waits for other processes, which are not the parallel
 * workers of a deferred trigger's query.
 */
static bool
waits_for_processes(const PhaseReading *reading, uint32 event)
{
	return is_around_flush(reading) &&
		(wait_event_class(event) == PG_WAIT_LWLOCK ||
		 (wait_event_class(event) == PG_WAIT_IPC && reading->phase != PHASE_BEFORE)) &&
		!is_insert_event(event) && !is_wal_event(event);
}

/*
 * It waits in a library: the server's own code sets an event, but for a leader
 * that has just begun to sleep (before 19), which still has its id.
 */
static bool
sleeps_without_event(PGPROC *proc, const PhaseReading *reading, bool has_id)
{
	bool		asleep = is_around_flush(reading) &&
	!(has_id && reading->phase == PHASE_LOG) &&
	look.without_event++ < MAX_STATES_READ &&
	process_state(proc->pid) == 'S' && wait_event_of(proc) == 0;

	look.asleep += asleep;
	return asleep;
}

/*
 * A commit that waits for no flush writes WAL to make room for its record: for
 * sums, that is PHASE_RECORD.  commit_activity says for whose flush it waits.
 */
static bool
read_commit(PGPROC *proc, uint32 event, PhaseReading *reading)
{
	if (!commit_phase_read(proc, look.flusher_phase, reading))
		return false;
	if (reading->unwaited && reading->phase >= PHASE_DELAY &&
		reading->phase <= PHASE_SEGMENT)
		reading->phase = event == 0 ? PHASE_LOG : PHASE_RECORD;
	return true;
}

static void
look_at_backend(int procno)
{
	PGPROC	   *proc = &ProcGlobal->allProcs[procno];
	Session    *session = &sessions[procno];
	TransactionId xid = *(volatile TransactionId *) &proc->xid;
	LocalTransactionId lxid = *(volatile LocalTransactionId *) &PROC_LXID(proc);
	uint32		event = wait_event_of(proc);
	PhaseReading reading;

	if (session->lxid != lxid)
		session->lxid_since = look.before;
	session->lxid = lxid;
	session->pid = *(volatile int *) &proc->pid;
	session->in_commit = session->pid != 0 && read_commit(proc, event, &reading);
	session->holds_row = false;
	if (session->in_commit)
	{
		bool		without_id = reading.phase == PHASE_BEFORE &&
		!TransactionIdIsValid(xid);

		/*
		 * One that waits for no flush, and runs after its record, waits not.
		 * Nor does one without an id: mostly, it has only read.
		 */
		bool		waits = event != 0 ||
		!(without_id || (reading.unwaited && reading.phase == PHASE_LOG));

		look.sample.phase[reading.phase] += waits;
		look.sample.without_id += event != 0 && without_id;
		look.sample.insert_waits += reading.phase == PHASE_RECORD &&
			(is_insert_event(event) || is_wal_event(event));
		/* unless it has the lock of NOTIFY now */
		look.sample.commit_locks += reading.phase <= PHASE_RECORD &&
			is_lock_event(event) && wait_event_of(proc) == event;
		if (waits_for_processes(&reading, event))
		{
			look.sample.event_waits++;
			look.sample.wait_event = event;
		}
		look.sample.extension_waits += event == 0 ?
			waits && sleeps_without_event(proc, &reading, TransactionIdIsValid(xid)) :
			is_extension_event(event);
		look.sample.sync_waits += reading.phase == PHASE_RECORD &&
			event == WAIT_EVENT_DATA_FILE_IMMEDIATE_SYNC;
		if (reading.phase == PHASE_STANDBY)
			watch_standby(proc, session, &reading);
		else if (is_lock_event(event))
			watch_lock(proc, session, &reading);
	}
	else if (session->pid != 0 &&
			 (TransactionIdIsValid(xid) || is_wal_event(event) ||
			  proc->statusFlags & (PROC_IN_VACUUM | PROC_IN_SAFE_IC)))
		look_at_writer(proc, session, xid, event);
	else if (event == WAIT_EVENT_CLIENT_READ)
		session->looks = 0;
	session->xid = xid;
}

/* Commits that sleep without an event are like those whose state was read. */
static void
look_at_backends(void)
{
	for (int i = 0; i < MaxBackends; i++)
		look_at_backend(i);
	if (look.without_event > MAX_STATES_READ)
		look.sample.extension_waits += look.asleep *
			(look.without_event - MAX_STATES_READ) / MAX_STATES_READ;
}

/* The lock that a backend waits for; or NULL. */
static LOCK *
blocking_lock(int procno)
{
	PGPROC	   *proc = &ProcGlobal->allProcs[procno];

	if (sessions[procno].pid == 0 || !is_lock_event(wait_event_of(proc)))
		return NULL;
	return *(LOCK *volatile *) &proc->waitLock;
}

/*
 * Count waits for locks: of a commit, of another holder, of a prepared
 * transaction.  Comes after each look_at_backend(), as it asks who is in a
 * commit.  Neighbours mostly wait for the same lock, which is read once.
 * Locks that are not read are like those that are.
 */
static void
look_at_blocked(void)
{
	WatchSample *sample = &look.sample;
	LOCK	   *before = NULL;
	Session    *holder = NULL;
	int			users[2] = {0}; /* outside of a commit, and in one */
	int			read[2] = {0};
	bool		counts = false;
	bool		known = false;
	bool		blocked = false;
	bool		prepared = false;

	/* as many as for commits */
	look.locks_read = 0;
	for (int i = 0; i < MaxBackends; i++)
	{
		LOCK	   *lock = blocking_lock(i);
		LockWait	wait;

		if (lock == NULL)
			continue;
		if (lock != before)
		{
			counts = is_users_lock(&lock->tag);
			known = counts && read_lock(&ProcGlobal->allProcs[i], &wait);
			holder = known ? find_session(wait.holder_pid) : NULL;
			/* a session that would be the leader waits for no transaction */
			if (known && is_of_session(&wait, holder))
				counts = known = false;
			blocked = known && holder != NULL && holder->in_commit;
			prepared = known && wait.holder_prepared;
		}
		before = lock;
		users[sessions[i].in_commit] += counts;
		read[sessions[i].in_commit] += known;
		sample->prepared_waits += prepared && !sessions[i].in_commit;
		if (sessions[i].in_commit)
			sample->commit_queue += blocked;
		else if (blocked)
		{
			sample->blocked_rows++;
			sample->row_holders += !holder->holds_row;
			holder->holds_row = true;
		}
		else
			sample->lock_waits += known;
	}
	if (read[true] > 0)
		sample->commit_queue = (int) sample->commit_queue * users[true] / read[true];
	if (read[false] == 0)
		return;
	sample->blocked_rows = (int) sample->blocked_rows * users[false] / read[false];
	sample->lock_waits = (int) sample->lock_waits * users[false] / read[false];
	sample->prepared_waits = (int) sample->prepared_waits * users[false] / read[false];
}

/*
 * Count commits that wait for a flush whose process waits for a processor, or
 * to write, or is in no commit.  Comes after each look_at_backend(), which
 * counts these commits, and look_at_checkpointer(): a checkpoint flushes the
 * WAL of pages before it writes them.  A quick flush may be over, and its
 * process do something else.
 */
static void
look_at_flusher(PGPROC *flusher)
{
	WatchSample *sample = &look.sample;
	PhaseReading reading;
	CommitPhase phase;
	bool		in_commit;
	char		state;
	int			waits = sample->phase[PHASE_FLUSH] + sample->phase[PHASE_OTHER_FLUSH];

	if (flusher == NULL)
	{
		if (commit_phase_find_flusher(&phase) == NULL)
			sample->cpu_waits = sample->phase[PHASE_OTHER_FLUSH];
		return;
	}
	in_commit = commit_phase_read(flusher, PHASE_FLUSH, &reading);
	state = process_state(flusher->pid);
	if (look.flusher_phase != PHASE_FLUSH ||
		commit_phase_of_flusher(flusher) != PHASE_FLUSH)
		return;
	if ((state == 'D' || state == 'S') && is_write_before_sync(flusher))
		sample->write_waits = waits;
	if (state == 'R')
		sample->cpu_waits = waits;
	else if (flusher == checkpointer_proc() &&
			 sample->activities & ACTIVITY_BIT(ACTIVITY_CHECKPOINT))
		sample->checkpoint_waits = sample->phase[PHASE_OTHER_FLUSH];
	else if (!in_commit)
		sample->outside_waits = sample->phase[PHASE_OTHER_FLUSH];
}

/*
 * The checkpointer syncs after it has written.  Without a checkpoint, it still
 * writes WAL, as archive_timeout makes it switch to another segment.
 */
static void
look_at_checkpointer(void)
{
	static uint8 phase = 0;		/* its bit; 0: none */
	PGPROC	   *proc = checkpointer_proc();
	uint32		event = proc ? wait_event_of(proc) :
	WAIT_EVENT_CHECKPOINTER_MAIN;

	if (event == WAIT_EVENT_CHECKPOINTER_MAIN)
		phase = 0;
	else if (event == WAIT_EVENT_DATA_FILE_SYNC ||
			 event == WAIT_EVENT_SLRU_FLUSH_SYNC)
		phase = ACTIVITY_BIT(ACTIVITY_SYNCS);
	else if (phase == 0 && !is_wal_event(event))
		phase = ACTIVITY_BIT(ACTIVITY_WRITES);
	look.sample.ahead = event == WAIT_EVENT_WAL_INIT_WRITE ||
		event == WAIT_EVENT_WAL_INIT_SYNC;
	look.sample.activities |= phase;
	if (phase != 0)
		look.sample.activities |= ACTIVITY_BIT(ACTIVITY_CHECKPOINT);
}

/* From one command to the next, the volume works off what the first wrote. */
static void
look_at_archiver(void)
{
	static uint64 seen_at = 0;

	for (uint32 i = MaxBackends; i < ProcGlobal->allProcCount; i++)
		if (wait_event_of(&ProcGlobal->allProcs[i]) ==
			WAIT_EVENT_ARCHIVE_COMMAND)
			seen_at = look.sample.at;
	if (seen_at != 0 && clock_elapsed(seen_at, look.sample.at) < ARCHIVER_GAP)
		look.sample.activities |= ACTIVITY_BIT(ACTIVITY_ARCHIVER);
}

/* Comes after look_at_flusher(), which does not see a hidden limit. */
static void
look_at_cpu_limit(void)
{
	static uint64 before;
	static bool limited = false;
	uint64		throttled;
	bool		was_limited = limited;

	limited = cpu_throttled_read(CPU_LIMIT_GROUPS, CPU_LIMIT_MOUNT, &throttled);
	if (limited && was_limited)
		look.sample.throttled_us = clock_elapsed(before, throttled) / NS_PER_US;
	before = throttled;
	look.sample.queued = queued && look.sample.throttled_us == 0;
	if (look.sample.queued)
		look.sample.cpu_waits = look.sample.phase[PHASE_FLUSH] +
			look.sample.phase[PHASE_OTHER_FLUSH];
	queued = false;
}

/*
 * The worker's sleep with this timeout took so long.  It is no pause if the
 * worker could have run for half of what it is late; then the commits of the
 * next look lack a processor, too.
 */
void
watch_note_nap(long timeout, uint64 took)
{
	static double delay = 0;
	double		before = delay;
	uint64		late = clock_elapsed(timeout, took);
	bool		lacked;

	delay = run_delay_read(THIS_PROCESS);
	lacked = 2 * (delay - before) >= (double) late * NS_PER_MS;
	queued |= lacked && late >= MIN_QUEUED;
	if (!lacked && late >= MIN_PAUSE)
		paused_us = Min(late, PG_UINT32_MAX / 1000) * 1000;
}

/*
 * Requests of a flush: the least mean of the runs of FLUSH_RUN flushes so far,
 * whoever made the requests.  A run begins anew when WAL is synced in another
 * way.
 */
static double
requests_of_flush(uint64 flushes, uint64 requests)
{
	static double least = FLUSH_REQUESTS;
	static uint64 run_flushes;	/* as the run began */
	static uint64 run_requests = 0;
	static int	run_method = -1;
	int			method = enableFsync ? wal_sync_method : -1;

	if (method != run_method)
	{
		least = FLUSH_REQUESTS;
		run_requests = 0;
		run_method = method;
	}
	if (run_requests != 0 && flushes < run_flushes + FLUSH_RUN)
		return least;
	if (run_requests != 0)
		least = Max(Min(least, (double) (requests - run_requests) /
						(flushes - run_flushes)), 1);
	run_flushes = flushes;
	run_requests = requests;
	return least;
}

/*
 * Only the kernel knows what other programs read and write.  What commits make
 * it write is known well enough.
 */
static void
look_at_volume(uint64 flushes, const WatchSample *newest)
{
	static uint64 flushes_before = 0;
	static double flush_requests = 0;
	XLogRecPtr	flushed = GetFlushRecPtr(NULL);
	VolumeCounts volume = volume_read(&wal_volume);

	/*
	 * The first look goes on from the last one of the worker before; requests
	 * meanwhile are of flushes, as far as this one knows.
	 */
	if (flushes_before == 0)
	{
		flushes_before = flushes;
		flush_requests = (uint32) (newest->flush_requests + (uint32) volume.requests -
								   newest->requests - flushed / WAL_REQUEST);
	}
	look.sample.moved_kb = (uint32) (volume.bytes / 1024);
	look.sample.flushed_kb = (uint32) (flushed / 1024 + flushes * FLUSH_KB);
	flush_requests += (flushes - flushes_before) *
		requests_of_flush(flushes, volume.requests);
	flushes_before = flushes;
	look.sample.requests = (uint32) volume.requests;
	look.sample.flush_requests =
		(uint32) ((uint64) flush_requests + flushed / WAL_REQUEST);
}

/*
 * What others than flushes had of the volume in the last LATELY looks, of
 * which "newest" is the latest: two fifths of its requests, or three quarters
 * of its bytes, are an activity.  Requests count if a flush was under way in
 * most of these looks: a volume that is free does not make flushes wait for
 * others.  Not known while a segment is made.
 */
static void
look_at_others(uint64 newest)
{
	const WatchSample *first = sample_of(newest - Min(newest, LATELY));
	uint32		moved = look.sample.moved_kb - first->moved_kb;
	uint32		flushed = look.sample.flushed_kb - first->flushed_kb;
	uint32		requests = look.sample.requests - first->requests;
	uint32		of_flushes = look.sample.flush_requests - first->flush_requests;
	bool		segment = look.sample.segment;
	int			busy = 0;

	for (int i = 0; i < LATELY; i++)
	{
		const WatchSample *sample = sample_of(newest - Min(newest, i));

		segment |= sample->segment;
		busy += sample->phase[PHASE_FLUSH] + sample->phase[PHASE_OTHER_FLUSH] > 0;
	}
	if (segment || first->moved_kb == 0 || look.sample.moved_kb == 0)
		return;
	if (requests >= OTHERS_REQUESTS && of_flushes < requests && 2 * busy > LATELY)
		look.sample.others = (requests - of_flushes) * UINT64CONST(100) / requests;
	if (look.sample.others >= OTHERS_PERCENT ||
		(moved >= OTHERS_KB && flushed <= moved / 4))
		look.sample.activities |= ACTIVITY_BIT(ACTIVITY_OTHERS);
}

uint64
watch_looked_at(void)
{
	return look.sample.at;
}

bool
watch_look(void)
{
	uint64		before = look.sample.at;
	uint32		commits = look.sample.commits + look.sample.unwaited;
	uint64		number;
	uint64		counted[SLOT_TRANSACTION_TIME + 1];
	int			in_commit = 0;
	PGPROC	   *flusher;

	if (sessions == NULL)
		sessions = MemoryContextAllocZero(TopMemoryContext,
										  mul_size(MaxBackends, sizeof(Session)));
	/* for commits, which trust it, if the system's time has been set */
	(void) clock_offset();
	memset(&look, 0, sizeof(look));
	look.sample.at = clock_now();
	look.before = before;
	look.length = Min(clock_elapsed(before, look.sample.at), LONGEST_GAP);
	backend_slots_add_up(counted, lengthof(counted));
	look.wal = RecoveryInProgress() ? 0 : bytes_inserted(GetXLogInsertRecPtr());
	/* one that ends meanwhile is in neither sum, which is better than in both */
	look.unended = look.wal - counted[SLOT_WAL_BYTES] - backend_slots_wal_committing();
	flusher = commit_phase_find_flusher(&look.flusher_phase);
	look.sample.segment = look.flusher_phase == PHASE_SEGMENT;
	look_at_backends();
	/* a session that makes room in the WAL buffers holds one of eight */
	if (look.sample.wal_waits > 0)
		look.sample.wal_waits += look.inserters;
	for (int i = 0; i < WATCH_WRITERS; i++)
		look.sample.writer[i] = look.writer[i].pid;
	if (look.writer[0].samples > 0)
		look.sample.activities |= ACTIVITY_BIT(ACTIVITY_WRITER);
	look_at_checkpointer();
	look_at_flusher(flusher);
	look_at_blocked();
	look_at_archiver();
	look_at_cpu_limit();
	/* a limit of the CPU makes naps longer, too */
	look.sample.paused = paused_us > 2 * look.sample.throttled_us;
	if (look.sample.paused)
		look.sample.throttled_us = paused_us;
	paused_us = 0;
	look.sample.commits = counted[SLOT_COMMITS] + counted[SLOT_PREPARES];
	look.sample.unwaited = counted[SLOT_COMMITS_ASYNC] +
		counted[SLOT_COMMITS_UNLOGGED];
	look.sample.ended_ms = (uint32) (counted[SLOT_TRANSACTION_TIME] / NS_PER_MS);
	(void) changecount_read(&shared->changes, &number);
	look_at_volume(counted[SLOT_FLUSHES], sample_of(number));
	standby_look(look.length);
	for (int i = 0; i < PHASE_N; i++)
		in_commit += look.sample.phase[i];
	look_at_others(number);
	changecount_begin(&shared->changes);
	*sample_of(number + 1) = look.sample;
	changecount_end(&shared->changes);
	return in_commit > 0 ||
		look.sample.commits + look.sample.unwaited != commits;
}

/*---- Sums of samples ---------------------------------------------*/

#define ADD_WAIT(wait, time)		sum->wait += sample->wait * time;
#define ROUND_WAIT(wait, time)		sum->wait = round(sum->wait * scale);

/*
 * "ns" is the part of the time that the sample speaks for, "late": that time
 * had ended at the look, whose flush is another one.
 */
static void
add_sample(const WatchSample *sample, const WatchSample *before, uint64 ns,
		   bool late, WatchSummary *sum)
{
	uint64		length = Max(clock_elapsed(before->at, sample->at), 1);
	uint64		throttled = Min(sample->throttled_us * NS_PER_US, ns);
	double		all = ns;
	double		ran = all - throttled;
	double		part = (double) ns / length;
	uint64		lead = sum->event_lead;

	/* when a pause is over, many begin their commit before the worker looks */
	const WatchSample *stopped = sample->paused ? before : sample;

	for (int i = 0; i < PHASE_N; i++)
	{
		double		time = i == PHASE_STANDBY ? all : ran;

		sum->phase[i] += sample->phase[i] * time;
		sum->phase[PHASE_NOT_RUN] += stopped->phase[i] * (all - time);
	}
	WATCH_WAITS(ADD_WAIT);
	WATCH_RECENT_WAITS(ADD_WAIT);
	if (late && !sample->queued)
		sum->cpu_waits -= sample->cpu_waits * ran;
	/* the waits of a look vote for its last event */
	if (leads_vote(&lead, sample->wait_event == sum->wait_event, sample->event_waits))
		sum->wait_event = sample->wait_event;
	sum->event_lead = lead;
	sum->event_votes += sample->event_waits;
	sum->commits += (sample->commits - before->commits) * part;
	sum->unwaited += (sample->unwaited - before->unwaited) * part;
	sum->ended += (sample->ended_ms - before->ended_ms) * part / 1000;
	sum->n++;
	sum->seconds += (double) ns / NS_PER_S;
	sum->throttled += throttled;
	for (int i = 0; i < ACTIVITIES; i++)
		sum->activity[i] += (sample->activities & ACTIVITY_BIT(i)) != 0;
	sum->segment += sample->segment && !late;
	sum->paused += sample->paused;
	sum->ahead += sample->ahead;
	sum->others += sample->others / 100.0f;
	if (before->moved_kb != 0 && sample->moved_kb != 0)
	{
		sum->volume.seconds += (double) ns / NS_PER_S;
		sum->volume.bytes += (sample->moved_kb - before->moved_kb) * 1024.0 * part;
		sum->volume.flushed += (sample->flushed_kb - before->flushed_kb) * 1024.0 * part;
		sum->volume.requests += (sample->requests - before->requests) * part;
		sum->volume.of_flushes += (sample->flush_requests - before->flush_requests) * part;
	}
}

/* From sums of ns to numbers of samples. */
static void
finish_sum(WatchSummary *sum)
{
	double		scale = sum->seconds > 0 ?
	sum->n / (sum->seconds * NS_PER_S) : 0;

	for (int i = 0; i < PHASE_N; i++)
	{
		sum->phase[i] = round(sum->phase[i] * scale);
		sum->in_commit += sum->phase[i];
	}
	WATCH_WAITS(ROUND_WAIT);
	WATCH_RECENT_WAITS(ROUND_WAIT);
	sum->commits = round(sum->commits);
	sum->unwaited = round(sum->unwaited);
}

void
watch_sum(uint64 from, uint64 to, WatchSummary *sum)
{
	WatchWriter writer[WRITERS_TOLD];
	uint64		newest;

	do
	{
		newest = changecount_wait(&shared->changes);
		memset(sum, 0, sizeof(WatchSummary));
		memset(writer, 0, sizeof(writer));
		for (uint64 i = newest; i > 1 && i + WATCH_SAMPLES > newest + 1; i--)
		{
			const WatchSample *sample = sample_of(i);
			const WatchSample *before = sample_of(i - 1);
			uint64		begin = Max(before->at,
									clock_elapsed(LONGEST_GAP + sample->throttled_us * NS_PER_US,
												  sample->at));

			if (sample->at <= from)
				break;
			if (begin >= to)
				continue;
			add_sample(sample, before,
					   clock_elapsed(Max(begin, from), Min(sample->at, to)),
					   sample->at > to, sum);
			for (int w = 0; w < WATCH_WRITERS && sample->writer[w] != 0; w++)
				put_writer(writer, WRITERS_TOLD, sample->writer[w], 0);
		}
	} while (changecount_since(&shared->changes, newest) != 0);
	memcpy(sum->writer, writer, sizeof(sum->writer));
	finish_sum(sum);
}

uint64
watch_busy_until(int looks)
{
	uint64		newest;
	uint64		until;

	do
	{
		int			seen = 0;

		newest = changecount_wait(&shared->changes);
		until = 0;
		for (uint64 i = newest; until == 0 && i > 1 && i + WATCH_SAMPLES > newest + 1; i--)
		{
			const WatchSample *sample = sample_of(i);

			for (int phase = 0; phase < PHASE_N; phase++)
				seen += sample->phase[phase];
			if (seen >= looks)
				until = sample->at;
		}
	} while (changecount_since(&shared->changes, newest) != 0);
	return until;
}

bool
watch_cpu_limited(uint64 from, uint64 to)
{
	WatchSummary sum;

	watch_sum(from, to, &sum);
	return watch_is_throttled(&sum, to - from);
}
