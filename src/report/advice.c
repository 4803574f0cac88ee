/*-------------------------------------------------------------------------
 *
 * advice.c
 *		From what was counted to what to do about it.
 *
 * Everything that commit_stats_report() decides is decided here, each decision
 * in a function of its own over the plain numbers of CommitFigures.
 *
 * Two rules of thumb say how long commit_delay should be.  The server's
 * documentation starts from half of the time that a flush takes, F0/2.  The
 * other comes from queueing theory (arXiv 2606.18187): with lambda commits a
 * second that do not wait for each other, sqrt(2 F0 / lambda).  That is shorter
 * than F0 itself when lambda is above lambda* = 2 / F0; from there on, flushes
 * that begin as soon as the device is free fill up just as well, and a timer
 * should not matter.
 *
 * The theory ends at a device with a write quota, as many cloud volumes have:
 * there a flush that is saved buys another one.  Such a device serves at full
 * speed until the quota of its window is used up and then stalls to the next,
 * so that its mean is far above its median.
 *
 * This room knows neither shared memory nor the server: it decides.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/guc.h"
#include "report/advice.h"

/* Fewer of the newest flushes than this do not make a rate. */
#define MIN_RECENT_FLUSHES	100

/* The device stalls if its mean and its p99 are so many times its median. */
#define STALL_MEAN			3.0
#define STALL_P99			10.0

/* Shares below which something hardly happens, or does not matter. */
#define HARDLY_ANY_COMPANY	0.05
#define HARDLY_ANY_HITS		0.1
#define HARDLY_BUSY			0.1
#define HARDLY_ASLEEP		0.01

/* commit_delay that a sweep is proposed with, us. */
#define SWEEP_MIN_DELAY		10
#define SWEEP_STEPS			5
#define SWEEP_DEFAULT_START	100.0	/* where F0 is not known */
#define SWEEP_DISTANCE		1.25	/* closer ones are not told apart */

double
rate_per_second(double n, double seconds)
{
	return seconds > 0 ? n / seconds : 0;
}

/* Are the newest flushes enough to make a rate? */
bool
recent_is_known(const CommitFigures *f)
{
	return f->recent_flushes >= MIN_RECENT_FLUSHES && f->recent_seconds > 0;
}

/*
 * Commits, and flushes, a second.  Those of the newest flushes, as an average
 * since the last reset includes the hours in which nothing happened.
 */
double
load_commits(const CommitFigures *f)
{
	if (recent_is_known(f))
		return rate_per_second(f->recent_commits, f->recent_seconds);
	return rate_per_second(f->commits, f->seconds);
}

double
load_flushes(const CommitFigures *f)
{
	if (recent_is_known(f))
		return rate_per_second(f->recent_flushes, f->recent_seconds);
	return rate_per_second(f->flushes, f->seconds);
}

double
rule_documentation(double flush_time)
{
	return flush_time / 2;
}

double
rule_square_root(double flush_time, double commits_per_second)
{
	if (!(commits_per_second > 0))
		return 0;
	return sqrt(2 * flush_time * 1e6 / commits_per_second);
}

double
rule_threshold(double flush_time)
{
	return flush_time > 0 ? 2e6 / flush_time : 0;
}

/* Is a timer out of place, by the rule? */
bool
load_is_above_threshold(const CommitFigures *f)
{
	return f->flush_time > 0 &&
		load_commits(f) > rule_threshold(f->flush_time);
}

/* The share of the time in which leaders write or sync. */
double
device_busy(const CommitFigures *f)
{
	return Min(load_flushes(f) * f->flush_time / 1e6, 1.0);
}

/* Does the device look like one with a write quota? */
bool
device_stalls(const CommitFigures *f)
{
	return f->timed_flushes >= MIN_RECENT_FLUSHES && f->flush_p50 > 0 &&
		f->flush_time >= STALL_MEAN * f->flush_p50 &&
		f->flush_p99 >= STALL_P99 * f->flush_p50;
}

