/*-------------------------------------------------------------------------
 *
 * whatif_fit.c
 *		From traced commits to a load that can be simulated.
 *
 *	gap			the part of a leader's time since its flush could begin that is
 *				neither I/O nor sleep
 *	handoff		the gap, if the leader had waited for the previous flush
 *	approach	the gap, if it had not
 *	cycle		of a session: from the end of a flush that carried its commit
 *				to the beginning of its next commit
 *	work		of a cycle: the time that it would take a session that works
 *				alone
 *	open load	transactions begin by themselves, and not when a client has
 *				committed
 *	block		one of SAMPLE_BLOCKS equal parts of the sample
 *
 * The device.  A traced commit knows its flush group and whether it led the
 * group, but not when the leader took the WAL write lock.  The leader took the
 * lock neither before its own commit began nor before the previous flush
 * ended, and the flush was over when the first commit that it carried was
 * done.  Flushes that waited for the next window of the device's quota do not
 * count as flush times, nor do those that something else made stall, which are
 * pauses.  Other stalls are flush times like any other.
 *
 * The sessions.  Another commit_delay leaves the length of cycles as it is,
 * unless sessions kept the CPUs busy; see work_speed().  A PREPARE TRANSACTION
 * ends a cycle, and begins one, as a commit does.
 *
 * In an open load, sessions are idle for longer than they work, and a longer
 * commit leaves less time until the next transaction.  Where each client
 * continues when it has committed, a longer commit leaves as much time or
 * more.
 *
 * Locking: none, nor SQL.  A fit can be cancelled while it sorts and while it
 * adds up work.  Other passes are over at most as many commits as
 * commit_trace.c keeps, or as many groups as have a number.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "base/clock.h"
#include "base/wal_device.h"
#include "whatif/whatif.h"

#define SAMPLE_BLOCKS	100
#define LEAST_STALL		0.05	/* of a window; as GRID of spacing.c */
#define MIN_VALUES		20		/* fewer cycles or flushes tell nothing */
#define BUSY_SHARE		0.8		/* of the time for which the sessions could
								 * have used the CPUs */
#define OWN_SHARE		0.3		/* ... in which they did; clients may be on
								 * the same machine */
#define BLOCKED_PARTS	20		/* parts of the sample */
#define OPEN_SLOPE		(-0.1)	/* between -1, open, and 0, closed */

/* A flush whose leader is in the sample.  Times are us of the sample. */
typedef struct Flush
{
	double		done_at;		/* comes first, for compare_doubles() */
	const TracedCommit *leader;
	double		io_time;		/* write and sync; with the gap if not timed */
	double		gap;
	int			carried;		/* commits and prepares */
	bool		waited;			/* its leader waited for the previous flush */
	bool		stalled;		/* a quota made it wait; set last */
} Flush;

/* From one commit of a session to its next */
typedef struct Cycle
{
	double		flushed_at;		/* end of the flush of the first commit; comes
								 * first, for compare_doubles() */
	double		awake_at;		/* the first commit returned */
	double		began_at;		/* the next transaction began */
	double		commits_at;		/* the next commit began */
	const TracedCommit *from;
	const TracedCommit *to;
	int			group;
	double		wake;
	LoadCycle	load;
} Cycle;

/* A moment at which the number of sessions that work changes */
typedef struct Change
{
	double		at;				/* comes first, for compare_doubles() */
	int			by;
	int			blocked;		/* sessions that waited for locks until then */
	int			working;		/* sessions that worked until then */
	double	   *work;			/* that ends, or begins */
} Change;

/* Everything that the fit finds out; palloc'd */
typedef struct WhatifFit
{
	CommitTrace *trace;			/* its commits by time of their beginning */
	double		length;			/* of the sample */
	double	   *flushed_at;		/* of each commit: end of its flush */
	int			nflushes;
	Flush	   *flush;
	double		usual;			/* median time of a flush */
	int			ncycles;
	Cycle	   *cycle;			/* by session, later by time */
	int		   *others;			/* that do not commit as each commit begins */
	int			nchanges;
	Change	   *change;
	WhatifLoad *load;
} WhatifFit;

