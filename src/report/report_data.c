/*-------------------------------------------------------------------------
 *
 * report_data.c
 *		The numbers that the report is made of.
 *
 * What the modules below remember is copied at one moment, under the reset lock,
 * and everything else is computed from the copies: averages, shares, quantiles.
 * Nothing is divided by zero; an average of nothing is 0.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "base/clock.h"
#include "base/guc.h"
#include "base/shared_memory.h"
#include "report/report_data.h"
#include "stats/backend_slots.h"
#include "stats/latency.h"

static double
ratio_or_zero(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* The server as it is now, and as this session has its settings. */
static void
read_settings(CommitFigures *f)
{
	f->counting = commit_stats_enabled;
	f->is_standby = RecoveryInProgress();
	f->fsync = enableFsync;
	f->io_timing = track_wal_io_timing;
	f->delay = CommitDelay;
	f->siblings = CommitSiblings;
	f->connections = MaxConnections;
}

static void
set_counts(CommitFigures *f, const SlotTotals *slots,
		   const FlushTotals *groups)
{
	uint64		unled = flush_total(groups, OVERALL, UNLED_COMMITS);

	f->seconds = Max(GetCurrentTimestamp() - slots->stats_reset, 0) / 1e6;
	f->commits = slots->value[SLOT_COMMITS];
	f->commits_async = slots->value[SLOT_COMMITS_ASYNC];
	f->commits_read_only = slots->value[SLOT_COMMITS_READ_ONLY];
	f->flushes = slots->value[SLOT_FLUSHES];
	/* the slots were read later, so they know of all that the groups know */
	f->carried = Max(f->commits, unled) - unled;
	f->delayable = slots->value[SLOT_DELAYABLE];
	f->delay_hits = slot_delay_hits(slots);
	f->timed_flushes = slots->value[SLOT_TIMED_FLUSHES];
}

/*
 * Of the newest flushes, the first is only where the time begins.
 */
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
	}
	f->recent_seconds = clock_elapsed(groups->recent[0].seen_at,
									  groups->recent[n - 1].seen_at) / 1e9;
	f->recent_age = clock_elapsed(groups->recent[n - 1].seen_at,
								  clock_now()) / 1e9;
}

/* Shares of flushes with at least so many siblings. */
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
			f->company = ratio_or_zero(at_least, flushes);
		if (s == f->siblings)
			f->reach = ratio_or_zero(at_least, flushes);
	}
}

/* ns, or NaN for none, to us */
static double
quantile_us(const uint64 *counts, double q)
{
	double		ns = histogram_quantile(counts, q);

	return isnan(ns) ? 0 : ns / 1000;
}

/* All commits that waited, whatever for. */
static void
set_commit_quantiles(CommitFigures *f, const LatencyTotals *latency)
{
	uint64		counts[HISTOGRAM_NCELLS] = {0};

	latency_add_waited(latency, counts);
	f->commit_p50 = quantile_us(counts, 0.5);
	f->commit_p95 = quantile_us(counts, 0.95);
	f->commit_p99 = quantile_us(counts, 0.99);
}

/*
 * A sum of the latencies, us; of the leaders only, or of all that waited.
 */
static double
latency_sum_us(const LatencyTotals *latency, LatencySum sum, bool leaders)
{
	double		ns = 0;

	for (int kind = LATENCY_LEADER;
		 kind < (leaders ? LATENCY_FOLLOWER : LATENCY_FLUSH); kind++)
		ns += latency->sum[kind][sum];
	return ns / 1000;
}

/*
 * F0 and what it is at most: one flush at a time, none longer than its leader's
 * commit took without sleep and standby.
 */
static void
set_flush_times(CommitFigures *f, const SlotTotals *slots,
				const LatencyTotals *latency, double leaders, double sleep)
{
	f->flush_time = ratio_or_zero(slots->value[SLOT_FLUSH_TIME] / 1e3,
						  f->timed_flushes);
	f->flush_p50 = quantile_us(latency->count[LATENCY_FLUSH], 0.5);
	f->flush_p99 = quantile_us(latency->count[LATENCY_FLUSH], 0.99);
	f->flush_time_max = ratio_or_zero(f->seconds * 1e6, f->flushes);
	if (leaders > 0)
	{
		double		own = ratio_or_zero(latency_sum_us(latency, LATENCY_TIME, true) -
								latency_sum_us(latency, STANDBY_TIME_MIN, true),
								leaders) - sleep;

		f->flush_time_max = Min(f->flush_time_max, Max(own, 0));
	}
}

/*
 * Leaders that prepare a transaction flush and sleep as well, but are no
 * commits.  So what flushes took is averaged over flushes, and then shared out
 * among the commits of which a part are leaders.
 */
static void
set_times(CommitFigures *f, const SlotTotals *slots,
		  const LatencyTotals *latency)
{
	double		followers = slots->value[SLOT_FOLLOWERS];
	double		leaders = Max(f->commits - followers, 0);
	double		leading = ratio_or_zero(leaders, f->commits);
	double		sleep = ratio_or_zero(slots->value[SLOT_DELAY_TIME] / 1e3, f->flushes);

	set_flush_times(f, slots, latency, leaders, sleep);
	f->commit_time = ratio_or_zero(slots->value[SLOT_COMMIT_TIME] / 1e3, f->commits);
	f->commit_io = f->flush_time * leading;
	f->commit_sleep = sleep * leading;
	f->standby_min = ratio_or_zero(latency_sum_us(latency, STANDBY_TIME_MIN, false),
						   f->commits);
	f->standby_max = ratio_or_zero(latency_sum_us(latency, STANDBY_TIME_MAX, false),
						   f->commits);
}

void
report_data_read(ReportCopy *copy)
{
	CommitFigures *f = &copy->figures;
	SlotTotals	slots;
	LatencyTotals *latency;

	copy->groups = flush_totals_lock_and_read();
	backend_slots_read(&slots);
	latency = latency_read();
	LWLockRelease(commit_stats_reset_lock());

	memset(f, 0, sizeof(CommitFigures));
	copy->stats_reset = slots.stats_reset;
	read_settings(f);
	set_counts(f, &slots, copy->groups);
	set_recent(f, copy->groups);
	set_siblings(f, copy->groups);
	set_commit_quantiles(f, latency);
	set_times(f, &slots, latency);
}