/* What is left of a mean commit, of which "standby" was for a standby. */
double
commit_rest(const CommitFigures *f, double standby)
{
	return Max(f->commit_time - f->commit_io - f->commit_sleep - standby, 0);
}

/* But for a few that had to wait in spite of synchronous_commit = off. */
static bool
all_asynchronous(const CommitFigures *f)
{
	return f->commits_async > 0 && f->commits < f->commits_async / 100.0;
}

int
delay_obstacles(const CommitFigures *f)
{
	int			obstacles = 0;

	if (f->delay == 0)
		obstacles |= DELAY_IS_ZERO;
	if (!f->fsync)
		obstacles |= FSYNC_IS_OFF;
	if (all_asynchronous(f))
		obstacles |= NOBODY_WAITS;
	else if (f->flushes > 0 && f->siblings_max == 0 && !isnan(f->company))
		obstacles |= NEVER_TOGETHER;
	if (f->siblings > f->connections - 1)
		obstacles |= SIBLINGS_UNREACHABLE;
	else if (f->flushes > 0 && f->siblings_max > 0 &&
			 f->siblings > f->siblings_max)
		obstacles |= SIBLINGS_NEVER_SEEN;
	return obstacles;
}

/* commit_siblings that half of the flushes would have reached; at least 1. */
int
better_siblings(const CommitFigures *f)
{
	return Max(f->siblings_half, 1);
}

static bool
delay_hardly_hits(const CommitFigures *f)
{
	return f->delay > 0 && f->reach < HARDLY_ANY_HITS &&
		better_siblings(f) < f->siblings;
}

/*
 * The disk is idle most of the time, and not because commits sleep.
 */
static bool
disk_is_idle(const CommitFigures *f)
{
	return device_busy(f) < HARDLY_BUSY && !device_stalls(f) &&
		f->commit_sleep < HARDLY_ASLEEP * f->commit_time;
}

Advice
advise(const CommitFigures *f)
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
	if (f->company < HARDLY_ANY_COMPANY)
		return ADVICE_ALONE;
	if (delay_hardly_hits(f))
		return ADVICE_LOWER_SIBLINGS;
	if (f->standby_min > f->commit_time / 2)
		return ADVICE_STANDBY_FIRST;
	if (f->flush_time <= 0)
		return ADVICE_TIME_FLUSHES;
	if (disk_is_idle(f))
		return ADVICE_NOT_THE_DISK;
	if (device_stalls(f))
		return ADVICE_SWEEP_QUOTA;
	if (load_is_above_threshold(f))
		return f->delay == 0 ? ADVICE_LEAVE_ZERO : ADVICE_SWEEP_ABOVE;
	return ADVICE_SWEEP;
}

/* Two digits, as 140 or 1100, and not too short for any sleep. */
static int
round_delay(double delay)
{
	double		unit;

	delay = Max(delay, SWEEP_MIN_DELAY);
	delay = Min(delay, COMMIT_DELAY_MAX);
	unit = pow(10, floor(log10(delay)) - 1);
	return (int) rint(rint(delay / unit) * unit);
}

/* Add a delay, in order, unless one much like it is there. */
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
	if (n == SWEEP_MAX_DELAYS)
		return n;
	for (i = n; i > 0 && delays[i - 1] > delay; i--)
		delays[i] = delays[i - 1];
	delays[i] = delay;
	return n + 1;
}

/*
 * Delays worth measuring: none, the present one, and powers of 2 times F0, on
 * both sides of it, as far as the square-root rule goes.
 */
int
sweep_delays(const CommitFigures *f, int *delays)
{
	double		start = SWEEP_DEFAULT_START;
	double		square_root = rule_square_root(f->flush_time, load_commits(f));
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
 * commit_siblings worth measuring: the present one and, where it lets less
 * than half of the flushes through, the one that would.
 */
int
sweep_siblings(const CommitFigures *f, int *siblings)
{
	int			n = 0;

	siblings[n++] = f->siblings;
	if (f->reach < 0.5 && better_siblings(f) < f->siblings)
		siblings[n++] = better_siblings(f);
	return n;
}
