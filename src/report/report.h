/* The numbers that the report is made of, and what they mean. */
#ifndef COMMIT_STATS_REPORT_H
#define COMMIT_STATS_REPORT_H

#include "datatype/timestamp.h"
#include "lib/stringinfo.h"

#include "history/history.h"
#include "probe/notify_lock.h"
#include "stats/flush_totals.h"
#include "stats/standby.h"
#include "stats/waits_now.h"

/* Stalls of one cause, in the time that the phases are of. */
typedef struct StallSum
{
	int			n;
	double		length;			/* of a mean one */
	double		longest;		/* that is kept */
	const char *longest_until;
	double		share;			/* of commit time */
	double		certainty;		/* that this is their cause; 0: not known */
} StallSum;

/* What commits wait for in PHASE_BEFORE or PHASE_RECORD */
typedef struct BlamedLock
{
	const char *name;			/* with most of the time of slow ones */
	bool		prepared;		/* a prepared transaction holds it */
	bool		ended;			/* ... or did: there is none any more */
	bool		circle;			/* its waiters wait for each other */
	double		share;			/* of the phase: waits for locks */
} BlamedLock;

/* Times in us, as commit_delay; shares from 0 to 1; unknown: 0, or NULL */
typedef struct CommitFigures
{
	int			width;			/* of the report */

	/* the server as it is now */
	const char *version;
	const char *schema;			/* of the extension, quoted */
	bool		counting;		/* commit_stats.enabled */
	bool		is_standby;
	bool		fsync;
	WatchSettings conf;			/* without a worker, of this session */
	bool		siblings_differ;	/* this session has others */
	double		wal_buffers;	/* bytes */
	double		shared_buffers;
	bool		adaptive;		/* commit_stats.adaptive_delay */
	int			min_wal_size;	/* MB */
	bool		wal_recycle;
	bool		wal_init_zero;
	double		segment_size;	/* wal_segment_size, bytes */
	bool		wal_minimal;	/* wal_level */
	bool		wal_compression;
	bool		full_pages;		/* full_page_writes */
	const char *slot;			/* for which checkpoints keep most segments */
	int			wal_keep_size;	/* MB */
	bool		keep_size_grows;	/* pg_wal, up to this size */
	const char *archiver;		/* the setting that names what archives */
	int			archive_timeout;	/* s; 0: none */
	const char *archive_fails;	/* how that does not archive, or NULL */
	double		completion_target;	/* checkpoint_completion_target */
	double		checkpoint_distance;	/* mean of the latest, s; 0: unknown */
	double		checkpoint_wal; /* ... bytes */
	bool		checkpoint_asked;	/* commands asked for those with stalls */
	double		checkpoint_lasts;	/* one under way all the time, s; or 0 */
	double		images;			/* full-page: their share of WAL, at most */
	WaitsNow	now;
	const char *blocker;		/* the client behind now.blocked, or else
								 * now.lock, and ... */
	double		idle_seconds;	/* since when it is idle in its transaction */

	/* of the history, in place of what follows since a reset; or NULL */
	const HistorySum *period;
	double		asked;			/* seconds that it was to have */

	/* since the last reset, or the begin of the period */
	TimestampTz stats_reset;
	double		seconds;
	uint64		commits;		/* that waited */
	uint64		commits_async;
	uint64		commits_unlogged;
	uint64		commits_read_only;
	uint64		commits_notify;
	uint64		slow_commits;
	uint64		prepares;		/* PREPARE TRANSACTION */
	double		prepare_time;	/* of a mean one */
	uint64		flushes;
	uint64		flushes_uncertain;
	uint64		carried;		/* commits in these flushes */
	uint64		delay_misses;	/* flushes with commit_delay set, no sleep */
	uint64		delay_hits;		/* ... whose leader slept */
	uint64		hits_adaptive;	/* of these: commit_stats.adaptive_delay */
	const char *sleeper;		/* client with most of slept_unset; or NULL */
	uint64		slept_unset;	/* of the newest flushes, whose leader slept,
								 * although commit_delay is 0 here, or always
								 * for much longer; 0 unless most of these */
	double		sleep_carried;	/* commits, by one that slept; 0: none did */
	double		alone_hits;		/* share of the newest flushes with a sleep
								 * that carried one commit; 0 if few slept, or
								 * by the adaptive delay, which keeps a
								 * distance also alone; of a period's sleeps,
								 * at least */

	/* the newest flushes, if they are enough for a rate */
	bool		newest;
	bool		restarted;		/* they are not, since the server started */
	uint64		newest_flushes;
	uint64		newest_carried; /* commits in these */
	uint64		newest_prepares;	/* those with prepares only */
	double		newest_seconds; /* from the first to the last */
	double		newest_age;		/* since the last, s */
	double		commit_rate;	/* of the newest, or since the reset */
	double		flush_rate;
	double		wal_rate;		/* of transactions, bytes/s, since the reset */

	/* where the time of a mean commit goes, and of a slow one */
	bool		seen_enough;	/* as the worker saw it in the last minute
								 * with enough samples; or exact sums since
								 * the reset.  In a period, "seen" has enough */
	double		seen_age;		/* since that minute, s; 0: it is the newest */
	double		phase_seconds;
	uint64		phase_commits;
	uint64		phase_unwaited; /* of these, for no flush */
	double		phase_mean;		/* of a commit; NaN: not known */
	double		hanging;		/* mean number of commits that the phases are
								 * of, as most did not end in the period */
	double		phase[PHASE_N]; /* shares of it */
	double		slow_recent;	/* slow commits of that time, kept or not */
	double		slow_standby;	/* us that these waited for a standby */
	double		slow_at_stage[STANDBY_NSTAGES]; /* ... by stage */
	uint64		slow_n;			/* slow commits that are kept */
	double		slow_seconds;	/* since the oldest of these */
	TimestampTz slow_before;	/* the end of the newest one before the time
								 * that the phases are of; 0: none */
	double		slow_mean;
	double		slow_phase[PHASE_N];
	StallSum	stall[STALL_NCAUSES];
	WatchSummary seen;

	/* of a commit that waited, between the callbacks, since the reset */
	double		commit_p50;
	double		commit_p95;
	double		commit_p99;
	double		own_flush;		/* share in which it flushed or slept itself */

	/* of a flush */
	uint64		timed_flushes;
	double		flush_time;		/* F0: mean writing and syncing */
	double		flush_time_max; /* upper bound of F0, timed or not */
	double		flush_newest;	/* mean of the newest; 0: old, or too few */
	double		flush_p50;
	double		flush_p99;
	double		flush_wal;		/* bytes that a mean one wrote; 0: unknown */
	double		flush_slower;	/* mean of the newest, if most of them take
								 * much longer than the median; else 0 */
	double		flush_slowed;	/* mean stall of unknown cause, if most came
								 * right after another, and flushes are no
								 * longer slow; of a period, if most flushes
								 * stalled; else 0 */
	bool		write_stalls;	/* stalls of unknown cause are in the write */
	double		disk_busy;		/* share of the time, in flushes */

	/* evidence */
	double		quota_flushes;	/* in each window; 0: no quota shows */
	double		quota_bytes;	/* above 0: or these, which does not show */
	double		quota_window;
	VolumeUse	volume;			/* in stalls beside others */
	bool		unknown_kept;	/* commit_stall_log has some of that cause */
	TimestampTz checkpoint_stalled; /* the first one during a checkpoint */
	FlushFit	fit;
	const char *bulk_writer;	/* client of most bulk WAL in stalls */
	const char *running_writer; /* that was seen writing WAL most often */
	BlamedLock	lock[PHASE_RECORD + 1];
	const char *wait_event;		/* of most waits for processes but in flushes */
	int			savepoints;		/* of slow ones, if most "before" is theirs */
	bool		serializable;	/* most time after slow ones is of such */
	bool		temporary;		/* ... of such that used temporary tables */
	bool		notifies;		/* most of "record" is for its messages */
	const char *standby;		/* that commits waited for most */
	StandbyStage standby_stage;
	bool		standby_unset;	/* commits hang, and no standby is named */
	bool		standby_answers;	/* ... until one that has their WAL
									 * answers */
	bool		standby_dropped;	/* the list no longer has it */
	bool		standby_logical;	/* a subscription, or another reader */
	bool		standby_reader; /* ... as seems */
	const char *standby_missing;	/* another of a quorum is not connected */
	bool		standby_former; /* one named before it is away, or catches up */
	const char *standby_ahead;	/* "'s2' is ahead of it", which FIRST ignores */
	const char *standby_unlisted;	/* "'s2' or 's3'" may be it, and is
									 * connected under another name; or NULL */
	bool		standby_was_there;	/* the one for which commits hang, since
									 * the list was set */
	const char *standby_list;	/* synchronous_standby_names, if it is newer
								 * and has no counts; or NULL */
	const char *standby_slots;	/* synchronized_standby_slots, if its
								 * walsender waits for these */
	double		standby_share;	/* of all these waits */
	bool		standby_at_least;	/* ... or more, by slow commits */
	const char *standby_since;	/* stage and share are of its own waits since
								 * then; NULL: of all of the period */
	const char *standby_next;	/* "'s1': not connected", if that has a
								 * quarter of the known ones; or NULL */
	double		standby_next_share;
	double		standby_behind; /* WAL that it lacks at this stage, bytes */
	double		standby_before; /* ... of which commits wait behind */
	NotifyTotals notify;
	int			listeners;		/* sessions that listen; -1: unknown */
	double		queue;			/* part of that of NOTIFY that is not read */

	/* clients */
	const char *checkpoint_phase;	/* of most of its stalls; NULL: not seen */
	const char *top;			/* with the most commits that waited */
	double		top_share;		/* of all commits, as in commit_client_stats */
	double		top_time;		/* of commit time */
	double		top_wal;		/* mean of a transaction, bytes */
	double		top_of_transactions;	/* share of COMMIT in them */
	const char *longest;		/* with the most commit time, if another one */
	double		longest_time;	/* its share */
	const char *outside;		/* with most of the slow "before", "after" */
	const char *heaviest;		/* that wrote most of the WAL, or NULL */
	double		heaviest_share;
	uint64		top_slow_least; /* WAL of its slow commits */
	uint64		top_slow_most;
	double		transaction_mean;	/* us of all, for each that waits */
	double		of_transactions;	/* share of COMMIT and PREPARE */
	double		of_sessions;
	const char *busiest;		/* of those that matter: with the largest ... */
	double		busiest_of_transactions;	/* share of COMMIT in them */
	double		busiest_of_sessions;
	const char *top_leader;		/* client that led the most flushes of a
								 * period; of others, this is not known */
	double		top_leader_flushes; /* share of these, at least */
	const char *statement;		/* that led the most flushes, of several */
	double		statement_flushes;	/* share of these */
	double		statement_wal;	/* mean of a transaction, bytes */
	double		applied;		/* share of these that subscriptions led */
	double		nameless;		/* share of commits without a name */
	double		overflow;		/* ... of clients without a row */
	uint64		clients_evicted;
	const char *alike;			/* what the names of many clients begin with */
	double		alike_share;	/* ... of the commits */
	int			alike_clients;	/* ... how many */

	/* the newest prediction, if it began from the present settings */
	const char *prediction;		/* a sentence; null: none, or not to be told */
	int			predicted_delay;	/* the best fixed pair; 0: none */
	int			predicted_siblings;
	const char *none_gains;		/* when it found that no delay gains, or NULL */

	/* siblings that leaders found */
	const char *siblings_of;	/* "the newest flushes", or of all: "flushes" */
	int			siblings_max;
	int			siblings_half;	/* half of the flushes had at least these */
	double		siblings_mean;	/* of the newest flushes; 0: not known */
	double		concurrency;	/* share of flushes with any */
	double		reach;			/* ... with at least commit_siblings */
} CommitFigures;