static double
sample_time(const WhatifFit *fit, uint64 ns)
{
	return ((double) ns - (double) fit->trace->started_at) / 1000.0;
}

static int
sample_block(const WhatifFit *fit, double at)
{
	int			block = (int) (at * SAMPLE_BLOCKS / fit->length);

	return Max(0, Min(block, SAMPLE_BLOCKS - 1));
}

/* Counts n more values, which come in the order of their times. */
static void
add_to_blocks(const WhatifFit *fit, Blocks *blocks, double at, int n)
{
	if (blocks->first == NULL)
		blocks->first = palloc0((SAMPLE_BLOCKS + 1) * sizeof(int));
	blocks->n += n;
	for (int b = sample_block(fit, at) + 1; b <= SAMPLE_BLOCKS; b++)
		blocks->first[b] = blocks->n;
}

/* Orders structs by the two numbers that they begin with. */
static int
compare_two(const void *a, const void *b)
{
	const uint64 *x = a;
	const uint64 *y = b;
	int			i = x[0] == y[0] ? 1 : 0;

	CHECK_FOR_INTERRUPTS();
	return (x[i] > y[i]) - (x[i] < y[i]);
}

/*---- Flushes -----------------------------------------------------*/

/* A flush ended when the first commit that it carried was done. */
static void
find_flush_ends(WhatifFit *fit)
{
	const TracedCommit *commit = fit->trace->commit;
	double	   *end = palloc((GROUP_NUMBER_MASK + 1) * sizeof(double));

	/* of each group */
	for (uint64 group = 0; group <= GROUP_NUMBER_MASK; group++)
		end[group] = INFINITY;
	fit->flushed_at = palloc(Max(fit->trace->n, 1) * sizeof(double));
	for (int i = 0; i < fit->trace->n; i++)
	{
		double	   *of_group = &end[commit[i].group & GROUP_NUMBER_MASK];

		fit->flushed_at[i] = sample_time(fit, commit[i].ended_at);
		if (commit[i].group != InvalidGroupNumber)
			*of_group = Min(*of_group, fit->flushed_at[i]);
	}
	for (int i = 0; i < fit->trace->n; i++)
		if (commit[i].group != InvalidGroupNumber)
			fit->flushed_at[i] = end[commit[i].group & GROUP_NUMBER_MASK];
	pfree(end);
}

/*
 * Measures a flush that follows "before", or null.  Its leader slept if some
 * leaders do, and the time besides the I/O has room for the sleep.
 */
static void
measure_flush(const WhatifFit *fit, Flush *flush, const Flush *before,
			  bool some_sleep)
{
	const TracedCommit *leader = flush->leader;
	double		earliest = sample_time(fit, leader->started_at);
	double		sleep = some_sleep && leader->delay > 0 ?
	leader->delay + fit->load->slack : 0;

	flush->waited = before != NULL && before->done_at > earliest;
	if (flush->waited)
		earliest = before->done_at;
	flush->io_time = leader->timed ? leader->io_time / 1000.0 : 0;
	flush->gap = Max(flush->done_at - earliest - flush->io_time, 0);
	if (flush->gap >= sleep * (leader->timed ? 0.9 : 1))
		flush->gap = Max(flush->gap - sleep, 0);
	if (!leader->timed)
	{
		flush->io_time = flush->gap;
		flush->gap = 0;
	}
}

