/*-------------------------------------------------------------------------
 *
 * advice.c
 *		What the figures of the report mean, and what to do.
 *
 * Everything that commit_stats_report() decides is decided here, each decision
 * in a function over the plain numbers of CommitFigures.  The words are in
 * report.c.
 *
 * Two rules of thumb give a commit_delay.  The server's documentation starts
 * from half of the time of a flush, F0/2.  Queueing theory (arXiv 2606.18187)
 * gives sqrt(2 F0 / lambda) for lambda commits a second that do not wait for
 * each other.  Above lambda* = 2 / F0, this delay is shorter than F0;
 * flushes that begin as soon as the device is free then carry as many commits,
 * and no delay should help.
 *
 * The theory does not hold for a device with a write quota, as many cloud
 * volumes have: there, each flush saved allows another one.  Such a device
 * serves at full speed until the quota of its window is used up, and then
 * stalls until the next window, so the mean flush time is far above the
 * median.  advice_device_stalls() can only suspect a quota, as the report has
 * nothing but the histogram of flushes.  whatif_quota.c has the time of each
 * flush, and finds window and quota.
 *
 * This file uses neither shared memory nor the server, so t/ can compile it
 * alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/guc.h"
#include "report/advice.h"

/* Fewer of the newest flushes than this do not make a rate. */
#define MIN_RECENT_FLUSHES	100

/* The device stalls if mean and p99 are these multiples of the median. */
#define STALL_MEAN			3.0
#define STALL_P99			10.0

/* Shares below which something hardly happens, or does not matter. */
#define HARDLY_CONCURRENT	0.05
#define HARDLY_ANY_HITS		0.1
#define HARDLY_BUSY			0.1
#define HARDLY_ASLEEP		0.01

/* A median flush from here on is long, us. */
#define LONG_FLUSH			1000

/* A commit with more WAL than this is not small, bytes. */
#define SMALL_COMMIT		8192

/* commit_delay that a sweep is proposed with, us. */
#define SWEEP_MIN_DELAY		10
#define SWEEP_DEFAULT_START	100.0	/* without F0 */
#define SWEEP_DISTANCE		1.25	/* closer ones are not told apart */

/* Are the newest flushes enough to make a rate? */
bool
advice_recent_is_known(const CommitFigures *f)
{
	return f->recent_flushes >= MIN_RECENT_FLUSHES && f->recent_seconds > 0;
}

/*
 * Commits and flushes per second: of the newest flushes if possible, as an
 * average since the last reset includes hours in which nothing happened.
 */
double
advice_commit_rate(const CommitFigures *f)
{
	if (advice_recent_is_known(f))
		return ratio_or_zero(f->recent_commits, f->recent_seconds);
	return ratio_or_zero(f->commits, f->seconds);
}

double
advice_flush_rate(const CommitFigures *f)
{
	if (advice_recent_is_known(f))
		return ratio_or_zero(f->recent_flushes, f->recent_seconds);
	return ratio_or_zero(f->flushes, f->seconds);
}

double
advice_square_root_rule(double flush_time, double commit_rate)
{
	return sqrt(ratio_or_zero(2 * flush_time * 1e6, commit_rate));
}

double
advice_threshold(double flush_time)
{
	return ratio_or_zero(2e6, flush_time);
}

/* Is there no need for a timer, by the rule? */
bool
advice_is_above_threshold(const CommitFigures *f)
{
	return f->flush_time > 0 &&
		advice_commit_rate(f) > advice_threshold(f->flush_time);
}

/*
 * Flushes in the time that one takes, if "load" commits come meanwhile: all
 * that came during a flush share the next, and if none came, the next waits
 * for a commit.
 */
static double
flushes_at(double load)
{
	return load / (load + exp(-load));
}

/* The load at which a flush carries this number of commits on average. */
static double
load_of(double commits_per_flush)
{
	double		load = commits_per_flush;

	for (int i = 0; i < 50; i++)
		load = commits_per_flush - exp(-load);
	return load;
}

/*
 * The top client puts ten of its commits into one.  If its sessions wait for
 * flushes above all, they then do ten times the work with a flush, and for the
 * same work lead a tenth of their flushes.  Larger commits are put together
 * already.
 */
double
advice_batching_most(const CommitFigures *f)
{
	if (f->top_commit_size > SMALL_COMMIT)
		return 0;
	return 0.9 * ratio_or_zero(f->top_flushes, f->flushes);
}

/*
 * If the work comes as before, there is a tenth of the commits of this client,
 * and the commits of others find fewer to share a flush with.
 */
double
advice_batching_least(const CommitFigures *f)
{
	double		load = load_of(Max(ratio_or_zero(f->carried, f->flushes), 1));
	double		rest = 1 - 0.9 * ratio_or_zero(f->top_commits, f->commits);

	return Min(advice_batching_most(f),
			   1 - flushes_at(load * rest) / flushes_at(load));
}

/* The share of the time in which leaders write or sync. */
double
advice_device_busy(const CommitFigures *f)
{
	return Min(advice_flush_rate(f) * f->flush_time / 1e6, 1.0);
}

/* Does the device look like one with a write quota? */
bool
advice_device_stalls(const CommitFigures *f)
{
	return f->timed_flushes >= MIN_RECENT_FLUSHES && f->flush_p50 > 0 &&
		f->flush_time >= STALL_MEAN * f->flush_p50 &&
		f->flush_p99 >= STALL_P99 * f->flush_p50;
}

/*
 * Do flushes take long without stalls, as on a volume that queues requests?
 * Sessions that come back sooner than that may take turns, each waiting for
 * the flush of others.  The rules know nothing of this.
 */
