/*-------------------------------------------------------------------------
 *
 * history.c
 *		What was counted in each minute and hour.
 *
 *	row			what was counted from a "start" to an "end"
 *	ring		the newest rows of minutes, or of hours, in shared memory
 *	present		the minute that goes on: since the end of the newest row
 *	close		to make a row of the present minute (close_minute()); the next
 *				one begins
 *	base		what all counters were when the present minute began
 *
 * The background worker closes the minute when the calendar clock passes a
 * whole minute, or when a process asks for it, and adds the row to that of its
 * hour; doc/limits.md says how long that took.  When the server has been shut
 * down, the postmaster closes the last minute, with what only counters tell.
 *
 * Counters that resets leave alone only grow, and each row has their growth.
 * So the rows of a time add up exactly to what was counted in it, and the
 * percentiles of an hour are those of its commits.
 *
 * Invariant: the start of a row is the end of the row before, or later, if
 * nothing was counted in between: then the row has a gap.  While the calendar
 * clock is behind "base", no minute is due; one that is closed all the same,
 * on request or at a shutdown, ends 1 us after its start.
 *
 * Locking: none.  The worker alone writes rows and "base" while there are
 * readers; a reader copies a row under its change count, and never keeps the
 * worker waiting.  What the worker reads for a row takes
 * commit_stats_clients_lock(), exclusively, and commit_stats_reset_lock() and
 * commit_stats_delay_lock(), shared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgwriter.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "base/guc.h"
#include "base/wait.h"
#include "control/adaptive_delay.h"
#include "history/history.h"
#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "stats/counter_delta.h"
#include "stats/flush_totals.h"
#include "stats/wal_cycles.h"

#define WRITE_EVERY			(5 * USECS_PER_MINUTE)
#define NO_WORKER			(60 * NS_PER_S) /* one that ended starts after 5 s */

/* Of the server, each since a reset of its own */
typedef struct ServerCounts
{
	uint64		wal_fpi;
	uint64		checkpoints;
	uint64		archive_failures;
} ServerCounts;

/* Where the present minute began. */
typedef struct HistoryBase
{
	TimestampTz start;
	bool		gap;			/* behind the row before */
	CounterDelta counts;

	/* Since a reset of the statistics */
	TimestampTz stats_reset;
	uint64		unled;
	uint64		led_wal;
	ServerCounts server;
} HistoryBase;

typedef struct HistoryShared
{
	pg_atomic_uint64 newest[HISTORY_NRINGS];
	pg_atomic_uint64 asked;		/* requests of all processes, added up */
	pg_atomic_uint64 done;		/* of these */
	TimestampTz began_at;		/* when the server started */
	bool		looked_at;		/* a worker has started, so "base" is no
								 * standby's */
	HistoryBase base;
} HistoryShared;

HistoryRows history_rows[HISTORY_NRINGS];

static HistoryShared *shared = NULL;
static TimestampTz written_at = 0;	/* the file, by the clock of the history */

/*---- Shared memory -----------------------------------------------*/

static Size
history_tail_size(int backends)
{
	return mul_size(commit_stats_history_minutes + commit_stats_history_hours,
					sizeof(HistoryRow));
}

static void
history_attach(void *head, void *tail, bool found)
{
	shared = head;
	history_rows[HISTORY_MINUTES].size = commit_stats_history_minutes;
	history_rows[HISTORY_HOURS].size = commit_stats_history_hours;
	history_rows[HISTORY_MINUTES].row = tail;
	history_rows[HISTORY_HOURS].row =
		(HistoryRow *) tail + commit_stats_history_minutes;
	for (int i = 0; i < HISTORY_NRINGS; i++)
		history_rows[i].newest = &shared->newest[i];
	if (found)
		return;
	shared->base.start = shared->began_at = GetCurrentTimestamp();
	shared->base.counts.time = clock_now();
	shared->base.stats_reset = backend_slots_reset_time();
}

