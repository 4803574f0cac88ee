/* What the background worker sees, some 17 times a second; see watch.c. */
#ifndef COMMIT_STATS_WATCH_H
#define COMMIT_STATS_WATCH_H

#include "module/stats_module.h"
#include "stats/commit_phase.h"
#include "stats/lock_wait.h"
#include "stats/standby.h"

#define WATCH_EVERY_MS		50	/* while anything commits, and up to */
#define WATCH_VARIES_MS		20	/* this later, by chance */
#define WATCH_IDLE_MS		500
#define WATCH_SAMPLES		2048	/* are kept: 122 s */
#define WATCH_WRITERS		4
#define WATCH_AUTOVACUUM	(-1)	/* as the pid of a writer: any worker of
									 * it */

typedef enum CheckpointPhase
{
	CHECKPOINT_NONE,
	CHECKPOINT_WRITES,
	CHECKPOINT_SYNCS,
	CHECKPOINT_NPHASES
} CheckpointPhase;

/* A session that writes WAL and is in no commit. */
typedef struct WatchWriter
{
	int			pid;
	int			samples;
} WatchWriter;

/* One look.  Written by the worker alone; see changecount.c for readers. */
typedef struct WatchSample
{
	uint64		at;				/* clock_now() */
	uint64		commits;		/* that wait, and prepares, of all slots,
								 * resets or not */
	uint16		phase[PHASE_N]; /* backends in each */
	uint16		blocked_rows;	/* wait for a row lock of a committing
								 * backend, outside of a commit */
	uint16		idle_xids;		/* have an id, and wait for their client */
	uint16		outside_waits;	/* commits that wait for a flusher in none */
	uint16		cpu_waits;		/* in a flush whose process could run */
	uint16		insert_waits;	/* to insert their record */
	uint16		commit_locks;	/* wait for a lock before it, not NOTIFY's */
	uint16		commit_queue;	/* ... that another commit holds */
	uint16		sync_waits;		/* sync files before it (wal_level = minimal) */
	uint16		lock_waits;		/* for a lock, outside of a commit; those of
								 * blocked_rows are not among them */
	uint16		prepared_waits; /* ... that a prepared transaction holds */
	uint16		wal_waits;		/* until WAL is written, outside of a commit */
	uint8		checkpoint;		/* CheckpointPhase */
	bool		archiving;
	bool		segment;		/* a new segment is being made */
	bool		others_write;	/* most of what the volume wrote lately was no
								 * WAL */
	uint32		throttled_us;	/* by a CPU limit, since the look before */
	uint32		written_kb;		/* by the volume of the WAL so far, modulo
								 * 2^32; 0: not known */
	uint32		flushed_kb;		/* ... at most, by flushes */
	int			writer[WATCH_WRITERS];	/* pids, each once; 0: none */
} WatchSample;

/* Samples of a period, added up; whole numbers but for seconds; local memory. */
typedef struct WatchSummary
{
	int			n;				/* samples */
	double		seconds;
	double		commits;
	double		in_commit;		/* sum of phase[] */
	float		phase[PHASE_N]; /* many are kept: exact up to 2^24 */
	double		blocked_rows;
	double		idle_xids;
	double		outside_waits;
	double		cpu_waits;
	double		insert_waits;
	double		commit_locks;
	double		commit_queue;
	double		sync_waits;
	double		lock_waits;
	double		prepared_waits;
	double		wal_waits;
	uint64		throttled;		/* ns */
	int			checkpoint[CHECKPOINT_NPHASES]; /* samples */
	int			archiving;
	int			segment;
	int			others_write;
	int			writing;		/* with a writer */
	double		written;		/* bytes, by the volume of the WAL */
	double		flushed;		/* ... at most, by flushes */
	int			nwriters;
	WatchWriter writer[WATCH_WRITERS];	/* the most samples first */
} WatchSummary;

/* For half of "ns", or longer, a limit of the CPU stopped the server. */
static inline bool
watch_is_throttled(const WatchSummary *sum, uint64 ns)
{
	return 2 * sum->throttled >= ns;
}

/* What a session was seen waiting for in its commit, by the worker. */
typedef struct WatchedSession
{
	LockWait	lock;			/* the longest; tag type 0xff: none */
	uint64		lock_time;		/* ns, seen */
	StandbyBlame blame;			/* of most of that; name "": none */
	uint64		blame_lead;		/* ns, over others in the vote on it */
	uint64		standby_time;	/* ns, from the first look to the last */
} WatchedSession;

extern const StatsModule watch_module;

/*
 * The background worker.  watch_look() returns false if nothing committed at
 * this look, or since the one before.
 */
extern bool watch_look(void);
extern bool watch_find_session(int pid, uint64 from, uint64 to,
							   WatchedSession *session);

/* Any process; between two times of clock_now(). */
extern void watch_sum(uint64 from, uint64 to, WatchSummary *sum);

/* ... watch_is_throttled() of that time */
extern bool watch_cpu_limited(uint64 from, uint64 to);

#endif							/* COMMIT_STATS_WATCH_H */