static bool
flushes_take_long(const CommitFigures *f)
{
	return f->flush_p50 >= LONG_FLUSH && !advice_device_stalls(f);
}

/* Apart from the few that wait in spite of synchronous_commit = off. */
static bool
all_asynchronous(const CommitFigures *f)
{
	return f->commits_async > 0 && f->commits < f->commits_async / 100.0;
}

int
advice_obstacles(const CommitFigures *f)
{
	int			obstacles = 0;

	if (f->delay == 0 && f->adaptive == ADAPTIVE_DELAY_OFF)
		obstacles |= DELAY_IS_ZERO;
	if (!f->fsync)
		obstacles |= FSYNC_IS_OFF;
	if (all_asynchronous(f))
		obstacles |= NOBODY_WAITS;
	else if (f->flushes > 0 && f->siblings_max == 0)
		obstacles |= NEVER_TOGETHER;
	if (f->adaptive != ADAPTIVE_DELAY_OFF)
		return obstacles;		/* commit_siblings is not used */
	if (f->siblings > f->connections - 1)
		obstacles |= SIBLINGS_UNREACHABLE;
	else if (f->flushes > 0 && f->siblings_max > 0 &&
			 f->siblings > f->siblings_max)
		obstacles |= SIBLINGS_NEVER_SEEN;
	return obstacles;
}

/* commit_siblings that half of the flushes would have reached; at least 1. */
int
advice_better_siblings(const CommitFigures *f)
{
	return Max(f->siblings_half, 1);
}

static bool
delay_hardly_hits(const CommitFigures *f)
{
	return f->delay > 0 && f->reach < HARDLY_ANY_HITS &&
		advice_better_siblings(f) < f->siblings;
}

/* The disk is idle most of the time, and not because commits sleep. */
static bool
disk_is_idle(const CommitFigures *f)
{
	return advice_device_busy(f) < HARDLY_BUSY && !advice_device_stalls(f) &&
		f->commit_sleep < HARDLY_ASLEEP * f->commit_time;
}

Advice
advice_choose(const CommitFigures *f)
{
	if (!f->counting)
		return ADVICE_ENABLE;
	if (f->is_standby)
		return ADVICE_ASK_PRIMARY;
	if (!f->fsync)
		return ADVICE_FSYNC_OFF;
	if (all_asynchronous(f) && f->commits_async >= ADVICE_MIN_COMMITS)
		return ADVICE_ASYNCHRONOUS;
	if (f->commits < ADVICE_MIN_COMMITS || f->flushes == 0)
		return ADVICE_COME_BACK;
	if (f->adaptive != ADAPTIVE_DELAY_OFF)
		return ADVICE_ADAPTING;
	if (f->concurrency < HARDLY_CONCURRENT)
		return advice_device_stalls(f) ? ADVICE_PACE : ADVICE_ALONE;
	if (delay_hardly_hits(f))
		return ADVICE_LOWER_SIBLINGS;
	if (f->standby_min > f->commit_time / 2)
		return ADVICE_STANDBY_FIRST;
	if (f->flush_time <= 0)
		return ADVICE_TIME_FLUSHES;
	if (disk_is_idle(f))
		return ADVICE_NOT_THE_DISK;
	if (advice_device_stalls(f))
		return ADVICE_SWEEP_QUOTA;
	if (f->delay == 0 && flushes_take_long(f))
		return ADVICE_SWEEP_GATHER;
	if (advice_is_above_threshold(f))
		return f->delay == 0 ? ADVICE_LEAVE_ZERO : ADVICE_SWEEP_ABOVE;
	return ADVICE_SWEEP;
}

/* To two digits, like 140 or 1100, within what commit_delay can be. */
static int
round_delay(double delay)
{
	double		unit;

	delay = Max(delay, SWEEP_MIN_DELAY);
	delay = Min(delay, COMMIT_DELAY_MAX);
	unit = pow(10, floor(log10(delay)) - 1);
	return (int) rint(rint(delay / unit) * unit);
}

/* Add a delay, in order, unless there is one within SWEEP_DISTANCE. */
static int
add_delay(int *delays, int n, int delay)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		if (delay <= delays[i] * SWEEP_DISTANCE &&
			delays[i] <= delay * SWEEP_DISTANCE)
			return n;
	}
	for (i = n; i > 0 && delays[i - 1] > delay; i--)
		delays[i] = delays[i - 1];
	delays[i] = delay;
	return n + 1;
}

/*
 * Delays worth measuring: 0, the present one, F0 from a quarter to four times,
 * and that of the square-root rule.
 */
int
advice_sweep_delays(const CommitFigures *f, int *delays)
{
	double		start = SWEEP_DEFAULT_START;
	double		square_root = advice_square_root_rule(f->flush_time,
													  advice_commit_rate(f));
	int			n = 0;

	if (f->flush_time > 0)
		start = f->flush_time / 4;
	n = add_delay(delays, n, 0);
	n = add_delay(delays, n, f->delay);
	for (int step = 0; step < SWEEP_STEPS; step++)
		n = add_delay(delays, n, round_delay(ldexp(start, step)));
	if (square_root > 0)
		n = add_delay(delays, n, round_delay(square_root));
	return n;
}

/*
 * commit_siblings worth measuring: the present value and, if fewer than half
 * of the flushes reach it, the value that half of them reach.
 */
int
advice_sweep_siblings(const CommitFigures *f, int *siblings)
{
	int			n = 0;

	siblings[n++] = f->siblings;
	if (f->reach < 0.5 && advice_better_siblings(f) < f->siblings)
		siblings[n++] = advice_better_siblings(f);
	return n;
}
