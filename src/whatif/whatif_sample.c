/*-------------------------------------------------------------------------
 *
 * whatif_sample.c
 *		From traced commits to the flushes that carried them.
 *
 * A traced commit knows its flush group and whether it led the group, but not
 * when the leader took the WAL write lock.  The leader took the lock neither
 * before its own commit began nor before the previous flush ended, and the
 * flush was over when the first commit that it carried was done.  The part of
 * that time that is neither I/O nor sleep is the gap.  If the leader had
 * waited for the previous flush, the gap is the handoff.
 *
 * sample_quota_find() marks the flushes that waited for the next window of the
 * device's quota, so that the distribution of flush times leaves them out.
 * Other stalls are flush times like any other.
 *
 * This module knows neither SQL nor shared memory.  It can be cancelled while
 * it sorts.  Between sorts it makes single passes over at most as many
 * commits as commit_trace.c keeps.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/clock.h"
#include "base/wal_device.h"
#include "whatif/whatif.h"

/*----------------------------------------------------------------
 * Which commits shared a flush, and when it was done
 *----------------------------------------------------------------
 */

static int
compare_starts(const void *a, const void *b)
{
	const TracedCommit *x = a;
	const TracedCommit *y = b;

	CHECK_FOR_INTERRUPTS();
	return (x->started_at > y->started_at) - (x->started_at < y->started_at);
}

/* A commit's place in an order: by group, then by the end. */
typedef struct GroupPlace
{
	GroupNumber group;
	uint64		ended_at;
	int			index;
} GroupPlace;

static int
compare_places(const void *a, const void *b)
{
	const GroupPlace *x = a;
	const GroupPlace *y = b;

	CHECK_FOR_INTERRUPTS();
	if (x->group != y->group)
		return x->group > y->group ? 1 : -1;
	return (x->ended_at > y->ended_at) - (x->ended_at < y->ended_at);
}

/*
 * Did commits "this" and "before", neighbours by group and end, share a flush?
 * Two flushes share a group number if no commit saw the first one end.
 */
static bool
same_flush(const SampleCommits *commits, int this, int before)
{
	return commits->commit[this].group != InvalidGroupNumber &&
		commits->commit[this].group == commits->commit[before].group &&
		commits->flushed_at[before] >=
		sample_time(commits, commits->commit[this].started_at);
}

/* A flush ended when the first commit that it carried was done. */
static void
find_flush_ends(SampleCommits *commits)
{
	int			n = commits->n;
	GroupPlace *order = palloc(Max(n, 1) * sizeof(GroupPlace));

	for (int i = 0; i < n; i++)
	{
		order[i].group = commits->commit[i].group;
		order[i].ended_at = commits->commit[i].ended_at;
		order[i].index = i;
	}
	qsort(order, n, sizeof(GroupPlace), compare_places);
	for (int i = 0; i < n; i++)
	{
		int			this = order[i].index;

		if (i > 0 && same_flush(commits, this, order[i - 1].index))
			commits->flushed_at[this] = commits->flushed_at[order[i - 1].index];
		else
			commits->flushed_at[this] = sample_time(commits, order[i].ended_at);
	}
	pfree(order);
}

/* Takes a copy of the commits; palloc'd. */
void
sample_commits_make(SampleCommits *commits, const TracedCommit *commit, int n,
					uint64 started_at, uint64 ended_at)
{
	commits->n = n;
	commits->commit = palloc(Max(n, 1) * sizeof(TracedCommit));
	memcpy(commits->commit, commit, n * sizeof(TracedCommit));
	qsort(commits->commit, n, sizeof(TracedCommit), compare_starts);
	commits->flushed_at = palloc(Max(n, 1) * sizeof(double));
	commits->origin = started_at;
	commits->length = clock_elapsed(started_at, ended_at) / 1000.0;
	find_flush_ends(commits);
}

/*----------------------------------------------------------------
 * What the leaders did
 *----------------------------------------------------------------
 */

static int
compare_flushes(const void *a, const void *b)
{
	const Flush *x = a;
	const Flush *y = b;

	CHECK_FOR_INTERRUPTS();
	return (x->done_at > y->done_at) - (x->done_at < y->done_at);
}

/*
 * A leader slept if the gap has room for its sleep.  "before" is the previous
 * flush, or null.
 */