/* The number of the oldest row that is there. */
uint64
history_first(HistoryRing ring)
{
	const HistoryRows *rows = &history_rows[ring];

	return clock_elapsed(rows->size, pg_atomic_read_u64(rows->newest)) + 1;
}

HistoryRow *
history_row(HistoryRing ring, uint64 number)
{
	return &history_rows[ring].row[(number - 1) % history_rows[ring].size];
}

static void
store_row(HistoryRing ring, uint64 number, const HistorySum *sum)
{
	HistoryRow *row;

	if (history_rows[ring].size == 0)
		return;
	row = history_row(ring, number);
	changecount_begin(&row->changes);
	row->number = number;
	memcpy(row->sum, sum, sizeof(row->sum));
	for (int i = 0; i < HISTOGRAM_NCELLS; i++)
	{
		row->commit_cells[i] = (uint32) sum->commit_cells[i];
		row->flush_cells[i] = (uint32) sum->flush_cells[i];
	}
	changecount_end(&row->changes);
	pg_atomic_write_u64(history_rows[ring].newest, number);
}

/* Any process.  Returns false if the row is gone. */
bool
history_copy(HistoryRing ring, uint64 number, HistorySum *sum)
{
	HistoryRow *row;
	uint64		changes;
	bool		present;

	if (number < history_first(ring) ||
		number > pg_atomic_read_u64(history_rows[ring].newest))
		return false;
	row = history_row(ring, number);
	do
	{
		changes = changecount_wait(&row->changes);
		present = row->number == number;
		memcpy(sum, row->sum, sizeof(row->sum));
		for (int i = 0; i < HISTOGRAM_NCELLS; i++)
		{
			sum->commit_cells[i] = row->commit_cells[i];
			sum->flush_cells[i] = row->flush_cells[i];
		}
	} while (changecount_since(&row->changes, changes) != 0);
	return present;
}

/*---- Sums of rows ------------------------------------------------*/

/* A client or a statement: its flushes in the rows that it led */
typedef struct Leader
{
	Size		key_size;
	char		key[Max(sizeof(ClientKey), sizeof(StatementKey))];
	uint64		flushes;
} Leader;

/* Add the leader of a row; it becomes that of all, if it has most flushes. */
static void
add_leader(List * *leaders, void *key, uint64 *flushes, const void *before,
		   uint64 flushes_before, Size key_size)
{
	Leader	   *leader = NULL;
	ListCell   *cell;

	foreach(cell, *leaders)
	{
		leader = lfirst(cell);
		if (leader->key_size == key_size && memcmp(leader->key, key, key_size) == 0)
			break;
	}
	if (cell == NULL)
	{
		leader = palloc0(sizeof(Leader));
		leader->key_size = key_size;
		memcpy(leader->key, key, key_size);
		*leaders = lappend(*leaders, leader);
	}
	*flushes = leader->flushes += *flushes;
	if (flushes_before < *flushes)
		return;
	memcpy(key, before, key_size);
	*flushes = flushes_before;
}

