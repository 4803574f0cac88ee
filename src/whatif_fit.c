/*-------------------------------------------------------------------------
 *
 * whatif_fit.c
 *		From traced commits to a load that can be simulated.
 *
 * Cycles.  A session's cycle goes from the end of one flush that carried its
 * commit to the beginning of its next commit.  What it did meanwhile took the
 * longer the more others were at work.  So time is turned into work: while n
 * sessions work, each does min(1, cores / n) of what it could alone, and "cores"
 * is the number for which the work of a cycle does not depend any more on how
 * many were at work as it began.  Sleeping clients make it large.
 *
 * Open loads.  Where transactions come by themselves, a session whose commit
 * took longer has the less time until its next transaction; where each client
 * goes on by itself, that time does not depend on how long the commit took, or
 * grows with it.
 *
 * The device.  Flush times are drawn as they were seen after as long a rest.  A
 * volume with a quota serves flushes at full speed until the quota of a window of
 * time is used up, and then not until the window is over.  So there are flushes
 * much longer than most, and they end a whole number of windows after each other.
 * If they do, window and quota are told from them, and they are left out of the
 * flush times to draw from.
 *
 * The handoff.  How long one who waited takes until it has the WAL lock is not seen
 * where a newcomer was quicker; then it is at least so long.
 *
 * This room knows neither SQL nor shared memory: it computes.
 *
 * src/whatif_fit.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "whatif_fit.h"

#define MIN_CYCLES		20		/* fewer tell nothing */
#define OPEN_SLOPE		(-0.1)	/* between -1, open, and 0, closed */

/* From one commit of a session to its next. */
typedef struct Cycle
{
	double		flushed_at;		/* us: the flush was done */
	double		awake_at;		/* it knew */
	double		began_at;		/* its next transaction began */
	double		commits_at;		/* it commits again */
	double		latency;		/* of the commit before */
	double		company;		/* sessions at work as it began */
	double		wake_work;		/* work until awake_at */
	double		work;			/* ... and from then on, without idle time */
	int			session;
	int			block;
} Cycle;

/* A flush that was led by a commit. */
typedef struct Flush
{
	double		done_at;		/* us */
	double		io_time;		/* us; of all since "earliest" if not timed */
	double		rest;			/* from the end of the flush before to its I/O */
	double		gap;			/* from when it could begin to its I/O */
	double		sleep;			/* that it could have slept, and the usual
								 * slack */
	double		since_last;		/* ... and what that would have been, had it
								 * not overtaken others */
	double		first_start;	/* of the commits that it carried */
	bool		waited;			/* for the flush before it */
	bool		overtook;		/* did not, but others it carried had */
	bool		stall;			/* the quota made it wait */
	int			block;
} Flush;

/* A moment at which the number of sessions at work changes. */
typedef struct Change
{
	double		at;
	int			by;
} Change;

struct WhatifFit
{
	int			ncommits;
	TracedCommit *commit;		/* by time of their beginning */
	double	   *flushed_at;		/* of each commit, us from "origin" */
	double	   *first_start;	/* of those in the same flush */
	uint64		origin;
	double		length;			/* of the sample, us */
	int			nsessions;
	int			ncycles;
	Cycle	   *cycle;			/* by session, later by time */
	int			nflushes;
	Flush	   *flush;			/* by time */
	int			nchanges;
	Change	   *change;
	int			nslack;
	double	   *slack;
	double		usual_slack;
	double		cores;
	double		xid_share;
	double		window;
	double		arrivals;
	FitSummary	summary;
};

/*----------------------------------------------------------------
 * Small tools
 *----------------------------------------------------------------
 */

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* Reorders the values. */
static double
quantile(double *value, int n, double q)
{
	if (n == 0)
		return 0;
	qsort(value, n, sizeof(double), compare_doubles);
	return value[Min((int) (q * n), n - 1)];
}

/* Sums for a regression of y on x. */
typedef struct Regression
{
	double		n,
				x,
				y,
				xx,
				xy,
				yy;
} Regression;

