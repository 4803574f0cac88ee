/*-------------------------------------------------------------------------
 *
 * compat.h
 *		What differs between the supported versions of PostgreSQL, and between
 *		compilers.
 *
 * PG_VERSION_NUM appears in no other file, which script/check verifies.  A
 * shim has the name that the newest version uses, if any.  It stands below the
 * version that made it necessary, which is the first one without it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_COMPAT_H
#define COMMIT_STATS_COMPAT_H

#include "access/xlog.h"
#include "portability/instr_time.h"
#include "storage/proc.h"
#include "utils/guc_tables.h"
#include "utils/wait_event.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 200000
#error "commit_stats supports PostgreSQL 15 to 19"
#endif

/*
 * For variables that the commit path reads.  Another library could define a
 * variable of the same name, so compilers read the address of a variable from
 * the global offset table each time, unless its declaration is hidden.  (Since
 * 16, PGXS passes -fvisibility=hidden, which does not affect declarations.)
 */
#if defined(__GNUC__) && !defined(WIN32)
#define COMMIT_STATS_HIDDEN	__attribute__((visibility("hidden")))
#else
#define COMMIT_STATS_HIDDEN
#endif

/* Statistics do not survive pg_upgrade (see persist.c). */
#define SERVER_MAJOR_VERSION	(PG_VERSION_NUM / 10000)

/*---- 16 ----------------------------------------------------------*/

#if PG_VERSION_NUM < 160000
#include "utils/queryjumble.h"

/* Lists in shared memory, circular */
typedef SHM_QUEUE ProcLocks;
typedef SHM_QUEUE ProcLockLink;
#define LIST_END(list)			(list)

#define BEENTRY_BY_INDEX(i)		pgstat_fetch_stat_local_beentry(i)
#define NS_PER_S				INT64CONST(1000000000)
#define NS_PER_MS				INT64CONST(1000000)
#define NS_PER_US				INT64CONST(1000)
#define PENDING_WAL_TIME_NS(t)	((uint64) (t) * 1000)
#define RelFileLocator			RelFileNode
#define SLOT_IS_INVALID(slot)	((slot)->data.restart_lsn == InvalidXLogRecPtr)

/* Here for names that exist; public since */
static inline struct config_generic *
find_option(const char *name, bool create_placeholders, bool skip_errors,
			int elevel)
{
	struct config_generic **option = get_guc_variables();

	while (strcmp((*option)->name, name) != 0)
		option++;
	return *option;
}
#else
#include "nodes/queryjumble.h"

typedef dlist_head ProcLocks;
typedef dlist_node ProcLockLink;
#define LIST_END(list)			(&(list)->head)

/* A session of pg_stat_activity, from 1 on, for utils/backend_status.h */
#define BEENTRY_BY_INDEX(i)		pgstat_get_local_beentry_by_index(i)

/* Gone from 18 on (see flush_detection.h) */
#define PENDING_WAL_TIME_NS(t)	((uint64) INSTR_TIME_GET_NANOSEC(t))

/* A slot that keeps no WAL, now also for other reasons than lost WAL */
#define SLOT_IS_INVALID(slot) \
	((slot)->data.restart_lsn == InvalidXLogRecPtr || \
	 (slot)->data.invalidated != RS_INVAL_NONE)
#endif

#define PROC_LOCKS_FIRST(locks)		(LIST_END(locks)->next)
#define PROC_LOCKS_LAST(locks)		(LIST_END(locks)->prev)
#define PROC_LOCKS_ARE_EMPTY(locks)	(PROC_LOCKS_FIRST(locks) == LIST_END(locks))

/*
 * The element behind "link", or the first one behind NULL; NULL at the end.
 * "offset" is that of the link in its element.
 */
static inline void *
shared_list_next(const ProcLocks *list, const ProcLockLink *link, Size offset)
{
	const ProcLockLink *next = link ? link->next : PROC_LOCKS_FIRST(list);

	/* a dlist that was never used has NULL */
	return next == NULL || next == LIST_END(list) ? NULL :
		(char *) next - offset;
}

#define SHARED_LIST_LOOP(type, element, list, link) \
	for (type *element = shared_list_next(list, NULL, offsetof(type, link)); \
		 element != NULL; \
		 element = shared_list_next(list, &element->link, offsetof(type, link)))

/* A loop over the PROCLOCKs of a LOCK; under the lock of its partition. */
#define LOCK_HOLDERS(lock, holder) \
	SHARED_LIST_LOOP(PROCLOCK, holder, &(lock)->procLocks, lockLink)

/* A loop over the PGPROCs of a SyncRepQueue; under SyncRepLock. */
#define SYNC_REP_WAITERS(queue, waiter) \
	SHARED_LIST_LOOP(PGPROC, waiter, queue, syncRepLinks)

/*---- 17 ----------------------------------------------------------*/