static void
find_flushes(WhatifFit *fit)
{
	int			n = fit->trace->n;
	double	   *at = palloc(Max(n, 1) * sizeof(double));
	int			c = 0;
	bool		some_sleep = false;

	fit->flush = palloc0(Max(n, 1) * sizeof(Flush));
	for (int i = 0; i < n; i++)
	{
		const TracedCommit *it = &fit->trace->commit[i];

		/* the siblings that a leader needs, some commit saw */
		some_sleep |= it->delay > 0 && it->siblings >= it->threshold;
		if (it->led)
		{
			fit->flush[fit->nflushes].leader = it;
			fit->flush[fit->nflushes++].done_at = fit->flushed_at[i];
		}
	}
	qsort(fit->flush, fit->nflushes, sizeof(Flush), compare_doubles);
	for (int i = 0; i < fit->nflushes; i++)
		measure_flush(fit, &fit->flush[i], i > 0 ? &fit->flush[i - 1] : NULL,
					  some_sleep);

	/* the commits of each */
	memcpy(at, fit->flushed_at, n * sizeof(double));
	qsort(at, n, sizeof(double), compare_doubles);
	for (int i = 0; i < fit->nflushes; i++)
		for (; c < n && at[c] <= fit->flush[i].done_at; c++)
			fit->flush[i].carried += at[c] == fit->flush[i].done_at;
}

/*
 * Marks the flushes that a quota made wait, and fills it in.  Where the delay
 * adapts to one, the load has it, and the few long stalls that are left are
 * its.
 */
static void
find_quota(WhatifFit *fit)
{
	DeviceStall *stall = palloc0(fit->nflushes * sizeof(DeviceStall));
	double	   *time = palloc(fit->nflushes * sizeof(double));
	double		wal = 0;
	int			n = 0;
	DeviceQuota quota;
	WhatifLoad *load = fit->load;

	for (int i = 0; i < fit->nflushes; i++)
		time[i] = fit->flush[i].io_time;
	fit->usual = quantile(time, fit->nflushes, 0.5);
	for (int i = 0; i < fit->nflushes; i++)
	{
		const Flush *it = &fit->flush[i];

		wal += (double) it->leader->wal_pages * XLOG_BLCKSZ;
		if (it->io_time > wal_device_stall_limit(fit->usual))
			stall[n++] = (DeviceStall)
		{
			.flush = i,.ended_at = it->done_at,.length = it->io_time,
				.wal_end = wal,.explained = it->leader->beside
		};
	}
	load->wal = wal / XLOG_BLCKSZ / fit->trace->n;
	if (!wal_device_find_quota(stall, n, fit->length / 10, &quota))
	{
		for (int i = 0; i < n; i++)
			fit->flush[stall[i].flush].stalled =
				stall[i].length >= LEAST_STALL * load->window && load->window > 0;
		return;
	}
	load->window = quota.window;
	load->of_wal = quota.of_bytes;
	load->unclear = quota.of_bytes && quota.of_flushes;
	for (int i = 0; i < n; i++)
		fit->flush[stall[i].flush].stalled = stall[i].of_quota;
	if (quota.of_bytes)
	{
		/* the quota is why pages take time */
		load->page_time = 0;
		load->quota = quantile(quota.bytes, quota.nbytes, 0.5) / XLOG_BLCKSZ;
	}
	else
	{
		load->quota = 0;
		for (int i = 0; i < quota.n; i++)
			load->quota += quota.flushes[i] / quota.n;
	}
}

static void
add_value(const WhatifFit *fit, Distribution *it, double value, double at)
{
	if (it->value == NULL)
		it->value = palloc(fit->nflushes * sizeof(double));
	it->value[it->blocks.n] = value;
	add_to_blocks(fit, &it->blocks, at, 1);
}

static void
fill_flushes(WhatifFit *fit)
{
	double	   *pages = palloc(fit->nflushes * sizeof(double));
	int		   *carried = palloc(fit->nflushes * sizeof(int));

	for (int i = 0; i < fit->nflushes; i++)
	{
		const Flush *it = &fit->flush[i];

		if (it->leader->beside)
		{
			/* a new segment is made before the write */
			add_value(fit, &fit->load->pause,
					  Max(it->gap + it->io_time - fit->usual, 0), it->done_at);
			continue;
		}
		if (!it->stalled)
		{
			pages[fit->load->flush.blocks.n] = it->leader->wal_pages;
			carried[fit->load->flush.blocks.n] = it->carried;
			add_value(fit, &fit->load->flush, it->io_time, it->done_at);
		}
		add_value(fit, it->waited ? &fit->load->handoff : &fit->load->approach,
				  it->gap, it->done_at);
	}
	fit->load->pages = pages;
	fit->load->carried = carried;
}