static void
add_row(HistorySum *sum, const HistorySum *row, List * *leaders)
{
	HistorySum	before = *sum;

	/* what is of the newest row, and then what adds up */
	*sum = *row;
	add_leader(leaders, &sum->top_client, &sum->top_client_flushes,
			   &before.top_client, before.top_client_flushes,
			   sizeof(ClientKey));
	add_leader(leaders, &sum->top_statement, &sum->top_statement_flushes,
			   &before.top_statement, before.top_statement_flushes,
			   sizeof(StatementKey));
	if (before.rows == 0)
		return;
	sum->start = before.start;
	sum->rows += before.rows;
	sum->gaps += before.gaps;
	sum->seconds += before.seconds;
	sum->seen += before.seen;
	/* with a larger one, its checkpoints were as early as these */
	sum->max_wal_size = Min(sum->max_wal_size, before.max_wal_size);
	sum->checkpoint_timeout = Min(sum->checkpoint_timeout, before.checkpoint_timeout);
	counter_array_add(sum->value, before.value, SLOT_NCOUNTERS);
	counter_array_add(sum->commit_cells, before.commit_cells, HISTOGRAM_NCELLS);
	counter_array_add(sum->flush_cells, before.flush_cells, HISTOGRAM_NCELLS);
	sum->commits_without_leader += before.commits_without_leader;
	sum->flush_wal += before.flush_wal;
	sum->divided |= before.divided;
	for (int i = 0; i < PHASE_N; i++)
		sum->phase[i] += before.phase[i];
	counter_array_add(sum->stalls, before.stalls, STALL_NCAUSES);
	for (int i = 0; i < STALL_NCAUSES; i++)
	{
		sum->stall_time[i] += before.stall_time[i];
		sum->stall_waits[i] += before.stall_waits[i];
	}
	sum->wal_fpi += before.wal_fpi;
	sum->checkpoints += before.checkpoints;
	sum->archive_failures += before.archive_failures;
	sum->wal_keeper = Max(sum->wal_keeper, before.wal_keeper);
	sum->looks += before.looks;
	/* each member is a float */
	for (int i = 0; i < sizeof(HistorySeen) / sizeof(float); i++)
		((float *) &sum->waits)[i] += ((const float *) &before.waits)[i];
}

static TimestampTz
floor_to(TimestampTz at, int64 length)
{
	return at - ((at % length) + length) % length;
}

/*
 * Add up the rows of a ring that start in [from, to), in an hour that is over
 * by "end".  The last minute of an hour may end later, as the clock was set.
 */
static void
add_rows(HistoryRing ring, TimestampTz from, TimestampTz to, TimestampTz end,
		 HistorySum *sum, List * *leaders)
{
	HistorySum *row = palloc(sizeof(HistorySum));
	TimestampTz before = DT_NOEND;	/* the end of the row before */

	for (uint64 i = history_first(ring);
		 i <= pg_atomic_read_u64(history_rows[ring].newest); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!history_copy(ring, i, row))
			continue;
		if (row->start >= from && row->start < to &&
			Min(row->end, floor_to(row->start, USECS_PER_HOUR) + USECS_PER_HOUR) <= end)
		{
			/* a gap before all rows is not in between */
			if (sum->rows == 0 && (ring == HISTORY_MINUTES || row->start > before))
				row->gaps = Max(row->gaps - 1, 0);
			row->rows = 1;		/* an hour has its minutes */
			add_row(sum, row, leaders);
		}
		before = row->end;
	}
	pfree(row);
}

/* The start of the oldest minute that ends after this time */
TimestampTz
history_first_minute(TimestampTz time)
{
	HistorySum	row;

	for (uint64 i = history_first(HISTORY_MINUTES);
		 i <= pg_atomic_read_u64(history_rows[HISTORY_MINUTES].newest); i++)
		if (history_copy(HISTORY_MINUTES, i, &row) && row.end > time)
			return row.start;
	return DT_NOEND;
}

void
history_sum(TimestampTz from, TimestampTz to, HistorySum *sum)
{
	TimestampTz minutes = history_first_minute(DT_NOBEGIN);
	TimestampTz begin = Min(from, history_first_minute(from));
	List	   *leaders = NIL;

	memset(sum, 0, sizeof(HistorySum));
	add_rows(HISTORY_HOURS, from, Min(to, minutes), to, sum, &leaders);
	add_rows(HISTORY_MINUTES, sum->rows > 0 ? Max(begin, sum->end) : begin, to,
			 DT_NOEND, sum, &leaders);
}

/*---- The clock ---------------------------------------------------*/

