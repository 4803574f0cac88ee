/* What the background worker sees, some 17 times a second; see watch.c. */
#ifndef COMMIT_STATS_WATCH_H
#define COMMIT_STATS_WATCH_H

#include "stats/commit_phase.h"
#include "stats/lock_wait.h"
#include "stats/standby.h"

#define WATCH_EVERY_MS		50	/* while anything commits, and up to */
#define WATCH_VARIES_MS		20	/* this later, by chance */
#define WATCH_IDLE_MS		500
#define WATCH_SAMPLES		1750	/* are kept: 105 s */
#define WATCH_WRITERS		4
#define WATCH_AUTOVACUUM	(-1)	/* pid of a writer: any worker of it */
#define FLUSH_KB			16	/* a flush beside its WAL: the rest of a
								 * block, the journal of the file system */

/* What goes on for a while, and may make flushes stall. */
typedef enum WatchActivity
{
	ACTIVITY_CHECKPOINT,		/* either phase */
	ACTIVITY_WRITES,
	ACTIVITY_SYNCS,
	ACTIVITY_ARCHIVER,
	ACTIVITY_WRITER,			/* a session writes much WAL */
	ACTIVITY_OTHERS,			/* the volume lately worked much for others */
	ACTIVITIES
} WatchActivity;

#define ACTIVITY_BIT(activity)	(1 << (activity))

/* A session that writes WAL and is in no commit. */
typedef struct WatchWriter
{
	int			pid;
	int			samples;
} WatchWriter;

/*
 * Backends that wait.  A limit of the CPU stops some: of the time of a look,
 * they have had the part in which they ran.
 */
#define WATCH_WAITS(X) \
	X(blocked_rows, all) /* outside of a commit, for a row lock of one */ \
	X(row_holders, all) /* commits that hold these */ \
	X(idle_xids, all) /* for their client, with an id */ \
	X(outside_waits, ran) /* commits that wait for a flusher in none */ \
	X(cpu_waits, ran) /* in a flush whose process could run */ \
	X(insert_waits, ran) /* to insert their record, or to make room */ \
	X(commit_locks, ran) /* for a lock before it, not NOTIFY's */ \
	X(commit_queue, ran) /* ... that another commit holds */ \
	X(extension_waits, ran) /* in an extension */ \
	X(sync_waits, ran) /* sync files before it (wal_level = minimal) */ \
	X(lock_waits, all) /* for a lock, outside of a commit; not blocked_rows */ \
	X(prepared_waits, all) /* ... that a prepared transaction holds */ \
	X(wal_waits, ran)			/* until WAL is written, outside of a commit */

/* ... of which the history keeps none */
#define WATCH_RECENT_WAITS(X) \
	X(checkpoint_waits, ran) /* for a checkpoint that flushes WAL */ \
	X(write_waits, ran) /* for a flush that waits to write, and will sync */ \
	X(event_waits, ran) /* for LWLock or IPC, before or after the flush */ \
	X(without_id, ran)			/* in phase[], but counted by no commit */

#define WATCH_UINT16(wait, time)	uint16		wait;
#define WATCH_FLOAT(wait, time)	float		wait;

/* One look.  Written by the worker alone; see changecount.c for readers. */
typedef struct WatchSample
{
	uint64		at;				/* clock_now() */
				WATCH_WAITS(WATCH_UINT16)
				WATCH_RECENT_WAITS(WATCH_UINT16)
	uint32		commits;		/* that wait, and prepares, of all slots,
								 * resets or not, modulo 2^32 */
	uint32		unwaited;		/* ... that wait for no flush */
	uint32		ended_ms;		/* transactions, but those of unlogged tables,
								 * to the end of their commit */
	uint16		phase[PHASE_N]; /* backends in each */
	uint32		wait_event;		/* the last one of event_waits; 0: none */
	uint8		activities;		/* bits */
	bool		segment:1;		/* a new segment is being made */
	bool		paused:1;		/* throttled_us was a pause */
	bool		queued:1;		/* cpu_waits are of the time before */
	bool		ahead:1;		/* the checkpointer makes a segment */
	uint8		others;			/* percent of the volume's requests lately, at
								 * least, that were none of flushes; 0 where
								 * flushes left it free */
	uint32		throttled_us;	/* since the look before; CPU limit or pause */
	uint32		moved_kb;		/* read and written by the volume of the WAL
								 * so far, modulo 2^32; 0: not known */
	uint32		flushed_kb;		/* ... at most, by flushes */
	uint32		requests;		/* likewise */
	uint32		flush_requests;
	int			writer[WATCH_WRITERS];	/* pids, each once; 0: none */
} WatchSample;

/* What a volume has read and written, and how much of it flushes, at most */
typedef struct VolumeUse
{
	double		seconds;		/* in which this is known */
	double		bytes;
	double		flushed;
	double		requests;
	double		of_flushes;
} VolumeUse;

