/*-------------------------------------------------------------------------
 *
 * report_data.c
 *		The numbers that the report is made of.
 *
 * report_data_read() copies all counts, and the log of stalls, so that all
 * belong to the same reset, and computes everything else from the copies.
 *
 * Locking: commit_stats_reset_lock(), shared, while everything is copied, and
 * what the modules that are read take inside of it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/guc.h"
#include "module/shared_memory.h"
#include "report/report.h"
#include "stats/counter_delta.h"
#include "stats/latency.h"
#include "stats/stall_log.h"

/* The server now, with the settings of this session */
static void
set_settings(CommitFigures *f)
{
	f->counting = commit_stats_enabled;
	f->is_standby = RecoveryInProgress();
	f->fsync = enableFsync;
	f->io_timing = track_wal_io_timing;
	f->delay = CommitDelay;
	f->siblings = CommitSiblings;
	f->connections = MaxConnections;
	f->wal_buffers = (double) XLOGbuffers * XLOG_BLCKSZ;
	f->adaptive = commit_stats_adaptive_delay;
}

static void
set_counts(CommitFigures *f, const SlotTotals *slots,
		   const FlushTotals *groups)
{
	uint64		unled = flush_total(groups, OVERALL, UNLED_COMMITS);

	f->stats_reset = slots->stats_reset;
	f->seconds = Max(GetCurrentTimestamp() - slots->stats_reset, 0) / 1e6;
	f->commits = slots->value[SLOT_COMMITS];
	f->commits_async = slots->value[SLOT_COMMITS_ASYNC];
	f->commits_read_only = slots->value[SLOT_COMMITS_READ_ONLY];
	f->prepares = slots->value[SLOT_PREPARES];
	f->prepare_time = ratio_or_zero(slots->value[SLOT_PREPARE_TIME] / 1e3,
									f->prepares);
	f->flushes = slots->value[SLOT_FLUSHES];
	/* the slots were read later, so they include all of the groups */
	f->carried = Max(f->commits, unled) - unled;
	f->flush_wal = ratio_or_zero(flush_total(groups, OVERALL, LED_WAL_BYTES),
								 f->flushes);
	f->delay_hits = slots->value[SLOT_DELAY_HITS];
	f->delayable = f->delay_hits + slots->value[SLOT_DELAY_MISSES];
	f->hits_adaptive = slots->value[SLOT_HITS_ADAPTIVE];
	f->timed_flushes = slots->value[SLOT_TIMED_FLUSHES];
	f->commits_notify = slots->value[SLOT_COMMITS_NOTIFY];
	f->slow_commits = slots->value[SLOT_SLOW_COMMITS];
}

/*
 * The stalls since the last reset; or those of the last hour, if they took a
 * larger part of it.  The log may not go back that far.
 */
static void
set_stalls(CommitFigures *f, const SlotTotals *slots, const StallLog *log)
{
	TimestampTz now = GetCurrentTimestamp();
	double		seconds = Min(f->seconds, SECS_PER_HOUR);
	double		time = 0;
	int			n = 0;

	for (int i = 0; i < log->n; i++)
	{
		const SlowEvent *event = &log->logged[i].event;
		double		age = (now - event->ended_at) / 1e6;

		if (i == 0 && log->n >= SLOW_LOG_KEPT)
			seconds = Min(seconds, age + event->duration / 1e9);
		if (age > seconds)
			continue;
		n++;
		time += event->duration / 1e3;
	}
	f->stalls = slots->value[SLOT_STALLS];
	f->stall_time = slots->value[SLOT_STALL_TIME] / 1e3;
	f->stall_seconds = f->seconds;
	if (ratio_or_zero(time, seconds) <=
		ratio_or_zero(f->stall_time, f->stall_seconds))
		return;
	f->stalls = n;
	f->stall_time = time;
	f->stall_seconds = seconds;
}

/* What the stalls that are logged have in common */
static void
set_stall_causes(CommitFigures *f, const StallLog *log)
{
	f->logged_stalls = log->n;
	f->quota_flushes = log->quota_flushes;
	f->quota_window = log->quota_window;
	for (int i = 0; i < log->n; i++)
	{
		const DeviceStall *stall = &log->stall[i];
		const SlowEvent *event = &log->logged[i].event;
		double		time = event->duration / 1e3;

		f->logged_time += time;
		if (stall->of_quota)
			f->quota_stalls++;
		if (event->checkpoint > 0)
			f->checkpoint_time += time;
		else if (stall_log_has_writer(log, i))
			f->writer_time += time;
	}
}

static void
set_clients(CommitFigures *f, const ClientTotals *clients)
{
	f->clients_evicted = clients->evicted;
	for (int i = 0; i < clients->n; i++)
	{
		const ClientCounts *client = &clients->client[i];
		const uint64 *value = client->value;

		f->client_commits += client_commits(client);
		if (client_is_overflow(&client->key))
			f->overflow_commits += client_commits(client);
		if (client_is_overflow(&client->key) ||
			value[SLOT_COMMITS] <= f->top_commits)
			continue;
		f->top = client->key;
		f->top_commits = value[SLOT_COMMITS];
		f->top_all = client_commits(client);
		f->top_flushes = value[SLOT_FLUSHES];
		f->top_commit_size =
			ratio_or_zero(value[SLOT_WAL_BYTES], client_commits(client));
	}
}