/* The calendar clock; tests set another one. */
static TimestampTz
history_now(void)
{
	TimestampTz start = commit_stats_history_start == 0 ? shared->began_at :
	time_t_to_timestamptz((pg_time_t) commit_stats_history_start);

	return start + (GetCurrentTimestamp() - shared->began_at) *
		commit_stats_history_speed;
}

/*---- A row -------------------------------------------------------*/

/* The growth of a counter since "before", of the same reset or of another. */
static uint64
grown(uint64 now, uint64 *before, bool reset)
{
	uint64		growth = reset ? now : clock_elapsed(*before, now);

	*before = reset ? now : Max(now, *before);
	return growth;
}

/* What groups tell; returns them. */
static FlushTotals *
add_groups(HistorySum *row, HistoryBase *base)
{
	TimestampTz before = base->stats_reset;
	FlushTotals *groups = flush_totals_lock_and_read();
	bool		reset;

	base->stats_reset = backend_slots_reset_time();
	LWLockRelease(commit_stats_reset_lock());
	reset = base->stats_reset != before;
	row->commits_without_leader =
		grown(flush_total(groups, OVERALL, UNLED_COMMITS), &base->unled, reset);
	row->flush_wal =
		grown(flush_total(groups, OVERALL, LED_WAL_BYTES), &base->led_wal, reset);
	return groups;
}

/*
 * Stalls that the log lacks, as they are too new or a reset came, have no
 * known cause, and as many waiters as the others.  If it is full and no longer
 * has all, those that it has stand for all.
 */
static void
divide_stalls(HistorySum *row, uint64 from, const FlushTotals *groups)
{
	uint64		all = row->value[SLOT_STALLS];
	double		all_time = row->value[SLOT_STALL_TIME];
	uint64		n = all;
	double		time = all_time;
	double		waits = 0;
	StallLog	log = {0};

	if (n > 0 || slow_log_newest(SLOW_STALL) > 0)
	{
		stall_log_read(&log);
		stall_log_find_causes(&log, groups);
		for (int i = 0; i < log.n; i++)
		{
			const SlowEvent *event = &log.logged[i].event;
			double		waited = event->duration * stall_log_waiters(&log.logged[i]);

			if (event->role != SLOW_LED || event->end <= from || n == 0 ||
				event->duration > time)
				continue;
			row->stalls[log.logged[i].cause]++;
			row->stall_time[log.logged[i].cause] += event->duration;
			row->stall_waits[log.logged[i].cause] += waited;
			n--;
			time -= event->duration;
			waits += waited;
		}
		waits /= Max(all_time - time, 1);
	}
	if (n < all && log.n == SLOW_LOG_KEPT && slow_log_since(SLOW_STALL) > from)
	{
		uint64		kept = all - n;
		double		scale = all_time / (all_time - time);

		n = all;
		time = all_time;
		for (int cause = 0; cause < STALL_NCAUSES; cause++)
		{
			row->stalls[cause] = row->stalls[cause] * all / kept;
			row->stall_time[cause] = (uint64) (row->stall_time[cause] * scale);
			row->stall_waits[cause] *= scale;
			n -= row->stalls[cause];
			time -= row->stall_time[cause];
		}
	}
	row->stalls[STALL_UNKNOWN] += n;
	row->stall_time[STALL_UNKNOWN] += time;
	row->stall_waits[STALL_UNKNOWN] += time * waits;
	/* no slot counts those of flushes that no commit led, but commits waited */
	for (int i = 0; i < log.n; i++)
		if (log.logged[i].event.role != SLOW_LED && log.logged[i].event.end > from)
			row->stall_waits[log.logged[i].cause] +=
				log.logged[i].event.duration * stall_log_waiters(&log.logged[i]);
}

/*
 * Some phases are added up at each commit.  Samples divide the rest.  If there
 * are too few, the rest is the sleeps and flushes of leaders, if any flush was
 * timed, and then the flushes of others, if any carried a commit.  A stop
 * takes the same part of all phases but the standby's; sums have that of some.
 */
