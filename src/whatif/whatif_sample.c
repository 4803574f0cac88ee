/*-------------------------------------------------------------------------
 *
 * whatif_sample.c
 *		From traced commits to the flushes that carried them.
 *
 *	gap			the part of a leader's time since its flush could begin that is
 *				neither I/O nor sleep
 *	handoff		the gap, if the leader had waited for the previous flush
 *
 * A traced commit knows its flush group and whether it led the group, but not
 * when the leader took the WAL write lock.  The leader took the lock neither
 * before its own commit began nor before the previous flush ended, and the
 * flush was over when the first commit that it carried was done.
 *
 * sample_quota_find() marks the flushes that waited for the next window of the
 * device's quota, so that the distribution of flush times leaves them out.
 * Other stalls are flush times like any other.
 *
 * This file uses neither SQL nor shared memory.  It can be cancelled while it
 * sorts.  Between sorts it makes single passes over at most as many commits as
 * commit_trace.c keeps.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/clock.h"
#include "base/wal_device.h"
#include "whatif/whatif.h"

static int
compare_starts(const void *a, const void *b)
{
	const TracedCommit *x = a;
	const TracedCommit *y = b;

	CHECK_FOR_INTERRUPTS();
	return (x->started_at > y->started_at) - (x->started_at < y->started_at);
}

static int
compare_places(const void *a, const void *b)
{
	const CommitPlace *x = a;
	const CommitPlace *y = b;

	CHECK_FOR_INTERRUPTS();
	if (x->key != y->key)
		return x->key > y->key ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The commits by group and end, or by session and begin; palloc'd */
CommitPlace *
sample_order(const SampleCommits *commits, bool by_group)
{
	CommitPlace *order = palloc(Max(commits->n, 1) * sizeof(CommitPlace));

	for (int i = 0; i < commits->n; i++)
	{
		const TracedCommit *commit = &commits->commit[i];

		order[i].key = by_group ? commit->group : commit->pid;
		order[i].at = by_group ? commit->ended_at : (uint64) i;
		order[i].index = i;
	}
	qsort(order, commits->n, sizeof(CommitPlace), compare_places);
	return order;
}

/*
 * True if commits "this" and "before", neighbours by group and end, shared a
 * flush.  Two flushes share a group number if no commit saw the first one end.
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
	CommitPlace *order = sample_order(commits, true);

	for (int i = 0; i < commits->n; i++)
	{
		int			this = order[i].index;

		if (i > 0 && same_flush(commits, this, order[i - 1].index))
			commits->flushed_at[this] = commits->flushed_at[order[i - 1].index];
		else
			commits->flushed_at[this] = sample_time(commits, order[i].at);
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

/* Orders structs by the time, a double, that they begin with. */
int
sample_compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	CHECK_FOR_INTERRUPTS();
	return (x > y) - (x < y);
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

/*
 * A sleep takes "usual_slack" us longer than asked.  The flushes are palloc'd.
 */
void
sample_flushes_make(SampleFlushes *flushes, const SampleCommits *commits,
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
	qsort(flushes->flush, flushes->n, sizeof(Flush), sample_compare);
	for (int i = 0; i < flushes->n; i++)
		measure_flush(&flushes->flush[i],
					  i > 0 ? &flushes->flush[i - 1] : NULL);
}

/*
 * Marks the flushes that a quota made wait, and sets load->window and
 * load->quota.
 */
void
sample_quota_find(SampleFlushes *flushes, double length, WhatifLoad *load)
{
	DeviceStall *stall = palloc0(Max(flushes->n, 1) * sizeof(DeviceStall));
	double	   *time = palloc(Max(flushes->n, 1) * sizeof(double));
	double		limit;
	int			n = 0;
	DeviceQuota quota;

	for (int i = 0; i < flushes->n; i++)
		time[i] = flushes->flush[i].io_time;
	limit = wal_device_stall_limit(quantile(time, flushes->n, 0.5));
	for (int i = 0; i < flushes->n; i++)
		if (flushes->flush[i].io_time > limit)
		{
			stall[n].flush = i;
			stall[n].ended_at = flushes->flush[i].done_at;
			stall[n++].length = flushes->flush[i].io_time;
		}
	if (wal_device_find_quota(stall, n, length / 10, &quota))
	{
		for (int i = 0; i < n; i++)
			flushes->flush[stall[i].flush].stalled = stall[i].of_quota;
		load->window = quota.window;
		load->quota.value = quota.flushes;
		load->quota.n = quota.n;
	}
	pfree(time);
	pfree(stall);
}

/* Values are added in the order of their blocks. */
static void
distribution_add(Distribution *it, double value, int block)
{
	it->value[it->n++] = value;
	for (int b = block + 1; b <= SAMPLE_BLOCKS; b++)
		it->first[b] = it->n;
}

static void
distribution_make(Distribution *it, int size)
{
	it->value = palloc(Max(size, 1) * sizeof(double));
	it->first = palloc0((SAMPLE_BLOCKS + 1) * sizeof(int));
}

/* Sets load->flush and load->handoff; palloc'd. */
void
sample_flushes_fill(const SampleFlushes *flushes, WhatifLoad *load)
{
	distribution_make(&load->flush, flushes->n);
	distribution_make(&load->handoff, flushes->n);
	for (int i = 0; i < flushes->n; i++)
	{
		const Flush *it = &flushes->flush[i];

		if (!it->stalled)
			distribution_add(&load->flush, it->io_time, it->block);
		if (it->waited)
			distribution_add(&load->handoff, it->gap, it->block);
	}
}