static void
measure_flush(Flush *flush, const Flush *before)
{
	double		earliest = flush->started_at;

	flush->waited = before != NULL && before->done_at > earliest;
	if (flush->waited)
		earliest = before->done_at;
	flush->gap = Max(flush->done_at - earliest - flush->io_time, 0);
	if (!flush->timed)
	{
		flush->io_time = flush->gap;
		flush->gap = 0;
		if (flush->sleep > 0 && flush->io_time >= flush->sleep)
			flush->io_time -= flush->sleep;
	}
	else if (flush->sleep > 0 && flush->gap >= flush->sleep * 0.9)
		flush->gap = Max(flush->gap - flush->sleep, 0);
}

static void
find_flushes(SampleFlushes *flushes, const SampleCommits *commits,
			 double usual_slack)
{
	flushes->n = 0;
	flushes->flush = palloc0(Max(commits->n, 1) * sizeof(Flush));
	for (int i = 0; i < commits->n; i++)
	{
		const TracedCommit *commit = &commits->commit[i];
		Flush	   *flush = &flushes->flush[flushes->n];

		if (!commit->led)
			continue;
		flush->started_at = sample_time(commits, commit->started_at);
		flush->done_at = commits->flushed_at[i];
		flush->timed = commit->timed;
		flush->io_time = commit->timed ? commit->io_time / 1000.0 : 0;
		flush->sleep = commit->delay > 0 ? commit->delay + usual_slack : 0;
		flush->block = sample_block(commits, flush->done_at);
		flushes->n++;
	}
	qsort(flushes->flush, flushes->n, sizeof(Flush), compare_flushes);
}

/*
 * A sleep takes "usual_slack" us longer than asked.  The flushes are palloc'd.
 */
void
sample_flushes_make(SampleFlushes *flushes, const SampleCommits *commits,
					double usual_slack)
{
	find_flushes(flushes, commits, usual_slack);
	for (int i = 0; i < flushes->n; i++)
		measure_flush(&flushes->flush[i],
					  i > 0 ? &flushes->flush[i - 1] : NULL);
}

/*----------------------------------------------------------------
 * The quota of the device
 *----------------------------------------------------------------
 */

/* A flush that takes longer is a stall. */
static double
longest_usual_flush(const SampleFlushes *flushes)
{
	double	   *value = palloc(flushes->n * sizeof(double));
	double		median;

	for (int i = 0; i < flushes->n; i++)
		value[i] = flushes->flush[i].io_time;
	median = quantile(value, flushes->n, 0.5);
	pfree(value);
	return wal_device_stall_limit(median);
}

/* The stalls, by time */
static int
find_stalls(const SampleFlushes *flushes, DeviceStall *stall)
{
	double		limit = longest_usual_flush(flushes);
	int			n = 0;

	for (int i = 0; i < flushes->n; i++)
		if (flushes->flush[i].io_time > limit)
		{
			stall[n].flush = i;
			stall[n].ended_at = flushes->flush[i].done_at;
			stall[n++].length = flushes->flush[i].io_time;
		}
	return n;
}

/*
 * Marks the flushes that a quota made wait, and sets load->window and
 * load->quota.
 */
void
sample_quota_find(SampleFlushes *flushes, double length, WhatifLoad *load)
{
	DeviceStall *stall = palloc0(Max(flushes->n, 1) * sizeof(DeviceStall));
	int			n = find_stalls(flushes, stall);
	DeviceQuota quota;

	if (wal_device_find_quota(stall, n, length / 10, &quota))
	{
		for (int i = 0; i < n; i++)
			flushes->flush[stall[i].flush].stalled = stall[i].of_quota;
		load->window = quota.window;
		load->quota.value = quota.flushes;
		load->quota.n = quota.n;
	}
	pfree(stall);
}

/*----------------------------------------------------------------
 * Values to draw from
 *----------------------------------------------------------------
 */

/* Values must be added in the order of their blocks.  Palloc'd. */
static void
distribution_add(Distribution *it, double value, int block)
{
	if (it->n == 0)
	{
		it->value = palloc(sizeof(double));
		it->first = palloc0((SAMPLE_BLOCKS + 1) * sizeof(int));
	}
	else if ((it->n & (it->n - 1)) == 0)
		it->value = repalloc(it->value, 2 * it->n * sizeof(double));
	it->value[it->n++] = value;
	for (int b = block + 1; b <= SAMPLE_BLOCKS; b++)
		it->first[b] = it->n;
}

void
sample_flushes_fill(const SampleFlushes *flushes, WhatifLoad *load)
{
	for (int i = 0; i < flushes->n; i++)
	{
		const Flush *it = &flushes->flush[i];

		if (!it->stalled)
			distribution_add(&load->flush, it->io_time, it->block);
		if (it->waited)
			distribution_add(&load->handoff, it->gap, it->block);
	}
}
