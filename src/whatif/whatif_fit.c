/*-------------------------------------------------------------------------
 *
 * whatif_fit.c
 *		From traced commits to a load that can be simulated.
 *
 *	cycle		of a session: from the end of a flush that carried its commit
 *				to the beginning of its next commit
 *	work		of a cycle: the time that it would take a session that works
 *				alone
 *	open load	transactions begin by themselves, and not when a client has
 *				committed
 *
 * Another commit_delay leaves the length of cycles as it is, unless sessions
 * kept the CPUs busy.  In that case each of n sessions does min(1, cores / n)
 * of the work that it could do alone, where "cores" is the number of CPUs.  A
 * PREPARE TRANSACTION ends a cycle, and begins one, as a commit does.
 *
 * In an open load, sessions are idle for longer than they work, and a longer
 * commit leaves less time until the next transaction.  Where each client
 * continues when it has committed, a longer commit leaves as much time or
 * more.
 *
 * whatif_sample.c learns the device and the WAL.
 *
 * This file uses neither SQL nor shared memory.  A fit can be cancelled while
 * it sorts and while it adds up work.  Other passes are over at most as many
 * commits as commit_trace.c keeps.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "whatif/whatif.h"

#define MIN_VALUES		20		/* fewer cycles or flushes tell nothing */
#define BUSY_SHARE		0.8		/* of the time for which the sessions could
								 * have used the CPUs */
#define MAX_BUSY_SHARE	1.1		/* more was not the sessions' alone; the
								 * system's account is not exact */
#define BLOCKED_PARTS	20		/* parts of the sample */
#define OPEN_SLOPE		(-0.1)	/* between -1, open, and 0, closed */

/* From one commit of a session to its next; times in us */
typedef struct Cycle
{
	double		flushed_at;		/* end of the flush of the first commit */
	double		awake_at;		/* the first commit returned */
	double		began_at;		/* the next transaction began */
	double		commits_at;		/* the next commit began */
	double		latency;		/* of the first commit, to flushed_at */
	double		wake_work;		/* work until awake_at */
	double		work;			/* work from awake_at, or began_at, on */
	int			from;			/* index of the first commit */
	int			to;				/* index of the next commit */
	int			block;
} Cycle;

/* A moment at which the number of sessions that work changes */
typedef struct Change
{
	double		at;
	int			by;
	int			blocked;		/* sessions that waited for locks until then */
	int			working;		/* sessions that worked until then */
} Change;

/* Everything that the fit finds out */
typedef struct WhatifFit
{
	SampleCommits commits;
	SampleFlushes flushes;
	int			nsessions;
	int			ncycles;
	Cycle	   *cycle;			/* by session, later by time */
	int			nchanges;
	Change	   *change;
	CpuUsage	cpus;
	WhatifLoad *load;
	FitSummary *summary;
} WhatifFit;

/* True in an open load; known after find_kind(). */
static bool
is_open(const WhatifFit *fit)
{
	return fit->load->arrivals > 0;
}

/*----------------------------------------------------------------
 * Cycles
 *----------------------------------------------------------------
 */

static void
add_cycle(WhatifFit *fit, int from, int to)
{
	const SampleCommits *commits = &fit->commits;
	const TracedCommit *a = &commits->commit[from];
	const TracedCommit *b = &commits->commit[to];
	Cycle	   *cycle = &fit->cycle[fit->ncycles++];

	cycle->from = from;
	cycle->to = to;
	cycle->flushed_at = commits->flushed_at[from];
	cycle->awake_at = sample_time(commits, a->ended_at);
	cycle->commits_at = Max(sample_time(commits, b->started_at), cycle->awake_at);
	cycle->began_at = Max(cycle->commits_at - b->age, cycle->awake_at);
	cycle->latency = cycle->flushed_at - sample_time(commits, a->started_at);
	cycle->block = sample_block(commits, cycle->flushed_at);
}