/*---- Cycles ------------------------------------------------------*/

/*
 * A session belongs to the group of its first commit.  Sessions that commit
 * once count, but in a group of such sessions alone.
 */
static void
find_cycles(WhatifFit *fit)
{
	WhatifLoad *load = fit->load;
	uint64	   *order = palloc(Max(fit->trace->n, 1) * sizeof(uint64));
	int			group = 0;

	/* by session, and then by their beginning */
	for (int i = 0; i < fit->trace->n; i++)
		order[i] = (uint64) fit->trace->commit[i].pid << 32 | i;
	qsort(order, fit->trace->n, sizeof(uint64), compare_uint64s);
	fit->cycle = palloc0(Max(fit->trace->n, 1) * sizeof(Cycle));
	for (int i = 0; i < fit->trace->n; i++)
	{
		const TracedCommit *to = &fit->trace->commit[(uint32) order[i]];
		uint32		from = (uint32) order[Max(i - 1, 0)];
		Cycle	   *cycle;

		if (i == 0 || order[i] >> 32 != order[i - 1] >> 32)
		{
			group = to->rank;
			load->ngroups = Max(load->ngroups, group + 1);
			load->group[group].nclients++;
			load->nclients++;
			continue;
		}
		cycle = &fit->cycle[fit->ncycles++];
		cycle->group = group;
		cycle->from = &fit->trace->commit[from];
		cycle->to = to;
		cycle->flushed_at = fit->flushed_at[from];
		cycle->awake_at = sample_time(fit, cycle->from->ended_at);
		cycle->commits_at = Max(sample_time(fit, to->started_at), cycle->awake_at);
		cycle->began_at = Max(cycle->commits_at - to->age, cycle->awake_at);
		cycle->load.prepares = !to->is_commit;
		cycle->load.notifies = to->has_notify;
		cycle->load.party = to->party;
		load->group[group].cycles.n++;
	}
}

/*
 * An open group has sessions that are idle for longer than they work, and a
 * slope below OPEN_SLOPE, by twice its standard error, in a regression of the
 * time until the next commit on the latency of the last one.
 */
static void
find_kind(WhatifFit *fit, int g)
{
	double		n = fit->load->group[g].cycles.n;
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
		double		latency = cycle->flushed_at -
		sample_time(fit, cycle->from->started_at);
		double		next = cycle->commits_at - cycle->flushed_at;

		if (cycle->group != g)
			continue;
		x += latency / n;
		y += next / n;
		xx += latency * latency / n;
		xy += latency * next / n;
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
		/* each cycle begins with a commit, and each client with one more */
		fit->load->group[g].arrivals = (n + fit->load->group[g].nclients) /
			fit->length;
}

/* The wake-ups of flushes that carried several sessions */
static void
fill_wakeups(WhatifFit *fit)
{
	WakeUp	   *wakeup = palloc(fit->ncycles * sizeof(WakeUp));
	int			n = 0;

	for (int from = 0, to; from < fit->ncycles; from = to)
	{
		double		flushed_at = fit->cycle[from].flushed_at;
		int			before = n;

		to = from + 1;
		while (to < fit->ncycles && fit->cycle[to].flushed_at == flushed_at)
			to++;
		for (int i = from; i < to && to - from > 1; i++)
			wakeup[n++] = (WakeUp)
		{
			fit->cycle[i].wake, before, to - from
		};
		add_to_blocks(fit, &fit->load->wakeups, flushed_at, n - before);
	}
	fit->load->wakeup = wakeup;
}

