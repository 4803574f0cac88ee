/*-------------------------------------------------------------------------
 *
 * whatif_sample.c
 *		From traced commits to the flushes that carried them.
 *
 * A commit knows its flush group and whether it led it, but not when the leader
 * had the WAL write lock.  That cannot have been before its own commit began, nor
 * before the flush before it had ended; and it was over when the first of those
 * that it carried was done.  What is not I/O, and no sleep, of the time in between
 * is the gap.  Where the leader had waited for the flush before, that is the
 * handoff.
 *
 * How long the I/O takes depends on whether the device and the processors were
 * asleep before, and on how many sessions want these processors as well.  Where the
 * leader sleeps first, few of them are still at work.
 *
 * How long one who waited takes until it has the lock is not seen where a
 * newcomer was quicker; then it is at least so long, and taken to be just that.
 *
 * This room knows neither SQL nor shared memory: it computes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "whatif/whatif_sample.h"

#define MIN_DRAWS		20		/* fewer are not drawn from */

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

double
sample_quantile(double *value, int n, double q)
{
	if (n == 0)
		return 0;
	qsort(value, n, sizeof(double), compare_doubles);
	return value[Min((int) (q * n), n - 1)];
}

/*----------------------------------------------------------------
 * Which commits shared a flush, and when it was done
 *----------------------------------------------------------------
 */

static int
compare_starts(const void *a, const void *b)
{
	const TracedCommit *x = a;
	const TracedCommit *y = b;

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

	if (x->group != y->group)
		return x->group > y->group ? 1 : -1;
	return (x->ended_at > y->ended_at) - (x->ended_at < y->ended_at);
}

/*
 * Is the flush of a commit that of the one before it in that order?  A group
 * whose end nobody saw is merged with the next one.
 */
static bool
same_flush(const SampleCommits *commits, int this, int before)
{
	return commits->commit[this].group != InvalidGroupNumber &&
		commits->commit[this].group == commits->commit[before].group &&
		commits->flushed_at[before] >=
		sample_time(commits, commits->commit[this].started_at);
}

/*
 * When was the flush done that carried a commit?  When the first of those that
 * it carried was done.
 */
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
	for (int from = 0, to; from < n; from = to)
	{
		double		done = commits->flushed_at[order[from].index];
		double		first = INFINITY;

		for (to = from; to < n &&
			 commits->flushed_at[order[to].index] == done; to++)
			first = Min(first, sample_time(commits,
										   commits->commit[order[to].index].started_at));
		for (int i = from; i < to; i++)
			commits->first_start[order[i].index] = first;
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
	commits->first_start = palloc(Max(n, 1) * sizeof(double));
	commits->origin = started_at;
	commits->length = (ended_at - started_at) / 1000.0;
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

	return (x->done_at > y->done_at) - (x->done_at < y->done_at);
}

/*
 * The time that a leader held the lock, or could have.  "before" is the flush
 * before, or null.
 */
static void
measure_flush(Flush *flush, const Flush *before)
{
	double		earliest = flush->started_at;

	flush->waited = before != NULL && before->done_at > earliest;
	if (flush->waited)
		earliest = before->done_at;
	flush->overtook = before != NULL && !flush->waited &&
		flush->first_start < before->done_at;
	flush->gap = Max(flush->done_at - earliest - flush->io_time, 0);
	if (flush->overtook)
		flush->since_last = Max(flush->done_at - before->done_at -
								flush->io_time, 0);
	if (!flush->timed)
	{
		flush->io_time = flush->gap;
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
		flush->first_start = commits->first_start[i];
		flush->done_at = commits->flushed_at[i];
		flush->timed = commit->timed;
		flush->io_time = commit->timed ? commit->io_time / 1000.0 : 0;
		flush->sleep = commit->delay > 0 ? commit->delay + usual_slack : 0;
		flush->block = sample_block(commits, flush->done_at);
		flushes->n++;
	}
	qsort(flushes->flush, flushes->n, sizeof(Flush), compare_flushes);
}

/* "usual_slack" is how much longer than asked a sleep takes, us; palloc'd. */
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
 * Values to draw from
 *----------------------------------------------------------------
 */

/* Which flushes to draw from. */
typedef struct FlushClass
{
	int			concurrency;
	int			rest;
	double		cores;
	double		longest;		/* us of I/O; INFINITY: any */
} FlushClass;

typedef bool (*FlushFilter) (const Flush *flush, const FlushClass *class);
typedef double (*FlushValue) (const Flush *flush);