static void
regress(Regression *r, double x, double y)
{
	r->n++;
	r->x += x;
	r->y += y;
	r->xx += x * x;
	r->xy += x * y;
	r->yy += y * y;
}

static double
covariance(const Regression *r)
{
	return r->xy / r->n - r->x / r->n * (r->y / r->n);
}

static double
variance_of_x(const Regression *r)
{
	return r->xx / r->n - r->x / r->n * (r->x / r->n);
}

/* The slope, and its standard error. */
static double
slope(const Regression *r, double *error)
{
	double		vx = variance_of_x(r);
	double		vy = r->yy / r->n - r->y / r->n * (r->y / r->n);
	double		b = vx > 0 ? covariance(r) / vx : 0;

	*error = vx > 0 ? sqrt(Max(vy - b * b * vx, 0) / vx / r->n) : INFINITY;
	return b;
}

static double
to_us(const WhatifFit *fit, uint64 ns)
{
	return ((double) ns - (double) fit->origin) / 1000.0;
}

static int
block_of(const WhatifFit *fit, double at)
{
	int			block = (int) (at * FIT_BLOCKS / fit->length);

	return Max(0, Min(block, FIT_BLOCKS - 1));
}

/*----------------------------------------------------------------
 * Commits and flushes
 *----------------------------------------------------------------
 */

static int
compare_starts(const void *a, const void *b)
{
	const TracedCommit *x = a;
	const TracedCommit *y = b;

	return (x->started_at > y->started_at) - (x->started_at < y->started_at);
}

/* A commit's place in an order by something. */
typedef struct Place
{
	uint64		key;
	uint64		second;
	int			index;
} Place;

static int
compare_places(const void *a, const void *b)
{
	const Place *x = a;
	const Place *y = b;

	if (x->key != y->key)
		return x->key > y->key ? 1 : -1;
	return (x->second > y->second) - (x->second < y->second);
}

static void
put_place(Place *place, uint64 key, uint64 second, int index)
{
	place->key = key;
	place->second = second;
	place->index = index;
}

static bool
same_flush(const WhatifFit *fit, int i, int j)
{
	return fit->commit[i].group != InvalidGroupNumber &&
		fit->commit[i].group == fit->commit[j].group;
}

/*
 * When was the flush done that carried a commit?  When the first of those that
 * it carried was done.
 */
static void
find_flush_ends(WhatifFit *fit)
{
	int			n = fit->ncommits;
	Place	   *order = palloc(n * sizeof(Place));

	for (int i = 0; i < n; i++)
		put_place(&order[i], fit->commit[i].group, fit->commit[i].ended_at, i);
	qsort(order, n, sizeof(Place), compare_places);
	for (int i = 0; i < n; i++)
	{
		int			this = order[i].index;
		double		ended = to_us(fit, fit->commit[this].ended_at);

		/* a group whose end nobody saw is merged with the next one */
		if (i > 0 && same_flush(fit, this, order[i - 1].index) &&
			fit->flushed_at[order[i - 1].index] >=
			to_us(fit, fit->commit[this].started_at))
			fit->flushed_at[this] = fit->flushed_at[order[i - 1].index];
		else
			fit->flushed_at[this] = ended;
	}
	for (int i = n - 1, j; i >= 0; i = j)
	{
		double		first = INFINITY;

		for (j = i; j >= 0 && fit->flushed_at[order[j].index] ==
			 fit->flushed_at[order[i].index]; j--)
			first = Min(first, to_us(fit, fit->commit[order[j].index].started_at));
		for (int k = j + 1; k <= i; k++)
			fit->first_start[order[k].index] = first;
	}
	pfree(order);
}

static int
compare_flushes(const void *a, const void *b)
{
	const Flush *x = a;
	const Flush *y = b;

	return (x->done_at > y->done_at) - (x->done_at < y->done_at);
}