static void
divide_commits(HistorySum *row, const uint64 *sum, const WatchSummary *seen)
{
	double	   *phase = row->phase;
	bool		carried = row->value[SLOT_FLUSHED_BY_OTHERS] > 0;
	bool		timed = sum[LATENCY_OWN_FLUSH] > 0;
	double		samples = seen->phase[PHASE_UNKNOWN];
	double		ran = seen->in_commit - seen->phase[PHASE_NOT_RUN] - seen->phase[PHASE_STANDBY];
	double		not_run = seen->phase[PHASE_NOT_RUN];
	double		rest;

	phase[PHASE_BEFORE] = sum[LATENCY_BEFORE];
	phase[PHASE_AFTER] = sum[LATENCY_AFTER];
	phase[PHASE_UNKNOWN] = row->value[SLOT_COMMIT_TIME];
	commit_phase_take(phase, PHASE_STANDBY,
					  watch_standby_time(history_commit_time(row), sum[STANDBY_TIME_MIN],
										 sum[STANDBY_TIME_MAX], seen));
	commit_phase_take(phase, PHASE_RECORD, sum[LATENCY_RECORD]);
	commit_phase_take(phase, PHASE_NOTIFY, sum[LATENCY_NOTIFY]);

	rest = phase[PHASE_UNKNOWN];
	for (int i = 0; i < PHASE_N; i++)
		if (history_is_sampled(i) && i != PHASE_NOT_RUN)
			samples += seen->phase[i];
	if (ran > 0)
		not_run *= samples / ran;
	samples += not_run;
	row->divided = rest == 0 || samples >= HISTORY_SAMPLES || !carried || timed;
	if (samples >= HISTORY_SAMPLES)
	{
		for (int i = 0; i < PHASE_N; i++)
			if (history_is_sampled(i))
				commit_phase_take(phase, i, rest / samples *
								  (i == PHASE_NOT_RUN ? not_run : seen->phase[i]));
	}
	else if (row->divided)
	{
		commit_phase_take(phase, PHASE_DELAY, sum[LATENCY_DELAY]);
		commit_phase_take(phase, PHASE_FLUSH, timed ?
						  of_all_flushes(sum[LATENCY_OWN_FLUSH], row->value) : rest);
		commit_phase_take(phase, PHASE_OTHER_FLUSH, carried ? rest : 0);
	}
}

static bool
has_own_phase(const HistorySum *row, StallCause cause)
{
	return cause == STALL_SEGMENT ? row->phase[PHASE_SEGMENT] > 0 :
		stall_is_not_run(row->phase, cause);
}

/*
 * Which part of the waits for flushes was for stalls: the log has how many
 * commits waited.  Where it has none, the part of the time of flushes; of the
 * commits that led them, if flushes are not timed.  The making of a segment is
 * no part of the time of a flush.  Commits that do not run do not wait for it.
 */
static void
divide_waits(HistorySum *row)
{
	double		segments = row->phase[PHASE_SEGMENT];
	double		not_run = row->phase[PHASE_NOT_RUN];
	double		stopped = row->stall_time[STALL_CPU_LIMIT] + row->stall_time[STALL_PAUSE];
	double		stalls = row->value[SLOT_STALL_TIME];
	double		waited = row->phase[PHASE_FLUSH] + row->phase[PHASE_OTHER_FLUSH];
	double		flush_time = row->value[SLOT_TIMED_FLUSHES] > 0 ?
	of_all_flushes(row->value[SLOT_FLUSH_TIME], row->value) :
	(double) row->value[SLOT_COMMIT_TIME] * row->value[SLOT_FLUSHES] /
	Max(row->value[SLOT_COMMITS], 1);
	double		sum = 0;

	/* waits that samples do not tell are in those for flushes */
	if (segments == 0)
		flush_time += row->stall_time[STALL_SEGMENT];
	else
		stalls -= row->stall_time[STALL_SEGMENT];
	if (not_run > 0)
	{
		flush_time = Max(flush_time - stopped, flush_time * waited / (waited + not_run));
		stalls -= stopped;
	}
	/* those that stalled may not have been timed */
	flush_time = Max(Max(flush_time, stalls), 1);
	for (int i = 0; i < STALL_NCAUSES; i++)
	{
		if (row->stall_waits[i] == 0)
			row->stall_waits[i] = waited * row->stall_time[i] / flush_time;
		if (!has_own_phase(row, i))
			sum += row->stall_waits[i];
	}
	/* commits wait no longer than they do for flushes */
	sum = Max(Max(sum, waited), 1);
	for (int i = 0; i < STALL_NCAUSES; i++)
		row->stall_waits[i] = !has_own_phase(row, i) ? row->stall_waits[i] * waited / sum :
			i == STALL_SEGMENT ? segments :
			not_run * row->stall_time[i] / Max(stopped, 1);
}