/* The oldest group in the ring only tells when the time begins. */
static void
set_recent(CommitFigures *f, const FlushTotals *groups)
{
	int			n = groups->nrecent;

	if (n < 2)
		return;
	for (int i = 1; i < n; i++)
	{
		const FlushGroupCopy *group = &groups->recent[i];

		f->recent_commits += group->commits;
		if (group->leader_pid == 0)
			continue;
		f->recent_flushes++;
		f->recent_carried += group->commits;
		if (group->leader.flush_time == FLUSH_NOT_TIMED)
			continue;
		f->recent_timed++;
		f->recent_flush_time += group->leader.flush_time;
	}
	f->recent_flush_time = ratio_or_zero(f->recent_flush_time,
										 f->recent_timed);
	f->recent_seconds = clock_elapsed(groups->recent[0].seen_at,
									  groups->recent[n - 1].seen_at) / 1e9;
	f->recent_age = clock_elapsed(groups->recent[n - 1].seen_at,
								  clock_now()) / 1e9;
}

/* Goes down from the most siblings, so "at_least" flushes had s or more. */
static void
set_siblings(CommitFigures *f, const FlushTotals *groups)
{
	uint64		flushes = 0;
	uint64		at_least = 0;

	for (int s = 0; s < groups->ncells; s++)
		flushes += flush_total(groups, FLUSHES_BY_SIBLINGS, s);
	for (int s = groups->ncells - 1; s >= 0; s--)
	{
		uint64		n = flush_total(groups, FLUSHES_BY_SIBLINGS, s);

		if (at_least == 0 && n > 0)
			f->siblings_max = s;
		at_least += n;
		if (f->siblings_half == 0 && 2 * at_least >= flushes && flushes > 0)
			f->siblings_half = s;
		if (s == 1)
			f->concurrency = ratio_or_zero(at_least, flushes);
		if (s == f->siblings)
			f->reach = ratio_or_zero(at_least, flushes);
	}
}

/* From ns, or NaN if there were none */
static double
us(double ns)
{
	return isnan(ns) ? 0 : ns / 1000;
}

/* A sum over LATENCY_LEADER and the kinds before "end", in us */
static double
latency_sum(const LatencyTotals *latency, LatencySum sum, LatencyKind end)
{
	double		ns = 0;

	for (int kind = LATENCY_LEADER; kind < end; kind++)
		ns += latency->sum[kind][sum];
	return ns / 1000;
}

/*
 * Leaders that prepare a transaction flush and sleep as well, but are no
 * commits.  So the times of flushes are averaged over all flushes, and each
 * commit gets the share of leaders among the commits.
 */
static void
set_times(CommitFigures *f, const CounterDelta *counts,
		  const LatencyTotals *latency)
{
	double		followers = counts->value[SLOT_FLUSHED_BY_OTHERS];
	double		leaders = Max(f->commits - followers, 0);
	double		leading = ratio_or_zero(leaders, f->commits);
	double		sleep = ratio_or_zero(counts->value[SLOT_DELAY_TIME] / 1e3,
									  f->flushes);
	double		own = latency_sum(latency, LATENCY_TIME, LATENCY_FOLLOWER) -
	latency_sum(latency, STANDBY_TIME_MIN, LATENCY_FOLLOWER);

	f->commit_time = us(counter_delta_mean_latency(counts));
	f->commit_p50 = us(counter_delta_latency_quantile(counts, 0.5));
	f->commit_p95 = us(counter_delta_latency_quantile(counts, 0.95));
	f->commit_p99 = us(counter_delta_latency_quantile(counts, 0.99));
	f->flush_time = us(counter_delta_mean_flush_time(counts));
	f->flush_p50 = us(histogram_quantile(latency->count[LATENCY_FLUSH], 0.5));
	f->flush_p99 = us(histogram_quantile(latency->count[LATENCY_FLUSH], 0.99));
	f->commit_io = f->flush_time * leading;
	f->commit_sleep = latency_sum(latency, LATENCY_DELAY, LATENCY_FOLLOWER) /
		Max(f->commits, 1);
	f->leader_sleep = latency_sum(latency, LATENCY_DELAY, LATENCY_FLUSH) /
		Max(f->commits, 1) - f->commit_sleep;
	f->standby_min = latency_sum(latency, STANDBY_TIME_MIN, LATENCY_FLUSH) /
		Max(f->commits, 1);
	f->standby_max = latency_sum(latency, STANDBY_TIME_MAX, LATENCY_FLUSH) /
		Max(f->commits, 1);

	/*
	 * An upper bound of F0, timed or not: there is one flush at a time, and
	 * none takes longer than the commit of its leader without sleep and
	 * standby.
	 */
	f->flush_time_max = ratio_or_zero(f->seconds * 1e6, f->flushes);
	if (leaders > 0)
		f->flush_time_max = Min(f->flush_time_max,
								Max(own / leaders - sleep, 0));
}

/* Fills in the figures, and returns the flush groups. */
FlushTotals *
report_data_read(CommitFigures *f)
{
	FlushTotals *groups;
	SlotTotals	slots;
	LatencyTotals *latency;
	ClientTotals *clients;
	StallLog	stalls;
	CounterDelta counts = {0};

	memset(f, 0, sizeof(CommitFigures));
	groups = flush_totals_lock_and_read();
	backend_slots_read(&slots);
	latency = latency_read();
	clients = clients_read();
	stall_log_read(&stalls);
	LWLockRelease(commit_stats_reset_lock());

	memcpy(counts.value, slots.value, sizeof(counts.value));
	latency_add_waited(latency, counts.latency);
	stall_log_find_quota(&stalls);
	set_settings(f);
	set_counts(f, &slots, groups);
	set_stalls(f, &slots, &stalls);
	set_stall_causes(f, &stalls);
	set_clients(f, clients);
	set_recent(f, groups);
	set_siblings(f, groups);
	set_times(f, &counts, latency);
	return groups;
}