static void
find_cycles(WhatifFit *fit)
{
	int			n = fit->commits.n;
	CommitPlace *order = sample_order(&fit->commits, false);

	fit->cycle = palloc0(Max(n, 1) * sizeof(Cycle));
	for (int i = 0; i < n; i++)
	{
		if (i == 0 || order[i].key != order[i - 1].key)
			fit->nsessions++;
		else
			add_cycle(fit, order[i - 1].index, order[i].index);
	}
	pfree(order);
}

/*----------------------------------------------------------------
 * Sessions that work
 *----------------------------------------------------------------
 */

/* As many sessions waited for locks at each end of the span. */
static void
add_span(WhatifFit *fit, double from, double to, int blocked_from,
		 int blocked_to)
{
	Change	   *change = &fit->change[fit->nchanges];

	if (to <= from)
		return;
	change[0].at = from;
	change[0].by = 1;
	change[0].blocked = blocked_from;
	change[1].at = to;
	change[1].by = -1;
	change[1].blocked = blocked_to;
	fit->nchanges += 2;
}

/*
 * Counts the sessions that worked until each change.  Commits that a flush
 * carried counted the blocked sessions one after the other, while some of
 * these already continued; the highest count is right.
 */
static void
count_working(WhatifFit *fit)
{
	Change	   *change = fit->change;
	int			present = 0;

	qsort(change, fit->nchanges, sizeof(Change), sample_compare);
	for (int i = fit->nchanges - 2; i >= 0; i--)
		if (change[i].at == change[i + 1].at)
			change[i].blocked = Max(change[i].blocked, change[i + 1].blocked);
	for (int i = 0; i < fit->nchanges; i++)
	{
		change[i].blocked = Min(change[i].blocked, present);
		change[i].working = present - change[i].blocked;
		present += change[i].by;
	}
}

/* In an open load, the time between transactions is not work. */
static void
find_changes(WhatifFit *fit)
{
	fit->nchanges = 0;
	for (int i = 0; i < fit->ncycles; i++)
	{
		const Cycle *cycle = &fit->cycle[i];
		int			freed = fit->commits.commit[cycle->from].blocked_after;
		int			blocked = fit->commits.commit[cycle->to].blocked;

		if (is_open(fit))
		{
			add_span(fit, cycle->flushed_at, cycle->awake_at, freed, freed);
			add_span(fit, cycle->began_at, cycle->commits_at, blocked, blocked);
		}
		else
			add_span(fit, cycle->flushed_at, cycle->commits_at, freed, blocked);
	}
	count_working(fit);
}

/*
 * Sessions that are blocked, on average and usually.  The average includes
 * waits for deadlock_timeout, in which nearly all sessions come to wait; these
 * are rare, and do not depend on commit_delay.
 */
static void
find_blocked(WhatifFit *fit)
{
	double		part[BLOCKED_PARTS] = {0};

	for (int i = 1; i < fit->nchanges; i++)
	{
		const Change *this = &fit->change[i];
		double		blocked = (this->at - this[-1].at) * this->blocked /
		fit->commits.length;

		fit->summary->blocked += blocked;
		part[sample_block(&fit->commits, this->at) * BLOCKED_PARTS / SAMPLE_BLOCKS] +=
			blocked * BLOCKED_PARTS;
	}
	fit->summary->usually_blocked = quantile(part, BLOCKED_PARTS, 0.5);
}

/*
 * The work that one session could do until each change.  The sample does not
 * say which sessions were blocked, so each bears an equal share.
 */
static void
add_up_speed(const WhatifFit *fit, double *done)
{
	double		sum = 0;

	for (int i = 0; i < fit->nchanges; i++)
	{
		const Change *this = &fit->change[i];

		CHECK_FOR_INTERRUPTS();
		if (i > 0 && this->working > 0)
			sum += (this->at - this[-1].at) *
				work_speed(fit->load->cores, this->working) * this->working /
				(this->working + this->blocked);
		done[i] = sum;
	}
}