static void
fill_cycles(WhatifFit *fit)
{
	WhatifLoad *load = fit->load;

	qsort(fit->cycle, fit->ncycles, sizeof(Cycle), compare_doubles);
	fill_wakeups(fit);
	for (int g = 0; g < load->ngroups; g++)
	{
		LoadGroup  *group = &load->group[g];

		group->cycle = palloc(group->cycles.n * sizeof(LoadCycle));
		group->cycles.n = 0;
		for (int i = 0; i < fit->ncycles; i++)
			if (fit->cycle[i].group == g)
			{
				group->cycle[group->cycles.n] = fit->cycle[i].load;
				add_to_blocks(fit, &group->cycles, fit->cycle[i].flushed_at, 1);
			}
		if (group->cycles.n == 0)
		{
			/* nothing is known of these sessions */
			load->nclients -= group->nclients;
			group->nclients = 0;
		}
	}
}

/*---- Sessions that work ------------------------------------------*/

/* A session does "work"; so many others waited for locks then. */
static void
add_span(WhatifFit *fit, double from, double to, int blocked_from,
		 int blocked_to, double *work)
{
	if (to <= from)
		return;
	fit->change[fit->nchanges++] = (Change)
	{
		.at = from,.by = 1,.blocked = blocked_from,.work = work
	};
	fit->change[fit->nchanges++] = (Change)
	{
		.at = to,.by = -1,.blocked = blocked_to,.work = work
	};
}

/*
 * Counts the sessions of the sample that do not commit as each commit begins.
 * If more are blocked, these are others, as many as hardly ever are fewer.
 */
static void
find_others(WhatifFit *fit)
{
	TracedCommit *commit = fit->trace->commit;
	int			n = fit->trace->n;
	double	   *end = palloc(n * sizeof(double));
	double	   *excess = palloc(n * sizeof(double));
	double	   *blocked = palloc(n * sizeof(double));
	int			done = 0;
	int			strangers;

	fit->others = palloc(n * sizeof(int));
	for (int i = 0; i < n; i++)
		end[i] = sample_time(fit, commit[i].ended_at);
	qsort(end, n, sizeof(double), compare_doubles);
	for (int i = 0; i < n; i++)
	{
		while (done < n && end[done] < sample_time(fit, commit[i].started_at))
			done++;
		fit->others[i] = fit->load->nclients - 1 - (i - done);
		blocked[i] = commit[i].blocked;
		excess[i] = Max(blocked[i] - fit->others[i], 0);
	}
	strangers = (int) Min(quantile(excess, n, 0.95), quantile(blocked, n, 0.05));
	for (int i = 0; i < n; i++)
	{
		commit[i].blocked -= Min(commit[i].blocked, strangers);
		commit[i].blocked_after -= Min(commit[i].blocked_after, strangers);
	}
}

/*
 * Finds the sessions that worked until each change.  In an open load, the time
 * between transactions is not work.  Commits that a flush carried counted the
 * blocked sessions one after the other, while some of these already continued;
 * the highest count is right.
 */