static bool
is_of_class(const Flush *flush, const FlushClass *class)
{
	double		rest = Max(flush->rest, flush->after_stall);

	return !flush->stalled && rest_class(rest) == class->rest &&
		concurrency_class(flush->concurrency, class->cores) == class->concurrency &&
		flush->io_time <= class->longest;
}

static bool
is_usual(const Flush *flush, const FlushClass *class)
{
	return !flush->stalled;
}

static bool
is_handoff(const Flush *flush, const FlushClass *class)
{
	return flush->waited || flush->overtook;
}

static bool
has_overtaken(const Flush *flush, const FlushClass *class)
{
	return flush->overtook;
}

static bool
came_alone(const Flush *flush, const FlushClass *class)
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
fill_draws(const SampleFlushes *flushes, FlushFilter filter,
		   const FlushClass *class, FlushValue value, Distribution *draws)
{
	double	   *values;
	int		   *first = palloc((SAMPLE_BLOCKS + 1) * sizeof(int));
	int			next = 0;		/* of first */
	int			n = 0;

	for (int i = 0; i < flushes->n; i++)
		n += filter(&flushes->flush[i], class);
	values = palloc(Max(n, 1) * sizeof(double));
	draws->n = 0;
	for (int i = 0; i < flushes->n; i++)
	{
		if (!filter(&flushes->flush[i], class))
			continue;
		while (next <= flushes->flush[i].block)
			first[next++] = draws->n;
		values[draws->n++] = value(&flushes->flush[i]);
	}
	while (next <= SAMPLE_BLOCKS)
		first[next++] = draws->n;
	draws->value = values;
	draws->first = first;
}

/*
 * Flushes as if nobody had been in their way, from those that came at once after
 * the flush before.  Then nobody may be at work, but all that this one carried are
 * about to wake up.  Who meets them takes longer; so here is the quicker half.
 */
static void
fill_undisturbed(const SampleFlushes *flushes, double cores,
				 const Distribution *disturbed, Distribution *draws)
{
	double	   *copy = palloc(disturbed->n * sizeof(double));
	FlushClass	class = {0, 0, cores, 0};

	memcpy(copy, disturbed->value, disturbed->n * sizeof(double));
	class.longest = sample_quantile(copy, disturbed->n, 0.5);
	fill_draws(flushes, is_of_class, &class, io_time_of, draws);
	pfree(copy);
}

/*
 * Flushes of one class of concurrency, by the rest before them.  Where there were too
 * few, as long rests are rare without a delay, the next class that has enough
 * will do.  Returns false if none has.
 */
static bool
fill_concurrency(const SampleFlushes *flushes, int concurrency, double cores,
			 Distribution *draws)
{
	Distribution		nearest = {0};

	for (int c = REST_CLASSES - 1; c >= 0; c--)
	{
		FlushClass	class = {concurrency, c, cores, INFINITY};

		fill_draws(flushes, is_of_class, &class, io_time_of, &draws[c]);
		if (draws[c].n >= MIN_DRAWS)
			nearest = draws[c];
	}
	if (concurrency == 0 && draws[0].n >= 2 * MIN_DRAWS && draws[1].n < MIN_DRAWS)
		fill_undisturbed(flushes, cores, &draws[0], &draws[1]);
	for (int c = 0; c < REST_CLASSES; c++)
	{
		if (draws[c].n < MIN_DRAWS)
			draws[c] = nearest;
		nearest = draws[c];
	}
	return nearest.n > 0;
}

/*
 * And where a class of concurrency has none, the next larger one will do, or else the
 * next smaller one.
 */
static void
fill_device(const SampleFlushes *flushes, WhatifLoad *load)
{
	Distribution		all = {0};
	Distribution		nearest[REST_CLASSES];

	fill_draws(flushes, is_usual, NULL, io_time_of, &all);
	for (int r = 0; r < REST_CLASSES; r++)
		nearest[r] = all;
	for (int c = 0; c < COMPANY_CLASSES; c++)
		if (fill_concurrency(flushes, c, load->cores, load->flush[c]))
			memcpy(nearest, load->flush[c], sizeof(nearest));
	for (int c = COMPANY_CLASSES - 1; c >= 0; c--)
	{
		if (load->flush[c][0].n == 0)
			memcpy(load->flush[c], nearest, sizeof(nearest));
		memcpy(nearest, load->flush[c], sizeof(nearest));
	}
}

void
sample_flushes_fill(const SampleFlushes *flushes, WhatifLoad *load)
{
	fill_device(flushes, load);
	fill_draws(flushes, is_handoff, NULL, handoff_of, &load->handoff);
	fill_draws(flushes, came_alone, NULL, gap_of, &load->lead);
	fill_draws(flushes, has_overtaken, NULL, gap_of, &load->overtake);
}