/* The same until any moment, between the changes around it */
static double
work_until(const WhatifFit *fit, const double *done, double at)
{
	const Change *change = fit->change;
	int			low = 0;
	int			high = fit->nchanges;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (change[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || low >= fit->nchanges || change[low].at <= change[low - 1].at)
		return done[Min(low, fit->nchanges - 1)];
	return done[low - 1] + (done[low] - done[low - 1]) *
		(at - change[low - 1].at) / (change[low].at - change[low - 1].at);
}

static void
measure_work(WhatifFit *fit, double *done)
{
	add_up_speed(fit, done);
	for (int i = 0; i < fit->ncycles; i++)
	{
		Cycle	   *cycle = &fit->cycle[i];
		double		awake = work_until(fit, done, cycle->awake_at);
		double		from = awake;

		CHECK_FOR_INTERRUPTS();
		if (is_open(fit))
			from = work_until(fit, done, cycle->began_at);
		cycle->wake_work = awake - work_until(fit, done, cycle->flushed_at);
		cycle->work = work_until(fit, done, cycle->commits_at) - from;
	}
}

/*
 * True if the CPUs were busy whenever sessions worked: the sessions then did
 * not sleep.  If the CPUs, without commits and their wake-ups, were busy for
 * longer than the sessions worked, other programs used them, too, and nothing
 * follows.
 */
static bool
cpus_are_busy(const WhatifFit *fit)
{
	double		could = 0;
	double		beside = fit->cpus.busy;

	for (int i = 0; i < fit->commits.n; i++)
		beside -= fit->commits.commit[i].cpu_time / 1000.0;
	for (int i = 1; i < fit->nchanges; i++)
		could += (fit->change[i].at - fit->change[i - 1].at) *
			Min(fit->change[i].working, fit->cpus.n);
	return fit->cpus.n > 0 && fit->cpus.busy >= BUSY_SHARE * could &&
		beside <= MAX_BUSY_SHARE * could;
}

/*
 * Sets how many sessions can work without slowing down: all of them, unless
 * the CPUs were busy whenever sessions worked; and measures the work.
 */
static void
find_cores(WhatifFit *fit)
{
	double	   *done;

	find_changes(fit);
	done = palloc(Max(fit->nchanges, 1) * sizeof(double));
	fit->load->cores = fit->nsessions;
	if (cpus_are_busy(fit))
		fit->load->cores = Min(fit->load->cores, fit->cpus.n);
	measure_work(fit, done);
	find_blocked(fit);
	pfree(done);
}

/*
 * An open load has sessions that are idle for longer than they work, and a
 * slope below OPEN_SLOPE, by twice its standard error, in a regression of the
 * time until the next commit on the latency of the last one.
 */
static void
find_kind(WhatifFit *fit)
{
	double		n = fit->ncycles;
	double		x = 0;
	double		y = 0;
	double		xx = 0;
	double		xy = 0;
	double		yy = 0;
	double		idle = 0;
	double		busy = 0;
	double		slope;
	double		error;

	for (int i = 0; i < fit->ncycles; i++)
	{
		const Cycle *cycle = &fit->cycle[i];
		double		next = cycle->commits_at - cycle->flushed_at;

		x += cycle->latency / n;
		y += next / n;
		xx += cycle->latency * cycle->latency / n;
		xy += cycle->latency * next / n;
		yy += next * next / n;
		idle += cycle->began_at - cycle->awake_at;
		busy += cycle->commits_at - cycle->began_at;
	}
	xx -= x * x;
	xy -= x * y;
	yy -= y * y;
	if (xx <= 0 || idle <= busy)
		return;
	slope = xy / xx;
	error = sqrt(Max(yy - slope * xy, 0) / xx / n);
	if (slope + 2 * error < OPEN_SLOPE)
		fit->load->arrivals = n / fit->commits.length;
}

/*
 * Sets the share of the time beside commits in which sessions have an xid.  In
 * open loads, that time includes idle sessions.
 */
static void
find_xid_share(WhatifFit *fit)
{
	const SampleCommits *commits = &fit->commits;
	double	   *end = palloc(commits->n * sizeof(double));
	int			nended = 0;
	double		seen = 0;
	double		total = 0;

	for (int i = 0; i < commits->n; i++)
		end[i] = sample_time(commits, commits->commit[i].ended_at);
	qsort(end, commits->n, sizeof(double), sample_compare);
	for (int i = 0; i < commits->n; i++)
	{
		double		now = sample_time(commits, commits->commit[i].started_at);
		int			committing;
		int			others;

		while (nended < commits->n && end[nended] < now)
			nended++;
		committing = i - nended;	/* other sessions */
		others = fit->nsessions - 1 - committing - commits->commit[i].blocked;
		if (others <= 0 || now < commits->length * 0.05 || now > commits->length * 0.95)
			continue;
		total += others;
		seen += commits->commit[i].siblings - committing;
	}
	fit->load->xid_share = total > 0 ? Max(0, Min(seen / total, 1)) : 0.5;
	pfree(end);
}

/*----------------------------------------------------------------
 * From the sample to a load
 *----------------------------------------------------------------
 */

static void
fill_cycles(WhatifFit *fit)
{
	WhatifLoad *load = fit->load;
	LoadCycle  *cycle = palloc0(Max(fit->ncycles, 1) * sizeof(LoadCycle));
	int		   *first = palloc((SAMPLE_BLOCKS + 1) * sizeof(int));
	int			next = 0;		/* of first */

	qsort(fit->cycle, fit->ncycles, sizeof(Cycle), sample_compare);
	for (int i = 0; i < fit->ncycles; i++)
	{
		while (next <= fit->cycle[i].block)
			first[next++] = i;
		cycle[i].wake = fit->cycle[i].wake_work;
		cycle[i].work = fit->cycle[i].work;
		cycle[i].prepares = !fit->commits.commit[fit->cycle[i].to].is_commit;
	}
	while (next <= SAMPLE_BLOCKS)
		first[next++] = fit->ncycles;
	load->nclients = fit->nsessions;
	load->ncycles = fit->ncycles;
	load->cycle = cycle;
	load->first = first;
}

/* Copies the excess of sleeps, us, and returns the median. */
static double
copy_slack(WhatifLoad *load, const double *slack, int nslack)
{
	double	   *value = palloc(Max(nslack, 1) * sizeof(double));

	memcpy(value, slack, nslack * sizeof(double));
	load->slack.n = nslack;
	load->slack.value = value;
	return quantile(value, nslack, 0.5);
}

/*
 * The load that a sample shows, palloc'd.  Returns false if the sample says
 * too little.
 */
bool
whatif_fit(const TracedCommit *commit, int n, uint64 started_at, uint64 ended_at,
		   const double *slack, int nslack, const CpuUsage *cpus,
		   WhatifLoad *load, FitSummary *summary)
{
	WhatifFit	fit = {.cpus = *cpus,.load = load,.summary = summary};

	memset(load, 0, sizeof(WhatifLoad));
	memset(summary, 0, sizeof(FitSummary));
	sample_commits_make(&fit.commits, commit, n, started_at, ended_at);
	sample_flushes_make(&fit.flushes, &fit.commits,
						copy_slack(load, slack, nslack));
	find_cycles(&fit);
	fit.change = palloc(Max(4 * fit.ncycles, 1) * sizeof(Change));
	if (fit.ncycles >= MIN_VALUES)
	{
		find_kind(&fit);
		find_cores(&fit);
		find_xid_share(&fit);
		sample_quota_find(&fit.flushes, fit.commits.length, load);
	}
	fill_cycles(&fit);
	sample_flushes_fill(&fit.flushes, load);
	load->nblocks = SAMPLE_BLOCKS;
	load->block_length = fit.commits.length / SAMPLE_BLOCKS;
	summary->nflushes = fit.flushes.n;
	return fit.ncycles >= MIN_VALUES && fit.flushes.n >= MIN_VALUES;
}