/* The time that a leader held the lock, or could have. */
static void
measure_flush(Flush *flush, const Flush *before,
			  double started_at, bool timed)
{
	double		earliest = started_at;

	flush->waited = before != NULL && before->done_at > started_at;
	if (flush->waited)
		earliest = before->done_at;
	flush->overtook = before != NULL && !flush->waited &&
		flush->first_start < before->done_at;
	flush->gap = Max(flush->done_at - earliest - flush->io_time, 0);
	if (flush->overtook)
		flush->since_last = Max(flush->done_at - before->done_at -
								flush->io_time, 0);
	if (!timed)
	{
		flush->io_time = Max(flush->done_at - earliest, 0);
		flush->gap = 0;
		if (flush->sleep > 0 && flush->io_time >= flush->sleep)
			flush->io_time -= flush->sleep;
	}
	else if (flush->sleep > 0 && flush->gap >= flush->sleep * 0.9)
	{
		flush->gap = Max(flush->gap - flush->sleep, 0);
		flush->since_last = Max(flush->since_last - flush->sleep, 0);
	}
	if (before != NULL)
		flush->rest = flush->done_at - flush->io_time - before->done_at;
}

/*
 * Where a newcomer overtook those who waited, all that is known of how long they
 * would have taken is that it is longer.  Say as long as another one that is.
 */
static void
impute_handoffs(WhatifFit *fit)
{
	double	   *seen = palloc(Max(fit->nflushes, 1) * sizeof(double));
	int			n = 0;

	for (int i = 0; i < fit->nflushes; i++)
		if (fit->flush[i].waited)
			seen[n++] = fit->flush[i].gap;
	qsort(seen, n, sizeof(double), compare_doubles);
	for (int i = 0; i < fit->nflushes; i++)
	{
		Flush	   *flush = &fit->flush[i];
		int			longer = 0;

		if (!flush->overtook)
			continue;
		while (longer < n && seen[longer] <= flush->since_last)
			longer++;
		/* any of these; they were not sorted by i */
		if (longer < n)
			flush->since_last = seen[longer + i % (n - longer)];
	}
	pfree(seen);
}

static void
find_flushes(WhatifFit *fit)
{
	int			n = 0;

	fit->flush = palloc0(fit->ncommits * sizeof(Flush));
	for (int i = 0; i < fit->ncommits; i++)
	{
		const TracedCommit *commit = &fit->commit[i];
		Flush	   *flush = &fit->flush[n];

		if (!commit->led)
			continue;
		flush->done_at = fit->flushed_at[i];
		flush->first_start = fit->first_start[i];
		flush->sleep = commit->delay > 0 ? commit->delay + fit->usual_slack : 0;
		flush->io_time = commit->timed ? commit->io_time / 1000.0 : 0;
		flush->gap = to_us(fit, commit->started_at);	/* for now */
		flush->stall = commit->timed;	/* likewise */
		n++;
	}
	fit->nflushes = n;
	qsort(fit->flush, n, sizeof(Flush), compare_flushes);
	for (int i = 0; i < n; i++)
	{
		Flush	   *flush = &fit->flush[i];
		bool		timed = flush->stall;

		flush->stall = false;
		flush->block = block_of(fit, flush->done_at);
		measure_flush(flush, i > 0 ? flush - 1 : NULL, flush->gap, timed);
	}
	impute_handoffs(fit);
}

/*----------------------------------------------------------------
 * Cycles
 *----------------------------------------------------------------
 */

static void
add_cycle(WhatifFit *fit, int from, int to, int session)
{
	const TracedCommit *a = &fit->commit[from];
	const TracedCommit *b = &fit->commit[to];
	Cycle	   *cycle = &fit->cycle[fit->ncycles++];

	cycle->flushed_at = fit->flushed_at[from];
	cycle->awake_at = to_us(fit, a->ended_at);
	cycle->commits_at = Max(to_us(fit, b->started_at), cycle->awake_at);
	cycle->began_at = Max(cycle->commits_at - b->age, cycle->awake_at);
	cycle->latency = cycle->flushed_at - to_us(fit, a->started_at);
	cycle->session = session;
	cycle->block = block_of(fit, cycle->flushed_at);
}