static void
set_settings(HistorySum *row)
{
	AdaptiveDelayState state;

	row->delay = CommitDelay;
	row->siblings = CommitSiblings;
	row->adaptive = commit_stats_adaptive_delay;
	row->max_wal_size = max_wal_size_mb;
	row->checkpoint_timeout = CheckPointTimeout;
	if (!row->adaptive)
		return;
	adaptive_delay_read(&state);
	row->spacing = state.in_force * NS_PER_US;
}

static void
find_leaders(HistorySum *row)
{
	row->top_client_flushes =
		entry_table_find_leader(&clients_table, &row->top_client);
	row->top_statement_flushes =
		entry_table_find_leader(&statements_table, &row->top_statement);
}

static ServerCounts
read_server(void)
{
	pgstat_clear_snapshot();
	return (ServerCounts)
	{
		.wal_fpi = WAL_STATS_FPI(pgstat_fetch_stat_wal()),
			.checkpoints = CHECKPOINTS(pgstat_fetch_stat_checkpointer()),
			.archive_failures = pgstat_fetch_stat_archiver()->failed_count
	};
}

/* ... of which a reset takes what was counted before it */
static uint64
server_grown(uint64 now, uint64 *before)
{
	return grown(now, before, now < *before);
}

#define SET_WAIT(wait, time)	row->waits.wait = look * seen->wait;

/* What the worker alone can tell of the time since "from". */
static void
add_seen(HistorySum *row, HistoryBase *base, uint64 from,
		 const FlushTotals *groups, WatchSummary *seen)
{
	ServerCounts server = read_server();
	double		look;
	NameData	slot;

	watch_sum(from, base->counts.time, seen);
	look = seen->n == 0 ? 0 : row->seconds * NS_PER_S / seen->n;
	row->seen = seen->seconds;
	row->looks = seen->n;
	WATCH_WAITS(SET_WAIT);
	for (int i = 0; i < PHASE_N; i++)
		row->waits.phase[i] = look * seen->phase[i];
	for (int i = 0; i < ACTIVITIES; i++)
		row->waits.activity[i] = look * seen->activity[i];
	row->wal_fpi = server_grown(server.wal_fpi, &base->server.wal_fpi);
	row->checkpoints = server_grown(server.checkpoints, &base->server.checkpoints);
	row->archive_failures = server_grown(server.archive_failures,
										 &base->server.archive_failures);
	row->wal_keeper = wal_keeper_find(&slot);
	find_leaders(row);
	divide_stalls(row, from, groups);
}