/* Samples of a period, added up; counts, seconds, shares; local memory. */
typedef struct WatchSummary
{
	WATCH_WAITS(WATCH_FLOAT)
	WATCH_RECENT_WAITS(WATCH_FLOAT)
	int			n;				/* samples */
	double		seconds;
	double		commits;
	uint64		throttled;		/* ns */
	float		unwaited;		/* many are kept: exact up to 2^24 */
	float		in_commit;		/* sum of phase[] */
	float		ended;			/* s, as ended_ms */
	float		phase[PHASE_N];
	int			activity[ACTIVITIES];	/* samples with it */
	int			segment;		/* likewise */
	int			paused;			/* likewise */
	int			ahead;			/* likewise */
	float		others;			/* sum of these shares */
	uint32		wait_event;
	uint32		event_lead;		/* over others in the vote on it */
	uint32		event_votes;	/* event_waits of all looks, long or short */
	VolumeUse	volume;			/* of the WAL */
	WatchWriter writer[WATCH_WRITERS];	/* the most samples first */
} WatchSummary;

/* For half of "ns", or longer, a limit of the CPU, or a pause, stopped it. */
static inline bool
watch_is_throttled(const WatchSummary *sum, uint64 ns)
{
	return 2 * sum->throttled >= ns;
}

/* Half of those that waited for a flush did so as its process could run. */
static inline bool
watch_is_of_processor(const WatchSummary *sum)
{
	return sum->cpu_waits > 0 &&
		2 * sum->cpu_waits >= sum->phase[PHASE_FLUSH] + sum->phase[PHASE_OTHER_FLUSH];
}

/*
 * A quarter did so as it waited to write WAL, before the sync.  A write hardly
 * ever waits, and looks at short stalls see the flushes between them, too.
 */
static inline bool
watch_is_of_write(const WatchSummary *sum)
{
	return sum->write_waits > 0 &&
		4 * sum->write_waits >= sum->phase[PHASE_FLUSH] + sum->phase[PHASE_OTHER_FLUSH];
}

/* Writers that were seen about as often as the first one: one of them wrote. */
static inline int
watch_likely_writers(const WatchSummary *sum)
{
	int			n = 0;

	while (n < WATCH_WRITERS && sum->writer[n].samples > 0 &&
		   sum->writer[n].samples >= 0.9 * sum->writer[0].samples)
		n++;
	return n;
}

/* Samples of backends in a commit, to tell one part of it */
#define ENOUGH_LOOKS	20

/* As a share of commit time; a simulation takes it for flushes. */
#define STANDBY_MATTERS	0.1

/*
 * The wait for a standby, as samples saw it.  The bounds are far apart where
 * no other commit ended during the wait.
 */
static inline double
watch_standby_time(double commit_time, double least, double most,
				   const WatchSummary *seen)
{
	if (seen->in_commit < ENOUGH_LOOKS)
		return (least + most) / 2;
	return Max(Min(commit_time * seen->phase[PHASE_STANDBY] / seen->in_commit,
				   most), least);
}

/* What a session was seen waiting for in its commit, by the worker. */
typedef struct CommitWaits
{
	LockWait	lock;			/* the longest, if lock_time > 0, with the
								 * holder of most of it */
	uint64		lock_time;		/* ns, seen */
	StandbyBlame blame;			/* of most of that; name "": none */
	uint64		blame_lead;		/* ns, over others in the vote on it */
	uint64		standby_since;	/* the first time of that; 0: none */
} CommitWaits;

/*
 * Those of the configuration, or of the command line: the worker has them also
 * where this session has its own.
 */
typedef struct WatchSettings
{
	int			delay;			/* commit_delay */
	int			siblings;		/* commit_siblings */
	bool		delay_elsewhere;	/* of no file */
	int			slow_commit_time;
	bool		io_timing;		/* track_wal_io_timing */
	bool		wal_apart;		/* pg_wal is on another disk than base; false
								 * before the first worker */
	TimestampTz loaded_at;		/* the configuration; a session that is idle
								 * reads it with its next statement */
	int			max_wal_size;	/* MB */
	int			checkpoint_timeout; /* s */
	TimestampTz checkpoints_set_at; /* these two have changed; 0: never */
} WatchSettings;

/*
 * The background worker.  watch_look() returns false if nothing committed at
 * this look, or since the one before.
 */
extern void watch_start(void);
extern bool watch_look(void);
extern void watch_note_nap(long timeout, uint64 took);	/* ms */
extern uint64 watch_looked_at(void);
extern void watch_find_waits(int procno, int pid, uint64 from, uint64 to,
							 CommitWaits *waits);

/* ... It has started, or has read the configuration. */
extern void watch_note_settings(void);

/* Any process */
extern bool watch_wake_worker(void);
extern void watch_read_settings(WatchSettings *settings);

/* ... between two times of clock_now() */
extern void watch_sum(uint64 from, uint64 to, WatchSummary *sum);

/* ... since when fewer than "looks" backends were seen in a commit; or 0 */
extern uint64 watch_busy_until(int looks);

/* ... watch_is_throttled() of that time */
extern bool watch_cpu_limited(uint64 from, uint64 to);

#endif							/* COMMIT_STATS_WATCH_H */