static void
find_cycles(WhatifFit *fit)
{
	int			n = fit->ncommits;
	Place	   *order = palloc(n * sizeof(Place));

	for (int i = 0; i < n; i++)
		put_place(&order[i], fit->commit[i].pid, fit->commit[i].started_at, i);
	qsort(order, n, sizeof(Place), compare_places);
	fit->cycle = palloc0(n * sizeof(Cycle));
	for (int i = 0; i < n; i++)
	{
		if (i == 0 || order[i].key != order[i - 1].key)
			fit->nsessions++;
		else
			add_cycle(fit, order[i - 1].index, order[i].index,
					  fit->nsessions - 1);
	}
	pfree(order);
}

/*----------------------------------------------------------------
 * Who was at work when
 *----------------------------------------------------------------
 */

static int
compare_changes(const void *a, const void *b)
{
	const Change *x = a;
	const Change *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void
put_change(Change *change, double at, int by)
{
	change->at = at;
	change->by = by;
}

static void
add_span(WhatifFit *fit, double from, double to)
{
	if (to <= from)
		return;
	put_change(&fit->change[fit->nchanges++], from, 1);
	put_change(&fit->change[fit->nchanges++], to, -1);
}

/* In an open load, the time between transactions is not work. */
static void
find_changes(WhatifFit *fit)
{
	fit->nchanges = 0;
	for (int i = 0; i < fit->ncycles; i++)
	{
		const Cycle *cycle = &fit->cycle[i];

		if (fit->summary.open)
		{
			add_span(fit, cycle->flushed_at, cycle->awake_at);
			add_span(fit, cycle->began_at, cycle->commits_at);
		}
		else
			add_span(fit, cycle->flushed_at, cycle->commits_at);
	}
	qsort(fit->change, fit->nchanges, sizeof(Change), compare_changes);
}

/* Sums over time of what one session gets done, up to each change. */
static void
add_up_speed(const WhatifFit *fit, double cores, double *done)
{
	int			working = 0;
	double		sum = 0;

	for (int i = 0; i < fit->nchanges; i++)
	{
		if (i > 0 && working > 0)
			sum += (fit->change[i].at - fit->change[i - 1].at) *
				Min(1.0, cores / working);
		done[i] = sum;
		working += fit->change[i].by;
	}
}

/* The first change at or after a time. */
static int
find_change(const WhatifFit *fit, double at)
{
	int			low = 0;
	int			high = fit->nchanges;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (fit->change[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double
done_at(const WhatifFit *fit, const double *done, double at)
{
	int			i = find_change(fit, at);
	double		before;
	double		after;

	if (i == 0 || i >= fit->nchanges)
		return done[Min(i, fit->nchanges - 1)];
	before = fit->change[i - 1].at;
	after = fit->change[i].at;
	if (after <= before)
		return done[i];
	return done[i - 1] + (done[i] - done[i - 1]) * (at - before) / (after - before);
}

/* With so many cores, how much work was each cycle? */
static void
measure_work(WhatifFit *fit, double cores, double *done)
{
	add_up_speed(fit, cores, done);
	for (int i = 0; i < fit->ncycles; i++)
	{
		Cycle	   *cycle = &fit->cycle[i];
		double		awake = done_at(fit, done, cycle->awake_at);
		double		from = fit->summary.open ?
		done_at(fit, done, cycle->began_at) : awake;

		cycle->wake_work = awake - done_at(fit, done, cycle->flushed_at);
		cycle->work = done_at(fit, done, cycle->commits_at) - from;
	}
}

/* How many were at work as each cycle began? */
static void
measure_company(WhatifFit *fit)
{
	int		   *working = palloc((fit->nchanges + 1) * sizeof(int));
	int			n = 0;

	for (int i = 0; i < fit->nchanges; i++)
	{
		working[i] = n;
		n += fit->change[i].by;
	}
	working[fit->nchanges] = 0;
	for (int i = 0; i < fit->ncycles; i++)
	{
		Cycle	   *cycle = &fit->cycle[i];
		double		from = fit->summary.open ? cycle->began_at : cycle->flushed_at;
		int			at = find_change(fit, from);

		/* all that go on with this one's flush are company */
		while (at < fit->nchanges && fit->change[at].at <= from)
			at++;
		cycle->company = Max(working[Min(at, fit->nchanges)], 1);
	}
	pfree(working);
}

/* Does the work of a cycle depend on the company, with so many cores? */
static double
dependence(WhatifFit *fit, double cores, double *done)
{
	Regression	r = {0};
	double		mean = 0;

	measure_work(fit, cores, done);
	for (int i = 0; i < fit->ncycles; i++)
		mean += fit->cycle[i].wake_work + fit->cycle[i].work;
	mean /= fit->ncycles;
	for (int i = 0; i < fit->ncycles; i++)
	{
		const Cycle *cycle = &fit->cycle[i];
		double		work = cycle->wake_work + cycle->work;

		regress(&r, log(cycle->company), Min(work, 5 * mean));
	}
	return covariance(&r);
}

/*
 * The number of cores for which it does not.  The dependence grows with them;
 * twenty halvings are closer than anything else here.
 */
static void
find_cores(WhatifFit *fit)
{
	double		low = log(0.25);
	double		high = log(fit->nsessions);
	double	   *done;

	find_changes(fit);
	measure_company(fit);
	done = palloc(Max(fit->nchanges, 1) * sizeof(double));
	if (fit->nsessions > 1 && dependence(fit, exp(high), done) > 0)
		for (int i = 0; i < 20; i++)
		{
			double		middle = (low + high) / 2;

			if (dependence(fit, exp(middle), done) > 0)
				high = middle;
			else
				low = middle;
		}
	fit->cores = exp(high);
	measure_work(fit, fit->cores, done);
	pfree(done);
}

/* Do transactions begin by themselves? */
static void
find_kind(WhatifFit *fit)
{
	Regression	r = {0};
	double		idle = 0;
	double		busy = 0;
	double		b;
	double		error;

	for (int i = 0; i < fit->ncycles; i++)
	{
		const Cycle *cycle = &fit->cycle[i];

		regress(&r, cycle->latency, cycle->commits_at - cycle->flushed_at);
		idle += cycle->began_at - cycle->awake_at;
		busy += cycle->commits_at - cycle->began_at;
	}
	b = slope(&r, &error);
	fit->summary.slope = b;
	fit->summary.idle = idle / fit->ncycles;
	fit->summary.work = busy / fit->ncycles;
	fit->summary.open = idle > busy && b + 2 * error < OPEN_SLOPE;
	fit->arrivals = fit->summary.open ? fit->ncycles / fit->length : 0;
}

/*
 * For what share of their work do transactions have an xid?  Those that commit
 * have one; what a commit saw beyond them are those at work.
 */
static void
find_xid_share(WhatifFit *fit)
{
	Change	   *in_commit = palloc(2 * fit->ncommits * sizeof(Change));
	double		seen = 0;
	double		workers = 0;
	int			n = 0;
	int			at = 0;
	int			committing = 0;

	for (int i = 0; i < fit->ncommits; i++)
	{
		put_change(&in_commit[n++], to_us(fit, fit->commit[i].started_at), 1);
		put_change(&in_commit[n++], to_us(fit, fit->commit[i].ended_at), -1);
	}
	qsort(in_commit, n, sizeof(Change), compare_changes);
	for (int i = 0; i < fit->ncommits; i++)
	{
		double		now = to_us(fit, fit->commit[i].started_at);
		int			others;

		while (at < n && in_commit[at].at < now)
			committing += in_commit[at++].by;
		others = fit->nsessions - 1 - committing;
		if (others <= 0 || now < fit->length * 0.05 || now > fit->length * 0.95)
			continue;
		workers += others;
		seen += fit->commit[i].siblings - committing;
	}
	fit->xid_share = workers > 0 ? Max(0, Min(seen / workers, 1)) : 0.5;
	pfree(in_commit);
}

/*----------------------------------------------------------------
 * The device
 *----------------------------------------------------------------
 */

#define WINDOW_LEAST	20000.0 /* us */
#define WINDOW_MOST		2000000.0
#define WINDOW_STEP		1.005
#define MIN_STALLS		8
#define MAX_STALLS		2000	/* more are no exception any more */
#define MIN_WINDOWS		4
#define REGULAR			0.2
#define IN_PHASE		0.4

/* How long is a flush that is no usual one? */
static double
stall_limit(const WhatifFit *fit)
{
	double	   *value = palloc(fit->nflushes * sizeof(double));
	double		median;

	for (int i = 0; i < fit->nflushes; i++)
		value[i] = fit->flush[i].io_time;
	median = quantile(value, fit->nflushes, 0.5);
	pfree(value);
	return Max(5 * median, 5000);
}

/* A flush that took very long. */
typedef struct Stall
{
	int			flush;
	double		ended_at;
	double		length;
} Stall;

/*
 * How well do the distances of stalls fit to windows of this length, those of
 * the long ones above all?  Chance gives less than 0.2, a clock alone 1.
 */
static double
regularity(const Stall *stall, int n, double window)
{
	double		sum = 0;
	double		weights = 0;
	int			used = 0;

	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n; j++)
		{
			double		distance = (stall[j].ended_at - stall[i].ended_at) / window;
			double		weight = stall[i].length * stall[j].length;

			if (distance > 3.5)
				break;
			weights += weight;
			if (distance < 0.5)
				continue;		/* the same window */
			sum += weight * cos(2 * M_PI * distance);
			used++;
		}
	return used < MIN_STALLS ? 0 : sum / weights;
}

/* The flushes that took very long, by time. */
static int
find_stalls(WhatifFit *fit, Stall *stall)
{
	double		limit = stall_limit(fit);
	int			n = 0;

	for (int i = 0; i < fit->nflushes; i++)
		if (fit->flush[i].io_time > limit)
		{
			stall[n].flush = i;
			stall[n].ended_at = fit->flush[i].done_at;
			stall[n++].length = fit->flush[i].io_time;
		}
	fit->summary.stall = limit;
	fit->summary.nstalls = n;
	return n;
}

/*
 * Does a stall end together with a window?  Then the stalls around it, the long
 * ones above all, ended a whole number of windows before or after it.
 */
static bool
ends_window(const WhatifFit *fit, const Stall *stall, int n, int i)
{
	double		sum = 0;
	double		lengths = 0;

	for (int step = -1; step <= 1; step += 2)
		for (int j = i + step; j >= 0 && j < n; j += step)
		{
			double		distance = (stall[j].ended_at - stall[i].ended_at) / fit->window;

			if (fabs(distance) > 3.5)
				break;
			sum += stall[j].length * cos(2 * M_PI * distance);
			lengths += stall[j].length;
		}
	return sum > IN_PHASE * lengths;
}

/* Which flushes had to wait for the end of their window? */
static void
mark_stalls(WhatifFit *fit, const Stall *stall, int n)
{
	for (int i = 0; i < n; i++)
		if (ends_window(fit, stall, n, i))
			fit->flush[stall[i].flush].stall = true;
}

static void
unmark_stalls(WhatifFit *fit)
{
	for (int i = 0; i < fit->nflushes; i++)
		fit->flush[i].stall = false;
	fit->window = 0;
}

/* How many flushes there were in each window that was used up. */
static int
find_quotas(const WhatifFit *fit, double *quota)
{
	double		last = -INFINITY;
	int			flushes = 0;
	int			n = 0;

	for (int i = 0; i < fit->nflushes; i++)
	{
		const Flush *flush = &fit->flush[i];

		flushes++;
		if (!flush->stall)
			continue;
		if (fabs((flush->done_at - last) / fit->window - 1) < 0.1)
			quota[n++] = flushes;
		last = flush->done_at;
		flushes = 0;
	}
	return n;
}

/* A quota is about the same in each window, and explains most of the stalls. */
static bool
is_quota(const WhatifFit *fit, const Stall *stall, int nstalls,
		 double *quota, int n)
{
	double		explained = 0;
	double		total = 0;
	double		spread = quantile(quota, n, 0.75) - quantile(quota, n, 0.25);

	for (int i = 0; i < nstalls; i++)
	{
		total += stall[i].length;
		if (fit->flush[stall[i].flush].stall)
			explained += stall[i].length;
	}
	return n >= MIN_WINDOWS && explained > 0.4 * total &&
		spread < 0.3 * quantile(quota, n, 0.5);
}

/* Is there a quota, with windows of this length? */
static bool
try_window(WhatifFit *fit, double window, const Stall *stall, int n)
{
	double	   *quota = palloc(Max(fit->nflushes, 1) * sizeof(double));
	bool		found;

	fit->window = window;
	mark_stalls(fit, stall, n);
	found = is_quota(fit, stall, n, quota, find_quotas(fit, quota));
	if (!found)
		unmark_stalls(fit);
	pfree(quota);
	return found;
}

/*
 * The longest window that will do, as stalls that fit to it fit to a part of it
 * as well.
 */
static void
find_window(WhatifFit *fit, const Stall *stall, int n)
{
	double		longest = Min(WINDOW_MOST, fit->length / 10);
	double		longer = 0;
	double		this = regularity(stall, n, longest);

	for (double w = longest; w >= WINDOW_LEAST; w /= WINDOW_STEP)
	{
		double		shorter = regularity(stall, n, w / WINDOW_STEP);

		if (this >= REGULAR && this >= longer && this >= shorter &&
			try_window(fit, w, stall, n))
		{
			fit->summary.regularity = this;
			return;
		}
		longer = this;
		this = shorter;
	}
}

static void
find_device(WhatifFit *fit)
{
	Stall	   *stall = palloc(Max(fit->nflushes, 1) * sizeof(Stall));
	int			n = find_stalls(fit, stall);

	if (n <= MAX_STALLS)
		find_window(fit, stall, n);
	pfree(stall);
}

/*----------------------------------------------------------------
 * From the sample to a load
 *----------------------------------------------------------------
 */

static int
compare_cycles(const void *a, const void *b)
{
	const Cycle *x = a;
	const Cycle *y = b;

	return (x->flushed_at > y->flushed_at) - (x->flushed_at < y->flushed_at);
}

static void
fill_cycles(WhatifFit *fit, WhatifLoad *load)
{
	LoadCycle  *cycle = palloc0(Max(fit->ncycles, 1) * sizeof(LoadCycle));
	int		   *first = palloc((FIT_BLOCKS + 1) * sizeof(int));
	int			next = 0;		/* of first */

	qsort(fit->cycle, fit->ncycles, sizeof(Cycle), compare_cycles);
	for (int i = 0; i < fit->ncycles; i++)
	{
		while (next <= fit->cycle[i].block)
			first[next++] = i;
		cycle[i].wake = fit->cycle[i].wake_work;
		cycle[i].work = fit->cycle[i].work;
	}
	while (next <= FIT_BLOCKS)
		first[next++] = fit->ncycles;
	load->nclients = fit->nsessions;
	load->ncycles = fit->ncycles;
	load->cycle = cycle;
	load->first = first;
}

typedef bool (*FlushFilter) (const Flush *flush, int which);
typedef double (*FlushValue) (const Flush *flush);

static bool
is_rested(const Flush *flush, int which)
{
	return !flush->stall && rest_class(flush->rest) == which;
}

static bool
is_usual(const Flush *flush, int which)
{
	return !flush->stall;
}

static bool
is_handoff(const Flush *flush, int which)
{
	return flush->waited || flush->overtook;
}

static bool
has_overtaken(const Flush *flush, int which)
{
	return flush->overtook;
}

static bool
came_alone(const Flush *flush, int which)
{
	return !flush->waited && !flush->overtook;
}

static double
io_time_of(const Flush *flush)
{
	return flush->io_time;
}

static double
handoff_of(const Flush *flush)
{
	return flush->waited ? flush->gap : flush->since_last;
}

static double
gap_of(const Flush *flush)
{
	return flush->gap;
}

static void
fill_flushes(const WhatifFit *fit, FlushFilter filter, int which,
			 FlushValue value, Draws *draws)
{
	double	   *values = palloc(Max(fit->nflushes, 1) * sizeof(double));
	int		   *first = palloc((FIT_BLOCKS + 1) * sizeof(int));
	int			next = 0;		/* of first */

	for (int i = 0; i < fit->nflushes; i++)
	{
		if (!filter(&fit->flush[i], which))
			continue;
		while (next <= fit->flush[i].block)
			first[next++] = draws->n;
		values[draws->n++] = value(&fit->flush[i]);
	}
	while (next <= FIT_BLOCKS)
		first[next++] = draws->n;
	draws->value = values;
	draws->first = first;
}

/*
 * Flushes by the rest before them.  Where there were too few, as long rests are
 * rare without a delay, the next class that has enough will do.
 */
static void
fill_device(const WhatifFit *fit, WhatifLoad *load)
{
	Draws		all = {0};
	Draws		nearest;

	fill_flushes(fit, is_usual, 0, io_time_of, &all);
	for (int c = 0; c < REST_CLASSES; c++)
		fill_flushes(fit, is_rested, c, io_time_of, &load->flush[c]);
	nearest = all;
	for (int c = REST_CLASSES - 1; c >= 0; c--)
		if (load->flush[c].n >= MIN_CYCLES)
			nearest = load->flush[c];
	for (int c = 0; c < REST_CLASSES; c++)
	{
		if (load->flush[c].n < MIN_CYCLES)
			load->flush[c] = nearest;
		nearest = load->flush[c];
	}
}

static void
fill_quotas(const WhatifFit *fit, WhatifLoad *load)
{
	double	   *quota = palloc(Max(fit->nflushes, 1) * sizeof(double));

	if (fit->window > 0)
		load->quota.n = find_quotas(fit, quota);
	load->window = fit->window;
	load->quota.value = quota;
}

/* Returns false if the sample says too little. */
bool
whatif_fit_load(WhatifFit *fit, WhatifLoad *load)
{
	memset(load, 0, sizeof(WhatifLoad));
	load->nblocks = FIT_BLOCKS;
	load->block_length = fit->length / FIT_BLOCKS;
	fill_cycles(fit, load);
	fill_device(fit, load);
	fill_flushes(fit, is_handoff, 0, handoff_of, &load->handoff);
	fill_flushes(fit, came_alone, 0, gap_of, &load->lead);
	fill_flushes(fit, has_overtaken, 0, gap_of, &load->overtake);
	fill_quotas(fit, load);
	load->slack.n = fit->nslack;
	load->slack.value = fit->slack;
	load->cores = fit->cores;
	load->xid_share = fit->xid_share;
	load->arrivals = fit->arrivals;
	return load->ncycles >= MIN_CYCLES && fit->nflushes >= MIN_CYCLES;
}

const FitSummary *
whatif_fit_summary(const WhatifFit *fit)
{
	return &fit->summary;
}

/* Everything that does not depend on the choice of blocks; palloc'd. */
WhatifFit  *
whatif_fit_prepare(const TracedCommit *commit, int n, uint64 started_at,
				   uint64 ended_at, const double *slack, int nslack)
{
	WhatifFit  *fit = palloc0(sizeof(WhatifFit));

	fit->origin = started_at;
	fit->length = (ended_at - started_at) / 1000.0;
	fit->ncommits = n;
	fit->commit = palloc(Max(n, 1) * sizeof(TracedCommit));
	memcpy(fit->commit, commit, n * sizeof(TracedCommit));
	qsort(fit->commit, n, sizeof(TracedCommit), compare_starts);
	fit->nslack = nslack;
	fit->slack = palloc(Max(nslack, 1) * sizeof(double));
	memcpy(fit->slack, slack, nslack * sizeof(double));
	fit->usual_slack = quantile(fit->slack, nslack, 0.5);
	fit->flushed_at = palloc(Max(n, 1) * sizeof(double));
	fit->first_start = palloc(Max(n, 1) * sizeof(double));
	find_flush_ends(fit);
	find_flushes(fit);
	find_cycles(fit);
	fit->change = palloc(Max(4 * fit->ncycles, 1) * sizeof(Change));
	if (fit->ncycles >= MIN_CYCLES)
	{
		find_kind(fit);
		find_cores(fit);
		find_xid_share(fit);
		find_device(fit);
	}
	fit->summary.nclients = fit->nsessions;
	fit->summary.ncycles = fit->ncycles;
	fit->summary.nflushes = fit->nflushes;
	return fit;
}