static void
find_changes(WhatifFit *fit)
{
	Change	   *change;
	int			present = 0;

	fit->change = change = palloc(4 * fit->ncycles * sizeof(Change));
	for (int i = 0; i < fit->ncycles; i++)
	{
		Cycle	   *cycle = &fit->cycle[i];
		int			freed = cycle->from->blocked_after;
		int			blocked = cycle->to->blocked;
		bool		open = fit->load->group[cycle->group].arrivals > 0;

		add_span(fit, cycle->flushed_at, cycle->awake_at, freed, freed,
				 &cycle->wake);
		add_span(fit, open ? cycle->began_at : cycle->awake_at,
				 cycle->commits_at, open ? blocked : freed, blocked,
				 &cycle->load.work);
	}
	qsort(change, fit->nchanges, sizeof(Change), compare_doubles);
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

/*
 * Sets how many sessions can work without slowing down: all of them, unless
 * the CPUs were busy whenever sessions worked, and these computed rather than
 * waited for their clients while other programs kept the CPUs busy.
 */
static void
find_cores(const WhatifFit *fit, const CpuUsage *cpus)
{
	double		could = 0;
	double		computed = 0;

	for (int i = 0; i < fit->ncycles; i++)
		computed += fit->cycle[i].to->cpu_time / 1000.0;
	for (int i = 1; i < fit->nchanges; i++)
		could += (fit->change[i].at - fit->change[i - 1].at) *
			Min(fit->change[i].working, cpus->n);
	fit->load->cores = fit->load->nclients;
	if (cpus->n > 0 && cpus->busy >= BUSY_SHARE * could &&
		computed >= OWN_SHARE * could)
		fit->load->cores = Min(fit->load->nclients, cpus->n);
}

/*
 * Measures the work of each cycle: what one session could do alone.  The
 * sample does not say which sessions were blocked, so each bears an equal
 * share.
 *
 * Returns the number of sessions that are blocked, as the median over parts of
 * the sample; sets *blocked to the mean.  The mean includes waits for
 * deadlock_timeout, in which nearly all sessions come to wait; these are rare,
 * and do not depend on commit_delay.
 */
static double
measure_work(const WhatifFit *fit, double *blocked)
{
	double		part[BLOCKED_PARTS] = {0};
	double		sum = 0;

	*blocked = 0;
	for (int i = 1; i < fit->nchanges; i++)
	{
		const Change *this = &fit->change[i];
		double		elapsed = this->at - this[-1].at;
		double		share = elapsed * this->blocked / fit->length;

		CHECK_FOR_INTERRUPTS();
		if (this->working > 0)
			sum += elapsed * work_speed(fit->load->cores, this->working) *
				this->working / (this->working + this->blocked);
		*this->work -= this->by * sum;
		*blocked += share;
		part[sample_block(fit, this->at) * BLOCKED_PARTS / SAMPLE_BLOCKS] +=
			share * BLOCKED_PARTS;
	}
	return quantile(part, BLOCKED_PARTS, 0.5);
}

/*
 * Sets the share of the time beside commits in which sessions have an xid.  In
 * open loads, that time includes idle sessions.  Siblings beyond the sessions
 * of the sample do not commit.
 */
static void
find_xid_share(const WhatifFit *fit)
{
	int			n = fit->trace->n;
	double		seen = 0;
	double		total = 0;

	for (int i = 0; i < n; i++)
	{
		const TracedCommit *it = &fit->trace->commit[i];

		total += Max(fit->others[i] - it->blocked, 0);
		seen += it->siblings - (fit->load->nclients - 1 - fit->others[i]);
	}
	fit->load->xid_share = total > 0 ? Max(0, Min(seen / total, 1)) : 0.5;
	fit->load->strangers = (int) rint(Max(seen - total, 0) / n);
}

/*
 * Makes the load that a sample shows, palloc'd.  load->delay, siblings and
 * slack are those of the sample already, and the quota, if one is known.
 * Sorts the commits of "trace", and sets *blocked to the mean number of
 * sessions that waited for locks.  Returns false if the sample says too
 * little: then the load has the number of clients and the lengths of its
 * arrays.
 */
bool
whatif_fit(CommitTrace *trace, const CpuUsage *cpus, WhatifLoad *load,
		   double *blocked)
{
	WhatifFit	fit = {.trace = trace,.load = load};
	double		usually_blocked;

	fit.length = clock_elapsed(trace->started_at, trace->ended_at) / 1000.0;
	qsort(trace->commit, trace->n, sizeof(TracedCommit), compare_two);
	find_flush_ends(&fit);
	find_flushes(&fit);
	find_cycles(&fit);
	load->nblocks = SAMPLE_BLOCKS;
	load->block_length = fit.length / SAMPLE_BLOCKS;
	if (fit.ncycles < MIN_VALUES || fit.nflushes < MIN_VALUES)
	{
		load->flush.blocks.n = fit.nflushes;
		return false;
	}
	for (int g = 0; g < load->ngroups; g++)
		find_kind(&fit, g);
	find_others(&fit);
	find_changes(&fit);
	find_cores(&fit, cpus);
	usually_blocked = measure_work(&fit, blocked);
	find_xid_share(&fit);
	find_quota(&fit);
	fill_cycles(&fit);
	fill_flushes(&fit);
	whatif_find_conflict(load, usually_blocked);
	return true;
}