/* The time since "base", which becomes the present; false: nothing counts. */
static bool
make_row(HistorySum *row, HistoryBase *base, TimestampTz end)
{
	uint64		nothing[SLOT_NCOUNTERS] = {0};
	CounterDelta growth;
	CounterDelta before = base->counts;
	WatchSummary *seen = palloc0(sizeof(WatchSummary));
	FlushTotals *groups;
	bool		by_worker = IsUnderPostmaster;

	row->rows = 1;
	row->gaps = base->gap;
	row->start = base->start;
	row->end = base->start = end;
	counter_delta_take(&base->counts);
	growth = base->counts;
	counter_delta_subtract(&growth, &before);
	/* sessions that were counted end while nothing is */
	nothing[SLOT_SESSION_TIME] = growth.value[SLOT_SESSION_TIME];
	base->gap = !commit_stats_enabled &&
		memcmp(growth.value, nothing, sizeof(nothing)) == 0;
	if (base->gap)
	{
		if (by_worker)
			base->server = read_server();
		return false;
	}

	row->seconds = (double) growth.time / NS_PER_S;
	memcpy(row->value, growth.value, sizeof(row->value));
	memcpy(row->commit_cells, growth.latency, sizeof(row->commit_cells));
	memcpy(row->flush_cells, growth.flush, sizeof(row->flush_cells));
	groups = add_groups(row, base);
	set_settings(row);
	if (by_worker)
		add_seen(row, base, before.time, groups, seen);
	else
	{
		row->stalls[STALL_UNKNOWN] = row->value[SLOT_STALLS];
		row->stall_time[STALL_UNKNOWN] = row->value[SLOT_STALL_TIME];
	}
	divide_commits(row, growth.sum, seen);
	divide_waits(row);
	return true;
}

/* Into its hour, which may be there; its minutes tell leaders, if all are kept */
static void
put_hour(const HistorySum *row)
{
	uint64		newest = pg_atomic_read_u64(&shared->newest[HISTORY_HOURS]);
	TimestampTz start = floor_to(row->start, USECS_PER_HOUR);
	HistorySum *hour = palloc0(sizeof(HistorySum));
	HistorySum *sum = palloc0(sizeof(HistorySum));
	HistorySum *minutes = palloc0(sizeof(HistorySum));
	List	   *leaders = NIL;
	List	   *in_minutes = NIL;

	if (history_copy(HISTORY_HOURS, newest, hour) &&
		floor_to(hour->start, USECS_PER_HOUR) == start)
		add_row(sum, hour, &leaders);
	else
		newest++;
	add_row(sum, row, &leaders);
	add_rows(HISTORY_MINUTES, start, start + USECS_PER_HOUR, DT_NOEND, minutes,
			 &in_minutes);
	if (minutes->rows == sum->rows)
	{
		sum->top_client = minutes->top_client;
		sum->top_client_flushes = minutes->top_client_flushes;
		sum->top_statement = minutes->top_statement;
		sum->top_statement_flushes = minutes->top_statement_flushes;
	}
	store_row(HISTORY_HOURS, newest, sum);
}

static void
close_minute(TimestampTz end)
{
	HistorySum *row = palloc0(sizeof(HistorySum));
	HistoryBase *base = palloc(sizeof(HistoryBase));

	*base = shared->base;
	if (make_row(row, base, Max(end, base->start + 1)))
	{
		/* or else the next worker would put the minute again */
		HOLD_INTERRUPTS();
		store_row(HISTORY_MINUTES,
				  pg_atomic_read_u64(&shared->newest[HISTORY_MINUTES]) + 1, row);
		put_hour(row);
		RESUME_INTERRUPTS();
	}
	shared->base = *base;
}

/*---- The background worker ---------------------------------------*/

/* Does a session wait for the end of the present minute? */
bool
history_is_asked(void)
{
	return pg_atomic_read_u64(&shared->asked) !=
		pg_atomic_read_u64(&shared->done);
}