#define PHASES_OF		60		/* s, at most, that phases are sampled over */
#define MIN_CHECKPOINTS	3		/* for a mean distance */
#define LARGE_FLUSH		65536	/* may take longer, bytes */

/* Most commits that are under way hang, for the same. */
static inline bool
most_hang_now(const CommitFigures *f)
{
	return f->now.longest >= WAITS_NOW_LONG && 2 * f->now.commits > f->now.all;
}

/* More sessions than are in COMMIT wait for one that is idle in a transaction. */
static inline bool
statements_hang_now(const CommitFigures *f)
{
	return f->idle_seconds >= 1 && f->now.blocked > Max(f->now.all, 1);
}

/* The newest flushes ended before the minute of the samples. */
static inline bool
newest_are_old(const CommitFigures *f)
{
	return f->newest_age > f->seen_age + PHASES_OF;
}

static inline double
ratio_or_zero(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

extern FlushTotals *report_data_read(CommitFigures *f, Oid function);
extern void report_data_set_counts(CommitFigures *f, const uint64 *value,
								   uint64 unled, const uint64 *commit_cells,
								   const uint64 *flush_cells);
extern double report_data_commit_share(const uint64 *value, SlotCounter of);
extern void report_data_set_settings(CommitFigures *f);
extern void report_data_set_slow(CommitFigures *f, const ClientCounts *top,
								 const StallLog *log);
extern void report_data_blame_slow(CommitFigures *f);
extern void report_data_blame_list(CommitFigures *f);
extern char *name_client(const ClientKey *client);
extern const char *name_statement(const StatementKey *key, const char *schema);

/* ---- period.c; returns false if the history has no row of it ---- */

extern bool period_read(CommitFigures *f, Oid function, TimestampTz from,
						TimestampTz to);
extern const char *period_describe_kept(void);

/* ---- report_format.c: numbers as text; "-" if unknown ---- */

#define REPORT_WIDTH	78

extern char *format_number(double x);
extern char *format_count(uint64 n);
extern char *format_us(double us);
extern char *format_duration(double seconds);
extern char *format_bytes(double bytes);
extern char *format_percent(double share);
extern char *format_time(TimestampTz t);
extern void put_wrapped(StringInfo text, int width, const char *first,
						const char *rest, const char *sentence);

/* A sentence by itself */
#define put_sentence(text, f, ...) \
	put_wrapped(text, (f)->width, "", "  ", psprintf(__VA_ARGS__))

/* ---- causes.c ---- */

extern double causes_flush_share(const CommitFigures *f);
extern void causes_put_weight(StringInfo text, const CommitFigures *f);
extern void causes_put(StringInfo text, const CommitFigures *f);
extern void causes_put_sweep(StringInfo text, const CommitFigures *f,
							 bool adaptive);

/* ---- compare.c: what made commits slower from one period to another ---- */

/* A part of the mean commit time, in us; NaN where there is none. */
typedef struct ComparedPart
{
	const char *name;
	double		before;
	double		after;
	double		change;			/* after less before */
	double		share;			/* of the change of the whole, unless that
								 * hardly changed */
	const char *sentence;
} ComparedPart;

/* The whole, waits, each phase, each cause of stalls, other flushes, settings */
#define COMPARE_MAX_PARTS	(1 + 2 + PHASE_N + STALL_NCAUSES + 2 + 3)

/* The whole comes first.  Both periods have commits.  Returns the number. */
extern int	compare_periods(const HistorySum *before, const HistorySum *after,
							ComparedPart *part);

#endif							/* COMMIT_STATS_REPORT_H */