/*
 * MyProcNumber is the index in allProcs, PROC_LXID() shows that a process is
 * in a transaction, of PROC_BACKEND(), which has prepared it or is in it, and
 * CHECKPOINTS() has begun or skipped ones.
 */
#if PG_VERSION_NUM < 170000
#define CHECKPOINTS(stats) \
	((stats)->timed_checkpoints + (stats)->requested_checkpoints)
#define LockHeldByMe(tag, mode, orstronger)	LockHeldByMe(tag, mode)
#define MyProcNumber			(MyProc->pgprocno)
#define PROC_BACKEND(proc)		((proc)->backendId)
#define PROC_LXID(proc)			((proc)->lxid)
#define wal_sync_method			sync_method
#define WAL_SYNC_METHOD_OPEN	SYNC_METHOD_OPEN
#define WAL_SYNC_METHOD_OPEN_DSYNC	SYNC_METHOD_OPEN_DSYNC
#else
#define CHECKPOINTS(stats)		((stats)->num_timed + (stats)->num_requested)
#define HAVE_TRANSACTION_TIMEOUT	1
#define PROC_BACKEND(proc)		((proc)->vxid.procNumber)
#define PROC_LXID(proc)			((proc)->vxid.lxid)
#endif

/*---- 18 ----------------------------------------------------------*/

#if PG_VERSION_NUM < 180000
/* Exported since 7.x or 8.x, declared since 18 */
extern PGDLLIMPORT int CommitDelay;
extern PGDLLIMPORT int CommitSiblings;
extern PGDLLIMPORT char *role_string;	/* the setting "role" */

#define WAL_STATS_FPI(stats)	((stats)->wal_fpi)
#else
/* WAL I/O is counted in the backend's own entry of pg_stat_io. */
#define WAL_IO_IS_BACKEND_STATS	1
#define WAL_STATS_FPI(stats)	((stats)->wal_counters.wal_fpi)
#endif

/*
 * A process of the server, or NULL: up to 17, its latch is known.  It may end
 * at any time, so what is shared is read once.
 */
#if PG_VERSION_NUM < 180000
#define SERVER_PROC(name)	proc_of(*(Latch *volatile *) &ProcGlobal->name##Latch)

static inline PGPROC *
proc_of(Latch *latch)
{
	return latch == NULL ? NULL :
		(PGPROC *) ((char *) latch - offsetof(PGPROC, procLatch));
}
#else
#define SERVER_PROC(name)	proc_of(*(volatile ProcNumber *) &ProcGlobal->name##Proc)

static inline PGPROC *
proc_of(ProcNumber procno)
{
	return procno == INVALID_PROC_NUMBER ? NULL :
		&ProcGlobal->allProcs[procno];
}
#endif

static inline PGPROC *
checkpointer_proc(void)
{
	return SERVER_PROC(checkpointer);
}

/*---- 19 ----------------------------------------------------------*/

/*
 * The sleep of commit_delay is a wait event, and there are entries of
 * ReplicationSlotCtl of REPACK.  PG_INSTR_CLOCK was the only one before.  Now
 * the server may read the processor's time stamp counter instead, whose
 * frequency it estimates at each start (0.05% off at times), and a superuser's
 * session may choose another clock than the rest.
 */
#if PG_VERSION_NUM < 190000
#include "commands/dbcommands.h"	/* get_database_name() */

#define COMMIT_DELAY_SHOWS		false
#define PG_INSTR_SYSTEM_CLOCK	PG_INSTR_CLOCK
#define PROC_IS_IN_COMMIT_DELAY(proc)	false
#define REPLICATION_SLOTS		max_replication_slots
#define SLOT_IS_READ(slot)		((slot)->active_pid != 0)
#define WAL_FPI_BYTES_COUNTED	false
#define WAL_USAGE_FPI_BYTES(usage)	UINT64CONST(0)
#else
#include "utils/lsyscache.h"

#define COMMIT_DELAY_SHOWS		true
#define PROC_IS_IN_COMMIT_DELAY(proc) \
	((proc)->wait_event_info == WAIT_EVENT_COMMIT_DELAY)
#define REPLICATION_SLOTS		(max_replication_slots + max_repack_replication_slots)
#define SLOT_IS_READ(slot)		((slot)->active_proc != INVALID_PROC_NUMBER)
#define WAL_FPI_BYTES_COUNTED	true
#define WAL_USAGE_FPI_BYTES(usage)	((usage).wal_fpi_bytes)
#endif

/*
 * True if a process holds this LWLock.  The bits above these are flags: from
 * 28 on up to 18, from 29 on in 19.
 */
#define LWLOCK_HOLDERS			((1 << 25) - 1)
#define LWLOCK_IS_HELD(lock) \
	((pg_atomic_read_u32(&(lock)->state) & LWLOCK_HOLDERS) != 0)

#endif							/* COMMIT_STATS_COMPAT_H */