long
history_look(void)
{
	TimestampTz now = history_now();
	TimestampTz minute = floor_to(now, USECS_PER_MINUTE);
	uint64		asked = pg_atomic_read_u64(&shared->asked);
	uint64		done = pg_atomic_read_u64(&shared->done);

	if (asked != done || minute > shared->base.start)
	{
		close_minute(asked != done ? now : minute);
		if (asked / HISTORY_EMPTY != done / HISTORY_EMPTY)
		{
			/*
			 * All rows are forgotten, also those in the file, which a start
			 * reads without commit_stats.save, too.  So the present minute
			 * may begin now, although the clock was set back.
			 */
			for (int i = 0; i < HISTORY_NRINGS; i++)
				pg_atomic_write_u64(&shared->newest[i], 0);
			shared->base.gap = false;
			shared->base.start = now;
			history_file_write();
		}
		else if (commit_stats_save &&
				 floor_to(now, WRITE_EVERY) != floor_to(written_at, WRITE_EVERY))
		{
			written_at = now;
			history_file_write();
		}
		pg_write_barrier();		/* protocol history_done */
		pg_atomic_write_u64(&shared->done, asked);
	}
	return (minute + USECS_PER_MINUTE - now) / 1000 / commit_stats_history_speed + 1;
}

/*
 * The worker starts; what leaders have led until now is not of its rows.  The
 * first one begins the present minute: until then, the server was a standby,
 * perhaps for weeks, or down.  What was read until then is of no row.
 */
void
history_start(void)
{
	uint64		counted[SLOT_COMMITS_READ_ONLY + 1];
	HistorySum	nothing;

	find_leaders(&nothing);
	written_at = history_now();
	if (!shared->looked_at)
	{
		shared->base.server = read_server();
		shared->base.start = Max(written_at, shared->base.start);
		shared->base.counts.time = clock_now();
		backend_slots_add_up(counted, lengthof(counted));
		shared->base.counts.value[SLOT_COMMITS_READ_ONLY] =
			counted[SLOT_COMMITS_READ_ONLY];
		shared->looked_at = true;
	}
}

/*---- Other processes ---------------------------------------------*/

/* Ask the worker, and wait.  Returns when the present minute began. */
TimestampTz
history_ask(uint64 request)
{
	uint64		worker_seen_at = clock_now();
	uint64		asked;

	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("recovery is in progress"),
				 errhint("The history goes on when recovery has ended.")));
	asked = pg_atomic_fetch_add_u64(&shared->asked, request) + request;
	while ((int64) (asked - pg_atomic_read_u64(&shared->done)) > 0)
	{
		uint64		now = clock_now();

		if (watch_wake_worker())
			worker_seen_at = now;
		else if (!IsUnderPostmaster ||
				 clock_elapsed(worker_seen_at, now) > NO_WORKER)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the background worker of commit_stats does not run"),
					 errhint("Consider increasing the configuration parameter \"max_worker_processes\".")));
		wait_until(now + 5 * NS_PER_MS);
	}
	pg_read_barrier();			/* protocol history_done */
	return *(volatile TimestampTz *) &shared->base.start;
}

/* The postmaster.  What was not counted behind the file's last row is a gap. */
static void
history_started(void)
{
	HistorySum	row = {0};
	TimestampTz closed_at = 0;
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "commit_stats history",
												  ALLOCSET_SMALL_SIZES);

	/* a crash of a process starts the same postmaster again */
	MemoryContextSwitchTo(context);
	history_file_read();
	for (int i = 0; i < HISTORY_NRINGS; i++)
		if (history_copy(i, pg_atomic_read_u64(&shared->newest[i]), &row))
		{
			shared->base.gap = true;
			closed_at = Max(closed_at, row.end);
		}
	(void) add_groups(&row, &shared->base);
	shared->base.start = Max(history_now(), closed_at);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

static void
history_ended(void)
{
	MemoryContextSwitchTo(TopMemoryContext);
	/* a standby has no present minute */
	if (!RecoveryInProgress())
		close_minute(history_now());
	history_file_write();
}

const StatsModule history_module = {
	.head_size = sizeof(HistoryShared),
	.tail_size = history_tail_size,
	.attach = history_attach,
	.started = history_started,
	.ended = history_ended,
};
